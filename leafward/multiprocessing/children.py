"""Processes that begin anew (``spawn``, ``forkserver``) import the program again: ``torch`` must be ours there too."""
from importlib import import_module
from multiprocessing import spawn


class AsTorch:
    """Unpickled in the child before it imports anything of the program's."""

    def __reduce__(self):
        return install, ()


def install():
    # By name: the module stands above this one.
    import_module("leafward.as_torch").install_as_torch()


def follow():
    """Let processes that begin anew find leafward under the name ``torch`` too."""
    original = spawn.get_preparation_data
    if getattr(original, "follows", False):
        return

    def get_preparation_data(name):
        data = original(name)
        if name == "ignore":                     # the fork server, which would import the program before it is told
            data.pop("init_main_from_path", None)
        return {"leafward": AsTorch(), **data}

    get_preparation_data.follows = True
    spawn.get_preparation_data = get_preparation_data
