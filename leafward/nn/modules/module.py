"""``Module``: a tree of parameters, buffers and child modules with a ``forward``.

This file holds what a module *is*: its attributes, its call, its printed form. The rest stands beside it:
``traversal.py`` (walking the tree), ``movement.py`` (dtypes and devices), ``state_dict.py`` (saving and loading),
``hooks.py`` (registering hooks) and ``hooked_call.py`` (the call when there are any).
"""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self

from leafward.compat.jit import notice
from leafward.core.assigned import Log, note_assigned
from leafward.core.native import attribute_of
from leafward.core.runtime import runtime
from leafward.nn.modules import hooks, traversal
from leafward.nn.modules.hooked_call import HookedCall
from leafward.nn.modules.hooks import Hooks
from leafward.nn.modules.movement import Movement
from leafward.nn.modules.state_dict import _EXTRA_STATE_KEY_SUFFIX, StateDict, _IncompatibleKeys  # noqa: F401
from leafward.nn.modules.traversal import Traversal
from leafward.nn.modules.utils import add_indent, typename
from leafward.nn.parameter import Buffer, Parameter
from leafward.nn.plain_lists import PLAIN, note_plain
from leafward.tensor.missing import INSTEAD
from leafward.tensor.tensor import Tensor

__all__ = [
    "Module", "register_module_backward_hook", "register_module_buffer_registration_hook",
    "register_module_forward_hook", "register_module_forward_pre_hook", "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook", "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


_addindent = add_indent

#: Who wants to know of each ``train()`` and ``eval()``: called with the module and its new mode.
mode_observers: list[Callable[[Any, bool], None]] = []


def forward_is_missing(self: Any, *input: Any) -> Any:
    """What a module without a ``forward`` of its own does when it is called."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(HookedCall, Hooks, StateDict, Movement, Traversal):
    """A piece of a network: parameters, buffers and child modules, and a ``forward`` that uses them.

    Assigning a :class:`Parameter`, a :class:`Buffer` or a ``Module`` to an attribute registers it. A subclass calls
    ``super().__init__()`` before it does, and writes ``forward``; calling the module runs it, and the hooks around it.

    >>> from leafward import nn
    >>> class Scale(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = nn.Parameter(leafward.ones(1))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> [name for name, _ in Scale().named_parameters()]
    ['factor']
    """

    dump_patches = False
    call_super_init = False
    training: bool
    _version = 1

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        # Straight into __dict__: our own __setattr__ needs these to exist, and costs ten times as much.
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(),
            _backward_pre_hooks=OrderedDict(), _backward_hooks=OrderedDict(), _is_full_backward_hook=None,
            _forward_hooks=OrderedDict(), _forward_hooks_with_kwargs=OrderedDict(),
            _forward_hooks_always_called=OrderedDict(), _forward_pre_hooks=OrderedDict(),
            _forward_pre_hooks_with_kwargs=OrderedDict(), _state_dict_hooks=OrderedDict(),
            _state_dict_pre_hooks=OrderedDict(), _load_state_dict_pre_hooks=OrderedDict(),
            _load_state_dict_post_hooks=OrderedDict(), _modules={})
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = forward_is_missing

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if self._may_have_hooks:
                return self._call_impl(*args, **kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            from leafward.trust.layers import leave_layer
            leave_layer(error, self, args, kwargs)
            raise

    # --- registration -------------------------------------------------------------------------------------------

    def _check_new_name(self, kind, name, registry):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."' + (f", got: {name}" if kind == "module" else ""))
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in registry and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add ``param`` (a :class:`Parameter` or None) under ``name``."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_new_name("parameter", name, self._parameters)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' "
                            "(torch.nn.Parameter or None required)")
        if param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method.")
        for hook in hooks.parameter_registration.values():
            hook_result = hook(self, name, param)
            param = param if hook_result is None else hook_result
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add ``tensor`` (or None) under ``name``: moved with the module, saved if ``persistent``, never trained."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_new_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        for hook in hooks.buffer_registration.values():
            hook_result = hook(self, name, tensor)
            tensor = tensor if hook_result is None else hook_result
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add the child ``module`` (or None) under ``name``."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_new_name("module", name, self._modules)
        self._modules[name] = self._child_after_hooks(name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as :meth:`add_module`."""
        self.add_module(name, module)

    def _child_after_hooks(self, name, module):
        for hook in hooks.module_registration.values():
            hook_result = hook(self, name, module)
            module = module if hook_result is None else hook_result
        return module

    # --- attributes ---------------------------------------------------------------------------------------------

    if attribute_of is not None:
        __getattribute__ = attribute_of                     # what __getattr__ is asked for then is missing

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for registry in ("_parameters", "_buffers", "_modules"):
            if registry in own and name in own[registry]:
                return own[registry][name]
        advice = INSTEAD.get(f"nn.Module.{name}")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'" + (f"\n{advice}" if advice else ""))

    def __setattr__(self, name, value):
        own = self.__dict__
        parameters = own.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_parameters", "_buffers")
            own["_modules"][name] = self._child_after_hooks(name, value)
        elif "_modules" in own and name in own["_modules"]:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as child module '{name}' "
                                "(torch.nn.Module or None expected)")
            own["_modules"][name] = self._child_after_hooks(name, value)
        elif isinstance(value, Tensor) or name in own.get("_buffers", ()):
            self._set_tensor(name, value)
        else:
            object.__setattr__(self, name, value)
            if Log.waiting:
                note_assigned(self, name)
            if type(value) in PLAIN and runtime.checks:
                note_plain(self, name, value)

    def _set_tensor(self, name, value):
        """Assign a tensor that is no parameter, or assign anything over a buffer."""
        buffers = self.__dict__.get("_buffers")
        if isinstance(value, Buffer):
            if buffers is None:
                raise AttributeError("cannot assign buffer before Module.__init__() call")
            for registry in (self._parameters, self._modules):
                registry.pop(name, None)
            self.register_buffer(name, value, value.persistent)
        elif buffers is None or name not in buffers:
            object.__setattr__(self, name, value)
            if Log.waiting:
                note_assigned(self, name)
        elif value is not None and not isinstance(value, Tensor):
            raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' "
                            "(torch.nn.Buffer, torch.Tensor or None expected)")
        else:
            self.register_buffer(name, value, name not in self._non_persistent_buffers_set)

    def _forget(self, name, *registries):
        # An attribute lives in one place: a parameter assigned over a buffer, a child or a plain value replaces it.
        own = self.__dict__
        own.pop(name, None)
        for registry in registries:
            own[registry].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            object.__delattr__(self, name)

    def __setstate__(self, state):
        own = self.__dict__
        own.update(state)
        # Modules pickled by earlier versions lack the newer registries.
        for registry in ("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs",
                         "_forward_hooks_always_called", "_state_dict_hooks", "_state_dict_pre_hooks",
                         "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_backward_pre_hooks"):
            own.setdefault(registry, OrderedDict())
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: there is no graph compiler, and one notice says so, as of ``torch.compile``."""
        if not kwargs.get("disable"):
            notice("torch.nn.Module.compile")

    # --- modes --------------------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below it to training (or evaluation) behaviour."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for observer in mode_observers:
            observer(self, mode)
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Switch to evaluation behaviour: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Say whether the parameters want gradients."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or fill them with zeros."""
        for p in self.parameters():
            if p.grad is not None:
                traversal.reset_gradient(p, set_to_none)

    def apply(self, fn: Callable[..., Any]) -> Self:
        """Call ``fn`` on every module of the tree, children first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # --- printing -----------------------------------------------------------------------------------------------

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses of the printed form, besides the children."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): " + add_indent(repr(module), 2) for name, module in self._modules.items()]
        if not children and len(lines) == 1:
            return f"{self._get_name()}({lines[0]})"
        if not children and not lines:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"

    def _repr_html_(self) -> str:
        from leafward.trust.pictures.notebook import module_html
        return module_html(self)

    def __dir__(self):
        registered = [*self._parameters, *self._modules, *self._buffers]
        names = [*dir(type(self)), *self.__dict__, *registered]
        return sorted(n for n in names if not n[:1].isdigit())


register_module_forward_pre_hook = hooks.register_module_forward_pre_hook
register_module_forward_hook = hooks.register_module_forward_hook
register_module_backward_hook = hooks.register_module_backward_hook
register_module_full_backward_hook = hooks.register_module_full_backward_hook
register_module_full_backward_pre_hook = hooks.register_module_full_backward_pre_hook
register_module_parameter_registration_hook = hooks.register_module_parameter_registration_hook
register_module_buffer_registration_hook = hooks.register_module_buffer_registration_hook
register_module_module_registration_hook = hooks.register_module_module_registration_hook
