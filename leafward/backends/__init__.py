"""What programs ask and set about PyTorch's backends. Here NumPy computes, so settings are kept and change nothing."""
from leafward.backends import cuda, cudnn, mps
