"""Sorts without ``stable=True``, and selections, leave equals where PyTorch's library leaves them."""
import pytest

import leafward as lw

torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("kinds", [1, 2, 5, 50])
@pytest.mark.parametrize("count", [16, 17, 100, 4000])
def test_equals_come_as_in_pytorch(count, kinds, descending):
    x = torch.randint(kinds, (2, count), generator=torch.Generator().manual_seed(kinds))
    for theirs, dim in ((x, -1), (x.float().where(x > 0, float("nan")), -1), (x.T.contiguous().bfloat16(), 0)):
        ours = lw.tensor(theirs.tolist(), dtype=getattr(lw, str(theirs.dtype).removeprefix("torch.")))
        assert lw.sort(ours, dim, descending)[1].tolist() == torch.sort(theirs, dim, descending)[1].tolist()
        assert lw.argsort(ours, dim, descending).tolist() == torch.argsort(theirs, dim, descending).tolist()
        kept = torch.sort(theirs, dim=dim, descending=descending, stable=True)[1].tolist()
        assert lw.sort(ours, dim=dim, descending=descending, stable=True)[1].tolist() == kept


@pytest.mark.parametrize("kinds", [1, 2, 5, 50])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 16, 17, 64, 100, 1000])
def test_selections_find_the_equals_that_pytorch_finds(count, kinds):
    x = torch.randint(kinds, (2, count), generator=torch.Generator().manual_seed(kinds))
    for theirs, dim in ((x, -1), (x.float().where(x > 0, float("nan")), -1), (x.T.contiguous().bfloat16(), 0)):
        ours = lw.tensor(theirs.tolist(), dtype=getattr(lw, str(theirs.dtype).removeprefix("torch.")))
        for k in {1, count // 64 + 1, (count + 1) // 2, count}:
            assert lw.kthvalue(ours, k, dim)[1].tolist() == torch.kthvalue(theirs, k, dim)[1].tolist()
            for largest in True, False:
                found = lw.topk(ours, k, dim, largest)[1].tolist()
                assert found == torch.topk(theirs, k, dim, largest)[1].tolist(), (k, largest)
        assert lw.median(ours, dim)[1].tolist() == torch.median(theirs, dim)[1].tolist()
        if not theirs.isnan().any():
            assert lw.mode(ours, dim)[1].tolist() == torch.mode(theirs, dim)[1].tolist()


@pytest.mark.parametrize("k", [4, 20, 100])
def test_selections_of_orders_that_take_too_long(k):
    """Where the splits are uneven on purpose, the library goes on with a heap."""
    n = 400
    killer = list(range(n))                             # Musser's: each median of three is the second smallest
    killer[::2], killer[1::2] = range(1, n // 2 + 1), range(n // 2 + 1, n + 1)
    values = [v // 3 for v in killer]
    found = lw.tensor(values).topk(k, largest=False)[1].tolist()
    assert found == torch.tensor(values).topk(k, largest=False)[1].tolist()


def test_a_packed_batch_has_its_rows_in_pytorchs_order():
    lengths = [3, 1, 2, 3, 2] * 5
    ours = lw.nn.utils.rnn.pack_padded_sequence(lw.zeros(25, 3, 1), lengths, True, False)
    theirs = torch.nn.utils.rnn.pack_padded_sequence(torch.zeros(25, 3, 1), lengths, True, False)
    assert ours.sorted_indices.tolist() == theirs.sorted_indices.tolist() != sorted(range(25), key=lambda i: -lengths[i])


@pytest.mark.parametrize("kinds", [1, 3, 200, 10**6])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16", "float16"])
def test_the_first_few_of_many_are_those_of_the_stable_order(dtype, kinds):
    """They are found without sorting the others."""
    drawn = torch.randint(min(kinds, 2**15), (9, 1200), generator=torch.Generator().manual_seed(kinds))
    for dim, with_nan in ((-1, False), (0, False), (-1, True)):
        x = lw.tensor((drawn if dim else drawn.T).tolist()).to(getattr(lw, dtype))
        if with_nan and x.is_floating_point():
            x[::2, 5] = float("nan")
        for k in 1, 7, 300, 1000:
            for largest in True, False:
                values, places = x.topk(k, dim, largest)
                order = x.argsort(dim=dim, descending=largest, stable=True).narrow(dim, 0, k)
                assert places.tolist() == order.tolist()
                lw.testing.assert_close(values, x.gather(dim, order), equal_nan=True, rtol=0, atol=0)
            order = x.argsort(dim=dim, stable=True).select(dim, k - 1)
            assert x.kthvalue(k, dim)[1].tolist() == order.tolist()
        if not with_nan:
            assert x.median(dim)[1].tolist() == x.argsort(dim=dim, stable=True).select(dim, 599).tolist()
