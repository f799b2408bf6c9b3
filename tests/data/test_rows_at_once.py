"""Batches of a TensorDataset are gathered at once where that is the same as stacking items, and only there."""
import pytest

import leafward as lw
from leafward.utils import data
from leafward.utils.data._utils.collate import collate_tensors, default_collate, default_collate_fn_map
from leafward.utils.data.dataset import rows_at_once
from tests.both import assert_told_alike, tried


class Counted(data.TensorDataset):
    asked = 0

    def __getitem__(self, index):
        type(self).asked += 1
        return super().__getitem__(index)


def tensors():
    return lw.arange(24.0).reshape(6, 2, 2), lw.arange(6), lw.arange(6) % 2 == 0


@pytest.mark.parametrize("indices", [[0], [5, 0, 0, 3], list(range(6))])
@pytest.mark.parametrize("nested", [False, True])
def test_they_are_what_stacking_gives(indices, nested):
    dataset = data.TensorDataset(*tensors())
    if nested:
        dataset = data.Subset(data.Subset(dataset, [5, 4, 3, 2, 1, 0]), [1, 0, 2, 3, 4, 5])
    at_once, stacked = rows_at_once(dataset, indices), default_collate([dataset[i] for i in indices])
    assert type(at_once) is type(stacked) is list
    for a, b in zip(at_once, stacked, strict=True):
        assert a.dtype is b.dtype and a.stride() == b.stride() and a.tolist() == b.tolist() and a.is_leaf and not a._is_view()


def wanting_gradients():
    x = lw.arange(6.0, requires_grad=True)
    return data.TensorDataset(x * 2)


@pytest.mark.parametrize("dataset, indices", [
    (Counted(lw.arange(6)), [1]), ([1, 2, 3], [1]), (wanting_gradients(), [1]),
    (data.TensorDataset(lw.arange(12).reshape(2, 6).t()), [1]),
    (data.TensorDataset(lw.arange(6)), [-1]), (data.TensorDataset(lw.arange(6)), [6]), (data.TensorDataset(lw.arange(6)), []),
    (data.TensorDataset(lw.arange(6)), [True]), (data.TensorDataset(lw.arange(6)), (1, 2)),
    (data.TensorDataset(lw.arange(6)), [slice(2)]), (data.Subset(data.TensorDataset(lw.arange(6)), lw.arange(3)), [1])],
    ids=["a class of one's own", "a list", "a gradient", "not in order", "negative", "too large", "none", "bool", "a tuple",
         "slices", "indices in a tensor"])
def test_everything_else_is_asked_item_by_item(dataset, indices):
    assert rows_at_once(dataset, indices) is None


def test_a_class_of_ones_own_is_asked_for_each_item():
    Counted.asked = 0
    assert [batch[0].tolist() for batch in data.DataLoader(Counted(lw.arange(5)), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert Counted.asked == 5


def test_a_changed_way_of_stacking_is_used():
    def sums(batch, *, collate_fn_map=None):
        return sum(batch)
    default_collate_fn_map[lw.Tensor] = sums
    try:
        assert list(data.DataLoader(data.TensorDataset(lw.arange(4)), batch_size=4)) == [[lw.tensor(6)]]
    finally:
        default_collate_fn_map[lw.Tensor] = collate_tensors


def epochs_with_replacement(t):
    d = t.utils.data
    rows = d.TensorDataset(t.arange(10.0), t.arange(10) * 2)
    generators = None, t.Generator().manual_seed(3)
    loaders = [d.DataLoader(rows, batch_size=4, shuffle=True, generator=generator) for generator in generators]
    loaders.append(d.DataLoader(rows, batch_size=4, sampler=d.RandomSampler(rows, replacement=True, num_samples=70)))
    loaders.append(d.DataLoader(d.Subset(rows, [7, 1, 3]), batch_size=2))
    return [list(loader) for loader in loaders for _ in range(2)], t.rand(2), loaders[1].generator.get_state().tolist()


def test_orders_and_generators_are_pytorchs():
    assert_told_alike(epochs_with_replacement)


def test_what_lies_outside_is_refused_as_by_items():
    def scenario(t):
        rows = t.utils.data.TensorDataset(t.arange(3))
        return tried(lambda: list(t.utils.data.DataLoader(rows, sampler=[0, 3])))
    assert_told_alike(scenario)
