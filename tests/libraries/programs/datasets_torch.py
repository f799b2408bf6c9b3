"""A table of ``datasets`` that is mapped, shuffled, split and read as tensors by a ``DataLoader``."""
import tempfile

import torch
from datasets import Dataset, load_from_disk


def main():
    rows = {"text": [f"row {i} " + "x" * (i % 5) for i in range(40)], "label": [i % 3 for i in range(40)]}
    table = Dataset.from_dict(rows).map(lambda row: {"sizes": [len(word) for word in row["text"].split()] + [row["label"]]})
    parts = table.shuffle(seed=3).train_test_split(test_size=10, seed=4)
    with tempfile.TemporaryDirectory() as folder:
        parts["train"].save_to_disk(folder)
        kept = load_from_disk(folder).filter(lambda row: len(row["sizes"]) == 4).with_format(
            "torch", columns=["sizes", "label"])
        batches = [(batch["sizes"].shape, batch["sizes"].sum().item(), str(batch["label"].dtype), batch["label"].tolist())
                   for batch in torch.utils.data.DataLoader(kept, batch_size=8)]
        one = kept[0]
        assert isinstance(one["sizes"], torch.Tensor)
    return {"batches": batches, "one": one["sizes"].tolist(), "test": parts["test"]["label"][:]}
