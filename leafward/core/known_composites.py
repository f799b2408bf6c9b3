"""Composites like one before, where nothing is recorded: from the arguments to one tape of all the ops that it called.

What a composite does follows from the layouts and dtypes of its tensors and from its other arguments, as what an op does. So
the first time that it is worth it ``tensor/noted_composites.py`` notes which ops it calls, and from then on their forwards are
played as one tape: no tensors are made in between, and nothing is bound or checked again. Views that a composite returns are
taken of its argument, or of what it made, as it did.

Where it is recorded each op has a node of its own. Then what it called is called again, one op after the other, with what stood
for its arguments: what the composite itself does between these, and the binding of arguments, is left out.
"""
from leafward.core import modes
from leafward.core.call import apply, apply_inplace, apply_view, carry, note_write
from leafward.core.cuts import cut_of, merged
from leafward.core.inplace import is_free
from leafward.core.known_calls import known_write, row_of, tensor_of
from leafward.core.known_views import known_views, note_views
from leafward.core.mode_bits import ANSWERED, UNRECORDED
from leafward.core.native import allocate
from leafward.core.runtime import runtime
from leafward.core.tensor import is_plain, requires_grad

#: Where a part of a result comes from: it is an argument, it was made, or it is a view.
GIVEN, MADE, VIEW = range(3)
#: A composite that could not be noted so often, and never was, is not tried again.
FAILURES = 8


class CompositeCalls:
    """What the calls of one composite came to: ``known`` finds a tape, and the number of the outcome in ``outcomes``.

    ``written``: a bit for each of the tensors that it may write into; ``untold``: whether it is not known which cuts these then
    carry. ``learned``: how many outcomes there ever were, which gives each a number of its own. ``recorded`` finds a
    :class:`Way` for calls that are recorded; ``lost``: how often none was found since the last one.
    """


class Outcome:
    """What is made of the arrays that a tape gives.

    ``made``: for each that becomes a tensor, the names of what wrote into it. ``views``: ``(source, op, options)``.
    ``written``: a :class:`Part` for each write into what was given, or a view of it, and the name. ``result``: the result, with
    a :class:`Part` for each tensor, or None where it is the one that was made. ``cuts``: the ops with the slots of what they
    gave and got and wrote, to find which cuts are carried; None where the general way has to find them. ``firsts``: where one
    tensor was given twice, which ones of those given are no other.
    """


class Way:
    """The ops that a composite calls: ``steps`` are ``(op, values, called, has several outputs)``.

    ``called``: None, or the name of an in-place form, or, without an op, a function that is called instead. Among the values
    a :class:`Part` stands for a tensor that was given, or that a step made. ``result``: the result, with one for each tensor.
    ``asked``: which of the tensors given have to require grad, or not to.
    """

    def itself(self):
        """What is known of a call: this."""
        return self


class Part:
    """A tensor in a result: where it comes from, which one there, and of several views their number."""

    def __init__(self, kind, position, number=-1):
        self.kind, self.position, self.number = kind, position, number


if __file__.endswith(".py"):            # interpreted; compiled, known_composites.pxd gives the layout
    CompositeCalls.known = CompositeCalls.outcomes = CompositeCalls.recorded = None
    CompositeCalls.failures = CompositeCalls.learned = CompositeCalls.lost = CompositeCalls.written = 0
    CompositeCalls.untold = False
    Way.steps = Way.result = Way.asked = None
    Outcome.made = Outcome.views = Outcome.written = Outcome.result = Outcome.cuts = Outcome.firsts = None
    Outcome.slots = 0


def new_composite_calls():
    """Nothing known yet."""
    calls = allocate(CompositeCalls)
    calls.known, calls.outcomes = runtime.new_calls(), {}
    calls.recorded = runtime.new_calls()
    return calls


def known_composite(calls, args, kwargs):
    """What the composite gives for arguments like some before; their row where that is to be learned now; else None."""
    if calls.known is None:
        return None
    word = modes.word()
    if word & ANSWERED != 0:
        return None
    recording = word & UNRECORDED == 0
    row = row_of(args, kwargs, recording, None)
    if row is None or calls.written != 0 and (
            row.cut and runtime.checks and calls.untold or not all_free(calls.written, row.tensors, word)):
        return None
    found = calls.known.answer(row.parts)
    if found is None:
        return None
    if found is Ellipsis:
        return row
    outcome = calls.outcomes.get(found[0])
    if outcome is None:                     # another thread has just made room
        return None
    cut = row.cut and runtime.checks
    if cut and outcome.cuts is None:
        return None
    given = row.tensors if outcome.firsts is None else [row.tensors[k] for k in outcome.firsts]
    made = []
    for position in range(len(outcome.made)):
        tensor = tensor_of(found[position + 1], given)
        if outcome.made[position]:
            for name in outcome.made[position]:
                note_write(tensor, name)
        made.append(tensor)
    if cut:
        carry_cuts(outcome, given, made, recording)
    views = []
    for source, op, options in outcome.views:
        views.append(view_by(op, (part_of(source, given, made, views), *options)))
    for part, name in outcome.written:
        note_write(part_of(part, given, made, views), name)
    return made[0] if outcome.result is None else handed(outcome.result, given, made, views)


def all_free(written, tensors, word):
    """Whether writes into those of the ``tensors`` whose bits are set concern nobody, and no other one shares their memory."""
    for position in range(len(tensors)):
        if written >> position & 1:
            target = tensors[position]
            if not is_free(target, word):
                return False
            for other in range(len(tensors)):
                tensor = tensors[other]     # names with types in known_composites.pxd: their fields are C fields
                if tensor is not target and tensor._storage is target._storage:
                    return False
    return True


def recorded_composite(calls, args, kwargs):
    """What the composite gives where it is recorded, for arguments like some before; or their row, to be learned."""
    if calls.recorded is None or modes.word() & (ANSWERED | UNRECORDED) != 0:
        return None
    if not (any_wants(args) or any_wants(kwargs.values())):
        return None
    row = row_of(args, kwargs, False, None)
    if row is None:
        return None
    found = calls.recorded.answer(row.parts)
    if found is None:
        return None
    if found is Ellipsis:
        return row
    way, made = found, []
    for slot, answer in way.asked:
        if requires_grad(row.tensors[slot]) is not answer:
            return None
    for op, values, called, several in way.steps:
        bound = [filled(value, row.tensors, made) for value in values]
        if op is None:
            made.append(called(*bound))
        elif called is not None:
            if not op.plain_signature or known_write(op, tuple(bound), None, called) is None:
                apply_inplace(op, bound, called)
        elif several:
            made.extend(apply(op, bound))
        else:
            made.append(apply(op, bound))
    return handed(way.result, row.tensors, made, made)


def any_wants(values):
    """Whether one of ``values``, or of those in a list or a tuple, is a tensor that requires grad."""
    for value in values:
        if is_plain(value):
            if requires_grad(value):
                return True
        elif isinstance(value, (list, tuple)) and any_wants(value):
            return True
    return False


def filled(value, given, made):
    """``value`` with tensors for what stands for them; a list is a new one."""
    if type(value) is Part:
        stands = value                      # a name with a type in known_composites.pxd: its fields are C fields
        return given[stands.position] if stands.kind == GIVEN else made[stands.position]
    if type(value) is list:
        return [filled(part, given, made) for part in value]
    return value


def view_by(op, values):
    """The view that ``op`` makes of the first of the bound arguments ``values``, remembered as calls of views are."""
    result = known_views(op, values, None, True)
    if result is None:
        result = apply_view(op, list(values))
        note_views(op, values, None, result, True)
    return result


def part_of(part, given, made, views):
    """The tensor that ``part`` stands for."""
    if part.kind == GIVEN:
        return given[part.position]
    if part.kind == MADE:
        return made[part.position]
    return views[part.position] if part.number < 0 else views[part.position][part.number]


def handed(pattern, given, made, views):
    """The result that ``pattern`` describes."""
    if isinstance(pattern, Part):
        return part_of(pattern, given, made, views)
    if isinstance(pattern, (tuple, list)):
        parts = [handed(part, given, made, views) for part in pattern]
        return parts if isinstance(pattern, list) else pattern._make(parts) if hasattr(pattern, "_make") else tuple(parts)
    return pattern


def carry_cuts(outcome, given, made, recording):
    """Let what was ``made`` carry the cuts that it would if each op had been called."""
    records = [None] * outcome.slots
    ops, slots = outcome.cuts
    for op, outputs, inputs, carrier, by_part in ops:
        if carrier >= 0 and carrier < len(given) and requires_grad(given[carrier]):
            continue                            # what is written has a history, or will have one
        record = None
        for slot in inputs:
            record = merged(record, cut_of(op, given[slot], recording) if slot < len(given) else records[slot])
        for slot in outputs:
            records[slot] = record
        if carrier >= len(given):
            records[carrier] = record
        elif carrier >= 0:
            tensor = given[carrier]
            if by_part and tensor._base is None:
                tensor._cut = merged(tensor._cut, record)
            elif by_part:
                tensor._base._cut = merged(tensor._base._cut, record)
            else:
                carry(tensor, record)
    for position in range(len(made)):
        made[position]._cut = records[slots[position]]
