"""Discrete Fourier transforms: everything declared under ``fft``."""
from leafward.derive.functions import public
from leafward.tensor.missing import names_missing_from

globals().update(public["fft"])

__getattr__ = names_missing_from("torch.fft", globals())
