"""Overhead beside PyTorch: ``python -m bench`` prints the table."""
