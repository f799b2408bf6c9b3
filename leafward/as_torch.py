"""``import torch`` gives leafward: ``torch.nn.functional`` and ``leafward.nn.functional`` are one module.

As a plugin, ``pytest -p leafward.as_torch``, before pytest imports any test.
"""
import sys


class TorchFinder:
    """On ``sys.meta_path``, ahead of the finders that would look for PyTorch's files; its own loader."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch" and not name.startswith("torch."):
            return None
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec
        if ours(name) not in sys.modules and find_spec(ours(name)) is None:
            from leafward.missing import instead
            advice = instead(name.removeprefix("torch.")) or "leafward has no such part of PyTorch"
            raise ModuleNotFoundError(f"No module named {name!r}: {advice}", name=name)
        return ModuleSpec(name, self)

    def create_module(self, spec):
        from importlib import import_module
        module = import_module(ours(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        # The import system has just stamped torch's spec on the module, which would break reload and relative imports.
        module.__spec__ = module.__spec__.loader_state


def ours(name):
    """``"torch.nn"`` -> ``"leafward.nn"``."""
    return "leafward" + name.removeprefix("torch")


def install_as_torch():
    """Make ``torch`` and all its submodules resolve to leafward, for the rest of this process.

    Call it before anything imports PyTorch, which need not be installed: ``import torch.nn.functional as F``
    then gives ``leafward.nn.functional``, and ``torch is leafward``.
    """
    if any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        return
    if present := sys.modules.get("torch"):
        raise RuntimeError(
            f"PyTorch itself is already imported, from {getattr(present, '__file__', None)}: "
            "call leafward.install_as_torch() before anything imports torch, or start the program with `leafward run`")
    from leafward.nn.parameter import Parameter
    from leafward.tensor import Tensor
    # Libraries such as opt_einsum recognize a tensor by the module that its class says it is from.
    Tensor.__module__, Parameter.__module__ = "torch", "torch.nn.parameter"
    sys.meta_path.insert(0, TorchFinder())
    import leafward
    from leafward.torch_version import __version__
    leafward.__version__ = __version__          # "2.13.0+leafward.0.1.0": programs ask torch which version it is


def pytest_load_initial_conftests():
    """pytest's first hook for a plugin of the command line."""
    install_as_torch()
