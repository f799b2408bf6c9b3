"""Gradients of all ranks, averaged while backward goes on: what ``DistributedDataParallel`` does."""
from leafward.arrays import reducing
from leafward.autograd.variable import queue_callback
from leafward.core.from_array import new_tensor
from leafward.core.node import Node
from leafward.core.runtime import runtime
from leafward.core.tensor import array_of
from leafward.distributed import collectives
from leafward.distributed.alike import Alike
from leafward.distributed.reduce_op import ReduceOp

MEGABYTE = 1 << 20


class GradBucket:
    """Gradients of some parameters, one behind the other, as a communication hook sees them."""

    def __init__(self, index, parameters, count):
        self._index, self._parameters, self._count = index, parameters, count
        model = parameters[0]
        size = sum([p.numel() for p in parameters])
        self.memory = reducing.empty_flat(size, model._array.dtype)
        self._memory = self._buffer = new_tensor(self.memory, model._dtype)
        self.parts = collectives.parts_of(self.memory, parameters)
        self.reset()

    def reset(self):
        """Wait for each of its gradients anew."""
        self.missing = len(self._parameters)
        self.work, self.nans = None, []

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
        self.buckets = [GradBucket(number, part, len(parts)) for number, part in enumerate(parts)]
        self.places = {id(p): (bucket, flat) for bucket in self.buckets
                       for p, flat in zip(bucket._parameters, bucket.parts, strict=True)}
        if self.as_views:
            for bucket in self.buckets:
                for p, flat in zip(bucket._parameters, bucket.parts, strict=True):
                    if p.grad is not None:
                        flat[...] = array_of(p.grad).reshape(-1)
                        self.give(p, flat)
        self.begin()

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
        bucket, flat = self.places[id(p)]
        grad = p.grad
        if grad is None:
            flat[...] = 0
        else:
            there = reducing.shares_memory(flat, grad._array)
            reducing.divided(flat, array_of(grad).reshape(-1), self.divisor if self.hook is None else 1)
            if self.as_views and not there:
                self.give(p, flat)
            if self.as_views and self.alike is not None and reducing.has_nan(flat):
                bucket.nans.append(p)
        bucket.missing -= 1
        while self.next < len(self.buckets) and self.buckets[self.next].missing == 0:
            self.reduce(self.buckets[self.next])
            self.next += 1

    def reduce(self, bucket):
        """Begin the reduction of one bucket."""
        if self.alike is not None and bucket.index() == 0 and not self.uneven:
            self.alike.begin()
        if self.hook is not None:
            bucket.work = self.hook(bucket)
            return
        bucket.work = collectives.all_reduce(bucket.buffer(), ReduceOp.SUM, self.group, async_op=True)

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
            if self.alike is not None and not self.uneven and reducing.has_nan(bucket.memory):
                some = True
                nans += bucket.nans if self.as_views else [p for p in bucket._parameters if is_nan(p.grad)]
            for p, flat in zip(bucket._parameters, bucket.parts, strict=True):
                if keep and (used is None or id(p) in used):
                    self.give(p, flat)
        if some:
            self.alike.tell_nan([self.names[id(p)] for p in nans])
        if self.alike is not None:
            self.alike.end()

    def give(self, p, flat):
        """Write a reduced gradient to ``p.grad``, or let that be a view of its bucket."""
        if self.as_views:
            if p.grad is None or not reducing.shares_memory(flat, p.grad._array):
                bucket, _ = self.places[id(p)]
                p.grad = bucket.gradient_of(p)
        elif p.grad is None:
            p.grad = new_tensor(flat.reshape(p._array.shape).copy(), p._dtype)
        else:
            p.grad._array[...] = flat.reshape(p._array.shape)

    def answer(self, keep):
        """Take part in a backward of the others, where this rank has no inputs left; ``keep``: and take its gradients."""
        self.unused = self.parameters
        for bucket in self.buckets:
            bucket.memory[...] = 0
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


def is_nan(grad):
    """Whether any element of a gradient is NaN."""
    return grad is not None and reducing.has_nan(array_of(grad).reshape(-1))


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
