"""Discrete Fourier transforms: everything declared under ``fft``."""
from leafward.derive.functions import public

globals().update(public["fft"])
