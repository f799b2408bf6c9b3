"""Training on several ranks gives the losses of one process on the whole batch, and those of PyTorch's DDP over gloo."""
import re
import warnings

import pytest

import leafward as lw
from leafward.distributed import reducer
from tests.distributed import training_cases as cases
from tests.distributed.gloo import outcomes
from tests.oracle import torch

#: How far losses may be apart: from one process, and from PyTorch.
ALONE, PYTORCH = {"float32": 1e-6, "float64": 1e-12}, {"float32": 1e-5, "float64": 1e-11}


def losses_of(found):
    return found[0] if isinstance(found, tuple) else found


def apart(ours, theirs):
    return max([abs(a - b) / abs(b) for a, b in zip(losses_of(ours), losses_of(theirs), strict=True)])


@pytest.fixture(scope="module")
def alone():
    return cases.run(lw, 0, 1)


def test_one_process_agrees(alone):
    theirs = cases.run(torch, 0, 1)
    assert {key: apart(alone[key], theirs[key]) for key in alone if apart(alone[key], theirs[key]) > PYTORCH[key[1]]} == {}


def check(ours, alone, theirs):
    for rank, mine in enumerate(ours):
        for (name, dtype), found in mine.items():
            assert apart(found, theirs[rank][name, dtype]) <= PYTORCH[dtype], (rank, name, dtype)
            assert found[1:] == theirs[rank][name, dtype][1:] or not isinstance(found, tuple)
            assert apart(found, alone[name, dtype]) <= ALONE[dtype], (rank, name, dtype)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_threads(size, alone, tmp_path_factory):
    theirs = outcomes("tests.distributed.training_cases", size, tmp_path_factory.getbasetemp().parent)
    ours = lw.distributed.run_ranks(lambda rank: cases.run(lw, rank, size), size)
    check(ours, alone, theirs)


def test_large_gradients_are_reduced_where_they_lie(alone, tmp_path_factory, monkeypatch):
    """All count as large: the same losses, whatever a case does with them."""
    monkeypatch.setattr(reducer, "LARGE", 1)
    theirs = outcomes("tests.distributed.training_cases", 2, tmp_path_factory.getbasetemp().parent)
    check(lw.distributed.run_ranks(lambda rank: cases.run(lw, rank, 2), 2), alone, theirs)


def test_no_gradient_is_copied_that_is_large(monkeypatch):
    monkeypatch.setattr(reducer, "LARGE", 40)                          # bytes for each rank: a weight, not its bias

    def of(rank):
        plain = cases.filled(lw, cases.mlp(lw), "float32")
        watched = plain[4].weight
        model = lw.nn.parallel.DistributedDataParallel(plain)
        # Who looks at a gradient afterwards sees this rank's own, as in PyTorch: such a one is copied.
        seen = []
        watched.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.clone()))
        given, start = [], model.process_group.backend.start
        model.process_group.backend.start = lambda call: (given.append(call.data), start(call))
        for _ in range(2):
            given.clear()
            model.zero_grad()
            model(lw.ones(2, 6) * (rank + 1)).sum().backward()
        where = {lw.from_numpy(data).data_ptr() for data in given}
        size = sum([data.size for data in given])
        there = [p.grad.data_ptr() in where for p in (plain[0].weight, plain[2].weight, watched, plain[0].bias)]
        beside = size - sum([p.numel() for p in plain.parameters()])
        return there, beside, [own.tolist() for own in seen], watched.grad.tolist()
    one, other = lw.distributed.run_ranks(of, 2)
    for there, beside, *_ in one, other:
        assert there == [True, True, False, False] and beside == 1      # a number that is NaN where a gradient is
    assert one[3] == other[3] and one[2] != other[2]
    for mean, mine, theirs in zip(lw.tensor(one[3]), lw.tensor(one[2][1]), lw.tensor(other[2][1]), strict=True):
        lw.testing.assert_close(mean, (mine + theirs) / 2)


def test_a_parameter_without_a_gradient_is_named():
    def of(rank):
        model = lw.nn.parallel.DistributedDataParallel(cases.two_ways(lw))
        x = lw.ones(2, 6)
        model(x).sum().backward()
        with pytest.raises(RuntimeError, match=r"finished reduction in the prior iteration(.|\n)*right.weight, right.bias, "
                                               r"never.weight, never.bias"):
            model(x)
    lw.distributed.run_ranks(of, 2)


@pytest.mark.parametrize("as_views", [True, False])
def test_gradients_lie_in_the_buckets(as_views):
    def of(rank):
        model = lw.nn.parallel.DistributedDataParallel(cases.mlp(lw), gradient_as_bucket_view=as_views)
        storages = []
        for step in range(3):
            model(lw.ones(2, 6) * (rank + 1)).sum().backward()
            before = [p.grad for p in model.parameters()]
            storages.append(len({grad.untyped_storage().data_ptr() for grad in before}))
            if step == 1:                           # after the first, buckets are made anew: the order is known
                model(lw.ones(2, 6)).sum().backward()
                assert all([p.grad is grad for p, grad in zip(model.parameters(), before, strict=True)])
            model.zero_grad(set_to_none=step == 0)
            assert step == 0 or not any([grad.any() for grad in before])
        return storages
    assert lw.distributed.run_ranks(of, 2) == 2 * [[1 if as_views else 6] * 3]


@pytest.mark.parametrize("as_views, large", [(True, 1), (False, 1), (False, 40), (False, 1 << 20)])
@pytest.mark.parametrize("wrong", [[1], [0, 1, 2], []])
def test_a_gradient_that_is_nan_on_some_ranks_is_told_once(as_views, large, wrong, monkeypatch):
    monkeypatch.setattr(reducer, "LARGE", large)

    def of(rank):
        model = lw.nn.parallel.DistributedDataParallel(cases.filled(lw, cases.mlp(lw), "float32"),
                                                       gradient_as_bucket_view=as_views)
        for step in range(3):
            bad = float("nan") if rank in wrong and step else float(rank)
            model(lw.ones(2, 6)).mul(bad).sum().backward()                                    # here
            model.zero_grad()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        lw.distributed.run_ranks(of, 3)
    said = [str(warning.message) for warning in said if "after their reduction" in str(warning.message)]
    assert len(said) == (3 if wrong == [1] else 0)                          # each rank says it
    for text in said:
        assert re.fullmatch(r"gradients are NaN on 1 of 3 ranks, and after their reduction on all:\n  rank 1: "
                            r"\d\.\w+, \d\.\w+, \d\.\w+ and 3 more, in test_training.py:\d+  model.*backward\(\) +# here",
                            text), text


@pytest.mark.parametrize("steps, found", [(3, True), (1, False)])
def test_parameters_that_drift_apart_are_told_once(steps, found):
    def of(rank):
        model = lw.nn.parallel.DistributedDataParallel(cases.filled(lw, cases.mlp(lw), "float32"))
        optimizer = lw.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(steps):
            model(lw.ones(2, 6)).sum().backward()
            optimizer.step()
            if rank == 1:
                with lw.no_grad():
                    model.module[2].bias.mul_(1.5)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        lw.distributed.run_ranks(of, 2)
    assert len(said) == (2 if found else 0)
    for warning in said:
        assert re.match(r"parameters are no longer the same on all ranks: 2.bias. The last writes to 2.bias:\n"
                        r"  rank 0: .*, test_training.py:\d+  optimizer.step\(\).*\n"
                        r"  rank 1: mul_, test_training.py:\d+  model.module\[2\].bias.mul_\(1.5\); .*optimizer.step\(\)",
                        str(warning.message)), warning.message


def test_models_that_differ_are_refused():
    def of(rank):
        with pytest.raises(RuntimeError, match="DDP expects same model across all ranks, but rank"):
            lw.nn.parallel.DistributedDataParallel(lw.nn.Linear(2, 2 + rank))
    lw.distributed.run_ranks(of, 2)


def test_a_callback_at_the_end_of_backward():
    order = []
    x = lw.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: lw.autograd.Variable._execution_engine.queue_callback(lambda: order.append(x.grad.tolist())))
    y.sum().backward()
    assert order == [[2.0, 2.0]]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        lw.autograd.Variable._execution_engine.queue_callback(print)


def test_samplers_ask_the_group():
    found = lw.distributed.run_ranks(lambda rank: list(lw.utils.data.DistributedSampler(range(5), shuffle=False)), 2)
    assert found == [[0, 2, 4], [1, 3, 0]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("way", ["DistributedDataParallel", "fully_shard"])
def test_twenty_steps_with_batch_norm(way, size, dtype):
    def made(library=lw):
        nn = library.nn
        layers = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3)
        return cases.filled(library, nn.Sequential(*layers), dtype)

    def of(rank):
        model = lw.nn.SyncBatchNorm.convert_sync_batchnorm(made())
        model = cases.wrapped(lw, model, size) if way != "fully_shard" else lw.distributed.fsdp.fully_shard(model)
        return cases.train(lw, model, dtype, rank, size)
    # PyTorch synchronizes it on GPUs alone: its one process has the whole batch.
    alone, theirs = cases.train(lw, made(), dtype, 0, 1), cases.train(torch, made(torch), dtype, 0, 1)
    for losses in lw.distributed.run_ranks(of, size):
        assert apart(losses, alone) <= ALONE[dtype] and apart(losses, theirs) <= PYTORCH[dtype]


def test_synchronized_batch_norm_is_batch_norm_of_the_whole():
    draws = lw.from_numpy(cases.draws("float64", 8, 3, 2))
    weights = lw.from_numpy(cases.draws("float64", 8, 3, 2, seed=1))

    def of(rank, size):
        norm = lw.nn.SyncBatchNorm.convert_sync_batchnorm(lw.nn.BatchNorm1d(3).double())
        # Parts of different lengths.
        part = slice(0, 8) if size == 1 else slice(0, 3) if rank == 0 else slice(3, 8)
        x = draws[part].clone().requires_grad_(True)
        y = norm(x)
        (y * weights[part]).sum().backward()
        grads = [norm.weight.grad, norm.bias.grad]
        if size > 1:
            for grad in grads:
                lw.distributed.all_reduce(grad)
        return y.detach(), x.grad, *grads, norm.running_mean, norm.running_var
    whole = of(0, 1)
    parts = lw.distributed.run_ranks(lambda rank: of(rank, 2), 2)
    for position, expected in enumerate(whole):
        found = lw.cat([part[position] for part in parts]) if position < 2 else parts[1][position]
        lw.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def test_collectives_with_gradients_are_adjoint_to_their_backward():
    """What comes out times weights, and what went in times its gradient: over all ranks the sums are one number."""
    nn = lw.distributed.nn.functional
    calls = {
        "all_reduce": lambda x: nn.all_reduce(x), "mean": lambda x: nn.all_reduce(x, lw.distributed.ReduceOp.AVG),
        "broadcast": lambda x: nn.broadcast(x, 1), "all_gather": lambda x: lw.cat(nn.all_gather(x)),
        "reduce_scatter": lambda x: nn.reduce_scatter(x[0], list(x)), "exchange": lambda x: nn.all_to_all_single(x, x),
        "gather": lambda x: lw.cat(nn.gather(x, 1)), "scatter": lambda x: nn.scatter(list(x), 2),
        "reduce": lambda x: nn.reduce(x, 1) * (lw.distributed.get_rank() == 1),
        "all_to_all": lambda x: lw.cat(nn.all_to_all(list(x), list(x))),
        "uneven exchange": lambda x: nn.all_to_all_single(x, x, *splits[lw.distributed.get_rank()])}
    splits = {0: ([1, 2, 0], [1, 1, 1]), 1: ([1, 1, 1], [2, 1, 0]), 2: ([1, 0, 2], [0, 1, 2])}

    def of(rank, call):
        x = lw.from_numpy(cases.draws("float64", 3, 2, seed=rank)).requires_grad_(True)
        y = call(x)
        weights = lw.from_numpy(cases.draws("float64", *y.shape, seed=10 + rank))
        (y * weights).sum().backward()
        return (y * weights).sum().item(), (x * x.grad).sum().item()
    for name, call in calls.items():
        found = lw.distributed.run_ranks(of, 3, call)
        assert abs(sum([a for a, _ in found]) - sum([b for _, b in found])) < 1e-12, name
        assert any([b for _, b in found]), name
