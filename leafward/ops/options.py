"""What parameters mean that many ops share, said once: the reference and ``help()`` take it from here.

A meaning by name serves every op; by name and default, those whose parameter has that default. An op that means something
else says so in ``Args:`` in its docstring, and a file whose ops share a meaning in its own: the nearest is taken.
"""

MEANINGS = {
    # --- tensors ---
    "input": "the tensor to compute on",
    "other": "the second operand, a tensor that broadcasts with `input`, or a number where one is taken",
    "out": "a tensor to write the result into; it gets the result's shape and is returned. None: a new one",
    "weight": "the factors, broadcast with `input`",
    "tensors": "the tensors to put together, in order",
    "index": "which elements, as integers counted from 0",
    "src": "the values that are put in",
    "source": "the values that are put in",
    "mask": "a tensor of bools that broadcasts with `input`: True where it applies",
    "value": "the number that is put in",
    "A": "the matrix, or a batch of matrices `(*, m, n)`",
    "B": "the right-hand side: `(*, n, k)`, or one vector for each matrix",
    "mat2": "the matrix on the right",
    "vec": "the vector on the right",
    "batch1": "matrices on the left, `(b, n, m)`",
    "batch2": "matrices on the right, `(b, m, p)`",
    "tensor1": "the first factor, or the numerator",
    "tensor2": "the second factor, or the denominator",
    "vec2": "the second vector",
    "pivots": "the exchanges of rows that a factorization returned with its factors",

    # --- where to compute ---
    "dim": "the dim to work along; a negative one counts from the end",
    ("dim", None): "the dim, or several, to reduce; None: all of them",
    ("dim", ()): "the dim, or several, to reduce; empty: all of them",
    ("dim", -1): "the dim to work along: the last unless given",
    ("dim", 0): "the dim to work along: the first unless given",
    ("dim", 1): "the dim to work along: the second unless given",
    "dims": "the dims to work along; negative ones count from the end",
    "keepdim": "True: reduced dims stay, with size 1. False: they are dropped",
    "dim0": "one of the two dims",
    "dim1": "the other dim",
    "axis0": "one of the two dims",
    "axis1": "the other dim",
    ("dim1", 0): "the first of the two dims that the diagonal runs through",
    ("dim2", 1): "the second of them",
    ("dim1", -2): "the first of the two dims that the diagonal runs through: the last but one unless given",
    ("dim2", -1): "the second of them: the last unless given",
    "offset": "which diagonal: 0 the main one, above 0 that many places above it, below 0 below it",
    "diagonal": "which diagonal: 0 the main one, above 0 that many places above it, below 0 below it",

    # --- the result ---
    "dtype": "the dtype of the result",
    ("dtype", None): "the dtype to compute in and of the result; None: what follows from the inputs",
    "layout": "`lw.strided` or None, which mean the same: there is no other",
    "device": "`\"cpu\"` or None, which mean the same: there is no other",
    "requires_grad": "True: backward fills the `.grad` of the result. False: no gradient is asked for",
    "pin_memory": "False; True is refused, since there is no accelerator to copy to",
    "memory_format": "the order of the elements in memory: `lw.contiguous_format`, `lw.channels_last`, or "
                     "`lw.preserve_format`, that of the input",
    "size": "the shape of the result: ints, or one sequence of ints",
    "generator": "the random numbers' source; None: the default one, which `lw.manual_seed` seeds",
    "inplace": "True: `input` itself is written and returned. False: a new tensor",
    "fill_value": "the number that every element gets",
    "args": "what stands in the place of `size` when it is spread over the call",
    "options": "`dtype`, `layout`, `device`, `requires_grad` and `generator`, as other creations take them",

    # --- numbers ---
    "eps": "a small number that keeps a division or a logarithm finite",
    "alpha": "the number that `other` is multiplied by: 1 unless given",
    "correction": "what is taken off the number of elements in the divisor: 1 (Bessel's) estimates without bias, 0 divides "
                  "by the number",
    ("correction", None): "what is taken off the number of elements in the divisor; None: 1 (Bessel's), which estimates "
                          "without bias",
    "unbiased": "the older way to say `correction`: True is 1, False is 0; None: it is not given",
    "n": "how many",
    "M": "the number of points",

    # --- losses ---
    "reduction": "`\"mean\"` and `\"sum\"` put the losses together to one number, `\"none\"` leaves them apart",
    "size_average": "deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum",
    "reduce": "deprecated, with `size_average`: None leaves the choice to `reduction`; False is `\"none\"`",
    "margin": "how far apart counts as far enough",

    # --- layers ---
    "training": "True: as in training. False: as in evaluation",
    ("p", 0.5): "the probability with which an element is zeroed",
    "stride": "how far the window moves: an int for all dims, or one each",
    ("stride", None): "how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side",
    "padding": "how many zeros are put on each side: an int for all dims, or one each",
    "dilation": "the distance of neighbouring elements of the window: 1 is a dense one",
    "groups": "into how many groups the channels are split; each is computed from its own inputs alone",
    "output_padding": "what is added to one side of the output's size: it chooses among sizes that `stride` maps to one",
    "kernel_size": "the size of the window: an int for all dims, or one each",
    "ceil_mode": "True: a last window that hangs over the edge counts. False: it is left out",
    "return_indices": "True: also the place of each maximum, counted within its plane. False: the values only",
    "count_include_pad": "True: zeros of the padding count in the divisor. False: they don't",
    "divisor_override": "what sums are divided by; None: the size of the window",
    "momentum": "the share of the batch in the running estimates: `(1 - momentum) * old + momentum * new`",
    "normalized_shape": "the sizes of the last dims, over which each sample is normalized",
    "num_groups": "into how many groups the channels are split",
    "running_mean": "the running estimate of the mean, one for each channel; written in training",
    "running_var": "the running estimate of the variance, one for each channel; written in training",

    # --- linear algebra ---
    "upper": "True: the upper triangle. False: the lower one",
    "left": "True: solve `A X = B`. False: `X A = B`",
    "hermitian": "True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked",
    "check_errors": "True: raise where the algorithm fails. False: say it in `info`, where 0 is success",
    "pivot": "True: exchange rows for accuracy, as a general matrix needs. False is refused on the CPU",
    "unitriangular": "True: the diagonal is taken to be ones and not read. False: it is read",
    "UPLO": "the triangle that is read: `\"L\"` the lower, `\"U\"` the upper",
    "ord": "the order of the norm",

    # --- sorting, counting ---
    "descending": "True: the largest first. False: the smallest first",
    "stable": "True: equal elements stay in order. None and False: they need not, but do here",
    "return_inverse": "True: also where each element went",
    "return_counts": "True: also how often each occurs",
    "right": "which of the places among equals: False the first, True behind the last",
    "out_int32": "True: int32 results. False: int64",
    "density": "True: the histogram's integral is one. False: counts, or sums of weights",
    "accumulate": "True: add to what is there, repeated places included. False: write over it",
    "include_self": "True: what was in `input` takes part. False: it does not, where anything was put",
}
