"""Parameters in parts: training gives what one process gives, and nothing is held longer than it is needed."""
import copy
import gc
import weakref
from importlib import import_module

import pytest

import leafward as lw
from leafward.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard, register_fsdp_forward_method
from tests.distributed import training_cases as cases
from tests.distributed.gloo import outcomes
from tests.distributed.test_training import ALONE, PYTORCH, apart


def sharded(model, **options):
    """Each layer that has parameters, then the whole."""
    for layer in model.children():
        if list(layer.parameters()):
            fully_shard(layer, **options)
    return fully_shard(model, **options)


def trained(rank, size, dtype, optimizer=lw.optim.Adam, make=cases.mlp, step=None, **options):
    model = cases.filled(lw, make(lw), dtype)
    if size > 1:
        sharded(model, **options)
    return cases.train(lw, model, dtype, rank, size, step, optimizer(model.parameters(), lr=0.01)), model


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("optimizer", ["Adam", "SGD"])
def test_twenty_steps(optimizer, size, dtype, tmp_path_factory):
    """As one process, and as PyTorch's DDP: alone, or with the state of Adam on its ranks."""
    theirs = outcomes("tests.distributed.training_cases", size, tmp_path_factory.getbasetemp().parent)[0]
    theirs = theirs["zero_redundancy" if optimizer == "Adam" else "plain", dtype]
    options = {"SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {"lr": 0.01}}[optimizer]

    def made(parameters, lr):
        return getattr(lw.optim, optimizer)(parameters, **options)
    alone = trained(0, 1, dtype, made)[0]
    for losses, _ in lw.distributed.run_ranks(trained, size, size, dtype, made):
        assert apart(losses, alone) <= ALONE[dtype] and apart(losses, theirs) <= PYTORCH[dtype]


@pytest.mark.parametrize("options", [{"reshard_after_forward": False}, {"reshard_after_forward": True}, {"mesh": (2, 2)}])
def test_ways_to_free_and_replicas(options):
    alone = trained(0, 1, "float64")[0]

    def of(rank):
        mesh = lw.distributed.init_device_mesh("cpu", options["mesh"]) if "mesh" in options else None
        return trained(rank, 4, "float64", **{**options, "mesh": mesh})[0]
    for losses in lw.distributed.run_ranks(of, 4):
        assert apart(losses, alone) <= 1e-12


def test_gradients_gathered_over_two_backwards():
    def step(model, x, y, number):
        half, total = len(x) // 2, 0
        for k, part in enumerate((slice(0, half), slice(half, None))):
            if isinstance(model, FSDPModule):
                model.set_requires_gradient_sync(k == 1)
            loss = ((model(x[part]) - y[part]) ** 2).mean() / 2
            loss.backward()
            total = total + loss.detach()
        return total
    alone = trained(0, 1, "float64", step=step)[0]
    for losses, _ in lw.distributed.run_ranks(lambda rank: trained(rank, 2, "float64", step=step), 2):
        assert apart(losses, alone) <= 1e-12


def test_recomputed_activations():
    def step(model, x, y, number):
        h = x
        if isinstance(model, FSDPModule):
            model.unshard()
        for layer in model:
            h = lw.utils.checkpoint.checkpoint(layer, h, use_reentrant=False)
        loss = ((h - y) ** 2).mean()
        loss.backward()
        return loss
    alone = trained(0, 1, "float64", step=step)[0]
    for losses, _ in lw.distributed.run_ranks(lambda rank: trained(rank, 2, "float64", step=step), 2):
        assert apart(losses, alone) <= 1e-12


class Ways(lw.nn.Module):
    """A layer that some ranks use and others do not, one that none uses, one used twice, and a weight in two places."""

    def __init__(self):
        super().__init__()
        self.embed, self.twice, self.never = lw.nn.Linear(6, 3), lw.nn.Linear(3, 3), lw.nn.Linear(3, 3)
        self.some = lw.nn.ParameterList([lw.nn.Parameter(lw.ones(3)), lw.nn.Parameter(lw.ones(3))])
        self.head = lw.nn.Linear(6, 3, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, x, which):
        h = self.twice(self.twice(self.embed(x)).tanh())
        return (h * self.some[which]) @ self.head.weight.T[:3]


def test_what_some_ranks_use_is_reduced_and_what_none_uses_is_left():
    def of(rank, size):
        model = cases.filled(lw, Ways(), "float64")
        if size > 1:
            fully_shard(model.twice)
            fully_shard(model.never)
            fully_shard(model)
        x = lw.from_numpy(cases.draws("float64", 4, 6))
        ranks = [rank] if size > 1 else [0, 1]
        sum([model(x[2 * r:2 * r + 2], r).square().sum() for r in ranks]).backward()
        grads = {name: p.grad for name, p in model.named_parameters()}
        if size > 1:
            # The mean of two ranks' losses, against their sum.
            return {name: None if grad is None else 2 * grad for name, grad in grads.items()}
        return grads
    whole, parts = of(0, 1), lw.distributed.run_ranks(of, 2, 2)
    for name, grad in whole.items():
        found = [part[name] for part in parts]
        assert (grad is None and found == [None, None]) or lw.allclose(lw.cat(found), grad, 1e-12, 1e-12), name
    assert whole["never.weight"] is None and whole["some.1"] is not None


def test_memory_is_held_while_a_module_computes_and_no_longer():
    def of(rank):
        alive = []

        class Layer(lw.nn.Linear):
            def forward(self, x):
                array = self.weight._array
                alive.append(weakref.ref(array if array.base is None else array.base))
                return super().forward(x)

        def held():
            gc.collect()
            return sum([array() is not None for array in alive])
        model = sharded(lw.nn.Sequential(*[Layer(8, 8) for _ in range(5)]))
        shapes = [tuple(p.shape) for p in model.parameters()]
        x = lw.ones(2, 8)
        with lw.no_grad():
            model(x)
        counts = [held()]
        y = model(x)
        counts.append(held())                               # the graph remembers which parameters, not their values
        y.sum().backward()
        return shapes, [*counts, held()], len(alive)
    assert lw.distributed.run_ranks(of, 2) == [([(4, 8), (4,)] * 5, [0, 0, 0], 10)] * 2


def test_a_forward_that_fails_leaves_parts():
    def of(rank):
        model = sharded(lw.nn.Sequential(lw.nn.Linear(4, 4), lw.nn.Linear(4, 4)))
        with pytest.raises(RuntimeError):
            model(lw.ones(2, 3))
        before = [tuple(p.shape) for p in model.parameters()]
        model(lw.ones(2, 4)).sum().backward()
        return before, [tuple(p.grad.shape) for p in model.parameters()]
    assert lw.distributed.run_ranks(of, 2) == [([(2, 4), (2,)] * 2, [(2, 4), (2,)] * 2)] * 2


def test_forwards_without_a_backward_see_what_an_optimizer_did_since():
    def of(rank):
        model = fully_shard(lw.nn.Linear(2, 2, bias=False))
        x = lw.ones(1, 2)
        first = model(x)                                # recorded: the outermost module keeps its parameters for backward
        with lw.no_grad():
            for p in model._fsdp_state.units[0].members:
                p.sharded.zero_()
        return first.abs().sum().item() > 0, model(x).abs().sum().item()
    assert lw.distributed.run_ranks(of, 2) == [(True, 0.0)] * 2


def test_lower_precision_inside():
    seen = []

    def of(rank):
        model = lw.nn.Linear(4, 4)
        model.register_forward_pre_hook(lambda module, args: seen.append((module.weight.dtype, args[0].dtype)))
        fully_shard(model, mp_policy=MixedPrecisionPolicy(lw.bfloat16, lw.float32, output_dtype=lw.float64))
        out = model(lw.ones(2, 4))
        out.sum().backward()
        return out.dtype, model.weight.dtype, model.weight.grad.dtype, model.weight.grad.tolist()[0]
    found = lw.distributed.run_ranks(of, 2)
    assert found == [(lw.float64, lw.float32, lw.float32, [2.0] * 4)] * 2 and set(seen) == {(lw.bfloat16, lw.bfloat16)}


@pytest.mark.parametrize("norm_type", [2.0, 1.0, 3.0, float("inf")])
def test_clipping_sees_all_ranks(norm_type):
    def of(rank, size):
        model = cases.filled(lw, cases.mlp(lw), "float64")
        if size > 1:
            for layer in (model[0], model[2]):          # the last layer stays whole on each rank
                fully_shard(layer)
        (model(lw.from_numpy(cases.draws("float64", 4, 6))) * 100).square().mean().backward()
        norm = lw.nn.utils.clip_grad_norm_(model.parameters(), 0.5, norm_type)
        return norm.item(), model[0].weight.grad
    (norm, grad), parts = of(0, 1), lw.distributed.run_ranks(of, 3, 3)
    assert [part[0] for part in parts] == pytest.approx([norm] * 3, rel=1e-12) and norm > 0.5
    assert lw.allclose(lw.cat([part[1] for part in parts]), grad, 1e-12, 1e-14)


def test_a_part_knows_the_whole():
    def of(rank):
        layer = lw.nn.Linear(3, 5)
        whole = layer.weight.detach().clone()
        lw.distributed.broadcast(whole, 0)
        with lw.no_grad():
            layer.weight.copy_(whole)
        fully_shard(layer)
        state = layer.state_dict()["weight"]
        assert state.full_tensor().equal(whole) and layer.weight.to_local().equal(state)
        assert layer.weight.placements == (import_module("leafward.distributed.tensor").Shard(0),)
        for save in (lambda: lw.save(layer.state_dict(), "nowhere"), lambda: lw.save(layer, "nowhere")):
            with pytest.raises((NotImplementedError, RuntimeError), match=r"torch.distributed.checkpoint.save"):
                save()
        assert copy.deepcopy(layer.state_dict())["weight"].full_tensor().equal(whole)
        return tuple(layer.weight.shape)
    assert lw.distributed.run_ranks(of, 4) == [(2, 3), (2, 3), (1, 3), (0, 3)]


def test_what_is_refused():
    def of(rank):
        model = fully_shard(lw.nn.Linear(2, 2))
        for optimizer in (lw.optim.Adafactor, lw.optim.LBFGS, lw.optim.Muon):
            with pytest.raises(NotImplementedError, match="looks at whole parameters"):
                optimizer([model.weight])
        with pytest.raises(ValueError, match="has been called with this FSDPLinear already"):
            fully_shard(model)
        scalar = lw.nn.Module()
        scalar.p = lw.nn.Parameter(lw.tensor(1.0))
        with pytest.raises(ValueError, match="doesn't support scalar parameters"):
            fully_shard(scalar)
        with pytest.raises(NotImplementedError, match="first dimension"):
            fully_shard(lw.nn.Linear(2, 2), shard_placement_fn=lambda p: None)
        with pytest.raises(NotImplementedError, match="older API"):
            lw.distributed.fsdp.FullyShardedDataParallel(lw.nn.Linear(2, 2))
    lw.distributed.run_ranks(of, 2)


def test_another_method_than_forward():
    def of(rank):
        model = fully_shard(lw.nn.Linear(2, 4))
        model.twice = lambda x: model.forward(x) + model.forward(x)
        register_fsdp_forward_method(model, "twice")
        model.twice(lw.ones(1, 2)).sum().backward()
        return model.bias.grad.tolist()
    assert lw.distributed.run_ranks(of, 2) == [[2.0, 2.0]] * 2
