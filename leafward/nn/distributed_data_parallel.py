"""``DistributedDataParallel``: one model in several processes, each with its part of the batch."""
import inspect
import zlib
from contextlib import contextmanager

from leafward.arrays import reducing
from leafward.autograd.grad_mode import is_grad_enabled, no_grad
from leafward.core.runtime import runtime
from leafward.distributed import collectives, objects
from leafward.distributed.algorithms.join import Join, Joinable, JoinHook, counted
from leafward.distributed.calls import Call, Written, flat_to_read
from leafward.distributed.reducer import MEGABYTE, GradBucket, Reducer
from leafward.distributed.work import Future
from leafward.distributed.world import default_group, group_or_default
from leafward.nn.modules.module import Module
from leafward.tensor.tensor import Tensor
from leafward.utils._pytree import tree_leaves

__all__ = ["DistributedDataParallel"]

#: What a forward does, as a number that ranks without inputs are told.
SYNCS, MOVES = 1, 2
#: Tensors of fewer bytes go together: a call costs more than to copy them twice.
TOGETHER = 1 << 18
#: What a copy of a model makes anew: it belongs to one process and to one module.
MADE_ANEW = {"process_group", "reducer", "kept", "moving"}


class Answers(JoinHook):
    """A rank without inputs takes part in what the others call of a :class:`DistributedDataParallel`."""

    def __init__(self, model):
        self.model = model

    def main_hook(self):
        """One forward, and the backward behind it."""
        model, group = self.model, self.model.process_group
        done = counted(0, group, "MAX")
        root = counted(-1, group, "MAX")
        if done & MOVES:
            model.give_out(model.moving, root)
        if done & SYNCS:
            model.reducer.answer(keep=model.others_follow)

    def post_hook(self, is_last_joiner):
        """All have ended: the parameters are those of a rank that went on to the end."""
        model, group = self.model, self.model.process_group
        model.give_out(model.kept, counted(group.rank() if is_last_joiner else -1, group, "MAX"))
        model.reducer.uneven, model.reducer.divisor = False, group.size()


class DistributedDataParallel(Module, Joinable):
    """``module`` on every rank, each with its part of the batch: gradients are averaged while backward goes on: (*) -> (*).

    All ranks begin with the parameters and buffers of the first. The gradients are those of the mean of the ranks' losses.

    module: what to run; its parameters stay where they are
    device_ids, output_device, dim: for PyTorch's programs; there is one device
    broadcast_buffers: whether each forward begins with the buffers of the first rank
    init_sync: whether parameters and buffers are compared and given out at the beginning
    process_group: which ranks; None: all
    bucket_cap_mb: how many megabytes of gradients are reduced at once; None: 25, and 1 for the first
    find_unused_parameters: whether a forward may leave parameters out; the others' gradients are then reduced all the same
    gradient_as_bucket_view: whether gradients are views of the buckets, which saves one copy of each
    check_reduction: for PyTorch's programs; without effect on what is computed
    delay_all_reduce_named_params, param_to_hook_all_reduce, mixed_precision, device_mesh: as this
    static_graph: whether each forward does the same; it is looked at anew each time all the same
    skip_all_reduce_unused_params: for PyTorch's programs

    >>> def train(rank):
    ...     model = DistributedDataParallel(lw.nn.Linear(1, 1, bias=False))
    ...     model(lw.tensor([[float(rank)]])).sum().backward()
    ...     return model.module.weight.grad.item()
    >>> lw.distributed.run_ranks(train, 2)
    [0.5, 0.5]
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=True, init_sync=True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False, delay_all_reduce_named_params=None,
                 param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None, skip_all_reduce_unused_params=False):
        super().__init__()
        self.process_group = group_or_default(process_group)
        if not reduced_by_name(module):
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that requires "
                               "a gradient.")
        if device_ids:
            raise ValueError("DistributedDataParallel device_ids and output_device arguments only work with "
                             "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
                             f"{device_ids}, output_device {output_device}: leave them out, there is one device")
        self.module = module
        self.device_ids, self.output_device, self.device_type, self.dim = None, None, "cpu", dim
        self.device = next(module.parameters()).device
        self.broadcast_buffers, self.static_graph = broadcast_buffers, static_graph
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.bucket_bytes_cap_default = bucket_cap_mb is None
        self.bucket_bytes_cap = int((25 if bucket_cap_mb is None else bucket_cap_mb) * MEGABYTE)
        self.kept, self.moving = given_out(module)
        if init_sync:
            self.compare(module)
            self.give_out(self.kept)
        self.reducer = self.reducer_of(module)

    def reducer_of(self, module):
        """What averages the gradients of a module."""
        first = MEGABYTE if self.bucket_bytes_cap_default else self.bucket_bytes_cap
        return Reducer(reduced_by_name(module), self.process_group, first, self.bucket_bytes_cap,
                       self.find_unused_parameters or self.static_graph, self.gradient_as_bucket_view)

    def compare(self, module):
        """Refuse models that differ from rank to rank, before anything is written."""
        mine = [(name, tuple(t.shape), str(t.dtype)) for name, t in module.state_dict(keep_vars=True).items()]
        digest = zlib.crc32(repr(mine).encode())
        if counted(digest, self.process_group, "MAX") == -counted(-digest, self.process_group, "MAX"):
            return                                          # as it should be; otherwise each tells what it has
        every = [None] * self.process_group.size()
        objects.all_gather_object(every, mine, self.process_group)
        for rank, theirs in enumerate(every):
            if theirs != mine:
                here, there = next(((a, b) for a, b in zip(mine, theirs) if a != b), (len(mine), len(theirs)))
                raise RuntimeError(f"DDP expects same model across all ranks, but rank {self.process_group.rank()} has {here} "
                                   f"where rank {rank} has {there}")

    def give_out(self, tensors, root=0):
        """Let all ranks have one's values: tensors of a dtype that are small go together."""
        group, works, small = self.process_group, [], {}
        with no_grad():
            for t in tensors:
                if t.numel() * t.element_size() < TOGETHER:
                    small.setdefault(t._dtype, []).append(t.detach())
                else:
                    works.append(collectives.broadcast(t.detach(), None, group, True, group_src=root))
        for part in small.values():
            whole = reducing.together([flat_to_read(t) for t in part], part[0]._array.dtype)
            call = Call("broadcast", "broadcast", data=whole, root=root, shape=whole.shape, size=whole.size)
            written = part if root != group.rank() else []
            filled = Written(call, written, collectives.parts_of(whole, written))
            works.append(group.run(call, True, filled.fill))
        for work in works:
            work.wait()

    def forward(self, *inputs, **kwargs):
        syncing = is_grad_enabled() and self.require_backward_grad_sync
        if syncing:
            missing = self.reducer.missing()
            if missing:
                raise RuntimeError(
                    "Expected to have finished reduction in the prior iteration before starting a new one. These parameters "
                    f"got no gradient in it: {', '.join(missing)}. Where that is meant, say find_unused_parameters=True")
        moving = self.moving if self.require_forward_param_sync and self.broadcast_buffers else []
        root = 0 if self._join is None else self.tell_joined(syncing, moving)
        if moving:
            self.give_out(moving, root)
        outputs = self.module(*inputs, **kwargs)
        self.reducer.enabled = syncing or not is_grad_enabled() and self.reducer.enabled
        if syncing:
            self.reducer.prepare([t for t in tree_leaves(outputs) if isinstance(t, runtime.tensor)])
            self.require_forward_param_sync = True
        elif is_grad_enabled():
            self.require_forward_param_sync = False
        return outputs

    # --- uneven inputs

    def tell_joined(self, syncing, moving):
        """Say to ranks without inputs what this forward does: who has the buffers."""
        Join.notify_join_context(self)
        self.reducer.divisor = self.process_group.size() if self.divides_by_all else self._join.active
        counted(SYNCS * syncing + MOVES * bool(moving), self.process_group, "MAX")
        return counted(self.process_group.rank(), self.process_group, "MAX")

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """Inside, ranks may have different numbers of inputs: who has no more answers the others with gradients of zero.

        divide_by_initial_world_size: whether gradients are divided by the number of all ranks, not of those that go on
        enable: False where inputs are even
        throw_on_early_termination: whether all ranks raise when the first has ended
        """
        return Join([self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size)

    def join_hook(self, **kwargs):
        """How this rank answers when it has no more inputs: see :meth:`join`."""
        self.divides_by_all = kwargs.get("divide_by_initial_world_size", True)
        self.others_follow = kwargs.get("joinables", 1) > 1     # an optimizer that steps on every rank
        self.reducer.uneven = True
        return Answers(self)

    @property
    def join_process_group(self):
        """Which ranks."""
        return self.process_group

    @contextmanager
    def no_sync(self):
        """Inside, backward adds to each rank's own gradients: they are averaged by the next backward outside.

        What counts is where the forward was called.
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state, hook):
        """Let ``hook(state, bucket)`` reduce each bucket: a future of its reduced buffer.

        state: what the hook is given first
        hook: a function of it and of a ``GradBucket``; it has to divide by the number of ranks itself
        """
        check_hook(hook)
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.let_reduce(lambda bucket: hook(state, bucket))

    def __getstate__(self):
        if self.process_group is not default_group():
            raise RuntimeError("DDP Pickling/Unpickling are only supported when using DDP with the default process group. That "
                               "is, when you have called init_process_group and have not passed process_group argument to DDP "
                               "constructor")
        return {name: value for name, value in self.__dict__.items() if name not in MADE_ANEW}

    def __setstate__(self, state):
        self.process_group = default_group()
        super().__setstate__(state)
        self.kept, self.moving = given_out(self.module)
        self.reducer = self.reducer_of(self.module)


def ignored_in(module):
    """Names of parameters and buffers that a program wants left alone."""
    return set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))


def reduced_by_name(module):
    """``[(name, parameter)]`` of those whose gradients are averaged."""
    return [(name, p) for name, p in module.named_parameters() if p.requires_grad and name not in ignored_in(module)]


def given_out(module):
    """``(parameters and buffers, buffers alone)`` that the first rank gives the others."""
    moving = [b for name, b in module.named_buffers() if name not in ignored_in(module)]
    return [*[p for name, p in module.named_parameters() if name not in ignored_in(module)], *moving], moving


def check_hook(hook):
    """Refuse what cannot reduce buckets."""
    if not callable(hook):
        raise TypeError("Communication hook must be callable.")
    told = inspect.signature(hook)
    if told.parameters["bucket"].annotation not in (inspect.Parameter.empty, GradBucket):
        raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
    if told.return_annotation not in (inspect.Signature.empty, Future[Tensor]):
        raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")
