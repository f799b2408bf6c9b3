"""What programs ask and set about PyTorch's backends. Here NumPy computes, so settings are kept and change nothing."""
from leafward.compat.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum
from leafward.tensor.missing import names_missing_from

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]

__getattr__ = names_missing_from("torch.backends", globals())
