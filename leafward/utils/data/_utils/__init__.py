"""The rooms behind the loader: making batches, and the workers that make them elsewhere."""
from leafward.utils.data._utils import collate, fetch, worker
