"""Discrete Fourier transforms: three ops, and the functions of ``fft`` in terms of them.

The transform of ``x`` along a dimension of ``n`` points is ``out[k] = scale sum_j x[j] exp(-2 pi i j k / n)``, forward;
backward the exponent has no minus. The ``normalization`` of the ops is PyTorch's number for the scale: 0 for 1, 1 for
``1 / sqrt(n)``, 2 for ``1 / n``. The transform is symmetric, so its adjoint is the transform in the other direction
with the same scale. Along the last dimension, a real signal has a spectrum whose second half mirrors the first, and
only ``n // 2 + 1`` points of it are kept.

Args:
    norm: where the scale goes: `"backward"` or None, all of it to the inverse; `"forward"`, all to the forward transform;
        `"ortho"`, half to each
    n: the length of the signal along `dim`: longer ones are cut, shorter ones continued by zeros; None: as it is
    s: the length along each dim, as `n`; None: as they are
    dim: the dim, or dims, to transform; None: all, or the last ones if `s` is given
    input: the signal, or its spectrum
Source: Cooley and Tukey, 1965, Mathematics of Computation 19
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.checks import scalar_name
from leafward.ops.creation import integer
from leafward.ops.dims import normalize
from leafward.ops.kinds import is_complex, is_whole

#: NumPy's word for each scale, forward and backward.
FORWARD_SCALE = ("backward", "ortho", "forward")
BACKWARD_SCALE = ("forward", "ortho", "backward")


# --- the three transforms --------------------------------------------------------------------------------------------

@op("torch._fft_c2c", row_major=True, linear=True, reference="_fft_c2c", node="FftC2CBackward0",
    batch="dims", samples=["complex: 3 4 ; dim=(1,), normalization=0, forward=True",
             "complex: 3 4 ; dim=(0, 1), normalization=2, forward=False",
             "complex: 2 3 5 ; dim=(2, 0), normalization=1, forward=True",
             "complex: 3 ; dim=(), normalization=0, forward=True"])
def fft_c2c(xp, x, dim, normalization, forward):
    """The transform of a complex ``x`` along the dimensions ``dim``."""
    if not dim:
        return xp.copy(x)
    found = xp.kernels.transform(x, dim, normalization, forward)
    if found is not None:
        return found
    transform, scales = (xp.fft.fftn, FORWARD_SCALE) if forward else (xp.fft.ifftn, BACKWARD_SCALE)
    return transform(x, axes=dim, norm=scales[normalization])


@fft_c2c.vjp("x")
def fft_c2c_dx(xp, g, dim, normalization, forward):
    return xp._fft_c2c(g, dim, normalization, not forward)


@op("torch._fft_r2c", row_major=True, linear=True, reference="_fft_r2c", node="FftR2CBackward0",
    batch="dims", samples=["3 4 ; dim=(1,), normalization=0, onesided=True", "3 5 ; dim=(0, 1), normalization=2, onesided=True",
             "3 4 ; dim=(1, 0), normalization=1, onesided=True", "3 4 ; dim=(1,), normalization=1, onesided=False",
             "3 1 ; dim=(1,), normalization=0, onesided=True"])
def fft_r2c(xp, x, dim, normalization, onesided):
    """The transform of a real ``x``; with ``onesided`` the first half of the spectrum along the last of ``dim``."""
    require_real(x)
    found = xp.kernels.transform_real(x, dim, normalization, onesided)
    if found is not None:
        return found
    transform = xp.fft.rfftn if onesided else xp.fft.fftn
    return transform(x, axes=dim, norm=FORWARD_SCALE[normalization])


@fft_r2c.vjp("x")
def fft_r2c_dx(xp, g, x: Meta, dim, normalization, onesided):
    if onesided:                                # the adjoint of dropping the second half: zeros there
        last = normalize(dim[-1], g.ndim)
        missing = x.shape[last] - g.shape[last]
        g = xp.constant_pad_nd(g, [0, 0] * (g.ndim - 1 - last) + [0, missing])
    return xp._fft_c2c(g, dim, normalization, False)


@op("torch._fft_c2r", row_major=True, linear=True, reference="_fft_c2r", node="FftC2RBackward0",
    batch="dims", samples=["complex: 3 4 ; dim=(1,), normalization=0, last_dim_size=6",
             "complex: 3 4 ; dim=(0, 1), normalization=2, last_dim_size=7",
             "complex: 3 4 ; dim=(1, 0), normalization=1, last_dim_size=5",
             "complex: 3 1 ; dim=(1,), normalization=0, last_dim_size=1"])
def fft_c2r(xp, x, dim, normalization, last_dim_size):
    """The real signal of ``last_dim_size`` points that half a spectrum stands for; the transform is backward."""
    found = xp.kernels.transform_to_real(x, dim, normalization, last_dim_size)
    if found is not None:
        return found
    sizes = [x.shape[d] for d in dim[:-1]] + [last_dim_size]
    return xp.fft.irfftn(x, s=sizes, axes=dim, norm=BACKWARD_SCALE[normalization])


@fft_c2r.vjp("x")
def fft_c2r_dx(xp, g, dim, normalization):
    last = normalize(dim[-1], g.ndim)
    n = g.shape[last]
    k = xp.arange(0, n // 2 + 1)
    occurs = xp.where((k > 0) & (2 * k < n), 2, 1)          # how often the signal's spectrum shows each point
    occurs = xp.astype(occurs, g.dtype).reshape((-1,) + (1,) * (g.ndim - 1 - last))
    return xp._fft_r2c(g, dim, normalization, True) * occurs


def require_real(x):
    if x.dtype.name not in ("float32", "float64"):
        raise RuntimeError(f"Unsupported dtype {scalar_name(x)}")


# --- arguments -------------------------------------------------------------------------------------------------------

def scale_number(norm, forward):
    """The number of the scale that ``norm`` asks of a transform in this direction."""
    if norm is None or norm == "backward":
        return 0 if forward else 2
    if norm == "forward":
        return 2 if forward else 0
    if norm == "ortho":
        return 1
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def prepared(input, *, to_complex=False):
    """``input`` in a dtype that is transformed: integers become floats, and reals complex where asked."""
    if is_whole(input):
        input = input.to(dtypes.get_default_dtype())
    if input.dtype.name in ("float16", "bfloat16"):
        raise RuntimeError(f"Unsupported dtype {scalar_name(input)}")
    if to_complex and not is_complex(input):
        input = input.to(dtypes.complex128 if input.dtype is dtypes.float64 else dtypes.complex64)
    return input


def one_dim(name, input, n, dim):
    """``n, dim`` of a transform along one dimension, checked: ``n`` None is the size of ``dim``."""
    dim = integer(f"fft_{name}", "dim", 3, dim)
    if input.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = normalize(dim, input.ndim)
    n = input.shape[dim] if n is None else integer(f"fft_{name}", "n", 2, n)
    check_points(n)
    return n, dim


def check_points(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def many_dims(name, input, s, dim):
    """``sizes, dims`` of a transform along several dimensions, checked: a size -1 is the size that is there."""
    s = given_ints(name, "s", 2, s)
    dim = given_ints(name, "dim", 3, dim)
    ndim = input.ndim
    if dim is not None:
        if ndim == 0 and dim:
            raise IndexError(f"Dimension specified as {dim[0]} but tensor has no dimensions")
        dim = tuple([normalize(d, ndim) for d in dim])
        if len(set(dim)) != len(dim):
            raise RuntimeError("FFT dims must be unique")
    if s is None:
        dim = tuple(range(ndim)) if dim is None else dim
        s = [-1] * len(dim)
    elif dim is None:
        if len(s) > ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.")
        dim = tuple(range(ndim - len(s), ndim))
    elif len(s) != len(dim):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    sizes = [input.shape[d] if n == -1 else n for n, d in zip(s, dim, strict=True)]
    for n in sizes:
        check_points(n)
    return sizes, dim


def given_ints(name, argument, position, value):
    if value is None:
        return None
    if isinstance(value, int):
        return (value,)
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"fft_{name}(): argument '{argument}' must be tuple of ints, not {type(value).__name__}")
    return tuple([integer(f"fft_{name}", argument, position, n) for n in value])


def resized(fns, input, sizes, dims):
    """``input`` cut, or continued by zeros, to ``sizes`` along ``dims``."""
    widths = [0] * (2 * input.ndim)
    for n, d in zip(sizes, dims, strict=True):
        if input.shape[d] > n:
            input = input.narrow(d, 0, n)
        else:
            widths[2 * (input.ndim - 1 - d) + 1] = n - input.shape[d]
    return fns.constant_pad_nd(input, widths) if any(widths) else input


def refuse_complex(input, message):
    if is_complex(input):
        raise RuntimeError(f"{message}, but got {scalar_name(input)}")


# --- along one dimension ---------------------------------------------------------------------------------------------

def complex_transform(fns, name, input, n, dim, norm, forward):
    scale = scale_number(norm, forward)
    input = prepared(input)
    n, dim = one_dim(name, input, n, dim)
    input = resized(fns, input, [n], [dim])
    if is_complex(input):
        return fns._fft_c2c(input, (dim,), scale, forward)
    spectrum = fns._fft_r2c(input, (dim,), scale, False)
    return spectrum if forward else spectrum.conj()


def conjugated(input, *args, **options):
    """What the last step of an inverse transform into ``out=`` is called, which has no derivative there."""
    return not is_complex(input) and "conj_physical"


ONE = ["3 4", "3 5 ; n=4", "4 ; n=6, norm='ortho'", "3 4 ; dim=0, norm='forward'", "complex: 3 4 ; norm='backward'"]
REAL = [*ONE[:-1], "1", "2 5 ; dim=-1"]
ONE_ERRORS = [("3 4 ; norm='x'", RuntimeError, 'Invalid normalization mode: "x"'),
              ("3 4 ; n=-2", RuntimeError, "Invalid number of data points (-2) specified"),
              ("3 4 ; n=0", RuntimeError, "Invalid number of data points (0) specified"),
              ("", IndexError, "Dimension specified as -1 but tensor has no dimensions"),
              ("3 4 ; dim=2", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
              ("3 4 ; dim=(0,)", TypeError, "must be int, not tuple")]


@composite("fft.fft", autocast="float32", samples=[*ONE, "complex: 4 3 ; dim=0, n=6"], errors=ONE_ERRORS)
def fft(fns, input, n: int = None, dim=-1, norm: str = None):
    """The transform along ``dim``: ``out[k] = sum_j input[j] exp(-2 pi i j k / n)``.

    ``n`` cuts the input, or continues it by zeros. ``norm="backward"`` leaves the scale to :func:`ifft`, ``"forward"``
    divides here, ``"ortho"`` by ``sqrt(n)`` in both.

    >>> lw.fft.fft(lw.tensor([1., 2., 3., 4.])).real
    tensor([10., -2., -2., -2.])
    """
    return complex_transform(fns, "fft", input, n, dim, norm, True)


@composite("fft.ifft", records_out=conjugated, autocast="float32", samples=[*ONE, "complex: 4 3 ; dim=0, n=6"],
           errors=ONE_ERRORS)
def ifft(fns, input, n: int = None, dim=-1, norm: str = None):
    """The inverse of :func:`fft`: ``out[j] = 1 / n sum_k input[k] exp(2 pi i j k / n)``."""
    return complex_transform(fns, "ifft", input, n, dim, norm, False)


def half_spectrum(fns, name, input, n, dim, norm, forward):
    scale = scale_number(norm, forward)
    refuse_complex(input, f"{name} expects a real input tensor")
    input = prepared(input)
    n, dim = one_dim(name, input, n, dim)
    spectrum = fns._fft_r2c(resized(fns, input, [n], [dim]), (dim,), scale, True)
    return spectrum if forward else spectrum.conj()


@composite("fft.rfft", autocast="float32", samples=REAL,
           errors=[*ONE_ERRORS,
                   ("complex: 4", RuntimeError, "rfft expects a real input tensor, but got ComplexDouble")])
def rfft(fns, input, n: int = None, dim=-1, norm: str = None):
    """The first ``n // 2 + 1`` points of the transform of a real signal: the others are their conjugates.

    >>> lw.fft.rfft(lw.ones(4))
    tensor([4.+0.j, 0.+0.j, 0.+0.j])
    """
    return half_spectrum(fns, "rfft", input, n, dim, norm, True)


@composite("fft.ihfft", records_out="conj_physical", autocast="float32", samples=REAL,
           errors=[("complex: 4", RuntimeError, "ihfft expects a real input tensor, but got ComplexDouble")])
def ihfft(fns, input, n: int = None, dim=-1, norm: str = None):
    """The inverse of :func:`hfft`: half a signal, from a real spectrum."""
    return half_spectrum(fns, "ihfft", input, n, dim, norm, False)


def real_signal(fns, name, input, n, dim, norm, forward):
    scale = scale_number(norm, forward)
    input = prepared(input, to_complex=True)
    if n is None and input.ndim:
        n = 2 * (input.shape[normalize(integer(f"fft_{name}", "dim", 3, dim), input.ndim)] - 1)
    n, dim = one_dim(name, input, n, dim)
    input = resized(fns, input, [n // 2 + 1], [dim])
    return fns._fft_c2r(fns._conj_physical(input) if forward else input, (dim,), scale, n)


HALF = ["complex: 3 4", "complex: 3 4 ; n=5", "3 4 ; n=8, norm='ortho'", "complex: 4 3 ; dim=0, norm='forward'",
        "complex: 5 ; n=4"]


@composite("fft.irfft", autocast="float32",
           samples=HALF, errors=[*ONE_ERRORS, ("1", RuntimeError, "Invalid number of data points (0)")])
def irfft(fns, input, n: int = None, dim=-1, norm: str = None):
    """The inverse of :func:`rfft`: the real signal of ``n`` points (``2 (size - 1)`` by default) of half a spectrum.

    >>> lw.fft.irfft(lw.fft.rfft(lw.tensor([1., 2., 3., 4.])))
    tensor([1., 2., 3., 4.])
    """
    return real_signal(fns, "irfft", input, n, dim, norm, False)


@composite("fft.hfft", autocast="float32", samples=HALF, errors=ONE_ERRORS)
def hfft(fns, input, n: int = None, dim=-1, norm: str = None):
    """The real spectrum of ``n`` points of a signal whose halves mirror each other: ``input`` is the first half."""
    return real_signal(fns, "hfft", input, n, dim, norm, True)


# --- along several dimensions ----------------------------------------------------------------------------------------

MANY = ["3 4", "complex: 2 3 4", "complex: 2 3 4 ; s=(4, 2), dim=(0, 2)", "3 4 ; s=(2,), dim=(-1,), norm='ortho'",
        "3 4 ; s=(-1, 5), norm='forward', dim=(0, 1)", "complex: 3 4 ; dim=1"]
MANY_REAL = ["3 4", "2 3 5", "2 3 4 ; s=(4, 2), dim=(0, 2)", "3 4 ; s=(2,), dim=(-1,), norm='ortho'",
             "3 4 ; s=(-1, 5), norm='forward', dim=(0, 1)", "3 4 ; dim=0"]
MANY_ERRORS = [("3 4 ; norm='x'", RuntimeError, 'Invalid normalization mode: "x"'),
               ("3 4 ; s=(0, 1)", RuntimeError, "Invalid number of data points (0) specified"),
               ("3 4 ; dim=(0, 0)", RuntimeError, "FFT dims must be unique"),
               ("3 4 ; s=(2, 3), dim=(1,)", RuntimeError,
                "When given, dim and shape arguments must have the same length"),
               ("3 4 ; dim=(0, 2)", IndexError, "Dimension out of range (expected to be in range of [-2, 1]"),
               ("3 4 ; dim=1.5", TypeError, "argument 'dim' must be tuple of ints, not float")]
TOO_MANY = ("3 4 ; s=(2, 3, 4)", RuntimeError, "Got shape with 3 values but input tensor only has 2 dimensions.")


def complex_transform_of_many(fns, name, input, s, dim, norm, forward):
    scale = scale_number(norm, forward)
    sizes, dims = many_dims(name, input, s, dim)
    input = prepared(input, to_complex=True)
    input = resized(fns, input, sizes, dims)
    return fns._fft_c2c(input, dims, scale, forward)


@composite("fft.fftn", autocast="float32",
           samples=[*MANY, "", "3 ; dim=()", "2 3 4 ; s=(2, 2)"], errors=[*MANY_ERRORS, TOO_MANY])
def fftn(fns, input, s: int | tuple = None, dim=None, norm: str = None):
    """:func:`fft` along several dimensions: all, those in ``dim``, or the last ones that ``s`` gives a size."""
    return complex_transform_of_many(fns, "fftn", input, s, dim, norm, True)


@composite("fft.ifftn", autocast="float32", samples=[*MANY, "2 3 4 ; s=(2, 2)"], errors=[*MANY_ERRORS, TOO_MANY])
def ifftn(fns, input, s: int | tuple = None, dim=None, norm: str = None):
    """:func:`ifft` along several dimensions."""
    return complex_transform_of_many(fns, "ifftn", input, s, dim, norm, False)


@composite("fft.fft2", autocast="float32", samples=MANY, errors=MANY_ERRORS)
def fft2(fns, input, s: int | tuple = None, dim=(-2, -1), norm: str = None):
    """:func:`fft` along two dimensions, the last ones by default."""
    return complex_transform_of_many(fns, "fft2", input, s, dim, norm, True)


@composite("fft.ifft2", autocast="float32", samples=MANY, errors=MANY_ERRORS)
def ifft2(fns, input, s: int | tuple = None, dim=(-2, -1), norm: str = None):
    """:func:`ifft` along two dimensions, the last ones by default."""
    return complex_transform_of_many(fns, "ifft2", input, s, dim, norm, False)


def some_dims(name, input, s, dim):
    sizes, dims = many_dims(name, input, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return sizes, dims


def half_spectrum_of_many(fns, name, input, s, dim, norm):
    scale = scale_number(norm, True)
    refuse_complex(input, "rfftn expects a real-valued input tensor")
    sizes, dims = some_dims("rfftn", input, s, dim)
    input = prepared(input)
    return fns._fft_r2c(resized(fns, input, sizes, dims), dims, scale, True)


@composite("fft.rfftn", autocast="float32", samples=[*MANY_REAL, "2 3 4 ; s=(2, 2)"],
           errors=[*MANY_ERRORS, TOO_MANY, ("", RuntimeError, "rfftn must transform at least one axis"),
                   ("complex: 3", RuntimeError, "rfftn expects a real-valued input tensor, but got ComplexDouble")])
def rfftn(fns, input, s: int | tuple = None, dim=None, norm: str = None):
    """:func:`rfft` along several dimensions: half a spectrum along the last of them, a whole one along the others."""
    return half_spectrum_of_many(fns, "rfftn", input, s, dim, norm)


@composite("fft.rfft2", autocast="float32", samples=MANY_REAL, errors=MANY_ERRORS)
def rfft2(fns, input, s: int | tuple = None, dim=(-2, -1), norm: str = None):
    """:func:`rfftn` along two dimensions, the last ones by default."""
    return half_spectrum_of_many(fns, "rfft2", input, s, dim, norm)


def half_sizes(name, input, s, dim):
    """``sizes, dims, n``: ``n`` the points of the signal along the last dimension, of which ``input`` has half."""
    sizes, dims = some_dims(name, input, s, dim)
    if s is None or (given := given_ints(name, "s", 2, s))[-1] == -1:
        n = 2 * (sizes[-1] - 1)
    else:
        n = given[-1]
    check_points(n)
    return [*sizes[:-1], n // 2 + 1], dims, n


def real_signal_of_many(fns, name, input, s, dim, norm):
    scale = scale_number(norm, False)
    sizes, dims, n = half_sizes("irfftn", input, s, dim)
    input = prepared(input, to_complex=True)
    return fns._fft_c2r(resized(fns, input, sizes, dims), dims, scale, n)


@composite("fft.irfftn", autocast="float32", samples=[*MANY, "2 3 4 ; s=(2, 2)"],
           errors=[*MANY_ERRORS, TOO_MANY, ("", RuntimeError, "irfftn must transform at least one axis"),
                   ("1 1", RuntimeError, "Invalid number of data points (0) specified")])
def irfftn(fns, input, s: int | tuple = None, dim=None, norm: str = None):
    """The inverse of :func:`rfftn`."""
    return real_signal_of_many(fns, "irfftn", input, s, dim, norm)


@composite("fft.irfft2", autocast="float32", samples=MANY, errors=MANY_ERRORS)
def irfft2(fns, input, s: int | tuple = None, dim=(-2, -1), norm: str = None):
    """:func:`irfftn` along two dimensions, the last ones by default."""
    return real_signal_of_many(fns, "irfft2", input, s, dim, norm)


def real_spectrum_of_many(fns, name, input, s, dim, norm):
    scale = scale_number(norm, True)
    sizes, dims, n = half_sizes("hfftn", input, s, dim)
    input = prepared(input, to_complex=True)
    input = resized(fns, input, sizes, dims)
    if dims[:-1]:
        input = fns._fft_c2c(input, dims[:-1], scale, True)
    return fns._fft_c2r(fns._conj_physical(input), dims[-1:], scale, n)


@composite("fft.hfftn", samples=[*MANY, "2 3 4 ; s=(2, 2)"],
           errors=[*MANY_ERRORS, TOO_MANY, ("", RuntimeError, "hfftn must transform at least one axis")])
def hfftn(fns, input, s: int | tuple = None, dim=None, norm: str = None):
    """:func:`hfft` along the last of several dimensions, :func:`fft` along the others."""
    return real_spectrum_of_many(fns, "hfftn", input, s, dim, norm)


@composite("fft.hfft2", samples=MANY, errors=MANY_ERRORS)
def hfft2(fns, input, s: int | tuple = None, dim=(-2, -1), norm: str = None):
    """:func:`hfftn` along two dimensions, the last ones by default."""
    return real_spectrum_of_many(fns, "hfft2", input, s, dim, norm)


def half_signal_of_many(fns, name, input, s, dim, norm):
    sizes, dims = some_dims("ihfftn", input, s, dim)
    scale = scale_number(norm, False)
    if is_complex(input):
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {scalar_name(input)}")
    input = prepared(input)
    half = fns._fft_r2c(resized(fns, input, sizes, dims), dims[-1:], scale, True)
    if not dims[:-1]:
        return half.conj()
    return fns._fft_c2c(fns.conj_physical(half), dims[:-1], scale, False)


# PyTorch's ihfftn with out= leaves out= unwritten where only one dimension is transformed: tests/fft has those cases.
SEVERAL = [*MANY_REAL[:3], "3 4 ; s=(-1, 5), norm='forward', dim=(0, 1)"]


@composite("fft.ihfftn", samples=[*SEVERAL, "2 3 4 ; s=(2, 2)"],
           errors=[*MANY_ERRORS, TOO_MANY, ("", RuntimeError, "ihfftn must transform at least one axis"),
                   ("complex: 3", RuntimeError, "Only supports floating-point dtypes, but found: ComplexDouble")])
def ihfftn(fns, input, s: int | tuple = None, dim=None, norm: str = None):
    """The inverse of :func:`hfftn`."""
    return half_signal_of_many(fns, "ihfftn", input, s, dim, norm)


@composite("fft.ihfft2", samples=SEVERAL, errors=MANY_ERRORS)
def ihfft2(fns, input, s: int | tuple = None, dim=(-2, -1), norm: str = None):
    """:func:`ihfftn` along two dimensions, the last ones by default."""
    return half_signal_of_many(fns, "ihfft2", input, s, dim, norm)
