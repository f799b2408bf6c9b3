"""``torch.ao``: models with weights of 8 bits."""
from leafward.ao import quantization  # noqa: I001  (first: its observers are what the layers begin with)
from leafward.ao import nn
