"""vmap's level: tensors that stand for a whole batch while they look like one example.

A :class:`Batched` tensor has the shape of one example; its ``_value`` has one more dim, ``_bdim``. An operation on it runs
its batch rule (``batch_calls``) on the values, with the levels around, and what comes out is batched again.
"""
from contextlib import nullcontext

from leafward.core import inplace, modes
from leafward.core.call import apply, values_at
from leafward.core.compute import common_dtype
from leafward.core.history import connect, wants_grad
from leafward.core.recording import record
from leafward.core.inplace import refuse
from leafward.core.transform_levels import Level
from leafward.core.node import Node, behind
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase, allocate_tensor
from leafward.core.from_array import link_alias
from leafward.derive.functions import fns
from leafward.tensor.tensor import Tensor, disabled_torch_function
from leafward.autograd import batch_calls

NO_ITEM = ("vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
           "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
           "internals, please file a bug report.")
NO_BRANCH = ("vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support "
             "that yet, please file an issue at https://github.com/pytorch/pytorch/issues .")
NO_MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"
UNBATCHED_TARGET = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that "
    "has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a "
    "vmap. Please try to use out-of-place operators instead of inplace arithmetic. If said operator is being called inside "
    "the PyTorch framework, please file a bug report instead.")
NO_RANDOM = ("vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
             "randomness flags on vmap or perform the randomness operation out of vmap")


def refusal(text):
    def refused(self, *args, **kwargs):
        raise RuntimeError(text)
    return refused


class Batched(Tensor):
    """One example of a batch. Its ``_array`` shows the first example: shape, strides and dtype are right."""

    __torch_function__ = disabled_torch_function

    item = __int__ = __float__ = __complex__ = __index__ = refusal(NO_ITEM)
    __bool__ = refusal(NO_BRANCH)
    resize_ = resize_as_ = set_ = refusal(NO_MEMORY)
    tolist = numpy = __array__ = data_ptr = __dlpack__ = __reduce_ex__ = __deepcopy__ = refusal(NO_MEMORY)

    def detach(self):
        """The same batch without a history."""
        with self._batch.around():
            return batched(self._value.detach(), self._bdim, self._batch)

    data = property(detach)

    def detach_(self):
        """Forget the history of this batch, and that of its values."""
        super().detach_()
        with self._batch.around():
            self._value = self._value.detach()
        return self

    def requires_grad_(self, requires_grad=True):
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of "
            "a function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
            "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
            "transformed instead.")


def batched(value, bdim, level):
    """A :class:`Batched` on ``value``, whose dim ``bdim`` is the batch."""
    tensor = allocate_tensor(Batched)
    array = value._array
    tensor._array = (array[(slice(None),) * bdim + (0, ...)] if array.shape[bdim] else
                     runtime.xp.empty(array.shape[:bdim] + array.shape[bdim + 1:], dtype=value._dtype))
    tensor._dtype = value._dtype
    tensor._storage, tensor._counter, tensor._alias = value._storage, value._counter, value._alias
    tensor._value, tensor._bdim, tensor._batch = value, bdim, level
    return tensor


class Unstack(Node):
    """From a batch to its examples: their gradients are stacked again, for the batch and for the history of its values."""

    def pull_back(self, grads, recorded, wanted):
        level = self.level
        inside = restacked(grads, level) if level.alive else None
        if len(self._targets) == 1 and (inside is not None or self.of_batch):
            return [inside]
        with level.around() if level.alive else nullcontext():
            together = fns.stack(grads) if recorded else runtime.xp.stack(grads)
            return [inside, together] if self.of_batch else [together.sum(0)]


class Restack(Node):
    """From examples to the batch of them: its gradient is taken apart again."""

    def pull_back(self, grads, recorded, wanted):
        return unstacked(grads[0], self.level)


def unstacked(x, level):
    """The examples of ``x``, with a history that leads to ``x``, and outside to what its values were made of."""
    values = level.value_in_front(x)
    with level.around():
        examples = [v.detach() for v in values]
    of_batch = level.holds(x)                               # otherwise one history is that inside and that outside
    outside = of_batch and wants_grad(values)
    if modes.grad_enabled() and (outside or wants_grad(x)):
        node = Unstack()
        connect(node, (x, values) if outside else (x,))
        node.level, node.of_batch = level, of_batch
        node._metas = tuple([(v._array.shape, v._dtype) for v in examples])
        for number, example in enumerate(examples):
            example._node, example._output_nr = node, number
    return examples


def restacked(examples, level):
    """The batch of ``examples``, with a history that leads to each of them; that of its values, if they have one outside."""
    outside = modes.grad_enabled() and leads_out(examples, level)
    with level.around():
        made = batched(fns.stack([e if outside else e.detach() for e in examples]), 0, level)
    if modes.grad_enabled() and any(wants_grad(e) for e in examples):
        node = Restack()
        connect(node, examples)
        node.level = level
        node._shape, node._dtype = made._array.shape, made._dtype
        made._node = node
    return made


def leads_out(examples, level):
    """Whether ``examples``, made inside ``level``, depend on something outside that wants a gradient."""
    ends = [e._node if e._node is not None else e for e in examples if wants_grad(e)]
    for end in behind(ends, last=takes_examples_of_a_batch):
        if not isinstance(end, Node) or end._sequence < level.sequence:
            return True
        if takes_examples_of_a_batch(end) and len(end._targets) == 2:
            return True
    return False


def takes_examples_of_a_batch(node):
    return isinstance(node, Unstack) and node.of_batch


class VmapLevel(Level):
    """One vmap: how many examples, and what random numbers do."""

    def __init__(self, size, randomness):
        super().__init__()
        self.size, self.randomness = size, randomness

    def __enter__(self):
        self.sequence = runtime.sequence                    # nodes from here on were made inside
        return super().__enter__()

    def holds(self, x):
        return isinstance(x, TensorBase) and x._batch is self

    def lower(self, x):
        """``(value, batch dim)`` of a batched tensor; ``(x, None)`` for anything else; of a list, lists of both."""
        if isinstance(x, (list, tuple)):
            pairs = [self.lower(v) for v in x]
            return [v for v, _ in pairs], [b for _, b in pairs]
        return (x._value, x._bdim) if self.holds(x) else (x, None)

    def value_in_front(self, x):
        """The values of ``x`` with the batch as first dim, repeated for what is not batched."""
        with self.around():
            if self.holds(x):
                return fns.movedim(x._value, x._bdim, 0)
            return x.unsqueeze(0).expand(self.size, *x.shape)

    def repr_of(self, x):
        text = "\n".join("    " + line for line in repr(x._value).split("\n"))
        return f"BatchedTensor(lvl={self.depth}, bdim={x._bdim}, value=\n{text}\n)"

    # -- operations ------------------------------------------------------------------------------------------------

    def apply(self, op, values, inputs):
        """``op`` on bound arguments, of which some are batched."""
        if op.writes is not None:
            return self.write(op, values, inputs)
        options = values_at(values, op.option_at)
        if op.random and self.randomness == "error":
            raise RuntimeError(NO_RANDOM)
        if op.random and self.randomness == "same":
            return self.same_for_all(op, values, inputs)
        if op.parts is not None:
            return op.parts(fns, *values)
        mask = self.mask(op, inputs)
        if mask and op.residuals:
            return self.each(op, values, inputs)
        outputs = self.outputs(op, values, inputs)
        if op.alias is not None and not op.untracked:
            for number, output in enumerate(outputs):
                self.link_view(op, inputs[op.alias_at], options, output, number if op.outputs else -1)
        if mask:
            node = record(op, mask, inputs, options, outputs, [None] * len(op.residuals), False)
            for number, output in enumerate(outputs):
                if output._dtype.is_floating_point or output._dtype.is_complex:
                    output._node, output._output_nr = node, number
        return op.package(outputs) if op.outputs else outputs[0]

    def same_for_all(self, op, values, inputs):
        """Random numbers of which there is one set."""
        if op.batch_rule == "mask":
            values = [self.value_in_front(x)[0] if self.holds(x) else x for x in values]
        elif any(self.holds(x) for x in inputs):
            raise RuntimeError("Vmap does not currently support same randomness with a batched tensor input. Please file an "
                               "issue with functorch")
        with self.around():
            return apply(op, values)

    def each(self, op, values, inputs):
        """``op`` on one example after the other: its node then keeps what it keeps of one example."""
        columns = [unstacked(x, self) if self.holds(x) or self.wants_grad_inside(x) else [x] * self.size for x in inputs]
        results = []
        for row in zip(*columns, strict=True):
            moved = list(values)
            for position, x in zip(op.input_at, row, strict=True):
                moved[position] = x
            result = apply(op, moved)
            results.append(list(result) if op.outputs else [result])
        outputs = [restacked(list(column), self) for column in zip(*results, strict=True)]
        return op.package(outputs) if op.outputs else outputs[0]

    def outputs(self, op, values, inputs):
        """What the op's batch rule makes of the values."""
        common = common_dtype(op, inputs, values) if op.dtype is not None else None
        lowered = [self.lower(x) for x in inputs]
        with self.around():
            call = batch_calls.Call(op, values, [v for v, _ in lowered], [b for _, b in lowered], self.size, common)
            results = batch_calls.run(call)
        return [None if value is None else batched(value, 0, self) for value in results]

    def link_view(self, op, source, options, view, number):
        """Make ``view`` a view of ``source`` at this level: a write through it is part of the base's history."""
        view._alias = link_alias(op.name, source._alias)
        base = source if source._base is None else source._base
        view._base = base
        view._chain = (source._chain, op, options, number)
        view._history_version = view._counter.version
        view._creation = source._creation

    def mask(self, op, inputs):
        """Which inputs want a gradient at this level: batched ones with a history of their own, and what was made inside."""
        mask = 0
        if not modes.grad_enabled():
            return mask
        for position, value in enumerate(inputs):
            if not op.differentiable[position]:
                continue
            for x in (value if isinstance(value, list) else (value,)):
                if self.wants_grad_inside(x):
                    mask |= 1 << position
        return mask

    def wants_grad_inside(self, x):
        if not isinstance(x, TensorBase) or not wants_grad(x):
            return False
        return self.holds(x) or (x._node is not None and x._node._sequence >= self.sequence)

    # -- writes ----------------------------------------------------------------------------------------------------

    def apply_inplace(self, op, values, inputs, name):
        """``x.op_(...)``: what ``op`` makes, written into the values of ``x``."""
        target = inputs[0]
        if not self.holds(target):
            raise RuntimeError(UNBATCHED_TARGET)
        mask = self.mask(op, inputs)
        refuse(target, mask != 0, name)
        source = self.copy_of(target) if wants_grad(target._value) else target     # the level around may keep what it reads
        result = self.outputs(op, values, [source, *inputs[1:]])[0]
        if result._array.shape != target._array.shape:
            raise inplace.inplace_shape_error(target._array.shape, result._array.shape)
        return self.store(op, values, inputs, mask, target, lambda into: into.copy_(result._value))

    def write(self, op, values, inputs):
        """An op that is a write (``copy_``, ``fill_``, ``normal_``)."""
        target = inputs[0]
        if op.random and self.randomness == "error":
            raise RuntimeError(NO_RANDOM)
        if op.random and self.randomness == "same" and not any(self.holds(x) for x in inputs):
            with self.around():
                return apply(op, values)
        if not self.holds(target):
            raise RuntimeError(UNBATCHED_TARGET)
        mask = self.mask(op, inputs)
        refuse(target, mask != 0, op.name)

        def into_values(into):
            moved = list(values)
            moved[op.input_at[0]] = into
            if op.random and self.randomness == "same":
                moved[op.input_at[0]] = into[0].clone()
                into.copy_(apply(op, moved).unsqueeze(0).expand(into.shape))
                return
            for index, position in enumerate(op.input_at[1:], 1):
                if self.holds(inputs[index]):
                    into.copy_(batch_calls.aligned(*self.lower(inputs[index]), target.ndim))
                    return
                moved[position] = inputs[index]
            apply(op, moved)
        return self.store(op, values, inputs, mask, target, into_values)

    def store(self, op, values, inputs, mask, target, write):
        """Write into the values of ``target``, and record it at this level."""
        node = inplace.node_of_write(op, values, inputs, mask)
        with self.around():
            write(fns.movedim(target._value, target._bdim, 0))
        inplace.attach_node(op, node, target, mask)
        return target

    def copy_of(self, target):
        """A batch with the values that ``target`` has now, and no history."""
        with self.around():
            return batched(target._value.clone(), target._bdim, self)

    def refuse_out(self, op):
        raise NotImplementedError(f"vmap: out= of {op.name} is not supported: use what the function returns")

    # -- random numbers --------------------------------------------------------------------------------------------

    def create(self, function, args, kwargs):
        """A random tensor made inside: one for every example, or the same for all."""
        if self.randomness == "error":
            raise RuntimeError(NO_RANDOM)
        with self.around():
            if self.randomness == "same":
                return function(*args, **kwargs)
            return batched(fns.stack([function(*args, **kwargs) for _ in range(self.size)])
                           if function.__name__ == "randperm" else function(*more(args, self.size), **kwargs), 0, self)

    def create_like(self, function, input, args, kwargs):
        """A tensor like ``input``: ``zeros_like``; ``rand_like``, one for every example or the same for all."""
        if "rand" not in function.__name__:
            with self.around():
                return batched(function(input._value, *args, **kwargs), input._bdim, self)
        if self.randomness == "error":
            raise RuntimeError(NO_RANDOM)
        values = self.value_in_front(input)
        with self.around():
            if self.randomness == "same":
                return function(values[0], *args, **kwargs)
            return batched(function(values, *args, **kwargs), 0, self)

    def create_new(self, function, input, args, kwargs):
        """``x.new_zeros(...)``: one for every example."""
        with self.around():
            made = function(input._value, *args, **kwargs)
            return batched(made.unsqueeze(0).expand(self.size, *made.shape).clone(), 0, self)


def more(args, size):
    """The arguments of a creation function with one more dim in front of its shape."""
    for position, value in enumerate(args):
        if isinstance(value, (tuple, list)):
            return (*args[:position], (size, *value), *args[position + 1:])
    return (size, *args)
