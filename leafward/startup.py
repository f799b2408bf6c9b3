"""What happens once at import: the core is handed arrays and classes, and the API is derived."""
import os
from functools import partial
from importlib import import_module

from leafward import dtypes, ops  # noqa: F401  (importing ops declares them)
from leafward.arrays import cpu
from leafward.arrays.kernels import compiled_kernels
from leafward.arrays.kernels.derived import derived_kernels
from leafward.arrays.sparse import SparseArray
from leafward.core.from_array import tensors_of
from leafward.core.op import Op, registry
from leafward.core.runtime import runtime
from leafward.derive.arrayside import extend
from leafward.derive.creation import derive_creations
from leafward.derive.functions import derive_all
from leafward.derive.methods import attach
from leafward.derive.recorded import recorded


#: How many answers a :class:`Lookup` remembers.
MOST = 10_000


class Lookup(dict):
    """A dict that asks ``find`` for what it does not have yet."""

    def __init__(self, find):
        super().__init__()
        self.find = find

    def __missing__(self, key):
        if len(self) >= MOST:           # one of many shapes: it is found again
            self.clear()
        value = self[key] = self.find(key)
        return value


def learn_composite(*args):
    """Note what the calls of a composite come to; what does that loads when first asked."""
    runtime.learn_composite = import_module("leafward.tensor.followed_composites").learn
    runtime.learn_composite(*args)


runtime.checks = os.environ.get("LEAFWARD_CHECKS") != "0"
runtime.strict = os.environ.get("LEAFWARD_CHECKS") == "strict"
runtime.xp = cpu
runtime.recorded = recorded
runtime.ndarray = cpu.ndarray
runtime.asarray = cpu.asarray
runtime.dtype_of = Lookup(cpu.leafward_dtype)
runtime.array_dtype = Lookup(cpu.numpy_dtype)
runtime.new_quiet = cpu.quiet_runner
cpu.keep_memory()                   # kernels allocate outside of any runner
runtime.overlap = cpu.overlap
runtime.array_api = partial(import_module, "leafward.array_api")
runtime.float32, runtime.float64 = dtypes.float32, dtypes.float64
runtime.array_float32 = cpu.numpy_dtype(dtypes.float32)
runtime.kernels, runtime.derived = compiled_kernels(), derived_kernels()
runtime.same_kind = runtime.kernels.pop("same_kind", cpu.same_kind)
runtime.other_ndim = runtime.kernels.pop("other_ndim", cpu.other_ndim)
runtime.basic_index = runtime.kernels.get("basic_index", cpu.basic_index)
runtime.same_or_apart = runtime.kernels.get("same_or_apart")
try:
    from leafward.arrays.kernels.tape_player import Tapes
    from leafward.arrays.kernels.view_calls import note_view, view_again
    from leafward.arrays.kernels.known_calls import KnownCalls, Templates, path_in
    runtime.new_tapes, runtime.new_calls, runtime.new_templates, runtime.path_in = Tapes, KnownCalls, Templates, path_in
    from leafward.arrays.kernels.draws import Draws, drawing_of
    runtime.new_draws, runtime.drawing_of = Draws, drawing_of
    runtime.learn_composite, runtime.view_again, runtime.note_view = learn_composite, view_again, note_view
except ImportError:                 # not compiled: paragraphs are run each time
    pass
derive_all()
derive_creations()
extend(cpu)

from leafward.tensor.function_modes import watch  # noqa: E402
from leafward.tensor.layouts import Service  # noqa: E402
from leafward.tensor.missing import MissingMethodError  # noqa: E402
from leafward.tensor.packed import PackedTensor  # noqa: E402, F401  (it says how tensors come to it)
from leafward.tensor.size import Size  # noqa: E402
from leafward.tensor.tensor import Tensor, disabled_torch_function  # noqa: E402  (it reads what was derived)

runtime.tensor = runtime.parameter = Tensor
runtime.size_of = Lookup(Size)
runtime.missing_method = MissingMethodError
basic_indices = {op.basic_index: op for op in registry.values() if isinstance(op, Op) and op.basic_index is not None}
runtime.select, runtime.slice, runtime.unsqueeze = map(basic_indices.get, ("int", "slice", "None"))
runtime.fill, runtime.copy = basic_indices["= number"], basic_indices["= tensor"]
runtime.disabled = disabled_torch_function
attach(Tensor)
watch(Tensor)
Service.package = partial(import_module, "leafward.sparse")
tensors_of[SparseArray] = lambda array: Service.package().wrap(array)
