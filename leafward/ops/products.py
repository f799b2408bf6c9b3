"""Products built on those of ``linalg.py``: of vectors, of several operands, and of other shapes.

Args:
    input: what the product is added to
    a: the first tensor
    b: the second tensor
    matrices: the matrices, in order
    input1: the vectors on the left
    input2: the vectors on the right
    other: the second tensor
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op
from leafward.errors import warn_once

from leafward.ops.checks import refuse_bool, scalar_name, warn_of_older_name
from leafward.ops.dims import count, normalize, size_at
from leafward.ops.kinds import unsupported
from leafward.ops.reduction import whole_sum_dtype

# --- vectors ---------------------------------------------------------------------------------------------------------

@op("outer", "ger", dtype="promote", casts_out=True, node="MulBackward0", kernel="all_products", no_overlap="x, vec2",
    samples=["3 | 4", "0 | 4", "3 | 0", "int5: 3 | 2", "3 | int5: 2", "1 | 5", "5 | 1", "1 | 1", "17 | 33"],
    errors=[("3 1 | 4", RuntimeError, "outer: Expected 1-D argument self, but got 2-D"),
            ("3 | ", RuntimeError, "outer: Expected 1-D argument vec2, but got 0-D")])
def outer(xp, x, vec2, out=None):
    """All products of two elements: ``out[i, j] = input[i] * vec2[j]``.

    >>> lw.outer(lw.tensor([1., 2.]), lw.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    for name, vec in (("self", x), ("vec2", vec2)):
        if vec.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vec.ndim}-D")
    return xp.multiply(xp.expand_dims(x, axis=1), vec2, out=out)


@outer.vjp("x", kernel="matrix_times_vector")
def outer_dx(xp, g, vec2):
    return xp.sum(g * xp.conj(vec2), axis=1)


@outer.vjp("vec2", kernel="vector_times_matrix")
def outer_dvec2(xp, x, g):
    return xp.sum(g * xp.conj(xp.expand_dims(x, axis=1)), axis=0)


@outer.batch
def outer_batch(fns, call):
    return call.aligned(0, 1).unsqueeze(-1) * call.aligned(1, 1).unsqueeze(-2)


@composite("inner", samples=["3 4 | 5 4", "4 | 4", "2 3 4 | 4", " | 3"],
           errors=[("3 4 | 5", RuntimeError, "inner() the last dimension must match on both input tensors but got shapes "
                    "[3, 4] and [5]")])
def inner(fns, input, other, *, out=None):
    """Sums of products over the last dimensions: ``out[..., *] = sum_j input[..., j] * other[*, j]``."""
    if input.ndim == 0 or other.ndim == 0:
        return input * other if out is None else fns.mul(input, other, out=out)
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(input.shape)} and {list(other.shape)}")
    dims = [-1], [-1]
    return fns.tensordot(input, other, dims) if out is None else fns.tensordot(input, other, dims, out=out)


def check_cross(input, other, dim):
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = normalize(dim, input.ndim)
    if input.shape[axis] != 3 or other.shape[axis] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[axis]} and "
                           f"{other.shape[axis]}")


@op("linalg.cross", row_major=True, batch="dims", kernel="cross_along",
    samples=["2 3 | 2 3", "3 4 | 3 4 ; dim=0", "1 3 | 4 3"],
    errors=[("2 4 | 2 4", RuntimeError, "linalg.cross: inputs dimension -1 must have length 3. Got 4 and 4"),
            ("2 3 | 3", RuntimeError, "linalg.cross: inputs must have the same number of dimensions.")])
def cross_product(xp, x, y, *, dim=-1):
    """Cross product along ``dim``: ``out[i] = x[i+1] * y[i+2] - x[i+2] * y[i+1]``, counted modulo 3."""
    check_cross(x, y, dim)
    if x.dtype != y.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(y)}")
    refuse_bool(x, "cross")
    x, y = (xp.moveaxis(a, dim, 0) for a in xp.broadcast_arrays(x, y))
    return xp.moveaxis(xp.stack([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]), 0, dim)


@cross_product.vjp("x")
def cross_product_dx(xp, g, y, dim):
    return xp.linalg_cross(xp.conj(y), g, dim=dim)


@cross_product.vjp("y")
def cross_product_dy(xp, g, x, dim):
    return xp.linalg_cross(g, xp.conj(x), dim=dim)


@composite("cross", samples=["2 3 | 2 3 ; dim=1", "3 4 | 3 4 ; dim=0"],
           errors=[("2 4 | 2 4", RuntimeError, "no dimension of size 3 in input")])
def cross(fns, input, other, dim: int = None):
    """Cross product along ``dim``, by default the first dimension of size 3."""
    if dim is None:
        if 3 not in input.shape:
            raise RuntimeError("no dimension of size 3 in input")
        result = fns.linalg_cross(input, other, dim=tuple(input.shape).index(3))
        warn_once("Using torch.cross without specifying the dim arg is deprecated.\n"
                  "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
                  "The default value of dim will change to agree with that of linalg.cross in a future release.")
        return result
    return fns.linalg_cross(input, other, dim=dim)


# --- matrices --------------------------------------------------------------------------------------------------------

@op("trace", linear=True, autocast="float32", kernel="sum_of_diagonal", samples=["3 3", "2 4", "0 0"],
    errors=[("3", RuntimeError, "trace: expected a matrix, but got tensor with dim 1")])
def trace(xp, x):
    """Sum of the diagonal: ``out = sum_i x[i, i]``."""
    if x.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {x.ndim}")
    if x.dtype.kind == "b" or (x.dtype.kind == "u" and x.dtype.itemsize > 1):
        raise unsupported(x, "trace")
    return xp.sum(xp.diagonal(x), dtype=whole_sum_dtype(x, None))


@trace.vjp("x")
def trace_dx(xp, g, x: Meta):
    return xp._diagonal_backward(xp.broadcast_to(g, (min(x.shape),)), x.shape, 0, 0, 1)


@trace.batch
def trace_batch(fns, call):
    return fns.diagonal(call.front(0), 0, -2, -1).sum(-1)


@op("torch._blocks", dtype="promote", node="UnsafeViewBackward0", kernel="products_in_blocks",
    samples=["2 1 3 1 | 1 3 1 2", "3 1 | 1 2"])
def product_of_blocks(xp, x, y):
    """All products, the dimensions of ``x`` and ``y`` merged pair by pair: ``(n, 1), (1, m) -> (n m,)``."""
    return (x * y).reshape(tuple([n * m for n, m in zip(x.shape[::2], y.shape[1::2])]))


@product_of_blocks.vjp("x", kernel="products_in_blocks_left")
def product_of_blocks_dx(xp, g, x: Meta, y):
    g = g.reshape(tuple([n * m for n, m in zip(x.shape, y.shape)]))
    return xp.sum(g * xp.conj(y), axis=tuple(range(1, len(x.shape), 2)), keepdims=True)


@product_of_blocks.vjp("y", kernel="products_in_blocks_right")
def product_of_blocks_dy(xp, g, x, y: Meta):
    g = g.reshape(tuple([n * m for n, m in zip(x.shape, y.shape)]))
    return xp.sum(g * xp.conj(x), axis=tuple(range(0, len(x.shape), 2)), keepdims=True)


@composite("kron", samples=["2 3 | 3 2", "3 | 2", "2 2 | 3", "2 1 3 | 2", " | 2"])
def kron(fns, input, other):
    """Each element of ``input`` times all of ``other``, laid out in blocks: ``out[i m + k] = input[i] * other[k]``."""
    ndim = max(input.ndim, other.ndim)
    left, right = ((1,) * (ndim - x.ndim) + tuple(x.shape) for x in (input, other))
    spread = [size for n in left for size in (n, 1)], [size for n in right for size in (1, n)]
    return fns._blocks(input.reshape(spread[0]), other.reshape(spread[1]))


@composite("matrix_power", "linalg.matrix_power", records_out=lambda input, n: n in (0, 1),
           samples=["3 3 ; n=3", "2 3 3 ; n=2", "3 3 ; n=0", "3 3 ; n=1", "spd: 3 3 ; n=-2"],
           errors=[("3 4 ; n=2", RuntimeError,
                    "linalg.matrix_power: A must be batches of square matrices, but they are 3 by 4 matrices")])
def matrix_power(fns, input, n: int):
    """The product of ``n`` copies of a square matrix; of its inverse for negative ``n``.

    Args:
        input: the square matrix, or a batch of them
        n: the power; below 0, of the inverse
    """
    if input.ndim < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    rows, columns = input.shape[-2:]
    if rows != columns:
        raise RuntimeError("linalg.matrix_power: A must be batches of square matrices, "
                           f"but they are {rows} by {columns} matrices")
    if n == 0:
        return input.clone().copy_(fns.eye(rows, dtype=input.dtype))
    if n < 0:
        input, n = fns.linalg_inv(input), -n
    if n == 1:
        return input.clone()
    result = None
    while n:
        if n & 1:
            result = input if result is None else fns.matmul(result, input)
        n >>= 1
        if n:
            input = fns.matmul(input, input)
    return result


def cheapest(sizes):
    """Where to split each run of matrices so that the scalar products are fewest: dynamic programming."""
    number = len(sizes) - 1
    cost = [[0] * number for _ in range(number)]
    split = [[0] * number for _ in range(number)]
    for length in range(1, number):
        for i in range(number - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))
    return split


def check_alike(tensors, i):
    first, other = tensors[0].dtype, tensors[i].dtype
    if first != other:
        raise RuntimeError("multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                           f"{dtypes.cpp_name(first)} and tensor {i} {dtypes.cpp_name(other)}")


@composite("linalg.multi_dot", samples=["[2 3, 3 4, 4 2]", "[3, 3 4, 4]", "[2 3, 3 4]", "[3, 3 4]"],
           errors=[("[3 3]", RuntimeError, "multi_dot(): expected at least 2 tensors but got 1"),
                   ("[3 4, 3 4]", RuntimeError,
                    "multi_dot(): tensors 0 and 1 with shapes [3, 4] and [3, 4] cannot be multiplied"),
                   ("[2 3 4, 4 3]", RuntimeError, "multi_dot(): the first tensor must be 1D or 2D but got 3D"),
                   ("[2 3, 3 4, ]", RuntimeError, "multi_dot(): the last tensor must be 1D or 2D but got 0D"),
                   ("[2 3, 3, 3 2]", RuntimeError, "multi_dot(): tensor 1 must be 2D but got 1D"),
                   ("[2 3, int5: 3 4]", RuntimeError,
                    "multi_dot(): all tensors must have be the same dtype but tensor 0 is float and tensor 1 long int")])
def multi_dot(fns, tensors):
    """Product of several matrices, multiplied in the cheapest order; the first and last may be vectors."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first, last = tensors[0], tensors[-1]
    for end, matrix in (("first", first), ("last", last)):
        if matrix.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {end} tensor must be 1D or 2D but got {matrix.ndim}D")
    shapes = [list(t.shape) for t in tensors]
    matrices = list(tensors)
    if first.ndim == 1:
        matrices[0] = first.unsqueeze(0)
    if last.ndim == 1:
        matrices[-1] = last.unsqueeze(1)
    for i in range(1, len(matrices) - 1):
        if matrices[i].ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {matrices[i].ndim}D")
        check_alike(tensors, i)
    for i in range(len(matrices) - 1):
        check_alike(tensors, i + 1)
        if matrices[i].shape[1] != matrices[i + 1].shape[0]:
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes {shapes[i]} and {shapes[i + 1]} cannot "
                               "be multiplied")
    split = cheapest([matrices[0].shape[0], *[m.shape[1] for m in matrices]])

    def product(i, j):
        return matrices[i] if i == j else fns.mm(product(i, split[i][j]), product(split[i][j] + 1, j))
    sides = ([] if first.ndim == 1 else [first.shape[0]]) + ([] if last.ndim == 1 else [last.shape[1]])
    return product(0, len(matrices) - 1).view(sides)


@composite("torch.chain_matmul", samples=["2 3 | 3 4 | 4 2"],
           errors=[("3 | 3 4", RuntimeError, "Tensor dimension is 1, expected 2 instead.")])
def chain_matmul(fns, *matrices):
    """The older form of ``linalg.multi_dot``, of matrices alone."""
    warn_of_older_name("chain_matmul")
    for matrix in matrices:
        if matrix.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.ndim}, expected 2 instead.")
    return fns.linalg_multi_dot(list(matrices)) if len(matrices) > 1 else matrices[0].clone()


# --- any number of dimensions ----------------------------------------------------------------------------------------

@composite("torch.tensordot",
           samples=["3 4 | 4 5 ; dims=1", "3 4 | 5 4 ; dims=([1], [1])", "2 3 4 | 4 3 5 ; dims=([1, 2], [1, 0])",
                    "3 4 | 2 ; dims=0", "3 4 | 3 4 ; dims=2", "3 1 | 4 2 ; dims=1", "3 4 | 1 2 ; dims=1"],
           errors=[("3 4 | 5 4 ; dims=1", RuntimeError, "contracted dimensions need to match, but first has size 4 in dim "
                    "-1 and second has size 5 in dim 0"),
                   ("3 4 | 5 4 ; dims=([1, 0], [1])", RuntimeError, "both dimension lists should have same length"),
                   ("3 4 | 5 4 ; dims=3", RuntimeError, "tensordot expects dims < ndim_a or ndim_b, but got dims=3")])
def tensordot(fns, a, b, dims=2, out=None):
    """Sums of products over several dimensions: the last of ``a`` and first of ``b``, or the two lists in ``dims``.

    Args:
        dims: how many of the last dims of `a` to sum with the first of `b`; or two lists of dims
    """
    if out is None:
        return fns._tensordot(a, b, dims)
    if a.dtype is b.dtype is not out.dtype:
        raise RuntimeError(f"tensordot: Expected the output tensor to have dtype {scalar_name(a)}, but got an output tensor "
                           f"with dtype {scalar_name(out)}")
    if out.requires_grad and tuple(out.shape) != tuple(fns._tensordot(a.detach(), b.detach(), dims).shape):
        raise RuntimeError("tensordot(): the 'out' tensor was specified and requires gradients, and its shape does not match "
                           "the expected result. Either remove the 'out' argument, ensure it does not require gradients, or "
                           "make sure its shape matches the expected output.")
    return fns._tensordot(a, b, dims, out=out)


@composite("torch._tensordot", records_out=True, samples=["3 4 | 4 5 ; dims=1", "3 4 | 5 4 ; dims=([1], [1])"])
def tensordot_by_dims(fns, a, b, dims):
    """``tensordot``, whose `out` may be given by position."""
    if hasattr(dims, "tolist"):
        dims = dims.tolist()
    if not isinstance(dims, (int, tuple, list)):
        raise RuntimeError("tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two "
                           f"lists, but got dims={dims}")
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    else:
        of_a, of_b = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype != b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for i, j in zip(of_a, of_b):
        if a.shape[i] == 1:                             # of size one: the other is summed over
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        elif b.shape[j] == 1:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif a.shape[i] != b.shape[j]:
            raise RuntimeError(f"contracted dimensions need to match, but first has size {a.shape[i]} in dim {i} and second "
                               f"has size {b.shape[j]} in dim {j}")
    of_a, of_b = [d % a.ndim for d in of_a], [d % b.ndim for d in of_b]
    kept_a, kept_b = ([d for d in range(x.ndim) if d not in of] for x, of in ((a, of_a), (b, of_b)))
    rows, columns = [a.shape[d] for d in kept_a], [b.shape[d] for d in kept_b]
    size = count([a.shape[d] for d in of_a])
    left = a.permute(kept_a + of_a).reshape(count(rows), size)
    right = b.permute(of_b + kept_b).reshape(size, count(columns))
    return fns.mm(left, right).view(rows + columns)


@composite("nn.functional.bilinear", "torch.bilinear",
           autocast="closed", samples=["3 4 | 3 5 | 6 4 5 | 6", "2 3 4 | 2 3 5 | 6 4 5", "4 | 5 | 2 4 5", "3 4 | 3 5 | 0 4 5"],
           errors=[("3 4 | 3 5 | 6 4 4", RuntimeError,
                    "bilinear(): input2 size does not match weight size: got 5 but expected 4"),
                   ("3 4 | 2 5 | 6 4 5", RuntimeError,
                    "bilinear(): input batch dimensions do not match at dim 0: got 3 and 2")])
def bilinear(fns, input1, input2, weight, bias=None):
    """A bilinear form per output: ``out[..., k] = sum_ij input1[..., i] * weight[k, i, j] * input2[..., j] + bias[k]``.

    Args:
        weight: the matrices, `(out, in1, in2)`
        bias: what is added, `(out,)`; None: nothing
    """
    given = {"input1": input1, "input2": input2, "weight": weight, **({} if bias is None else {"bias": bias})}
    if len({x.dtype for x in given.values()}) > 1:
        names = ", ".join([f"{name}: {dtypes.cpp_name(x.dtype)}" for name, x in given.items()])
        raise RuntimeError(f"All tensors must have the same dtype, got {names}")
    if input1.ndim != input2.ndim:
        raise RuntimeError("bilinear(): input dimensions do not match: "
                           f"got {input1.ndim} and {input2.ndim}")
    for dim in range(input1.ndim - 1):
        if input1.shape[dim] != input2.shape[dim]:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {input1.shape[dim]} and "
                               f"{input2.shape[dim]}")
    for number, x in enumerate((input1, input2), 1):
        if size_at(x, -1) != (size := size_at(weight, number)):
            raise RuntimeError(f"bilinear(): input{number} size does not match weight size: got {x.shape[-1]} but expected "
                               f"{size}")
    if weight.ndim > 3:
        raise RuntimeError("number of dimensions must match")
    outputs, n, m = weight.shape
    if bias is not None and bias.shape[0] != outputs:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {outputs}")
    lead = tuple(input1.shape[:-1])
    rows = fns.mm(input1.reshape(-1, n), weight.permute(1, 0, 2).reshape(n, outputs * m))
    columns = input2.reshape(-1, m).unsqueeze(-1)
    out = fns.bmm(rows.view(columns.shape[0], outputs, m), columns).view(*lead, outputs)
    return out if bias is None else out + bias
