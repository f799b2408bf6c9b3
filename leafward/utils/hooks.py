"""The handle that registering a hook returns, under PyTorch's name for its place."""
from leafward.core.handle import RemovableHandle
from leafward.tensor.missing import names_missing_from

__all__ = ["RemovableHandle"]


__getattr__ = names_missing_from("torch.utils.hooks", globals())
