"""What a composite that is recorded calls, followed once: op by op, each of which is recorded by itself the next time, too.

Its tape (``noted_composites.py``) gives arrays, and a history wants what each op was given and gave. So these calls are not
played but called, without the composite (``core/known_composites.py``). A composite that looks at more than layouts, that
draws, makes views or copies into something, is run each time.
"""
from leafward.arrays.tapes import PLAIN, Unrecordable
from leafward.core.call import apply, apply_inplace
from leafward.core.known_composites import FAILURES, GIVEN, MADE, Part, Way
from leafward.core.tensor import TensorBase, requires_grad
from leafward.errors import trial
from leafward.tensor import noted_composites
from leafward.tensor.noted_composites import Noting, is_quick, one_at_a_time, run_on, twin


def refusing(why):
    def refuse(self, *args, **kwargs):
        raise Unrecordable(why)
    return refuse


class Following(Noting):
    """Notes with what each op is called in its block, which depends on nothing but layouts: so it can be called again."""

    decided = refusing("it decides by values")
    create = refusing("it makes something of numbers")
    detached = refusing("its history ends there")

    def __init__(self, tensors):
        super().__init__(list(map(twin, tensors)))
        self.asked = {}                 # which of the tensors were asked whether they require grad, and what they said
        self.originals = tensors

    def asked_grad(self, tensor):
        """Whether ``tensor``, which was given, requires grad; the next time it has to say the same."""
        slot = self.slot_of(tensor)
        if slot >= len(self.given):
            raise Unrecordable("it does something else where it is recorded")
        self.asked[slot] = requires_grad(self.originals[slot])
        return self.asked[slot]

    asked_if_recorded = asked_grad

    def apply(self, op, values, inputs):
        """``op`` on bound arguments: run, and noted."""
        if op.random or op.alias is not None or op.writes is not None:
            raise Unrecordable("it draws, or makes a view, or copies into something")
        noted = list(map(self.standing, values))
        with self.around():
            result = apply(op, values)
        several = isinstance(result, (tuple, list))
        for part in result if several else (result,):
            self.note(part)
        # (The fast way of such an op looks at the shapes of two operands, too.)
        if is_quick(op) and noted[op.positional:] == list(op.defaults[op.positional:]):
            self.steps.append((None, noted[:op.positional], op.public_function, False))
        else:
            self.steps.append((op, noted, None, several))
        return result

    def apply_inplace(self, op, values, inputs, name):
        """``x.op_(...)``, the same way."""
        if op.random:
            raise Unrecordable("it draws")
        self.steps.append((op, list(map(self.standing, values)), name, False))
        with self.around():
            return apply_inplace(op, values, name)

    def standing(self, value):
        """``value`` with a part for each tensor."""
        if isinstance(value, TensorBase):
            return self.part(value)
        if isinstance(value, (tuple, list)):
            parts = list(map(self.standing, value))
            return tuple(parts) if type(value) is tuple and not any([isinstance(part, Part) for part in parts]) else parts
        if not isinstance(value, PLAIN):
            raise Unrecordable("it hands on something else")
        return value

    def part(self, tensor):
        """The tensor as a part of a result, or of the arguments of a step."""
        slot = self.slot_of(tensor)
        return Part(GIVEN, slot) if slot < len(self.given) else Part(MADE, slot - len(self.given))


def learn(declared, fns, args, kwargs, row, recorded=False):
    """Note what ``declared`` comes to for ``args`` and ``kwargs``, which are in ``row``, where it is ``recorded`` or is not."""
    if not recorded:
        noted_composites.learn(declared, fns, args, kwargs, row)
        return
    calls = declared.calls
    before, trial.going_on = trial.going_on, True
    try:
        with one_at_a_time:
            follow(declared, fns, args, kwargs, row)
    except Exception:                       # noqa: BLE001  whatever it is, it is run each time
        calls.lost += 1
        if calls.lost >= FAILURES:
            calls.recorded = None
    finally:
        trial.going_on = before


def follow(declared, fns, args, kwargs, row):
    calls, tensors = declared.calls, row.tensors
    if len({id(tensor) for tensor in tensors}) != len(tensors):
        return                              # the same as below
    following = Following(tensors)
    with following:
        result = run_on(declared, fns, args, kwargs, tensors, following.given)
        way = Way()
        way.steps, way.result, way.asked = following.steps, following.pattern(result), list(following.asked.items())
    if not way.steps or len(way.steps) == 1 and way.steps[0][0] is None:
        calls.lost = FAILURES
        raise Unrecordable("it is at most one op, which takes less than to find out what it comes to")
    calls.lost = 0
    calls.recorded.learn(row.parts, way.itself, [])
