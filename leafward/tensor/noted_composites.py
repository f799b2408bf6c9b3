"""What a composite does, noted once as the ops that it calls, and their forwards as one tape (``core/known_composites.py``).

The composite runs on copies of its tensors that the level :class:`Noting` sees, as ``vmap`` and the ONNX export do it. What it
asks of shapes and dtypes is part of what the tape is for. A value that it decides by becomes a guard of the tape; with one that
it reads otherwise, with random numbers, with writes into its arguments and with warnings, it has no tape. At last the tape is
tried on other values.
"""
from functools import partial

from leafward.arrays.tapes import PLAIN, Unrecordable, constant, kernel_of, same, twin_of
from leafward.core.call import apply, apply_inplace
from leafward.core.callables import is_fast
from leafward.core.compute import arrays_of, holds_two_bytes
from leafward.core.finalize import forward_of
from leafward.core.from_array import new_tensor
from leafward.core.known_composites import FAILURES, GIVEN, MADE, VIEW, Outcome, Part
from leafward.core.runtime import quietly, runtime
from leafward.core.tensor import TensorBase
from leafward.core.transform_levels import Level
from leafward.errors import trial
from leafward.locks import new_lock
from leafward.ops.creation import creations
from leafward.tensor.tensor import Tensor

#: So often a tape is asked for until there is one.
ASKED = 5
#: So many outcomes of one composite are kept; then it begins anew.
MOST_OUTCOMES = 512
#: The numbers of outcomes are given out here.
one_at_a_time = new_lock()
RANDOM = {declared.name for declared in creations if declared.random}


class NotedTensor(Tensor):
    """A tensor of a composite that is being noted. What it says of its values is noted, too, or ends the noting."""

    __torch_function__ = runtime.disabled
    noted = True

    @property
    def requires_grad(self):
        return self._noting.asked_grad(self)

    def asked_if_recorded(self):
        """Whether what is computed of it is recorded (``core.op.recorded``): not while it is noted."""
        return self._noting.asked_if_recorded(self)

    def detach(self):
        """The same memory, which only those cuts tell apart that the general way finds."""
        return self._noting.detached(self)

    def __bool__(self):
        return self._noting.decided(self)

    def item(self):
        """Its number, if that is a truth."""
        if self._array.dtype.kind != "b":
            raise Unrecordable("it reads a number")
        return self._noting.decided(self)


def may_pair(x, y):
    """Whether two tensors may be lists of one length that make all pairs (``core.cuts.all_pairs``)."""
    return x.numel() == y.numel() > 1 and [n for n in x.shape if n != 1] == [n for n in y.shape if n != 1]


def reading(name):
    def read(self, *args, **kwargs):
        raise Unrecordable(f"it reads values ({name})")
    return read


for _name in ("__array__", "__complex__", "__dlpack__", "__float__", "__index__", "__int__", "_number", "data_ptr",
              "is_nonzero", "numpy", "tolist", "untyped_storage", "storage"):
    setattr(NotedTensor, _name, reading(_name))


class At:
    """The array in a slot, cast to ``dtype`` if that is not None."""

    def __init__(self, slot, dtype=None):
        self.slot, self.dtype = slot, dtype


class Constant:
    """An array that is the same each time."""

    def __init__(self, array):
        self.array = array


class Step:
    """One call: an ``op`` with ``args``, the slots of its ``outputs``, the slot that its result is ``written`` into.

    ``target``: the slot that it writes into, whoever does that, or -1. Without an op it makes a constant, or asks whether
    what is in a slot is true.
    """

    def __init__(self, op, args, outputs, written=None, truth=None, target=-1):
        self.op, self.args, self.outputs, self.written, self.truth, self.target = op, args, outputs, written, truth, target

    def slots(self):
        """The slots that it looks at."""
        return [part.slot for part in flat(self.args) if isinstance(part, At)]


def flat(value):
    """What stands in lists and tuples."""
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from flat(part)
    else:
        yield value


class Noting(Level):
    """Notes each op that is called in its block."""

    watches = creates = True
    randomness = "noted"            # so that it is asked about what draws without a tensor, too

    def __init__(self, given):
        super().__init__()
        self.tensors, self.arrays, self.slots, self.steps = [], [], {}, []
        self.writes, self.asks_grad, self.pairs = {}, False, False
        self.given = [self.note(tensor) for tensor in given]
        self.storages = {id(tensor._storage) for tensor in given}
        self.given_writes = []          # (what was written of what was given, the name of the write)

    # -- tensors --------------------------------------------------------------------------------------------------------------

    def note(self, tensor):
        """``tensor`` as one that is seen, in a slot of its own: a view that shows conjugates, too, if it is of another one."""
        is_plain = type(tensor._array) is runtime.ndarray or id(tensor._base) in self.slots
        if type(tensor) is not Tensor or not is_plain:
            raise Unrecordable("it makes another kind of tensor")
        tensor.__class__ = NotedTensor
        tensor._noting = self
        self.slots[id(tensor)] = len(self.tensors)
        self.tensors.append(tensor)
        self.arrays.append(tensor._array)
        return tensor

    def slot_of(self, tensor):
        slot = self.slots.get(id(tensor))
        if slot is None or tensor._array is not self.arrays[slot]:
            raise Unrecordable("it uses a tensor from elsewhere")
        return slot

    def asked_grad(self, tensor):
        self.asks_grad = True
        return False

    def asked_if_recorded(self, tensor):
        return False

    def decided(self, tensor):
        """The truth of ``tensor``, which the tape will look at."""
        if tensor._array.size != 1:
            raise Unrecordable("it asks whether several elements are true")
        truth = bool(tensor._array.item())
        self.steps.append(Step(None, [At(self.slot_of(tensor))], [], truth=truth))
        return truth

    def detached(self, tensor):
        """``tensor.detach()``."""
        with self.around():
            alias = self.note(Tensor.detach(tensor))
        self.asks_grad = True
        self.steps.append(Step(None, [At(self.slot_of(tensor))], [self.slots[id(alias)]]))
        return alias

    # -- ops ------------------------------------------------------------------------------------------------------------------

    def arguments(self, op, values, inputs):
        """What the forward gets, with :class:`At` for each array."""
        arrays = arrays_of(op, inputs, list(values))
        if op.random or holds_two_bytes(arrays):
            raise Unrecordable("it draws, or computes with half types")
        tensors = [x for x in flat(inputs) if isinstance(x, TensorBase)]
        if op.elementwise and len(tensors) == 2 and tensors[0].ndim != tensors[1].ndim and may_pair(*tensors):
            self.pairs = True
        args = list(values)
        for index, position in enumerate(op.input_at):
            value, array = inputs[index], arrays[index]
            args[position] = [self.argument(*pair) for pair in zip(value, array, strict=True)] if isinstance(value, list) \
                else self.argument(value, array)
        return args

    def argument(self, value, array):
        if isinstance(value, TensorBase):
            slot = self.slot_of(value)
            if type(value._array) is not runtime.ndarray:
                raise Unrecordable("it computes with conjugates that were not computed")
            return At(slot, None if array is value._array else runtime.dtype_of[array.dtype])
        return Constant(array) if type(array) is runtime.ndarray else array

    def apply(self, op, values, inputs):
        """``op`` on bound arguments: run, and noted."""
        with self.around():
            args = self.arguments(op, values, inputs)
            if op.writes is not None:
                self.write(op, args, inputs[0], op.name, False)
                return apply(op, values)
            result = apply(op, values)
        parts = result if isinstance(result, (tuple, list)) else [result]
        if op.format_at:
            arrays = [part._array for part in parts]
            formed = runtime.xp.creation.in_format_of([x._array for x in inputs if isinstance(x, TensorBase)], tuple(arrays))
            if any([one is not other for one, other in zip(formed, arrays, strict=True)]):
                raise Unrecordable("the order of its elements in memory is another one")
        self.steps.append(Step(op, args, [self.slots[id(self.note(part))] for part in parts]))
        return result

    def apply_inplace(self, op, values, inputs, name):
        """``x.op_(...)``, the same way."""
        with self.around():
            self.write(op, self.arguments(op, values, inputs), inputs[0], name, True)
            return apply_inplace(op, values, name)

    def write(self, op, args, target, name, stored):
        """Note a write into ``target``; ``stored``: the result is to be copied there."""
        slot = self.slot_of(target)
        if id(target._storage) in self.storages:
            self.given_writes.append((target, name))
        self.writes.setdefault(id(target._storage), []).append((name, target._base is not None))
        self.steps.append(Step(op, args, [], slot if stored else -1, target=slot))

    def create(self, create, args, options, name=None):
        """``zeros(2, 3)`` and its kin: the same each time."""
        given = [*flat(args), *flat(list(options.values()))]
        if (name or create.__name__) in RANDOM or any([isinstance(x, TensorBase) for x in given]):
            raise Unrecordable("it draws, or makes something of a value")
        with self.around():
            made = self.note(create(*args, **options))
        self.steps.append(Step(None, [Constant(made._array.copy(order="K"))], [self.slots[id(made)]]))
        return made

    def create_like(self, create, like, args, options):
        """``zeros_like(x)``: the shape and the dtype of ``x`` are those of each time, too."""
        self.slot_of(like)
        return self.create(partial(create, like), args, options, create.__name__)

    def create_new(self, create, like, args, options):
        """``x.new_zeros(2)``, the same way."""
        return self.create_like(create, like, args, options)

    # -- the result -----------------------------------------------------------------------------------------------------------

    def outcome(self, result):
        """What becomes of the result, the steps, and which slots a tape of these gives, and which given ones it writes."""
        self.made, self.views, self.taken = [], [], {}
        outcome = Outcome()
        outcome.written = [(self.written_part(target), name) for target, name in self.given_writes]
        pattern = self.pattern(result)
        outcome.made = [self.written(self.tensors[slot]) for slot in self.made]
        outcome.views, outcome.slots = self.views, len(self.tensors)
        alone = isinstance(pattern, Part) and pattern.kind == MADE
        outcome.result = None if alone else pattern
        guards = [step for step in self.steps if step.truth is not None]
        if self.writes or guards:
            steps = self.steps
        else:
            steps, needed = [], set(self.made)
            for step in reversed(self.steps):
                if not needed.isdisjoint(step.outputs):
                    needed.update(step.slots())
                    steps.insert(0, step)
        parts_of_made = any([self.is_part_of_made(step.target) for step in steps if step.target >= 0])
        if not (self.asks_grad or self.pairs or parts_of_made):
            ops = [(step.op, step.outputs, list(map(self.owner, step.slots())), *self.carrier(step.target))
                   for step in steps if step.op is not None]
            outcome.cuts = ops, self.made
        written = dict.fromkeys(self.owner(self.slots[id(target)]) for target, _ in self.given_writes)
        return outcome, steps, [*self.made, *[step.args[0].slot for step in guards], *written], tuple(written)

    def is_part_of_made(self, slot):
        """Whether ``slot`` holds a view of what was made."""
        base = self.tensors[slot]._base
        return base is not None and self.slots[id(base)] >= len(self.given)

    def carrier(self, slot):
        """``(which slot carries the cuts of a write into this one, whether it was a part)``; of -1 none."""
        return (-1, False) if slot < 0 else (self.owner(slot), self.tensors[slot]._base is not None)

    def written_part(self, target):
        """A given tensor that was written, or its view, as a part."""
        if target._alias is not None and target._base is None:
            raise Unrecordable("it writes through an alias")
        return self.part(target)

    def owner(self, slot):
        """The slot of the argument that ``slot`` holds a view of: it is what a view requires grad by; or else ``slot``."""
        base = self.tensors[slot]._base
        return slot if base is None or self.slots[id(base)] >= len(self.given) else self.slots[id(base)]

    def pattern(self, value):
        if isinstance(value, TensorBase):
            return self.part(value)
        if isinstance(value, (tuple, list)):
            parts = [self.pattern(part) for part in value]
            return parts if type(value) is list else value._make(parts) if hasattr(value, "_make") else tuple(parts)
        if not isinstance(value, PLAIN):
            raise Unrecordable("it gives something else")
        return value

    def part(self, tensor):
        """The tensor as a part of a result."""
        slot = self.slot_of(tensor)
        if slot < len(self.given):
            return Part(GIVEN, slot)
        if tensor._node is not None or tensor._requires_grad:
            raise Unrecordable("it gives a tensor with a history")
        if tensor._base is not None:
            return self.view(tensor._base, tensor._chain)
        if tensor._alias is not None:
            raise Unrecordable("it gives an alias")
        if slot not in self.made:
            self.made.append(slot)
        return Part(MADE, self.made.index(slot))

    def view(self, base, chain):
        """The view of ``base`` at the end of ``chain``."""
        if chain is None:
            return self.part(base)
        before, op, options, number = chain
        key = id(base), id(before), id(op), id(options)
        if key not in self.taken:
            source = self.view(base, before)
            self.taken[key] = len(self.views)
            self.views.append((source, op, list(options)))
        return Part(VIEW, self.taken[key], number)

    def written(self, tensor):
        """The names of what wrote into ``tensor``."""
        writes = self.writes.get(id(tensor._storage), [])
        if any([by_view for _, by_view in writes]) or len(writes) != tensor._counter.version:
            raise Unrecordable("it writes into a part of what it gives")
        return [name for name, _ in writes]


# -- the tape -----------------------------------------------------------------------------------------------------------------

def program(steps, gives, number, writes):
    """The ``steps`` as ``call(xp, arrays)``, which gives ``number`` and what is in the slots ``gives``."""
    def call(xp, given):
        slots = dict(enumerate(given))
        for step in steps:
            args = [filled(xp, slots, part) for part in step.args]
            if step.truth is not None:
                if bool(xp.to_host(args[0])) is not step.truth:
                    raise Unrecordable("it goes another way")
            elif step.op is None:
                slots[step.outputs[0]] = args[0]
            else:
                results = computed(xp, step.op, args, writes)
                if step.written is not None and step.written >= 0:
                    slots[step.written][...] = results[0]
                slots.update(zip(step.outputs, results, strict=step.written is None))
        return (number, *[slots[slot] for slot in gives])
    return call


def filled(xp, slots, part):
    """``part`` of some arguments with arrays for what stands for them."""
    if isinstance(part, At):
        return slots[part.slot] if part.dtype is None else xp.astype(slots[part.slot], part.dtype)
    if isinstance(part, Constant):
        return constant(xp, part.array)
    if isinstance(part, (list, tuple)):
        parts = [filled(xp, slots, inner) for inner in part]
        return parts if isinstance(part, list) else tuple(parts)
    return part


def computed(xp, op, args, writes):
    """The list of what ``op`` makes of arrays: by its kernel, or as its paragraph does."""
    result = kernel_of(xp, op)(*args) if op.has_general_kernel else None
    if result is None:
        result = forward_of(op)(xp, [*args, False] if op.takes_saving else args)
    count = max(len(op.outputs), 1)
    if op.residuals:
        result = result[0] if count == 1 else result[:count]
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    if op.alias is None and op.writes is None:
        return [own(xp, part, args, op.row_major, writes) for part in results]
    return results


def own(xp, result, args, row_major, writes):
    """``result`` as an array of its own, in order if ``row_major``, as the general way wraps it."""
    if result is None:
        raise Unrecordable("an op gives None")
    held = result.held
    if type(held) is not runtime.ndarray:
        return xp.asarray(result)
    others = [array for part in flat(args) if type(array := getattr(part, "held", None)) is runtime.ndarray]
    shared = writes and any([runtime.xp.overlap(held, array) for array in others])
    return xp.copy(result) if shared or row_major and not held.flags.c_contiguous else result


def with_tensors(value, tensors):
    """``value`` with other tensors, by the ids of its own."""
    if isinstance(value, TensorBase):
        return tensors[id(value)]
    if isinstance(value, (tuple, list)):
        return type(value)([with_tensors(part, tensors) for part in value])
    return value


def learn(declared, fns, args, kwargs, row):
    """Note what ``declared`` comes to for ``args`` and ``kwargs``, which are in ``row``; or that it can not be noted."""
    calls = declared.calls
    before, trial.going_on = trial.going_on, True
    try:
        with one_at_a_time:
            note(declared, fns, args, kwargs, row, calls)
    except Exception:                       # noqa: BLE001  whatever it is, the general way is gone each time
        calls.failures += 1
        if calls.failures >= FAILURES and not calls.learned:
            calls.known = None
    finally:
        trial.going_on = before


def run_on(declared, fns, args, kwargs, tensors, twins):
    """What the composite gives for ``twins`` of the ``tensors`` among its arguments."""
    stand_in = {id(tensor): twin for tensor, twin in zip(tensors, twins, strict=True)}
    return declared.function(fns, *[with_tensors(value, stand_in) for value in args],
                             **{name: with_tensors(value, stand_in) for name, value in kwargs.items()})


def note(declared, fns, args, kwargs, row, calls):
    tensors = list({id(tensor): tensor for tensor in row.tensors}.values())
    noting = Noting([twin(tensor) for tensor in tensors])
    with noting:
        outcome, steps, gives, written = noting.outcome(run_on(declared, fns, args, kwargs, tensors, noting.given))
    if len(tensors) != len(row.tensors):
        outcome.firsts = [next(k for k, given in enumerate(row.tensors) if given is tensor) for tensor in tensors]
    if not noting.steps or len(noting.steps) == 1 and outcome.result is None and is_quick(noting.steps[0].op):
        calls.failures = FAILURES
        raise Unrecordable("it is at most one op, which takes less than to find out what it comes to")
    number = calls.learned
    arrays = [tensor._array for tensor in tensors]
    function, pattern = (lambda: (number,)), []
    if gives:
        tapes = runtime.new_tapes(program(steps, gives, number, bool(noting.writes)), written)
        for _ in range(ASKED):
            function = tapes.find(arrays)
        if function is None:
            raise Unrecordable("what it calls has no tape")
        pattern = [runtime.path_in(row.parts, array) for array in arrays]
        for turn in (False, True):
            tried, played = [twin(tensor, turn) for tensor in tensors], [twin(tensor, turn)._array for tensor in tensors]
            found = quietly(function.play, (played,))
            if found is not None and not (fits(outcome, found, run_on(declared, fns, args, kwargs, tensors, tried))
                                          and same([tensor._array for tensor in tried], played)):
                raise Unrecordable("it decides by values")
    if len(calls.outcomes) >= MOST_OUTCOMES:
        calls.known, calls.outcomes = runtime.new_calls(), {}
    calls.learned += 1
    for slot in written:
        calls.written |= 1 << next(k for k, given in enumerate(row.tensors) if given is tensors[slot])
    calls.untold = calls.untold or bool(written) and outcome.cuts is None
    calls.outcomes[number] = outcome
    calls.known.learn(row.parts, function, pattern, writes=bool(written))


def is_quick(op):
    """Whether calls of ``op`` take the fast paths of one or two operands."""
    return op is not None and is_fast(op) and op.variadic_at < 0 and len(op.inputs) == op.positional <= 2


def twin(tensor, turned=False):
    """A tensor laid out as ``tensor`` is, with a copy of its values, or with these in reverse."""
    array = twin_of(tensor._array)
    if turned:
        array[...] = tensor._array.reshape(-1)[::-1].reshape(array.shape)
    return new_tensor(array, tensor._dtype)


def fits(outcome, found, result):
    """Whether the arrays that a tape has ``found`` are those of ``result``, and all else in it is the same."""
    if outcome.result is None:
        return same(result._array, runtime.asarray(found[1]))
    return fits_part(outcome.result, found, result)


def fits_part(pattern, found, value):
    if isinstance(pattern, Part):
        return pattern.kind != MADE or same(value._array, runtime.asarray(found[1 + pattern.position]))
    if isinstance(pattern, (tuple, list)):
        return type(pattern) is type(value) and all(
            [fits_part(part, found, inner) for part, inner in zip(pattern, value, strict=True)])
    return type(pattern) is type(value) and pattern == value
