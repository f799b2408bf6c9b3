"""The rooms behind the loader: making batches, and the workers that make them elsewhere."""
from . import collate, fetch, worker
