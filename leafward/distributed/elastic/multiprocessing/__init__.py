"""``torch.distributed.elastic.multiprocessing``: the errors of ranks."""
from leafward.distributed.elastic.multiprocessing import errors  # noqa: F401
from leafward.tensor.missing import names_missing_from

__getattr__ = names_missing_from("torch.distributed.elastic.multiprocessing", globals())
