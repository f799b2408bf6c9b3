"""Calls of views like one before: no argument is looked at again, and each view lies where it lay in that call.

Where a view lies in its source, and which op it is of, follows from the sizes and steps of the source and from the other
arguments. So the first call of a kind, of an op or of a composite that comes to one (``views=True``), is noted as it was
written, and the next ones find the view, in C (``arrays/kernels/view_calls.pyx``): what is left is to wrap and to record.
"""
from leafward.core import modes
from leafward.core.call import note_cuts
from leafward.core.cuts import cut_by
from leafward.core.from_array import link_alias
from leafward.core.history import wants_grad
from leafward.core.mode_bits import ANSWERED, UNRECORDED
from leafward.core.native import allocate
from leafward.core.op import registry
from leafward.core.recording import any_differentiable, is_recorded, record
from leafward.core.runtime import runtime
from leafward.core.storage import VersionCounter
from leafward.core.tensor import IN_INFERENCE, IN_NO_GRAD, MULTI_OUTPUT, allocate_tensor, is_plain, requires_grad


class Met:
    """What a call came to: ``op`` with ``options``, or None for its first argument; ``links``: a view chain for each output.

    ``dtype``: that of the views, where it is another one than that of what they are taken of, or None. ``pieces``: where each
    of several views was a call of its own, what that came to.
    """


if __file__.endswith(".py"):            # interpreted; compiled, known_views.pxd gives the layout
    Met.op = Met.options = Met.links = Met.dtype = Met.pieces = None


def known_views(owner, args, kwargs, by):
    """The view of the first argument that such a call of ``owner`` gives, or the tuple of them; None where none was noted.

    ``by`` is what else decides it, beside the layout of that argument: ``"shapes"`` of the other tensors, or the ``"storage"``,
    that is its size and where the argument begins in it.
    """
    word = modes.word()
    if runtime.view_again is None or word & ANSWERED or not is_plain(args[0]):
        return None
    source = args[0]                    # a name with a type in known_views.pxd: its fields are C fields
    if by is not True and by == "shapes":
        args = with_shapes(args)
    found = runtime.view_again(owner, source._array, args, kwargs, source._storage.owner if by == "storage" else None)
    if found is None:
        return None
    met = found[1]
    recording = word & UNRECORDED == 0
    if met.pieces is not None:
        return tuple([one(piece, source, array, recording) for piece, array in zip(met.pieces, found[0], strict=True)])
    op = met.op
    if op is None:
        return source
    if op.outputs:
        wanted = recording and wants_grad(source) and op.differentiable[0]
        return several(met, source, found[0], recording, wanted)
    return one(met, source, found[0], recording)


def one(met, source, array, recording):
    """The view that is ``array``, recorded."""
    op = met.op
    wanted = recording and wants_grad(source) and op.differentiable[0]      # a view without a way back says so
    view = shown(met, source, array, 0, recording)
    if wanted and is_recorded(op, view):
        view._node = record(op, 1, (source,), met.options, (view,), (), False)
    elif runtime.checks and requires_grad(source):
        view._cut = cut_by(op, source, recording)
    return view


def with_shapes(args):
    """The arguments of a call with their shapes for all tensors but the first."""
    row = list(args)
    for position in range(1, len(row)):
        if is_plain(row[position]):
            tensor = row[position]      # the same
            row[position] = tensor._array.shape
    return tuple(row)


def several(met, source, arrays, recording, wanted):
    """The views that are ``arrays``, recorded."""
    op = met.op
    views = [shown(met, source, array, number, recording) for number, array in enumerate(arrays)]
    if wanted and any_differentiable(op, views):
        node = record(op, 1, [source], met.options, views, (), False)
        for number, view in enumerate(views):
            view._node = node
            view._output_nr = number
    elif runtime.checks and requires_grad(source):
        note_cuts(op, 0, views, cut_by(op, source, recording))
    return op.package(views)


def shown(met, source, array, number, recording):
    """A Tensor around the view ``array`` of ``source``, as :func:`leafward.core.from_array.view_of` makes it."""
    view = allocate_tensor(runtime.tensor)
    view._array = array
    view._dtype = source._dtype if met.dtype is None else met.dtype
    view._storage = source._storage
    view._inference = source._inference
    view._alias = link_alias(met.op.name, source._alias)
    if source._cut is not None and not source._requires_grad:
        view._cut = source._cut
    if source._inference:
        view._counter, view._alias.options = view._storage, met.options
        return view
    if met.op.untracked and not modes.in_inference():
        view._counter, view._alias.options = VersionCounter(), met.options
        return view
    view._counter = source._counter
    view._history_version = source._counter.version
    link = met.links[number]
    if source._base is None:
        view._base = source
        view._chain = link
    else:
        view._base = source._base
        view._chain = (source._chain, met.op, met.options, link[3])
    if not recording:
        view._creation = IN_INFERENCE if modes.in_inference() else IN_NO_GRAD
    else:
        view._creation = MULTI_OUTPUT if link[3] >= 0 else source._creation
    return view


def note_views(owner, args, kwargs, views, by):
    """Note the one view op that a call came to, if its ``views`` are that op's, of its first argument; or that itself."""
    if runtime.note_view is None or not args or not is_plain(args[0]):
        return
    source = args[0]
    memory = source._storage.owner if by == "storage" else None
    if by == "shapes":
        args = with_shapes(args)
    met = allocate(Met)
    if views is source:
        runtime.note_view(owner, source._array, args, kwargs, source._array, met, memory)
        return
    parts = views if type(views) is tuple else (views,)
    found = op_of_all(source, parts)
    if found is not None and type(views) is tuple and not found[0].outputs:
        found = None                        # a tuple of one view is more than the view
    if found is None and parts and type(views) is tuple and all([op_of_all(source, (part,)) is not None for part in parts]):
        met.pieces = [met_of(source, (part,), op_of_all(source, (part,))) for part in parts]
        if all([not piece.op.outputs for piece in met.pieces]):
            runtime.note_view(owner, source._array, args, kwargs, [part._array for part in parts], met, memory)
        return
    if found is None or (type(views) is not tuple and found[0].outputs):
        return                              # one of several, taken out: which one, no form says
    arrays = [part._array for part in parts]
    met = met_of(source, parts, found)
    runtime.note_view(owner, source._array, args, kwargs, arrays if met.op.outputs else arrays[0], met, memory)


def met_of(source, parts, found):
    """What made ``parts``, which is the op and the options that were ``found``."""
    met = allocate(Met)
    met.op = op = found[0]
    met.options = found[1]
    if parts[0]._dtype is not source._dtype:
        met.dtype = parts[0]._dtype
    met.links = [(None, op, met.options, number if op.outputs else -1) for number in range(len(parts))]
    return met


def op_of_all(source, parts):
    """The view op, with its options, that made all ``parts`` of ``source``; None where it was not so."""
    if not parts or not all([is_plain(part) for part in parts]):
        return None
    if parts[0]._chain is None:             # unknown to autograd: how they came to share its memory says which op made them
        made = [part._alias for part in parts]
        if None in made or made[0].options is None or parts[0]._storage is not source._storage:
            return None
        same = all([alias.options is made[0].options and alias.parent is source._alias for alias in made])
        return (registry[made[0].kind], made[0].options) if same else None
    base = source if source._base is None else source._base
    _, op, options, _ = parts[0]._chain
    for number, part in enumerate(parts):
        if part._base is not base or part._chain is None:
            return None
        before, part_op, part_options, part_number = part._chain
        if before is not source._chain or part_op is not op or part_options is not options or (
                part_number != (number if op.outputs else -1)):
            return None
    return op, options
