"""What users see of a node, in PyTorch's terms: its edges, what it kept, and what it computes.

The engine needs none of it. Methods of ``Node`` that only users call come here by ``runtime.introspection``.
"""
import sys
import weakref
from importlib import import_module

from leafward.errors import GraphFreedError, trust
from leafward.core import modes
from leafward.core.accumulate import accumulate
from leafward.core.former import accumulator_of
from leafward.core.node import Hooks, Node
from leafward.core.plan import plan_for
from leafward.core.runtime import quietly, runtime
from leafward.core.saved import Saved
from leafward.core.slot_codes import INPUT, OPTION, OUTPUT
from leafward.core.tensor import TensorBase, array_of
from leafward.core.from_array import new_tensor, tensor_from_array

#: PyTorch's names of what a rule asks for by ours.
NAMES = {"self": "x", "other": "y", "result": "out"}


# --- the edges ----------------------------------------------------------------------------------------------------------

def next_functions(node):
    """The nodes that ``node`` sends gradients to, each with its output number, as PyTorch lists them."""
    targets, numbers = node._targets, node._numbers
    return tuple([(None if targets[position] is None else node_of(targets[position]),
                   0 if numbers is None else numbers[position])
                  for position in node.shown_places()])


def explain(node, limit):
    """What ``node.explain()`` tells."""
    return trust("explain_node")(node, limit)


class Accumulate(Node):
    """``AccumulateGrad``: what a leaf shows where PyTorch shows a node. The leaf itself keeps the hooks."""

    def __init__(self, variable):
        self.variable = variable
        self._targets = ()

    def name(self):
        return "torch::autograd::AccumulateGrad"

    def own_hooks(self):
        if self.variable._hooks is None:
            self.variable._hooks = Hooks()
        return self.variable._hooks

    def pull_back(self, grads, recorded, wanted):
        accumulate(self.variable, grads[0], recorded)
        return []


Accumulate.__name__ = Accumulate.__qualname__ = "AccumulateGrad"


def node_of(target):
    """What ``next_functions`` shows for an edge: a node, or the accumulator of a leaf."""
    if isinstance(target, Node):
        return target
    accumulator = accumulator_of(target)
    node = accumulator.shown() if accumulator.shown is not None else None
    if node is None:
        node = Accumulate(target)
        accumulator.shown = weakref.ref(node)
    return node


def shown_places(node):
    """Which of ``node._targets`` are edges in PyTorch: those of inputs that can have a gradient.

    A number has an edge where PyTorch makes a tensor of it (``mul``), and none where it has a form of the op
    for numbers (``fill_``, ``pow``): there the node is called after the kind of its inputs.
    """
    op = node._plan.op
    count = len(node._targets) - len(op.inputs) + 1          # of the tensors of a sequence input
    places, index = [], 0
    for position in range(len(op.inputs)):
        width = count if position == op.variadic_at else 1
        if op.differentiable[position] and (node._given == 0 or node._given >> position & 1):
            places.extend(range(index, index + width))
        index += width
    if node._given == 0 and type(node) is op.number_class and op.number_class is not op.node_class:
        places.pop()                                        # the fast path of a tensor and a number
    return places


# --- what it kept -------------------------------------------------------------------------------------------------------

def saved_value(node, name):
    """``node._saved_self`` and the like: what was kept; None for what another pattern of inputs would keep."""
    slot = slot_called(node, name, "_saved_")
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


def slot_called(node, name, prefix):
    """The slot that ``name`` after ``prefix`` means; AttributeError if no rule of the op asks for such a thing."""
    op = node._plan.op
    name_there = name.removeprefix(prefix)
    wanted = NAMES.get(name_there, name_there)
    everything = (1 << len(op.inputs)) - 1
    for slot in plan_for(op, everything).slots:
        if name_of(op, slot) == wanted:
            return slot
    raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")


def saved_names(node):
    """Every ``_saved_self`` that :func:`saved_value` knows of ``node``, and ``_raw_saved_self`` for tensors."""
    op = node._plan.op
    shown = {ours: name for name, ours in NAMES.items()}
    found = []
    for slot in plan_for(op, (1 << len(op.inputs)) - 1).slots:
        name = name_of(op, slot)
        if name is not None:
            found.append("_saved_" + shown.get(name, name))
            if slot[0] != OPTION:
                found.append("_raw_saved_" + shown.get(name, name))
    return sorted(found)


def name_of(op, slot):
    """What a rule calls the content of a slot; None for shapes and residuals, which PyTorch does not show so."""
    kind, position = slot
    if kind == INPUT:
        return op.inputs[position]
    if kind == OUTPUT:
        return op.outputs[position] if op.outputs and op.outputs != ("*",) else "out"
    return op.options[position] if kind == OPTION else None


# --- hooks on one saved tensor ------------------------------------------------------------------------------------------

def raw_saved(node, name):
    """``node._raw_saved_self`` and the like: a :class:`SavedTensor`, or a tuple of them for a sequence of tensors."""
    slot = slot_called(node, name, "_raw_saved_")
    if slot[0] == OPTION:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '{name}'")
    if slot not in node._plan.slots:
        return SavedTensor(node, None)
    position = node._plan.slots.index(slot)
    kept = node._values[position] if node._values is not None else None
    if isinstance(kept, list):
        return tuple([SavedTensor(node, position, number) for number in range(len(kept))])
    return SavedTensor(node, position)


class SavedTensor:
    """One tensor that a node kept: ``data`` is the tensor, or what its pack hook made of it."""

    def __init__(self, node, position, number=None):
        self.node, self.position, self.number = node, position, number

    def kept(self):
        """The :class:`Saved`; None where this call kept nothing, or a number."""
        if self.position is None:
            return None
        if self.node._values is None:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of "
                               "the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True "
                               "if you need to backward through the graph a second time or if you need to access saved "
                               "variables after calling backward.")
        value = self.node._values[self.position]
        value = value if self.number is None else value[self.number]
        return value if isinstance(value, Saved) else None

    def register_hooks(self, pack_hook, unpack_hook):
        """Keep ``pack_hook(tensor)`` from now on, and in backward use what ``unpack_hook`` makes of that."""
        for hook in pack_hook, unpack_hook:
            if not callable(hook):
                raise TypeError(f"register_hooks(): incompatible function arguments: a {type(hook).__name__} cannot be called")
        saved = self.kept()
        if saved is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if saved.packed is not None:
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one "
                               "pair of hooks is allowed at a time.")
        saved.pack((lambda tensor: pack_hook(tensor.detach()), unpack_hook), saved.leaf)

    def unpack(self):
        """The tensor."""
        saved = self.kept()
        return None if saved is None else saved.unpack(self.node, True)

    @property
    def data(self):
        saved = self.kept()
        return saved.packed[0] if saved is not None and saved.packed is not None else self.unpack()

    @property
    def unpack_hook(self):
        saved = self.kept()
        return saved.packed[1] if saved is not None and saved.packed is not None else None


# --- the node as a function ---------------------------------------------------------------------------------------------

def run(node, grads):
    """``node(*grads)``: the gradient for each edge that ``next_functions`` shows, None where there is none; one as itself."""
    metas = [(node._shape, node._dtype)] if node._metas is None else node._metas
    if len(grads) != len(metas):
        raise TypeError(f"expected {len(metas)} arguments, got {len(grads)} instead")
    for position, g in enumerate(grads):
        if g is not None and not isinstance(g, TensorBase):
            raise TypeError(f"argument {position} is not a Variable")
    recorded = modes.grad_enabled() or bool(modes.current().levels)
    if all(g is None for g in grads):
        results = [None] * len(node._targets)
    elif recorded:
        results = node.pull_back([zeros(*meta) if g is None else g for g, meta in zip(grads, metas, strict=True)], True, None)
    else:
        arrays = [array_of(zeros(*meta) if g is None else g) for g, meta in zip(grads, metas, strict=True)]
        results = quietly(node.pull_back, (arrays, False, None))
    shown = tuple([as_tensor(results[position]) for position in node.shown_places()])
    return shown[0] if len(shown) == 1 else shown


def html_of(node):
    """What a notebook shows of ``node``. By name, because ``trust`` sees the core and not the reverse."""
    return import_module("leafward.trust.pictures.notebook").node_html(node)


def zeros(shape, dtype):
    return new_tensor(runtime.xp.zeros(shape, dtype=dtype), dtype)


def as_tensor(grad):
    return grad if grad is None or isinstance(grad, TensorBase) else tensor_from_array(runtime.asarray(grad))


runtime.introspection = sys.modules[__name__]
