"""A node of the graph: one recorded call, where it came from and what it kept."""
from collections import OrderedDict

from leafward.core.handle import RemovableHandle
from leafward.core.runtime import runtime


class Node:
    """One call in the history of a tensor: its ``grad_fn``.

    ``targets`` says where the gradient of each input goes: another node, a leaf tensor, or None;
    ``numbers`` which output of that node it was (None: all 0). ``shape`` and ``dtype`` describe its output
    (``metas`` a list of them, with several outputs). ``cut`` says where the history of another input ended, if one did.
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

    def _repr_html_(self):
        return runtime.introspection.html_of(self)

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    @property
    def next_functions(self):
        """The nodes that this one sends gradients to, each with its output number, as PyTorch lists them."""
        return runtime.introspection.next_functions(self)

    def shown_places(self):
        """Which of ``targets`` users see."""
        return range(len(self._targets))

    def __call__(self, *grads):
        """What it sends to ``next_functions`` for these gradients of its outputs: by its rules alone, without any hook."""
        return runtime.introspection.run(self, grads)

    @property
    def requires_grad(self):
        """True: it would not be there otherwise."""
        return True

    def _sequence_nr(self):
        """How many nodes were made before it."""
        return self._sequence

    def explain(self, limit=60):
        """Tell in words how what it gives was computed, as ``leafward.explain`` of its result does."""
        return runtime.introspection.explain(self, limit)

    @property
    def metadata(self):
        """A dict for the user's own notes."""
        if self._notes is None:
            runtime.cycles = True
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


if __file__.endswith(".py"):            # interpreted; compiled, node.pxd gives the layout
    for field in ("_targets", "_numbers", "_values", "_site", "_shape", "_dtype", "_metas", "_hooks", "_notes", "_freed_by",
                  "_cut"):
        setattr(Node, field, None)
    Node._sequence = 0
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


def behind(ends, last=None):
    """Every target that gradients from ``ends`` come to, these among them, each once and in no order.

    ``last(node)``: whether the walk does not go on behind ``node``.
    """
    stack, seen = list(ends), set()
    while stack:
        end = stack.pop()
        if end is None or end in seen:
            continue
        seen.add(end)
        yield end
        if isinstance(end, Node) and (last is None or not last(end)):
            stack.extend(end._targets)


class Hooks:
    """The hooks of a node or a leaf, each kind in order of registration."""

    def __init__(self):
        runtime.cycles = True
        self.tensor = {}                # output number -> {id: hook(grad)}
        self.pre = OrderedDict()        # which, unlike a dict, a handle can refer to weakly
        self.post = OrderedDict()
        self.retain = {}                # output number -> weak reference to the tensor that keeps its grad
        self.accumulated = OrderedDict()                # leaves: called after the gradient was added

    def add(self, kind, hook, number=None):
        hooks = getattr(self, kind)
        if number is not None:
            hooks = hooks.setdefault(number, OrderedDict())
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return handle
