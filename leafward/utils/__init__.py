"""Helpers beside the tensors: hooks, data loading."""
