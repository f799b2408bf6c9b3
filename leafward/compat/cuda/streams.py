"""Streams, events and choices of a device, for programs that name them: without a GPU all but the empty choice is refused."""
from leafward.tensor.constructors import LegacyTensor, dtypes


class OutOfMemoryError(RuntimeError):
    """A GPU's memory is used up: never raised here, for programs that catch it."""


class AcceleratorError(RuntimeError):
    """A GPU failed: never raised here."""


class Stream:
    """A queue of a GPU's work: refused."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"torch.cuda.{type(self).__name__} requires CUDA support")


class Event(Stream):
    """A moment in such a queue: refused."""


class ExternalStream(Stream):
    """A stream that another library made: refused."""


class CUDAGraph:
    """A recorded sequence of a GPU's work: refused."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"Tried to instantiate dummy base class {type(self).__name__}")


class graph(Stream):
    """Record a GPU's work in a ``with`` block: refused."""


class StreamContext:
    """What :func:`stream` gives: a ``with`` block that chooses a stream, of which there is only None."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, *exc):
        return False


class device:
    """Choose a GPU in a ``with`` block: -1 chooses none, anything else is refused."""

    def __init__(self, device):
        self.idx = getattr(device, "index", device)

    def __enter__(self):
        if self.idx is not None and self.idx >= 0:
            raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, *exc):
        return False


class device_of(device):
    """Choose the device of a tensor: none."""

    def __init__(self, obj):
        super().__init__(-1)


def stream(stream):
    """Choose a stream in a ``with`` block: None chooses none, and there is no other."""
    return StreamContext(stream)


class GPUTensor(LegacyTensor):
    """The class of ``torch.cuda.FloatTensor`` and its siblings: no tensor is one, and none can be made."""

    def __instancecheck__(cls, value):
        return False

    def __call__(cls, *data, device=None):
        raise TypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled.")


tensor_types = {dtype.tensor_type: GPUTensor(dtype.tensor_type, (), {"dtype": dtype, "__module__": "torch.cuda"})
                for dtype in dtypes.by_name.values() if dtype not in dtypes.PACKED}
