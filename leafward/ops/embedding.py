"""Tables of vectors that are looked up by number.

Args:
    padding_idx: a row that gets no gradient and, in bags, does not count; None: there is none
    max_norm: rows of a larger norm are scaled down to it, in `weight` itself; None: none is
    norm_type: the order of that norm
    scale_grad_by_freq: True: a row's gradient is divided by how often it was looked up
    sparse: True: the gradient of `weight` is a sparse tensor, of the rows that were looked up
    weight: the table: a row for each number
    input: the numbers of rows
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.checks import scalar_name
from leafward.ops.kinds import is_whole

# --- rows of a table -------------------------------------------------------------------------------------------------

def check_indices(index, caller="embedding"):
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                           f"Int; but got torch.{scalar_name(index)}Tensor instead (while checking arguments for "
                           f"{caller})")


def check_table(weight):
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")


@op("torch._embedding", nondifferentiable="indices", node="EmbeddingBackward0", kernel="rows_of_table",
    samples=["4 3 | int4: 5", "4 3 | int4: 2 3 ; padding_idx=1", "4 3 | int4: ", "4 3 | int2: 5 ; scale_grad_by_freq=True",
             "4 3 | int4: 0"],
    errors=[("4 3 | 5", RuntimeError, "Expected tensor for argument #1 'indices' to have one of the following scalar"),
            ("4 | int4: 5", RuntimeError, "'weight' must be 2-D"), ("2 3 | int9: 99", IndexError, "index out of range")])
def embedding(xp, weight, indices, padding_idx: int = -1, scale_grad_by_freq=False):
    """Rows by number: ``out[...] = weight[indices[...]]``; the row ``padding_idx`` gets no gradient."""
    check_table(weight)
    check_indices(indices)
    if indices.size and not weight.shape[0]:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if indices.size and not weight.size:                    # PyTorch picks slices of nothing elsewhere
        return xp.index_select(weight, 0, indices.reshape(-1)).reshape((*indices.shape, weight.shape[1]))
    return xp.kernels.gather_rows(weight, indices)


@embedding.onnx
def embedding_onnx(onnx, weight, indices):
    return onnx.take(weight, indices, 0)


@embedding.vjp("weight")
def embedding_dweight(xp, g, weight: Meta, indices, padding_idx, scale_grad_by_freq):
    return xp.embedding_dense_backward(g, indices, weight.shape[0], padding_idx, scale_grad_by_freq)

@embedding.jvp
def embedding_jvp(xp, t_weight, indices):           # what is left out of the gradient still moves the output
    return xp._embedding(t_weight, indices)


@embedding.batch
def embedding_batch(fns, call):
    if call.is_batched(1) and not call.is_batched(0):
        return call.run([call.inputs[0], call.front(1)])
    weight, indices = call.front(0), call.front(1)
    if call.option("padding_idx") != -1 and call.option("padding_idx") is not None:
        return None
    return call.run([weight.flatten(0, 1), indices + call.numbers(indices.ndim - 1) * weight.shape[1]])


@op("torch.embedding_dense_backward", nondifferentiable="indices", kernel="table_of_rows",
    reference=lambda torch, *args, **options: torch.ops.aten.embedding_dense_backward(*args, **options),
    samples=["5 3 | int4: 5 ; num_weights=4, padding_idx=-1, scale_grad_by_freq=False",
             "2 3 3 | int4: 2 3 ; num_weights=4, padding_idx=1, scale_grad_by_freq=False"])
def embedding_dense_backward(xp, grad_output, indices, num_weights, padding_idx: int, scale_grad_by_freq):
    """A table of zeros to which each row of ``grad_output`` is added at its index."""
    return xp.kernels.scatter_rows(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)


@embedding_dense_backward.vjp("grad_output")
def embedding_dense_backward_dgrad_output(xp, g, indices, padding_idx, scale_grad_by_freq):
    rows = xp._embedding(g, indices)
    if padding_idx >= 0:
        rows = xp.where(xp.expand_dims(indices == padding_idx, axis=-1), 0.0, rows)
    if scale_grad_by_freq:
        counts = xp.sum(xp.expand_dims(indices, axis=-1) == indices.reshape((-1,)), axis=-1)
        rows = rows / xp.expand_dims(xp.astype(counts, g.dtype), axis=-1)
    return rows


@embedding_dense_backward.batch
def embedding_dense_backward_batch(fns, call):
    if call.option("padding_idx") >= 0 or call.option("scale_grad_by_freq"):
        return None
    g, indices, many = call.front(0), call.front(1), call.option("num_weights")
    call.set_option("num_weights", many * call.size)
    return call.run([g, indices + call.numbers(indices.ndim - 1) * many])[0].unflatten(0, (call.size, many))


def table_position(padding_idx, count):
    """``padding_idx`` counted from the front, or -1 for none."""
    if padding_idx is None:
        return -1
    if padding_idx and not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % max(count, 1)


def renormalize(fns, weight, indices, max_norm, norm_type):
    """Scale the rows in use that are longer than ``max_norm`` down to it, in place."""
    table = weight.detach()               # the same memory and version, but nothing is recorded
    rows = fns.unique(indices.reshape(-1))
    norms = table[rows].norm(norm_type, 1, keepdim=True)
    table[rows] = table[rows] * fns.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)


@composite("nn.functional.embedding",
           samples=["int4: 5 | 4 3", "int4: 2 3 | 4 3 ; padding_idx=-1", "int4: 2 2 | 4 3 ; scale_grad_by_freq=True"],
           errors=[("int4: 2 | 4 3 ; padding_idx=5", AssertionError, "Padding_idx must be within num_embeddings")])
def functional_embedding(fns, input, weight, padding_idx: int = None, max_norm: float = None, norm_type: "float" = 2.0,
                         scale_grad_by_freq=False, sparse=False):
    """Rows of ``weight`` by number: ``out[...] = weight[input[...]]``.

    The row ``padding_idx`` gets no gradient; rows longer than ``max_norm`` are shortened in place first.

    >>> lw.nn.functional.embedding(lw.tensor([1, 0, 1]), lw.tensor([[1., 2.], [3., 4.]]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    if padding_idx and not weight.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    padding_idx = table_position(padding_idx, weight.shape[0] if weight.ndim else 1)
    check_table(weight)
    if max_norm is not None:
        renormalize(fns, weight, input, max_norm, norm_type)
    if sparse and weight._batch is None and input._batch is None:
        check_indices(input)
        return weight._rows_with_sparse_gradient(input, padding_idx, scale_grad_by_freq)
    return fns._embedding(weight, input, padding_idx, scale_grad_by_freq)


# --- bags ------------------------------------------------------------------------------------------------------------

def no_bag_table(weight):
    return RuntimeError("Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
                        f"BFloat16, Float, Double; but got torch.{scalar_name(weight)}Tensor instead (while checking "
                        "arguments for embedding_bag)")


def check_bag_table(weight, per_sample_weights):
    check_table(weight)
    if weight.dtype.kind not in "fV":                       # V: bfloat16
        raise no_bag_table(weight)
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        raise RuntimeError("Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
                           f"'per_sample_weights'; but type torch.{scalar_name(weight)}Tensor does not equal "
                           f"torch.{scalar_name(per_sample_weights)}Tensor (while checking arguments for embedding_bag)")


@op("torch._embedding_bag_sum", nondifferentiable="sizes, indices, bags", node="EmbeddingBagBackward0", kernel="bag_sums",
    samples=["4 3 | 5 | None | int4: 5 | int2: 5 ; count=2", "4 3 | None | +2. +3. +1. | int4: 5 | int2: 5 ; count=3"])
def embedding_bag_sum(xp, weight, per_sample_weights, sizes, indices, bags, count, scale_grad_by_freq=False):
    """``out[bags[i]] += weight[indices[i]] * per_sample_weights[i]``, for a mean divided by the bags' ``sizes``."""
    check_bag_table(weight, per_sample_weights)
    rows = xp.kernels.gather_rows(weight, indices)
    if per_sample_weights is not None:
        rows = rows * xp.expand_dims(per_sample_weights, axis=-1)
    if sizes is not None and rows.dtype.itemsize == 2:
        rows = xp.astype(rows, dtypes.float32)
    out = xp.kernels.scatter_rows(rows, bags, count, -1, False)
    return out if sizes is None else xp.astype(out / xp.expand_dims(sizes, axis=-1), weight.dtype)


@embedding_bag_sum.onnx
def embedding_bag_sum_onnx(onnx, weight, per_sample_weights, sizes, indices, bags, count):
    rows = onnx.take(weight, indices, 0)
    if per_sample_weights is not None:
        rows = rows * onnx.expand_dims(per_sample_weights, -1)
    out = onnx.rows_into(onnx.zeros((count, weight.shape[1]), weight.dtype), 0, bags, rows, "add")
    return out if sizes is None else out / onnx.astype(onnx.expand_dims(sizes, -1), weight.dtype)


@embedding_bag_sum.vjp("weight", kernel="bag_sums_grad")
def embedding_bag_sum_dweight(xp, g, weight: Meta, per_sample_weights, sizes, indices, bags, scale_grad_by_freq):
    rows = xp._embedding(g if sizes is None else g / xp.expand_dims(xp.astype(sizes, g.dtype), axis=-1), bags)
    if per_sample_weights is not None:
        rows = rows * xp.expand_dims(per_sample_weights, axis=-1)
    return xp.embedding_dense_backward(rows, indices, weight.shape[0], -1, scale_grad_by_freq)


@embedding_bag_sum.vjp("per_sample_weights")
def embedding_bag_sum_dper_sample_weights(xp, g, weight, indices, bags):
    return xp.sum(xp._embedding(g, bags) * xp._embedding(weight, indices), axis=-1)


@op("torch._embedding_bag_max", nondifferentiable="indices, bags", residuals="winners", node="EmbeddingBagBackward0",
    kernel="bag_maxima", samples=["distinct: 4 3 | int4: 5 | int1: 5 ; count=2"])      # bags ascend
def embedding_bag_max(xp, weight, indices, bags, count):
    """The largest element of each column of each bag's rows; zeros for an empty bag."""
    check_bag_table(weight, None)
    return xp.kernels.largest_rows(weight, indices, bags, count)


@embedding_bag_max.onnx
def embedding_bag_max_onnx(onnx, weight, indices, bags, count):
    shape = (count, weight.shape[1])
    out = onnx.rows_into(onnx.full(shape, -onnx.inf, weight.dtype), 0, bags, onnx.take(weight, indices, 0), "maximum")
    return onnx.where(onnx.rows_into(onnx.zeros(shape, dtypes.int64), 0, bags, 1, "add") > 0, out, 0)


@embedding_bag_max.vjp("weight")
def embedding_bag_max_dweight(xp, g, weight: Meta, winners):
    # The row ``weight.shape[0]`` stands for the rows of the empty bags, and is cut off.
    rows = weight.shape[0]
    return xp.scatter_add(xp.zeros((rows + 1, weight.shape[1]), dtype=g.dtype), 0, winners, g)[:rows]


def refuse_outside(weight, input):
    """Raise for the first of the indices that is no row of ``weight``."""
    for number in input.tolist():
        if not 0 <= number < weight.shape[0]:
            raise RuntimeError(f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {number}")


def bag_starts(fns, input, offsets, include_last_offset):
    """Where each bag starts, from the two ways to say it."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed"
                             f" length sequences. However, found offsets of type {type(offsets)}")
        bags, width = input.shape
        return fns.arange(0, bags * width, width)
    if input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    if offsets.dtype.is_floating_point:
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
                           f"but got torch.{scalar_name(offsets)}Tensor instead (while checking arguments for embedding_bag)")
    if not offsets.numel() and include_last_offset:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if offsets.numel():
        first, last = offsets[0].item(), offsets[-1].item()
        if first != 0:
            raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                               f"position 0. However, got {first}")
        if last > input.shape[0]:
            raise RuntimeError(f"offsets[-1] can not be greater than input's length {input.shape[0]} but got offsets[-1] "
                               f"of {last}")
        if (offsets[1:] < offsets[:-1]).any():              # PyTorch reads memory that is no index, or refuses to
            raise RuntimeError(f"offsets have to be in ascending order, but got {offsets.tolist()}")
    return offsets[:-1] if include_last_offset else offsets


@composite("nn.functional.embedding_bag",
           samples=["int4: 2 3 | 4 3", "int4: 2 3 | 4 3 ; mode='sum', padding_idx=1",
                    "int4: 2 3 | distinct: 4 3 ; mode='max'", "int4: 5 | 4 3 ; offsets=t.tensor([0, 2, 2])",
                    "int4: 5 | distinct: 4 3 ; offsets=t.tensor([0, 2, 2]), mode='max'",
                    "int4: 5 | 4 3 ; offsets=t.tensor([0, 2, 5]), include_last_offset=True, padding_idx=2"],
           errors=[("int4: 5 | 4 3 ; offsets=t.tensor([1, 2])", RuntimeError, "offsets[0] has to be 0, i.e., the first"),
                   ("int4: 5 | 4 3 ; offsets=t.tensor([0., 2.])", RuntimeError, "Expected tensor for argument #1 'indices' to "
                    "have one of the following scalar types: Long, Int; but got torch.FloatTensor instead"),
                   ("int4: 5 | 4 3 ; offsets=t.tensor([0, 2]), mode='median'", ValueError,
                    "mode has to be one of sum, mean or max"),
                   ("int4: 5 | 4 3 ; offsets=t.tensor([0, 6])", RuntimeError,
                    "offsets[-1] can not be greater than input's length 5 but got offsets[-1] of 6")])
def embedding_bag(fns, input, weight, offsets: "object" = None, max_norm: float = None, norm_type: "float" = 2,
                  scale_grad_by_freq=False, mode="mean", sparse=False, per_sample_weights: "object" = None,
                  include_last_offset: "bool" = False, padding_idx: int = None):
    """The sum, mean or maximum of the rows of each bag.

    A bag is a row of a two-dimensional ``input``, or what lies between two ``offsets`` in a one-dimensional one. Rows
    number ``padding_idx`` do not count.

    Args:
        offsets: where each bag begins in a 1-D `input`; None: each row is a bag
        mode: `"sum"`, `"mean"` or `"max"`
        per_sample_weights: the factor of each row, in sums; None: 1
        include_last_offset: True: `offsets` ends with the end of the last bag
    """
    if weight.dtype.name == "int64" and input.dtype.is_floating_point:
        raise ValueError("Argument order of nn.functional.embedding_bag was changed. Usage embedding_bag(weight, input,"
                         " ...) is deprecated, and should now be embedding_bag(input, weight, ...).")
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if per_sample_weights is not None and tuple(per_sample_weights.shape) != tuple(input.shape):
        raise ValueError(f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then "
                         f"it must have the same shape as the input ({list(input.shape)})")
    end = input.numel()
    if offsets is not None and input.ndim == 1 and input.dtype is not offsets.dtype and is_whole(input) and is_whole(offsets):
        input, offsets = input.long(), offsets.long()       # two types of integers meet in this one
    if input.ndim == 1 and offsets is not None:
        if not offsets.numel():
            end = 0                                         # there is no bag for anything
        elif include_last_offset:
            end = int(offsets[-1])                          # what lies behind it belongs to no bag
    if input.ndim in (1, 2) and (offsets is None) == (input.ndim == 2) and mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    offsets = bag_starts(fns, input, offsets, include_last_offset)
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if sparse and mode == "max":
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported"
                                  f" for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub.")
    check_indices(input, "embedding_bag")
    check_table(weight)
    if not weight.dtype.is_floating_point:
        raise no_bag_table(weight)
    padding_idx = table_position(padding_idx, weight.shape[0])
    width = input.shape[1] if input.ndim == 2 else None     # of bags that are all as large
    input = input.reshape(-1)[:end]
    if max_norm is not None:
        renormalize(fns, weight, input, max_norm, norm_type)
    if width is None:
        bags = fns._repeated_places(fns.diff(offsets, append=fns.full((1,), input.shape[0], dtype=offsets.dtype)))
    else:
        bags = fns._repeated_places(fns.full((offsets.shape[0],), width, dtype=dtypes.int64))
    if per_sample_weights is not None:
        per_sample_weights = per_sample_weights.reshape(-1)[:end]
    if padding_idx >= 0:
        kept = (input != padding_idx).nonzero().reshape(-1)
        input, bags, width = input[kept], bags[kept], None
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights[kept]
    if mode == "max":
        if not offsets.shape[0]:
            raise RuntimeError("embedding_bag: there is no maximum of no bags")
        try:
            return fns._embedding_bag_max(weight, input, bags, offsets.shape[0])
        except IndexError:
            refuse_outside(weight, input)
            raise
    count = offsets.shape[0]
    sizes = None
    if mode == "mean" and width is None:
        sizes = fns.bincount(bags, minlength=count).clamp(min=1).float()
    elif mode == "mean":
        sizes = fns.full((count,), float(max(width, 1)), dtype=dtypes.float32)
    if sparse:
        rows = weight._rows_with_sparse_gradient(input, -1, scale_grad_by_freq)
        rows = rows if per_sample_weights is None else rows * per_sample_weights.unsqueeze(1)
        total = fns.zeros(count, weight.shape[1], dtype=weight.dtype).index_add(0, bags, rows)
        return total if sizes is None else total / sizes.unsqueeze(1).to(total.dtype)
    try:
        return fns._embedding_bag_sum(weight, per_sample_weights, sizes, input, bags, count, scale_grad_by_freq)
    except IndexError:
        refuse_outside(weight, input)
        raise


# --- classes ---------------------------------------------------------------------------------------------------------

@op("torch._one_hot", kernel="one_at_number", nondifferentiable="x",
    samples=["int4: 3 ; num_classes=4", "int4: 2 3 ; num_classes=-1"],
    reference=lambda torch, x, num_classes: torch.nn.functional.one_hot(x, num_classes))
def ones_at_numbers(xp, x, num_classes):
    """Zeros with a new last dimension, and 1 at the number that ``x`` holds."""
    least, largest = (int(xp.to_host(extreme)) for extreme in (xp.min(x), xp.max(x)))
    if least < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = largest + 1
    elif largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return xp.astype(xp.expand_dims(xp.copy(x), axis=-1) == xp.arange(num_classes), dtypes.int64)


@ones_at_numbers.onnx
def one_hot_onnx(onnx, x, num_classes):
    if num_classes != -1:
        return onnx.astype(onnx.expand_dims(x, axis=-1) == onnx.arange(num_classes), dtypes.int64)
    return onnx.OneHot(x, onnx.Add(onnx.ReduceMax(x, keepdims=0), 1), onnx.arange(2))


@composite("nn.functional.one_hot", argument_aliases={"tensor": "input"}, differentiable=False,
           samples=["int4: 3 ; num_classes=4", "int4: 2 3", "int4: ; num_classes=5"],
           errors=[("int9: 99 ; num_classes=2", RuntimeError, "Class values must be smaller than num_classes."),
                   ("3", RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
                   ("int4: 0", RuntimeError, "Can not infer total number of classes from empty tensor.")])
def one_hot(fns, input, num_classes: int = -1):
    """A new last dimension with 1 at the class number and 0 elsewhere.

    Args:
        input: the class numbers
        num_classes: how many classes; -1: one more than the largest number

    >>> lw.nn.functional.one_hot(lw.tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if input.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if input.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return fns.zeros(*input.shape, num_classes, dtype=input.dtype)
    if input._batch is not None:                           # the examples have one shape, whatever their values
        if num_classes <= 0:
            raise RuntimeError("When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes "
                             "argument.")
        return (input.unsqueeze(-1) == fns.arange(num_classes)).long()
    return fns._one_hot(input, num_classes)
