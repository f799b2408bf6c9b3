"""Random values: samplers that write in place, draws from given distributions.

``generator`` is None for the default generator, or an object whose ``engine`` draws.

Args:
    from: the smallest number
    to: the end, which is not drawn
    mean: the mean of the normal numbers
    std: their standard deviation
    lambd: the rate: the mean is `1 / lambd`
    median: the middle
    sigma: the width
    num_samples: how many to draw from each row
    replacement: True: one can be drawn again. False: it can't
    size: the shape, where `mean` and `std` are numbers
    input: the tensor that is read, or, with `_` at the end of the name, filled
"""

from leafward.core.op import Meta, composite, op
from leafward.errors import broadcast_error

from leafward.ops.checks import check_expands

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
