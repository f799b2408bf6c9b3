"""What programs give to groups, to DDP and to futures: taken, or refused as by PyTorch, beside it in a world of one."""
import copy
import pickle
from importlib import import_module

import pytest

import leafward as lw
from tests.oracle import torch

Future = lw.futures.Future


def outcome(function):
    """What a function gives, as text, or the type of its error and how that begins."""
    try:
        return str(function())
    except Exception as error:
        return type(error).__name__, str(error)[:20]


def futures(t):
    first, second = t.futures.Future(), t.futures.Future()
    both, later = t.futures.collect_all([first, second]), first.then(lambda future: future.value() + 1)
    yield first.done, both.done, lambda: first.set_result(1), later.wait, both.done
    yield lambda: second.set_exception(3), lambda: second.set_exception(ValueError("no")), both.done
    yield both.wait, lambda: t.futures.wait_all([first, second]), second.value, lambda: first.set_result(2)
    yield lambda: t.futures.Future(3), t.futures.collect_all([]).wait, lambda: t.futures.wait_all([first, first])


def test_futures():
    ours, theirs = [[outcome(function) for step in futures(t) for function in step] for t in (lw, torch)]
    assert ours == theirs and len(ours) == 15
    assert Future[lw.Tensor] == lw.futures.Future[lw.Tensor]
    with pytest.raises(RuntimeError, match="asked for before it is there"):
        Future().value()


@pytest.fixture(scope="module", autouse=True)
def worlds():
    """Of one rank each."""
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    lw.distributed.init_process_group("threads", store=lw.distributed.HashStore(), rank=0, world_size=1)
    yield
    lw.distributed.destroy_process_group()
    torch.distributed.destroy_process_group()


def hooks(t):
    """Three that DDP refuses, and one with the annotations that it takes."""
    def other_name(state, what):
        pass

    def other_bucket(state, bucket: int):
        pass

    def other_answer(state, bucket) -> int:
        pass

    def annotated(state, bucket: t.distributed.GradBucket) -> t.futures.Future[t.Tensor]:
        return t.distributed.all_reduce(bucket.buffer(), async_op=True).get_future().then(lambda f: f.value()[0] * 2)
    return other_name, other_bucket, other_answer, 3, annotated


def test_hooks_are_looked_at_when_they_are_registered():
    found = []
    for t in lw, torch:
        model = t.nn.parallel.DistributedDataParallel(t.nn.Linear(2, 1))
        found.append([outcome(lambda hook=hook, model=model: model.register_comm_hook(None, hook)) for hook in hooks(t)])
        model(t.ones(1, 2)).sum().backward()
        assert model.module.weight.grad.tolist() == [[2.0, 2.0]]
    assert found[0] == found[1]


def made(t):
    """Ways to ask for a model on ranks, and for groups."""
    ddp, dist = t.nn.parallel.DistributedDataParallel, t.distributed
    shard = import_module(f"{t.__name__}.distributed.fsdp").fully_shard
    model = ddp(t.nn.Linear(2, 1), bucket_cap_mb=3)
    return [
        lambda: ddp(t.nn.Linear(2, 1), device_ids=[0]), lambda: ddp(t.nn.Linear(2, 1), device_ids=["cpu"]),
        lambda: type(ddp(t.nn.Linear(2, 1), device_ids=[], output_device=0)).__name__, lambda: ddp(t.nn.ReLU()),
        lambda: (model.bucket_bytes_cap, model.device, model.device_type, model.dim),
        lambda: ddp(t.nn.Linear(2, 1)).bucket_bytes_cap,
        lambda: dist.barrier(group=3), lambda: dist.send(t.ones(1), 0, group=3), lambda: dist.get_backend(3),
        lambda: dist.new_group([0], timeout=5), lambda: dist.new_group([0, 0]), lambda: dist.new_group([0], backend="nope"),
        lambda: shard(t.nn.ModuleList([t.nn.Linear(1, 1)])), lambda: shard(t.nn.ModuleDict()),
        lambda: type(shard([t.nn.Linear(1, 1), t.nn.ModuleList()])[1]).__name__]


@pytest.mark.filterwarnings("ignore")               # PyTorch's, of a backend that it does not know
def test_what_is_refused_and_taken():
    ours, theirs = [[outcome(function) for function in made(t)] for t in (lw, torch)]
    assert ours == theirs


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_has_buckets_of_its_own(copied):
    found = []
    for t in lw, torch:
        layers = t.nn.Sequential(t.nn.Linear(2, 1), t.nn.BatchNorm1d(1))
        t.nn.init.ones_(layers[0].weight)
        model = t.nn.parallel.DistributedDataParallel(layers, bucket_cap_mb=3)
        model(t.ones(3, 2)).sum().backward()
        other = copied(model)
        for _ in range(2):
            other.zero_grad()
            (other(t.arange(6.0).reshape(3, 2)) * t.arange(3.0).reshape(3, 1)).sum().backward()
        grads = [p.grad.tolist() for one in (model, other) for p in list(one.parameters())[1:]]
        found.append((grads, other.bucket_bytes_cap, other.module[1].num_batches_tracked.item()))
        with pytest.raises(RuntimeError, match="only supported when using DDP with the default process group"):
            copied(t.nn.parallel.DistributedDataParallel(t.nn.Linear(2, 1), process_group=t.distributed.new_group([0])))
    assert found[0][1:] == found[1][1:]
    assert [value for grad in found[0][0] for value in grad] == pytest.approx(
        [value for grad in found[1][0] for value in grad], abs=1e-3)
