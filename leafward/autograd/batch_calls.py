"""Batch rules that follow from a declaration: what an op does to values that have one more dim than it thinks.

Elementwise ops line their operands up; ops whose options name dims get the dims one further on; ops that treat leading
dims alike need nothing. What has no rule runs once for each example, and says so once.
"""

from leafward.core.call import apply
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns
from leafward.errors import warn
from leafward.ops import dims

#: Ops that treat all dims before their last ones alike, and whose several inputs broadcast there.
LEADING = {
    "_real", "_imag", "_conj", "_to_copy", "view_as_real", "view_as_complex", "complex", "alias", "clone", "tril",
    "triu",
    "linalg_inv", "linalg_inv_ex", "linalg_det", "_adjugate", "linalg_slogdet", "linalg_cholesky", "linalg_cholesky_ex",
    "linalg_qr", "linalg_eigh", "linalg_svd", "linalg_eig", "linalg_matrix_exp", "linalg_lu_factor_ex", "linalg_lu",
    "lu_unpack", "cholesky_inverse", "cholesky_solve", "linalg_solve", "linalg_solve_ex", "linalg_solve_triangular",
    "linalg_lu_solve", "_lstsq", "pixel_shuffle", "pixel_unshuffle", "_avg_pool", "_avg_pool_adjoint",
    "_adaptive_avg_pool", "_adaptive_avg_pool_adjoint", "_max_pool_positions", "_pool_gather", "_pool_scatter",
    "_adaptive_max_pool", "_interpolate", "_interpolate_adjoint", "_pad_by_position", "constant_pad_nd",
    "_standard_gamma_grad", "_dirichlet_grad",
}
#: The options that name dims, as numbers or tuples of them.
DIMS = ("dim", "dims", "dim0", "dim1", "dim2", "dimension")
#: Ops whose dims count one dim that their input does not have yet.
GROWS = {"unsqueeze", "stack", "diag_embed"}
#: Ops that do the same to each row in the first dim of an input of so many dims; with one dim less there are no rows.
ROWS = {"im2col": 4, "col2im": 3}
#: Ops whose dim is the one that they do not work along: batches would be reduced, or compared with one another, too.
OTHER_DIMS = {"renorm", "_unique", "_unique_consecutive"}
#: Ops whose second input may be a vector.
SOLVERS = {"linalg_solve", "linalg_solve_ex"}
#: Losses that are made element by element, then reduced.
LOSSES = {"_mse_loss", "_huber", "_binary_cross_entropy", "_binary_cross_entropy_with_logits", "_soft_margin"}
#: Masks of random numbers: of their input only the shape matters.
MASKS = {"_dropout_mask", "_feature_mask", "_alpha_mask"}

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
        """The number of dims that input ``place`` seems to have."""
        x = self.inputs[position]
        return x.ndim - (self.dims[position] is not None)

    def is_batched(self, position):
        return self.dims[position] is not None

    def front(self, position):
        """Input ``place`` with the batch as first dim, repeated if it is not batched."""
        return self.in_front(self.inputs[position], self.dims[position])

    def in_front(self, x, dim):
        if not isinstance(x, TensorBase):
            return x
        return fns.movedim(x, dim, 0) if dim is not None else x.unsqueeze(0).expand(self.size, *x.shape)

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
    ranks = {call.rank(k) for k, x in enumerate(call.inputs) if isinstance(x, TensorBase)}
    if call.op.name in ("lu_unpack", "linalg_lu_solve"):
        if call.op.name == "lu_unpack" and not (call.option("unpack_data") and call.option("unpack_pivots")):
            return None
        if call.rank(0) != call.rank(1) + 1 or (len(call.inputs) > 2 and call.rank(2) != call.rank(0)):
            return None
    elif len(ranks) > 1 and not (call.op.name in SOLVERS and is_vector(call)):
        return call.run([aligned(x, d, max(ranks)) if isinstance(x, TensorBase) else x
                         for x, d in zip(call.inputs, call.dims, strict=True)])
    return call.run([None if x is None else call.in_front(x, d) for x, d in zip(call.inputs, call.dims, strict=True)])


def is_vector(call):
    """Whether the second input of a solver is one vector, or a batch of them, and not a matrix."""
    a, b = (tuple(x.shape) if d is None else tuple(x.shape[:d] + x.shape[d + 1:])
            for x, d in zip(call.inputs[:2], call.dims[:2], strict=True))
    return len(b) == 1 or b == a[:-1]


def rows(call):
    """Batch and rows as one dim, and apart again; without rows the batch takes their place."""
    if not call.is_batched(0) or any(d is not None for d in call.dims[1:]):
        return None
    x = call.front(0)
    if call.rank(0) < ROWS.get(call.op.name, 0):
        return call.run([x, *call.inputs[1:]])
    results = call.run([x.flatten(0, 1), *call.inputs[1:]])
    return [r.unflatten(0, x.shape[:2]) for r in results]


def shift(dim, rank):
    """A dim, or a tuple of them, one further on."""
    if isinstance(dim, (tuple, list)):
        return tuple([shift(d, rank) for d in dim])
    return dims.normalize(dim, rank) + 1


def shifted(call):
    """Every input with the batch in front, and every dim that an option names one further on."""
    op, variadic = call.op, call.op.variadic_at
    if op.name in ("all", "any") and call.option("dim") == ():
        return None                                         # for these, no dims are none
    if op.name == "unfold" and call.rank(0) == 0 or op.name == "_unfold_backward" and not call.option("shape"):
        return None
    if variadic >= 0:
        if len({x.ndim - (d is not None) for x, d in zip(call.inputs[variadic], call.dims[variadic], strict=True)}) > 1:
            return None
        parts = [call.in_front(x, d) for x, d in zip(call.inputs[variadic], call.dims[variadic], strict=True)]
        rank = parts[0].ndim - 1
        inputs = [parts if k == variadic else x for k, x in enumerate(call.inputs)]
    else:
        rank = call.rank(0)
        inputs = [None if x is None else call.in_front(x, d) for x, d in zip(call.inputs, call.dims, strict=True)]
    if "shape" in op.options:
        rank = len(call.option("shape"))
        call.set_option("shape", (call.size, *call.option("shape")))
    scalar = rank == 0 and op.name not in GROWS
    if scalar and variadic < 0:
        inputs = [x.unsqueeze(1) if isinstance(x, TensorBase) and x.ndim == 1 else x for x in inputs]
        rank = 1
    rank += op.name in GROWS
    whole = None
    for name in op.options:
        if name not in DIMS:
            continue
        dim = call.option(name)
        if dim is None or (isinstance(dim, (tuple, list)) and not dim):
            if len(inputs) != 1 or "keepdim" not in op.options and op.name != "count_nonzero":
                return None
            whole = rank                                    # all dims: as one
            inputs = [inputs[0].reshape(call.size, -1)]
            call.set_option(name, 1)
        else:
            call.set_option(name, shift(dim, rank))
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
