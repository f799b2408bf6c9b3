"""Parameters that are gathered together, and freed together: what :func:`fully_shard` makes of a module's.

A :class:`Unit` has the parameters of one module and dtype; a :class:`Run` has the units of a whole model, in the order in
which forward came to them: gathering runs one unit ahead of it, and backward reduces them in the opposite order.
"""
from leafward.arrays import reducing
from leafward.autograd.grad_mode import no_grad
from leafward.autograd.variable import queue_callback
from leafward.core import modes
from leafward.core.from_array import new_tensor
from leafward.core.tensor import array_of
from leafward.derive.functions import fns
from leafward.distributed import collectives
from leafward.distributed.reduce_op import ReduceOp
from leafward.distributed.shards import InParts, Part
from leafward.nn.parameter import Parameter
from leafward.tensor.tensor import Tensor

#: How many reductions may be on their way at once: each holds a whole unit's gradients.
ON_THEIR_WAY = 2


class ShardedParameter(InParts, Parameter):
    """A parameter of which this rank has some rows: what optimizers see."""

    def __new__(cls, local, part, requires_grad):
        return Tensor._make_subclass(cls, local, requires_grad).of_part(part)


class Member:
    """One parameter of a unit: this rank's rows, and the whole of it while it is gathered."""

    def __init__(self, p, homes, mesh):
        self.homes = homes                                  # modules that have it, and its name in each
        self.part = Part(p.shape, mesh)
        self.requires_grad = p.requires_grad
        self.sharded = ShardedParameter(self.part.cut(p.detach()), self.part, p.requires_grad)
        self.whole = Parameter(p.detach(), p.requires_grad)
        self.length = self.part.most * self.part.width
        self.storage = self.run = None
        self.whole.data = self.empty(p.dtype)
        self.whole.register_post_accumulate_grad_hook(lambda p: self.run.ready(self))

    def show(self, p):
        """Let the modules have ``p``."""
        for module, name in self.homes:
            setattr(module, name, p)

    def empty(self, dtype):
        """A tensor of the whole shape that takes no memory."""
        return fns.zeros((1,), dtype=dtype).expand(self.part.shape)


class Unit:
    """The parameters of one dtype that belong to a module, and to none below it that is a unit itself."""

    def __init__(self, members, group, reducing_group, replicas, policy):
        self.members, self.group, self.reducing_group, self.replicas = members, group, reducing_group, replicas
        self.policy = policy
        self.dtype = policy.param_dtype or members[0].sharded.dtype
        self.trained = any([member.requires_grad for member in members])
        self.sync = self.sync_replicas = self.free_after_backward = True
        self.divisor = None
        self.gathering = None                               # (work, what it fills)
        self.gathered = False
        self.came = set()
        for member in members:
            member.show(member.sharded)

    def begin(self):
        """Start to gather, if nobody has."""
        if self.gathered or self.gathering is not None:
            return
        with no_grad():
            parts = [member.part.padded(array_of(member.sharded.to_local().to(self.dtype))) for member in self.members]
        mine = new_tensor(reducing.together(parts, parts[0].dtype), self.dtype)
        out = new_tensor(reducing.empty_flat(mine._array.size * self.group.size(), parts[0].dtype), self.dtype)
        self.gathering = collectives.all_gather_single(out, mine, self.group, async_op=True), out

    def finish(self, live):
        """Let the modules have whole parameters."""
        self.begin()
        if self.gathered:
            return
        (work, out), self.gathering = self.gathering, None
        work.wait()
        ranks = out._array.reshape(self.group.size(), -1)
        start = 0
        for member in self.members:
            flat = ranks[:, start:start + member.length].reshape(-1)[:member.part.shape[0] * member.part.width]
            start += member.length
            found = new_tensor(flat.reshape(member.part.shape), self.dtype)
            member.whole.data = found
            member.storage = found._storage
            live[id(found._storage)] = member
            member.show(member.whole)
        self.gathered = True

    def free(self, live):
        """Let the modules have this rank's parts again, and the memory go."""
        if not self.gathered:
            return
        self.gathered = False
        for member in self.members:
            nothing = member.empty(self.dtype)
            live.pop(id(member.storage), None)
            member.storage.owner = nothing._storage.owner   # nodes of the graph hold it, and ask for the values anew
            member.storage = None
            member.whole.data = nothing
            member.show(member.sharded)

    def forget(self):
        """Drop what was gathered ahead and is not used."""
        if self.gathering is not None:
            self.gathering[0].wait()
            self.gathering = None

    def complete(self):
        """Whether all gradients have come."""
        return len(self.came) == sum([member.requires_grad for member in self.members])

    def reduce(self):
        """Start to reduce the gradients, of which each rank gets its part: ``(work, what it fills)``.

        Behind the gradients stands, for each parameter, how many ranks have one: where none has, it stays None.
        """
        size = self.group.size()
        dtype = self.policy.reduce_dtype or self.dtype
        total = sum([member.length for member in self.members])
        model = array_of(self.members[0].whole).dtype if dtype is self.dtype else array_of(fns.zeros((1,), dtype=dtype)).dtype
        buffer = reducing.zeros(size * (total + len(self.members)), model).reshape(size, -1)
        divisor = self.divisor or size * (1 if self.replicas is None else self.replicas.size())
        start = 0
        for number, member in enumerate(self.members):
            grad, member.whole.grad = member.whole.grad, None
            if grad is not None:
                flat = reducing.zeros(size * member.length, model)
                flat[:grad.numel()] = array_of(grad).reshape(-1)
                buffer[:, start:start + member.length] = (flat / divisor).reshape(size, -1)
                buffer[:, total + number] = 1
            start += member.length
        out = new_tensor(reducing.empty_flat(total + len(self.members), model), dtype)
        whole = new_tensor(buffer.reshape(-1), dtype)
        return collectives.reduce_scatter_single(out, whole, ReduceOp.SUM, self.reducing_group, async_op=True), out

    def give(self, work, out):
        """Add the reduced gradients to those of the parts."""
        work.wait()
        if self.replicas is not None and self.sync_replicas:
            collectives.all_reduce(out, ReduceOp.SUM, self.replicas)
        total = sum([member.length for member in self.members])
        start = 0
        with no_grad():
            for number, member in enumerate(self.members):
                if out._array[total + number]:
                    own = member.sharded.numel()
                    grad = new_tensor(out._array[start:start + own].reshape(member.part.local_shape()).copy(), out._dtype)
                    grad = grad.to(member.sharded.dtype)
                    p = member.sharded
                    p.grad = grad if p.grad is None else p.grad.add_(grad)
                start += member.length


class Saved:
    """Stands for a whole parameter, or a view of one, in the node that saved it."""

    def __init__(self, member, tensor):
        self.member = member
        self.layout = None if tensor is member.whole else (tensor.shape, tensor.stride(), tensor.storage_offset())


class Run:
    """The units of a model, while it goes forward and backward."""

    def __init__(self):
        self.states = []
        self.live = {}                                      # id of a storage -> the member whose values lie there
        self.order, self.previous = [], []                  # units as forward came to them, this time and last
        self.ended = False                                  # whether a backward has, since
        self.depth = 0
        self.task = None                                    # the backward that is going on
        self.sequence, self.next, self.going = [], 0, []
        self.unit_of = {}

    def own(self, units):
        """Look after some units."""
        for unit in units:
            for member in unit.members:
                self.unit_of[id(member)] = unit
                member.run = self

    def in_backward(self):
        """Whether a backward that has come to this model is going on."""
        return self.task is not None and modes.current().backward is self.task

    def begin(self):
        """A forward of the whole begins: what an earlier one left for a backward may have changed since."""
        if self.ended:
            self.previous, self.order, self.ended = self.order, [], False
        for unit in self.order:
            if unit.free_after_backward:
                unit.free(self.live)

    def need(self, unit, order, ahead):
        """Have whole parameters, and start to gather those that come next."""
        if unit.gathered:
            return
        unit.begin()
        for other in ahead or following(unit, order):
            other.begin()
        unit.finish(self.live)

    # --- what nodes save

    def pack(self, tensor):
        """Save of a whole parameter only which it is."""
        member = self.live.get(id(tensor._storage))
        return tensor if member is None else Saved(member, tensor)

    def unpack(self, packed):
        """What was saved, gathered anew if it was freed."""
        if not isinstance(packed, Saved):
            return packed
        self.unit_of[id(packed.member)].finish(self.live)
        whole = packed.member.whole
        return whole if packed.layout is None else whole.as_strided(*packed.layout)

    # --- backward

    def enter(self):
        """A backward has come here."""
        task = modes.current().backward
        if self.task is task:
            return
        self.task, self.next, self.going = task, 0, []
        self.sequence = [unit for unit in reversed(self.order) if unit.trained and unit.sync]
        for unit in self.order:
            unit.came.clear()
        queue_callback(self.leave)

    def before_backward(self, state):
        """Backward has come to the outputs of a module."""
        self.enter()
        for unit in state.units:
            if state.gathers_in_backward:
                self.need(unit, self.order[::-1], state.behind)

    def ready(self, member):
        """A gradient has come."""
        self.enter()
        unit = self.unit_of[id(member)]
        unit.came.add(id(member))
        # In one order on all ranks: what is not complete on one of them waits for the end.
        while self.next < len(self.sequence) and self.sequence[self.next].complete():
            self.reduce(self.sequence[self.next])

    def reduce(self, unit):
        """Start the reduction of the unit whose turn it is, and free it."""
        self.next += 1
        while len(self.going) >= ON_THEIR_WAY:
            self.give_first()
        self.going.append((unit, *unit.reduce()))
        if unit.free_after_backward:
            unit.free(self.live)

    def give_first(self):
        """Wait for the oldest reduction."""
        unit, work, out = self.going.pop(0)
        unit.give(work, out)

    def leave(self):
        """Backward has ended: reduce the rest, wait, and free everything."""
        while self.next < len(self.sequence):
            self.reduce(self.sequence[self.next])
        while self.going:
            self.give_first()
        for unit in self.order:
            unit.forget()
            if unit.free_after_backward:
                unit.free(self.live)
            unit.came.clear()
        self.task, self.ended = None, True


def following(unit, order):
    """The unit behind another, as a list that may be empty."""
    position = next((position for position, other in enumerate(order) if other is unit), len(order))
    return order[position + 1:position + 2]
