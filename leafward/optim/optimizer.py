"""``Optimizer``: parameter groups, state per parameter, and saving and loading both."""
from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from copy import deepcopy
from functools import wraps
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.core import modes
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.core.tracebacks import short
from leafward.distributed.shards import InParts, shown_in_parts
from leafward.errors import explained, trust, warn
from leafward.nn.modules.utils import typename
from leafward.optim.watching import WATCHED, optimizers, watch_step
from leafward.tensor.tensor import Tensor
from leafward.utils.hooks import RemovableHandle

if TYPE_CHECKING:
    from collections.abc import Callable


#: What an optimizer takes for its parameters.
ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
_params_t = ParamsT


class _RequiredParameter:
    """Stands for a default that the user must give."""

    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()


def refused(p):
    """The error for a tensor that was computed from others; with where that was, and the repair."""
    error = ValueError("can't optimize a non-leaf Tensor")
    return explained(error, trust("about_no_leaf")(p, False)) if runtime.checks and p.grad_fn._site is not None else error

# Hooks on every optimizer, by handle id.
global_pre_hooks = OrderedDict()
global_post_hooks = OrderedDict()


def add_hook(registry, hook, prepend=False):
    handle = RemovableHandle(registry)
    registry[handle.id] = hook
    if prepend:
        registry.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before every step of every optimizer."""
    return add_hook(global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after every step of every optimizer."""
    return add_hook(global_post_hooks, hook)


def with_hooks(step):
    """``step`` with the optimizer's hooks around it."""
    @wraps(step)
    def hooked_step(self, *args, **kwargs):
        self._opt_called = True               # what a scheduler looks at, to warn about the wrong order
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            return step(self, *args, **kwargs)      # what only wraps an optimizer, which has its own hooks
        if self.__dict__.get("_steps_watched", 0) < WATCHED and runtime.checks:
            watch_step(self)
        before, after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
        if not (before or after or global_pre_hooks or global_post_hooks):
            return step(self, *args, **kwargs)
        args = (self, *args)
        for hook in [*global_pre_hooks.values(), *before.values()]:
            hook_result = hook(self, args, kwargs)
            if hook_result is None:
                continue
            if not (isinstance(hook_result, tuple) and len(hook_result) == 2):
                raise RuntimeError(f"<function {type(self).__name__}.step at {id(step):#x}> must return None or a tuple of "
                                   f"(new_args, new_kwargs), but got {hook_result}.")
            args, kwargs = hook_result
        result = step(*args, **kwargs)
        for hook in [*after.values(), *global_post_hooks.values()]:
            hook(self, args, kwargs)
        return result
    return hooked_step


class Optimizer:
    """The base of all optimizers: groups of parameters, their options, and a state for each parameter.

    A subclass writes ``step``, which reads the options of ``param_groups`` and keeps what it needs in ``state[p]``.

    {params}
    defaults: the options of groups that do not set their own
    Raises: ValueError for no parameters at all, and for tensors that are no leaves, since they are computed anew each time

    >>> class SignDescent(Optimizer):
    ...     def step(self):
    ...         with lw.no_grad():
    ...             for group in self.param_groups:
    ...                 for p in group["params"]:
    ...                     p -= group["lr"] * p.grad.sign()
    >>> p = lw.ones(1, requires_grad=True)
    >>> (3 * p).sum().backward()
    >>> SignDescent([p], {"lr": 0.5}).step()
    >>> p
    tensor([0.5000], requires_grad=True)
    """

    #: Whether a step looks at a parameter as a whole, so that it cannot work on each rank's part.
    needs_whole_parameters = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = with_hooks(cls.__dict__["step"])

    @short
    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        optimizers.add(self)
        self._reached_before, self._made_in = modes.current().reached, call_site() if runtime.checks else None
        self._make_hook_registries()
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, "
                            f"but got {typename(params)}")
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hook_registries(self):
        for name in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre",
                     "load_state_dict_post"):
            self.__dict__.setdefault(f"_optimizer_{name}_hooks", OrderedDict())

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_hook_registries()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    # --- groups -------------------------------------------------------------------------------------------------

    @short
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a dict of ``params`` and options; the options it lacks are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params, names = self._read_params(param_group["params"])
        param_group["params"] = params
        if names is not None:
            param_group["param_names"] = names
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                 "an error; see github.com/pytorch/pytorch/issues/40967 for more information")
        others = {p for group in self.param_groups for p in group["params"]}
        if not others.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            which = "with" if "param_names" in param_group else "without"
            raise ValueError("all optimizer param groups should be with/without names. "
                             f"cannot add param group {which} names to the optimizer")
        self.param_groups.append(param_group)

    def _read_params(self, params):
        """The tensors of a group, and their names if they came with any; refused if they cannot be optimized."""
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of "
                            "tensors in sets will change between runs. Please use a list instead.")
        params = list(params)
        names = [p[0] for p in params if isinstance(p, tuple)]
        if names and len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        if names:
            params = [tensor for _, tensor in params]
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not (self.defaults.get("differentiable", None) or p.is_leaf or p.retains_grad):
                raise refused(p)
            if self.needs_whole_parameters and isinstance(p, InParts):
                raise NotImplementedError(f"{type(self).__name__} looks at whole parameters, and of these each rank has a "
                                          "part: use an optimizer that goes element by element, such as AdamW")
        return params, names or None

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget all gradients, or fill them with zeros."""
        if self.__dict__.get("_steps_watched", 0) < WATCHED and runtime.checks:
            reached = modes.current().reached
            self._cleared_at = None if reached is None else (reached[0], call_site())
        for group in self.param_groups:
            for p in group["params"]:
                g = p._grad
                if g is None:
                    continue
                if set_to_none:
                    p._grad = None
                    continue
                if g.grad_fn is not None:
                    g.detach_()
                else:
                    g.requires_grad_(False)
                g.zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters. ``closure``, if given, recomputes the loss and returns it."""
        raise NotImplementedError(f"{type(self).__name__} does not define step(closure=None): a subclass of Optimizer does")

    def _loss_of(self, closure):
        if closure is None:
            return None
        with lw.enable_grad():
            return closure()

    # --- saving and loading -------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """``{"state": {number: state}, "param_groups": [options and numbers]}``: parameters are numbered in order."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: shown_in_parts(k, v) for k, v in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            hook_result = hook(self, result)
            result = result if hook_result is None else hook_result
        return result

    @short
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned, of this or of an equally grouped optimizer."""
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            hook_result = hook(self, state_dict)
            state_dict = state_dict if hook_result is None else hook_result
        groups = self.param_groups
        saved = deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of "
                             "optimizer's group")
        params = {}
        for group, loaded in zip(groups, saved, strict=True):
            params.update(zip(loaded["params"], group["params"], strict=True))
            loaded["params"] = group["params"]
            if "param_names" in group:
                loaded.setdefault("param_names", group["param_names"])
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = like_param(params[key], value)
            else:
                state[key] = value
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # --- hooks --------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before every step; it may return both, changed."""
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after every step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before saving."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after saving; it may return another."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; it may return another."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def like_param(p, value, key=None):
    """Loaded state in the dtype of its parameter; the step count keeps its own."""
    if isinstance(value, Tensor):
        if isinstance(value, InParts):
            value = value.to_local()
        if key == "step" or not p.is_floating_point():
            return value
        return value.to(p.dtype)
    if isinstance(value, dict):
        return {k: like_param(p, v, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(like_param(p, v) for v in value)
    return value


# --- what the constructors share --------------------------------------------------------------------------------


def check_lr(lr):
    """Refuse a negative learning rate, and a tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(f"Invalid learning rate: {lr}")


def check_not_negative(value, name):
    """Refuse a negative (or NaN) option; ``name`` as the message has it."""
    if not 0.0 <= value:
        raise ValueError(f"Invalid {name} value: {value}")


def check_betas(betas):
    """Refuse betas outside [0, 1)."""
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


def check_fused(fused, foreach, differentiable):
    """Refuse combinations of implementations. leafward has one, whatever they say."""
    if fused:
        if differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def number(value):
    """A Python number for an option that may be a 0-dim tensor."""
    return value.item() if isinstance(value, Tensor) else value


def new_step():
    """A step count of zero, as PyTorch keeps it: a 0-dim float tensor."""
    return lw.tensor(0.0, dtype=_get_scalar_dtype())


# --- what authors of optimizers import from here ----------------------------------------------------------------

_get_value = number

_params_doc = "params: tensors, (name, tensor) pairs, or dicts that each describe a group of them"
_foreach_doc = "foreach: accepted; there is one implementation"
_fused_doc = "fused: accepted; there is one implementation"
_capturable_doc = "capturable: accepted; there is nothing to capture"
_maximize_doc = "maximize: go up instead of down"
_differentiable_doc = "differentiable: record the step, so that gradients flow through it"


def _use_grad_for_differentiable(step):
    """``step`` recorded if ``defaults["differentiable"]`` says so, and unrecorded otherwise."""
    @wraps(step)
    def step_in_mode(self, *args, **kwargs):
        with lw.set_grad_enabled(self.defaults["differentiable"]):
            return step(self, *args, **kwargs)
    return step_in_mode


def _to_scalar(x):
    """A tensor of one element as a 0-dim one; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() else x


def _get_scalar_dtype(is_fused=None):
    """The dtype of step counts."""
    return lw.float32 if is_fused or lw.get_default_dtype() != lw.float64 else lw.float64


def _view_as_real(params, *state_and_grads):
    """Replace complex tensors in the lists by views of their real and imaginary parts, where ``params`` are complex."""
    for i, p in enumerate(params):
        if p.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[i] = lw.view_as_real(tensors[i])


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """``(fused, foreach)`` where nobody chose: neither, since lists of tensors are no faster here than one by one."""
    return False, False


def _get_capturable_supported_devices(supports_xla=True):
    """The kinds of devices that could record steps and play them again; there are none of them here."""
    return ["cuda", "xpu", "hpu", "privateuseone", *["xla"] * supports_xla]


def _stack_if_compiling(values):
    """``values``: nothing compiles here."""
    return values


def _disable_dynamo_if_unsupported(single_tensor_fn=None):
    """A decorator that changes nothing: nothing compiles here."""
    return lambda function: function
