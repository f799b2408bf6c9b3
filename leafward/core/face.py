"""What users see of a declared op's node, in PyTorch's terms: its edges and what it kept."""
from ..errors import GraphFreedError
from .plan import plan_for
from .saved import Saved
from .slots import INPUT, OPTION, OUTPUT

#: PyTorch's names of what a rule asks for by ours.
NAMES = {"self": "x", "other": "y", "result": "out"}


def shown_places(node):
    """Which of ``node._targets`` are edges in PyTorch: those of inputs that can have a gradient.

    A number has an edge where PyTorch makes a tensor of it (``mul``), and none where it has a form of the op
    for numbers (``fill_``, ``pow``): there the node is called after the kind of its inputs.
    """
    op = node._plan.op
    count = len(node._targets) - len(op.inputs) + 1          # of the tensors of a sequence input
    places, place = [], 0
    for position in range(len(op.inputs)):
        width = count if position == op.variadic_at else 1
        if op.differentiable[position] and (node._given == 0 or node._given >> position & 1):
            places.extend(range(place, place + width))
        place += width
    if node._given == 0 and type(node) is op.number_class and op.number_class is not op.node_class:
        places.pop()                                        # the fast path of a tensor and a number
    return places


def saved_value(node, name):
    """``node._saved_self`` and the like: what was kept; None for what another pattern of inputs would keep."""
    op = node._plan.op
    wanted = NAMES.get(name.removeprefix("_saved_"), name.removeprefix("_saved_"))
    everything = (1 << len(op.inputs)) - 1
    for slot in plan_for(op, everything).slots:
        if name_of(op, slot) == wanted:
            break
    else:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")
    if slot not in node._plan.slots:
        return None
    if node._values is None:
        raise GraphFreedError(node=node)
    value = node._values[node._plan.slots.index(slot)]
    if isinstance(value, Saved):
        return value.unpack(node, True)
    if isinstance(value, list) and value and isinstance(value[0], Saved):
        return tuple([v.unpack(node, True) for v in value])
    return value


def name_of(op, slot):
    """What a rule calls the content of a slot; None for shapes and residuals, which PyTorch does not show so."""
    kind, position = slot
    if kind == INPUT:
        return op.inputs[position]
    if kind == OUTPUT:
        return op.outputs[position] if op.outputs and op.outputs != ("*",) else "out"
    return op.options[position] if kind == OPTION else None
