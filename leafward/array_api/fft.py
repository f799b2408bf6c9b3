"""Discrete Fourier transforms: the extension ``fft``."""
from leafward.derive.functions import fns
from leafward.array_api.elementwise import named

#: Transforms along one axis, and along several.
ONE = ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft")
SEVERAL = ("fftn", "ifftn", "irfftn", "rfftn")
SHIFTS = ("fftshift", "ifftshift")
FREQUENCIES = ("fftfreq", "rfftfreq")
__all__ = list(ONE + SEVERAL + SHIFTS + FREQUENCIES)


def __dir__():
    return __all__


def along_one(transform):
    def standard(x, /, *, n=None, axis=-1, norm="backward"):
        return transform(x, n, axis, norm).resolve_conj()       # the standard knows no views of conjugates
    return standard


def along_several(transform):
    def standard(x, /, *, s=None, axes=None, norm="backward"):
        return transform(x, s, axes, norm)
    return standard


def shift(transform):
    def standard(x, /, *, axes=None):
        return transform(x, axes)
    return standard


def frequencies(make):
    def standard(n, /, *, d=1.0, dtype=None, device=None):
        return make(n, d, dtype=dtype, device=device)
    return standard


for _names, _make in ((ONE, along_one), (SEVERAL, along_several), (SHIFTS, shift), (FREQUENCIES, frequencies)):
    for _name in _names:
        _doc = f":func:`leafward.fft.{_name}` with the standard's arguments."
        globals()[_name] = named(_make(getattr(fns, f"fft_{_name}")), _name, _doc)
