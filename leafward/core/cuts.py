"""Where histories end: one shared record for each place in the user's program that drops ``requires_grad``.

A result that is computed from what requires grad, and does not require it itself, carries the record of its cut
(``tensor._cut``), and so does what is computed from it. The node that takes it in keeps the record, so that a walk from a loss
finds every cut on the way. Tensors without a cut behind them pay one look at a pointer. What users read is made in
``leafward/trust/cuts.py``.
"""
import weakref

from leafward.core import modes
from leafward.core.native import address, allocate, call_site, forget_notes, note, noted
from leafward.core.node import Node, behind
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase, requires_grad
from leafward.errors import trust

#: How often a place is looked behind when it is new, and how seldom afterwards.
AT_FIRST, THEN_EVERY = 3, 64
FIRST_LOOKS, LOOKS_EVERY = AT_FIRST, THEN_EVERY     # as C numbers, see cuts.pxd
#: How many nodes one look passes at most, and how many cuts one tensor remembers.
PASSED, REMEMBERED_CUTS = 4096, 4
#: How many calls inside a no_grad() block are told apart before they share the record of the block, and how many are kept.
LOOKED_INTO, PARTS = 1024, 64
#: What runs inside of a function under a name of its own.
INNER = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>")
#: How many values that left are remembered.
DEPARTURES = 8
#: What is noted at a node, and is no cut.
NOTES = ("term", "broadcast", "against", "all pairs")
#: Cuts that leave the values as they are.
SHARES = ("detach", "data", "detach_")
#: How many places are remembered: code that is made and run over and over is as good as new.
PLACES = 4096


class Cut:
    """One place where histories end: ``kind`` says how; ``behind`` are the leaves that lay behind it, by id, weakly.

    ``block``: for an operation inside ``no_grad()``, the cut of the block. ``parts``: for a block, those of its operations.
    ``last``: the address of the tensor that was met here last.
    """


if __file__.endswith(".py"):            # interpreted; compiled, cuts.pxd gives the layout
    Cut.kind = Cut.site = Cut.behind = Cut.block = Cut.parts = None
    Cut.count = Cut.spent = Cut.last = 0

#: (kind, id(code), instruction offset) -> Cut. The record keeps the code, so that its id stays its own.
places = {}
#: Two records -> those of both: made once, so that they can be compared by identity.
unions = {}
#: Values that lately left for Python or NumPy, the last one last: they may come back as new tensors.
departures = []


def cut_at(kind, site, source):
    """The :class:`Cut` at ``site`` where the history of ``source`` ends; None where the user's program is not known."""
    if site is None:
        return None
    key = (kind, id(site[0]), site[1])
    cut = places.get(key)
    if cut is None:
        if len(places) >= PLACES:
            places.clear()
            unions.clear()
            forget_notes()
        cut = allocate(Cut)
        cut.kind, cut.site, cut.behind = kind, site, {}
        places[key] = cut
    return met_again(cut, source)


def met_again(cut, source):
    """``cut``, after one more history has ended there."""
    cut.count += 1
    if cut.count <= FIRST_LOOKS or cut.count % LOOKS_EVERY == 0:
        look_behind(cut, source)
    elif cut.count < LOOKS_EVERY and source._node is None and address(source) != cut.last and id(source) not in cut.behind:
        look_behind(cut, source)                # a loop over parameters has one place
    cut.last = address(source)
    return cut


def look_behind(cut, source):
    """Note the leaves that gradients of ``source`` would have gone to."""
    tensor = source if source._base is None or source._node is not None else source._base
    if tensor._node is None:
        if tensor._requires_grad:
            cut.behind[id(tensor)] = weakref.ref(tensor)
        return
    passed = 0
    for end in behind([tensor._node]):
        if not isinstance(end, Node):
            cut.behind[id(end)] = weakref.ref(end)
        elif end._cut is not None and cut.kind in SHARES:
            cut.parts = list(dict.fromkeys([*(cut.parts or ()), *[c for c in cuts_of(end._cut) if c.kind == "broadcast"]]))
        passed += 1
        if passed >= PASSED:
            return


def merged(a, b):
    """The record of what two tensors carry: a :class:`Cut`, or a tuple of some."""
    if a is None or a is b:
        return b
    if b is None:
        return a
    key = (id(a), id(b))
    both = unions.get(key)
    if both is None:
        together = list(dict.fromkeys([*cuts_of(a), *cuts_of(b)]))[:REMEMBERED_CUTS]
        union = a if len(together) == len(cuts_of(a)) else tuple(together)
        unions[key] = both = (union, a, b)                  # (a and b stay, so that their ids stay theirs)
    return both[0]


def cuts_of(record):
    """What a tensor or a node carries, as a tuple of cuts."""
    if record is None:
        return ()
    return record if type(record) is tuple else (record,)


def cut_of_call(op, inputs, recording):
    """What the result of an unrecorded call carries: the cuts of its inputs, and its own if one of them requires grad."""
    record = None
    for position in range(len(inputs)):
        value = inputs[position]
        if isinstance(value, TensorBase):
            record = merged(record, cut_of(op, value, recording))
        elif isinstance(value, list):
            for part in value:
                if isinstance(part, TensorBase):
                    record = merged(record, cut_of(op, part, recording))
    return record


def cut_of_pair(op, x, y, recording):
    """The same for two inputs, of which the second may be None."""
    record = cut_of(op, x, recording)
    if y is None:
        return record
    if type(record) is Cut and requires_grad(y) and requires_grad(x):
        record = met_again(record, y)                       # one place, of which both come
    else:
        record = merged(record, cut_of(op, y, recording))
    pairs = None if record is None or not op.elementwise or not runtime.other_ndim(x._array, y._array) else all_pairs(x, y)
    return record if pairs is None else merged(noted_here("broadcast", call_site(), (*pairs, None)), record)


def cut_of(op, tensor, recording):
    """What one input of an unrecorded call gives its result to carry."""
    if not requires_grad(tensor):
        return tensor._cut
    return cut_by(op, tensor, recording) if not op.random or is_drawing() else None


def is_drawing():
    """Whether a distribution draws what its parameters could have moved: a ``sample()`` in place of an ``rsample()``."""
    block = modes.current().block
    return type(block) is Cut and block.kind == "sample"


def cut_by(op, tensor, recording):
    """The cut that a call of ``op`` is for ``tensor``: its own doing, or that of the block that it runs in."""
    if recording:
        cut = noted(op.name)
        return cut_noted(op.name, op.name, tensor) if cut is None else met_again(cut, tensor)
    state = modes.current()
    block = state.block
    if type(block) is tuple:                                # a site so far: this is the first call in the block that matters
        state.block = block = cut_at("no_grad", block, tensor)
    if block is None:
        return None                                         # leafward's own: an optimizer, a function's forward
    whole = block                       # the same
    whole.spent += 1
    if whole.spent > LOOKED_INTO and whole.spent % LOOKS_EVERY != 0:
        return whole
    cut = noted(op)
    return cut_inside(op, whole, tensor) if cut is None else met_again(cut, tensor)


def cut_noted(what, kind, tensor):
    """The cut here of ``kind``, noted for the next time that the program comes by."""
    site = call_site()
    cut = cut_at(kind, site, tensor)
    if cut is not None:
        note(what, site, cut)
    return cut


def cut_inside(op, whole, tensor):
    """The cut of one operation inside the block ``whole``."""
    cut = cut_noted(op, "in " + op.name, tensor)
    if cut is not None and cut.block is None:
        cut.block = whole
        whole.parts = [*(whole.parts or []), cut][-PARTS:]
    return cut


class cuts_inside:
    """Inside, where nothing is recorded, what is computed carries cuts in a block of ``kind``, which begins here."""

    def __init__(self, kind):
        self.kind = kind

    def __enter__(self):
        state = modes.current()
        self.before, state.block = state.block, noted_here(self.kind, call_site(), None)

    def __exit__(self, *exc):
        modes.current().block = self.before


def cut_result(kind, result, source):
    """Let ``result``, which has no history, carry the cut of ``kind`` that took it from ``source``."""
    if requires_grad(source):
        result._cut = cut_at(kind, call_site(), source)


def leave(kind, source):
    """Note that the values of ``source`` leave for Python or NumPy."""
    site = call_site()
    record = cut_at(kind, site, source) if requires_grad(source) else source._cut
    if record is not None and site is not None:
        departures.append((record, site))
        if len(departures) > DEPARTURES:
            del departures[0]


def coming_back():
    """What a tensor made of numbers carries: a cut with the values that left in the same function, if any did."""
    site = call_site()
    if site is None:
        return None
    found = [record for record, left in departures if left[0] is site[0] or (
        left[0].co_name in INNER and left[0].co_filename == site[0].co_filename)]
    if not found:
        return None
    key = ("returned", id(site[0]), site[1])
    cut = places.get(key)
    if cut is None:
        cut = allocate(Cut)
        cut.kind, cut.site, cut.behind = "returned", site, {}
        places[key] = cut
    cut.parts = list(dict.fromkeys([part for record in found for part in cuts_of(record)]))
    return cut


def cut_of_copies(kind, values):
    """What a tensor made of the numbers in ``values``, tensors among them, carries."""
    record = None
    for value in values[:AT_FIRST]:
        if isinstance(value, TensorBase):
            record = merged(record, cut_at(kind, call_site(), value) if requires_grad(value) else value._cut)
        elif isinstance(value, (list, tuple)):
            record = merged(record, cut_of_copies(kind, value))
    return record


def take_in(node, record):
    """Note on ``node`` that one of its inputs carries ``record``."""
    node._cut = merged(node._cut, record)
    if node._shape == ():
        for cut in cuts_of(record):
            if cut.kind == "grad":                          # perhaps a term of a loss: a penalty that trains nothing
                note_at(node, "term", cut)


def note_at(node, kind, detail):
    """Note at ``node`` what is worth a look if backward comes by: ``trust`` tells it, or finds that it is meant."""
    node._cut = merged(node._cut, noted_here(kind, node._site, detail))


def noted_here(kind, site, detail):
    """The note of ``kind`` for what happens at ``site``; None where the user's program is not known."""
    if site is None:
        return None
    key = (kind, id(site[0]), site[1])
    cut = places.get(key)
    if cut is None:
        cut = allocate(Cut)
        cut.kind, cut.site, cut.behind, cut.parts = kind, site, {}, [detail]
        places[key] = cut
    return cut


def look_at_shapes(node, x, y):
    """Note two lists of the same length whose dims of one do not line up, ``(n, 1)`` and ``(n,)``: all pairs come of them.

    Not so where a dim was put in on purpose, or where both are the same memory. Constants that such pairs were computed into
    before are noted where they meet one value for each.
    """
    if x._array.size == y._array.size:
        pairs = None if x._array.ndim == y._array.ndim else all_pairs(x, y)
        if pairs is not None and pairs[3] == node._shape:
            note_at(node, "broadcast", (*pairs, rises(y if pairs[0] == 0 else x)))
        return
    for number, (constant, other) in enumerate(((y, x), (x, y))):
        for cut in cuts_of(constant._cut) if constant._array.shape == node._shape else ():
            for part in (cut, *(cut.parts or ())) if cut.kind in SHARES else (cut,):
                if type(part) is Cut and part.kind == "broadcast" and part.parts[0][3] == node._shape \
                        and other._array.shape in part.parts[0][1:3]:
                    note_at(node, "against", (part, number, other._array.shape))
                    return
        if constant._array.shape == node._shape and other._array.size == node._shape[0] and not requires_grad(constant):
            note_all_pairs(node, number, other._array.shape)


def note_all_pairs(node, number, shape):
    """Note where one value for each meets a constant square, if the source shows that a column and a row made that.

    What is computed of data alone carries no notes: the source is read when the program comes by for the first time.
    """
    if node._site is None or len(node._shape) != 2 or shape not in ((node._shape[0], 1), node._shape[:1]):
        return
    cut = places.get(("all pairs", id(node._site[0]), node._site[1]))
    if cut is None:
        cut = noted_here("all pairs", node._site, trust("paired_before")(node._site, number, shape))
    if cut.parts[0] is not None:
        node._cut = merged(node._cut, cut)


def all_pairs(x, y):
    """``(which one has more dims, its shape, the other's, that of both)`` where two lists of one length make all pairs."""
    if x._array.size != y._array.size or x._array.size < 2:
        return None
    wide, narrow, number = (x, y, 0) if x._array.ndim > y._array.ndim else (y, x, 1)
    shape, other = wide._array.shape, narrow._array.shape
    if [n for n in shape if n != 1] != [n for n in other if n != 1] or wide._storage is narrow._storage:
        return None
    added = len(shape) - len(other)
    met = [(max(pair), min(pair)) for pair in zip(shape[added:], other, strict=True)]
    whole = (*shape[:added], *[n for n, _ in met])
    if whole == shape or whole == other or any([few not in (1, n) for n, few in met]):
        return None
    # A dim that was put in is meant, but where the other one was taken out: `y.unsqueeze(1)` against `pred.squeeze(1)`.
    laid_out = wide._base is not None and wide._base._array.ndim < len(shape)
    taken_out = narrow._base is not None and narrow._base._array.shape == shape and not rises(wide)
    return (number, shape, other, whole) if taken_out or not laid_out else None


def rises(values):
    """Whether values that do not require grad are in order, each above the one before: a grid, perhaps."""
    array = values._array.reshape(-1)
    return not requires_grad(values) and bool((array[1:] > array[:-1]).all())
