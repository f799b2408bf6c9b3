"""Recording on and off, as context managers and decorators."""
from __future__ import annotations

import functools
from threading import local
from typing import Any, Self, TYPE_CHECKING

from leafward.core import modes
from leafward.core.native import call_site
from leafward.core.nested import carried
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase

if TYPE_CHECKING:
    from typing import overload
    from leafward.tensor.annotations import F


def is_generator(function):
    """Whether calling ``function`` makes a generator."""
    import inspect                      # on first use: it takes a tenth of leafward's own import time
    return inspect.isgeneratorfunction(function)


class Switch:
    """A context manager that is also a decorator, of functions and of generator functions."""

    if TYPE_CHECKING:
        @overload
        def __call__(self, function: F) -> F: ...
        @overload                               # ``@no_grad`` without parentheses: what it makes is the function
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __call__(self, function: Any) -> Any:
        if isinstance(function, type):
            from leafward.errors import warn
            warn("Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions "
                 "or methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` "
                 "method and nothing else.", FutureWarning)
            function.__init__ = self(function.__init__)
            return function
        if is_generator(function):
            @functools.wraps(function)
            def generator(*args, **kwargs):
                # Only the generator's own steps run in the mode: what happens between them is the caller's.
                steps = function(*args, **kwargs)
                send, value = steps.send, None
                while True:
                    try:
                        with self.clone().beginning_at(function):
                            item = send(value)
                    except StopIteration as stop:
                        return stop.value
                    try:
                        value = yield item
                        send = steps.send
                    except GeneratorExit:
                        with self.clone():
                            steps.close()
                        raise
                    except BaseException as error:
                        send, value = steps.throw, error
            return generator

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with self.clone().beginning_at(function):
                return function(*args, **kwargs)
        return wrapper

    def clone(self) -> Self:
        return type(self)()

    #: The function that it decorates: what it cuts off is then told from there, and not from who calls it.
    decorated = None

    def beginning_at(self, function: Any) -> Self:
        self.decorated = function
        return self

    def block(self) -> Any:
        """Where the user's program turns recording off: the ``with``, or the decorated function."""
        if not runtime.checks:
            return None
        code = getattr(self.decorated, "__code__", None)
        return call_site() if code is None else (code, -1)


class GradSwitch(Switch):
    """Sets the grad mode inside the block, and puts back what it was."""

    enabled = True
    #: What it was where the block began, and what stood here then: one switch may be entered again inside itself.
    previous = None

    def __enter__(self) -> None:
        state = modes.current()
        was = modes.exchange_grad(self.enabled)
        self.previous = (was, state.block, self.previous)
        if was and not self.enabled:
            state.block = self.block()

    def __exit__(self, *exc: Any) -> None:
        enabled, modes.current().block, self.previous = self.previous
        modes.exchange_grad(enabled)


class no_grad(GradSwitch):
    """Inside, nothing is recorded.

    >>> import leafward as lw
    >>> x = lw.ones(2, requires_grad=True)
    >>> with lw.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    enabled = False

    def __new__(cls, function: Any = None) -> Self:
        return object.__new__(cls) if function is None else cls()(function)


class enable_grad(GradSwitch):
    """Inside, operations are recorded again."""

    enabled = True

    def __new__(cls, function: Any = None) -> Self:
        return object.__new__(cls) if function is None else cls()(function)


class set_grad_enabled(Switch):
    """Sets the grad mode at once; as a context manager, puts back what it was at the end."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}")
        self.mode = mode
        self.previous_block = modes.current().block
        self.previous = self.turn()

    def turn(self) -> bool:
        if not self.mode:
            modes.current().block = self.block()
        return modes.exchange_grad(self.mode)

    def put_back(self) -> None:
        modes.current().block = self.previous_block
        modes.set_grad_enabled(self.previous)

    def __call__(self, function: Any) -> Any:
        self.put_back()
        return super().__call__(function)

    def __enter__(self) -> None:
        self.turn()

    def __exit__(self, *exc: Any) -> None:
        self.put_back()

    def clone(self) -> Self:
        return set_grad_enabled(self.mode)


class inference_mode(Switch):
    """Inside, nothing is recorded, and what is made can never take part in a recording."""

    def __new__(cls, mode: Any = True) -> Self:
        return object.__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        self.mode = mode
        self.previous = []

    def __enter__(self) -> None:
        state = modes.current()
        self.previous.append((state.grad, state.inference, state.block))
        if self.mode:
            state.block = self.block()
        state.inference = self.mode
        state.grad = not self.mode
        state.changed()

    def __exit__(self, *exc: Any) -> None:
        state = modes.current()
        state.grad, state.inference, state.block = self.previous.pop()
        state.changed()

    def clone(self) -> Self:
        return inference_mode(self.mode)


class _unsafe_preserve_version_counter:
    """Inside, writes to ``tensors`` do not count as versions. Gradients that need the old bytes still warn."""

    def __init__(self, tensors):
        self.tensors = (tensors,) if isinstance(tensors, TensorBase) else tuple(tensors)

    def __enter__(self):
        self.versions = [t._counter.version for t in self.tensors]

    def __exit__(self, *exc):
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            tensor._counter.version = version


def is_grad_enabled() -> bool:
    """Whether operations are recorded now."""
    return modes.current().grad


def is_inference_mode_enabled() -> bool:
    return modes.current().inference


class Remembered(Switch):
    """A setting that changes nothing here, and is kept per thread: set at once, put back at the end of a ``with`` block."""

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)
        self.previous = remembered(type(self))
        setattr(settings, type(self).__name__, self.mode)

    def __enter__(self) -> None:
        setattr(settings, type(self).__name__, self.mode)

    def __exit__(self, *exc: Any) -> None:
        setattr(settings, type(self).__name__, self.previous)

    def clone(self) -> Self:
        return type(self)(self.mode)


settings = local()
carried.append(settings)


def remembered(kind):
    return getattr(settings, kind.__name__, True)


class set_multithreading_enabled(Remembered):
    """Whether backward may use other threads. It always runs on the calling one."""


class enforce_grad_layout_policy(Remembered):
    """Whether a gradient gets the strides of its leaf. It always does."""

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)


def is_multithreading_enabled() -> bool:
    """What :class:`set_multithreading_enabled` was told last: True at first."""
    return remembered(set_multithreading_enabled)
