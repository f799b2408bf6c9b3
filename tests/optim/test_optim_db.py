"""PyTorch's own database of optimizer options, run on both sides: parameters, state, saved state, refusals."""
import warnings

import pytest

import leafward
from tests.optim.test_optimizers import BOTH, assert_same_state, values
from tests.oracle import assert_same, torch

common_optimizers = pytest.importorskip("torch.testing._internal.common_optimizers")

DENSE = [info for info in common_optimizers.optim_db if not info.only_supports_sparse_grads]
CASES = [(info.optim_cls.__name__, options.kwargs)
         for info in DENSE for options in info.optim_inputs_func(device="cpu")]
#: Muon works in bfloat16. On a processor without instructions for it PyTorch rounds products in an order of its own.
TOLERANCE = {} if torch.ops.mkldnn._is_mkldnn_bf16_supported() else {"Muon": (5e-2, 2e-2)}


def made(t, options):
    """The options with tensors of ``t``."""
    return to_ours(options) if t is leafward else options


def trained(t, name, options, shapes, steps=6):
    """The optimizer and its parameters after some steps on a quadratic that its closure computes."""
    params = [t.nn.Parameter(values(t, shape, i)) for i, shape in enumerate(shapes)]
    optimizer = getattr(t.optim, name)(params, **made(t, options))

    def closure():
        optimizer.zero_grad()
        loss = sum(((p - 0.3) ** 2 * (i + 1)).sum() for i, p in enumerate(params))
        loss.backward()
        return loss
    return optimizer, params, [optimizer.step(closure).item() for _ in range(steps)]


def plain_state(optimizer):
    return {k: v for k, v in optimizer.state_dict()["state"].items()}


def shapes_for(name):
    return [(3, 4), (5, 2)] if name == "Muon" else [(3, 4), (5,), (), (2, 3, 2)]


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_options(name, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        ours, theirs = (trained(t, name, options, shapes_for(name)) for t in BOTH)
    rtol, atol = TOLERANCE.get(name, (1e-4, 1e-6))
    assert ours[2] == pytest.approx(theirs[2], rel=max(rtol, 1e-3))
    for a, b in zip(ours[1], theirs[1], strict=True):
        assert_same(a, b, rtol=rtol, atol=atol)
    mine, expected = plain_state(ours[0]), plain_state(theirs[0])
    assert list(mine) == list(expected)
    for number, state in expected.items():
        assert sorted(mine[number]) == sorted(state)
        for key, value in state.items():
            if key != "al":                                  # scratch of LBFGS: what it held at the last step
                assert_same(mine[number][key], value, rtol=max(rtol, 1e-3), atol=1e-5, where=f"{number}.{key}")


@pytest.mark.parametrize("info", common_optimizers.optim_db, ids=lambda info: info.optim_cls.__name__)
def test_refusals(info):
    inputs = [error.optimizer_error_input for error in info.optim_error_inputs_func(device="cpu", dtype=torch.float32)]
    inputs = [given for given in inputs if "sparse" not in str(given.params)]      # leafward has no sparse tensors to refuse
    assert inputs
    for given in inputs:
        raised = []
        for t, params in ((leafward, to_ours(given.params)), (torch, given.params)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    optimizer = getattr(t.optim, info.optim_cls.__name__)(params, **made(t, given.kwargs))
                    for group in optimizer.param_groups:
                        for p in group["params"]:
                            p.grad = t.zeros_like(p)
                    optimizer.step()
            except Exception as e:  # noqa: BLE001  whatever it raises is compared
                raised.append((type(e).__name__, str(e)))
            else:
                raised.append(None)
        assert raised[0] == raised[1], given.desc


def to_ours(value, memo=None):
    """The same for leafward; what is one tensor stays one."""
    memo = {} if memo is None else memo
    if isinstance(value, torch.Tensor):
        if id(value) not in memo:
            ours = leafward.from_numpy(value.detach().numpy().copy())
            memo[id(value)] = leafward.nn.Parameter(ours) if isinstance(value, torch.nn.Parameter) else (
                ours.requires_grad_(value.requires_grad))
        return memo[id(value)]
    if isinstance(value, dict):
        return {k: to_ours(v, memo) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(to_ours(v, memo) for v in value)
    return value


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_on_a_valley(search):
    """Rosenbrock's function: a long way, on which a wrong search ends elsewhere."""
    found = {}
    for t in BOTH:
        x = t.tensor([-1.2, 1.0], dtype=t.float64, requires_grad=True)
        optimizer = t.optim.LBFGS([x], lr=0.02 if search is None else 1, max_iter=15, history_size=4,
                                  line_search_fn=search)

        def closure(x=x, optimizer=optimizer):
            optimizer.zero_grad()
            loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
            loss.backward()
            return loss
        found[t] = [optimizer.step(closure).item() for _ in range(4)], x.tolist(), optimizer.state[x]["func_evals"]
    assert found[leafward][2] == found[torch][2]
    assert found[leafward][0] == pytest.approx(found[torch][0], rel=1e-6)
    assert found[leafward][1] == pytest.approx(found[torch][1], rel=1e-6)


@pytest.mark.parametrize("name", ["Adafactor", "LBFGS", "Muon"])
def test_state_crosses_over(name):
    ours, theirs = (trained(t, name, {}, shapes_for(name), 3) for t in BOTH)
    crossed = to_ours(theirs[0].state_dict())
    ours[0].load_state_dict(crossed)
    again = torch.optim.__dict__[name](theirs[1])
    again.load_state_dict(theirs[0].state_dict())
    if name != "LBFGS":
        assert_same_state(ours[0].state_dict(), again.state_dict())
    assert ours[0].state_dict()["param_groups"] == again.state_dict()["param_groups"]
