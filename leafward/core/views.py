"""View chains: how a view finds its history again after its base was written, and what a write through a view does."""
from leafward.errors import inplace_shape_error, overlap_error, stale_view_error
from leafward.core import modes
from leafward.core.transform_levels import in_batches_of
from leafward.core.node import Node
from leafward.core.runtime import quietly, runtime
from leafward.core.tensor import DEFAULT
from leafward.core.from_array import alias_of, tensor_from_array

#: The view ops that find any place by its strides, and what is conjugate there: handed down by tensor/inplace_views.py.
by_strides = by_conjugate = None


def refresh(view):
    """Give ``view`` the history that its base has now: the chain of view ops, replayed on the base."""
    base = view._base
    root = base
    if not base._requires_grad and base._node is None:
        if view._node is None:
            return                                          # no history yet: it stays out of date until there is one
        if view._creation == DEFAULT and is_reread(view._chain):
            view._node, view._output_nr = None, 0           # PyTorch makes such views again, others with strides alone
            view._history_version = view._counter.version
            return
        root = alias_of(base, base._array, "detach")        # it came through a view that was a leaf of its own, and
        root._requires_grad = True                          # leads nowhere now
    if view._creation != DEFAULT:
        raise stale_view_error(view)
    if base._relocate is not None:
        view._chain = base._relocate(base, view)            # t_() turned the base itself: the old steps lead elsewhere
    tensor = replay(view._chain, root)
    view._node = tensor._node
    view._output_nr = tensor._output_nr
    view._history_version = view._counter.version
    move_retained_grad(view)


def move_retained_grad(tensor):
    """``retain_grad`` keeps the gradient of what ``tensor`` is now, not of what it was before the write."""
    if tensor._retained_at is not None:
        retained, number = tensor._retained_at
        retained.pop(number, None)
        tensor._retained_at = None
        tensor.retain_grad()


def steps(chain):
    """The links of a view chain ``(the chain before it, op, options, output number)``, oldest first."""
    found = []
    while chain is not None:
        chain, op, options, number = chain
        found.append((op, options, number))
    found.reverse()
    return found


def is_repeated(chain):
    """Whether one of the steps of a chain may have shown one element at many places."""
    return any([op.repeats for op, _, _ in steps(chain)])


def is_reread(chain):
    """Whether one of the steps of a chain shows other elements than its source has: parts, pairs, conjugates."""
    return any([op.rereads for op, _, _ in steps(chain)])


def replay(chain, base):
    """The view ops of ``chain``, recorded, on the Tensor ``base``.

    They are calls like any other, so this goes back to the call path, which is above: it asks for a tensor's history, and
    that of a view may have to be found anew. ``runtime.apply`` is the one place where the core closes upon itself.
    """
    tensor = base
    with modes.recording(True):
        for op, options, number in steps(chain):
            result = runtime.apply(op, arguments(op, tensor, options))
            tensor = result if number < 0 else result[number]
    return tensor


def replay_on_array(chain, array):
    """The view ops of ``chain`` on a plain array: a view of it."""
    for op, options, number in steps(chain):
        args = arguments(op, array, options)
        result = quietly(op.forward, (runtime.xp, *args))
        array = result if number < 0 else result[number]
    return array


def chain_by_geometry(base, view):
    """The view chain that finds ``view`` in the memory of ``base``, whatever both were turned into since."""
    if view._dtype is not base._dtype:
        return view._chain                                  # strides alone do not say how bytes are read: its own steps do
    op = by_strides
    given = {"size": tuple(view.shape), "stride": tuple(view.stride()), "own": tuple(base.stride()),
             "offset": view.storage_offset() - base.storage_offset()}
    chain = None, op, [given[name] for name in op.options], -1
    if view.is_conj() is base.is_conj():
        return chain
    return chain, by_conjugate, [], -1


def arguments(op, x, options):
    """The arguments of a view op in the order of its parameters."""
    values = [None] * op.arity
    for position in op.input_at:
        values[position] = x
    for position, option in zip(op.option_at, options, strict=True):
        values[position] = option
    return values


def refuse_overlap(array):
    """Raise if elements of ``array`` share their memory: what is written to one would be seen in another."""
    if repeats_elements(array):
        raise overlap_error()


def repeats_elements(array):
    """Whether ``array`` shows elements of its memory at several places, as ``expand`` makes it."""
    if not array.flags.c_contiguous:
        for size, stride in zip(array.shape, array.strides, strict=True):
            if size > 1 and stride == 0:
                return True
    return False


def put(part, gradient):
    """Write a gradient into the ``part`` that was viewed; of a view that got another shape since, it does not fit."""
    try:
        part[...] = gradient
    except ValueError:
        raise inplace_shape_error(part.shape, gradient.shape) from None


class CopySlices(Node):
    """A write through a view, seen from the base: the written region's gradient goes through the write."""

    def name(self):
        return "torch::autograd::CopySlices"

    def shown_places(self):
        return self._inner.shown_places()

    def pull_back(self, grads, recorded, wanted):
        inner = self._inner
        if recorded:
            result = tensor_from_array(self.buffer()).copy_(grads[0]) if modes.current().levels is None else grads[0].clone()
            contributions = inner.pull_back([replay(self._chain, result).clone()], True, None)
            if contributions[0] is not None:
                result = in_batches_of(contributions[0], result)
            region = replay(self._chain, result)
            refuse_overlap(region._array)
            if contributions[0] is None:
                region.zero_()
            else:
                region.copy_(contributions[0])
        else:
            result = self.buffer()
            put(result, grads[0])
            region = replay_on_array(self._chain, result)
            refuse_overlap(region)
            contributions = inner.pull_back([region.copy()], False, None)
            put(region, 0 if contributions[0] is None else contributions[0])
        return [result, *contributions[1:]]

    def buffer(self):
        """An array with the base's layout: on another, the chain of views could be impossible."""
        if self._strides is None:
            return runtime.xp.empty(self._shape, dtype=self._dtype)
        return runtime.xp.creation.empty_strided(self._shape, self._strides, self._dtype)

    def _free(self, call):
        self._freed_by = call
        self._inner._free(call)


if __file__.endswith(".py"):            # interpreted; compiled, views.pxd gives the layout
    CopySlices._inner = CopySlices._chain = CopySlices._strides = None


def rewrite_history(view, node):
    """``node`` wrote through ``view``: make it part of the base's history."""
    base = view._base
    slices = CopySlices.__new__(CopySlices)
    slices._sequence = runtime.sequence
    runtime.sequence += 1
    slices._site = node._site
    slices._inner = node
    slices._runs_user_code = node._runs_user_code
    if base._relocate is not None:
        view._chain = base._relocate(base, view)
    slices._chain = view._chain
    slices._shape = base._array.shape
    slices._strides = None if base._array.flags.c_contiguous else runtime.xp.strides_of(base._array)
    slices._dtype = base._dtype
    end = base._node if base._node is not None else (base if base._requires_grad else None)
    slices._targets = (end, *node._targets[1:])
    first = base._output_nr if base._node is not None else 0
    numbers = (0,) * (len(node._targets) - 1) if node._numbers is None else node._numbers[1:]
    slices._numbers = (first, *numbers) if first or any(numbers) else None
    base._node = slices
    base._output_nr = 0
    base._requires_grad = False
    move_retained_grad(base)
    view._history_version = -1              # no version: the next look refreshes it
