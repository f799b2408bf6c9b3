"""``torch.hub``: models of a folder's ``hubconf.py``. Nothing is ever downloaded."""
import importlib.util
import os
import re
import sys
from urllib.parse import urlparse  # noqa: F401

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")                  # the hash in the name of a file of weights

_hub_dir = None

NO_DOWNLOAD = ("leafward downloads nothing: clone the repository and pass its folder with source='local', or fetch the file "
               "yourself and read it with torch.load")


def tqdm(*args, **kwargs):
    """A bar that the package tqdm draws."""
    from tqdm import tqdm
    return tqdm(*args, **kwargs)


def get_dir():
    """The folder for files of hubs: ``$TORCH_HOME/hub``, ``~/.cache/torch/hub`` or what :func:`set_dir` set."""
    if _hub_dir is not None:
        return _hub_dir
    return os.path.join(_get_torch_home(), "hub")


def _get_torch_home():
    """The folder for files: ``$TORCH_HOME`` or ``~/.cache/torch``."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d):
    """Set the folder for files of hubs."""
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


def hubconf(repo_or_dir, source):
    """The module ``hubconf.py`` of a local folder."""
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise NotImplementedError(NO_DOWNLOAD)
    path = os.path.join(repo_or_dir, "hubconf.py")
    sys.path.insert(0, repo_or_dir)
    try:
        spec = importlib.util.spec_from_file_location("hubconf.py", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(repo_or_dir)
    return module


def entry_points(module):
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def entry_point(module, model):
    found = vars(module).get(model)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found


def list(github, force_reload=False, skip_validation=False, trust_repo=None, verbose=True):  # noqa: A001
    """The models that a folder offers."""
    return entry_points(hubconf(github, "local" if os.path.isdir(github) else "github"))


def help(github, model, force_reload=False, skip_validation=False, trust_repo=None):  # noqa: A001
    """The documentation of a model of a folder."""
    return entry_point(hubconf(github, "local" if os.path.isdir(github) else "github"), model).__doc__


def load(repo_or_dir, model, *args, source="github", trust_repo=None, force_reload=False, verbose=True,
         skip_validation=False, **kwargs):
    """Build ``model`` of a local folder: ``load(folder, "name", source="local")``."""
    return entry_point(hubconf(repo_or_dir, source), model)(*args, **kwargs)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Refused: nothing is downloaded."""
    raise NotImplementedError(NO_DOWNLOAD)


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None,
                             weights_only=False):
    """Read a file that already lies in ``model_dir`` (by default the hub's ``checkpoints``); nothing is downloaded."""
    from leafward import load as load_file
    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    path = os.path.join(folder, file_name or os.path.basename(url.split("?")[0]))
    if not os.path.exists(path):
        raise NotImplementedError(f"{NO_DOWNLOAD}: put {url} at {path}")
    return load_file(path, map_location=map_location, weights_only=weights_only)
