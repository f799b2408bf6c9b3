"""Tables of vectors that are looked up by number."""
from leafward.core.op import Meta, composite, op

from .checks import scalar_name

# --- rows of a table -------------------------------------------------------------------------------------------------

def check_indices(index, caller="embedding"):
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
                           f"Int; but got torch.{scalar_name(index)}Tensor instead (while checking arguments for "
                           f"{caller})")


def check_table(weight):
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")


@op("torch._embedding", constant="indices", node="EmbeddingBackward0",
    samples=["4 3 | int4: 5", "4 3 | int4: 2 3 ; padding_idx=1", "4 3 | int4: ", "4 3 | int2: 5 ; scale_grad_by_freq=True",
             "4 3 | int4: 0"],
    errors=[("4 3 | 5", RuntimeError, "Expected tensor for argument #1 'indices' to have one of the following scalar"),
            ("4 | int4: 5", RuntimeError, "'weight' must be 2-D"), ("2 3 | int9: 99", IndexError, "index out of range")])
def embedding(xp, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """Rows by number: ``out[...] = weight[indices[...]]``; the row ``padding_idx`` gets no gradient."""
    check_table(weight)
    check_indices(indices)
    if sparse:
        raise NotImplementedError("sparse gradients are not supported; use sparse=False")
    return xp.kernels.gather_rows(weight, indices)


@embedding.vjp("weight")
def embedding_dweight(xp, g, weight: Meta, indices, padding_idx, scale_grad_by_freq):
    return xp.embedding_dense_backward(g, indices, weight.shape[0], padding_idx, scale_grad_by_freq)


@op("torch.embedding_dense_backward", constant="indices",
    against=lambda torch, *args, **options: torch.ops.aten.embedding_dense_backward(*args, **options),
    samples=["5 3 | int4: 5 ; num_weights=4, padding_idx=-1, scale_grad_by_freq=False",
             "2 3 3 | int4: 2 3 ; num_weights=4, padding_idx=1, scale_grad_by_freq=False"])
def embedding_dense_backward(xp, grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
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


def table_position(padding_idx, count):
    """``padding_idx`` counted from the front, or -1 for none."""
    if padding_idx is None:
        return -1
    if not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % count


def renormalize(lw, weight, indices, max_norm, norm_type):
    """Scale the rows in use that are longer than ``max_norm`` down to it, in place."""
    table = weight.detach()               # the same memory and version, but nothing is recorded
    rows = lw.unique(indices.reshape(-1))
    norms = table[rows].norm(norm_type, 1, keepdim=True)
    table[rows] = table[rows] * lw.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)


@composite("nn.functional.embedding",
           samples=["int4: 5 | 4 3", "int4: 2 3 | 4 3 ; padding_idx=-1", "int4: 2 2 | 4 3 ; scale_grad_by_freq=True"],
           errors=[("int4: 2 | 4 3 ; padding_idx=5", AssertionError, "Padding_idx must be within num_embeddings")])
def functional_embedding(lw, input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                         sparse=False):
    """Rows of ``weight`` by number: ``out[...] = weight[input[...]]``.

    The row ``padding_idx`` gets no gradient; rows longer than ``max_norm`` are shortened in place first.

    >>> lw.nn.functional.embedding(lw.tensor([1, 0, 1]), lw.tensor([[1., 2.], [3., 4.]]))
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    check_table(weight)
    padding_idx = table_position(padding_idx, weight.shape[0])
    if max_norm is not None:
        renormalize(lw, weight, input, max_norm, norm_type)
    return lw._embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


# --- bags ------------------------------------------------------------------------------------------------------------

@composite("nn.functional.embedding_bag",
           samples=["int4: 2 3 | 4 3", "int4: 2 3 | 4 3 ; mode='sum', padding_idx=1",
                    "int4: 2 3 | distinct: 4 3 ; mode='max'"])
def embedding_bag(lw, input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
                  sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """The sum, mean or maximum of the rows of each bag.

    A bag is a row of a two-dimensional ``input``, or what lies between two ``offsets`` in a one-dimensional one.
    """
    if weight.dtype.name in ("int64", "int32"):
        raise ValueError("Argument order of nn.functional.embedding_bag was changed. Usage embedding_bag(weight, input,"
                         " ...) is deprecated, and should now be embedding_bag(input, weight, ...).")
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum or mean")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported"
                                  f" for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub.")
    if per_sample_weights is not None and tuple(per_sample_weights.shape) != tuple(input.shape):
        raise ValueError(f"embedding_bag: If per_sample_weights ({list(per_sample_weights.shape)}) is not None, then "
                         f"it must have the same shape as the input ({list(input.shape)})")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed"
                             f" length sequences. However, found offsets of type {type(offsets)}")
        bags, width = input.shape
        offsets = lw.arange(0, bags * width, width)
    elif input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    elif include_last_offset:
        offsets = offsets[:-1]
    padding_idx = table_position(padding_idx, weight.shape[0])
    input = input.reshape(-1)
    if max_norm is not None:
        renormalize(lw, weight, input, max_norm, norm_type)
    rows = lw._embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
    bag = lw.searchsorted(offsets, lw.arange(input.shape[0]), right=True) - 1
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    if padding_idx >= 0:
        kept = (input != padding_idx).nonzero().reshape(-1)
        rows, bag = rows[kept], bag[kept]
    count, width = offsets.shape[0], weight.shape[1]
    if mode == "max":
        empty = lw.zeros(count, width, dtype=weight.dtype)
        places = bag.unsqueeze(1).expand(-1, width)
        return empty.scatter_reduce(0, places, rows, "amax", include_self=False)
    total = lw.zeros(count, width, dtype=weight.dtype).index_add(0, bag, rows)
    if mode == "sum":
        return total
    return total / lw.bincount(bag, minlength=count).clamp(min=1).unsqueeze(1)


# --- classes ---------------------------------------------------------------------------------------------------------

@composite("nn.functional.one_hot", differentiable=False,
           samples=["int4: 3 ; num_classes=4", "int4: 2 3", "int4: ; num_classes=5"],
           errors=[("int9: 99 ; num_classes=2", RuntimeError, "Class values must be smaller than num_classes."),
                   ("3", RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
                   ("int4: 0", RuntimeError, "Can not infer total number of classes from empty tensor.")])
def one_hot(lw, tensor, num_classes=-1):
    """A new last dimension with 1 at the class number and 0 elsewhere.

    >>> lw.nn.functional.one_hot(lw.tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if tensor.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return lw.zeros(*tensor.shape, num_classes, dtype=tensor.dtype)
    if tensor.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = tensor.max().item()
    if num_classes == -1:
        num_classes = largest + 1
    elif num_classes <= 0:
        raise RuntimeError("num_classes should be positive")
    elif largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (tensor.unsqueeze(-1) == lw.arange(num_classes)).long()
