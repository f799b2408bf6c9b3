"""``torch.utils.dlpack``: memory shared with other libraries."""
from leafward.tensor.constructors import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
