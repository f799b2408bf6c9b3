"""DataPipes: datasets that are chained, ``IterableWrapper(files).map(read).shuffle().batch(8)``."""
from leafward.utils.data.datapipes import iter, map
from leafward.utils.data.datapipes._decorator import functional_datapipe
from leafward.utils.data.datapipes.datapipe import DataChunk, IterDataPipe, MapDataPipe

__all__ = ["DataChunk", "IterDataPipe", "MapDataPipe", "functional_datapipe", "iter", "map"]
