"""Registering hooks on one module, or on all of them.

A hook is a function that a module calls around its ``forward``, around its backward, or when something is registered.
Every ``register_*`` returns a handle: ``handle.remove()`` takes the hook out again.
"""
from __future__ import annotations

from collections import OrderedDict
from typing import Any, TYPE_CHECKING

from leafward.utils.hooks import RemovableHandle

if TYPE_CHECKING:
    from collections.abc import Callable

# Hooks on every module, by handle id.
forward_pre = OrderedDict()
forward = OrderedDict()
forward_with_kwargs = OrderedDict()
forward_always_called = OrderedDict()
backward_pre = OrderedDict()
backward = OrderedDict()
parameter_registration = OrderedDict()
buffer_registration = OrderedDict()
module_registration = OrderedDict()

#: Whether the global backward hooks are full ones: None while there have been none.
backward_is_full = None


def add_hook(registry, hook, prepend=False, extra_registries=()):
    """Put ``hook`` into ``registry`` under a new id, first if ``prepend``; mark the id in the ``also`` registries."""
    handle = RemovableHandle(registry, extra_dict=list(extra_registries))
    registry[handle.id] = hook
    if prepend:
        registry.move_to_end(handle.id, last=False)
    return handle


class Hooks:
    """The part of :class:`Module` that registers hooks."""

    # False until the first hook: the one thing that a plain call looks at. Global hooks set it on the class.
    _may_have_hooks = False

    def _expect_hooks(self):
        self.__dict__["_may_have_hooks"] = True

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:
        """Call ``hook(module, args)`` before every forward; what it returns, if anything, replaces ``args``.

        With ``with_kwargs`` it is ``hook(module, args, kwargs)`` and returns both or None.
        """
        handle = add_hook(self._forward_pre_hooks, hook, prepend, [self._forward_pre_hooks_with_kwargs])
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        self._expect_hooks()
        return handle

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after every forward; what it returns, if anything, replaces ``output``.

        With ``with_kwargs`` it is ``hook(module, args, kwargs, output)``; with ``always_call`` it runs even if forward
        raised, with an output of None.
        """
        handle = add_hook(self._forward_hooks, hook, prepend,
                          [self._forward_hooks_with_kwargs, self._forward_hooks_always_called])
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        self._expect_hooks()
        return handle

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the module's backward; what it returns replaces ``grad_output``."""
        self._expect_hooks()
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` after backward; what it returns replaces ``grad_input``."""
        self._choose_backward_kind(full=True)
        return add_hook(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The older form: sees only the last node of the module. Use :meth:`register_full_backward_hook`."""
        self._choose_backward_kind(full=False)
        return add_hook(self._backward_hooks, hook)

    def _choose_backward_kind(self, full):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on a single Module. "
                               "Please use only one of them.")
        self._is_full_backward_hook = full
        self._expect_hooks()

    def _get_backward_hooks(self):
        """All backward hooks that apply, as ``(full, older)``."""
        full, older = [], []
        (full if backward_is_full else older).extend(backward.values())
        (full if self._is_full_backward_hook else older).extend(self._backward_hooks.values())
        return full, older

    def _get_backward_pre_hooks(self):
        return [*backward_pre.values(), *self._backward_pre_hooks.values()]


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, args)`` before the forward of every module."""
    Hooks._may_have_hooks = True
    return add_hook(forward_pre, hook)


def register_module_forward_hook(hook: Callable[..., Any], *, with_kwargs: bool = False,
                                 always_call: bool = False) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after the forward of every module."""
    Hooks._may_have_hooks = True
    handle = add_hook(forward, hook, extra_registries=[forward_with_kwargs, forward_always_called])
    if with_kwargs:
        forward_with_kwargs[handle.id] = True
    if always_call:
        forward_always_called[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before the backward of every module."""
    Hooks._may_have_hooks = True
    return add_hook(backward_pre, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` after the backward of every module."""
    return _register_global_backward(hook, full=True)


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """The older form of :func:`register_module_full_backward_hook`: sees only each module's last node."""
    return _register_global_backward(hook, full=False)


def _register_global_backward(hook, full):
    global backward_is_full
    if backward_is_full is (not full):
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
                           "Please use only one of them.")
    backward_is_full = full
    Hooks._may_have_hooks = True
    return add_hook(backward, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, parameter)`` at every registration; what it returns is registered instead."""
    return add_hook(parameter_registration, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` at every registration; what it returns is registered instead."""
    return add_hook(buffer_registration, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(module, name, child)`` at every registration; what it returns is registered instead."""
    return add_hook(module_registration, hook)
