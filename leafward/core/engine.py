"""Backward: the youngest node first, every gradient to whoever is waiting for it, no recursion.

Arrays are handed on, not copied, so one array may be several things at once: a gradient on its way to two targets, what a
node saved, what a hook was shown. Only what is *owned* may be written, or become the ``.grad`` of a leaf: an array that
the engine made itself (a sum, a gradient cast to its leaf), or that a rule of an op made for this one leaf, or for views
of it (:meth:`Backward.made_for`). Anything else is copied. Nothing depends on who happens to hold references.
"""
import heapq
from contextvars import copy_context

from leafward.errors import (
    GraphFreedError, InplaceGradientError, anomaly_traceback, shape_of_gradient_error, trust,
)
from leafward.core import modes
from leafward.core.accumulate import accumulate, accumulating, add_into, fitted, holds_part, is_part, refuse_interior, sum_of
from leafward.core.former import former_of
from leafward.core.from_array import new_tensor, tensor_from_array
from leafward.core.mode_bits import ANOMALY, PROFILER
from leafward.core.native import untrack
from leafward.core.nested import LEVELS, with_a_fresh_stack
from leafward.core.node import Node
from leafward.core.pending import Call, Pending
from leafward.core.recording import OpNode, as_shown, hands_on, is_view
from leafward.core.hook_results import call_accumulated, checked_hook_result, checked_hook_results
from leafward.core.runtime import quietly, runtime
from leafward.core.shown import shown as shown_to_users, tell_of_writes
from leafward.core.tensor import COMPILED, TensorBase, array_of
from leafward.core.views import CopySlices


def compiled():
    """Whether the core runs compiled."""
    return COMPILED


#: Whether gradients are looked at for NaN and inf: see :attr:`Backward.finite`.
NEVER, FROM_TIME_TO_TIME, ALWAYS = range(3)
#: How many cuts one backward remembers.
MET = 64


class Backward:
    """One run: what it may free, whether it is recorded, and what it was asked to return."""

    def __init__(self, retain, recorded, captures, finite=FROM_TIME_TO_TIME):
        self.retain = retain
        self.recorded = recorded        # rules run on tensors: a graph is made, or levels take part
        self.graph = recorded           # users' hooks and functions are recorded
        self.captures = captures        # {target: {output number: places in the answer}} or None; with no places, a leaf
                                        # accumulates
        self.answer = []
        self.needed = None
        self.tasks = {}
        self.heap = []
        self.met = None                 # the cuts on its way (cuts.py)
        self.contributions, self.position = None, 0     # what the node that runs gave, and which of it is being delivered
        self.after = None               # functions to call when every gradient has arrived
        self.depth = 0                  # how many other runs it is inside of
        self.next = None                # the only node that is ready, while there is just one
        self.call = Call()
        self.birth = None
        # Whether each node is asked if it gave NaN or inf: in the first calls from each place, and seldom afterwards.
        number = self.call.number
        self.finite = not recorded and (finite == ALWAYS or (
            finite == FROM_TIME_TO_TIME and captures is None and number > 0 and (number <= 3 or number % 64 == 0)))
        self.outside = copy_context()
        self.watched = modes.word() & (ANOMALY | PROFILER) != 0

    def run(self, roots, numbers, grads):
        """Send ``grads`` from ``roots`` to every leaf that asked for one."""
        self.count_dependencies(roots)
        if self.captures is not None:
            self.find_needed(roots)
        for root in roots:
            self.tasks[root].count += 1
        for root, number, grad in zip(roots, numbers, grads, strict=True):
            self.deliver(root, self.tasks[root], number, grad, None, 0, False)
        while self.next is not None or self.heap:
            if self.next is not None:
                node, self.next = self.next, None
            else:
                node = heapq.heappop(self.heap)[2]
            self.visit(node, self.tasks.pop(node))
        while self.after:
            self.run_user_code(self.after.pop(0))
        return self.answer

    def ready(self, node):
        """Queue a node, the youngest first. In a chain there is only ever one, and no queue is needed."""
        if self.next is None and not self.heap:
            self.next = node
            return
        if self.next is not None:
            heapq.heappush(self.heap, (-self.next._sequence, id(self.next), self.next))
            self.next = None
        heapq.heappush(self.heap, (-node._sequence, id(node), node))

    def count_dependencies(self, roots):
        """How many gradients each target will be sent."""
        tasks = self.tasks
        stack = []
        for root in roots:
            if root not in tasks:
                tasks[root] = untrack(Pending())            # only this run holds it, and lets go
                if isinstance(root, Node):
                    stack.append(root)
        while stack:
            node = stack.pop()
            if node._cut is not None:
                self.meet(node._cut)
            for target in node._targets:
                if target is None:
                    continue
                pending = tasks.get(target)
                if pending is None:
                    pending = tasks[target] = untrack(Pending())
                    if isinstance(target, Node):
                        stack.append(target)
                    elif target._cut is not None:
                        self.meet(target._cut)
                pending.count += 1

    def meet(self, record):
        """Note a cut beside the way."""
        if self.met is None:
            self.met = []
        if len(self.met) < MET and record not in self.met:
            self.met.append(record)

    def find_needed(self, roots):
        """Which targets lead to a tensor that was asked for: the others do no work."""
        needed = self.needed = {}
        for root in roots:
            stack = [(root, 0)]
            while stack:
                target, position = stack.pop()
                if position == 0:
                    if target in needed:
                        continue
                    needed[target] = target in self.captures
                if not isinstance(target, Node):
                    continue
                if position > 0:
                    child = target._targets[position - 1]
                    if child is not None and needed[child]:
                        needed[target] = True
                if position < len(target._targets):
                    stack.append((target, position + 1))
                    child = target._targets[position]
                    if child is not None and child not in needed:
                        stack.append((child, 0))

    def visit(self, node, pending):
        """Run one node and pass its gradients on."""
        grads = [pending.grad] if node._metas is None else pending.grads or [None] * len(node._metas)
        hooks = node._hooks
        if hooks is not None:
            grads = self.run_tensor_hooks(hooks, grads)
        wanted = None
        if self.captures is not None:
            for number, places in self.captures.get(node, {}).items():
                for position in places:
                    self.answer[position] = grads[number]
            wanted = [t is not None and self.needed[t] for t in node._targets]
            if not any(wanted):
                return self.skip(node)
        if hooks is not None and hooks.pre:
            grads = self.through_node_hooks(hooks.pre, grads)
        # A view hands on what was made for it, in another shape, a clone as it is: there is nobody else who could have seen it.
        handed = pending.owned and hooks is None and self.captures is None and hands_on(node)
        contributions, kept = None, node._values        # (the node may be freed by its own work)
        for g in grads:
            if g is not None:
                contributions = self.pull_back(node, grads, wanted)
                break
        if contributions is None:
            return self.skip(node)
        if hooks is not None and hooks.post:
            contributions = self.through_node_hooks(hooks.post, as_shown(node, contributions), self.as_tensors(grads))
        self.contributions = contributions
        targets = node._targets
        numbers = node._numbers
        for position in range(len(targets)):
            target = targets[position]
            if target is not None:
                self.position = position
                grad = contributions[position] if wanted is None or wanted[position] else None
                waiting = self.tasks[target]
                owned = waiting.grad is None and (not isinstance(target, Node) or hands_on(target)) and (
                    handed and (grad is pending.grad or is_view(node) and is_part(grad, pending.grad))
                    or self.made_for(grad, node, grads, contributions, kept))
                self.deliver(target, waiting, 0 if numbers is None else numbers[position], grad, node, position, owned)
        self.contributions = None

    def made_for(self, grad, node, grads, contributions, kept):
        """Whether a rule of ``node`` made the array ``grad`` for one target alone.

        Rules may as well return the gradient they were given, a value that they saved, or one array for two inputs; or a
        view of what they made, of which nothing else may be left out.
        """
        if grad is None or self.recorded or (node._hooks is not None and node._hooks.post):
            return False
        if not isinstance(node, OpNode):
            return isinstance(node, CopySlices) and self.position == 0      # the gradient of the base, put together there
        if type(grad) is not runtime.ndarray:
            return False
        made = grad.base
        if made is None:
            made = grad
        elif type(made) is not runtime.ndarray or made.base is not None or made.dtype is not grad.dtype or (
                made.nbytes != grad.nbytes or not grad.flags.c_contiguous or not grad.flags.writeable):
            return False
        count = 0
        for c in contributions:
            if is_part(c, made):
                count += 1
        if count > 1:
            return False
        for g in grads:
            if is_part(g, made):
                return False
        return kept is None or not holds_part(kept, made)

    def skip(self, node):
        """No gradient for ``node``: those behind it need not wait for one."""
        numbers = node._numbers
        for position, target in enumerate(node._targets):
            if target is not None:
                self.deliver(target, self.tasks[target], 0 if numbers is None else numbers[position], None, node, position,
                             False)

    def pull_back(self, node, grads, wanted):
        """The node's own work, with zeros for outputs that got no gradient."""
        if node._metas is not None and not node._takes_none:
            for number, g in enumerate(grads):
                if g is None and node._metas[number] is not None:
                    grads[number] = self.zeros(*node._metas[number])
        if self.watched:
            contributions = self.watched_pull_back(node, grads, wanted)
        elif isinstance(node, OpNode):
            op_node = node                      # a name with a type in engine.pxd: calls by it are C calls
            contributions = op_node.run_rules(grads, self.recorded, wanted)
            if self.finite:
                self.look_for_nonfinite(node, grads, contributions)
            if not self.retain:
                op_node.release_saved(self.call)
            return contributions
        else:
            contributions = self.other_pull_back(node, grads, wanted)
        if not self.retain:
            node._free(self.call)
        return contributions if type(contributions) is list else list(contributions)

    def look_for_nonfinite(self, node, grads, contributions):
        """Find the first node that made NaN or inf of finite gradients: it is told if that comes to a leaf."""
        for contribution in contributions:
            if contribution is not None and not runtime.xp.is_finite(contribution):
                self.finite = False
                for grad in grads:
                    if grad is not None and not runtime.xp.is_finite(grad):
                        return                              # from outside, or from a hook: nobody made it here
                self.birth = trust("birth_of_nonfinite")(node, grads, contributions)
                return

    def other_pull_back(self, node, grads, wanted):
        """Any node's own work: rules with the array library quiet, a user's backward in the user's context."""
        if node._runs_user_code:
            return self.run_user_code(node.pull_back, grads, self.recorded, wanted)
        return node.pull_back(grads, self.recorded, wanted)

    def watched_pull_back(self, node, grads, wanted):
        """The same under a profiler, which times it, or in anomaly mode: show the forward traceback, refuse nan."""
        state = modes.current()
        if state.profiler is not None:
            with state.profiler.timed("autograd::engine::evaluate_function: " + node.name()):
                contributions = self.other_pull_back(node, grads, wanted)
            return contributions
        try:
            contributions = self.other_pull_back(node, grads, wanted)
            if state.check_nan:
                for number, c in enumerate(contributions):
                    array = array_of(c) if isinstance(c, TensorBase) else c
                    if array is not None and runtime.xp.has_nan(array):
                        raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")
        except Exception:
            anomaly_traceback(node)
            raise
        return contributions

    def run_user_code(self, function, *args):
        """Run a user's hook or function: in the caller's context, not the quiet one, recording as backward does."""
        if modes.grad_enabled() == self.graph:
            return self.outside.run(function, *args)
        with modes.recording(self.graph):
            return self.outside.run(function, *args)

    def zeros(self, shape, dtype):
        array = runtime.xp.zeros(shape, dtype=dtype)
        return new_tensor(array, dtype) if self.recorded else array

    def deliver(self, target, pending, number, grad, source, position, owned):
        """Hand ``grad`` (or nothing) to ``target``, where ``pending`` is; when all have arrived, it is that target's turn.

        It is what ``source`` computed for its input number ``position``; ``owned``: nobody else has it.
        """
        metas = None
        if isinstance(target, Node):
            node, leaf = target, None           # names with types in engine.pxd: their fields are read as C fields
            metas = node._metas
        else:
            node, leaf = None, target
        if grad is not None:
            if metas is not None:
                shape, dtype = metas[number]
            elif leaf is None:
                shape, dtype = node._shape, node._dtype
            else:
                shape, dtype = leaf._array.shape, leaf._dtype
                if leaf._accumulator is not None and source is not None:
                    if (former := former_of(leaf, source)) is not None:
                        shape, dtype, ended = former
                        grad = self.deliver_to_former(leaf, self.match_input(grad, shape, dtype, source, position), ended)
                        owned = False
            if grad is not None and not runtime.same_kind(grad, shape, dtype):
                given, grad = grad, self.match_input(grad, shape, dtype, source, position)
                array = grad._array if self.recorded else grad
                if type(array) is not runtime.ndarray and runtime.xp.is_sparse(array):
                    grad = grad if leaf is not None or node._runs_user_code else self.dense(grad)
                    owned = False
                else:
                    owned = owned if grad is given else leaf is not None and not self.recorded and grad.base is None
        if grad is not None:
            if metas is not None:
                if pending.grads is None:
                    pending.grads = [None] * len(metas)
                old = pending.grads[number]
                pending.grads[number] = grad if old is None else self.add(old, grad)
            elif pending.grad is None:
                pending.grad = grad
                pending.owned = owned
            elif leaf is not None and leaf._accumulator is not None and shape_of(grad) != shape_of(pending.grad):
                raise shape_of_gradient_error(source, position, shape_of(grad), shape_of(pending.grad))
            elif pending.owned:
                add_into(pending.grad, grad)
            else:
                pending.grad = self.add(pending.grad, grad)
                pending.owned = not self.recorded
        pending.count -= 1
        if pending.count == 0:
            if leaf is None:
                self.ready(node)
            else:
                del self.tasks[target]
                self.accumulate_or_capture(leaf, pending)

    def deliver_to_former(self, leaf, grad, ended):
        """Add ``grad`` to a ``leaf`` that was something else, by itself, as others may not fit it; what is left to deliver."""
        if self.captures is not None and (ended or self.captures.get(leaf) != {}):
            return None if ended else grad
        waiting = Pending()
        waiting.grad = grad
        self.accumulate_or_capture(leaf, waiting)

    def match_input(self, grad, shape, dtype, source, position):
        """Sum ``grad`` back to the input's shape and cast it back to its dtype."""
        if self.recorded:
            if not isinstance(grad, TensorBase):
                grad = tensor_from_array(runtime.asarray(grad))
            if grad._array.shape != shape:
                if not runtime.xp.reducible(grad._array.shape, shape):
                    raise shape_of_gradient_error(source, position, grad._array.shape, shape)
                grad = runtime.recorded.sum_to(grad, shape)
            if grad._dtype is not dtype:
                grad = runtime.recorded.cast_gradient(grad, dtype)
            return grad
        return fitted(grad, shape, dtype, source, position)

    def dense(self, grad):
        """A sparse gradient as the rules of ops take it."""
        return grad.to_dense() if self.recorded else runtime.xp.sparse.dense(grad)

    def add(self, a, b):
        """The sum of two gradients for one target."""
        return a + b if self.recorded else sum_of(a, b)

    def run_tensor_hooks(self, hooks, grads):
        """Tensor hooks, then ``retain_grad``: what they leave is what is asked for, and what the node's prehooks see."""
        grads = list(grads)
        for number, tensor_hooks in list(hooks.tensor.items()):
            if grads[number] is not None:
                grads[number] = self.through_hooks(tensor_hooks, grads[number])
        for number, reference in list(hooks.retain.items()):
            tensor = reference()
            if tensor is not None and grads[number] is not None:
                keep = self.as_tensor(grads[number])
                tensor._grad = keep if tensor._grad is None else tensor._grad + keep
                if not self.recorded:
                    tensor._grad = tensor._grad.detach().clone()
        return grads

    def through_hooks(self, hooks, grad):
        """Each hook sees the gradient that the one before it left."""
        tensor = self.as_tensor(grad)
        for hook in list(hooks.values()):
            answer = self.run_user_code(hook, tensor)
            tell_of_writes(tensor, "a hook")
            tensor = checked_hook_result(hook, tensor, answer)
        return self.as_grad(tensor)

    def through_node_hooks(self, hooks, grads, *others):
        """The same for the hooks of a node, which see and return one gradient for each of ``grads``."""
        shown = self.as_tensors(grads)
        for hook in list(hooks.values()):
            answer = self.run_user_code(hook, shown, *others)
            for tensor in (*shown, *[t for given in others for t in given]):
                if tensor is not None:
                    tell_of_writes(tensor, "a hook")
            shown = checked_hook_results(hook, shown, answer)
        return [None if g is None else self.as_grad(g) for g in shown]

    def as_tensors(self, grads):
        return tuple([None if g is None else self.as_tensor(g) for g in grads])

    def as_tensor(self, grad):
        """A gradient as users see it."""
        return shown_to_users(grad, self)

    def as_grad(self, tensor):
        """And back."""
        return tensor if self.recorded else array_of(tensor)

    def accumulate_or_capture(self, leaf, pending):
        """All of a leaf's gradient is there: add it to ``.grad``, or put it into the answer."""
        grad = pending.grad
        hooks = leaf._hooks
        # What a hook was shown it may keep, or have returned from elsewhere.
        owned = pending.owned and (hooks is None or not (hooks.tensor or hooks.pre))
        if hooks is not None and grad is not None and hooks.tensor:
            for tensor_hooks in list(hooks.tensor.values()):
                grad = self.through_hooks(tensor_hooks, grad)
        if self.birth is not None and grad is not None and not runtime.xp.is_finite(grad):
            birth, self.birth = self.birth, None
            trust("tell_nonfinite")(birth)
        if self.captures is not None:
            asked = self.captures.get(leaf)
            if asked is None or asked:
                for places in () if asked is None else asked.values():
                    for position in places:
                        self.answer[position] = grad
                return
        if hooks is not None and grad is not None and hooks.pre:
            grad = self.through_node_hooks(hooks.pre, [grad])[0]
        if grad is not None and (leaf._node is not None or leaf._base is not None):
            refuse_interior(leaf)
        if grad is None or not leaf._requires_grad:
            return
        with accumulating:
            if leaf._grad is None and not self.recorded and type(grad) is runtime.ndarray:
                if not (owned and grad.flags.c_contiguous and leaf._array.flags.c_contiguous
                        and (grad.base is None or grad.base.nbytes == grad.nbytes)):
                    grad = runtime.xp.laid_out_like(grad, leaf._array)
                # (of a former dtype, perhaps; hooks that come after see it itself, as in PyTorch)
                leaf._grad = new_tensor(grad, leaf._dtype) if leaf._accumulator is None else tensor_from_array(grad)
            else:
                accumulate(leaf, grad, self.recorded)
        if hooks is not None:
            for hook in list(hooks.accumulated.values()):
                self.run_user_code(call_accumulated, hook, leaf)
            if hooks.post:
                self.through_node_hooks(hooks.post, [], self.as_tensors([grad]))


def shape_of(grad):
    return grad._array.shape if isinstance(grad, TensorBase) else grad.shape


def run_backward(roots, numbers, grads, retain, recorded, captures, places, graph=True, finite=FROM_TIME_TO_TIME):
    """One backward. ``captures``: what to return instead of accumulating; ``places``: how many answers.

    ``recorded``: gradients are tensors, as they are for ``create_graph`` and inside forward-mode and vmap levels, where
    ``graph`` says whether there is a graph of them.
    """
    task = Backward(retain, recorded, captures, finite)
    task.answer = [None] * places
    for root in roots:
        if isinstance(root, Node) and root._sequence > task.call.root:
            task.call.root = root._sequence
    state = modes.current()
    outer, state.backward = state.backward, task
    if outer is not None:
        task.depth = outer.depth + 1
    was = modes.grad_enabled()
    if recorded and state.levels:
        task.graph = graph
    if recorded and was != task.graph:
        modes.set_grad_enabled(task.graph)
    try:
        if (task.depth + 1) % LEVELS == 0:
            work = task.run, (roots, numbers, grads)
            return with_a_fresh_stack(*work) if recorded else with_a_fresh_stack(quietly, work)
        # One quiet context for the whole run: entering one for each rule would cost a fifth of a small op's backward.
        return task.run(roots, numbers, grads) if recorded else quietly(task.run, (roots, numbers, grads))
    except Exception as error:
        if isinstance(error, InplaceGradientError) and not error.roots:
            error.roots = tuple(roots)
        if isinstance(error, GraphFreedError) and error.call is None:
            error.call = task.call
            error.root = max((r for r in roots if isinstance(r, Node)), key=lambda node: node._sequence)
        raise
    finally:
        state.backward = outer
        if captures is None:
            state.reached = task.call, task.met
        if recorded and was != task.graph:
            modes.set_grad_enabled(was)
