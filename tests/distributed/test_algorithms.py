"""Uneven inputs, gradients in fewer bytes, and collectives that write to no tensor."""
import pytest

import leafward as lw
from leafward.distributed import _functional_collectives as funcol
from leafward.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from leafward.distributed.algorithms.join import Join
from leafward.distributed.optim import ZeroRedundancyOptimizer
from tests.distributed import training_cases as cases

COUNTS = [1, 4, 0, 3]                                   # batches of each rank


def batches(rank):
    return [lw.from_numpy(cases.draws("float64", 3, 6, seed=10 * rank + number)) for number in range(COUNTS[rank])]


def alone(divide_by_all, make):
    """One process with the gradients that the ranks have together."""
    model = cases.filled(lw, cases.mlp(lw), "float64")
    optimizer = make(model.parameters())
    for number in range(max(COUNTS)):
        optimizer.zero_grad()
        active = [rank for rank, count in enumerate(COUNTS) if count > number]
        for rank in active:
            (model(batches(rank)[number]).square().mean() / (len(COUNTS) if divide_by_all else len(active))).backward()
        optimizer.step()
    return [p.detach() for p in model.parameters()]


@pytest.mark.parametrize("options", [{}, {"find_unused_parameters": True}, {"bucket_cap_mb": 0.0005}])
@pytest.mark.parametrize("divide_by_all, zero", [(True, False), (False, False), (True, True), (False, True)])
def test_uneven_inputs(divide_by_all, zero, options):
    def of(rank):
        inner = cases.filled(lw, cases.mlp(lw), "float64")
        inner.register_buffer("seen", lw.zeros(1))
        model = lw.nn.parallel.DistributedDataParallel(inner, **options)
        optimizer = ZeroRedundancyOptimizer(model.parameters(), lw.optim.Adam, lr=0.01) if zero \
            else lw.optim.Adam(model.parameters(), lr=0.01)
        with Join([model, optimizer] if zero else [model], divide_by_initial_world_size=divide_by_all):
            for x in batches(rank):
                optimizer.zero_grad()
                model(x).square().mean().backward()
                optimizer.step()
        model(lw.ones(2, 6, dtype=lw.float64)).sum().backward()      # together again
        return [p.detach() for p in model.parameters()]
    expected = alone(divide_by_all, lambda parameters: lw.optim.Adam(parameters, lr=0.01))
    for found in lw.distributed.run_ranks(of, 4, timeout=10):
        assert all([lw.allclose(p, q, 1e-12, 1e-12) for p, q in zip(found, expected, strict=True)])


def test_all_raise_when_the_first_has_ended():
    def of(rank):
        model = lw.nn.parallel.DistributedDataParallel(lw.nn.Linear(6, 1).double())
        done = 0
        with pytest.raises(RuntimeError, match="exhausted inputs"), model.join(throw_on_early_termination=True):
            for x in [lw.ones(1, 6, dtype=lw.float64)] * (1 + 2 * rank):
                model(x).sum().backward()
                done += 1
        return done
    assert lw.distributed.run_ranks(of, 3, timeout=10) == [1, 1, 1]


@pytest.mark.parametrize("hook, rough", [
    (default_hooks.allreduce_hook, 1e-12), (default_hooks.fp16_compress_hook, 2e-3), (default_hooks.bf16_compress_hook, 2e-2),
    (default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook), 2e-3)])
def test_hooks_that_compress(hook, rough):
    def of(rank):
        model = lw.nn.parallel.DistributedDataParallel(cases.filled(lw, cases.mlp(lw), "float64"))
        model.register_comm_hook(None, hook)
        return cases.train(lw, model, "float64", rank, 2)
    expected = cases.train(lw, cases.filled(lw, cases.mlp(lw), "float64"), "float64", 0, 1)
    for losses in lw.distributed.run_ranks(of, 2):
        assert losses == pytest.approx(expected, rel=rough) and (rough < 1e-6 or losses != expected)


@pytest.mark.parametrize("hook", [powerSGD_hook.powerSGD_hook, powerSGD_hook.batched_powerSGD_hook])
def test_thin_products(hook):
    """With room for all of a matrix nothing is lost; with less, training goes down all the same, and fewer bytes travel."""
    expected = cases.train(lw, cases.filled(lw, cases.mlp(lw), "float64"), "float64", 0, 1)

    def of(rank, thin, rate):
        model = lw.nn.parallel.DistributedDataParallel(cases.filled(lw, cases.mlp(lw), "float64"))
        state = powerSGD_hook.PowerSGDState(None, thin, start_powerSGD_iter=2, min_compression_rate=rate)
        model.register_comm_hook(state, hook)
        return cases.train(lw, model, "float64", rank, 2), [tuple(thin.shape) for thin in state.thin.values()]
    for losses, thin in lw.distributed.run_ranks(of, 2, 100, 0):
        # Each matrix by itself, or one square of all gradients.
        assert losses == pytest.approx(expected, rel=1e-9) and len(thin) == (3 if hook is powerSGD_hook.powerSGD_hook else 1)
    for losses, thin in lw.distributed.run_ranks(of, 2, 1, 1):
        assert losses[-1] < 0.7 * losses[0] and {shape[1] for shape in thin} == {1}
    with pytest.raises(ValueError, match="start_powerSGD_iter"):
        powerSGD_hook.PowerSGDState(None, start_powerSGD_iter=1)


def test_collectives_that_write_to_no_tensor():
    def of(rank):
        mesh = lw.distributed.init_device_mesh("cpu", (2,))
        x = lw.arange(4.0).reshape(2, 2) + 10 * rank
        w = x.clone().requires_grad_(True)
        funcol.all_gather_tensor_autograd(w, 1, mesh).sum().backward()
        part = funcol.reduce_scatter_tensor_autograd(w, "sum", 1, mesh)
        found = [funcol.all_reduce(x, "sum", mesh), funcol.all_reduce(x, "max", [0, 1]), funcol.broadcast(x, 1, (mesh, 0)),
                 funcol.all_gather_tensor(x, 1, mesh), funcol.reduce_scatter_tensor(x, "avg", 0, None), part.detach(),
                 funcol.all_to_all_single(x, None, None, mesh), funcol.wait_tensor(x), w.grad]
        with pytest.raises(ValueError, match="no reduction"):
            funcol.all_reduce(x, "mean", mesh)
        return [value.tolist() for value in found]
    first, second = lw.distributed.run_ranks(of, 2)
    assert first[0] == second[0] == [[10.0, 12.0], [14.0, 16.0]] and first[1] == second[2] == [[10.0, 11.0], [12.0, 13.0]]
    assert first[3] == [[0.0, 1.0, 10.0, 11.0], [2.0, 3.0, 12.0, 13.0]] and second[4] == [[7.0, 8.0]]
    assert second[5] == [[12.0], [16.0]] and first[6] == [[0.0, 1.0], [10.0, 11.0]] and first[8] == [[2.0, 2.0], [2.0, 2.0]]
