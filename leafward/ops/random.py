"""Random values: samplers that write in place, draws from given distributions, dropout.

``generator`` is None for the default generator, or an object whose ``engine`` draws.

Args:
    from: the smallest number
    to: the end, which is not drawn
    mean: the mean of the normal numbers
    std: their standard deviation
    lambd: the rate: the mean is `1 / lambd`
    median: the middle
    sigma: the width
    train: True: draw and zero. False: do nothing
    training: True: draw and zero. False: do nothing
    num_samples: how many to draw from each row
    replacement: True: one can be drawn again. False: it can't
    p: the probability with which an element is zeroed
    size: the shape, where `mean` and `std` are numbers
    input: the tensor that is read, or, with `_` at the end of the name, filled
"""

from leafward import dtypes
from leafward.core.op import Meta, composite, op
from leafward.errors import broadcast_error, warn

from leafward.ops.checks import check_expands
from leafward.ops.kinds import is_whole

OMITTED = ...


def engine_of(xp, generator):
    if generator is None:
        return xp.random.default
    engine = getattr(generator, "engine", None)
    if engine is None:
        raise TypeError(f"generator must be a torch.Generator, not {type(generator).__name__}")
    return engine


def no_gradient(xp, g):
    """What is drawn depends on no input smoothly: the gradient is zero, and PyTorch passes it on."""
    return xp.zeros_like(g)


def real(name, argument, position, value):
    """``value`` as a float."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    if getattr(value, "shape", None) == () and hasattr(value, "item") and not hasattr(type(value), "requires_grad"):
        return float(value)
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be float, not {type(value).__name__}")


# --- in place --------------------------------------------------------------------------------------------------------

@op("Tensor.uniform_", writes="x", random=True, samples=["3 4", "3 4 ; from_=-1, to=2", "20"])
def uniform_(xp, x, from_=0.0, to=1.0, *, generator=None):
    """Fill with uniform numbers: ``x = from + u (to - from)``, ``u`` in [0, 1)."""
    low, high = real("uniform_", "from", 1, from_), real("uniform_", "to", 2, to)
    return xp.random.uniform_(engine_of(xp, generator), x, low, high)

uniform_.vjp("x")(no_gradient)


@op("Tensor.normal_", writes="x", random=True, samples=["3 4", "3 4 ; mean=2.0, std=0.5", "20"])
def normal_(xp, x, mean=0.0, std=1.0, *, generator=None):
    """Fill with normal numbers: ``x = mean + std n``."""
    mean, std = real("normal_", "mean", 1, mean), real("normal_", "std", 2, std)
    return xp.random.normal_(engine_of(xp, generator), x, mean, std)

normal_.vjp("x")(no_gradient)


def random_node(options):
    if options["to"] is not OMITTED:
        return "RandomBackward0"
    return "RandomBackward2" if options["from_"] is None else "RandomBackward1"


@op("Tensor.random_", writes="x", random=True, node=random_node,
    samples=["3 4", "3 4 ; from_=10, to=None", "3 4 ; from_=5, to=9"])
def random_(xp, x, from_=None, to=OMITTED, *, generator=None):
    """Fill with integers: all that the dtype holds exactly from 0 on; with one number below it; or in [from, to).

    Args:
        from: the smallest number, or, alone, the end; None: 0
        to: the end, which is not drawn; None: as far as the dtype goes
    """
    engine = engine_of(xp, generator)
    if to is OMITTED:
        if from_ is None:
            return xp.random.random_(engine, x)
        from_, to = 0, from_
    for position, (name, value) in enumerate((("from", from_), ("to", to)), 1):
        if isinstance(value, float):
            raise TypeError(f"random_(): argument '{name}' (position {position}) must be int, not float")
        if value is not None and not -2**63 <= value < 2**63:
            raise ValueError("Overflow when unpacking long long")
    if to is None:
        return xp.random.random_from_(engine, x, from_)
    return xp.random.random_between_(engine, x, from_ or 0, to)

random_.vjp("x")(no_gradient)


@op("Tensor._bernoulli_number_", writes="x", random=True, node="BernoulliBackward2", samples=["3 4 ; p=0.3"])
def bernoulli_number_(xp, x, p=0.5, *, generator=None):
    """Fill with ones, with probability ``p``, and zeros."""
    return xp.random.bernoulli_(engine_of(xp, generator), x, real("bernoulli_", "p", 1, p))

bernoulli_number_.vjp("x")(no_gradient)


@op("Tensor._bernoulli_each_", writes="x", random=True, node="BernoulliBackward1",
    samples=["3 4 | unit: 3 4", "3 4 | unit: 4"])
def bernoulli_each_(xp, x, p, *, generator=None):
    """Fill with ones, with the probabilities in ``p``, and zeros."""
    check_expands(p, x.shape)
    return xp.random.bernoulli_each_(engine_of(xp, generator), x, p)

bernoulli_each_.vjp("x")(no_gradient)

@bernoulli_each_.vjp("p")
def bernoulli_each_dp(xp, g, p: Meta):
    return xp.zeros(p.shape, dtype=p.dtype)


@composite("Tensor.bernoulli_", random=True)
def bernoulli_(fns, input, p=0.5, *, generator=None):
    """Fill with ones, with probability ``p`` (a number or a tensor), and zeros.

    Args:
        p: the probability of a one: a number, or a tensor of them

    >>> _ = lw.manual_seed(0)
    >>> lw.empty(5).bernoulli_(0.5)
    tensor([0., 0., 1., 0., 0.])
    """
    if type(p) is float and generator is None:              # as most calls are
        return fns._bernoulli_number_(input, p)
    if hasattr(type(p), "requires_grad"):
        return fns._bernoulli_each_(input, p, generator=generator)
    return fns._bernoulli_number_(input, p, generator=generator)


@op("Tensor.exponential_", writes="x", random=True, samples=["3 4", "3 4 ; lambd=2.5"])
def exponential_(xp, x, lambd=1.0, *, generator=None):
    """Fill with numbers of density ``lambd exp(-lambd x)``."""
    return xp.random.exponential_(engine_of(xp, generator), x, real("exponential_", "lambd", 1, lambd))

exponential_.vjp("x")(no_gradient)


@op("Tensor.geometric_", writes="x", random=True, samples=["3 4 ; p=0.3"])
def geometric_(xp, x, p, *, generator=None):
    """Fill with the number of the first success, ``p`` being the probability of each: ``(1 - p)**(x - 1) p``.

    Args:
        p: the probability of success
    """
    return xp.random.geometric_(engine_of(xp, generator), x, real("geometric_", "p", 1, p))

geometric_.vjp("x")(no_gradient)


@op("Tensor.cauchy_", writes="x", random=True, samples=["3 4", "3 4 ; median=1.0, sigma=2.0"])
def cauchy_(xp, x, median=0.0, sigma=1.0, *, generator=None):
    """Fill with numbers of density ``sigma / (pi (sigma**2 + (x - median)**2))``."""
    median, sigma = real("cauchy_", "median", 1, median), real("cauchy_", "sigma", 2, sigma)
    return xp.random.cauchy_(engine_of(xp, generator), x, median, sigma)

cauchy_.vjp("x")(no_gradient)


@op("Tensor.log_normal_", writes="x", random=True, samples=["3 4", "3 4 ; mean=0.5, std=0.25"])
def log_normal_(xp, x, mean=1.0, std=2.0, *, generator=None):
    """Fill with numbers whose logarithm is normal: ``x = exp(mean + std n)``.

    Args:
        mean: the mean of the logarithms
        std: their standard deviation
    """
    mean, std = real("log_normal_", "mean", 1, mean), real("log_normal_", "std", 2, std)
    return xp.random.log_normal_(engine_of(xp, generator), x, mean, std)

log_normal_.vjp("x")(no_gradient)


# --- from given distributions ----------------------------------------------------------------------------------------

@op("_bernoulli_from", random=True, node="BernoulliBackward0", samples=["unit: 3 4"])
def bernoulli_from(xp, x, *, generator=None):
    """Ones with the probabilities in ``input``, zeros elsewhere."""
    return xp.random.bernoulli(engine_of(xp, generator), x)

bernoulli_from.vjp("x")(no_gradient)


@composite("bernoulli", random=True)
def bernoulli(fns, input, p=None, *, generator=None, out=None):
    """Ones with the probabilities in ``input`` (or all with probability ``p``), zeros elsewhere.

    Args:
        p: the probability of a one; None: `input` holds them

    >>> lw.bernoulli(lw.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    if p is not None:
        return fns.empty_like(input).bernoulli_(p, generator=generator)
    if generator is None and out is None:                   # as most calls are
        return fns._bernoulli_from(input)
    return fns._bernoulli_from(input, generator=generator, out=out)


@op("multinomial", row_major=True, random=True, casts_out=False, nondifferentiable="x",
    samples=["unit: 5 ; num_samples=3", "unit: 2 5 ; num_samples=2, replacement=True"],
    errors=[("2 0 ; num_samples=1, replacement=True", RuntimeError, "aminmax(): cannot compute aminmax over an empty"),
            ("0 ; num_samples=2, replacement=True", RuntimeError, "invalid multinomial distribution (sum of probabilities")])
def multinomial(xp, x, num_samples: int, replacement=False, *, generator=None):
    """Numbers of categories, drawn with the weights in ``input``: a 1-D tensor, or a row of them per row of draws.

    Without ``replacement`` no number is drawn twice in a row of draws.

    Args:
        input: the weights, which need not add up to one

    >>> _ = lw.manual_seed(0)
    >>> lw.multinomial(lw.tensor([0., 3., 1.]), 5, replacement=True)
    tensor([2, 1, 1, 2, 1])
    """
    engine = engine_of(xp, generator)
    if replacement and num_samples and x.shape[-1:] == (0,) and x.shape != (0, 0):
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
                           if num_samples == 1 else "invalid multinomial distribution (sum of probabilities <= 0)")
    if replacement and num_samples > 1:
        return xp.random.multinomial(engine, x, num_samples)
    speed = xp.random.race(engine, x, num_samples, replacement)
    if num_samples == 1:
        return xp.argmax(speed, axis=-1, keepdims=True)
    return xp.topk(speed, num_samples, -1, True, True)[1]


@op("torch._normal_around", random=True, node="NormalBackward1", samples=["3 4 ; std=0.5"])
def normal_around(xp, mean, std=1.0, *, generator=None):
    """``out = mean + std n``."""
    xp.random.check_std(std)
    engine = engine_of(xp, generator)
    if (found := xp.random.normals_around(engine, mean, float(std))) is not None:
        return found
    drawn = xp.random.normal_(engine, xp.creation.empty_in_layout(mean, None, "preserve_format"))
    return drawn * xp.astype(xp.asarray(std), mean.dtype) + mean

normal_around.vjp("mean")(no_gradient)


@op("torch._normal_spread", random=True, node="NormalBackward2", samples=["pos: 3 4 ; mean=2.0"])
def normal_spread(xp, std, mean=0.0, *, generator=None):
    """``out = mean + std n``."""
    xp.random.check_stds(std)
    engine = engine_of(xp, generator)
    if (found := xp.random.normals_around(engine, float(mean), std)) is not None:
        return found
    drawn = xp.random.normal_(engine, xp.creation.empty_in_layout(std, None, "preserve_format"))
    return drawn * std + xp.astype(xp.asarray(mean), std.dtype)

normal_spread.vjp("std")(no_gradient)


@op("torch._normal_pairs", random=True, node="NormalBackward3",
    samples=["3 4 | pos: 3 4", "3 1 | pos: 4"])
def normal_pairs(xp, mean, std, *, generator=None):
    """``out = mean + std n``, element by element."""
    xp.random.check_stds(std)
    engine = engine_of(xp, generator)
    if (found := xp.random.normals_around(engine, mean, std)) is not None:
        return found
    mismatch = broadcast_error(mean.shape, std.shape)
    if mismatch is not None:
        raise mismatch
    drawn = xp.random.normal_(engine, xp.empty(xp.broadcast_shapes(mean.shape, std.shape), mean.dtype))
    return xp.astype(drawn * std + mean, mean.dtype)

normal_pairs.vjp("mean")(no_gradient)
normal_pairs.vjp("std")(no_gradient)


@composite("torch.normal", random=True)
def normal(fns, mean, std=1.0, size=None, *, generator=None, out=None, **options):
    """Normal numbers with this ``mean`` and ``std``: tensors or numbers; of shape ``size`` if both are numbers.

    >>> lw.normal(2.0, 0.0, (3,))
    tensor([2., 2., 2.])
    """
    if hasattr(type(mean), "requires_grad"):
        if hasattr(type(std), "requires_grad"):
            return fns._normal_pairs(mean, std, generator=generator, out=out)
        return fns._normal_around(mean, std, generator=generator, out=out)
    if hasattr(type(std), "requires_grad"):
        return fns._normal_spread(std, mean, generator=generator, out=out)
    if size is None:
        raise TypeError("normal() received an invalid combination of arguments - got (float, float), but expected one "
                        "of:\n * (Tensor mean, Tensor std)\n * (Tensor mean, float std)\n * (float mean, Tensor std)\n"
                        " * (float mean, float std, tuple of ints size)")
    if out is None:
        out = fns.empty(size, **{key: value for key, value in options.items() if key != "requires_grad"})
    elif tuple(out.shape) != tuple(size):
        out.resize_(size)
    out.normal_(mean, std, generator=generator)
    return out.requires_grad_(True) if options.get("requires_grad") else out


# --- dropout ---------------------------------------------------------------------------------------------------------

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
