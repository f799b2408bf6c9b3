"""From arrays to tensors: fresh ones, and those that share memory with another."""
from leafward import dtypes
from leafward.core import modes
from leafward.core.native import allocate, call_site, untrack
from leafward.core.runtime import runtime
from leafward.core.storage import REMEMBERED_ALIASES, Alias, Storage, VersionCounter
from leafward.core.tensor import IN_INFERENCE, IN_NO_GRAD, MULTI_OUTPUT, allocate_tensor


#: How arrays of another class than the array library's become tensors: sparse ones, of a class of their own. And, by dtype,
#: how tensors whose dtype has no arithmetic come to theirs.
tensors_of = {}


def new_tensor(array, dtype):
    """A Tensor that owns a fresh ``array``."""
    tensor = allocate_tensor(runtime.tensor)
    storage = untrack(allocate(Storage))                    # it refers to no tensor, so no cycle goes through it
    storage.owner = array
    tensor._array = array
    tensor._dtype = dtype
    tensor._storage = storage
    tensor._counter = storage
    if modes.in_inference():
        tensor._inference = True
    return tensor


def tensor_from_array(array):
    """A Tensor around whatever a forward returned: an array, or a scalar of the array library."""
    if type(array) is not runtime.ndarray:
        wrap = tensors_of.get(type(array))
        if wrap is not None:
            return wrap(array)
        array = runtime.asarray(array)
    dtype = array.dtype
    if dtype is runtime.array_float32:          # the most usual one: to look up a dtype of NumPy's takes a while
        return new_tensor(array, runtime.float32)
    kind = runtime.dtype_of[dtype]
    tensor = new_tensor(array, kind)
    return tensors_of[kind](tensor) if kind in tensors_of else tensor


def tensor_from_result(array, arrays):
    """A Tensor around a forward's result, copied if it turned out to be an input or a view of one."""
    if type(array) is not runtime.ndarray:
        return tensor_from_array(array)                     # a scalar of the array library: fresh
    base = array.base
    if base is None:
        base = array
    for position in range(len(arrays)):
        part = arrays[position]
        if isinstance(part, list):
            if shares(base, part):
                return tensor_from_array(array.copy())
        elif part is base or (type(part) is runtime.ndarray and part.base is base):
            return tensor_from_array(array.copy())
    return tensor_from_array(array)


def shares(base, parts):
    """Whether one of the arrays ``parts`` is ``base`` or a view of it."""
    for part in parts:
        if part is base or part.base is base:
            return True
    return False


def alias_of(source, array, kind):
    """A Tensor on ``source``'s memory, without history: the start of every ``detach``, view and ``.data``."""
    tensor = allocate_tensor(runtime.tensor)
    tensor._array = array
    tensor._dtype = source._dtype if array.dtype is source._array.dtype else runtime.dtype_of[array.dtype]
    tensor._storage = source._storage
    tensor._counter = source._counter
    tensor._inference = source._inference
    tensor._alias = link_alias(kind, source._alias)
    if source._cut is not None and not source._requires_grad:
        tensor._cut = source._cut
    return tensor


def link_alias(kind, parent):
    """The next :class:`Alias` after ``parent``. Of a long chain of views the oldest links are forgotten."""
    alias = untrack(allocate(Alias))
    alias.kind = kind
    if runtime.checks:
        alias.site = call_site()
    if parent is not None:
        if parent.depth >= REMEMBERED_ALIASES:
            parent = parent.parent
        alias.parent = parent
        alias.depth = parent.depth + 1
    return alias


def is_retyped(options):
    """Whether ``view`` was asked for another dtype: then it shares the memory and the count of writes, and no history."""
    return options[1] is not None or (type(options[0]) is not tuple and isinstance(options[0], dtypes.dtype))


def view_of(op, source, options, array, number, recording):
    """A Tensor around one view of ``source``; ``number`` is -1 for the only one."""
    view = alias_of(source, array, op.name)
    if source._inference:                       # no view for autograd, and in inference mode nobody counts the writes
        view._counter = view._storage
        if not (op.retypes and is_retyped(options)):
            view._alias.options = options
        elif not modes.in_inference():
            view._inference, view._counter = False, VersionCounter()
        return tensors_of[view._dtype](view) if view._dtype is not source._dtype and view._dtype in dtypes.PACKED else view
    if op.untracked and not modes.in_inference():       # inference mode looks below autograd: there they are views
        view._counter, view._alias.options = VersionCounter(), options
        return view
    if op.retypes and is_retyped(options):
        view._inference = modes.in_inference()
        return tensors_of[view._dtype](view) if view._dtype in dtypes.PACKED else view
    if source._base is None:
        view._base = source
        view._chain = (None, op, options, number)
    else:
        view._base = source._base
        view._chain = (source._chain, op, options, number)
    view._history_version = view._counter.version
    if not recording:
        view._creation = IN_INFERENCE if modes.in_inference() else IN_NO_GRAD
    else:
        view._creation = MULTI_OUTPUT if number >= 0 else source._creation
    if view._dtype is not source._dtype and view._dtype in dtypes.PACKED:
        return tensors_of[view._dtype](view)
    return view
