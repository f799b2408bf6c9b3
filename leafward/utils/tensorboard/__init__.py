"""``SummaryWriter``: what TensorBoard shows of a training, written through its own ``tensorboard`` package."""
try:
    import tensorboard
except ImportError as missing:
    raise ModuleNotFoundError("torch.utils.tensorboard writes through TensorBoard's own package: "
                              "pip install tensorboard", name="tensorboard") from missing
from tensorboard.summary.writer.record_writer import RecordWriter

from leafward.utils.tensorboard.writer import SummaryWriter

del tensorboard
__all__ = ["RecordWriter", "SummaryWriter"]
