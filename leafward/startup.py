"""What happens once at import: the core is handed arrays and classes, and the API is derived."""
import os
from functools import partial
from importlib import import_module

from leafward import dtypes, ops  # noqa: F401  (importing ops declares them)
from leafward.arrays import cpu
from leafward.core.op import registry
from leafward.core.runtime import runtime
from leafward.derive.arrayside import extend
from leafward.derive.creation import derive_creations
from leafward.derive.functions import derive_all
from leafward.derive.methods import attach
from leafward.derive.recorded import recorded


class Lookup(dict):
    """A dict that asks ``find`` for what it does not have yet."""

    def __init__(self, find):
        super().__init__()
        self.find = find

    def __missing__(self, key):
        value = self[key] = self.find(key)
        return value


runtime.checks = os.environ.get("LEAFWARD_CHECKS") != "0"
runtime.strict = os.environ.get("LEAFWARD_CHECKS") == "strict"
runtime.xp = cpu
runtime.recorded = recorded
runtime.ndarray = cpu.ndarray
runtime.asarray = cpu.asarray
runtime.dtype_of = Lookup(cpu.leafward_dtype)
runtime.array_dtype = Lookup(cpu.numpy_dtype)
runtime.new_quiet = cpu.quiet_runner
runtime.overlap = cpu.overlap
runtime.array_api = partial(import_module, "leafward.array_api")
runtime.float32, runtime.float64 = dtypes.float32, dtypes.float64
try:
    from leafward.arrays.kernels.small import kernels, same_kind
    from leafward.arrays.kernels.small_products import kernels as products
    kernels.update(products)
except ImportError:                 # not compiled: the forwards and rules themselves run
    kernels, same_kind = {}, cpu.same_kind
runtime.kernels, runtime.same_kind = kernels, same_kind
derive_all()
derive_creations()
extend(cpu)

from leafward.tensor.function_modes import watch  # noqa: E402
from leafward.tensor.tensor import Tensor, disabled_torch_function  # noqa: E402  (it reads what was derived)

runtime.tensor = runtime.parameter = Tensor
runtime.select, runtime.slice = registry["select"], registry["_slice"]
runtime.disabled = disabled_torch_function
attach(Tensor)
watch(Tensor)
