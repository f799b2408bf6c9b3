"""``torch.cuda.amp.grad_scaler``: the older form of ``torch.amp.grad_scaler``."""
from leafward.amp.grad_scaler import OptState
from leafward.compat.cuda.amp import GradScaler

__all__ = ["GradScaler", "OptState"]
