"""Checkpointing: forget what a part of the forward saves, and compute it again when backward needs it."""
from __future__ import annotations

import itertools
import threading
import weakref
from contextlib import nullcontext
from typing import Any, Self, TYPE_CHECKING

from leafward.amp import autocast, get_autocast_dtype, is_autocast_enabled
from leafward.autograd import Function, backward, enable_grad, no_grad
from leafward.autograd.graph import saved_tensors_hooks
from leafward.core import modes
from leafward.core.cuts import cuts_inside
from leafward.core.nested import carried
from leafward.core.runtime import runtime
from leafward.core.tracebacks import short
from leafward.errors import warn
from leafward.tensor.random import get_rng_state, set_rng_state
from leafward.utils.selective import (
    SAC_IGNORED_OPS, CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts,
)
from leafward.utils.two_runs import TwoRuns, samples

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.tensor.annotations import Device

__all__ = ["SAC_IGNORED_OPS", "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "DefaultDeviceType",
           "GraphExecGroup", "SelectiveCheckpointContext", "check_backward_validity", "checkpoint", "checkpoint_sequential",
           "create_selective_checkpoint_contexts", "detach_variable", "get_device_states", "noop_context_fn",
           "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states"]


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not save what the first did."""


def casts_of_now():
    """A context in which calls are cast as they are now: backward runs outside of any ``autocast``."""
    return autocast("cpu", get_autocast_dtype("cpu"), is_autocast_enabled("cpu"))


def noop_context_fn() -> tuple[Any, Any]:
    """Two contexts that do nothing: for the forward, and for computing it again."""
    return nullcontext(), nullcontext()


@short
def checkpoint(function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None,
               context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn, determinism_check: str = "default",
               debug: bool = False, early_stop: bool = True, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)``, of which nothing is saved: backward runs ``function`` again.

    ``use_reentrant=False`` keeps the graph and computes what it saved on demand; ``True`` makes the whole call one node.
    The random state of the first run is set again for the second, unless ``preserve_rng_state=False``.

    >>> import leafward as lw
    >>> x = lw.tensor([0.0, 1.0], requires_grad=True)
    >>> lw.utils.checkpoint.checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False).sum().backward()
    >>> x.grad
    tensor([1.0000, 1.2534])
    """
    if use_reentrant is None:
        warn("torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch "
             "2.9, calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is "
             "recommended, but if you need to preserve the current default behavior, you can pass "
             "use_reentrant=True. Refer to docs for more details on the differences between the two variants.")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        reached = any(isinstance(x, runtime.tensor) and x.requires_grad for x in args)
        if reached or not runtime.checks or not modes.grad_enabled():
            return CheckpointFunction.apply(function, preserve, *args)
        with cuts_inside("reentrant"):                      # nothing that function computes with gets a gradient
            return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    forward_context, second_context = context_fn()
    stop = early_stop if EarlyStop.forced is None else EarlyStop.forced
    run = Run(function, args, kwargs, second_context, preserve, determinism_check == "default", stop)
    with saved_tensors_hooks(run.pack, run.unpack), forward_context:
        result = function(*args, **kwargs)
    run.runs.ran()
    return result


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Run a chain of functions (an ``nn.Sequential``, or a list) in ``segments`` parts, all but the last checkpointed."""
    if use_reentrant is None:
        warn("torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed "
             "explicitly. In version 2.9 we will raise an exception if use_reentrant is not passed. "
             "use_reentrant=False is recommended, but if you need to preserve the current default behavior, you "
             "can pass use_reentrant=True. Refer to docs for more details on the differences between the two "
             "variants.")
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    chain = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(chain) // segments

    def through(part):
        def run(x):
            for function in part:
                x = function(x)
            return x
        return run
    starts = range(0, size * (segments - 1), size)
    for start in starts:
        input = checkpoint(through(chain[start:start + size]), input, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return through(chain[len(starts) * size:])(input)


# -- on demand -----------------------------------------------------------------------------------------------------


class EarlyStop:
    """What :class:`set_checkpoint_early_stop` asks for; None where nothing does."""

    forced = None


class set_checkpoint_early_stop:
    """Inside, whether the second run stops as soon as everything that was saved is there again."""

    def __init__(self, enable: bool) -> None:
        self.enable = enable

    def __enter__(self) -> None:
        self.previous, EarlyStop.forced = EarlyStop.forced, self.enable

    def __exit__(self, *exc: Any) -> None:
        EarlyStop.forced = self.previous


class set_checkpoint_debug_enabled(nullcontext):
    """For compatibility: errors of checkpoints say what differs in any case."""

    def __init__(self, enabled: bool) -> None:
        super().__init__()


class GraphExecGroup:
    """Inside, several backward calls over different parts of a graph compute a checkpointed function once for all of them."""

    current = threading.local()
    carried.append(current)

    def __enter__(self) -> Self:
        if (inside := self._get_current_group()) is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {inside}")
        self.current.group = self
        return self

    def __exit__(self, *exc: Any) -> None:
        self.current.group = None

    @classmethod
    def _get_current_group(cls):
        return getattr(cls.current, "group", None)


class Complete(Exception):
    """Ends a second run that has saved everything."""


class Holder:
    """Stands in the graph for one saved tensor: what it was like, and its number in the run."""

    def __init__(self, number, tensor):
        self.number = number
        self.described = described(tensor)
        self.samples = samples(tensor)


def described(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


#: What a run outside of any backward is filed under: ``y.grad_fn._saved_self``.
class Outside:
    pass


class Run:
    """One checkpointed call: how to do it again, and what the second runs saved, one for each backward."""

    def __init__(self, function, args, kwargs, context, preserve, check, early_stop):
        self.function, self.args, self.kwargs, self.context = function, args, kwargs, context
        self.check, self.early_stop = check, early_stop
        self.random = get_rng_state() if preserve else None
        self.casts = casts_of_now()
        self.tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, runtime.tensor)]
        self.versions = [x._version for x in self.tensors]
        self.runs = TwoRuns(function, self.tensors, preserve)
        self.places = []                                    # weak references to the places, in order
        self.second = weakref.WeakKeyDictionary()           # backward -> {number: value}

    def pack(self, tensor):
        holder = Holder(len(self.places), tensor)
        self.places.append(weakref.ref(holder))
        return holder

    def unpack(self, holder):
        group = GraphExecGroup._get_current_group()
        running = group or modes.current().backward or Outside()
        values = self.second.get(running)
        if values is None:
            self.second[running] = values = self.again()
        try:
            return values.pop(holder.number)
        except KeyError:
            if group is not None:
                raise CheckpointError("torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                                      "unpacked once. Performing two backward calls that overlap (i.e. require the same saved "
                                      "activation in order to compute gradients) is not allowed while under the "
                                      "torch.utils.checkpoint.GraphExecGroup context.") from None
            raise CheckpointError("torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
                                  "once. If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
                                  "Otherwise please open an issue with details on your use case.") from None

    def again(self):
        """Call the function once more: what it saves this time, by number."""
        self.refuse_written()
        self.runs.runs_again()
        values = {}
        count = itertools.count()

        def pack(tensor):
            number = next(count)
            if number >= len(self.places):
                raise CheckpointError("torch.utils.checkpoint: trying to save more tensors during recomputation than during "
                                      "the original forward pass.")
            if number < len(self.places) and self.places[number]() is not None:
                values[number] = tensor.detach()
            if self.early_stop and number + 1 == len(self.places):
                raise Complete
            return tensor.detach()

        before = get_rng_state() if self.random is not None else None
        try:
            if before is not None:
                set_rng_state(self.random)
            with saved_tensors_hooks(pack, lambda tensor: tensor), enable_grad(), self.casts, self.context:
                self.function(*self.args, **self.kwargs)
        except Complete:
            pass
        finally:
            if before is not None:
                set_rng_state(before)
        self.compare(values, next(count))
        return values

    def refuse_written(self):
        for x, version in zip(self.tensors, self.versions, strict=True):
            if x._version != version:
                raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                                   f"operation: an input of shape {list(x.shape)} of a checkpointed function is at version "
                                   f"{x._version}; expected version {version} instead. Checkpoint a copy: x.clone().")

    def compare(self, values, count):
        """Raise if the second run did not save tensors like those of the first."""
        if count != len(self.places):
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original "
                                  f"forward and recomputation.\nNumber of tensors saved during forward: {len(self.places)}\n"
                                  f"Number of tensors saved during recomputation: {count}.\n")
        if not self.check:
            return
        differing = []
        for number, value in values.items():
            holder = self.places[number]()
            if holder is not None and holder.described != described(value):
                differing.append(f"tensor at position {number}:\nsaved metadata: {holder.described}\n"
                                 f"recomputed metadata: {described(value)}")
        if differing:
            raise CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have different "
                                  "metadata than during the forward pass.\n" + "\n".join(differing) + "\n.\n")
        kept = [(self.places[number](), value) for number, value in sorted(values.items())]
        self.runs.tell_if_different([(holder.samples, value) for holder, value in kept if holder is not None])


# -- as one node -----------------------------------------------------------------------------------------------------


def detach_variable(inputs: Any) -> tuple[Any, ...]:
    """``inputs`` as leaves that want a gradient where these do."""
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: " + type(inputs).__name__)
    return tuple([x.detach().requires_grad_(x.requires_grad) if isinstance(x, runtime.tensor) else x for x in inputs])


def check_backward_validity(inputs: Any) -> None:
    """Warn if no input wants a gradient: the call would have none."""
    if not any(isinstance(x, runtime.tensor) and x.requires_grad for x in inputs):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


def samples_of(outputs):
    """Some of the values of each output; None for what is no tensor."""
    several = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    return [samples(o) if isinstance(o, runtime.tensor) else None for o in several]


class CheckpointFunction(Function):
    """A call as one node, whose backward runs it again and goes back through that."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: Any, *args: Any):
        check_backward_validity(args)
        ctx.function = function
        ctx.random = get_rng_state() if preserve else None
        ctx.casts = casts_of_now()
        ctx.places = [k for k, x in enumerate(args) if isinstance(x, runtime.tensor)]
        ctx.args = [None if k in ctx.places else x for k, x in enumerate(args)]
        ctx.save_for_backward(*[args[k] for k in ctx.places])
        ctx.runs = TwoRuns(function, (), preserve)
        with no_grad():
            outputs = function(*args)
        ctx.runs.ran()
        ctx.samples = samples_of(outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: Any):
        running = modes.current().backward
        if running is not None and running.captures is not None:
            raise RuntimeError("When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                               "`inputs` parameter to .backward(). To resolve this error, you can either set "
                               "use_reentrant=False, or call .backward() without passing the `inputs` argument.")
        args = list(ctx.args)
        for k, x in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[k] = x
        args = detach_variable(tuple(args))
        ctx.runs.runs_again()
        before = get_rng_state() if ctx.random is not None else None
        try:
            if before is not None:
                set_rng_state(ctx.random)
            with enable_grad(), ctx.casts:
                outputs = ctx.function(*args)
        finally:
            if before is not None:
                set_rng_state(before)
        again = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        if len(again) == len(ctx.samples):
            ctx.runs.tell_if_different([(was, o) for was, o in zip(ctx.samples, again, strict=True)
                                        if isinstance(o, runtime.tensor)])
        outputs = (outputs,) if isinstance(outputs, runtime.tensor) else outputs
        pairs = [(o, g) for o, g in zip(outputs, grads, strict=True)
                 if isinstance(o, runtime.tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *[x.grad if isinstance(x, runtime.tensor) else None for x in args])


# -- the random state of devices: there are none beside the CPU ----------------------------------------------------------


class DefaultDeviceType:
    """The kind of device whose random state :class:`CheckpointFunction` keeps too."""

    name = "cpu"

    @staticmethod
    def set_device_type(device: Device = "cpu") -> None:
        DefaultDeviceType.name = device

    @staticmethod
    def get_device_type() -> str:
        return DefaultDeviceType.name


def get_device_states(*args: Any) -> tuple[list[Any], list[Any]]:
    """``(devices, their random states)`` of the devices of ``args``: none."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: Any = None) -> None:
    """Put back what :func:`get_device_states` gave."""
    if len(devices):
        raise RuntimeError(f"there are no devices {list(devices)}: leafward computes on the CPU")
