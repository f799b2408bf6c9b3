"""``torch.utils.deterministic``: a switch that is remembered, as :func:`use_deterministic_algorithms` is.

PyTorch fills new memory with NaN where both are on; here what ``empty`` gives is never filled.
"""
fill_uninitialized_memory = True
