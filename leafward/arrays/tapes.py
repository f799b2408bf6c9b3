"""Tapes: the array functions that a forward or a rule came to, so that the next such call plays them and skips the Python.

What a paragraph does beside calling functions of the namespace (refusals, dims made positive, branches on options) follows
from shapes, strides and dtypes of its arrays and from its other arguments, for values are read through ``xp.to_host`` alone
(``strict.py`` holds it to that). So it is run once on a :class:`Recorder`'s arrays, which note what is called with what;
``kernels/tape_player.pyx`` plays the list. A branch on a value becomes a guard: where it would go another way, the tape
declines, and the paragraph runs; so it does where a function gives an array of another shape, layout or dtype than it gave
then. What does more with values than ask whether they are true has no tape.
"""
import operator
from types import FunctionType, ModuleType

import numpy as np

from leafward import dtypes
from leafward.arrays import cpu, layout
from leafward.arrays.layout import spans, strides_of
from leafward.errors import trial

#: Functions that answer about shapes, strides and dtypes alone: the answer is part of what the tape is for.
ABOUT_LAYOUTS = frozenset({"broadcast_shapes", "dtype_of", "half_among", "is_dense", "is_half", "is_sparse", "isdtype",
                           "leafward_dtype", "numpy_dtype", "other_ndim", "reducible", "result_type", "same_kind", "spans",
                           "strides_of"})
#: Functions that may give back their argument itself, which follows from its dtype and strides.
SAME_OR_NEW = frozenset({"asarray", "ascontiguousarray", "astype", "conj", "narrowed", "real", "resolved", "widened"})
#: Functions whose results have shapes that follow from values: what comes after them is another for each call.
SHAPED_BY_VALUES = frozenset({"argwhere", "bincount", "flatnonzero", "nonzero", "unique", "unique_all", "unique_counts",
                              "unique_inverse", "unique_values"})
#: Functions of NumPy's that look for the method of that name in Python.
METHODS = frozenset({"argmax", "argmin", "nonzero", "repeat", "reshape", "searchsorted", "squeeze", "swapaxes", "take"})
#: Functions that give a view of their first argument, where they give one, by its layout alone.
VIEWS = frozenset({"expand_dims", "flip", "matrix_transpose", "moveaxis", "permute_dims", "reshape", "rot90", "squeeze",
                   "strided", "swapaxes"})
#: Modules of the namespace whose functions draw random numbers, which a recording must not.
DRAWING = frozenset({"random", "samplers"})
#: What may stand among the arguments of a call on a tape.
PLAIN = (type(None), bool, int, float, complex, str, bytes, type, np.dtype, np.ufunc, np.generic, type(Ellipsis),
         dtypes.Constant)


class Unrecordable(Exception):
    """Why a paragraph has no tape."""


class Recorded:
    """An array that notes what is done with it. ``held`` is the array, ``slot`` its number on the tape."""

    __slots__ = ("held", "slot", "recorder")
    __array_ufunc__ = None                          # NumPy's functions do not take it
    __hash__ = None

    def __init__(self, held, slot, recorder):
        self.held, self.slot, self.recorder = held, slot, recorder

    def __len__(self):
        return len(self.held)

    def __setitem__(self, index, value):
        self.recorder.called(operator.setitem, (self, index, value), {})


class Read(Recorded):
    """What a forward may ask whether it is true, and nothing else."""

    __slots__ = ()

    def __bool__(self):
        return self.recorder.guarded(self)


def refusing(what):
    def refuse(self, *args, **kwargs):
        raise Unrecordable(f"it reads values ({what})")
    return refuse


def calling(function):
    def method(self, *others):
        return self.recorder.called(function, (self, *others), {})
    return method


def reflected(function):
    def method(self, other):
        return self.recorder.called(function, (other, self), {})
    return method


def answering(name):
    return property(lambda self: getattr(self.held, name))


def taking(name):
    find = operator.attrgetter(name)

    def take(self):
        return self if find(self.held) is self.held else self.recorder.called(find, (self,), {})
    return property(take)


def method_of_arrays(name):
    def method(self, *args, **kwargs):
        if isinstance(self.held, np.ndarray):
            return self.recorder.called(getattr(np.ndarray, name), (self, *args), kwargs)
        return self.recorder.called(operator.methodcaller(name, *args, **kwargs), (self,), {})
    return method


for _name in ("array", "float", "int", "index", "complex", "iter", "contains", "bool"):
    setattr(Recorded, f"__{_name}__", refusing(_name))
for _name in ("shape", "strides", "flags", "ndim", "size", "dtype", "itemsize"):
    setattr(Recorded, _name, answering(_name))
for _name in ("T", "mT", "real", "imag"):
    setattr(Recorded, _name, taking(_name))
for _name in ("reshape", "transpose", "swapaxes", "view"):
    setattr(Recorded, _name, method_of_arrays(_name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift"):
    _function, _bare = getattr(operator, _name), _name.strip("_")
    setattr(Recorded, f"__{_bare}__", calling(_function))
    setattr(Recorded, f"__r{_bare}__", reflected(_function))
for _name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "iand", "ior", "ixor", "getitem",
              "neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Recorded, f"__{_name}__", calling(getattr(operator, _name)))


class Namespace:
    """The names of a module, whose functions note that they are called."""

    def __init__(self, module, recorder):
        self._module, self._recorder = module, recorder

    def __getattr__(self, name):
        return self._recorder.named(getattr(self._module, name), name)


def kernel_of(xp, op):
    """The kernel of ``op`` as one step where it answers, in the namespace ``xp`` of a recording."""
    return xp._recorder.noted(op.kernel, op.name)


def constant(xp, array):
    """A copy of ``array``, made each time that the tape is played."""
    if array.size > cpu.MOST_KEPT:
        raise Unrecordable("it keeps a large array")
    return xp._recorder.called(array.copy, ("K",), {}, "copy")


class Function:
    """A function of the namespace, or a ufunc with its methods."""

    def __init__(self, function, name, recorder):
        self._function, self._name, self._recorder = function, name, recorder

    def __call__(self, *args, **kwargs):
        return self._recorder.called(self._function, args, kwargs, self._name)

    def __getattr__(self, name):
        return self._recorder.named(getattr(self._function, name), name)


class Recorder:
    """One recording. ``steps`` are ``(function, positional, named, slot, slots of its parts, guard, what it gave)``."""

    def __init__(self, written):
        self.steps, self.slots, self.written = [], 0, written
        self.begins = None                          # from which step on what the caller gave may have been written
        self.known = {}                             # id of an array that was given -> what stands for it
        self.kept = []                              # so that no other array gets such an id
        self.inputs = []                            # (where it stands among the arguments, slot)

    def given(self, value, path):
        """What the paragraph gets for ``value``, an argument that stands at ``path``."""
        if isinstance(value, list):
            return [self.given(part, (*path, number)) for number, part in enumerate(value)]
        if not isinstance(value, np.ndarray):
            return value
        if id(value) not in self.known:
            self.known[id(value)] = self.new(twin_of(value))
            self.kept.append(value)
            self.inputs.append((path, self.known[id(value)].slot))
        return self.known[id(value)]

    def new(self, held, kind=Recorded):
        self.slots += 1
        return kind(held, self.slots - 1, self)

    def named(self, value, name):
        """What the namespace has under ``name``."""
        if name in DRAWING:
            raise Unrecordable("it draws")
        if isinstance(value, ModuleType):
            return Namespace(value, self)
        if name == "to_host":
            return self.read
        remade = getattr(value, "remade", None)     # an op as a function of arrays: what it calls is noted, too
        if remade is not None:
            return remade(Namespace(cpu, self), self.noted)
        return Function(value, name, self) if callable(value) and not isinstance(value, type) else value

    def read(self, x):
        return Read(x.held, x.slot, self) if isinstance(x, Recorded) else x

    def noted(self, kernel, name):
        """The ``kernel`` of an op, which is a step of its own where it answers: so a tape gives its numbers, to the bit."""
        def called(*args, **kwargs):
            tried = kernel(*twins_of(held(list(args))), **{key: twins_of(value) for key, value in held(kwargs).items()})
            return None if tried is None else self.called(kernel, args, kwargs, name)
        return called

    def guarded(self, x):
        """The truth of ``x`` now, which the tape will ask for, too: before anything was written that the caller gave."""
        if self.begins is not None:
            raise Unrecordable("it decides by a value after it wrote")
        truth = bool(x.held)
        self.steps.append((None, (x,), {}, x.slot, None, truth, None))
        return truth

    def called(self, function, args, kwargs, name=None):
        """Call ``function``, and note it."""
        if isinstance(function, FunctionType) and name is None:
            raise Unrecordable("it calls a function that is none of the namespace")
        if name in SHAPED_BY_VALUES or name == "repeat" and len(list(found(args))) > 1 or (
                function is operator.getitem and any(x.held.dtype.kind == "b" for x in found(args[1:]))):
            raise Unrecordable("the shape of what it computes depends on values")
        result = function(*held(args), **held(kwargs))
        recorded = list(found(args)) + list(found(kwargs))
        if self.written and any(x.slot in self.written for x in recorded) and self.begins is None:
            self.begins = len(self.steps)
        if name is not None and (plain := direct(function, args, kwargs, recorded)) is not None:
            function, args, kwargs = plain
        if result is None or not any_arrays(result):
            if function is operator.setitem or result is None:
                self.steps.append((function, args, kwargs, -1, None, None, None))
                return result
            if not recorded or name in ABOUT_LAYOUTS:
                return result
            answer = self.new(result, Read)
            self.steps.append((function, args, kwargs, answer.slot, None, None, None))
            return answer
        if isinstance(result, np.ndarray):
            for x in recorded:
                if x.held is result and (name is None or name in SAME_OR_NEW):
                    if name is None:                # x += y
                        self.steps.append((function, args, kwargs, -1, None, None, None))
                    return x
        first = args[0] if args and isinstance(args[0], Recorded) and isinstance(args[0].held, np.ndarray) else None
        if first is not None and name in METHODS:
            function = getattr(np.ndarray, name)
        if first is not None and len(recorded) == 1 and (name is None or name in VIEWS):
            if (window := window_on(first.held, result)) is not None:
                function, args, kwargs = layout.kernel or layout.strided, (first, *window), {}
        whole = self.new(result)
        if not isinstance(result, (tuple, list)):
            self.steps.append((function, args, kwargs, whole.slot, None, None, result))
            return whole
        if not all(isinstance(part, (np.ndarray, np.generic)) for part in result):
            raise Unrecordable("a function gives arrays and other things")
        parts = [self.new(part) for part in result]
        self.steps.append((function, args, kwargs, whole.slot, [part.slot for part in parts], None, result))
        return parts if isinstance(result, list) else type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)


def direct(function, args, kwargs, recorded):
    """``(function, args, kwargs)`` that give what ``function`` does, as its attribute ``direct`` knows; or None.

    That looks at dtypes and layouts as ``function`` does, and says which function of C this comes to.
    """
    find = getattr(function, "direct", None)
    if find is None or not all([type(x.held) is np.ndarray for x in recorded]):
        return None
    plain = find(*args, **kwargs)
    return None if plain is None else (*plain, {})


def window_on(x, view):
    """``(shape, steps, offset)`` of a ``view`` of the array ``x`` in its dtype, in elements; None where it is none."""
    if not isinstance(view, np.ndarray) or view.dtype != x.dtype or view.size == 0 or view.base is None:
        return None
    offset = view.__array_interface__["data"][0] - x.__array_interface__["data"][0]
    if not (view.base is x or view.base is x.base) or view.flags.writeable != x.flags.writeable:
        return None
    if any(step % x.itemsize for step in (offset, *view.strides)):
        return None
    return view.shape, strides_of(view), offset // x.itemsize


def twin_of(x):
    """Another array with the values of ``x``, and with its strides."""
    steps = strides_of(x)
    if any(step < 0 for step in x.strides):
        raise Unrecordable("one of its arrays runs backwards")
    twin = layout.strided(np.empty(spans(x.shape, steps), x.dtype), x.shape, steps)
    np.copyto(twin, x)
    if twin.strides != x.strides:
        raise Unrecordable("one of its arrays has strides of its own")
    twin.flags.writeable = x.flags.writeable
    return twin


def twins_of(value):
    """``value`` with a copy of each array; one that is there twice stays one."""
    return [twins_of(part) for part in value] if isinstance(value, list) else \
        twin_of(value) if isinstance(value, np.ndarray) else value


def any_arrays(value):
    return isinstance(value, (np.ndarray, np.generic)) or (
        isinstance(value, (tuple, list)) and any(any_arrays(part) for part in value))


def held(value):
    """``value`` with arrays for what stands for them."""
    if isinstance(value, Recorded):
        return value.held
    if isinstance(value, dict):
        return {name: held(part) for name, part in value.items()}
    if isinstance(value, (tuple, list)):
        parts = [held(part) for part in value]
        return parts if isinstance(value, list) else type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, slice):
        return slice(held(value.start), held(value.stop), held(value.step))
    if isinstance(value, PLAIN):
        return value
    raise Unrecordable(f"it hands on a {type(value).__name__}")


def found(value):
    """What stands for an array in ``value``."""
    if isinstance(value, Recorded):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from found(part)
    elif isinstance(value, dict):
        yield from found(list(value.values()))
    elif isinstance(value, slice):
        yield from found((value.start, value.stop, value.step))


def record(call, values, written=()):
    """What a tape needs to do as ``call(xp, values)`` does (or None): ``(slots, inputs, steps, begins, the result)``.

    ``written``: the positions of arguments that are written. Here ``call`` gets copies of all arrays, so nothing is. Behind
    what the player needs stand such values and what ``call`` made of them, to try the tape on.
    """
    recorder = Recorder(())
    before, trial.going_on = trial.going_on, True   # a warning is the paragraph's to give, too
    try:
        given = [recorder.given(value, (position,)) for position, value in enumerate(values)]
        recorder.written = frozenset(given[position].slot for position in written)
        again = [twins_of(value) for value in values]
        result = call(Namespace(cpu, recorder), given)
        expected = held(result)
    except Exception:                               # noqa: BLE001  an error is the paragraph's to raise, on the real arrays
        return None
    finally:
        trial.going_on = before
        recorder.known.clear()                      # what stands for the arrays may stay, in what is still being tried
        recorder.kept.clear()
    if not list(found(result)):
        return None
    return (recorder.slots, recorder.inputs, recorder.steps, recorder.begins, result), again, expected


def same(one, other):
    """Whether two results are equal to the bit and laid out alike."""
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(
            [same(a, b) for a, b in zip(one, other, strict=True)])
    if not isinstance(one, (np.ndarray, np.generic)):
        return type(one) is type(other) and one == other
    return one is not None and type(one) is type(other) and one.dtype == other.dtype and one.shape == other.shape \
        and one.strides == other.strides and one.tobytes() == other.tobytes()
