"""Checkpoints of several ranks: loaded on others, read and written as PyTorch does, whole whatever interrupts them."""
import os
import pickle

import pytest

import leafward as lw
from leafward.distributed import checkpoint as dcp
from leafward.distributed.checkpoint import filesystem
from leafward.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
from leafward.distributed.checkpoint.state_dict import (
    StateDictOptions, get_model_state_dict, get_optimizer_state_dict, get_state_dict, set_state_dict,
)
from leafward.distributed.fsdp import fully_shard
from tests.distributed import training_cases as cases
from tests.oracle import torch


def made(size, dtype="float64"):
    model = cases.filled(lw, cases.mlp(lw), dtype)
    if size > 1:
        fully_shard(model[0])
        fully_shard(model)
    return model, lw.optim.Adam(model.parameters(), lr=0.01)


def trained(model, optimizer, rank, size, steps):
    x = lw.from_numpy(cases.draws("float64", 12, 6))[rank * 12 // size:(rank + 1) * 12 // size]
    losses = []
    for _ in range(steps):
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss = loss.detach().clone()
        if size > 1:
            lw.distributed.all_reduce(loss)
        losses.append(loss.item() / size)
    return losses


def on(size, function, *args):
    """``function(rank, size, ...)`` on so many ranks, or in this process."""
    return lw.distributed.run_ranks(function, size, size, *args) if size > 1 else [function(0, 1, *args)]


def saves(rank, size, folder, asynchronous=False):
    model, optimizer = made(size)
    trained(model, optimizer, rank, size, 3)
    model_state, optimizer_state = get_state_dict(model, optimizer)
    state = {"model": model_state, "optimizer": optimizer_state, "epoch": 3, "more": [lw.ones(2), {"a": (1, "b")}]}
    future = dcp.async_save(state, checkpoint_id=folder) if asynchronous else dcp.save(state, checkpoint_id=folder)
    losses = trained(model, optimizer, rank, size, 3)
    if asynchronous:
        future.result(60)
    return losses


def goes_on(rank, size, folder):
    model, optimizer = made(size)
    with lw.no_grad():
        for p in model.parameters():
            p.zero_()
    model_state, optimizer_state = get_state_dict(model, optimizer)
    state = {"model": model_state, "optimizer": optimizer_state, "epoch": 0, "more": [lw.zeros(2), {"a": None}]}
    dcp.load(state, checkpoint_id=folder)
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    assert state["epoch"] == 3 and state["more"][0].tolist() == [1, 1] and state["more"][1] == {"a": (1, "b")}
    return trained(model, optimizer, rank, size, 3)


@pytest.mark.parametrize("before, after, asynchronous", [
    (3, 2, False), (2, 4, True), (4, 1, False), (1, 3, True), (1, 1, False)])
def test_from_some_ranks_to_others(before, after, asynchronous, tmp_path):
    whole = on(before, saves, tmp_path, asynchronous)
    for losses in on(after, goes_on, tmp_path):
        assert losses == pytest.approx(whole[0], rel=1e-12)
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {".metadata", *[f"__{rank}_0.distcp" for rank in range(before)]}


def test_what_all_have_is_written_once(tmp_path):
    def of(rank):
        dcp.save({"x": lw.ones(1000), "y": lw.zeros(1000), "z": 1}, checkpoint_id=tmp_path)
    lw.distributed.run_ranks(of, 2)
    sizes = [path.stat().st_size for path in tmp_path.glob("*.distcp")]
    assert len(sizes) == 2 and max(sizes) < 8000


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
def test_pytorch_reads_it(tmp_path):
    import torch.distributed.checkpoint as theirs
    on(3, saves, tmp_path)
    model = cases.filled(torch, cases.mlp(torch), "float64")
    state = {"model": {name: torch.zeros_like(p) for name, p in model.state_dict().items()}, "epoch": 0,
             "more": [torch.zeros(2), {"a": None}]}
    theirs.load(state, checkpoint_id=tmp_path, no_dist=True)
    found = {"model": dict(made(1)[0].state_dict())}
    dcp.load(found, checkpoint_id=tmp_path)
    assert all([state["model"][name].tolist() == value.tolist() for name, value in found["model"].items()])
    assert state["epoch"] == 3 and state["more"][1] == {"a": (1, "b")}


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
def test_pytorchs_is_read(tmp_path):
    import torch.distributed.checkpoint as theirs
    model = torch.nn.Linear(3, 2, dtype=torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    model(torch.ones(1, 3, dtype=torch.bfloat16)).sum().backward()
    optimizer.step()
    theirs.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "n": torch.tensor(7),
                 "empty": torch.ones(0, 2), "list": [1, "two"]}, checkpoint_id=tmp_path, no_dist=True)
    state = {"model": lw.nn.Linear(3, 2, dtype=lw.bfloat16), "n": lw.tensor(0), "empty": lw.ones(0, 2), "list": None}
    dcp.load(state, checkpoint_id=tmp_path)
    assert state["n"].item() == 7 and state["list"] == [1, "two"]
    assert state["model"].weight.tolist() == model.weight.tolist()
    dcp_to_torch_save(tmp_path, tmp_path / "one.pt")
    one = torch.load(tmp_path / "one.pt", weights_only=True)
    assert one["model"]["weight"].equal(model.weight) and one["optimizer"]["param_groups"][0]["lr"] == 0.5
    torch_save_to_dcp(tmp_path / "one.pt", tmp_path / "again")
    back = {"n": torch.tensor(0)}
    theirs.load(back, checkpoint_id=tmp_path / "again", no_dist=True)
    assert back["n"].item() == 7


@pytest.mark.parametrize("step", ["write", "finish", "replace"])
def test_an_interrupted_save_leaves_the_one_before(step, tmp_path, monkeypatch):
    def of(rank):
        x = lw.full((3,), float(rank))
        dcp.save({"x": x, "y": 1}, checkpoint_id=tmp_path)
        lw.distributed.barrier()
        if rank == 0:
            def fails(*args):
                raise OSError("no space left")
            with monkeypatch.context() as patch:
                patch.setattr(*{"write": (filesystem, "written"), "finish": (filesystem, "manifest_bytes"),
                                "replace": (os, "replace")}[step], fails)
                with pytest.raises(dcp.CheckpointException, match="(?s)failed.*OSError: no space left") as told:
                    dcp.save({"x": x + 10, "y": 2}, checkpoint_id=tmp_path)
        else:
            with pytest.raises(dcp.CheckpointException, match="(?s)failed.*OSError: no space left") as told:
                dcp.save({"x": x + 10, "y": 2}, checkpoint_id=tmp_path)
        found = {"x": lw.zeros(3), "y": 0}
        dcp.load(found, checkpoint_id=tmp_path)
        again = {"x": x + 20, "y": 3}
        dcp.save(again, checkpoint_id=tmp_path)
        dcp.load(last := {"x": lw.zeros(3), "y": 0}, checkpoint_id=tmp_path)
        return 0 in told.value.failures, found["x"].tolist(), found["y"], last["y"]
    for failed, x, y, last in lw.distributed.run_ranks(of, 2):
        assert failed and x[0] < 2 and y == 1 and last == 3
    assert len(list(tmp_path.glob("*.distcp"))) <= 2               # what no manifest mentions is gone


def test_what_does_not_fit_changes_nothing(tmp_path):
    dcp.save({"x": lw.ones(3), "y": lw.ones(2)}, checkpoint_id=tmp_path)
    x = lw.zeros(3)
    for other, told in (({"z": lw.zeros(1)}, "Missing key in checkpoint state_dict: z"), ({"y": lw.zeros(3)}, "Size mismatch")):
        with pytest.raises(dcp.CheckpointException, match=told):
            dcp.load({"x": x, **other}, checkpoint_id=tmp_path)
        assert x.tolist() == [0, 0, 0]
    dcp.load({"x": x, "z": lw.zeros(1)}, checkpoint_id=tmp_path, planner=dcp.DefaultLoadPlanner(allow_partial_load=True))
    assert x.tolist() == [1, 1, 1]
    with pytest.raises(dcp.CheckpointException, match="there is no checkpoint in"):
        dcp.load({"x": x}, checkpoint_id=tmp_path / "nowhere")
    with pytest.raises(dcp.CheckpointException, match="already exists"):
        dcp.save({"x": x}, storage_writer=dcp.FileSystemWriter(tmp_path, overwrite=False))


@pytest.mark.parametrize("size", [1, 2])
def test_a_data_file_damaged_midway_changes_nothing(size, tmp_path):
    def state(rank, value):
        model = lw.nn.Linear(40, 6)
        with lw.no_grad():
            for p in model.parameters():
                p.fill_(value)
        if size > 1:
            fully_shard(model)
        return {"a": lw.full((500,), value), "model": model, "epoch": int(value), "z": {"of all": lw.full((3,), value)}}

    def of(rank):
        dcp.save(state(rank, 1.0), checkpoint_id=tmp_path)
    on(size, lambda rank, size: of(rank))
    path = sorted(tmp_path.glob("*.distcp"))[-1]
    whole, lost = path.read_bytes(), object()

    def again(rank, size):
        found = state(rank, 2.0)
        before = dict(found)
        with pytest.raises(dcp.CheckpointException):
            dcp.load(found, checkpoint_id=tmp_path)
        mine = [p.detach().tolist() for p in found["model"].parameters()]
        assert found["a"].eq(2).all() and found["z"]["of all"].eq(2).all() and found["epoch"] == 2
        assert mine == [p.detach().tolist() for p in state(rank, 2.0)["model"].parameters()]
        assert all([found.get(key, lost) is value for key, value in before.items()])
    middle = len(whole) // 2
    for damaged in whole[:middle], whole[:middle] + b"\0" * (len(whole) - middle):
        path.write_bytes(damaged)
        on(size, again)
    path.write_bytes(whole)
    on(size, lambda rank, size: dcp.load(state(rank, 2.0), checkpoint_id=tmp_path))


class Evil:
    def __reduce__(self):
        return os.system, ("touch pwned",)


def test_a_manifest_runs_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dcp.save({"x": lw.ones(3)}, checkpoint_id=tmp_path)
    whole = (tmp_path / ".metadata").read_bytes()
    outside = whole.replace(b"__0_0.distcp", b"../_0.distcp")
    for data, told in ((pickle.dumps(Evil()), "nothing was run"), (whole[:len(whole) // 2], "damaged"), (b"", "damaged"),
                       (pickle.dumps([1]), "a manifest was expected"), (outside, "outside its folder")):
        (tmp_path / ".metadata").write_bytes(data)
        with pytest.raises(dcp.CheckpointException, match=told):
            dcp.load({"x": lw.ones(3)}, checkpoint_id=tmp_path)
    assert not (tmp_path / "pwned").exists()


def test_whole_states_from_and_to_parts():
    alone, optimizer = made(1)
    trained(alone, optimizer, 0, 1, 2)
    expected = get_model_state_dict(alone), get_optimizer_state_dict(alone, optimizer)

    def of(rank):
        model, optimizer = made(3)
        options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
        given = expected if rank == 0 else ({}, {})
        set_state_dict(model, optimizer, model_state_dict=given[0], optim_state_dict=given[1], options=options)
        parts = {p.shape[0] for p in model.parameters()}
        return parts, get_state_dict(model, optimizer, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    found = lw.distributed.run_ranks(of, 3)
    assert found[1][1] == found[2][1] == ({}, {}) and all([parts <= {1, 4, 5, 6} for parts, _ in found])
    model_state, optimizer_state = found[0][1]
    assert all([model_state[name].equal(value) for name, value in expected[0].items()])
    for name, entry in expected[1]["state"].items():
        assert all([value.equal(optimizer_state["state"][name][key]) for key, value in entry.items()])
    assert optimizer_state["param_groups"] == expected[1]["param_groups"]
