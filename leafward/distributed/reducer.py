"""Gradients of all ranks, averaged while backward goes on: what ``DistributedDataParallel`` does."""
from leafward.arrays import reducing
from leafward.autograd.variable import queue_callback
from leafward.core.from_array import new_tensor
from leafward.core.node import Node
from leafward.core.runtime import runtime
from leafward.core.tensor import array_of
from leafward.distributed import collectives
from leafward.distributed.alike import Alike
from leafward.distributed.calls import Call
from leafward.distributed.reduce_op import ReduceOp
from leafward.distributed.work import Together

MEGABYTE = 1 << 20
#: Gradients of so many bytes for each rank are reduced where they lie. A call costs less than two copies of them then, and a
#: ring of all ranks still sends messages of this size.
LARGE = 1 << 20


class GradBucket:
    """Gradients of some parameters, one behind the other, as a communication hook sees them.

    index, parameters, count: its number, whose gradients, and how many buckets there are
    large: those that are reduced where they lie (by id): they are no part of the memory
    in_place: whether all gradients are reduced by one call, wherever they lie, which divides them and looks for NaN
    flags: how many numbers stand behind the gradients, 0 or 1; it is NaN where one of the gradients is

    >>> from leafward.distributed.reducer import GradBucket
    >>> bucket = GradBucket(0, [lw.nn.Parameter(lw.ones(2, 3))], 1, set(), 0)
    >>> bucket.buffer().shape, bucket.is_last()
    (torch.Size([6]), True)
    """

    def __init__(self, index, parameters, count, large, flags, in_place=False):
        self._index, self._parameters, self._count, self.in_place = index, parameters, count, in_place
        model, packed = parameters[0], [p for p in parameters if id(p) not in large]
        size = sum([p.numel() for p in packed])
        self.whole = new_tensor(reducing.empty_flat(size + flags, model._array.dtype), model._dtype)
        self.memory, self.flag = self.whole._array[:size], self.whole._array[size:]
        self._memory = self._buffer = self.whole[:size]
        self._packed = dict(zip([id(p) for p in packed], collectives.parts_of(self.memory, packed), strict=True))
        self.reset()

    def reset(self):
        """Wait for each of its gradients anew."""
        self.missing = len(self._parameters)
        self.work, self.call, self.nans = None, None, []
        self.parts = dict(self._packed)             # each gradient's memory, by the id of its parameter

    def index(self):
        """Its number, from 0 on."""
        return self._index

    def is_last(self):
        """Whether no other comes after it."""
        return self._index == self._count - 1

    def buffer(self):
        """All its gradients, as one flat tensor."""
        return self._buffer

    def set_buffer(self, tensor):
        """Replace them."""
        self._buffer = tensor

    def gradients(self):
        """Its gradients, each in its shape."""
        parts = self._buffer.split([p.numel() for p in self._parameters])
        return [part.view(p.shape) for part, p in zip(parts, self._parameters, strict=True)]

    def gradient_of(self, p):
        """The view of its memory that is one parameter's gradient."""
        number = next(number for number, other in enumerate(self._parameters) if other is p)
        begin = sum([other.numel() for other in self._parameters[:number]])
        return self._memory[begin:begin + p.numel()].view(p.shape)

    def large(self):
        """The gradients that are no part of its memory, in one order on all ranks."""
        return [self.parts[id(p)] for p in self._parameters if id(p) not in self._packed]

    def reduction(self, divisor):
        """The call that reduces all where they lie."""
        parts = [self.parts[id(p)] for p in self._parameters]
        size = sum([part.size for part in parts])
        self.call = Call("allreduce", "all_reduce", op="SUM", shape=(size,), size=size, parts=parts, divisor=divisor,
                         attended=True)
        return self.call

    def look_for_nan(self):
        """Note whose gradients are NaN on this rank, and raise the flag for all to see."""
        if self.in_place:
            return                                  # whoever adds sees them
        if reducing.has_nan(self.memory):
            self.nans += [p for p in self._parameters if id(p) in self._packed and reducing.has_nan(self.parts[id(p)])]
        self.flag[...] = float("nan") if self.nans else 0

    def has_nan(self):
        """Whether one of its gradients was NaN on some rank, once they are reduced."""
        if self.call is None:
            return reducing.has_nan(self.flag if self.flag.size else self.memory)
        if self.call.nans is None:
            return False
        self.nans += [self._parameters[position] for position in self.call.nans]
        return True

    def parameters(self):
        """Whose gradients they are."""
        return list(self._parameters)


class Reducer:
    """Buckets of gradients: each is reduced once all of its gradients are there, in one order on all ranks.

    At the end of the first backward, buckets are made anew in the order in which its gradients came.
    """

    def __init__(self, named, group, first, limit, find_unused, as_views=False):
        self.names = {id(p): name for name, p in named}
        self.parameters = [p for _, p in named]
        self.group, self.first, self.limit, self.find_unused = group, first, limit, find_unused
        self.as_views = as_views                        # whether gradients are views of the buckets: no second copy of each
        self.enabled = True
        self.hook = None
        self.alike = Alike(group, named) if group.there > 1 else None
        self.divisor = group.size()
        self.uneven = False                             # while inputs are, buckets stay as they are
        self.came, self.arranged = [], False
        self.arrange(self.parameters[::-1])
        self.handles = [p.register_post_accumulate_grad_hook(self.ready) for p in self.parameters]

    def arrange(self, parameters):
        """Make buckets of parameters in this order."""
        parts, limits = [], {}
        for p in parameters:
            # A bucket has one dtype; the first of each is small, so that its reduction begins early.
            filling = limits.get(p._dtype)
            if filling is None or filling[1] >= filling[2]:
                filling = limits[p._dtype] = [[], 0, self.first if filling is None else self.limit]
                parts.append(filling[0])
            filling[0].append(p)
            filling[1] += p.numel() * p.element_size()
        limit = LARGE * self.group.size()
        self.buckets = []
        for number, part in enumerate(parts):
            in_place = self.hook is None and self.group.reduces_in_place(reducing.name_of(part[0]._array.dtype))
            large = set() if self.hook is not None or self.as_views else {
                id(p) for p in part if in_place or p.numel() * p.element_size() >= limit}
            flags = 1 if self.alike is not None and self.hook is None and not in_place else 0
            self.buckets.append(GradBucket(number, part, len(parts), large, flags, in_place))
        self.places = {id(p): bucket for bucket in self.buckets for p in bucket._parameters}
        if self.as_views:
            for bucket in self.buckets:
                for p in bucket._parameters:
                    if p.grad is not None:
                        bucket.parts[id(p)][...] = array_of(p.grad).reshape(-1)
                        self.give(p, bucket)
        self.begin()

    def let_reduce(self, hook):
        """Let a communication hook reduce the buckets, which have all gradients then."""
        self.hook = hook
        self.arrange([p for bucket in self.buckets for p in bucket._parameters])

    def begin(self):
        """Wait for a backward."""
        for bucket in self.buckets:
            bucket.reset()
        self.seen = set()
        self.unused = []
        self.next = 0
        self.going = False

    def missing(self):
        """Names of the parameters whose gradients have not come, in a backward that has begun."""
        return [self.names[id(p)] for p in self.parameters if id(p) not in self.seen] if self.going else []

    def prepare(self, outputs):
        """A forward that backward will follow: which parameters it does not use, if that was asked for."""
        if self.find_unused:
            used = reached(outputs)
            self.unused = [p for p in self.parameters if id(p) not in used]

    def ready(self, p):
        """A gradient has come."""
        if not self.enabled:
            return
        if not self.going:
            self.going = True
            queue_callback(self.finish)
            for other in self.unused:
                self.note(other)
        if id(p) in self.seen:
            raise RuntimeError("Expected to mark a variable ready only once: the gradient of "
                               f"{self.names[id(p)]} came twice in one backward. Where backward runs through a module "
                               "twice, all but the last need no_sync(), or both uses stand in one forward")
        self.note(p)

    def note(self, p):
        """Put a gradient where it is reduced, and reduce whatever is whole."""
        self.seen.add(id(p))
        self.came.append(p)
        bucket = self.places[id(p)]
        flat, divisor = bucket.parts.get(id(p)), 1 if self.hook is not None or bucket.in_place else self.divisor
        if flat is None:
            flat = bucket.parts[id(p)] = self.memory_of(p)
            if not bucket.in_place:
                reducing.divided(flat, flat, divisor)
                if self.alike is not None and reducing.has_nan(flat):
                    bucket.nans.append(p)
        elif p.grad is None:
            flat[...] = 0
        else:
            there = reducing.shares_memory(flat, p.grad._array)
            if not there or divisor != 1:
                reducing.divided(flat, array_of(p.grad).reshape(-1), divisor)
            if self.as_views and not there:
                self.give(p, bucket)
        bucket.missing -= 1
        while self.next < len(self.buckets) and self.buckets[self.next].missing == 0:
            self.reduce(self.buckets[self.next])
            self.next += 1

    def memory_of(self, p):
        """Flat memory with a large gradient: its own, unless somebody may read that before it is reduced."""
        if p.grad is None:
            return reducing.zeros(p._array.size, p._array.dtype)
        flat = reducing.packed(array_of(p.grad))
        hooks = p._hooks
        if len(hooks.accumulated) > 1 or hooks.post or p.grad.requires_grad or any([other is p for other in self.unused]):
            return flat.copy()
        return flat

    def reduce(self, bucket):
        """Begin the reduction of one bucket."""
        if self.alike is not None:
            if bucket.index() == 0 and not self.uneven:
                self.alike.begin()
            bucket.look_for_nan()
        if self.hook is not None:
            bucket.work = self.hook(bucket)
            return
        if bucket.in_place:
            bucket.work = self.group.run(bucket.reduction(self.divisor), True)
            return
        works = []
        if bucket.whole.numel():
            works.append(collectives.all_reduce(bucket.whole, ReduceOp.SUM, self.group, async_op=True))
        for flat in bucket.large():
            call = Call("allreduce", "all_reduce", data=flat, op="SUM", shape=flat.shape, size=flat.size)
            works.append(self.group.run(call, True))
        bucket.work = works[0] if len(works) == 1 else Together(works)

    def finish(self):
        """Backward has ended: wait for what is on its way, and give the gradients back."""
        if self.next < len(self.buckets):
            return                                  # some did not come: the next forward says which
        self.wait_and_give()
        if not self.arranged and not self.find_unused and not self.uneven:
            self.arranged = True
            self.arrange(self.came)
        else:
            self.begin()
        self.came = []

    def wait_and_give(self, keep=True):
        """Wait for all buckets, and give their gradients to the parameters that some rank used, unless ``keep`` is False."""
        used = self.used_anywhere() if self.find_unused else None
        nans, some = [], False
        for bucket in self.buckets:
            answer = bucket.work.wait()
            if self.hook is not None:
                answer = answer[0] if isinstance(answer, (list, tuple)) else answer
                bucket.memory[...] = array_of(answer).reshape(-1)
            if self.alike is not None and not self.uneven:
                some = bucket.has_nan() or some
                nans += bucket.nans
            for p in bucket._parameters:
                if keep and (used is None or id(p) in used):
                    self.give(p, bucket)
        if some:
            self.alike.tell_nan([self.names[id(p)] for p in nans])
        if self.alike is not None:
            self.alike.end()

    def give(self, p, bucket):
        """Write a reduced gradient to ``p.grad``, or let that be a view of its bucket."""
        flat = bucket.parts[id(p)]
        if self.as_views:
            if p.grad is None or not reducing.shares_memory(flat, p.grad._array):
                p.grad = bucket.gradient_of(p)
        elif p.grad is None:
            p.grad = new_tensor(flat.reshape(p._array.shape).copy(), p._dtype)
        elif not reducing.shares_memory(flat, p.grad._array):
            p.grad._array[...] = flat.reshape(p._array.shape)

    def answer(self, keep):
        """Take part in a backward of the others, where this rank has no inputs left; ``keep``: and take its gradients."""
        self.unused = self.parameters
        for bucket in self.buckets:
            bucket.memory[...] = 0
            bucket.parts.update({id(p): reducing.zeros(p._array.size, p._array.dtype) for p in bucket._parameters
                                 if id(p) not in bucket.parts})
            self.reduce(bucket)
        self.wait_and_give(keep)
        self.begin()

    def used_anywhere(self):
        """Which parameters got a gradient on some rank: the others' stay as they are."""
        unused = {id(p) for p in self.unused}
        mine = new_tensor(reducing.numbers([id(p) not in unused for p in self.parameters]), runtime.dtype_of[
            reducing.numbers([]).dtype])
        collectives.all_reduce(mine, ReduceOp.MAX, self.group)
        return {id(p) for p, any_rank in zip(self.parameters, mine.tolist(), strict=True) if any_rank}


def reached(outputs):
    """The ids of the leaves that a backward from some tensors comes to."""
    found, stack, seen = set(), [], set()
    for tensor in outputs:
        node = tensor._node
        if node is not None:
            stack.append(node)
        elif tensor.requires_grad:
            found.add(id(tensor))
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for target in node._targets:
            if isinstance(target, Node):
                stack.append(target)
            elif target is not None:
                found.add(id(target))
    return found
