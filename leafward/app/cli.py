"""The ``leafward`` command: ``demo``, ``run``, ``launch``, ``check``, ``explain``, ``page`` and ``info``."""
import argparse
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

#: What leafward can use but does not need: module, distribution, what it is for.
OPTIONAL = (
    ("sklearn", "scikit-learn", "the demo's digits: pip install leafward[demo]"),
    ("matplotlib", "matplotlib", "the demo's pictures: pip install leafward[demo]"),
    ("tqdm", "tqdm", "the demo's progress bar, leafward.progress: pip install leafward[demo]"),
    ("tensorboard", "tensorboard", "torch.utils.tensorboard: pip install tensorboard"),
    ("onnx", "onnx", "torch.onnx.export: pip install leafward[onnx]"),
    ("mpi4py", "mpi4py", "torch.distributed between processes: pip install leafward[mpi]"),
)


def version_of(distribution):
    """The installed version, or None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def info():
    """Print what leafward runs on."""
    import leafward as lw
    from leafward.app.provide import state
    from leafward.core import compiled
    how = "interpreted (no C compiler at install time, or LEAFWARD_INTERPRETED is set)"
    if compiled():
        here, missing = extension_modules(Path(lw.__file__).parent)
        how = f"compiled, {here} extension modules"
        if missing:
            how += f"; NOT compiled, and slow: {', '.join(missing)} (a broken build: install leafward anew)"
    print(f"leafward    {lw.own_version}, {how}")
    print(f"from        {Path(lw.__file__).parent}")
    print(f"python      {sys.version.split()[0]}")
    print(f"numpy       {version_of('numpy')}")
    print(f"threads     {lw.get_num_threads()}")
    print(f"kernels     {derived()}")
    print(f"torch       {state()}")
    for module, distribution, purpose in OPTIONAL:
        found = version_of(distribution) or ("found" if find_spec(module) else None)
        print(f"{module:<11} {found or 'not installed'}{'' if found else ' (' + purpose + ')'}")


def extension_modules(package):
    """How many modules in the folder ``package`` are compiled, of those with a C layout or in Cython; the names of the rest."""
    sources = {path.with_suffix("") for path in package.rglob("*.pyx")}
    sources |= {path.with_suffix("") for path in package.rglob("*.pxd") if path.with_suffix(".py").exists()}
    missing = [path for path in sorted(sources)
               if not any(path.with_name(path.name + end).exists() for end in EXTENSION_SUFFIXES)]
    return len(sources) - len(missing), [".".join((package.name, *path.relative_to(package).parts)) for path in missing]


def derived():
    """How many elementwise forwards and gradients run as loops in C, which are made for what processors, and the rest."""
    from leafward.arrays.kernels.derived import targets
    from leafward.core.runtime import runtime
    from leafward.derive.kernels.deriving import derive_all
    if not runtime.derived:
        return "none are compiled"
    left = len(derive_all().reasons)
    return f"{len(runtime.derived)} derived, for {targets()[-1]}; {left} other elementwise forwards and gradients run on NumPy"


def demo(folder, only_predict):
    missing = [package for module, package, _ in OPTIONAL if module in ("sklearn", "matplotlib", "tqdm")
               and find_spec(module) is None]
    if missing:
        sys.exit(f"leafward demo needs {', '.join(missing)}: pip install 'leafward[demo]'")
    from leafward.app.demo import show
    show.main(folder, only_predict)


def parser():
    commands = argparse.ArgumentParser(prog="leafward", description="PyTorch's tensors and gradients, in Python.")
    commands.add_argument("--version", action="version", version=f"leafward {version_of('leafward')}")
    choice = commands.add_subparsers(dest="command", required=True)
    for_demo = choice.add_parser("demo", help="train a small network, read digits with it, see two bugs caught")
    for_demo.add_argument("--predict", action="store_true", help="only read digits with the saved checkpoint")
    for_demo.add_argument("--folder", type=Path, default=Path("demo-output"), help="where the files go (%(default)s)")
    choice.add_parser("run", help="run a PyTorch program on leafward: leafward run script.py [argument ...]")
    choice.add_parser("launch", help="run one as several ranks: leafward launch -n 4 script.py [argument ...]")
    choice.add_parser("check", help="run one under every check: leafward check script.py [argument ...]")
    choice.add_parser("page", help="run one and draw its graphs as an HTML page: leafward page script.py [argument ...]")
    choice.add_parser("explain", help="run one, and tell each graph in words: leafward explain script.py [argument ...]")
    choice.add_parser("provide-torch", help="let `import torch` be leafward everywhere in this environment; --undo")
    choice.add_parser("info", help="version, compiled or interpreted, and what else is found")
    return commands


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["launch"]:
        from leafward.distributed.launching import main as launch
        return launch(arguments[1:])
    if arguments[:1] == ["run"]:                # the program's arguments are its own: argparse must not see them
        from leafward.app.run import main as run
        return run(arguments[1:])
    if arguments[:1] == ["check"]:
        from leafward.app.check import main as check
        return check(arguments[1:])
    if arguments[:1] == ["page"]:
        from leafward.app.draw import main as page
        return page(arguments[1:])
    if arguments[:1] == ["explain"]:
        from leafward.app.explain import main as explain
        return explain(arguments[1:])
    if arguments[:1] == ["provide-torch"]:
        from leafward.app.provide import main as provide
        return provide(arguments[1:])
    chosen = parser().parse_args(arguments)
    if chosen.command == "demo":
        demo(chosen.folder, chosen.predict)
    else:
        info()
    return 0
