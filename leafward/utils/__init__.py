"""Helpers beside the tensors: hooks, data loading."""
#: Modules that load when first asked for.
LAZY = ("checkpoint", "data")


def __getattr__(name):
    if name in LAZY:
        from importlib import import_module
        return import_module(f"leafward.utils.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}' in leafward")
