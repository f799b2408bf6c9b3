"""``autograd.Function``: an operation whose derivative the user writes."""
from __future__ import annotations

import functools
from typing import Any, TYPE_CHECKING

from leafward.core import modes
from leafward.core.history import connect, wants_grad
from leafward.core.from_array import alias_of, new_tensor
from leafward.core.introspection import SavedTensor
from leafward.core.inplace import refuse
from leafward.core.transform_levels import innermost
from leafward.core.mode_bits import LEVELS
from leafward.core.node import Node
from leafward.core.runtime import runtime
from leafward.core.saved import keep
from leafward.core.shown import shown, tell_of_writes
from leafward.core.storage import record_write
from leafward.core.tensor import IN_FUNCTION, MULTI_OUTPUT, TensorBase, array_of, requires_grad
from leafward.core.views import move_retained_grad, rewrite_history
from leafward.errors import GraphFreedError, explained, trust, warn
from leafward.autograd.guard import GuardedCall, check_stashes

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.tensor.tensor import Tensor


#: Who looks at every call of a custom function: ``leafward check``.
observers = []


class FunctionCtx:
    """What a custom function notes about its call: the part of ``ctx`` that its forward fills in."""

    if TYPE_CHECKING:                           # whatever else a function notes, and what it was kept
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for backward: inputs and outputs of the function, checked for later writes."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``jvp``."""
        for value in tensors:
            if value is not None and not isinstance(value, TensorBase):
                raise AssertionError("save_for_forward expects all arguments to be tensors; you should save non-tensors as "
                                     "attributes on ctx.")
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward changed in place: they must be returned."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (True, the default) or None for outputs that had no gradient."""
        self._takes_none = not value

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Needless: which outputs share memory with inputs is seen."""
        warn("`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that calls to "
             "`set_()` are not tracked", FutureWarning)


class FunctionNode(FunctionCtx, Node):
    """The node of a custom function; it is also the ``ctx`` that forward and backward are given."""

    @property
    def saved_tensors(self):
        """What ``save_for_backward`` kept, checked; in ``jvp``, what ``save_for_forward`` kept."""
        if self.in_jvp:
            return self.saved_for_forward
        if self._freed_by is not None:
            raise GraphFreedError(node=self)
        if self._values is None:
            return ()
        saved = []
        for value in self._values:
            saved.append(None if value is None else self.as_saved_tensor(value))
        return tuple(saved)

    @property
    def saved_variables(self):
        """The old name of ``saved_tensors``."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self):
        """The same, each as a :class:`SavedTensor` that can be given hooks."""
        if self._freed_by is not None:
            raise GraphFreedError(node=self)
        return tuple([SavedTensor(self, position) for position in range(len(self._values or ()))])

    def __repr__(self):
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def __call__(self, *grads):
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def as_saved_tensor(self, saved):
        if saved.packed is not None:
            return saved.unpack(self, True)
        saved.unpack(self, False)                           # checks the versions
        return saved.unpack(self, True)

    def pull_back(self, grads, recorded, wanted):
        if self._values is None and self._freed_by is not None and self._had_saved:
            raise GraphFreedError(node=self)
        given = [None if g is None else shown(g) for g in grads]
        if self._stashes and runtime.checks:
            check_stashes(self, recorded and modes.grad_enabled())
        results = self._function.rule_of_backward()(self, *given)
        for tensor in given:
            if tensor is not None:
                tell_of_writes(tensor, f"{self._function.__name__}.backward")
        if not isinstance(results, tuple):
            results = (results,)
        expected = len(self.needs_input_grad)
        if len(results) > expected and all(r is None for r in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise self.unfit(f"returned an incorrect number of gradients (expected {expected}, got {len(results)})", results)
        for position, result in enumerate(results):
            if result is None:
                continue
            if position not in self._tensor_places:
                raise self.unfit(f"returned a gradient different than None at position {position + 1}, but the corresponding "
                                 "forward input was not a Variable", results)
            if not isinstance(result, TensorBase):
                raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
            if result._dtype.is_complex and not self.is_complex_input(position):
                raise RuntimeError("Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be "
                                   "true, but got false. The input is real: its gradient would lose the imaginary part")
        answer = [results[position] for position in self._tensor_places]
        return answer if recorded else [None if result is None else array_of(result) for result in answer]

    def unfit(self, sentence, results):
        """The error for gradients that are not one for each input; with the line that returned them, and the repair."""
        error = RuntimeError(f"function {self.name()} {sentence}")
        return explained(error, trust("about_returned")(self, results)) if runtime.checks else error

    def is_complex_input(self, position):
        """Whether the gradient of argument ``position`` of forward may be complex: it is, or none is wanted."""
        at = self._tensor_places.index(position)
        target = self._targets[at]
        if not isinstance(target, Node):
            return target is None or target._dtype.is_complex
        number = 0 if self._numbers is None else self._numbers[at]
        return (target._dtype if target._metas is None else target._metas[number][1]).is_complex


BackwardCFunction = FunctionNode                        # PyTorch's name of it
FunctionNode.to_save = FunctionNode.dirty_tensors = FunctionNode.non_differentiable = ()
FunctionNode._had_saved = FunctionNode.in_jvp = False
FunctionNode._stashes = ()
FunctionNode.saved_for_forward = ()
FunctionNode.needs_input_grad = ()


class FunctionMeta(type):
    """Gives each Function class the node class that its ``grad_fn``s are of."""

    def __init__(cls, name, bases, attributes):
        super().__init__(name, bases, attributes)
        cls._backward_cls = type(name + "Backward", (FunctionNode,), {"_function": cls, "__module__": cls.__module__})


class Function(metaclass=FunctionMeta):
    """An operation with a derivative of its own: subclass it, write ``forward`` and ``backward``, call ``apply``.

    >>> import leafward as lw
    >>> class Cube(lw.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x ** 3
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         x, = ctx.saved_tensors
    ...         return g * 3 * x ** 2
    >>> x = lw.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
             "should invoke them on the class itself. Instantiating an autograd function will raise an error in "
             "a future version of PyTorch.", DeprecationWarning)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use new-style "
                           "autograd function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    # A subclass chooses the parameters of these: written so, they fit any for a type checker.

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: ``forward(ctx, *args)``, or ``forward(*args)`` beside ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(*args: Any, **kwargs: Any) -> Any:
        """``setup_context(ctx, inputs, output)``: fill ``ctx`` after a ``forward`` that did not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(*args: Any, **kwargs: Any) -> Any:
        """``backward(ctx, *grad_outputs)``: the gradients, one per argument of forward (None where there is none)."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")

    @staticmethod
    def vjp(*args: Any, **kwargs: Any) -> Any:
        """The same as ``backward``, under its other name."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")

    @classmethod
    def rule_of_backward(cls):
        """``backward``, or ``vjp``: whichever there is."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                               "implement one of them.")
        return cls.vjp

    @staticmethod
    def vmap(*args: Any, **kwargs: Any) -> Any:
        """``vmap(info, in_dims, *args)``: ``(outputs, their batch dims)`` for a batch.

        ``in_dims`` are the batch dims of the arguments.
        """
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
                                  "generate_vmap_rule=True.")

    @staticmethod
    def jvp(*args: Any, **kwargs: Any) -> Any:
        """``jvp(ctx, *grad_inputs)``: the tangents of the outputs.

        ``grad_inputs`` are those of the arguments of forward (None where there is none).
        """
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with "
                                  "forward mode AD.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and record the call."""
        if modes.word() & LEVELS and (level := innermost(args)) is not None:
            return level.apply_function(cls, args)
        for observer in observers:
            observer.applied(cls, args, kwargs)
        output, ctx = cls.run(args, kwargs)
        for observer in observers:
            observer.returned(cls, ctx, output)
        return output

    @classmethod
    def run(cls, args, kwargs):
        """What ``apply`` does, whatever the levels: the output, and the node that is also the ``ctx``."""
        ctx = cls._backward_cls.__new__(cls._backward_cls)
        ctx._runs_user_code = True
        recording = modes.grad_enabled()
        needs = tuple([isinstance(a, TensorBase) and wants_grad(a) for a in args])
        ctx.needs_input_grad = needs
        recorded = recording and any(needs)
        watch = GuardedCall(ctx, cls, args, needs) if recorded and runtime.checks else None
        with modes.recording(False):
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        single = not isinstance(output, tuple)
        outputs = (output,) if single else output
        if watch is not None:
            watch.ended(outputs)
        for position, dirty in enumerate(ctx.dirty_tensors):
            if not isinstance(dirty, TensorBase):
                raise RuntimeError(f"mark_dirty can only accept variables, but argument {position} is of type "
                                   f"{type(dirty).__name__}")
        for value in ctx.non_differentiable:
            if not isinstance(value, TensorBase):
                raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {type(value).__name__}")
        for dirty in ctx.dirty_tensors:
            if not any(dirty is o for o in outputs):
                raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output."
                                   " The inputs that are modified inplace must all be outputs of the Function.")
        outputs = finish(cls, ctx, args, outputs, recorded)
        return outputs[0] if single else tuple(outputs), ctx


class InplaceFunction(Function):
    """A Function, as PyTorch once called those that write into their input."""


class NestedIOFunction(Function):
    """PyTorch's old functions of nested containers: there are none here."""

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("NestedIOFunction is not supported: subclass torch.autograd.Function, and pass its tensors "
                                  "as arguments one by one")


def finish(cls, ctx, args, outputs, recorded):
    """Turn what forward returned into outputs with a history."""
    inputs = [a for a in args if isinstance(a, TensorBase)]
    ctx._tensor_places = [position for position, a in enumerate(args) if isinstance(a, TensorBase)]
    results = []
    several = sum(isinstance(o, TensorBase) and not any(o is n for n in ctx.non_differentiable) for o in outputs) > 1
    for output in outputs:
        if not isinstance(output, TensorBase):
            results.append(output)
            continue
        is_dirty = any(output is d for d in ctx.dirty_tensors)
        if is_dirty:
            record_write(output, cls.__name__)
            refuse_dirty(output, cls, recorded, several)
        is_input = any(output is i for i in inputs)
        if (is_dirty or is_input) and requires_grad(output) and not may_differ(ctx, output, recorded):
            results.append(alias_of(output, output._array, "detach"))   # the input itself goes on requiring grad
            continue
        if is_dirty:
            results.append(output)
            continue
        if is_input:                                        # an input returned as it is: a view of it
            with modes.recording(False):
                output = output.view_as(output)
        elif output._base is None and (output._node is not None or output._requires_grad):
            output = alias_of(output, output._array, "view")  # forward recorded it on its own: that history ends here
        if output._base is not None:
            output._creation = MULTI_OUTPUT if several else IN_FUNCTION
        results.append(output)
    if recorded:
        connect(ctx, inputs)
        ctx._metas = tuple([(r._array.shape, r._dtype) if isinstance(r, TensorBase) else None for r in results])
        for number, (result, output) in enumerate(zip(results, outputs, strict=True)):
            if not isinstance(result, TensorBase) or not may_differ(ctx, output, recorded):
                continue
            if any(output is d for d in ctx.dirty_tensors) and result._base is not None:
                ctx._metas = None
                ctx._shape, ctx._dtype = result._array.shape, result._dtype
                rewrite_history(result, ctx)
                continue
            result._node, result._output_nr, result._requires_grad = ctx, number, False
            move_retained_grad(result)
    if ctx.to_save and recorded:
        ctx._had_saved = True
        ctx._values = [keep_one(ctx, position, t, outputs, results, recorded) for position, t in enumerate(ctx.to_save)]
        ctx.to_save = ()
    ctx.dirty_tensors = ctx.non_differentiable = ()
    return results


def may_differ(ctx, output, recorded):
    """Whether ``output`` of forward gets a history."""
    return (recorded and (output._dtype.is_floating_point or output._dtype.is_complex)
            and not any(output is n for n in ctx.non_differentiable))


def refuse_dirty(output, cls, recorded, several):
    """Raise if forward must not have written into ``output``; what it wrote stays written, and is noted."""
    if not recorded:
        return
    if output._base is None and output._requires_grad and output._node is None:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if output._base is not None and several:
        raise RuntimeError("If your Function modifies inplace an input that is a view of another Tensor, your Function "
                           "cannot return more than one Tensor. This is not supported by the current autograd engine. "
                           "You should either make sure the input is not a view (using .clone() for example) or make "
                           "your Function only return one Tensor (potentially splitting it into two Functions: one doing "
                           "the inplace that returns a single Tensor and a second one that does the other operations). "
                           "You can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.")
    refuse(output, True, cls.__name__)


def keep_one(ctx, position, tensor, outputs, results, recorded):
    if tensor is None:
        return None
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"save_for_backward can only save variables, but argument {position} is of type "
                        f"{type(tensor).__name__}")
    for number, output in enumerate(outputs):
        if tensor is output:
            result = results[number]
            return keep(result, recorded and result._node is ctx, number)
    return keep(tensor, False, 0)


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """For a ``backward`` that must not itself be differentiated: doing so raises."""
    @functools.wraps(function)
    def wrapper(ctx, *args):
        was = modes.current().grad
        with modes.recording(False):
            results = function(ctx, *args)
        if not was or not any(isinstance(a, TensorBase) and wants_grad(a) for a in args):
            return results
        single = not isinstance(results, tuple)
        refused = [r if r is None else refuse_second(r) for r in ((results,) if single else results)]
        return refused[0] if single else tuple(refused)
    return wrapper


class Refusal(Node):
    """Stands where a derivative was declared not to exist."""

    def pull_back(self, grads, recorded, wanted):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def refuse_second(result):
    node = Refusal.__new__(Refusal)
    node._targets, node._shape, node._dtype = (), result._array.shape, result._dtype
    connect(node, ())
    tensor = new_tensor(result._array, result._dtype)
    tensor._node = node
    return tensor


