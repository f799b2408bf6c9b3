"""``import torch`` gives leafward: ``torch.nn.functional`` and ``leafward.nn.functional`` are one module.

As a plugin, ``pytest -p leafward.as_torch``, before pytest imports any test.
"""
import sys

from leafward.compat import ModuleFinder


class TorchFinder(ModuleFinder):
    """Ahead of the finders that would look for PyTorch's files."""

    def ours(self, name):
        """``"torch.nn"`` -> ``"leafward.nn"``."""
        return "leafward" + name.removeprefix("torch") if name == "torch" or name.startswith("torch.") else None

    def find_distributions(self, context):
        """For ``importlib.metadata``, which a program that does not ask it need not load."""
        from leafward.compat.torch_distribution import TorchDistribution
        return [TorchDistribution()] if context.name in (None, "torch") else []

    def find_spec(self, name, path=None, target=None):
        ours = self.ours(name)
        if ours is not None and ours not in sys.modules:
            from importlib.util import find_spec
            if find_spec(ours) is None:
                from leafward.tensor.missing import instead
                advice = instead(name.removeprefix("torch.")) or "leafward has no such part of PyTorch"
                raise ModuleNotFoundError(f"No module named {name!r}: {advice}", name=name)
        return super().find_spec(name)


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
    from leafward.tensor.tensor import Tensor
    # Libraries such as opt_einsum recognize a tensor by the module that its class says it is from.
    Tensor.__module__, Parameter.__module__ = "torch", "torch.nn.parameter"
    sys.meta_path.insert(0, TorchFinder())
    import leafward
    from leafward.compat.torch_version import __version__
    leafward.__version__ = __version__          # "2.13.0+leafward.0.1.0": programs ask torch which version it is
    leafward.torch = leafward                   # some write torch.torch.Tensor
    leafward.__name__ = "torch"                 # and some ask


def pytest_load_initial_conftests():
    """pytest's first hook for a plugin of the command line."""
    install_as_torch()
