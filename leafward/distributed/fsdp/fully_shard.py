"""``fully_shard``: each rank keeps some rows of every parameter, and gathers the whole where a module needs it."""
import functools
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from leafward.autograd.grad_mode import is_grad_enabled
from leafward.autograd.saved_hooks import saved_tensors_hooks
from leafward.distributed import world
from leafward.distributed.device_mesh import init_device_mesh
from leafward.distributed.fsdp.units import Member, Run, Unit
from leafward.nn.modules.container import ModuleDict, ModuleList
from leafward.nn.modules.module import Module
from leafward.tensor.tensor import Tensor
from leafward.utils._pytree import tree_leaves, tree_map


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """Which dtypes a sharded module computes and reduces in; its parameters keep their own.

    param_dtype: of the whole parameters, and of inputs; None: as they are
    reduce_dtype: gradients are reduced in it; None: the parameters'
    output_dtype: what floating point outputs become; None: as they are
    cast_forward_inputs: whether floating point inputs become ``param_dtype``

    >>> MixedPrecisionPolicy(param_dtype=lw.bfloat16).reduce_dtype is None
    True
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Where parts are kept: on the CPU, as everything.

    >>> OffloadPolicy()
    OffloadPolicy()
    """


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """The same, under the name that says so.

    pin_memory: for PyTorch's programs; without effect

    >>> CPUOffloadPolicy()
    CPUOffloadPolicy(pin_memory=True)
    """

    pin_memory: bool = True


class State:
    """What :func:`fully_shard` knows of one module."""

    def __init__(self, module, units, run, reshard_after_forward, policy):
        self.module, self.units, self.run, self.policy = module, units, run, policy
        self.reshard_after_forward = reshard_after_forward
        self.ahead, self.behind = [], []                    # units to gather ahead, where the user says which
        self.gathers_in_backward = True

    def frees_after_forward(self):
        """Whether parameters go after forward: by default those of all but the outermost module, which backward needs first."""
        if not is_grad_enabled():
            return True
        return self.run.states[-1] is not self if self.reshard_after_forward is None else bool(self.reshard_after_forward)

    @contextmanager
    def forward(self):
        """Inside, the module has its parameters."""
        run = self.run
        recording = is_grad_enabled()
        if run.depth == 0 and recording and not run.in_backward():
            run.begin()
        run.depth += 1
        try:
            for unit in self.units:
                run.need(unit, run.previous, self.ahead)
                if recording and not run.in_backward() and all([unit is not other for other in run.order]):
                    run.order.append(unit)
            if recording:
                with saved_tensors_hooks(run.pack, run.unpack):
                    yield
            else:
                yield
        finally:
            run.depth -= 1
            if not run.in_backward() and self.frees_after_forward():
                for unit in self.units:
                    unit.free(run.live)

    def call(self, function, args, kwargs):
        """``function`` of the module, with whole parameters."""
        cast = self.policy.param_dtype if self.policy.cast_forward_inputs else None
        args, kwargs = converted((args, kwargs), cast)
        with self.forward():
            outputs = converted(function(*args, **kwargs), self.policy.output_dtype)
        if is_grad_enabled():
            for tensor in tree_leaves(outputs):
                if isinstance(tensor, Tensor) and tensor.requires_grad:
                    tensor.register_hook(lambda grad: self.run.before_backward(self))
        return outputs


def converted(values, dtype):
    """Floating point tensors in another dtype; None: as they are."""
    if dtype is None:
        return values
    return tree_map(lambda value: value.to(dtype) if isinstance(value, Tensor) and value.is_floating_point() else value, values)


class UnshardHandle:
    """What ``unshard(async_op=True)`` gives: parameters are whole after :meth:`wait`."""

    def __init__(self, state):
        self.state = state

    def wait(self):
        """Wait until the module has whole parameters."""
        for unit in self.state.units:
            unit.finish(self.state.run.live)


class FSDPModule:
    """A module that :func:`fully_shard` was called with: its class is made of this one and of the one it had.

    >>> def made(rank):
    ...     layer = fully_shard(lw.nn.Linear(2, 4))
    ...     return type(layer).__name__, isinstance(layer, FSDPModule), tuple(layer.weight.shape)
    >>> lw.distributed.run_ranks(made, 2)
    [('FSDPLinear', True, (2, 2)), ('FSDPLinear', True, (2, 2))]
    """

    def __call__(self, *args, **kwargs):
        return self._fsdp_state.call(super().__call__, args, kwargs)

    def states(self, recurse=True):
        """What is known of this module, and of those in it."""
        return [module._fsdp_state for module in (self.modules() if recurse else [self]) if isinstance(module, FSDPModule)]

    def units(self, recurse=True):
        """The parameters of this module, and of those in it."""
        return [unit for state in self.states(recurse) for unit in state.units]

    def state_dict(self, *args, **kwargs):
        """Parameters as the parts that this rank has; ``torch.distributed.checkpoint`` saves them."""
        self.reshard()
        return super().state_dict(*args, **kwargs)

    def unshard(self, async_op=False):
        """Gather the parameters of this module alone."""
        for unit in self._fsdp_state.units:
            unit.begin()
        handle = UnshardHandle(self._fsdp_state)
        if async_op:
            return handle
        handle.wait()
        return None

    def reshard(self):
        """Free the whole parameters of this module alone: it has its parts again."""
        for unit in self._fsdp_state.units:
            unit.forget()
            unit.free(self._fsdp_state.run.live)

    def set_requires_gradient_sync(self, requires_gradient_sync, *, recurse=True):
        """Whether backward reduces gradients. Where not, each rank adds its own to whole gradients, until one does."""
        for unit in self.units(recurse):
            unit.sync = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce, *, recurse=True):
        """Whether gradients are reduced over the replicas, too, where the mesh has two dimensions."""
        for unit in self.units(recurse):
            unit.sync_replicas = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward, recurse=True):
        """Whether whole parameters are freed after forward, and gathered again in backward."""
        for state in self.states(recurse):
            state.reshard_after_forward = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward, *, recurse=True):
        """Whether whole parameters are freed after backward."""
        for unit in self.units(recurse):
            unit.free_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules):
        """Which modules' parameters to gather ahead when forward comes here; by default those that came next last time."""
        self._fsdp_state.ahead = [unit for module in modules for unit in module._fsdp_state.units]

    def set_modules_to_backward_prefetch(self, modules):
        """The same for backward."""
        self._fsdp_state.behind = [unit for module in modules for unit in module._fsdp_state.units]

    def set_gradient_divide_factor(self, factor):
        """By what gradients are divided, in place of the number of ranks."""
        for unit in self.units(recurse=False):
            unit.divisor = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def set_unshard_in_backward(self, unshard_in_backward):
        """Whether backward gathers this module's parameters before it comes to them; where not, when one is asked for."""
        self._fsdp_state.gathers_in_backward = unshard_in_backward

    def set_is_last_backward(self, is_last_backward):
        """For PyTorch's programs: each backward waits for its reductions."""

    def _get_fsdp_state(self):
        return self._fsdp_state

    def __getstate__(self):
        raise RuntimeError("a sharded module is on several ranks: save its state_dict() with torch.distributed.checkpoint.save")


def groups_of(mesh):
    """``(group that parts lie in, one for reductions, group of replicas or None)``.

    Reductions have a group of their own: where a parameter gets no gradient on one rank, its unit is reduced later there.
    """
    if mesh.ndim > 2:
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    group = mesh.get_group(mesh.ndim - 1)
    if not hasattr(group, "for_reductions"):
        group.for_reductions = world.new_group(group.ranks, use_local_synchronization=True, sort_ranks=False)
    return group, group.for_reductions, mesh.get_group(0) if mesh.ndim == 2 else None


def managed(modules, ignored):
    """``[(parameter, [(module, its name there)])]`` of modules, without what modules in shards below have already."""
    homes = {}
    for top in modules:
        stack = [top]
        while stack:
            module = stack.pop()
            for name, p in module._parameters.items():
                if p is not None and id(p) not in ignored:
                    found = homes.setdefault(id(p), (p, []))[1]
                    if all([one is not module or called != name for one, called in found]):
                        found.append((module, name))
            stack += [child for child in reversed(list(module._modules.values()))
                      if child is not None and not isinstance(child, FSDPModule)]
    return list(homes.values())


@functools.cache
def class_of(cls):
    """The class that a module of ``cls`` gets."""
    return type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"__module__": cls.__module__})


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None, mp_policy=None, offload_policy=None,
                ignored_params=None, dp_mesh_dims=None):
    """Keep the parameters of a module in parts, a part on each rank: the same module, which gathers them where it runs.

    It is called from the inside out: each block of a model, then the model; each call's parameters are gathered together, the
    next ones while a module computes, and freed behind it. Optimizers are made afterwards: they see the parts, which are plain
    tensors of this rank's rows with ``full_tensor()`` and ``to_local()``: their ``shape``, ``numel()`` and ``norm()`` are those
    of the rows. Gradients are those of the mean of the ranks' losses.

    module: a module, or a list of them that run together
    mesh: which ranks, as a ``DeviceMesh``: of one dimension, or of replicas and parts; None: all ranks
    reshard_after_forward: whether whole parameters are freed after forward; None: but for the outermost module
    shard_placement_fn: refused: parts are rows
    mp_policy: a :class:`MixedPrecisionPolicy`; None: no conversions
    offload_policy: for PyTorch's programs; everything is on the CPU
    ignored_params: parameters to leave alone
    dp_mesh_dims: refused: give the part of the mesh that is meant

    >>> def train(rank):
    ...     model = fully_shard(lw.nn.Linear(1, 2, bias=False))
    ...     optimizer = lw.optim.SGD(model.parameters(), lr=1.0)
    ...     model(lw.tensor([[float(rank)]])).sum().backward()
    ...     return model.weight.grad.tolist()
    >>> lw.distributed.run_ranks(train, 2)
    [[[0.5]], [[0.5]]]
    """
    if shard_placement_fn is not None or dp_mesh_dims is not None:
        raise NotImplementedError("parameters are cut along their first dimension: leave shard_placement_fn and dp_mesh_dims "
                                  "out, and give the part of the mesh that is meant as mesh=mesh['name']")
    modules = [module] if isinstance(module, Module) else list(module)
    for one in modules:
        if isinstance(one, FSDPModule):
            raise ValueError(f"fully_shard has been called with this {type(one).__name__} already")
        if not isinstance(one, Module):
            raise ValueError(f"fully_shard does not support {type(one).__name__}: give it modules")
        if isinstance(one, (ModuleDict, ModuleList)) and type(one).forward is Module.forward and modules == [one]:
            raise ValueError(f"fully_shard does not support containers that do not implement forward: {one}")
    mesh = init_device_mesh("cpu", (world.get_world_size(),)) if mesh is None else mesh
    policy = mp_policy or MixedPrecisionPolicy()
    group, reducing_group, replicas = groups_of(mesh)
    found = managed(modules, {id(p) for p in ignored_params or ()})
    for p, homes in found:
        if not p.dim():
            raise ValueError(f"fully_shard doesn't support scalar parameters. Change {homes[0][1]} to a 1D tensor with numel "
                             "equal to 1.")
        if p.is_meta:
            raise NotImplementedError("fully_shard takes parameters that have values: make the module without "
                                      "device='meta'")
    by_dtype = {}
    for p, homes in found:
        by_dtype.setdefault(p.dtype, []).append(Member(p, homes, mesh))
    units = [Unit(members, group, reducing_group, replicas, policy) for members in by_dtype.values()]
    run = Run()
    below = [inner._fsdp_state for one in modules for inner in one.modules() if isinstance(inner, FSDPModule)]
    state = State(modules[0], units, run, reshard_after_forward, policy)
    run.states = [*below, state]
    for one in run.states:
        one.run = run
        run.own(one.units)
    for one in modules:
        one.__class__ = class_of(type(one))
        one._fsdp_state = state
    return module


def register_fsdp_forward_method(module, method_name):
    """Let another method than ``forward`` have whole parameters, too.

    module: a module in shards; another is left as it is
    method_name: which method

    >>> def made(rank):
    ...     layer = fully_shard(lw.nn.Linear(2, 4), reshard_after_forward=True)
    ...     layer.rows = lambda: layer.weight.shape[0]
    ...     register_fsdp_forward_method(layer, "rows")
    ...     return layer.rows(), layer.weight.shape[0]
    >>> lw.distributed.run_ranks(made, 2)
    [(4, 2), (4, 2)]
    """
    if not isinstance(module, FSDPModule):
        return
    method = getattr(module, method_name)

    @functools.wraps(method)
    def with_parameters(*args, **kwargs):
        return module._fsdp_state.call(method, args, kwargs)
    setattr(module, method_name, with_parameters)
