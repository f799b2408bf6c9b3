# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of `output_size` bins that cover a sequence evenly.

    Args:
        input: `(n, c, *space)`, or without `n`
        output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
    """
def adaptive_avg_pool2d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of `output_size` bins that cover an image evenly; None keeps a dimension's size.

    Args:
        input: `(n, c, *space)`, or without `n`
        output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
    """
def adaptive_avg_pool3d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of `output_size` bins that cover a volume evenly.

    Args:
        input: `(n, c, *space)`, or without `n`
        output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
    """
def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor | Any:
    """The largest elements of `output_size` bins that cover a sequence evenly.

    Args:
        input: `(n, c, *space)`, or without `n`
        output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def adaptive_max_pool2d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor | Any:
    """The largest elements of `output_size` bins that cover an image evenly.

    Args:
        input: `(n, c, *space)`, or without `n`
        output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def adaptive_max_pool3d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """The largest elements of `output_size` bins that cover a volume evenly.

    Args:
        input: `(n, c, *space)`, or without `n`
        output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def affine_grid(theta: Any, size: _int | Sequence[_int], align_corners: _bool | None = None) -> Tensor:
    """Where each pixel of an image of `size` reads, moved by `theta` (n, d, d + 1): (n, *space, d) in [-1, 1].

    Args:
        theta: the affine maps, `(n, 2, 3)` or `(n, 3, 4)`
        size: the size of the image that the grid is for, `(n, c, *space)`
        align_corners: True: -1 and 1 are the centres of the corner pixels. False and None: their outer edges
    """
def alpha_dropout(input: Tensor, p: _Number = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Set elements to SELU's lower limit with probability `p`, and keep mean 0 and variance 1.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        training: True: draw and zero. False: do nothing
        inplace: True: `input` itself is written and returned. False: a new tensor
    """
def avg_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window of a sequence `(n, c, length)` or `(c, length)`.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        count_include_pad: True: zeros of the padding count in the divisor. False: they don't
    """
def avg_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> Tensor:
    """The mean of each window of an image `(n, c, h, w)` or `(c, h, w)`; padding counts as zeros.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        count_include_pad: True: zeros of the padding count in the divisor. False: they don't
        divisor_override: what sums are divided by; None: the size of the window
    """
def avg_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> Tensor:
    """The mean of each window of a volume `(n, c, d, h, w)` or `(c, d, h, w)`.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        count_include_pad: True: zeros of the padding count in the divisor. False: they don't
        divisor_override: what sums are divided by; None: the size of the window
    """
def batch_norm(input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: _Number = 0.1, eps: _Number = 1e-05) -> Tensor:
    """Standardize each channel (axis 1), then `* weight + bias`.

    In training the mean and variance are the batch's, and the running estimates move towards them by `momentum` (the
    variance's with Bessel's correction); otherwise they are the running ones.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        running_mean: the running estimate of the mean, one for each channel; written in training
        running_var: the running estimate of the variance, one for each channel; written in training
        weight: the factors at the end; None: 1
        bias: what is added at the end; None: 0
        training: True: as in training. False: as in evaluation
        momentum: the share of the batch in the running estimates: `(1 - momentum) * old + momentum * new`
        eps: what is added to the variance before its root is taken
    """
def bilinear(input1: Any, input2: Any, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A bilinear form per output: `out[..., k] = sum_ij input1[..., i] * weight[k, i, j] * input2[..., j] + bias[k]`.

    Args:
        input1: the vectors on the left
        input2: the vectors on the right
        weight: the matrices, `(out, in1, in2)`
        bias: what is added, `(out,)`; None: nothing
    """
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Cross entropy of a yes with probability `input`: `-(target * log(input) + (1 - target) * log(1 - input))`.

    Args:
        input: the probabilities
        target: 1 or 0, or what lies between
        weight: how much each element counts, or each class; None: all the same
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """Cross entropy of a yes with probability `sigmoid(input)`, exact for large inputs too.

    Args:
        input: the scores: logarithms of odds
        target: 1 or 0, or what lies between
        weight: how much each element counts, or each class; None: all the same
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
        pos_weight: how much positive targets count, broadcast; None: as much as negative ones
    """
def celu(input: Tensor, alpha: _Number = 1.0, inplace: _bool = False) -> Tensor:
    """Ramp with a smooth exponential tail: `out = x if x > 0 else alpha * (exp(x / alpha) - 1)`.

    Args:
        input: the tensor to compute on
        alpha: the height of the tail: values go down to `-alpha`
        inplace: True: `input` is overwritten with the result and returned
    """
def celu_(input: Tensor, alpha: _Number = 1.0) -> Tensor:
    """Ramp with a smooth exponential tail: `out = x if x > 0 else alpha * (exp(x / alpha) - 1)`.

    Args:
        input: the tensor to compute on
        alpha: the height of the tail: values go down to `-alpha`
    """
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide `weight` along a sequence.

    `input` is `(n, c, length)` or `(c, length)`, `weight` is `(o, c / groups, k)`, `bias` is `(o,)`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide `weight` over an image.

    `input` is `(n, c, h, w)` or `(c, h, w)`, `weight` is `(o, c / groups, kh, kw)`, `bias` is `(o,)`.
    `padding` is a number of zeros on each side, `"valid"` (none) or `"same"` (as large an output as the input).

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide `weight` through a volume: as `conv2d` with three spatial dimensions.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of `conv1d`: each element of `input` is spread as a copy of `weight`, which is `(c, o / groups, k)`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        output_padding: what is added to one side of the output's size: it chooses among sizes that `stride` maps to one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of `conv2d`: each pixel of `input` is spread as a copy of `weight`, `(c, o / groups, kh, kw)`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        output_padding: what is added to one side of the output's size: it chooses among sizes that `stride` maps to one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of `conv3d`: each voxel of `input` is spread as a copy of `weight`.

    Args:
        input: the signals: `(n, c, *space)`, or without `n`
        weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
        bias: one number for each output channel; None: nothing is added
        stride: how far the window moves: an int for all dims, or one each
        padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"` keeps the size
        output_padding: what is added to one side of the output's size: it chooses among sizes that `stride` maps to one
        groups: into how many groups the channels are split; each is computed from its own inputs alone
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
    """
def cosine_embedding_loss(input1: Any, input2: Any, target: Tensor, margin: _Number = 0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """`1 - cos` where `target` is 1, `max(0, cos - margin)` where it is -1, for the cosine between two vectors.

    Args:
        input1: the first vectors, or scores
        input2: the second ones
        target: what they ought to be; of two inputs 1 or -1
        margin: how far apart counts as far enough
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def cosine_similarity(x1: Any, x2: Any, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-08) -> Tensor:
    """Cosine of the angle between vectors along `dim`: `sum(x1 * x2) / (norm(x1) * norm(x2))`, norms at least `eps`.

    Args:
        x1: one set of vectors
        x2: the other
        dim: the dim to work along: the second unless given
        eps: what keeps the denominator or the difference from zero
    """
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: _int = -100, reduce: _str | None = None, reduction: _str = 'mean', label_smoothing: _Number = 0.0) -> Tensor:
    """Negative log-probability of the `target` classes under `softmax(input)`.

    `input` holds a score per class, `(n, c, ...)` or `(c,)`; `target` holds class numbers without the `c`, or
    probabilities in the shape of `input`.

    Args:
        input: a score for each class
        target: class numbers, or a probability for each class
        weight: how much each class counts; None: all the same
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        ignore_index: targets of this number count nothing
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
        label_smoothing: the share of the target that is spread evenly over all classes, in [0, 1]
    """
def ctc_loss(log_probs: Any, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _int = 0, reduction: _str = 'mean', zero_infinity: _bool = False) -> Tensor:
    """`-log` of the probability that a sequence reads as its target, its places summed out.

    log_probs (t, n, classes) from `log_softmax`, targets (n, s) or one after another, lengths (n) -> scalar, or (n)
    with `reduction="none"`. A mean divides each loss by its target's length first.

    Args:
        log_probs: the logarithms of the probabilities
        targets: the labels that are to be read
        input_lengths: the length of each sequence
        target_lengths: the length of each target
        blank: the label that is not read
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
        zero_infinity: True: infinite losses, and their gradients, are zero
    """
def dropout(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each element with probability `p` and scale the others by `1 / (1 - p)`; in evaluation, do nothing.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        training: True: draw and zero. False: do nothing
        inplace: True: `input` itself is written and returned. False: a new tensor
    """
def dropout1d(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero whole channels of `(N, C, L)` or `(C, L)` with probability `p` and scale the others.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        training: True: draw and zero. False: do nothing
        inplace: True: `input` itself is written and returned. False: a new tensor
    """
def dropout2d(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero whole channels of `(N, C, H, W)` with probability `p` and scale the others.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        training: True: draw and zero. False: do nothing
        inplace: True: `input` itself is written and returned. False: a new tensor
    """
def dropout3d(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero whole channels of `(N, C, D, H, W)` or `(C, D, H, W)` with probability `p` and scale the others.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        training: True: draw and zero. False: do nothing
        inplace: True: `input` itself is written and returned. False: a new tensor
    """
def elu(input: Tensor, alpha: _Number = 1.0, inplace: _bool = False) -> Tensor:
    """Ramp with an exponential tail: `out = x if x > 0 else alpha * (exp(x) - 1)`.

    Args:
        input: the tensor to compute on
        alpha: the height of the tail: values go down to `-alpha`
        inplace: True: `input` is overwritten with the result and returned
    """
def elu_(input: Tensor, alpha: _Number = 1.0) -> Tensor:
    """Ramp with an exponential tail: `out = x if x > 0 else alpha * (exp(x) - 1)`.

    Args:
        input: the tensor to compute on
        alpha: the height of the tail: values go down to `-alpha`
    """
def embedding(input: Tensor, weight: Tensor, padding_idx: _int | None = None, max_norm: _Number | None = None, norm_type: _Number = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """Rows of `weight` by number: `out[...] = weight[input[...]]`.

    The row `padding_idx` gets no gradient; rows longer than `max_norm` are shortened in place first.

    Args:
        input: the numbers of rows
        weight: the table: a row for each number
        padding_idx: a row that gets no gradient and, in bags, does not count; None: there is none
        max_norm: rows of a larger norm are scaled down to it, in `weight` itself; None: none is
        norm_type: the order of that norm
        scale_grad_by_freq: True: a row's gradient is divided by how often it was looked up
        sparse: True: the gradient of `weight` is a sparse tensor, of the rows that were looked up
    """
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: _Number | None = None, norm_type: _Number = 2, scale_grad_by_freq: _bool = False, mode: _str = 'mean', sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> Tensor:
    """The sum, mean or maximum of the rows of each bag.

    A bag is a row of a two-dimensional `input`, or what lies between two `offsets` in a one-dimensional one. Rows
    number `padding_idx` do not count.

    Args:
        input: the numbers of rows
        weight: the table: a row for each number
        offsets: where each bag begins in a 1-D `input`; None: each row is a bag
        max_norm: rows of a larger norm are scaled down to it, in `weight` itself; None: none is
        norm_type: the order of that norm
        scale_grad_by_freq: True: a row's gradient is divided by how often it was looked up
        mode: `"sum"`, `"mean"` or `"max"`
        sparse: True: the gradient of `weight` is a sparse tensor, of the rows that were looked up
        per_sample_weights: the factor of each row, in sums; None: 1
        include_last_offset: True: `offsets` ends with the end of the last bag
        padding_idx: a row that gets no gradient and, in bags, does not count; None: there is none
    """
def feature_alpha_dropout(input: Tensor, p: _Number = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """As `alpha_dropout`, for whole channels.

    Args:
        input: the tensor that is read, or, with `_` at the end of the name, written
        p: the probability with which an element is zeroed
        training: True: draw and zero. False: do nothing
        inplace: True: `input` itself is written and returned. False: a new tensor
    """
def fold(input: Tensor, output_size: _int | Sequence[_int], kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Add columns up where their windows lie: `(n, c k k, places) -> (n, c, h, w)`.

    Args:
        input: the columns, `(n, c k k, places)`
        output_size: height and width of the image
        kernel_size: the size of the window: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        padding: how many zeros are put on each side: an int for all dims, or one each
        stride: how far the window moves: an int for all dims, or one each
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def fractional_max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> Tensor:
    """The largest element of windows at random places: (n, c, h, w) -> (n, c, *output_size).

    Args:
        input: the tensor to compute on
        kernel_size: the size of the window: an int for all dims, or one each
        output_size: the size of the result; None: `output_ratio` is given
        output_ratio: the size of the result as a share of the input's, in place of `output_size`; None: `output_size` is given
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
        _random_samples: where the windows begin, `(n, c, dims)` in [0, 1); None: drawn
    """
def fractional_max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> Tensor:
    """The largest element of windows at random places: (n, c, d, h, w) -> (n, c, *output_size).

    Args:
        input: the tensor to compute on
        kernel_size: the size of the window: an int for all dims, or one each
        output_size: the size of the result; None: `output_ratio` is given
        output_ratio: the size of the result as a share of the input's, in place of `output_size`; None: `output_size` is given
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
        _random_samples: where the windows begin, `(n, c, dims)` in [0, 1); None: drawn
    """
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Any, full: _bool = False, eps: _Number = 1e-06, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood under a normal distribution of mean `input`: `(log(var) + (input - target) ** 2 / var) / 2`.

    The variance is at least `eps`; `full` adds the constant `log(2 pi) / 2`.

    Args:
        input: the means
        target: the observations
        var: the variances, one for each element or sample
        full: True: with the terms that do not depend on `input`. False: without them
        eps: a small number that keeps a division or a logarithm finite
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def gelu(input: Tensor, *, approximate: _str = 'none', out: Tensor | None = None) -> Tensor:
    """Gate by the normal distribution: `out = x * P(X <= x)`, exactly or (`tanh`) approximately.

    Args:
        input: the tensor to compute on
        approximate: `"none"`: by the error function. `"tanh"`: by the hyperbolic tangent
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def glu(input: Tensor, dim: _int | Sequence[_int] = -1, *, out: Tensor | None = None) -> Tensor:
    """Gate one half by the other: `out = a * sigmoid(b)`, where a and b are the halves of x along `dim`.

    Args:
        input: the tensor to compute on
        dim: the dim that is halved: the last unless given
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def grid_sample(input: Tensor, grid: Any, mode: _str = 'bilinear', padding_mode: _str = 'zeros', align_corners: _bool | None = None) -> Tensor:
    """An image (n, c, *space) read at the positions of a grid (n, *out, d) within [-1, 1], x first: (n, c, *out).

    Args:
        input: the image, `(n, c, *space)`
        grid: where to read, `(n, *positions, 2 or 3)`: -1 and 1 are the edges; x comes first
        mode: how to read between pixels: `"bilinear"`, `"nearest"` or `"bicubic"`
        padding_mode: what lies outside: `"zeros"`, `"border"` (the nearest pixel) or `"reflection"`
        align_corners: True: -1 and 1 are the centres of the corner pixels. False and None: their outer edges
    """
def group_norm(input: Tensor, num_groups: _int, weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize each of `num_groups` groups of channels (axis 1) of each sample, then `* weight + bias` by channel.

    `out = (x - mean) / sqrt(var + eps) * weight + bias`, over the channels of a group and all places of a sample.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        num_groups: into how many groups the channels are split
        weight: the factors at the end; None: 1
        bias: what is added at the end; None: 0
        eps: what is added to the variance before its root is taken
    """
def gumbel_softmax(logits: Any, tau: _Number = 1, hard: _bool = False, eps: _Number = 1e-10, dim: _int | Sequence[_int] = -1) -> Tensor:
    """A random choice that has a gradient: softmax of logits with Gumbel noise, at temperature `tau`.

    `hard`: one-hot, with the gradient of the soft choice.

    Args:
        logits: the scores, logarithms of shares
        tau: the temperature: the nearer to 0, the harder the choice
        hard: True: one-hot. False: the soft shares
        eps: what keeps from dividing by zero
        dim: the dim whose shares add up to one
    """
def hardshrink(input: Tensor, lambd: _Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Nothing near zero: `out = 0 if abs(x) <= lambd else x`.

    Args:
        input: the tensor to compute on
        lambd: up to this distance from zero
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """Straight from 0 to 1: `out = clamp(x + 3, 0, 6) / 6`.

    Args:
        input: the tensor to compute on
        inplace: True: `input` is overwritten with the result and returned
    """
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Gate by the straight sigmoid: `out = x * clamp(x + 3, 0, 6) / 6`.

    Args:
        input: the tensor to compute on
        inplace: True: `input` is overwritten with the result and returned
    """
def hardtanh(input: Tensor, min_val: _Number = -1.0, max_val: _Number = 1.0, inplace: _bool = False) -> Tensor:
    """Straight between bounds: `out = minimum(maximum(x, min_val), max_val)`.

    Args:
        input: the tensor to compute on
        min_val: the least value
        max_val: the greatest value
        inplace: True: `input` is overwritten with the result and returned
    """
def hardtanh_(input: Tensor, min_val: _Number = -1.0, max_val: _Number = 1.0) -> Tensor:
    """Straight between bounds: `out = minimum(maximum(x, min_val), max_val)`.

    Args:
        input: the tensor to compute on
        min_val: the least value
        max_val: the greatest value
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _Number = 1.0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """A distance where `target` is 1, `max(0, margin - distance)` where it is -1.

    Args:
        input: the predictions, or scores
        target: what they ought to be; of two inputs 1 or -1
        margin: how far apart counts as far enough
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def huber_loss(input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _Number = 1.0, weight: Tensor | None = None) -> Tensor:
    """Squared error up to `delta` and straight from there, with the same slope where they meet.

    `0.5 * d ** 2` where `d = abs(input - target) <= delta`, and `delta * (d - 0.5 * delta)` elsewhere.

    Args:
        input: the predictions
        target: what they ought to be
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
        delta: where the parabola becomes a line
        weight: how much each element counts, or each class; None: all the same
    """
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _Number = 0.1, eps: _Number = 1e-05) -> Tensor:
    """Standardize each channel (axis 1) of each sample, then `* weight + bias`.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        running_mean: the running estimate of the mean, one for each channel; written in training
        running_var: the running estimate of the variance, one for each channel; written in training
        weight: the factors at the end; None: 1
        bias: what is added at the end; None: 0
        use_input_stats: True: the statistics of each sample. False: the running ones
        momentum: the share of the batch in the running estimates: `(1 - momentum) * old + momentum * new`
        eps: what is added to the variance before its root is taken
    """
def interpolate(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None, recompute_scale_factor: Any = None, antialias: _bool = False) -> Tensor:
    """The image `(n, c, ...)` at another `size`, or `scale_factor` times as large.

    `mode` is `"nearest"`, `"nearest-exact"`, `"linear"`, `"bilinear"`, `"bicubic"`, `"trilinear"` or
    `"area"`. With `align_corners` the corner pixels' centres stay where they are, otherwise the image's edges do.

    Args:
        input: the image, `(n, c, *space)`
        size: the size of the result in the last dims; None: `scale_factor` is given
        scale_factor: how many times as large the result is; None: `size` is given
        mode: how to read between pixels
        align_corners: True: the corner pixels' centres stay in the corners. False and None: the image's edges do
        recompute_scale_factor: True: the scale is computed from both sizes. False and None: `scale_factor` is used as it is
        antialias: True: average over all pixels that a smaller image puts together
    """
def kl_div(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', log_target: _bool = False) -> Tensor:
    """Divergence of `exp(input)` from `target`: `target * (log(target) - input)`.

    A mean goes over all elements; that over distributions is the sum divided by the batch size, `"batchmean"`.

    Args:
        input: the logarithms of the predicted probabilities
        target: the probabilities
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"`, `"sum"` and `"none"` as elsewhere; `"batchmean"` divides the sum by the size of the batch
        log_target: True: `target` holds logarithms as well. False: probabilities
    """
def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """Mean absolute error: `mean(abs(input - target))`.

    Args:
        input: the predictions
        target: what they ought to be
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
        weight: how much each element counts, or each class; None: all the same
    """
def layer_norm(input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize over the last dimensions, those of `normalized_shape`, then `* weight + bias` element by element.

    `out = (x - mean) / sqrt(var + eps) * weight + bias`, the variance without Bessel's correction.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        normalized_shape: the sizes of the last dims, over which each sample is normalized
        weight: the factors at the end; None: 1
        bias: what is added at the end; None: 0
        eps: what is added to the variance before its root is taken
    """
def leaky_relu(input: Tensor, negative_slope: _Number = 0.01, inplace: _bool = False) -> Tensor:
    """Ramp that goes on below zero: `out = x if x > 0 else negative_slope * x`.

    Args:
        input: the tensor to compute on
        negative_slope: the slope below zero
        inplace: True: `input` is overwritten with the result and returned
    """
def leaky_relu_(input: Tensor, negative_slope: _Number = 0.01) -> Tensor:
    """Ramp that goes on below zero: `out = x if x > 0 else negative_slope * x`.

    Args:
        input: the tensor to compute on
        negative_slope: the slope below zero
    """
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """Affine map of the last dimension: `out = x @ weight.T + bias`.

    `x` is `(*, in)`, `weight` is `(out, in)` or `(in,)`, `bias` is `(out,)` or absent.

    Args:
        input: the tensor to compute on
        weight: the matrix, `(out, in)`
        bias: what is added, `(out,)`; None: nothing
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def local_response_norm(input: Tensor, size: _int | Sequence[_int], alpha: _Number = 0.0001, beta: _Number = 0.75, k: _Number = 1.0) -> Tensor:
    """Divide by the energy of `size` neighbouring channels: `out = x / (k + alpha * mean(x * x)) ** beta`.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        size: how many channels
        alpha: the factor of the mean square
        beta: the power
        k: what is added
    """
def log_softmax(input: Tensor, dim: _int | Sequence[_int] | None = None, _stacklevel: _Number = 3, dtype: _dtype | None = None) -> Tensor:
    """Logarithm of softmax: `out = x - log(sum(exp(x)))` along `dim`.

    Args:
        input: the tensor to compute on
        dim: the dim whose shares add up to one
        _stacklevel: taken and ignored
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
    """
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the logistic curve: `out = -log(1 + exp(-x))`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def margin_ranking_loss(input1: Any, input2: Any, target: Tensor, margin: _Number = 0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """`max(0, margin - target * (input1 - input2))`: which of two scores ought to be larger.

    Args:
        input1: the first vectors, or scores
        input2: the second ones
        target: what they ought to be; of two inputs 1 or -1
        margin: how far apart counts as far enough
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a sequence `(n, c, length)` or `(c, length)`.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of an image `(n, c, h, w)` or `(c, h, w)`.

    `stride` is `kernel_size` unless given. Among equals the first in reading order gets the gradient.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a volume `(n, c, d, h, w)` or `(c, d, h, w)`.

    Args:
        input: `(n, c, *space)`, or without `n`
        kernel_size: the size of the window: an int for all dims, or one each
        stride: how far the window moves, an int for all dims or one each; None: `kernel_size`, windows side by side
        padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        ceil_mode: True: a last window that hangs over the edge counts. False: it is left out
        return_indices: True: also the place of each maximum, counted within its plane. False: the values only
    """
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Gate by tanh of softplus: `out = x * tanh(log(1 + exp(x)))`.

    Args:
        input: the tensor to compute on
        inplace: True: `input` is overwritten with the result and returned
    """
def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """Mean squared error: `mean((input - target) ** 2)`.

    Args:
        input: the predictions
        target: what they ought to be
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
        weight: how much each element counts, or each class; None: all the same
    """
def multi_margin_loss(input: Tensor, target: Tensor, p: _int = 1, margin: _Number = 1.0, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Mean over the other classes of `max(0, margin - x[target] + x[class]) ** p`.

    Args:
        input: the predictions, or scores
        target: the class numbers
        p: the order of the distance, or the power of what is over the margin
        margin: how far apart counts as far enough
        weight: how much each class counts; None: all the same
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Mean over the classes of `max(0, 1 - x[a] + x[b])` for every target class `a` and every other class `b`.

    The targets of a sample are those before its first -1.

    Args:
        input: the predictions, or scores
        target: the numbers of the target classes, and -1 behind the last
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Mean over the classes of the cross entropy of a yes or no for each.

    Args:
        input: the predictions, or scores
        target: for each class 1 or 0
        weight: how much each class counts; None: all the same
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: _int = -100, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood of the `target` classes, given log-probabilities: `-input[n, target[n]]`.

    A mean divides by the classes' total weight; places whose target is `ignore_index` count nothing.

    Args:
        input: log-probabilities of the classes, `(n, c, ...)` or `(c,)`
        target: the class numbers, without `c`
        weight: how much each class counts; None: all the same
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        ignore_index: targets of this number count nothing
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def normalize(input: Tensor, p: _Number = 2.0, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-12, out: Any = None) -> Tensor:
    """Scale to length one along `dim`: `out = x / max(norm(x), eps)`.

    `out = x / max(norm(x), eps)`.

    Args:
        input: the tensor to compute on
        p: the order of the norm
        dim: the dim whose slices get norm 1: the second unless given
        eps: what keeps from dividing by zero
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def one_hot(input: Tensor, num_classes: _int = -1) -> Tensor:
    """A new last dimension with 1 at the class number and 0 elsewhere.

    Args:
        input: the class numbers
        num_classes: how many classes; -1: one more than the largest number
    """
def pad(input: Tensor, pad: _int | Sequence[_int], mode: _str = 'constant', value: _Number | None = None) -> Tensor:
    """Lengthen the last dimensions at both ends: two widths in `pad` for each, the last dimension's first.

    What is added is `value`, or with `mode` `"reflect"`, `"replicate"` or `"circular"` a continuation of the
    input.

    Args:
        input: the tensor to compute on
        pad: how many to add: two ints for each dim, the last dim's first; negative ones crop
        mode: `"constant"`, `"reflect"`, `"replicate"` or `"circular"`
        value: what is added with `"constant"`; None: 0
    """
def pairwise_distance(x1: Any, x2: Any, p: _Number = 2.0, eps: _Number = 1e-06, keepdim: _bool = False) -> Tensor:
    """The `p`-norm of `x1 - x2 + eps` along the last dimension.

    Args:
        x1: one set of vectors
        x2: the other
        p: the order of the norm: 2 is the Euclidean distance, inf the largest difference
        eps: what keeps the denominator or the difference from zero
        keepdim: True: reduced dims stay, with size 1. False: they are dropped
    """
def pdist(input: Tensor, p: _Number = 2.0) -> Tensor:
    """The distances of `cdist(input, input)` above the diagonal, row by row.

    Args:
        input: the vectors, one in each row
        p: the order of the norm: 2 is the Euclidean distance, inf the largest difference
    """
def pixel_shuffle(input: Tensor, upscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn groups of channels into blocks of pixels: `(*, c r r, h, w) -> (*, c, h r, w r)`.

    Args:
        input: the image, `(n, c, *space)`
        upscale_factor: how many times as high and wide
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def pixel_unshuffle(input: Tensor, downscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn blocks of pixels into groups of channels: `(*, c, h r, w r) -> (*, c r r, h, w)`.

    Args:
        input: the image, `(n, c, *space)`
        downscale_factor: how many times as high and wide the input is
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: Any = None, eps: _Number = 1e-08, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood of counts under a Poisson distribution of rate `exp(input)`, or `input` itself.

    `full` adds Stirling's approximation of `log(target!)` for targets above 1.

    Args:
        input: the predictions, or scores
        target: the counts
        log_input: True: `input` is the logarithm of the rate. False: the rate itself
        full: True: with the terms that do not depend on `input`. False: without them
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        eps: a small number that keeps a division or a logarithm finite
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Ramp with a learnt slope below zero, one for all or one per channel (dim 1).

    Args:
        input: the tensor to compute on
        weight: the slopes below zero: one, or one per channel
    """
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Ramp: `out = max(x, 0)`.

    Args:
        input: the tensor to compute on
        inplace: True: `input` is overwritten with the result and returned
    """
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """Ramp up to 6: `out = minimum(maximum(x, 0), 6)`.

    Args:
        input: the tensor to compute on
        inplace: True: `input` is overwritten with the result and returned
    """
def relu_(input: Tensor) -> Tensor:
    """Ramp: `out = max(x, 0)`.

    Args:
        input: the tensor to compute on
    """
def rms_norm(input: Tensor, normalized_shape: Sequence[_int], weight: Tensor | None = None, eps: _Number | None = None) -> Tensor:
    """Divide by the root of the mean square over the last dimensions: `out = x / sqrt(mean(x * x) + eps) * weight`.

    `eps` is the dtype's `finfo(...).eps` unless given, that of float32 for half types, which are computed in it.

    Args:
        input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
        normalized_shape: the sizes of the last dims, over which each sample is normalized
        weight: the factors at the end; None: 1
        eps: what is added to the mean square; None: the dtype's `eps`
    """
def rrelu(input: Tensor, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Ramp whose slope below zero is random in `training`, else halfway between the bounds.

    Args:
        input: the tensor to compute on
        lower: the least slope below zero
        upper: the greatest slope below zero
        training: True: slopes are drawn. False: `(lower + upper) / 2`
        inplace: True: `input` is overwritten with the result and returned
    """
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Any, attn_mask: Tensor | None = None, dropout_p: _Number = 0.0, is_causal: _bool = False, *, scale: Any = None, enable_gqa: _bool = False) -> Tensor:
    """Mean of the values, weighted by how well their keys answer: `softmax(scale * query @ key.mT + mask) @ value`.

    `query` is `(*, l, e)`, `key` `(*, s, e)` and `value` `(*, s, v)`; the result is `(*, l, v)`. A boolean
    `attn_mask` says which keys take part, any other is added to the scores. A query that may see no key gets zeros.

    Args:
        query: what is asked for, `(*, l, e)`
        key: what answers, `(*, s, e)`
        value: what is averaged, `(*, s, v)`
        attn_mask: which keys take part, or what is added to their scores; None: all
        dropout_p: the probability with which a weight is zeroed
        is_causal: True: a query sees the keys up to its own place only
        scale: the factor of the scores; None: `1 / sqrt(e)`
        enable_gqa: True: groups of queries share a head of keys and values
    """
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1.

    `out = scale * x` above 0, `scale * alpha * (exp(x) - 1)` below, with scale = 1.0507 and alpha = 1.6733.

    Args:
        input: the tensor to compute on
        inplace: True: `input` is overwritten with the result and returned
    """
def selu_(input: Tensor) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1.

    `out = scale * x` above 0, `scale * alpha * (exp(x) - 1)` below, with scale = 1.0507 and alpha = 1.6733.

    Args:
        input: the tensor to compute on
    """
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Squash to (0, 1): `out = 1 / (1 + exp(-x))`.

    Exact at both ends: no exponential overflows.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Gate by the logistic curve: `out = x * sigmoid(x)`.

    Args:
        input: the tensor to compute on
        inplace: True: `input` is overwritten with the result and returned
    """
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', beta: _Number = 1.0) -> Tensor:
    """Huber's loss divided by `beta`: the absolute error with a rounded tip.

    `0.5 * d ** 2 / beta` where `d = abs(input - target) < beta`, and `d - 0.5 * beta` elsewhere.

    Args:
        input: the predictions
        target: what they ought to be
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
        beta: where the parabola becomes a line
    """
def soft_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """`log(1 + exp(-target * input))`, the logistic loss for targets 1 and -1.

    Args:
        input: the predictions, or scores
        target: what they ought to be; of two inputs 1 or -1
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def softmax(input: Tensor, dim: _int | Sequence[_int] | None = None, _stacklevel: _Number = 3, dtype: _dtype | None = None) -> Tensor:
    """Exponentials as shares of their sum: `out = exp(x) / sum(exp(x))` along `dim`.

    Args:
        input: the tensor to compute on
        dim: the dim whose shares add up to one
        _stacklevel: taken and ignored
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
    """
def softmin(input: Tensor, dim: _int | Sequence[_int] | None = None, _stacklevel: _int = 3, dtype: _dtype | None = None) -> Tensor:
    """Softmax of the negative: the smallest gets the largest share.

    Args:
        input: the tensor to compute on
        dim: the dim whose shares add up to one; None: a guess, with a warning
        _stacklevel: taken and ignored
        dtype: the dtype to compute in and of the result; None: what follows from the inputs
    """
def softplus(input: Tensor, beta: _Number = 1.0, threshold: _Number = 20.0, *, out: Tensor | None = None) -> Tensor:
    """Smooth ramp: `out = log(1 + exp(beta * x)) / beta`, and x itself where `beta * x > threshold`.

    Args:
        input: the tensor to compute on
        beta: how sharp the bend is
        threshold: from `beta * x` above this the result is x itself
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def softshrink(input: Tensor, lambd: _Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Towards zero by `lambd`, and not beyond: `out = x - clamp(x, -lambd, lambd)`.

    Args:
        input: the tensor to compute on
        lambd: up to this distance from zero
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def softsign(input: Tensor) -> Tensor:
    """Squash to (-1, 1): `out = x / (1 + abs(x))`.

    Args:
        input: the tensor to compute on
    """
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent: `out = sinh(x) / cosh(x)`.

    Args:
        input: the tensor to compute on
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def tanhshrink(input: Tensor) -> Tensor:
    """What tanh takes away: `out = x - tanh(x)`.

    Args:
        input: the tensor to compute on
    """
def threshold(input: Tensor, threshold: Any, value: Any, inplace: _bool = False) -> Tensor:
    """Nothing changes above the threshold: `out = x if x > threshold else value`.

    Args:
        input: the tensor to compute on
        threshold: up to here
        value: the result up to there
        inplace: True: `input` is overwritten with the result and returned
    """
def threshold_(input: Tensor, threshold: Any, value: Any) -> Tensor:
    """Nothing changes above the threshold: `out = x if x > threshold else value`.

    Args:
        input: the tensor to compute on
        threshold: up to here
        value: the result up to there
    """
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: _Number = 1.0, p: _Number = 2, eps: _Number = 1e-06, swap: _bool = False, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """`max(0, margin + |anchor - positive| - |anchor - negative|)`, with `swap` the nearer of the negative's two.

    Args:
        anchor: the vectors to compare with
        positive: those that ought to be near
        negative: those that ought to be far
        margin: how far apart counts as far enough
        p: the order of the distance, or the power of what is over the margin
        eps: a small number that keeps a division or a logarithm finite
        swap: True: take the distance from positive to negative where it is smaller
        size_average: deprecated, with `reduce`: None leaves the choice to `reduction`; True a mean, False a sum
        reduce: deprecated, with `size_average`: None leaves the choice to `reduction`; False is `"none"`
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None, margin: _Number = 1.0, swap: _bool = False, reduction: _str = 'mean') -> Tensor:
    """`max(0, margin + d(anchor, positive) - d(anchor, negative))` for any distance.

    Args:
        anchor: the vectors to compare with
        positive: those that ought to be near
        negative: those that ought to be far
        distance_function: a function of two batches of vectors; None: the Euclidean distance
        margin: how far apart counts as far enough
        swap: True: take the distance from positive to negative where it is smaller
        reduction: `"mean"` and `"sum"` put the losses together to one number, `"none"` leaves them apart
    """
def unfold(input: Tensor, kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Sliding windows as columns: `(n, c, h, w) -> (n, c k k, places)`.

    Args:
        input: the image, `(n, c, *space)`
        kernel_size: the size of the window: an int for all dims, or one each
        dilation: the distance of neighbouring elements of the window: 1 is a dense one
        padding: how many zeros are put on each side: an int for all dims, or one each
        stride: how far the window moves: an int for all dims, or one each
        out: a tensor to write the result into; it gets the result's shape and is returned. None: a new one
    """
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Any:
    """:func:`adaptive_max_pool1d` with the places of the values beside them."""
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Any:
    """:func:`adaptive_max_pool2d` with the places of the values beside them."""
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Any:
    """:func:`adaptive_max_pool3d` with the places of the values beside them."""
def channel_shuffle(input: Tensor, groups: _int) -> Any:
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *)."""
def conv_tbc(input: Tensor, weight: Any, bias: Any, pad: _int | Sequence[_int] = 0) -> Any:
    """A convolution of (time, n, channels) with a weight (kernel, in, out) -> (time', n, out)."""
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> Any:
    """:func:`fractional_max_pool2d` with the places of the values beside them."""
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> Any:
    """:func:`fractional_max_pool3d` with the places of the values beside them."""
def linear_cross_entropy(input: Tensor, linear_weight: Any, target: Tensor, *, linear_bias: Any = None, weight: Any = None, reduction: _str = 'mean', ignore_index: _int | None = None, label_smoothing: _Number = 0.0, options: Any = None) -> Any:
    """``cross_entropy(input @ linear_weight.T + linear_bias, target)``."""
def lp_pool(pool: Any, input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int], ceil_mode: Any) -> Any: ...
def lp_pool1d(input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Any:
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, l) -> (n, c, l')."""
def lp_pool2d(input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Any:
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, h, w) -> (n, c, h', w')."""
def lp_pool3d(input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Any:
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, d, h, w) -> (n, c, d', h', w')."""
def max_pool1d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """:func:`max_pool1d` with the places of the values beside them."""
def max_pool2d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """:func:`max_pool2d` with the places of the values beside them."""
def max_pool3d_with_indices(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Any:
    """:func:`max_pool3d` with the places of the values beside them."""
def max_unpool(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int], padding: _int | Sequence[_int], output_size: _int | Sequence[_int], dims: _int | Sequence[_int]) -> Any: ...
def max_unpool1d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Any:
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool1d`."""
def max_unpool2d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Any:
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool2d`."""
def max_unpool3d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Any:
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool3d`."""
def native_channel_shuffle(input: Tensor, groups: _int) -> Any:
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *)."""
def rrelu_(input: Tensor, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False) -> Any:
    """:func:`rrelu` in place."""
def upsample(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None) -> Any:
    """The older name of :func:`interpolate`."""
def upsample_bilinear(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None) -> Any:
    """The older name of ``interpolate(mode="bilinear", align_corners=True)``."""
def upsample_nearest(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None) -> Any:
    """The older name of ``interpolate(mode="nearest")``."""
def with_indices(pool: Any) -> Any: ...
