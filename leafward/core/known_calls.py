"""Calls like one before, where nothing is recorded: from the arguments to the kernel or the tape that it came to.

What an op is to do follows from the layouts and dtypes of its inputs and from its other arguments (see ``arrays/tapes.py``).
So a call whose arguments look like those of one before binds and checks nothing again: the arrays go to what served that
one, in C (``arrays/kernels/known_calls.pyx``). This is so for calls with small arrays, after the fourth of a kind. The
general way (``call.py``) goes on serving all others, and knows what to say where something is wrong.
"""
from leafward.core import modes
from leafward.core.bind import bind
from leafward.core.check import check_inputs
from leafward.core.compute import arrays_of, holds_two_bytes, row_major, with_arrays
from leafward.core.cuts import cut_of_call
from leafward.core.from_array import tensor_from_array
from leafward.core.inplace import is_free, keeps_dtype
from leafward.core.mode_bits import ANSWERED, UNRECORDED
from leafward.core.call import apply_inplace, call, note_cuts, note_cuts_of_write, note_write
from leafward.core.native import allocate
from leafward.core.runtime import quietly, runtime
from leafward.core.tensor import TensorBase, fast_dtype, is_plain, requires_grad
from leafward.dtypes import Constant as CONSTANT, dtype as DTYPE
from leafward.errors import trial


class Row:
    """The arguments of a call as a row: ``parts`` has the array of each tensor, ``tensors`` these in order.

    ``cut``: one of them has a cut, or requires grad.
    """


if __file__.endswith(".py"):            # interpreted; compiled, known_calls.pxd gives the layout
    Row.parts = Row.tensors = None
    Row.cut = False


# -- what the arguments are ------------------------------------------------------------------------------------------------

def row_of(args, kwargs, recorded, target):
    """The row of a call; None where it is recorded, overlaps its target, or has what no row takes."""
    row = allocate(Row)
    row.parts, row.tensors = [], []
    for value in args:
        if not take(row, row.parts, value, recorded, target):
            return None
    if kwargs:
        row.parts.append(Ellipsis)
        for name in kwargs:
            row.parts.append(name)
            if not take(row, row.parts, kwargs[name], recorded, target):
                return None
    return row


def take(row, parts, value, recorded, target):
    """Put ``value`` into ``parts``; False for what no row takes."""
    if is_plain(value):
        tensor = value                      # a name with a type in known_calls.pxd: its fields are C fields
        if type(tensor._array) is not runtime.ndarray:
            return False
        if requires_grad(tensor):
            if recorded:
                return False
            row.cut = True
        if tensor._cut is not None:
            row.cut = True
        if target is not None and tensor is not target and tensor._storage is target._storage:
            return False
        parts.append(tensor._array)
        row.tensors.append(tensor)
        return True
    kind = type(value)
    if value is None or kind is int or kind is float or kind is bool or kind is str or kind is DTYPE or kind is complex:
        parts.append(value)
        return True
    if isinstance(value, (tuple, list)):
        inner = []
        for part in value:
            if not take(row, inner, part, recorded, target):
                return False
        parts.append(inner if isinstance(value, list) else tuple(inner))
        return True
    if isinstance(value, CONSTANT):
        parts.append(value)
        return True
    return False


# -- calls ------------------------------------------------------------------------------------------------------------------

def known(op, args, kwargs):
    """What ``op`` gives for these arguments, where such were met before; None where the general way must be gone."""
    calls = op.calls
    if calls is None:
        return None
    word = modes.word()
    if word & ANSWERED != 0:
        return None
    recording = word & UNRECORDED == 0
    row = row_of(args, kwargs, recording and op.records, None)
    if row is None:
        return None
    result = calls.answer(row.parts)
    if result is None:
        return None
    if result is Ellipsis and op.random:
        return draw_and_learn(op, calls, args, kwargs, row.parts)
    if result is Ellipsis:
        result = call(op, args, kwargs)
        learn(op, args, kwargs, row.parts)
        return result
    result = outputs_of(op, result)
    if not op.outputs:
        output = tensor_of(result, row.tensors)
        if row.cut and runtime.checks:
            output._cut = cut_of_call(op, row.tensors, recording)
        return output
    outputs = [tensor_of(array, row.tensors) for array in result]
    if row.cut and runtime.checks:
        note_cuts(op, 0, outputs, cut_of_call(op, row.tensors, recording))
    return op.package(outputs)


def tensor_of(array, inputs):
    """A tensor around ``array``, copied where that is the array of an input, or a view of it."""
    if type(array) is runtime.ndarray:
        base = array if array.base is None else array.base
        for position in range(len(inputs)):
            tensor = inputs[position]
            if tensor._array is base or tensor._array.base is base:
                return tensor_from_array(array.copy())
    return tensor_from_array(array)


def outputs_of(op, result):
    """The outputs among what a forward gave, row-major where they are to be."""
    if op.row_major:
        result = row_major(result)
    if op.residuals:
        count = max(len(op.outputs), 1)
        result = result[0] if count == 1 else result[:count]
    return result


def known_write(op, args, kwargs, name):
    """The same for ``x.op_(...)``, and for an op that is a write."""
    calls = op.write_calls
    if calls is None or not args or not is_plain(args[0]):
        return None
    word = modes.word()
    target = args[0]
    if not is_free(target, word):
        return None
    row = row_of(args, kwargs, word & UNRECORDED == 0, target)
    if row is None:
        return None
    result = calls.answer(row.parts, target._array)
    if result is None:
        return None
    if result is Ellipsis and op.random:
        return draw_and_learn(op, calls, args, kwargs, row.parts)
    if result is Ellipsis:
        result = call(op, args, kwargs) if op.writes is not None else apply_inplace(op, bind(op, args, kwargs), name)
        learn_write(op, args, kwargs, row.parts)
        return result
    note_write(target, name)
    if row.cut:
        note_cuts_of_write(op, row.tensors, target)
    return target


def write_alone(op, x):
    """``x.zero_()``: a write by a kernel that asks for nothing else; None where the general way must be gone."""
    if fast_dtype(x) is None:
        return None
    target = x
    if not is_free(target, modes.word()) or op.kernel(target._array) is None:
        return None
    note_write(target, op.name)
    return target


# -- learning: after the general way has been gone, so nothing is wrong with the arguments ----------------------------

def learn(op, args, kwargs, row):
    """Note what a call with ``row`` came to, if that can be done again by a kernel or a tape."""
    bound = bound_arrays(op, args, kwargs)
    if bound is None:
        return
    values, arrays, casts = bound
    pattern = pattern_of(op, values, arrays, casts, row)
    if pattern is None:
        return
    if op.random:
        learn_forward(op, op.calls, row, values, pattern)
        return
    function, result = served(op, with_arrays(op, values, arrays))
    if function is None:
        return
    if op.takes_saving and function is not op.kernel:
        pattern.append(False)
    if op.format_at:
        outputs = outputs_of(op, result)
        formed = runtime.xp.creation.in_format_of([arrays[i] for i in op.format_at], outputs)
        pairs = zip(formed, outputs, strict=True) if isinstance(outputs, tuple) else ((formed, outputs),)
        if any([one is not other for one, other in pairs]):
            return
    op.calls.learn(row, function, pattern)


def learn_forward(op, calls, row, values, pattern):
    """Note that the forward itself is called, which draws and has no tape: with arguments by position alone."""
    if not op.takes_saving and not op.format_at and values[op.positional:] == list(op.defaults[op.positional:]):
        calls.learn(row, op.forward, [runtime.xp, *pattern[:op.positional]], False, False, True)


def bound_arrays(op, args, kwargs):
    """The arguments as the forward gets them, the arrays among them, and how those were cast that are none of a tensor's.

    None where a warning belongs to the call, or a cast takes more than one of NumPy's.
    """
    before, trial.going_on = trial.going_on, True
    try:
        values = bind(op, args, kwargs)
        inputs = check_inputs(op, values)
        arrays = arrays_of(op, inputs, values)
    except Exception:                       # noqa: BLE001  whatever it is, the general way is gone each time
        return None
    finally:
        trial.going_on = before
    casts = {}
    for position, array in enumerate(arrays):
        if isinstance(inputs[position], TensorBase) and array is not inputs[position]._array:
            source = inputs[position]._array
            if type(array) is not runtime.ndarray or runtime.xp.astype.direct(source, array.dtype) is None:
                return None
            casts[id(array)] = source
    return None if holds_two_bytes(arrays) else (values, arrays, casts)


def pattern_of(op, values, arrays, casts, row):
    """The arguments with a path into ``row`` for each array there, or that is cast from one; None where a list has others."""
    pattern = list(values)
    for array, position in zip(arrays, op.input_at, strict=True):
        if id(array) in casts:
            pattern[position] = runtime.path_in(row, casts[id(array)], array.dtype)
            continue
        parts = array if isinstance(array, list) else [array]
        paths = [part if (path := runtime.path_in(row, part)) is None else path for part in parts]
        if isinstance(array, list) and any([path is part for path, part in zip(paths, parts, strict=True)]):
            return None
        pattern[position] = paths if isinstance(array, list) else paths[0]
    return pattern


def served(op, given):
    """``(function, result)``: the kernel or the tape that serves the arguments ``given``, or None."""
    result = op.kernel(*given) if op.has_general_kernel else None
    if result is not None:
        return op.kernel, result
    if op.takes_saving:
        given = [*given, False]
    tape = None if op.tapes is None else op.tapes.find(given)
    return tape, None if tape is None else quietly(tape.play, (given,))


def draw_and_learn(op, calls, args, kwargs, row):
    """Do what ``op`` draws, and note how it did: one distribution for all of the result, or else how its forward is called."""
    engine = runtime.xp.random.default
    with engine.lock:                       # nobody else's draws are noted
        engine.noted = noted = []
        try:
            result = call(op, args, kwargs)
        finally:
            engine.noted = None
    array = row[0] if op.writes is not None else result._array if is_plain(result) else None
    drawing = None if type(array) is not runtime.ndarray or not array.flags.c_contiguous else \
        runtime.drawing_of(engine, noted, array)
    if drawing is None and op.writes is not None:
        learn_write(op, args, kwargs, row)
    elif drawing is None:
        learn(op, args, kwargs, row)
    elif op.writes is not None:
        calls.learn(row, drawing.fill, [runtime.path_in(row, array)])
    else:
        calls.learn(row, drawing.made, [])
    return result


def learn_write(op, args, kwargs, row):
    """Note the same of a write, which has been done."""
    bound = bound_arrays(op, args, kwargs)
    if bound is None:
        return
    values, arrays, casts = bound
    pattern = pattern_of(op, values, arrays, casts, row)
    target = row[0]
    if pattern is None or arrays[0] is not target:
        return
    if op.random:
        learn_forward(op, op.write_calls, row, values, pattern)
        return
    given = with_arrays(op, values, arrays)
    twin = target.copy()
    tried = [twin if value is target else value for value in given]         # a kernel writes, the second time elsewhere
    if op.writes is not None:
        if op.has_general_kernel and op.kernel(*tried) is not None:
            op.write_calls.learn(row, op.kernel, pattern)
        elif op.tapes is not None and (tape := op.tapes.find(given)) is not None:
            op.write_calls.learn(row, tape, pattern)
    elif op.takes_out and (op.dtype is None or keeps_dtype(op, runtime.dtype_of[target.dtype])):
        if op.kernel_takes_out and op.kernel(*tried, out=tried[op.input_at[0]]) is not None:
            op.write_calls.learn(row, op.kernel, pattern, True)
        elif op.has_general_kernel and op.kernel(*given) is not None:
            op.write_calls.learn(row, op.kernel, pattern, False, True)
        elif op.out_tapes is not None and (tape := op.out_tapes.find([*given, target])) is not None:
            op.write_calls.learn(row, tape, pattern, True)
    else:
        function, result = served(op, given)
        if function is not None:
            if op.takes_saving and function is not op.kernel:
                pattern.append(False)
            op.write_calls.learn(row, function, pattern, False, True)
