"""The stages of a call that writes: in place, into ``out=``, or by an op that is a write. ``call.py`` puts them together.

Refuse first, then write, then record.
"""

from leafward import dtypes
from leafward.errors import (
    LeafOverwriteError, broadcast_error, cast_error, inplace_shape_error, out_dtype_error, partial_overlap_error,
    trust, view_write_error, warn,
)
from leafward.core import modes
from leafward.core.compute import run_forward, with_arrays
from leafward.core.history import not_implemented, wants_grad
from leafward.core.mode_bits import ANSWERED, GUARD, LEVELS, NO_GRAD, UNRECORDED
from leafward.core.transform_levels import tangents_now
from leafward.core.node import DifferentiatedInput
from leafward.core.plan import plan_for
from leafward.core.native import call_site
from leafward.core.recording import record, wanted_mask
from leafward.core.runtime import quietly, runtime
from leafward.core.saved import keep
from leafward.core.seals import before_write
from leafward.core.slot_codes import OUTPUT
from leafward.core.storage import Storage, record_write
from leafward.core.tensor import DEFAULT, TensorBase, requires_grad
from leafward.core.views import chain_by_geometry, is_repeated, move_retained_grad, refuse_overlap, rewrite_history
from leafward.core.former import keep_former
from leafward.core.from_array import new_tensor


# -- check ---------------------------------------------------------------------------------------------------------------

def any_requires_grad(inputs):
    """Whether a write with these inputs, the target among them, takes part in a recording."""
    for value in inputs:
        if isinstance(value, TensorBase) and requires_grad(value):
            return True
    return False


def refuse(target, recorded, name, uniform=False):
    """Raise if ``target`` must not be written: a leaf in use, a view of one, a view that has no way back.

    ``recorded``: whether something that the write involves requires grad. ``uniform``: one value goes everywhere, so
    that elements which share their memory do not contradict each other.
    """
    word = modes.word()
    if word & GUARD:
        modes.current().guard.before_write(target)
    if target._inference:
        refuse_inference(target)
    if recorded and word & NO_GRAD == 0:
        base = target._base
        if base is not None:
            if target._creation != DEFAULT:
                raise view_write_error(target)
            if is_leaf(base) and requires_grad(target):
                raise LeafOverwriteError(tensor=target, op=name, view=True, site=call_site())
        if wants_grad(target) and is_leaf(target):
            raise LeafOverwriteError(tensor=target, op=name, view=False, site=call_site())
    if recorded and target._base is not None and runtime.checks and is_repeated(target._chain):
        trust("tell_repeated")(target, uniform)
    if not uniform:
        refuse_overlap(target._array)
    if target._counter is not target._storage:
        before_write(target)


def is_leaf(tensor):
    """Whether gradients are taken of ``tensor`` itself: a leaf, or an input of a function that is differentiated."""
    return tensor._node is None or isinstance(tensor._node, DifferentiatedInput)


def refuse_inference(target):
    """Raise if ``target`` was made in inference mode, and that has ended; what was detached since counts its own writes."""
    if target._inference and target._counter is target._storage and not modes.current().inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed."
                           "You can make a clone to get a normal tensor before doing inplace update."
                           "See https://github.com/pytorch/rfcs/pull/17 for more details.")


def is_read_there(x, target):
    """Whether ``x`` is read where it lies while ``target`` is written: a view of conjugates or negatives is computed first."""
    return type(x._array) is runtime.ndarray and type(target._array) is runtime.ndarray


def refuse_partial_overlap(target, inputs):
    """Raise if an input shares some of the memory that is written, but not element by element."""
    for value in inputs:
        if isinstance(value, TensorBase) and value is not target:
            tensor = value                  # a name with a type in inplace.pxd: its fields are C fields
            if (tensor._storage is target._storage and tensor._array is not target._array and is_read_there(tensor, target)
                    and runtime.xp.overlaps_in_part(target._array, tensor._array)):
                raise partial_overlap_error()


def refuse_shared_memory(target, inputs):
    """Raise if an input shares an element of what is written, in its place or another."""
    for value in inputs:
        for x in value if isinstance(value, list) else (value,):
            if isinstance(x, TensorBase) and (x is target or x._storage is target._storage) and is_read_there(x, target) and (
                    x is target or runtime.xp.overlap(x._array, target._array)):
                raise partial_overlap_error()


def refuse_dense_overlap(op, target, inputs):
    """Raise if one of the inputs that ``op`` names lies in the memory that is written, where neither has gaps."""
    for name, value in zip(op.inputs, inputs, strict=True):
        for x in () if name not in op.no_overlap else value if isinstance(value, list) else (value,):
            if isinstance(x, TensorBase) and (x is target or x._storage is target._storage) and is_read_there(x, target) and (
                    x is target or (target._array.size and runtime.xp.dense_overlap(target._array, x._array))):
                raise partial_overlap_error()


def with_dims(inputs):
    """The inputs that are read element by element; a 0-dim one of an op that fills is read once, before it writes."""
    return [x for x in inputs if isinstance(x, TensorBase) and x._array.ndim]


def check_shape(target, arrays):
    """The broadcast shape of the operands must be the target's own."""
    shape = target._array.shape
    for a in arrays:
        if a is target._array or type(a) is float:
            continue
        other = getattr(a, "shape", ())
        if other != shape and other != () and not expands(other, shape):
            if (error := broadcast_error(shape, other)) is not None:
                raise error
            broadcast = runtime.xp.broadcast_shapes(shape, other)
            if broadcast != shape:
                raise inplace_shape_error(shape, broadcast)


def expands(sizes, shape):
    """Whether an array of ``sizes`` broadcasts to ``shape``."""
    ahead = len(shape) - len(sizes)
    if ahead < 0:
        return False
    for position in range(len(sizes)):
        if sizes[position] != 1 and sizes[position] != shape[ahead + position]:
            return False
    return True


def mask_of_write(op, target, inputs):
    """One bit per input that wants a gradient: none where ``target`` is of integers, which have none."""
    dtype = target._dtype
    if not modes.grad_enabled() or not (dtype is runtime.float32 or dtype.is_floating_point or dtype.is_complex):
        return 0
    return wanted_mask(op, inputs)


def is_free(target, word):
    """Whether a write into ``target`` concerns nobody: nothing is recorded or copied before, and the tensor is no odd one."""
    return word & (ANSWERED | GUARD) == 0 and (word & UNRECORDED != 0 or not requires_grad(target)) \
        and target._counter is target._storage and not target._inference \
        and (target._base is None or word & UNRECORDED == 0 or not is_repeated(target._chain))


# -- compute -------------------------------------------------------------------------------------------------------------

def compute_into(op, values, inputs, arrays, target, mask):
    """Write what ``op`` makes of ``arrays`` into ``target``: by a kernel or the op itself where these can, else as a copy."""
    if op.has_general_kernel and op.kernel_takes_out and arrays[0] is target._array and not is_half(target._dtype) \
            and op.kernel(*with_arrays(op, values, arrays), out=target._array) is not None:
        return
    direct = op.takes_out and arrays[0] is target._array
    if direct and op.dtype is not None:
        direct = keeps_dtype(op, target._dtype)
    if direct:
        write_directly(op, values, arrays, target)
        return
    result = run_forward(op, values, inputs, arrays, mask)
    if op.residuals:
        result = result[0]
    refuse_real_result(op, target, result)
    if result.shape != target._array.shape and target._base is None and "resizes" in op.inplace:
        resize(target, result.shape)
    store(target, result)


def is_half(dtype):
    return dtype is dtypes.float16 or dtype is dtypes.bfloat16


def keeps_dtype(op, dtype):
    """Whether the op maps ``dtype`` to itself, so that it can write straight into a tensor of it."""
    if is_half(dtype):
        return False                                    # these are computed in float32
    return op.dtype == "promote" or dtype is dtypes.bool and op.gives_bools or dtype.is_floating_point or dtype.is_complex


def write_directly(op, values, arrays, target):
    """Let the forward write into ``target``."""
    args, result = with_arrays(op, values, arrays), None
    if op.out_tapes is not None:
        args.append(target._array)
        result = op.out_tapes.answer(args)
    if result is None:
        named = {"out": target._array}
        for position in range(op.positional, op.arity):
            named[op.names[position]] = args[position]
        result = quietly(call_with, (op.forward, [runtime.xp, *args[:op.positional]], named))
    if result is not target._array:                     # a branch of the forward without a use for the buffer
        refuse_real_result(op, target, result)
        quietly(runtime.xp.assign, (target._array, result))


def call_with(function, positional, named):
    return function(*positional, **named)


def refuse_real_result(op, target, result):
    """Raise if ``op`` made real numbers of the complex ones that they were to replace."""
    if op.elementwise and target._dtype.is_complex and result.dtype.kind == "f":
        raise RuntimeError(f"In-place {op.name} is not supported for complex tensors.")


def store(target, result):
    """Copy a computed result into ``target``, if shape and dtype allow it."""
    if type(result) is not runtime.ndarray:
        result = runtime.asarray(result)
    if result.shape != target._array.shape:
        raise inplace_shape_error(target._array.shape, result.shape)
    if result.dtype is not target._array.dtype:
        dtype = runtime.dtype_of[result.dtype]
        if not dtypes.can_cast(dtype, target._dtype):
            raise cast_error(dtype, target._dtype)
    quietly(runtime.xp.assign, (target._array, result))


# -- record --------------------------------------------------------------------------------------------------------------

def node_of_write(op, values, inputs, mask):
    """The node of a write, made before the bytes change: what it keeps of its inputs is what they were."""
    if mask == 0:
        return None
    kept = inputs
    if plan_for(op, mask).keeps_input[0]:
        # x.mul_(y) destroys x, yet dy needs it: x=3, y=2 -> dy must be 3, not 6.
        target = inputs[0]
        array = target._array
        old = new_tensor(runtime.xp.copy(array) if type(array) is runtime.ndarray else array.copy(), target._dtype)
        old._node, old._output_nr = target._node, target._output_nr
        if modes.word() & LEVELS:
            if target._batch is not None:
                old = target._batch.copy_of(target)
                old._node, old._output_nr = target._node, target._output_nr
            old._tangents = tangents_now(target)
        kept = [old, *inputs[1:]]
    options = [values[i] for i in op.option_at]
    outputs = [inputs[0]]
    node = record(op, mask, kept, options, outputs, [None] * len(op.residuals), True)
    if kept is not inputs and node._targets[0] is None and inputs[0]._requires_grad:
        node._targets = (inputs[0], *node._targets[1:])
    return node


def attach_node(op, node, target, mask):
    """Hang ``node`` on what was written, or cut the history that the write made untrue."""
    if node is None:
        if target._node is not None and modes.grad_enabled() and not op.differentiable[0]:
            target._node = None
        return
    for position, (kind, _) in enumerate(node._plan.slots):
        if kind == OUTPUT:
            node._values[position] = keep(target, True, 0)   # saved after the bump: it is the value that was written
    if target._base is None:
        node._shape = target._array.shape                   # which the write may have changed
        target._node = node
        target._output_nr = 0
        target._requires_grad = False
        move_retained_grad(target)
    else:
        rewrite_history(target, node)


# -- out= ----------------------------------------------------------------------------------------------------------------

def check_outs(op, inputs, outs):
    """Raise if ``op`` cannot write what it makes of ``inputs`` into ``outs``."""
    for o in outs:
        if not isinstance(o, TensorBase):
            raise TypeError(f"{op.name}(): argument 'out' must be {'tuple of Tensors' if len(op.outputs) > 1 else 'Tensor'}, "
                            f"not {type(o).__name__}")
    if not modes.grad_enabled() or op.gives_bools:
        pass
    elif op.rules and not op.ends_history_as:
        if wanted_mask(op, inputs):
            raise out_error(op.name)
        for o in outs:
            if wants_grad(o):
                raise out_error(op.name)
    elif op.rules or not any_requires_grad(inputs):
        refuse_leaves(op.ends_history_as or op.name, with_gradients(op, outs))
    for o in outs:
        if op.elementwise or op.no_overlap:
            refuse_overlap(o._array)
        if op.elementwise:
            refuse_partial_overlap(o, inputs)
        if op.no_overlap:
            refuse_shared_memory(o, [x for name, x in zip(op.inputs, inputs, strict=True) if name in op.no_overlap])


def with_gradients(op, outs):
    """Those of ``outs`` for results that may have a gradient."""
    return [o for name, o in zip(op.outputs or ("out",), outs, strict=True) if name not in op.no_grad_outputs]


def check_results(op, inputs, results, outs):
    """Raise if ``results`` do not fit into ``outs``: before the first of these is written."""
    for result, o in zip(results, outs, strict=True):
        if not op.elementwise and result._array.shape == o._array.shape:    # another shape would give it other memory
            refuse_overlap(o._array)
        if not op.casts_out and result._dtype is not o._dtype:
            raise out_dtype_error(result._dtype, o._dtype)
        if not dtypes.can_cast(result._dtype, o._dtype):
            raise cast_error(result._dtype, o._dtype)
        if op.elementwise and result._array.shape != o._array.shape and any(
                x is o and is_read_there(x, o) for x in inputs):
            raise inplace_shape_error(o._array.shape, result._array.shape)


def composite_out(declared, fns, args, kwargs, out):
    """``out=`` of a composite: compute without a graph, then copy into the tensors given.

    Where the op ``records_out``, or does for these arguments, PyTorch's is a composite as well: recorded, and so is the copy.
    Where it says a name, what PyTorch calls by that name has no derivative: the history ends there.
    """
    several = isinstance(out, (tuple, list))
    outs = list(out) if several else [out]
    if not all(isinstance(o, TensorBase) for o in outs):
        raise TypeError(f"{declared.name}(): argument 'out' must be a Tensor or a tuple of Tensors")
    given = []
    for value in (*args, *kwargs.values()):
        given.extend(value if isinstance(value, (tuple, list)) else (value,))
    records = declared.records_out(*args, **kwargs) if callable(declared.records_out) else declared.records_out
    ends = modes.grad_enabled() and isinstance(records, str)
    recorded = modes.grad_enabled() and not ends and records
    if ends:
        refuse_leaves(records, outs)
    elif modes.grad_enabled() and not recorded and declared.differentiable:
        for tensor in (*given, *outs):
            if isinstance(tensor, TensorBase) and wants_grad(tensor):
                raise out_error(declared.name)
    with modes.recording(recorded):
        result = declared.function(fns, *args, **kwargs)
    results = list(result) if several and isinstance(result, (tuple, list)) else [result]
    if len(results) != len(outs) or not all(isinstance(part, TensorBase) for part in results):
        raise TypeError(f"{declared.name}() cannot write its results into out=: it does not give {len(outs)} tensors")
    for part, o in zip(results, outs, strict=True):
        if part._array.shape == o._array.shape:             # another shape would give it other memory
            refuse_overlap(o._array)
        if not dtypes.can_cast(part._dtype, o._dtype):
            raise cast_error(part._dtype, o._dtype)
    for part, o in zip(results, outs, strict=True):
        if recorded:
            fit_out(o, part._array.shape)
            fns.copy_(o, part)
        else:
            write_out(o, part, declared.name)
    if ends:
        end_history(records, [x for x in given if isinstance(x, TensorBase)], outs)
    if several:
        return result._make(outs) if hasattr(result, "_make") else tuple(outs)
    return out


def out_error(name):
    return RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, "
                        "but one of the arguments requires grad.")


def refuse_leaves(name, outs):
    """Raise if one of ``outs`` is a leaf that requires grad, or a view of one: ``name`` has no derivative into ``out=``."""
    for o in outs:
        if wants_grad(o) and (o if o._base is None else o._base)._node is None:
            raise out_error("aten::" + name)


def end_history(name, inputs, outs):
    """Let the histories of ``outs`` end at the write ``name``, which has no derivative, if one would lead on from it."""
    wanted = any_requires_grad(inputs)
    for o in outs:
        if wanted or wants_grad(o):
            node = not_implemented("aten::" + name, o, [*inputs, o])    # what was in `o` is behind it, too
            if o._base is not None:
                rewrite_history(o, node)
                continue
            o._node, o._output_nr, o._requires_grad = node, 0, False
            o._history_version = o._counter.version
            move_retained_grad(o)


def write_out(target, result, name, silently=False, ordered=False):
    """Copy ``result`` into ``target``, resizing it with PyTorch's warning, or ``silently``.

    ordered: a target that is resized takes the memory order of ``result``, too
    """
    refuse_inference(target)
    if modes.word() & GUARD:
        modes.current().guard.before_write(target)
    resized = target._array.shape != result._array.shape
    fit_out(target, result._array.shape, silently)
    if resized and ordered and target._array.__class__ is result._array.__class__ and runtime.xp.is_dense(result._array):
        target._array = runtime.xp.strided(target._array, result._array.shape, runtime.xp.strides_of(result._array))
    if target._counter is not target._storage:
        before_write(target)
    quietly(runtime.xp.assign, (target._array, result._array))
    record_write(target, name + " (out=)")


def fit_out(target, shape, silently=False):
    """Give ``target`` the shape of what is to be written."""
    if target._array.shape != shape:
        if target._array.size and not silently:
            warn(
                f"An output with one or more elements was resized since it had shape {list(target._array.shape)}, "
                f"which does not match the required output shape {list(shape)}. This behavior is deprecated, and in a "
                "future PyTorch release outputs will not be resized unless they have zero elements. You can explicitly "
                "reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).")
        resize(target, shape)


def resize(target, shape):
    """Give ``target`` another shape, row-major from its first element on, in its own memory where that is long enough.

    New memory is a storage of its own: what shares the old one keeps that.
    """
    keep_former(target)
    if target._base is None:
        target._relocate = chain_by_geometry                # the steps that led to its views may lead nowhere
    array, owner, xp = target._array, target._storage.owner, runtime.xp
    count, strides = 1, []
    for size in reversed(shape):
        strides.insert(0, count)
        count *= size
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    if offset + count * array.itemsize <= xp.spans(owner.shape, xp.strides_of(owner)) * owner.itemsize:
        target._array = xp.strided(array, shape, strides)
        return
    longer = xp.empty((count,), dtype=target._dtype)
    kept = min(count, array.size)
    longer[:kept] = xp.seen_as(array, longer).reshape(-1)[:kept]        # what is in memory, of a lazy array too
    target._storage = Storage(longer)
    target._array = xp.seen_as(longer.reshape(shape), array)
