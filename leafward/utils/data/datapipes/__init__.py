"""DataPipes: datasets that are chained, ``IterableWrapper(files).map(read).shuffle().batch(8)``."""
from . import iter, map
from ._decorator import functional_datapipe
from .datapipe import DataChunk, IterDataPipe, MapDataPipe

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe", "iter", "map"]
