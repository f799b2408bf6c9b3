"""States of models and optimizers by the names of parameters, in parts or whole, however many ranks there are."""
from dataclasses import dataclass

from leafward.autograd.grad_mode import no_grad
from leafward.distributed import objects, world
from leafward.distributed.fsdp.fully_shard import FSDPModule
from leafward.distributed.shards import InParts, ShardedTensor
from leafward.nn.distributed_data_parallel import DistributedDataParallel
from leafward.optim.optimizer import Optimizer
from leafward.tensor.tensor import Tensor

__all__ = ["StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
           "set_optimizer_state_dict", "set_state_dict"]


@dataclass
class StateDictOptions:
    """How states are given and taken.

    full_state_dict: whole tensors in place of this rank's parts
    cpu_offload: with it, only the first rank gets them, the others an empty dict
    ignore_frozen_params: leave parameters out that do not require grad
    keep_submodule_prefixes: for PyTorch's programs
    strict: whether a model refuses names that are missing or unknown
    broadcast_from_rank0: the first rank has the whole state, and the others ask it
    flatten_optimizer_state_dict: refused
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False


def checked(options):
    """The options, which may be left out."""
    options = options or StateDictOptions()
    if options.flatten_optimizer_state_dict:
        raise NotImplementedError("flatten_optimizer_state_dict=True is not there: save the dict as it is, its entries get "
                                  "names of their own")
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def bare(model):
    """The model, without the wrapper of DistributedDataParallel, and with its parameters in parts where it has parts."""
    model = model.module if isinstance(model, DistributedDataParallel) else model
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()
    return model


def given(value, options):
    """What is in a state, with whole tensors where that was asked for: every rank has to ask."""
    if isinstance(value, dict):
        return {key: given(entry, options) for key, entry in value.items()}
    return value.full_tensor() if options.full_state_dict and isinstance(value, InParts) else value


def kept(state, options):
    """The state, on the ranks that are to have it."""
    elsewhere = options.full_state_dict and options.cpu_offload and world.is_initialized() and world.get_rank() != 0
    return {} if elsewhere else state


def taken(state, options):
    """A state that a rank was given, or that the first one has."""
    if not (options.broadcast_from_rank0 and world.is_initialized()):
        return state
    found = [state]
    objects.broadcast_object_list(found, 0)
    return found[0]


def cut(value, parameter):
    """A whole tensor as this rank's part, where it belongs to a parameter in parts."""
    if isinstance(parameter, InParts) and isinstance(value, Tensor) and not isinstance(value, InParts) and value.dim() \
            and tuple(value.shape) == parameter.part.shape:
        return ShardedTensor(parameter.part.cut(value), parameter.part)
    return value


def get_model_state_dict(model, *, submodules=None, options=None):
    """A model's state: parts of tensors as they are, or whole ones.

    model: a module, also one in parts or in ``DistributedDataParallel``
    submodules: refused
    options: a :class:`StateDictOptions`; None: parts

    >>> list(get_model_state_dict(lw.nn.Linear(1, 1)))
    ['weight', 'bias']
    """
    options = checked(options)
    if submodules is not None:
        raise NotImplementedError("submodules= is not there: ask for the submodule's own state")
    model = bare(model)
    frozen = {name for name, p in model.named_parameters() if not p.requires_grad} if options.ignore_frozen_params else ()
    return kept({name: given(value, options) for name, value in model.state_dict().items() if name not in frozen}, options)


def set_model_state_dict(model, model_state_dict, *, options=None):
    """Let a model have a state: what ``load_state_dict`` says of it.

    model: as for :func:`get_model_state_dict`
    model_state_dict: what that gave, here or on another number of ranks
    options: a :class:`StateDictOptions`; with ``full_state_dict`` the tensors are whole

    >>> set_model_state_dict(lw.nn.Linear(1, 1), {"weight": lw.ones(1, 1), "bias": lw.zeros(1)})
    <All keys matched successfully>
    """
    options = checked(options)
    model, state = bare(model), taken(model_state_dict, options)
    parameters = dict(model.named_parameters())
    return model.load_state_dict({name: cut(value, parameters.get(name)) for name, value in state.items()}, options.strict)


def started(optimizer):
    """Let an optimizer that has not stepped yet have the state that its first step makes; parameters stay as they are."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    if optimizer.state or any([p.grad is not None for p in parameters]):
        return
    rates = [group["lr"] for group in optimizer.param_groups if "lr" in group]
    with no_grad():
        values = [p.clone() for p in parameters]
        for p in parameters:
            if p.requires_grad:
                p.grad = p.new_zeros(p.shape)
        for group in optimizer.param_groups:
            if "lr" in group:
                group["lr"] = group["lr"] * 0.0
        optimizer.step()
        for p, value in zip(parameters, values, strict=True):
            p.copy_(value)
    for group, rate in zip([group for group in optimizer.param_groups if "lr" in group], rates, strict=True):
        group["lr"] = rate
    optimizer.zero_grad()


def names_in(model, optimizer):
    """The names of an optimizer's parameters, in its order."""
    known = {id(p): name for name, p in model.named_parameters()}
    found = [known.get(id(p)) for group in optimizer.param_groups for p in group["params"]]
    if None in found:
        raise ValueError("the optimizer has parameters that the model has not: make it after fully_shard, of "
                         "model.parameters()")
    return found


def listed(optimizers):
    return [optimizers] if isinstance(optimizers, Optimizer) else list(optimizers)


def get_optimizer_state_dict(model, optimizers, *, submodules=None, options=None):
    """The state of one or several optimizers, by the names that parameters have in the model.

    model: whose parameters they are
    optimizers: an optimizer, or several
    submodules: refused
    options: as for :func:`get_model_state_dict`

    >>> model = lw.nn.Linear(1, 1)
    >>> get_optimizer_state_dict(model, lw.optim.Adam(model.parameters()))["param_groups"][0]["params"]
    ['weight', 'bias']
    """
    options = checked(options)
    if submodules is not None:
        raise NotImplementedError("submodules= is not there: give the optimizer of the submodule alone")
    model, result = bare(model), {"state": {}, "param_groups": []}
    for optimizer in listed(optimizers):
        started(optimizer)
        names, state = names_in(model, optimizer), optimizer.state_dict()
        result["state"].update({names[number]: given(entry, options) for number, entry in state["state"].items()})
        result["param_groups"] += [{**group, "params": [names[number] for number in group["params"]]}
                                   for group in state["param_groups"]]
    return kept(result, options)


def set_optimizer_state_dict(model, optimizers, optim_state_dict, *, options=None):
    """Let optimizers have a state.

    model, optimizers: as for :func:`get_optimizer_state_dict`
    optim_state_dict: what that gave, here or on another number of ranks
    options: a :class:`StateDictOptions`; with ``full_state_dict`` the tensors are whole

    >>> model = lw.nn.Linear(1, 1)
    >>> optimizer = lw.optim.SGD(model.parameters(), lr=0.1)
    >>> state = get_optimizer_state_dict(model, optimizer)
    >>> state["param_groups"][0]["lr"] = 0.5
    >>> set_optimizer_state_dict(model, optimizer, state)
    >>> optimizer.param_groups[0]["lr"]
    0.5
    """
    options = checked(options)
    model, saved = bare(model), taken(optim_state_dict, options)
    parameters = dict(model.named_parameters())
    by_first = {group["params"][0]: group for group in saved["param_groups"] if group["params"]}
    for optimizer in listed(optimizers):
        names = names_in(model, optimizer)
        numbers = {name: number for number, name in enumerate(names)}
        groups = []
        for group in optimizer.state_dict()["param_groups"]:
            own = [names[number] for number in group["params"]]
            found = by_first.get(own[0]) if own else group
            if found is None or (own and list(found["params"]) != own):
                raise ValueError(f"the state has no group of the parameters {own}")
            groups.append({**found, "params": group["params"]})
        state = {numbers[name]: {key: cut(value, parameters[name]) for key, value in entry.items()}
                 for name, entry in saved["state"].items() if name in numbers}
        optimizer.load_state_dict({"state": state, "param_groups": groups})


def get_state_dict(model, optimizers, *, submodules=None, options=None):
    """``(get_model_state_dict, get_optimizer_state_dict)``.

    model, optimizers, submodules, options: as for these

    >>> model = lw.nn.Linear(1, 1)
    >>> states = get_state_dict(model, lw.optim.SGD(model.parameters()))
    >>> [list(state) for state in states]
    [['weight', 'bias'], ['state', 'param_groups']]
    """
    return (get_model_state_dict(model, submodules=submodules, options=options),
            get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options))


def set_state_dict(model, optimizers, *, model_state_dict, optim_state_dict, options=None):
    """:func:`set_model_state_dict` and :func:`set_optimizer_state_dict`.

    model, optimizers, options: as for these
    model_state_dict, optim_state_dict: what :func:`get_state_dict` gave

    >>> model = lw.nn.Linear(1, 1)
    >>> optimizer = lw.optim.SGD(model.parameters())
    >>> states = get_state_dict(model, optimizer)
    >>> set_state_dict(model, optimizer, model_state_dict=states[0], optim_state_dict=states[1])
    <All keys matched successfully>
    """
    found = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return found
