"""How a tensor hangs in the graph: whether it wants a gradient, where that goes, and how a node is put behind it.

Nothing here knows ops: custom functions, ``vmap`` and the checks of gradients connect their nodes by the same functions.
"""
from leafward.core import modes
from leafward.core.cuts import look_at_shapes, take_in
from leafward.core.mode_bits import ANOMALY
from leafward.core.node import DerivativeNotImplemented, Identity
from leafward.core.native import call_site, untrack
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase, requires_grad
from leafward.core.views import refresh
from leafward.core.from_array import alias_of


def wants_grad(tensor):
    """Whether ``tensor`` is a leaf that requires grad, a view of one, or has a history, which is brought up to date."""
    if tensor._base is not None:
        if tensor._history_version != tensor._counter.version:
            refresh(tensor)
        return requires_grad(tensor)
    return tensor._requires_grad or tensor._node is not None


def gradient_target(tensor):
    """Where the gradient of ``tensor`` goes: the node that made it, the leaf itself, or nowhere."""
    if tensor._node is not None:
        return tensor._node
    return tensor if tensor._requires_grad else None


def begin(node):
    """Number ``node``, and note the user's line."""
    node._sequence = runtime.sequence
    runtime.sequence += 1
    if runtime.checks:
        node._site = call_site()
    if modes.word() & ANOMALY:
        import traceback
        node.metadata["traceback_"] = traceback.format_stack()


def connect(node, inputs):
    """Point ``node`` at what made its inputs."""
    begin(node)
    ends = []
    numbers = None
    for position in range(len(inputs)):
        if not isinstance(inputs[position], TensorBase):
            ends.append(None)
            continue
        tensor = inputs[position]       # a name with a type in history.pxd: its fields are C fields
        end = gradient_target(tensor)
        ends.append(end)
        if end is None and tensor._cut is not None:
            take_in(node, tensor._cut)
        if tensor._output_nr != 0:
            if numbers is None:
                numbers = [0] * len(inputs)
            numbers[position] = tensor._output_nr
    node._targets = untrack(tuple(ends))
    node._numbers = None if numbers is None else tuple(numbers)


def connect_pair(node, x, y):
    """:func:`connect` for two operands, of which the second may be a number."""
    begin(node)
    if not isinstance(y, TensorBase):
        node._targets = untrack((gradient_target(x), None))
        if x._output_nr != 0:
            node._numbers = (x._output_nr, 0)
        return
    tensor = y                          # the same, as `y` cannot have one
    one, other = gradient_target(x), gradient_target(tensor)
    node._targets = untrack((one, other))
    if (one is None and x._cut is not None) or (other is None and tensor._cut is not None):
        take_in(node, tensor._cut if one is not None else x._cut)
    shape = node._shape
    if shape is not None and (len(shape) > 2 or len(shape) == 2 and shape[0] == shape[1]) and runtime.checks:
        look_at_shapes(node, x, tensor)
    if x._output_nr != 0 or tensor._output_nr != 0:
        node._numbers = (x._output_nr, tensor._output_nr)


def identity(tensor, source):
    """The values of ``tensor``, with a history that leads to ``source`` in one step."""
    node = Identity()
    connect(node, (source,))
    node._shape, node._dtype = tensor._array.shape, tensor._dtype
    result = alias_of(tensor, tensor._array, "view")
    result._node = node
    return result


def not_implemented(operation, tensor, inputs):
    """A node for ``tensor`` that says that ``operation`` has no derivative."""
    node = DerivativeNotImplemented()
    node.operation = operation
    connect(node, inputs)
    node._shape, node._dtype = tensor._array.shape, tensor._dtype
    return node


def record_not_implemented(operation, tensor, inputs):
    """Let the history of ``tensor`` end at ``operation``, which has no derivative."""
    tensor._node, tensor._output_nr, tensor._requires_grad = not_implemented(operation, tensor, inputs), 0, False
    tensor._history_version = tensor._counter.version
