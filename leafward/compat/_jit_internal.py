"""``torch._jit_internal``: decorators for PyTorch's compiler, which change nothing here."""
from leafward.compat.jit import same

_copy_to_script_wrapper = _overload = _overload_method = export = ignore = unused = same
