"""The history of a declared op: the node of one call, which runs the rules of its plan in backward."""
from leafward import dtypes
from leafward.errors import GraphFreedError
from leafward.core.history import connect, wants_grad
from leafward.core.node import Node
from leafward.core.plan import plan_for, save
from leafward.core.native import allocate
from leafward.core.runtime import runtime
from leafward.core.saved import Saved
from leafward.core.slot_codes import ASK_GRAD, ASK_OUTPUT_GRAD, ASK_WANTED
from leafward.core.tensor import TensorBase
from leafward.core.from_array import tensor_from_array

#: Types of options that a choice among nodes is remembered for, and how many choices of an op are.
SIMPLE = frozenset({type(None), bool, int, float, str, dtypes.dtype})
CHOICES = 256
#: Node classes by name: ops that share a name share the class.
node_classes = {}


class OpNode(Node):
    """The node of a declared op: it runs the rules of its plan."""

    def shown_places(self):
        return runtime.introspection.shown_places(self)

    def __getattr__(self, name):
        if name.startswith(("_saved_", "_raw_saved_")):
            shown = runtime.introspection
            return shown.saved_value(self, name) if name.startswith("_saved_") else shown.raw_saved(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self):
        return [*object.__dir__(self), *runtime.introspection.saved_names(self)]

    def pull_back(self, grads, recorded, wanted):
        return self.run_rules(grads, recorded, wanted)

    def run_rules(self, grads, recorded, wanted):
        """Unpack what was kept, and call each wanted rule with what it asks for."""
        plan = self._plan
        values = self._values
        if values is None:
            raise GraphFreedError(node=self)
        if plan.saves_tensors:
            unpacked = []
            for value in values:
                if isinstance(value, Saved):
                    saved = value           # a name with a type in recording.pxd: its fields are C fields
                    unpacked.append(saved.unpack(self, recorded))
                elif isinstance(value, list) and value and isinstance(value[0], Saved):
                    unpacked.append([v.unpack(self, recorded) for v in value])
                else:
                    unpacked.append(value)
            values = unpacked
        if recorded and plan.op.residuals:
            values = as_tensors(values)
        if plan.widens and not recorded and self.gives_half():
            values, grads = widened(values), widened(grads)
        xp = runtime.recorded if recorded else runtime.xp
        results = [None] * plan.width
        kept = None
        for step in plan.steps:
            if wanted is not None and not self.any_wanted(step, wanted):
                continue
            result = self.ask_kernel(step, values, grads) if step.kernel is not None and not recorded else None
            if result is None and step.tapes is not None and not recorded:
                result = self.play_tape(step, values, grads)
            if result is None:
                if kept is None:
                    kept = [*values, xp, grads[0] if self._metas is None else grads]
                if step.take is not None:
                    result = step.function(*step.take(kept))
                else:
                    result = step.function(*self.arguments(step, kept, grads))
            if step.joint:
                for position, part in zip(step.serves, result, strict=True):
                    if plan.wanted[position]:
                        results[position] = part
            else:
                results[step.first] = result
        if plan.variadic_at >= 0:
            return self.flatten(results)
        return results

    def ask_kernel(self, step, values, grads):
        """What the kernel of ``step`` makes of what its rule asks for, or None."""
        operands = step.operands
        if len(operands) == 2:
            return step.kernel(self.operand(operands[0], values, grads), self.operand(operands[1], values, grads))
        return step.kernel(*[self.operand(ask, values, grads) for ask in operands])

    def play_tape(self, step, values, grads):
        """What the rule of ``step`` comes to for what it asks for, or None."""
        args = []
        for ask in step.operands:
            args.append(tuple([self._plan.wanted[i] for i in step.serves]) if ask == ASK_WANTED
                        else self.operand(ask, values, grads))
        tape = step.tapes.find(args)
        return None if tape is None else tape.play(args)

    def operand(self, ask, values, grads):
        """What was kept in a slot, or the gradient of an output."""
        if ask == ASK_GRAD:
            return grads[0] if self._metas is None else grads
        if ask <= ASK_OUTPUT_GRAD:
            return grads[ASK_OUTPUT_GRAD - ask]
        return values[ask] if ask >= 0 else None

    def gives_half(self):
        """Whether an output is of a half type: the rules then compute in float32, and the engine rounds once."""
        if self._metas is None:
            return self._dtype is not runtime.float32 and self._dtype.itemsize == 2
        return any([meta is not None and meta[1].itemsize == 2 for meta in self._metas])

    def arguments(self, step, kept, grads):
        """What the rule of ``step`` asks for: of what was ``kept``, or the gradient of one of several outputs."""
        args = []
        for ask in step.asks:
            if ask <= ASK_OUTPUT_GRAD:
                args.append(grads[ASK_OUTPUT_GRAD - ask])
            elif ask == ASK_WANTED:
                args.append(tuple([self._plan.wanted[i] for i in step.serves]))
            else:
                args.append(kept[ask])
        return args

    def any_wanted(self, step, wanted):
        if self._plan.variadic_at >= 0:
            return True                                     # its targets are flattened: not worth sorting out
        for position in step.serves:
            if wanted[position]:
                return True
        return False

    def flatten(self, results):
        """Spread the gradients of the sequence input over its tensors."""
        at = self._plan.variadic_at
        several = results[at]
        if several is None:
            several = [None] * (len(self._targets) - len(results) + 1)
        return [*results[:at], *several, *results[at + 1:]]

    def _free(self, call):
        self.release_saved(call)

    def release_saved(self, call):
        """Free what was kept; a node that kept no tensor can be run again."""
        # A number beside a tensor counts as one, as in PyTorch: `x * 2` is freed. For a third operand it does not: `lerp`.
        if self._plan.saves_tensors and (self._plan.width < 3 or holds_saved(self._values)):
            self._freed_by = call
            self._values = None


def is_view(node):
    """Whether ``node`` is that of a view."""
    if not isinstance(node, OpNode):
        return False
    op_node = node                              # a name with a type in recording.pxd: its fields are C fields
    return op_node._plan.op.alias_at >= 0


def hands_on(node):
    """Whether ``node`` may hand on what was made for it: it is that of a view, or one input alone wants a gradient."""
    if not isinstance(node, OpNode):
        return False
    count = 0
    for target in node._targets:
        if target is not None:
            count += 1
    return count == 1 or is_view(node)


def holds_saved(values):
    """Whether a tensor, or a list of them, is among what was kept."""
    return values is not None and any([isinstance(v, (Saved, list)) for v in values])


def widened(values):
    """``values``, and those in lists among them, with half arrays in float32."""
    return [widened(value) if type(value) is list else runtime.xp.widened(value) for value in values]


def as_shown(node, contributions):
    """What the rules of ``node`` computed in float32 in the half type of the input that it is for: as hooks see it."""
    shown = []
    for position, grad in enumerate(contributions):
        target = node._targets[position]
        if type(grad) is runtime.ndarray and target is not None:
            several = isinstance(target, Node) and target._metas is not None
            number = 0 if node._numbers is None else node._numbers[position]
            dtype = target._metas[number][1] if several else target._dtype
            grad = runtime.xp.cast_gradient(grad, dtype) if dtype.itemsize == 2 else grad
        shown.append(grad)
    return shown


def as_tensors(values):
    """What was kept, with residuals as tensors without a history: constants of the recorded backward."""
    return [tensor_from_array(value) if type(value) is runtime.ndarray else value for value in values]


if __file__.endswith(".py"):            # interpreted; compiled, recording.pxd gives the layout
    OpNode._plan = None
    OpNode._given = 0               # one bit per input that was a tensor, where others were numbers and name the node; else 0


# -- its class -----------------------------------------------------------------------------------------------------------

def default_node_name(name):
    """``"log_softmax"`` -> ``"LogSoftmaxBackward0"``."""
    return "".join(part.capitalize() if part.islower() else part for part in name.strip("_").split("_")) + "Backward0"


def node_class(name):
    """The subclass of OpNode called ``name``, so that ``type(x.grad_fn).__name__`` is PyTorch's."""
    found = node_classes.get(name)
    if found is None:
        namespace = {"__slots__": (), "__module__": "leafward.autograd"}
        if "::" in name:                                    # torch::autograd::CopyBackwards
            namespace["name"] = lambda node: name
        # Of two threads the first one decides.
        found = node_classes.setdefault(name, type(name.rpartition("::")[2], (OpNode,), namespace))
    return found


def node_class_of(op):
    """The class of the nodes of ``op``, made when first needed. Ops that choose it by the call have one for their fast path."""
    if op.node_class is None:
        if op.node_choice is None or not (op.elementwise and op.positional == len(op.inputs) == 2):
            op.number_class = node_class(op.node if isinstance(op.node, str) else default_node_name(op.name))
            op.node_class = op.number_class
        else:
            op.number_class = op.node_choice((None, 1.0), op.default_options)
            op.node_class = op.node_choice((None, None), op.default_options)
    return op.node_class


# -- making it -----------------------------------------------------------------------------------------------------------

def wanted_mask(op, inputs):
    """One bit per input that wants a gradient and can have one."""
    mask = 0
    for position in range(len(inputs)):
        value = inputs[position]
        if not op.differentiable[position]:
            continue
        if isinstance(value, TensorBase):
            if wants_grad(value):
                mask |= 1 << position
        elif isinstance(value, list):
            for v in value:
                if isinstance(v, TensorBase) and wants_grad(v):
                    mask |= 1 << position
                    break
    return mask


def may_differ(op, number, output):
    """Whether output ``number`` can have a gradient: floating, and not declared without one."""
    dtype = output._dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        return False
    return not op.no_grad_outputs or op.outputs == ("*",) or op.outputs[number] not in op.no_grad_outputs


def is_recorded(op, view):
    """Whether a view that ``op`` makes gets a node: one of another dtype that is no view for autograd does not."""
    return may_differ(op, 0, view) and (view._base is not None or not op.retypes)


def any_differentiable(op, outputs):
    return any([may_differ(op, number, output) for number, output in enumerate(outputs)])


def record(op, mask, inputs, options, outputs, residuals, in_place):
    """Make the node of a call. ``outputs`` is a list; the caller hangs the node on them."""
    plan = plan_for(op, mask)
    node = new_node(op, inputs, options)
    node._plan = plan
    node._values = save(plan, inputs, options, outputs, residuals, in_place)
    if op.node_choice is not None:
        node._given = tensors_among(inputs)
    if op.variadic_at >= 0:
        at = op.variadic_at
        inputs = [*inputs[:at], *inputs[at], *inputs[at + 1:]]
    connect(node, inputs)
    describe_outputs(op, node, outputs)
    return node


def record_plain(op, with_number, mask, inputs, output):
    """The same for the fast paths, which connect the node: one output, options as declared, perhaps a number for a tensor."""
    plan = plan_for(op, mask)
    cls = node_class_of(op) if op.node_class is None else op.node_class
    node = allocate(op.number_class if with_number else cls)
    node._plan = plan
    node._values = save(plan, inputs, op.default_options, (output,), (), False)
    node._shape = output._array.shape
    node._dtype = output._dtype
    return node


def new_node(op, inputs, options):
    """An empty node of the class that ``op`` (and, for some, its options) calls for."""
    if op.node_choice is not None:
        return allocate(chosen_class(op, inputs, options))
    return allocate(node_class_of(op) if op.node_class is None else op.node_class)


def chosen_class(op, inputs, options):
    """The class of node that ``op`` chooses for a call: remembered for inputs of as many dims, and the same options."""
    key = []
    for position in range(len(inputs)):
        value = inputs[position]
        if isinstance(value, TensorBase):
            tensor = value              # a name with a type in recording.pxd: its fields are C fields
            key.append(tensor._array.ndim)
        else:
            key.append(type(value))
    for option in options:
        if type(option) not in SIMPLE and not (type(option) is tuple and is_simple(option)):
            return op.node_choice(inputs, options)
        key.append(option)
    key = tuple(key)
    cls = op.chosen.get(key)
    if cls is None:
        if len(op.chosen) >= CHOICES:
            op.chosen.clear()
        cls = op.chosen[key] = op.node_choice([Dims(value._array.ndim) if isinstance(value, TensorBase) else value
                                               for value in inputs], options)
    return cls


def is_simple(parts):
    """Whether each of ``parts`` is a number, or nothing else that has parts."""
    for part in parts:
        if type(part) not in SIMPLE:
            return False
    return True


class Dims:
    """What a choice of a node's class sees of a tensor: it can depend on nothing else."""

    def __init__(self, ndim):
        self.ndim = ndim


def renamed(node, cls):
    """A node of class ``cls`` in place of ``node``, which nothing else has seen yet: the same call under another name."""
    other = allocate(cls)
    other._targets, other._numbers, other._sequence, other._site = node._targets, node._numbers, node._sequence, node._site
    other._shape, other._dtype, other._metas = node._shape, node._dtype, node._metas
    other._plan, other._values, other._given, other._notes = node._plan, node._values, node._given, node._notes
    return other


def tensors_among(inputs):
    """One bit per input that is a tensor, or a sequence of them; 0 where none is a number."""
    mask = 0
    found = False
    for position in range(len(inputs)):
        if isinstance(inputs[position], (TensorBase, list)):
            mask |= 1 << position
        elif inputs[position] is not None:
            found = True
    return mask if found else 0


def describe_outputs(op, node, outputs):
    """Give ``node`` the shape and dtype of its outputs."""
    if op.outputs:
        node._metas = tuple([(t._array.shape, t._dtype) for t in outputs])
        node._takes_none = op.takes_none
    else:
        node._shape = outputs[0]._array.shape
        node._dtype = outputs[0]._dtype
