"""``torch.ao.nn``: layers with weights of 8 bits."""
from leafward.ao.nn import quantized
