"""Short-time Fourier transforms: the spectrum of each of many overlapping pieces of a signal, and back.

Args:
    n_fft: the number of points of each transform
    hop_length: how far pieces are apart; None: `n_fft // 4`
    win_length: the length of the window; None: `n_fft`
    window: the weights of a piece; None: ones
    center: True: pieces are centred on their places, and the signal is padded
    pad_mode: how it is padded, as in `pad`
    normalized: True: divide by `sqrt(n_fft)`
    onesided: True: the first half of the spectrum; None: where the signal is real
    return_complex: True: complex numbers. False: pairs of real ones
    align_to_window: True: pieces begin where the window does; None and False: where the transform does; only without `center`
    length: the length of the signal; None: what the pieces give
"""

from leafward.core.op import composite
from leafward.errors import warn

from leafward.ops.checks import scalar_name
from leafward.ops.dims import normalize
from leafward.ops.kinds import is_complex, is_whole

NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
    "windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress "
    "this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.")
NO_WINDOW_BACK = (
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to "
    "make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
    "`window=torch.ones(n_fft, device=<device>)`.")
NEEDS_RETURN_COMPLEX = ("stft requires the return_complex parameter be given for real inputs, and will further require "
                        "that return_complex=True in a future PyTorch release.")
RETURNS_PAIRS = ("stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
                 "tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call "
                 "torch.view_as_real on the complex output to recover the old return format.")
ONE_SIDED_COMPLEX = "Cannot have onesided output if window or input is complex"


def called(name, input, window, **options):
    """The call as PyTorch's messages begin with it."""
    described = f"torch.{scalar_name(input)}Tensor"
    shown = None if window is None else f"torch.{scalar_name(window)}Tensor{{{list(window.shape)}}}"
    window_at = list(options).index("win_length") + 1
    parts = [f"{key}={as_number(value)}" for key, value in options.items()]
    parts.insert(window_at, f"window={shown}")
    return f"{name}({described}{list(input.shape)}, {', '.join(parts)})"


def as_number(value):
    return int(value) if isinstance(value, bool) else value


def centred(fns, window, n_fft):
    """``window`` in the middle of ``n_fft`` places."""
    length = window.shape[0]
    if length == n_fft:
        return window
    left = (n_fft - length) // 2
    return fns.constant_pad_nd(window, [left, n_fft - length - left])


#: The window comes after two options, which the samples must therefore name.
DEFAULT = "hop_length=None, win_length=None"
STFT = [f"20 | pos: 4 ; n_fft=4, {DEFAULT}, return_complex=True",
        f"20 | pos: 4 ; n_fft=4, {DEFAULT}, return_complex=False",
        "2 20 | pos: 4 ; n_fft=4, hop_length=3, win_length=None, return_complex=True",
        "20 | pos: 3 ; n_fft=6, hop_length=None, win_length=3, return_complex=True, normalized=True",
        f"2 20 | pos: 5 ; n_fft=5, {DEFAULT}, center=False, return_complex=True",
        f"20 | pos: 4 ; n_fft=4, {DEFAULT}, return_complex=True, onesided=False",
        f"complex: 20 | pos: 4 ; n_fft=4, {DEFAULT}",
        f"20 | pos: 4 ; n_fft=4, {DEFAULT}, return_complex=True, pad_mode='constant'",
        f"20 | None ; n_fft=4, {DEFAULT}, return_complex=True",
        "20 | pos: 3 ; n_fft=4, hop_length=5, win_length=3, center=False, align_to_window=True, return_complex=True"]


@composite("stft", autocast="float32", samples=STFT,
           errors=[(f"20 | 4 ; n_fft=4, {DEFAULT}", RuntimeError,
                    "stft requires the return_complex parameter be given"),
                   ("20 | 4 ; n_fft=4, hop_length=None, win_length=5, return_complex=True", RuntimeError,
                    "expected 0 < win_length <= n_fft, but got win_length=5"),
                   ("20 | 4 ; n_fft=4, hop_length=None, win_length=3, return_complex=True", RuntimeError,
                    "expected a 1D window tensor of size equal to win_length=3, but got window with size [4]"),
                   ("20 | 4 ; n_fft=4, hop_length=0, win_length=None, return_complex=True", RuntimeError,
                    "expected hop_length > 0, but got hop_length=0"),
                   (f"20 | 4 ; n_fft=40, {DEFAULT}, center=False, return_complex=True", RuntimeError,
                    "expected 0 < n_fft < 20, but got n_fft=40"),
                   (f"1 1 20 | 4 ; n_fft=4, {DEFAULT}, return_complex=True", RuntimeError,
                    "expected a 1D or 2D tensor"),
                   (f"complex: 20 | 4 ; n_fft=4, {DEFAULT}, onesided=True", RuntimeError, ONE_SIDED_COMPLEX),
                   (f"20 | 4 ; n_fft=4, {DEFAULT}, return_complex=True, align_to_window=True", RuntimeError,
                    "stft align_to_window should only be set when center = false")])
def stft(fns, input, n_fft: int, hop_length: int = None, win_length: int = None, window=None, center: "bool" = True,
         pad_mode: "str" = "reflect", normalized=False, onesided: bool = None, return_complex: bool = None,
         align_to_window=None):
    """Short-time Fourier transform: ``out[..., k, m] = sum_j window[j] input[m hop + j] exp(-2 pi i j k / n_fft)``.

    ``input`` is ``(*, L)`` and ``out`` is ``(*, K, M)``: ``K = n_fft // 2 + 1`` frequencies (all ``n_fft`` without
    ``onesided``) of ``M`` pieces. With ``center`` the signal is padded by half a piece at both ends, in ``pad_mode``.

    Source: Allen and Rabiner, 1977, Proceedings of the IEEE 65
    """
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        half = int(n_fft // 2)
        padded = input.reshape([1] * (3 - input.ndim) + list(input.shape))
        padded = fns.pad(padded, [half, half], pad_mode)
        input = padded.reshape(padded.shape[padded.ndim - input.ndim:])
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if window is None:
        warn(NO_WINDOW)
    call = called("stft", input, window, n_fft=n_fft, hop_length=hop_length, win_length=win_length,
                  normalized=normalized, onesided=onesided, return_complex=return_complex,
                  align_to_window=align_to_window)
    complex_fft = is_complex(input) or (window is not None and is_complex(window))
    if return_complex is None:
        if not complex_fft:
            raise RuntimeError(NEEDS_RETURN_COMPLEX)
        return_complex = True
    elif not return_complex and not complex_fft:
        warn(RETURNS_PAIRS)
    if is_whole(input):
        raise RuntimeError(f"{call} : expected a tensor of floating point or complex values")
    if input.ndim not in (1, 2):
        raise RuntimeError(f"{call} : expected a 1D or 2D tensor")
    batch = input if input.ndim == 2 else input.unsqueeze(0)                               # b L
    length = batch.shape[1]
    check_pieces(call, n_fft, hop_length, win_length, window, length)
    if onesided and complex_fft:
        raise RuntimeError(ONE_SIDED_COMPLEX)
    onesided = not complex_fft if onesided is None else onesided
    if align_to_window and win_length < n_fft:
        left = (n_fft - win_length) // 2
        batch = fns.constant_pad_nd(batch, [left, left])
    pieces = batch.unfold(-1, n_fft, hop_length)                                           # b M n
    if window is not None:
        pieces = pieces * centred(fns, window, n_fft)
    elif win_length < n_fft:
        pieces = pieces * centred(fns, fns.ones(win_length, dtype=pieces.dtype), n_fft)
    scale = 1 if normalized else 0
    if is_complex(pieces):
        spectra = fns._fft_c2c(pieces, (2,), scale, True)                                  # b M K
    else:
        spectra = fns._fft_r2c(pieces, (2,), scale, onesided)
    out = spectra.transpose_(1, 2)                      # no view, as in PyTorch: it can be written and detached in place
    if input.ndim == 1:
        out = out.squeeze_(0)
    return out if return_complex else fns.view_as_real(out)


def check_pieces(call, n_fft, hop_length, win_length, window, length):
    if not 0 < n_fft <= length:
        raise RuntimeError(f"{call} : expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    if hop_length <= 0:
        raise RuntimeError(f"{call} : expected hop_length > 0, but got hop_length={hop_length}")
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{call} : expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and tuple(window.shape) != (win_length,):
        raise RuntimeError(f"{call} : expected a 1D window tensor of size equal to win_length={win_length}, but got "
                           f"window with size {list(window.shape)}")


ISTFT = [f"complex: 3 8 | pos: 4 ; n_fft=4, {DEFAULT}", f"complex: 3 8 | pos: 4 ; n_fft=4, {DEFAULT}, length=6",
         "complex: 2 3 8 | pos: 4 ; n_fft=4, hop_length=2, win_length=None, normalized=True",
         f"complex: 3 8 | pos: 4 ; n_fft=4, {DEFAULT}, length=20",
         f"complex: 4 6 | pos: 4 ; n_fft=4, {DEFAULT}, center=False, onesided=False",
         f"complex: 4 6 | pos: 4 ; n_fft=4, {DEFAULT}, onesided=False, return_complex=True",
         "complex: 3 8 | pos: 3 ; n_fft=5, hop_length=None, win_length=3",
         f"complex: 3 8 | None ; n_fft=4, {DEFAULT}"]


@composite("istft", samples=ISTFT,
           errors=[(f"3 8 | pos: 4 ; n_fft=4, {DEFAULT}", RuntimeError, "istft requires a complex-valued input tensor"),
                   ("complex: 3 8 | pos: 4 ; n_fft=4, hop_length=5, win_length=None", RuntimeError,
                    "expected 0 < hop_length <= win_length"),
                   ("complex: 3 8 | pos: 4 ; n_fft=4, hop_length=None, win_length=5", RuntimeError,
                    "expected 0 < win_length <= n_fft"),
                   (f"complex: 2 8 | pos: 4 ; n_fft=4, {DEFAULT}", RuntimeError,
                    "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 "
                    "when onesided=True, but got 2"),
                   (f"complex: 3 8 | pos: 3 ; n_fft=4, {DEFAULT}", RuntimeError,
                    "Invalid window shape. window has to be 1D and length of `win_length`"),
                   (f"complex: 3 8 | +0. +1. +1. +0. ; n_fft=4, {DEFAULT}, center=False", RuntimeError,
                    "window overlap add min: 1")])
def istft(fns, input, n_fft: int, hop_length: int = None, win_length: int = None, window=None, center=True, normalized=False,
          onesided: bool = None, length: int = None, return_complex=False):
    """The inverse of :func:`stft`: pieces are transformed back, weighed with the window again, added up where they
    overlap, and divided by the sum of the squared windows there.

    ``input`` is ``(*, K, M)`` and ``out`` is ``(*, L)``, cut or continued by zeros to ``length``.

    Source: Griffin and Lim, 1984, IEEE Transactions on Acoustics, Speech and Signal Processing 32
    """
    if window is None:
        warn(NO_WINDOW_BACK)
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    call = called("istft", input, window, n_fft=n_fft, hop_length=hop_length, win_length=win_length, center=center,
                  normalized=normalized, onesided=onesided, length=length, return_complex=return_complex)
    if not is_complex(input):
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with "
                           "return_complex=True.")
    complex_window = window is not None and is_complex(window)
    if onesided is None:
        onesided = input.ndim < 2 or input.shape[-2] != n_fft
    check_spectra(call, input, n_fft, hop_length, win_length, window, onesided)
    if return_complex and onesided:
        raise RuntimeError(ONE_SIDED_COMPLEX)
    if complex_window and not return_complex:
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    if window is None:
        window = fns.ones(win_length, dtype=input.real.dtype)
    window = centred(fns, window, n_fft)
    spectra = (input if input.ndim == 3 else input.unsqueeze(0)).transpose(1, 2)           # b M K
    scale = 1 if normalized else 2
    if return_complex:
        pieces = fns._fft_c2c(spectra, (2,), scale, False)                                 # b M n
    else:
        if not onesided:
            spectra = spectra.narrow(2, 0, n_fft // 2 + 1)
        pieces = fns._fft_c2r(spectra, (2,), scale, n_fft)
    return overlapped(fns, call, pieces * window, window, hop_length, center, length, input.ndim == 2)


def check_spectra(call, input, n_fft, hop_length, win_length, window, onesided):
    if input.ndim < 2:
        normalize(-2 - input.ndim, input.ndim + 1)              # a dim that its real and imaginary parts lack
    if 0 in input.shape:
        raise RuntimeError(f"{call} : input tensor cannot be empty.")
    if input.ndim not in (2, 3):
        raise RuntimeError(f"{call} : expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}")
    points = input.shape[-2]
    if onesided and points != n_fft // 2 + 1:
        raise RuntimeError(f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to match "
                           f"n_fft / 2 + 1 when onesided=True, but got {points}")
    if not onesided and points != n_fft:
        raise RuntimeError(f"{call} : expected the frequency dimension (3rd to the last) of the input tensor to match "
                           f"n_fft when onesided=False, but got {points}")
    if not 0 < hop_length <= win_length:
        raise RuntimeError(f"{call} : expected 0 < hop_length <= win_length")
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{call} : expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (win_length,):
        raise RuntimeError(f"{call} : Invalid window shape. window has to be 1D and length of `win_length`")


def overlapped(fns, call, pieces, window, hop_length, center, length, squeeze):
    """The weighed ``pieces``, added up and divided by the sum of the squared windows, between start and end."""
    batch, count, n_fft = pieces.shape
    whole = n_fft + hop_length * (count - 1)
    signal = fns._unfold_backward(pieces, (batch, whole), 1, n_fft, hop_length)            # b L
    squares = window * window
    if is_whole(squares):
        squares = squares.to(pieces.dtype)
    squares = squares.expand(1, count, n_fft)
    envelope = fns._unfold_backward(squares, (1, whole), 1, n_fft, hop_length)
    start = n_fft // 2 if center else 0
    if length is not None:
        end = start + length
    else:
        end = whole - n_fft // 2 if center else whole
    signal, envelope = signal[:, start:end], envelope[:, start:end]
    if envelope.abs().min() <= 1e-11:                    # not where that is nan
        raise RuntimeError(f"{call} window overlap add min: 1")
    out = signal / envelope
    if squeeze:
        out = out.squeeze(0)
    if end > whole:
        warn("The length of signal is shorter than the length parameter. Result is being padded with zeros in "
             "the tail. Please check your center and hop_length settings.")
        out = fns.constant_pad_nd(out, [0, end - whole])
    return out
