"""The handle that registering a hook returns, under PyTorch's name for its place."""
from leafward.core.handle import RemovableHandle

__all__ = ["RemovableHandle"]
