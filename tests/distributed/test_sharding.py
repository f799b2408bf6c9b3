"""Optimizer state and parameters in parts on several ranks, and the meshes of ranks that they are told of."""
import pytest

import leafward as lw
from leafward.distributed.optim import ZeroRedundancyOptimizer
from tests.distributed import sharding_cases
from tests.distributed import training_cases as cases
from tests.distributed.gloo import outcomes
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)


def trained(optimizer, model, steps):
    x = lw.from_numpy(cases.draws("float64", 4, 6))
    for _ in range(steps):
        optimizer.zero_grad()
        model(x).square().sum().backward()
        optimizer.step()
    return model


@pytest.mark.parametrize("size", [2, 5, 9])                      # nine ranks: some have nothing to update
def test_each_state_is_on_one_rank_and_moves_to_one_process(size):
    plain = cases.filled(lw, cases.mlp(lw), "float64")
    alone = lw.optim.Adam(plain.parameters(), lr=0.01)
    trained(alone, plain, 3)

    def of(rank):
        model = cases.filled(lw, cases.mlp(lw), "float64")
        optimizer = ZeroRedundancyOptimizer(model.parameters(), lw.optim.Adam, lr=0.01)
        trained(optimizer, model, 3)
        with pytest.raises(RuntimeError, match="has not been consolidated on this rank"):
            optimizer.state_dict()
        optimizer.consolidate_state_dict(to=1)
        return len(optimizer.optim.state), optimizer.state_dict() if rank == 1 else None
    found = lw.distributed.run_ranks(of, size)
    assert sum([count for count, _ in found]) == len(list(plain.parameters())) and max([count for count, _ in found]) < 6
    ours, theirs = found[1][1], alone.state_dict()
    assert ours["param_groups"] == theirs["param_groups"] and ours["state"].keys() == theirs["state"].keys()
    for number, state in theirs["state"].items():
        for key, value in state.items():
            assert ours["state"][number][key].equal(value)

    # From there on one process and several ranks go the same way, whichever of them saved.
    trained(alone, plain, 2)

    def goes_on(rank):
        model = cases.filled(lw, cases.mlp(lw), "float64")
        trained(lw.optim.Adam(model.parameters(), lr=0.01), model, 3)
        optimizer = ZeroRedundancyOptimizer(model.parameters(), lw.optim.Adam, lr=0.5)
        optimizer.load_state_dict(ours)
        return [p.detach() for p in trained(optimizer, model, 2).parameters()]
    for parameters in lw.distributed.run_ranks(goes_on, 3):
        assert all([p.equal(q) for p, q in zip(parameters, plain.parameters(), strict=True)])


def test_schedules_and_groups_reach_the_optimizers_of_the_ranks():
    def of(rank):
        p, q = (lw.nn.Parameter(lw.ones(2)) for _ in range(2))
        optimizer = ZeroRedundancyOptimizer([p], lw.optim.SGD, lr=1.0)
        optimizer.add_param_group({"params": [q], "lr": 0.1})
        schedule = lw.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
        for _ in range(2):
            (p + q).sum().backward()
            loss = optimizer.step(lambda: 7.0)
            schedule.step()
            optimizer.zero_grad()
        return loss, p.tolist(), q.tolist(), p.grad
    assert lw.distributed.run_ranks(of, 2) == [(7.0, [-0.5, -0.5], pytest.approx([0.85, 0.85]), None)] * 2


def test_a_mesh_has_a_group_along_each_dimension():
    def of(rank):
        mesh = lw.distributed.init_device_mesh("cpu", (2, 3), mesh_dim_names=("dp", "tp"))
        x = lw.tensor([float(rank)])
        lw.distributed.all_reduce(x, group=mesh.get_group("dp"))
        whole = mesh._flatten("all")
        assert mesh["all"] is whole and whole.size() == 6 and mesh["dp", "tp"] is mesh
        return x.item(), mesh.get_coordinate(), mesh["tp"].mesh.tolist(), mesh.get_local_rank("tp"), mesh.size(0)
    found = lw.distributed.run_ranks(of, 6)
    assert found[4] == (5.0, (1, 1), [3, 4, 5], 1, 2) and found[0][0] == 3.0


@pytest.mark.parametrize("make, error, told", [
    (lambda init: init("cpu", (2, 2), mesh_dim_names=("a",)), RuntimeError, "should have same length"),
    (lambda init: init("cpu", (2, 1), mesh_dim_names=("a", "a")), RuntimeError, "must be unique"),
    (lambda init: init("cpu", (3,)), RuntimeError, "not be bigger than default world size 2, but found 3 ranks"),
    (lambda init: init("cpu:0", (2,)), RuntimeError, "Device type with index"),
    (lambda init: init("cpu", (2, 1)).get_group(), RuntimeError, "Found the DeviceMesh have 2 dimensions"),
    (lambda init: init("cpu", (2, 1))["a"], RuntimeError, "Cannot slice"),
    (lambda init: init("cpu", (2, 1), mesh_dim_names=("a", "b"))["c"], KeyError, "Invalid mesh_dim_names"),
    (lambda init: init("cpu", (2, 1), mesh_dim_names=("a", "b"))["b", "a"], KeyError, "ascending order"),
    (lambda init: init("cpu", (2, 1), mesh_dim_names=("a", "b")).get_group("c"), KeyError, "does not exist")])
def test_what_a_mesh_refuses(make, error, told):
    def of(rank):
        with pytest.raises(error, match=told):
            make(lw.distributed.init_device_mesh)
    lw.distributed.run_ranks(of, 2)


def test_a_dtensor_is_a_name_to_ask_about():
    from leafward.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
    assert not isinstance(lw.ones(1), DTensor) and not isinstance(lw.nn.Parameter(lw.ones(1)), DTensor)
    assert Shard(1) == Shard(1) != Shard(0) != Replicate() and len({Shard(0), Shard(0)}) == 1
    for make in (DTensor, DTensor.from_local, distribute_tensor):
        with pytest.raises(NotImplementedError, match="fully_shard"):
            make(lw.ones(1))


def check(ours, theirs):
    """Parts, checkpoints and uneven inputs are what they are over PyTorch's gloo."""
    for mine, other in zip(ours, theirs, strict=True):
        for dtype, rough in (("float32", 1e-5), ("float64", 1e-11)):
            assert mine["losses"][dtype] == pytest.approx(other["losses"][dtype], rel=rough)
            assert mine["thin"][dtype] == pytest.approx(other["thin"][dtype], rel=rough)
        assert mine["checkpoint"] == other["checkpoint"] == mine["saved later"] == other["saved later"]
        for p, q in zip(mine["uneven"], other["uneven"], strict=True):
            assert lw.allclose(lw.tensor(p), lw.tensor(q), 1e-11, 1e-11)


@pytest.mark.parametrize("size", [2, 3])
def test_parts_agree_with_gloo(size, tmp_path_factory):
    theirs = outcomes("tests.distributed.sharding_cases", size, tmp_path_factory.getbasetemp().parent)
    check(lw.distributed.run_ranks(lambda rank: sharding_cases.run(lw, rank, size), size), theirs)
