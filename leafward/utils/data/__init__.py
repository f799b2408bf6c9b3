"""Datasets, the order to read them in, and the loader that makes batches of them, in other processes if asked."""
from leafward.utils.data import _utils, datapipes
from leafward.utils.data._utils.collate import default_collate, default_convert
from leafward.utils.data._utils.worker import get_worker_info
from leafward.utils.data.dataloader import DataLoader, _DatasetKind
from leafward.utils.data.dataset import (
    ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, random_split,
)
from leafward.utils.data.datapipes import DataChunk, IterDataPipe, MapDataPipe, functional_datapipe
from leafward.utils.data.distributed import DistributedSampler
from leafward.utils.data.sampler import (
    BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler,
)
from leafward.tensor.missing import names_missing_from

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataChunk", "DataLoader", "Dataset", "DistributedSampler",
    "IterDataPipe", "IterableDataset", "MapDataPipe", "RandomSampler", "Sampler", "SequentialSampler", "StackDataset",
    "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "_DatasetKind", "default_collate",
    "default_convert", "functional_datapipe", "get_worker_info", "random_split",
]

__getattr__ = names_missing_from("torch.utils.data", globals())
