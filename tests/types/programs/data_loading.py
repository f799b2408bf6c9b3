"""Datasets, samplers, a loader with a collate function."""
from collections.abc import Iterator

import leafward as torch
from leafward import Tensor
from leafward.utils.data import (
    ConcatDataset, DataLoader, Dataset, IterableDataset, RandomSampler, Sampler, Subset, TensorDataset, WeightedRandomSampler,
    random_split,
)


class Squares(Dataset[tuple[Tensor, int]]):
    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        return torch.tensor([float(index)]), index * index


class Words(Dataset):
    def __init__(self, words: list[str]) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> Tensor:
        return torch.tensor([ord(c) for c in self.words[index]])


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        yield from range(5)


class EveryOther(Sampler[int]):
    def __init__(self, source: Squares) -> None:
        self.source = source

    def __iter__(self) -> Iterator[int]:
        return iter(range(0, len(self.source), 2))

    def __len__(self) -> int:
        return (len(self.source) + 1) // 2


def padded(batch: list[Tensor]) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([len(word) for word in batch])
    return torch.nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=0.0), lengths


def main() -> None:
    squares = Squares(10)
    train, held_out = random_split(squares, [8, 2], generator=torch.Generator().manual_seed(0))
    loader = DataLoader(train, batch_size=4, shuffle=True, num_workers=0, drop_last=False, pin_memory=False)
    for step, (x, y) in enumerate(loader):
        print(step, x.shape, y.sum().item())
    print(len(loader), len(loader.dataset), len(held_out), squares[3][1] + 1)  # type: ignore[arg-type]
    for words, lengths in DataLoader(Words(["a", "bcd"]), batch_size=2, collate_fn=padded):
        print(words.shape, lengths.tolist())
    print([number.item() for number in DataLoader(Stream(), batch_size=None) if isinstance(number, Tensor)])
    tensors = TensorDataset(torch.arange(6.0), torch.arange(6))
    both = ConcatDataset([tensors, tensors])
    part = Subset(both, [0, 7, 2])
    batch = next(iter(DataLoader(part, batch_size=3)))
    print(batch[0] + batch[1])
    weights = WeightedRandomSampler([0.1, 0.9], num_samples=4, replacement=True)
    print(len(list(weights)), list(EveryOther(squares)), len(list(RandomSampler(squares))))
    print(len(DataLoader(squares, sampler=EveryOther(squares), batch_size=2)))


if __name__ == "__main__":
    main()
