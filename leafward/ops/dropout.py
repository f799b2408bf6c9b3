"""Dropout: of elements, of whole channels, and of both so that mean and variance stay.

Args:
    train: True: draw and zero. False: do nothing
    training: True: draw and zero. False: do nothing
    p: the probability with which an element is zeroed
    input: the tensor that is read, or, with `_` at the end of the name, written
"""
from leafward import dtypes
from leafward.core.op import composite, op
from leafward.errors import warn
from leafward.ops.kinds import is_whole


@op("torch._dropout_mask", random=True, nondifferentiable="x", batch="mask", samples=["3 4 ; p=0.3"])
def dropout_mask(xp, x, p):
    """Like ``x``: ``1 / (1 - p)`` with probability ``1 - p``, and 0."""
    return xp.random.dropout_mask(xp.random.default, x, p)


@op("torch._feature_mask", random=True, nondifferentiable="x", batch="mask", samples=["2 3 4 ; p=0.3"])
def feature_mask(xp, x, p):
    """As :func:`dropout_mask`, one number for all of a channel: of shape ``(N, C, 1, ...)``."""
    if x.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    channels = xp.empty((*x.shape[:2], *[1] * (x.ndim - 2)), x.dtype)
    return xp.random.dropout_mask(xp.random.default, channels, p)


#: SELU sends minus infinity to minus this: what alpha dropout puts where it drops.
ALPHA = 1.7580993408473766


def alpha_terms(kept, p):
    """``kept`` (1 or 0) to ``scale, shift``: ``input scale + shift`` has the mean and variance of ``input``."""
    a = ((ALPHA * ALPHA * p + 1) * (1 - p)) ** -0.5
    return kept * a, (kept - 1) * (ALPHA * a) + ALPHA * a * p


@op("torch._alpha_mask", random=True, nondifferentiable="x", outputs="scale, shift",
    batch="mask", samples=["3 4 ; p=0.3", "2 3 4 ; p=0.3, feature=True"])
def alpha_mask(xp, x, p, feature=False):
    """The scale and shift of alpha dropout: for each element, or with ``feature`` for each channel."""
    if feature:
        if x.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        noise = xp.empty((*x.shape[:2], *[1] * (x.ndim - 2)), x.dtype)
    else:
        noise = xp.creation.empty_in_layout(x, None, "preserve_format")
    terms = alpha_terms(xp.random.bernoulli_(xp.random.default, noise, 1 - p), p)
    return tuple([xp.astype(term, x.dtype) for term in terms])


def check_probability(p, error=ValueError):
    if not 0 <= p <= 1:
        raise error(f"dropout probability has to be between 0 and 1, but got {p}")


def refuse_whole(input):
    if is_whole(input):
        raise RuntimeError(f"result type Float can't be cast to the desired output type {dtypes.scalar_name(input.dtype)}")


def nothing_kept(fns, input):
    # No random number is drawn for it.
    return fns.zeros((), dtype=input.dtype)


def drop(fns, input, p, training, inplace, mask):
    """``input`` times a mask while training: zeros with probability ``p``, the others scaled to keep the mean."""
    if not training or p == 0 or input.numel() == 0:
        return input
    if p != 1:
        refuse_whole(input)
    mask = nothing_kept(fns, input) if p == 1 else mask(input, p)
    return input.mul_(mask) if inplace else fns.mul(input, mask)


@composite("nn.functional.dropout", "torch.dropout", argument_aliases={"train": "training"}, random=True)
def dropout(fns, input, p=0.5, training=True, inplace=False):
    """Zero each element with probability ``p`` and scale the others by ``1 / (1 - p)``; in evaluation, do nothing.

    Source: Srivastava et al., 2014, JMLR 15

    >>> lw.nn.functional.dropout(lw.ones(3), 0.5, training=False)
    tensor([1., 1., 1.])
    """
    check_probability(p)
    return drop(fns, input, p, training, inplace, fns._dropout_mask)


@composite("torch.dropout_", random=True)
def dropout_(fns, input, p, train):
    """As ``nn.functional.dropout``, in place.

    >>> lw.dropout_(lw.ones(3), 0.5, False)
    tensor([1., 1., 1.])
    """
    check_probability(p, RuntimeError)
    return drop(fns, input, p, train, True, fns._dropout_mask)


@composite("torch.feature_dropout", random=True)
def feature_dropout(fns, input, p, train):
    """Zero whole channels (the second dimension) with probability ``p`` and scale the others.

    >>> _ = lw.manual_seed(0)
    >>> lw.feature_dropout(lw.ones(1, 4, 2), 0.5, True)
    tensor([[[0., 0.],
             [0., 0.],
             [2., 2.],
             [0., 0.]]])
    """
    check_probability(p, RuntimeError)
    return drop(fns, input, p, train, False, fns._feature_mask)


@composite("nn.functional.dropout1d", random=True)
def dropout1d(fns, input, p=0.5, training=True, inplace=False):
    """Zero whole channels of ``(N, C, L)`` or ``(C, L)`` with probability ``p`` and scale the others.

    >>> lw.nn.functional.dropout1d(lw.ones(1, 2, 3), training=False)
    tensor([[[1., 1., 1.],
             [1., 1., 1.]]])
    """
    check_probability(p)
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that "
                           "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, a "
                           "channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs).")
    if input.dim() == 3:
        return drop(fns, input, p, training, inplace, fns._feature_mask)
    return unbatched(fns, input, p, training, inplace)


@composite("nn.functional.dropout2d", random=True)
def dropout2d(fns, input, p=0.5, training=True, inplace=False):
    """Zero whole channels of ``(N, C, H, W)`` with probability ``p`` and scale the others.

    Source: Tompson et al., 2014, arXiv:1411.4280

    >>> lw.nn.functional.dropout2d(lw.ones(1, 1, 2, 2), training=False)
    tensor([[[[1., 1.],
              [1., 1.]]]])
    """
    check_probability(p)
    if input.dim() == 3:
        warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
             "is desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior "
             "will change in a future release to interpret the input as one without a batch dimension, i.e. "
             "shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using "
             "dropout1d instead.")
    else:
        warn_of_rank("dropout2d", input, 2)
    return drop(fns, input, p, training, inplace, fns._feature_mask)


@composite("nn.functional.dropout3d", random=True)
def dropout3d(fns, input, p=0.5, training=True, inplace=False):
    """Zero whole channels of ``(N, C, D, H, W)`` or ``(C, D, H, W)`` with probability ``p`` and scale the others.

    >>> lw.nn.functional.dropout3d(lw.ones(1, 1, 1, 2, 2), training=False)
    tensor([[[[[1., 1.],
               [1., 1.]]]]])
    """
    check_probability(p)
    warn_of_rank("dropout3d", input, 3)
    if input.dim() != 5:
        return unbatched(fns, input, p, training, inplace)
    return drop(fns, input, p, training, inplace, fns._feature_mask)


def warn_of_rank(name, input, spatial):
    rank = input.dim()
    if rank not in (spatial + 1, spatial + 2):
        warn(f"{name}: Received a {rank}-D input to {name}, which is deprecated and will result in an error "
             "in a future release. To retain the behavior and silence this warning, please use dropout "
             "instead. "
             f"Note that {name} exists to provide channel-wise dropout on inputs with {spatial} spatial "
             "dimensions, a channel dimension, and an optional batch dimension (i.e. "
             f"{spatial + 1}D or {spatial + 2}D inputs).")


def unbatched(fns, input, p, training, inplace):
    batch = drop(fns, input.unsqueeze(0), p, training, inplace, fns._feature_mask)
    return batch.squeeze(0)


def drop_alpha(fns, input, p, training, inplace, feature):
    if not training or p == 0 or input.numel() == 0:
        return input
    if p == 1:
        return drop(fns, input, p, training, inplace, None)
    refuse_whole(input)
    scale, shift = fns._alpha_mask(input, p, feature)
    return input.mul_(scale).add_(shift) if inplace else fns.add(fns.mul(input, scale), shift)


@composite("nn.functional.alpha_dropout", random=True)
def alpha_dropout(fns, input, p=0.5, training=False, inplace=False):
    """Set elements to SELU's lower limit with probability ``p``, and keep mean 0 and variance 1.

    Source: Klambauer et al., 2017, arXiv:1706.02515

    >>> lw.nn.functional.alpha_dropout(lw.ones(3), training=False)
    tensor([1., 1., 1.])
    """
    check_probability(p)
    return drop_alpha(fns, input, p, training, inplace, False)


@composite("nn.functional.feature_alpha_dropout", random=True)
def feature_alpha_dropout(fns, input, p=0.5, training=False, inplace=False):
    """As ``alpha_dropout``, for whole channels.

    >>> lw.nn.functional.feature_alpha_dropout(lw.ones(1, 2, 2), training=False)
    tensor([[[1., 1.],
             [1., 1.]]])
    """
    check_probability(p)
    return drop_alpha(fns, input, p, training, inplace, True)
