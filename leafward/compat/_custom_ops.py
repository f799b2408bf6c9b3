"""``torch._custom_ops``: the older names of ``torch.library``."""
from leafward.compat.library import custom_op, register_fake as impl_abstract  # noqa: F401
