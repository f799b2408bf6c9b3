"""Batch rules: what an op does to values that have one more dim than it thinks.

A declaration's ``batch`` names one of the :data:`RULES` below, or is a function of ``lw`` and the :class:`Call`. What has no
rule runs once for each example, and says so once.
"""

from leafward.core.call import apply
from leafward.core.op import DIMS
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.errors import warn
from leafward.ops import dims

warned = set()


class Call:
    """One call to batch: bound arguments, the values and batch dims of the inputs, and the logical dtype they promote to."""

    def __init__(self, op, values, inputs, dims, size, common):
        self.op, self.values, self.inputs, self.dims = op, list(values), inputs, dims
        self.size, self.common = size, common

    def option(self, name):
        return self.values[self.op.names.index(name)]

    def set_option(self, name, value):
        self.values[self.op.names.index(name)] = value

    def rank(self, position):
        """The number of dims that input ``position`` seems to have."""
        x = self.inputs[position]
        return x.ndim - (self.dims[position] is not None)

    def is_batched(self, position):
        return self.dims[position] is not None

    def is_tensor(self, position):
        """Whether input ``position`` is a tensor: it may be a number, or None."""
        return isinstance(self.inputs[position], TensorBase)

    def front(self, position):
        """Input ``position`` with the batch as first dim, repeated if it is not batched."""
        return self.in_front(self.inputs[position], self.dims[position])

    def in_front(self, x, dim):
        if not isinstance(x, TensorBase):
            return x
        return fns.movedim(x, dim, 0) if dim is not None else x.unsqueeze(0).expand(self.size, *x.shape)

    def all_in_front(self):
        """Every input with the batch as first dim."""
        return [None if x is None else self.in_front(x, d) for x, d in zip(self.inputs, self.dims, strict=True)]

    def aligned(self, position, rank):
        """Input ``position``, the batch (if it has one) as its first dim and ``rank`` dims after it, so that they broadcast."""
        return aligned(self.inputs[position], self.dims[position], rank)

    def align(self, x, dim, rank):
        """The same for any tensor, whose batch is ``dim``."""
        return aligned(x, dim, rank)

    def shift(self, dim, rank):
        """A dim of one example of ``rank`` dims, or a tuple of them, as dims of the batch."""
        if isinstance(dim, (tuple, list)):
            return tuple([self.shift(d, rank) for d in dim])
        return dims.normalize(dim, rank) + 1

    def numbers(self, rank):
        """The numbers of the examples, with ``rank`` dims of size one behind."""
        return fns.arange(self.size).reshape(self.size, *[1] * rank)

    def along_dims(self, over_all=False):
        return along_dims(self, over_all=over_all)

    def rows(self, rank):
        return rows(self, rank)

    def dynamic(self):
        """The refusal of an op whose result has another shape for each example."""
        return dynamic(self.op.name.strip("_"))

    def run(self, inputs):
        """The op on other inputs; its outputs as a list."""
        values = list(self.values)
        for position, x in zip(self.op.input_at, inputs, strict=True):
            values[position] = x
        result = apply(self.op, values)
        return list(result) if isinstance(result, (tuple, list)) else [result]


def aligned(x, dim, rank):
    """``x`` with the batch first and dims of size one after it, so that what is left of ``rank`` dims lines up."""
    if dim is None:
        return x
    x = fns.movedim(x, dim, 0)
    missing = rank - (x.ndim - 1)
    return x.reshape(x.shape[0], *[1] * missing, *x.shape[1:]) if missing > 0 else x


def elementwise(call):
    """Operands lined up at their last dims, cast first where the batch dim would change how they promote."""
    rank = max([call.rank(k) for k, x in enumerate(call.inputs) if isinstance(x, TensorBase)])
    inputs = []
    for position, x in enumerate(call.inputs):
        if not isinstance(x, TensorBase):
            inputs.append(x)
            continue
        if call.common is not None and call.op.promoted[position] and x.dtype is not call.common:
            x = x.to(call.common)
        inputs.append(aligned(x, call.dims[position], rank))
    return call.run(inputs)


def leading(call):
    """Every input with the batch in front, lined up where one has more dims than another."""
    ranks = {call.rank(k) for k in range(len(call.inputs)) if call.is_tensor(k)}
    if len(ranks) > 1:
        return call.run([aligned(x, d, max(ranks)) if isinstance(x, TensorBase) else x
                         for x, d in zip(call.inputs, call.dims, strict=True)])
    return call.run(call.all_in_front())


def solve(call):
    """The same, and a right side that is a vector stays one."""
    return call.run(call.all_in_front()) if is_vector(call) else leading(call)


def is_vector(call):
    """Whether the second input of a solver is one vector, or a batch of them, and not a matrix."""
    a, b = (tuple(x.shape) if d is None else tuple(x.shape[:d] + x.shape[d + 1:])
            for x, d in zip(call.inputs[:2], call.dims[:2], strict=True))
    return len(b) == 1 or b == a[:-1]


def rows(call, rank):
    """Where the first of ``rank`` dims counts rows: batch and rows as one dim, and apart again; else the batch is the rows."""
    if not call.is_batched(0) or any(d is not None for d in call.dims[1:]):
        return None
    x = call.front(0)
    if call.rank(0) < rank:
        return call.run([x, *call.inputs[1:]])
    results = call.run([x.flatten(0, 1), *call.inputs[1:]])
    return [r.unflatten(0, x.shape[:2]) for r in results]


def along_dims(call, grows=False, over_all=None):
    """Every input with the batch in front, and every dim that an option names one further on.

    ``grows``: dims count one that the input does not have yet. ``over_all``: without a dim, all are reduced; by default that
    is known by the option ``keepdim``.
    """
    op, variadic = call.op, call.op.variadic_at
    if over_all is None:
        over_all = "keepdim" in op.options
    if variadic >= 0:
        if len({x.ndim - (d is not None) for x, d in zip(call.inputs[variadic], call.dims[variadic], strict=True)}) > 1:
            return None
        parts = [call.in_front(x, d) for x, d in zip(call.inputs[variadic], call.dims[variadic], strict=True)]
        rank = parts[0].ndim - 1
        inputs = [parts if k == variadic else x for k, x in enumerate(call.inputs)]
    else:
        rank = call.rank(0)
        inputs = call.all_in_front()
    if "shape" in op.options:
        rank = len(call.option("shape"))
        call.set_option("shape", (call.size, *call.option("shape")))
    scalar = rank == 0 and not grows
    if scalar and variadic < 0:
        inputs = [x.unsqueeze(1) if isinstance(x, TensorBase) and x.ndim == 1 else x for x in inputs]
        rank = 1
    rank += grows
    whole = None
    for name in op.options:
        if name not in DIMS:
            continue
        dim = call.option(name)
        if dim is None or (isinstance(dim, (tuple, list)) and not dim):
            if len(inputs) != 1 or not over_all:
                return None
            whole = rank                                    # all dims: as one
            inputs = [inputs[0].reshape(call.size, -1)]
            call.set_option(name, 1)
        else:
            call.set_option(name, call.shift(dim, rank))
    results = call.run(inputs)
    if whole is not None and "keepdim" in op.options and call.option("keepdim"):
        results = [r.reshape(call.size, *[1] * (0 if scalar else whole)) for r in results]
    if scalar:
        results = [r.reshape(call.size) if r.ndim == 2 and r.shape[1] == 1 else r for r in results]
    return results


def one_by_one(call):
    """The op on each example, and the results stacked."""
    op = call.op
    if op.name not in warned:
        warned.add(op.name)
        warn(f"There is a performance drop because we have not yet implemented the batching rule for aten::{op.name}. "
             "Please file us an issue on GitHub so that we can prioritize its implementation.")

    def example(x, dim, k):
        if isinstance(x, list):
            return [example(v, d, k) for v, d in zip(x, dim, strict=True)]
        return x if dim is None else x.select(dim, k)
    each = [call.run([example(x, d, k) for x, d in zip(call.inputs, call.dims, strict=True)]) for k in range(call.size)]
    if not each:
        raise RuntimeError(f"vmap over a batch of size 0: aten::{op.name} has no batching rule to say what it gives")
    for several in each:
        if [o.shape for o in several] != [o.shape for o in each[0]]:
            raise dynamic(op.name)
    return [fns.stack(list(parts)) for parts in zip(*each, strict=True)]


def dynamic(name):
    return RuntimeError("vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
                        f"aten::{name}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this "
                        "feature.")


def loss(call):
    """Without the reduction, which then goes over each example's own dims."""
    reduction = call.option("reduction")
    call.set_option("reduction", "none")
    losses = elementwise(call)[0]
    return reduced(losses, reduction)


def reduced(losses, reduction):
    if reduction == "none":
        return losses
    losses = losses.reshape(losses.shape[0], -1)
    return losses.mean(1) if reduction == "mean" else losses.sum(1)


#: What the words mean that ``batch`` may be.
RULES = {
    "elementwise": elementwise, "leading": leading, "mask": leading, "dims": along_dims,
    "new dim": lambda call: along_dims(call, grows=True), "solve": solve, "loss": loss,
}


def run(call):
    """The outputs of a call on values, with the batch as first dim of each."""
    rule = call.op.batch_rule
    found = None if rule is None else rule(fns, call) if callable(rule) else RULES[rule](call)
    if found is None:
        found = one_by_one(call)
    return found if isinstance(found, list) else [found]
