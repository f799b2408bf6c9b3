"""Modules as functions of their parameters."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from leafward.nn.modules.module import Module
    from leafward.tensor.tensor import Tensor


def functional_call(module: Module, parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
                    args: Any = None, kwargs: Mapping[str, Any] | None = None, *, tie_weights: bool = True,
                    strict: bool = False) -> Any:
    """``module(*args, **kwargs)`` with other parameters and buffers, by name; the module itself stays as it is.

    >>> import leafward as lw
    >>> layer = lw.nn.Linear(2, 1)
    >>> lw.func.functional_call(layer, {"weight": lw.ones(1, 2), "bias": lw.zeros(1)}, lw.tensor([1.0, 2.0]))
    tensor([3.])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = dict(parameter_and_buffer_dicts)
    else:
        given = {}
        for part in parameter_and_buffer_dicts:
            if repeated := set(given) & set(part):
                raise ValueError(f"{sorted(repeated)} appeared in multiple dictionaries; behavior of functional call is "
                                 "ambiguous")
            given.update(part)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    own = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}
    refuse_names(module, given, own, strict)
    if tie_weights:
        given = tied(given, own)
    entries = [(entry_of(module, name, value), value) for name, value in given.items()]
    before = [(table, key, table.get(key, ABSENT)) for (table, key), _ in entries]
    try:
        for (table, key), value in entries:
            table[key] = value
        return module(*args, **({} if kwargs is None else kwargs))
    finally:
        for table, key, value in before:
            if value is ABSENT:
                del table[key]
            else:
                table[key] = value


#: What a module has under a name that it does not know.
ABSENT = object()


def refuse_names(module, given, own, strict):
    unexpected, missing = [n for n in given if n not in own], [n for n in own if n not in given]
    if strict and (unexpected or missing):
        text = f"Error(s) in reparametrizing for {type(module).__name__}:"
        for what, names in ("Unexpected", unexpected), ("Missing", missing):
            if names:
                text += f"\n\t{what} key(s): " + ", ".join([repr(name) for name in sorted(names)]) + "."
        raise RuntimeError(text)


def tied(given, own):
    """``given``, with the same value for every name of a tensor that the module has under several."""
    names = {}
    for name, tensor in own.items():
        names.setdefault(id(tensor), []).append(name)
    found = dict(given)
    for several in names.values():
        values = {id(given[name]): given[name] for name in several if name in given}
        if len(several) > 1 and len(values) > 1:
            raise ValueError(f"functional_call got multiple values for keys {sorted(several)}, which are tied. Consider using "
                             "tie_weights=False")
        for name in several:
            if values:
                found[name] = next(iter(values.values()))
    return found


def entry_of(module, name, value):
    """The table that holds, or is to hold, the tensor called ``name``, and its key there; refuses what is no tensor."""
    owner, seen = module, []
    *path, key = name.split(".")
    if not key:
        raise KeyError('tensor name can\'t be empty string ""')
    for part in path:
        if not hasattr(owner, part):
            raise AttributeError(f"{type(owner).__name__} has no attribute `{part}`")
        seen.append(part)
        owner = getattr(owner, part)
        if not hasattr(owner, "_parameters"):
            raise TypeError(f"submodule `{'.'.join(seen)}`: {owner} is not an instance of torch.nn.Module")
    if value is not None and not isinstance(value, TensorBase):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    for table in owner._parameters, owner._buffers:
        if key in table:
            return table, key
    if not isinstance(getattr(owner, key, value), (TensorBase, type(None))):
        raise TypeError(f"attribute `{name}`: {getattr(owner, key)} is not an instance of torch.Tensor")
    return vars(owner), key


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """``(parameters, buffers)`` of several models of one kind, stacked by name, for ``vmap`` over the models.

    >>> import leafward as lw
    >>> params, buffers = lw.func.stack_module_state([lw.nn.Linear(2, 1) for _ in range(3)])
    >>> params["weight"].shape, buffers
    (torch.Size([3, 1, 2]), {})
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = stacked([dict(m.named_parameters()) for m in models])
    buffers = stacked([dict(m.named_buffers()) for m in models])
    return parameters, buffers


def stacked(dicts):
    """One dict of stacked tensors: leaves that want a gradient, if the tensors did."""
    found = {}
    for name, first in dicts[0].items():
        several = [d[name] for d in dicts]
        wanted = [x.requires_grad for x in several]
        if any(wanted) != all(wanted):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        found[name] = fns.stack([x.detach() for x in several]).requires_grad_(first.requires_grad)
    return found


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Take the running mean and variance out of every batch norm in ``root``: under ``vmap`` nobody could write them.

    >>> import leafward as lw
    >>> lw.func.replace_all_batch_norm_modules_(lw.nn.BatchNorm1d(3)).running_mean is None
    True
    """
    from leafward.nn.modules.batchnorm import _BatchNorm
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
