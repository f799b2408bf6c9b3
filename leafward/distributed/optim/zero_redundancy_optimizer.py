"""``ZeroRedundancyOptimizer``: each rank keeps the optimizer's state of some parameters, and updates these."""
from leafward.arrays import reducing
from leafward.autograd.grad_mode import no_grad
from leafward.core.from_array import new_tensor
from leafward.core.tensor import array_of
from leafward.distributed import collectives, objects
from leafward.distributed.algorithms.join import Join, Joinable, JoinHook
from leafward.distributed.world import default_group, get_group_rank
from leafward.optim.optimizer import Optimizer
from leafward.tensor.tensor import Tensor

__all__ = ["ZeroRedundancyOptimizer"]


class Steps(JoinHook):
    """A rank without inputs steps with the gradients of the others."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def main_hook(self):
        """One step of the others."""
        self.optimizer.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer that steps a part of the parameters on each rank, and then gives all of them to all.

    The state, which is most of an Adam's memory, is nowhere kept twice. Gradients have to be equal on all ranks, as
    ``DistributedDataParallel`` leaves them.

    params: tensors, ``(name, tensor)`` pairs, or dicts that each describe a group of them; on all ranks the same
    optimizer_class: of what kind the optimizer of each rank is
    process_group: which ranks; None: all
    parameters_as_bucket_view: for PyTorch's programs; without effect on what is computed
    overlap_with_ddp: refused: parameters are given out after the step
    defaults: the optimizer's options

    >>> def step(rank):
    ...     p, q = lw.nn.Parameter(lw.ones(1)), lw.nn.Parameter(lw.ones(1))
    ...     optimizer = ZeroRedundancyOptimizer([p, q], lw.optim.Adam, lr=0.5)
    ...     (p + q).sum().backward()
    ...     optimizer.step()
    ...     return f"{p.item():.3f}", f"{q.item():.3f}", len(optimizer.optim.state)
    >>> lw.distributed.run_ranks(step, 2)
    [('0.500', '0.500', 1), ('0.500', '0.500', 1)]
    """

    def __init__(self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False, overlap_with_ddp=False,
                 **defaults):
        if overlap_with_ddp:
            raise NotImplementedError("overlap_with_ddp=True is not there: leave it out, and parameters are given out after "
                                      "the step")
        self.process_group = default_group() if process_group is None else process_group
        self.rank, self.world_size = self.process_group.rank(), self.process_group.size()
        self.loads = [0] * self.world_size              # how many elements each rank updates
        self.owner = {}                                 # id of a parameter -> the rank that updates it
        self.optim = None
        self.gathered = None
        self.optimizer_class, self.options = optimizer_class, defaults
        super().__init__(params, defaults)
        for p in self.every_parameter():
            if p.is_sparse:
                raise ValueError("ZeroRedundancyOptimizer takes dense parameters only")

    def every_parameter(self):
        """All parameters, in order."""
        return [p for group in self.param_groups for p in group["params"]]

    def mine(self, group):
        """The parameters of a group that this rank updates."""
        return [p for p in group["params"] if self.owner[id(p)] == self.rank]

    def add_param_group(self, param_group):
        """Add a dict of ``params`` and options: its parameters are given to the ranks that have least, largest first."""
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        for p in sorted(group["params"], key=lambda p: p.numel(), reverse=True):
            rank = self.loads.index(min(self.loads))
            self.owner[id(p)] = rank
            self.loads[rank] += p.numel()
        options = {key: value for key, value in group.items() if key not in ("params", "param_names")}
        if self.optim is None:
            self.optim = self.optimizer_class([{**options, "params": self.mine(group)}], **self.options)
        else:
            self.optim.add_param_group({**options, "params": self.mine(group)})
        # What the optimizer's class adds by itself (betas, eps) is seen here too.
        for key, value in self.optim.param_groups[-1].items():
            group.setdefault(key, value)
        self.defaults = self.optim.defaults

    def hand_over(self, ours, theirs):
        """Let groups have the options that other groups have: schedulers change those that users see."""
        for source, target in zip(ours, theirs, strict=True):
            target.update({key: value for key, value in source.items() if key not in ("params", "param_names")})

    def step(self, closure=None, **kwargs):
        """Update this rank's parameters, and exchange all. ``closure``, if given, recomputes the loss and returns it."""
        Join.notify_join_context(self)
        self.gathered = None
        self.hand_over(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(closure, **kwargs) if closure is not None else self.optim.step(**kwargs)
        self.hand_over(self.optim.param_groups, self.param_groups)
        self.give_out()
        return loss

    def give_out(self):
        """Let all ranks have what each updated: one message for each rank and dtype."""
        parts = {}
        for p in self.every_parameter():
            parts.setdefault((self.owner[id(p)], p.dtype), []).append(p)
        works = []
        for (owner, dtype), owned in parts.items():
            flat = reducing.together([array_of(p).reshape(-1) for p in owned], owned[0]._array.dtype)
            whole = new_tensor(flat, dtype)
            works.append((owner, owned, whole, collectives.broadcast(whole, group=self.process_group, group_src=owner,
                                                                     async_op=True)))
        with no_grad():
            for owner, owned, whole, work in works:
                work.wait()
                if owner == self.rank:
                    continue
                for p, part in zip(owned, whole.split([p.numel() for p in owned]), strict=True):
                    p.copy_(part.view(p.shape))

    def join_hook(self, **kwargs):
        """How a rank without inputs goes on: it steps, with the gradients that ``DistributedDataParallel`` gives it."""
        return Steps(self)

    @property
    def join_process_group(self):
        """Which ranks."""
        return self.process_group

    # --- saving and loading

    def consolidate_state_dict(self, to=0):
        """Bring the state of all ranks to rank ``to``; every rank has to call it, and :meth:`state_dict` works there then."""
        root = get_group_rank(self.process_group, to)
        found = [None] * self.world_size if self.rank == root else None
        objects.gather_object(self.optim.state_dict()["state"], found, group=self.process_group, group_dst=root)
        self.gathered = found

    def numbers_of_ranks(self):
        """For each rank, the numbers of its parameters among all, in the order in which its optimizer counts them."""
        found = [[] for _ in range(self.world_size)]
        for number, p in enumerate(self.every_parameter()):
            found[self.owner[id(p)]].append(number)
        return found

    def state_dict(self):
        """All states, as one optimizer without ranks would have them: after :meth:`consolidate_state_dict`, on its rank."""
        if self.gathered is None:
            raise RuntimeError("Optimizer state has not been consolidated on this rank. Please call "
                               f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the "
                               "global state.")
        result = super().state_dict()
        result["state"] = {}
        for numbers, states in zip(self.numbers_of_ranks(), self.gathered, strict=True):
            result["state"].update({numbers[local]: state for local, state in states.items()})
        result["state"] = dict(sorted(result["state"].items()))
        return result

    def load_state_dict(self, state_dict):
        """Take over what :meth:`state_dict` returned; on every rank, which keeps its part."""
        mine = self.numbers_of_ranks()[self.rank]
        local = {number: index for index, number in enumerate(mine)}
        super().load_state_dict({**state_dict, "state": {}})
        loaded = {local[number]: state for number, state in state_dict["state"].items() if number in local}
        packed = self.optim.state_dict()
        self.optim.load_state_dict({**packed, "state": {index: copied(state) for index, state in loaded.items()}})
        self.hand_over(self.param_groups, self.optim.param_groups)
        self.gathered = None


def copied(state):
    """A parameter's state with tensors of its own."""
    return {key: value.clone() if isinstance(value, Tensor) else value for key, value in state.items()}
