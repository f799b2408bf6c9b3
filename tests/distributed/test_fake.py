"""One rank of ten thousand, which moves nothing: as PyTorch's fake backend, and steps whose bytes and memory are counted."""
import gc
import subprocess
import sys
import time
import tracemalloc

import pytest

import leafward as lw
from leafward.distributed.fsdp import fully_shard
from leafward.distributed.optim import ZeroRedundancyOptimizer
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)

SIZE = 10_000
#: Printed by both libraries, on rank 1 of 3.
ASKED = """
import sys
torch = __import__(sys.argv[1])
dist = torch.distributed
if sys.argv[1] == "torch":
    from torch.testing._internal.distributed.fake_pg import FakeStore as HashStore
else:
    from leafward.distributed import HashStore
dist.init_process_group("fake", store=HashStore(), rank=1, world_size=3)

def t(*values):
    return torch.tensor(values, dtype=torch.float32)

def wrote(function, *outs):
    function(*outs)
    return [out if not hasattr(out, "tolist") else out.tolist() for out in
            (out for given in outs for out in (given if isinstance(given, list) else [given]))]

z = lambda n, count=3: [torch.zeros(n) for _ in range(count)]
print(wrote(dist.all_reduce, t(1, 2)), wrote(lambda x: dist.all_reduce(x, op=dist.ReduceOp.AVG), t(3, 4)))
print(wrote(lambda *outs: dist.all_gather(list(outs), t(1, 2)), *z(2)))
print(wrote(lambda x: dist.all_gather_into_tensor(x, t(1, 2)), torch.zeros(6)))
print(wrote(lambda x: dist.reduce_scatter(x, [t(1, 1), t(2, 2), t(3, 3)]), torch.zeros(2)))
print(wrote(lambda x: dist.reduce_scatter_tensor(x, t(1, 1, 2, 2, 3, 3)), torch.zeros(2)))
print(wrote(lambda *outs: dist.all_to_all(list(outs), [t(1, 1), t(2, 2), t(3, 3)]), *z(2)))
print(wrote(lambda x: dist.all_to_all_single(x, t(1, 2, 3)), torch.zeros(3)))
print(wrote(lambda x: dist.scatter(x, None, 0), torch.zeros(1)), wrote(lambda x: dist.scatter(x, [t(1), t(2), t(3)], 1), t(0)))
print(wrote(lambda *outs: dist.gather(t(5), list(outs), 1), *z(1)))
print(wrote(lambda x: dist.broadcast(x, 0), t(1)), wrote(lambda x: dist.reduce(x, 0), t(2)))
print(wrote(lambda x: print(dist.recv(x, 0)), t(1)), wrote(lambda x: dist.send(x, 0), t(1)))
print(wrote(lambda x: dist.all_gather_object(x, {"a": 1}), [None] * 3))
print(wrote(lambda x: dist.gather_object(7, x, 1), [None] * 3))
dist.barrier()
dist.destroy_process_group()
"""


def printed(library):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", ASKED, library], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_gives_what_pytorchs_gives(pytorchs_answer):
    assert printed("leafward") == pytorchs_answer("fake", ASKED, lambda: printed("torch")) != ""


@pytest.fixture
def world():
    dist = lw.distributed
    dist.init_process_group("fake", rank=3, world_size=SIZE, store=dist.HashStore())
    try:
        yield dist
    finally:
        dist.destroy_process_group()


def network(width=64):
    return lw.nn.Sequential(lw.nn.Linear(32, width), lw.nn.ReLU(), lw.nn.BatchNorm1d(width), lw.nn.Linear(width, 8))


def stepped(model, optimizer):
    for _ in range(2):
        # Rows that differ: the gradient of a batch of equal ones is nothing but rounding.
        model(lw.arange(128.0).sin().reshape(4, 32)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_ranks_and_groups(world):
    assert world.get_rank() == 3 and world.get_world_size() == SIZE and world.get_backend() == "fake"
    assert world.get_world_size(world.new_group([3, 4])) == 2
    began = time.process_time()
    mesh = world.init_device_mesh("cpu", (100, 100), mesh_dim_names=("dp", "tp"))
    world.new_group(list(range(SIZE)))
    world.monitored_barrier()
    assert mesh.get_group("tp").size() == 100 and time.process_time() - began < 5


def test_gradients_are_reduced_once(world):
    model = lw.nn.parallel.DistributedDataParallel(network())
    backend, p = world.group.WORLD.backend, next(model.parameters())
    before = backend.bytes["allreduce"], p.detach().clone()
    stepped(model, lw.optim.Adam(model.parameters()))
    parameters = sum([p.numel() for p in model.parameters()])
    assert backend.bytes["allreduce"] - before[0] == 2 * 4 * parameters and not p.equal(before[1])
    # The first rank's buffers before each forward: two of 64 numbers, and a count of 8 bytes.
    kept = 4 * parameters + 2 * 4 * 64 + 8
    assert backend.bytes["broadcast"] == kept + 2 * (kept - 4 * parameters)
    # A gradient is that of a ten-thousandth of the loss's sum over ranks, as PyTorch's: the others' are not there.
    model(lw.ones(4, 32)).sum().backward()
    assert model.module[3].bias.grad.tolist() == pytest.approx([4 / SIZE] * 8)


def test_optimizer_state_is_on_its_ranks(world):
    model = lw.nn.parallel.DistributedDataParallel(network())
    optimizer = ZeroRedundancyOptimizer(model.parameters(), lw.optim.Adam, lr=0.1)
    stepped(model, optimizer)
    mine = optimizer.mine(optimizer.param_groups[0])
    assert len(mine) == len(optimizer.optim.state) == 1 and sum(optimizer.loads) == sum([p.numel() for p in model.parameters()])


def test_parameters_lie_in_parts_and_their_memory_is_freed(world):
    width = 800
    model = lw.nn.Sequential(lw.nn.Linear(2, width, bias=False), lw.nn.Linear(width, 2, bias=False))
    for layer in model:
        fully_shard(layer, reshard_after_forward=True)
    fully_shard(model)
    backend, optimizer = model[0]._fsdp_state.units[0].group.backend, lw.optim.Adam(model.parameters())
    # One row of 800 is this rank's; of two the fourth rank has none, and all of a row's length is sent.
    assert [tuple(p.shape) for p in model.parameters()] == [(1, 2), (0, width)]
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        loss = model(lw.ones(1, 2)).square().mean()
        assert backend.bytes["allgather"] == 4 * (2 + width)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        del loss
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    # Backward gathers both again. A part of each gradient comes back, with a word behind it that says who has one.
    assert backend.bytes["allgather"] == 2 * 4 * (2 + width)
    # Ten thousand ranks pad two rows to ten thousand: that stands in memory for a moment, and is gone at once.
    assert peak > 4 * width * SIZE and after < peak / 50
