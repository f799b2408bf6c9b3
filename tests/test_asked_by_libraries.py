"""Small things of PyTorch's that libraries ask for, most of them private; tests/libraries runs the libraries."""
import importlib
from collections import namedtuple
from typing import List

import pytest

import leafward as lw
from leafward.jit import annotations
from leafward.tensor.absent import PARTS
from tests.oracle import torch

Pair = namedtuple("Pair", "first second")


def test_an_optimizer_that_only_wraps_another():
    """As accelerate's: a subclass for ``isinstance``, which never calls ``Optimizer.__init__``."""
    class Wrapper(lw.optim.Optimizer):
        def __init__(self, inner):
            self.inner = inner

        def step(self, closure=None):
            return self.inner.step(closure)
    p = lw.ones(1, requires_grad=True)
    inner, seen = lw.optim.SGD([p], 0.5), []
    inner.register_step_pre_hook(lambda *args: seen.append("inner"))
    p.grad = lw.ones(1)
    Wrapper(inner).step()
    assert p.item() == 0.5 and seen == ["inner"]


def test_a_scheduler_of_an_optimizer_that_only_wraps_another():
    """It steps the wrapper's own groups, and has no reason to complain of the order."""
    class Wrapper(lw.optim.Optimizer):
        def __init__(self, inner):
            self.inner, self.param_groups, self.state, self.defaults = inner, inner.param_groups, inner.state, inner.defaults

        def step(self, closure=None):
            return self.inner.step(closure)
    p = lw.ones(1, requires_grad=True)
    wrapper = Wrapper(lw.optim.SGD([p], 0.5))
    scheduler = lw.optim.lr_scheduler.StepLR(wrapper, 1)
    p.grad = lw.ones(1)
    wrapper.step()
    scheduler.step()
    assert p.item() == 0.5 and wrapper.inner.param_groups[0]["lr"] == pytest.approx(0.05)


def test_states_of_no_gpus_are_put_back():
    assert lw.cuda.set_rng_state_all(lw.cuda.get_rng_state_all()) is None
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        lw.cuda.set_rng_state_all([lw.get_rng_state()])


@pytest.mark.parametrize("arguments", [("cpu",), ("float64",), ("cpu", "float64", True), ()], ids=str)
def test_what_to_is_asked_for(arguments):
    def told(t):
        return [None if value is None else str(value) for value in t._C._nn._parse_to(
            *[getattr(t, value) if value == "float64" else value for value in arguments])]
    assert told(lw) == told(torch)


def test_kinds_of_nodes_of_trees():
    for t in (lw, torch):
        trees = t.utils._pytree
        assert trees._get_node_type(Pair(1, 2)) is namedtuple and trees._get_node_type({}) is dict
        assert trees.SUPPORTED_NODES[list].flatten_fn([1, 2])[0] == [1, 2]


    assert lw.utils._pytree.LeafSpec() == lw.utils._pytree.tree_structure(3)


def test_assertions_on_values():
    for t in (lw, torch):
        t._assert(t.ones(1) > 0, "never said")
        with pytest.raises(AssertionError, match="too small"):
            t._assert(t.zeros(1) > 0, "too small")


def test_names_of_the_compiler_do_nothing():
    jit = lw.jit
    assert jit.annotate(list, 3) == 3 and jit._script_if_tracing(len) is len and issubclass(jit.TracerWarning, Warning)
    with pytest.warns(UserWarning, match="torch.jit.trace_module"):
        assert jit.trace_module(3, {}) == 3
    tracer = lw._dynamo
    assert tracer.OptimizedModule is tracer.eval_frame.OptimizedModule and not tracer.eval_frame.is_dynamo_supported()
    assert lw.ScriptModule is jit.ScriptModule and annotations.BroadcastingList2[int] == List[int]


def test_refusals():
    counter = lw.utils.flop_counter.FlopCounterMode(display=False)
    assert counter.get_total_flops() == 0
    with pytest.raises(NotImplementedError, match="does not count operations"), counter:
        pass
    with pytest.raises(NotImplementedError, match="emit_nvtx"):
        lw.autograd.profiler.emit_nvtx()
    with pytest.raises(OSError, match="Could not load this library"):
        lw.ops.load_library("operators.so")
    with pytest.raises(NotImplementedError, match="PyTorchFileReader"):
        lw.PyTorchFileReader("file")


def test_files_of_hubs(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert lw.hub._get_torch_home() == str(tmp_path) and lw.hub.HASH_REGEX.search("net-0a1b.pth").group(1) == "0a1b"
    assert lw.utils.model_zoo.load_url is lw.hub.load_state_dict_from_url
    assert list(lw.hub.tqdm([1, 2], disable=True)) == [1, 2]
    with lw._tensor_str.printoptions(precision=2):
        assert repr(lw.tensor([0.123456])) == "tensor([0.12])"


def test_kinds_of_dispatch():
    keys = lw._C
    both = keys.DispatchKeySet(keys.DispatchKey.CPU) | keys.DispatchKeySet(keys.DispatchKey.Autograd)
    assert both == {"CPU", "Autograd"} and isinstance(both, keys.DispatchKeySet)
    assert not lw.utils._python_dispatch.is_traceable_wrapper_subclass(lw.ones(1))


@pytest.mark.parametrize("part", sorted(PARTS))
def test_files_whose_names_are_those_of_their_package(part):
    ours, theirs = (importlib.import_module(f"{root.__name__}.{part}") for root in (lw, torch))
    package = importlib.import_module(f"leafward.{part.rpartition('.')[0]}")
    lacking = [name for name in theirs.__all__ if not hasattr(ours, name)]
    # There are no allocators to plug in, and no graphs of operations to observe.
    assert part in ("cuda.memory", "profiler.profiler") or not lacking
    assert len(lacking) < len(theirs.__all__) / 2
    assert all(getattr(ours, name) is getattr(package, name) for name in theirs.__all__ if name not in lacking)
    with pytest.raises(AttributeError, match="no_such_name"):
        ours.no_such_name  # noqa: B018
