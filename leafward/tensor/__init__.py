"""What users hold: ``Tensor``, assembled in ``tensor.py``, how it is made, indexed, printed and stored."""
from leafward.tensor.tensor import Tensor

__all__ = ["Tensor"]
