"""A node of the graph: one recorded call, where it came from and what it kept."""
from leafward.errors import GraphFreedError
from leafward.core.runtime import runtime
from leafward.core.saved import Saved
from leafward.core.slot_codes import ASK_GRAD, ASK_OUTPUT_GRAD, ASK_WANTED


class Node:
    """One call in the history of a tensor: its ``grad_fn``.

    ``targets`` says where the gradient of each input goes: another node, a leaf tensor, or None;
    ``numbers`` which output of that node it was (None: all 0). ``shape`` and ``dtype`` describe its output
    (``metas`` a list of them, with several outputs).
    """

    def pull_back(self, grads, recorded, wanted):
        """The gradients for ``targets``, from those of the outputs. ``wanted``: which targets matter (None: all)."""
        raise NotImplementedError(f"{type(self).__name__} has no backward of its own")

    def _free(self, call):
        """Let go of what was kept; remember which call of backward freed it."""
        self._freed_by = call
        self._values = None

    def name(self):
        """The name that PyTorch gives this node: ``MulBackward0``."""
        return type(self).__name__

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    @property
    def next_functions(self):
        """The nodes that this one sends gradients to, each with its output number, as PyTorch lists them."""
        targets, numbers = self._targets, self._numbers
        return tuple([(None if targets[position] is None else node_of(targets[position]),
                       0 if numbers is None else numbers[position])
                      for position in self.shown_places()])

    def shown_places(self):
        """Which of ``targets`` users see."""
        return range(len(self._targets))

    def __call__(self, *grads):
        """What it sends to ``next_functions`` for these gradients of its outputs: by its rules alone, without any hook."""
        from leafward.core.introspection import run
        return run(self, grads)

    @property
    def requires_grad(self):
        """True: it would not be there otherwise."""
        return True

    def _sequence_nr(self):
        """How many nodes were made before it."""
        return self._sequence

    @property
    def metadata(self):
        """A dict for the user's own notes."""
        if self._notes is None:
            self._notes = {}
        return self._notes

    def register_hook(self, hook):
        """Call ``hook(grad_inputs, grad_outputs)`` after this node ran; a result replaces ``grad_inputs``."""
        return self.own_hooks().add("post", hook)

    def register_prehook(self, hook):
        """Call ``hook(grad_outputs)`` before this node runs; a result replaces them."""
        return self.own_hooks().add("pre", hook)

    def own_hooks(self):
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks


class OpNode(Node):
    """The node of a declared op: it runs the rules of its plan."""

    def shown_places(self):
        from leafward.core.introspection import shown_places
        return shown_places(self)

    def __getattr__(self, name):
        if name.startswith(("_saved_", "_raw_saved_")):
            from leafward.core.introspection import raw_saved, saved_value
            return saved_value(self, name) if name.startswith("_saved_") else raw_saved(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self):
        from leafward.core.introspection import saved_names
        return [*object.__dir__(self), *saved_names(self)]

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
                    saved = value
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
            if step.kernel is not None and not recorded:
                result = step.kernel(grads[0] if step.left == ASK_GRAD else values[step.left],
                                     grads[0] if step.right == ASK_GRAD else values[step.right])
                if result is not None:
                    results[step.first] = result
                    continue
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
    from leafward.core.from_array import tensor_from_array
    return [tensor_from_array(value) if type(value) is runtime.ndarray else value for value in values]


if __file__.endswith(".py"):            # interpreted; compiled, node.pxd gives the layout
    for field in ("_targets", "_numbers", "_values", "_plan", "_site", "_shape", "_dtype", "_metas", "_hooks", "_notes",
                  "_freed_by"):
        setattr(Node, field, None)
    Node._sequence = 0
    OpNode._given = 0               # one bit per input that was a tensor, where others were numbers and name the node; else 0
    Node._takes_none = False         # custom functions may ask for None instead of zeros
    Node._runs_user_code = False     # their backward runs in the user's context


class Identity(Node):
    """Passes the gradient on as it is."""

    def pull_back(self, grads, recorded, wanted):
        return [grads[0]]


class DifferentiatedInput(Identity):
    """Where an input of a differentiated function enters: gradients are taken here, and go on to where it came from."""

    closed = False              # its level has ended: nothing asks for a gradient here any more


class DerivativeNotImplemented(Node):
    """Stands where an operation has no derivative: ``NotImplemented`` in PyTorch."""

    def name(self):
        return "torch::autograd::NotImplemented"

    def pull_back(self, grads, recorded, wanted):
        raise RuntimeError(f"derivative for {self.operation} is not implemented")


def record_not_implemented(operation, tensor, inputs):
    """Let the history of ``tensor`` end at ``operation``, which has no derivative."""
    from leafward.core.call import connect
    node = DerivativeNotImplemented()
    node.operation = operation
    connect(node, inputs)
    node._shape, node._dtype = tensor._array.shape, tensor._dtype
    tensor._node, tensor._output_nr, tensor._requires_grad = node, 0, False
    tensor._history_version = tensor._counter.version


def identity(tensor, source):
    """The values of ``tensor``, with a history that leads to ``source`` in one step."""
    from leafward.core.call import connect
    from leafward.core.from_array import alias_of
    node = Identity()
    connect(node, (source,))
    node._shape, node._dtype = tensor._array.shape, tensor._dtype
    result = alias_of(tensor, tensor._array, "view")
    result._node = node
    return result


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
        from leafward.core.engine import accumulate
        accumulate(self.variable, grads[0], recorded)
        return []


Accumulate.__name__ = Accumulate.__qualname__ = "AccumulateGrad"


def node_of(target):
    """What ``next_functions`` shows for an edge: a node, or the accumulator of a leaf."""
    if isinstance(target, Node):
        return target
    accumulator = target._accumulator
    node = accumulator() if accumulator is not None else None
    if node is None:
        import weakref
        node = Accumulate(target)
        target._accumulator = weakref.ref(node)
    return node


class Handle:
    """What registering a hook returns: ``remove()`` takes the hook out again."""

    def __init__(self, hooks, key):
        self.hooks = hooks
        self.id = key

    def remove(self):
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


class Hooks:
    """The hooks of a node or a leaf, each kind in order of registration."""

    count = 0

    def __init__(self):
        self.tensor = {}                # output number -> {id: hook(grad)}
        self.pre = {}
        self.post = {}
        self.retain = {}                # output number -> weak reference to the tensor that keeps its grad
        self.accumulated = {}           # leaves: called after the gradient was added

    def add(self, kind, hook, number=None):
        hooks = getattr(self, kind)
        if number is not None:
            hooks = hooks.setdefault(number, {})
        Hooks.count += 1
        hooks[Hooks.count] = hook
        return Handle(hooks, Hooks.count)
