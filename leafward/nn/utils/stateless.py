"""Calling a module with other parameters than its own."""
from contextlib import contextmanager

from leafward.errors import warn
from leafward.tensor.tensor import Tensor

__all__ = ["functional_call"]


def members(module):
    """Every place of a parameter or buffer by its dotted path, shared tensors at each of theirs."""
    found = {}
    for path, owner in module.named_modules(remove_duplicate=False):
        for registry in (owner._parameters, owner._buffers):
            for name, value in registry.items():
                if value is not None:
                    found[f"{path}.{name}" if path else name] = registry, name
    return found


def with_shared(places, given):
    """``given``, and its tensors again for the places that share what they replace."""
    names = {}
    for key, (registry, name) in places.items():
        names.setdefault(id(registry[name]), []).append(key)
    result = dict(given)
    for key, value in given.items():
        if key not in places:
            continue
        registry, name = places[key]
        for other in names[id(registry[name])]:
            if other in given and given[other] is not value:
                raise ValueError(f"functional_call got multiple values for keys {sorted([key, other])}, which are "
                                 "tied. Consider using tie_weights=False")
            result[other] = value
    return result


def check_keys(module, places, given):
    """Refuse keys that are not there, and places without a key."""
    wrong = [k for k in given if k not in places]
    missing = [k for k in places if k not in given]
    lines = [f"{what} key(s): {', '.join(map(repr, keys))}." for what, keys in (("Unexpected", wrong),
                                                                               ("Missing", missing)) if keys]
    if lines:
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(lines))


@contextmanager
def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False):
    """``module`` with other tensors inside the block; what it wrote in their place is written back to the dict."""
    places = members(module)
    given = with_shared(places, parameters_and_buffers) if tie_weights else dict(parameters_and_buffers)
    if strict:
        check_keys(module, places, given)
    for key, value in given.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{value} is not an instance of torch.Tensor")
        if key not in places:
            refuse_unknown(module, key)
    kept = {key: registry[name] for key, (registry, name) in places.items() if key in given}
    try:
        for key in kept:
            registry, name = places[key]
            registry[name] = given[key]
        yield
    finally:
        for key, value in kept.items():
            registry, name = places[key]
            if key in parameters_and_buffers and registry[name] is not None:
                parameters_and_buffers[key] = registry[name]
            registry[name] = value


def refuse_unknown(module, key):
    """A path that leads nowhere, or to what is no tensor. A name that is not there is passed over, as in PyTorch."""
    path, _, name = key.rpartition(".")
    value = getattr(module.get_submodule(path), name, None)
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(f"attribute `{name}`: {value} is not an instance of torch.Tensor")


def _functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """``module(*args, **kwargs)`` with ``parameters_and_buffers`` (by dotted path) in place of its own."""
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """The older name of ``func.functional_call``."""
    warn("`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a "
         "future version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in "
         "replacement.", FutureWarning)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
