"""``torch.ao``: quantized layers."""
