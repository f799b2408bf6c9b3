"""``torch.distributed.elastic``: what programs for ``torchrun`` take from it."""
from leafward.distributed.elastic import multiprocessing  # noqa: F401
from leafward.tensor.missing import names_missing_from

__getattr__ = names_missing_from("torch.distributed.elastic", globals())
