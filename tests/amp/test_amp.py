"""Mixed precision: which dtype each function computes in, and how the scaler's factor moves, as in PyTorch."""
import pytest

import leafward
from tests.oracle import Outcome, assert_same, torch
from tests.ops.checks import call, tensors_in
from tests.samples import every_sample, is_comparable, name_of, ours, theirs

PAIR = leafward, torch

CALLS = {
    "mm": lambda t, F, x, b: x @ x, "matmul": lambda t, F, x, b: t.matmul(x[None], x),
    "linear": lambda t, F, x, b: F.linear(x, x),
    "bmm": lambda t, F, x, b: t.bmm(x[None], x[None]), "addmm": lambda t, F, x, b: t.addmm(b, x, x),
    "einsum": lambda t, F, x, b: t.einsum("ij,jk", x, x), "conv": lambda t, F, x, b: F.conv1d(x[None], x[..., None]),
    "transposed": lambda t, F, x, b: F.conv_transpose1d(x[None], x[..., None]),
    "attention": lambda t, F, x, b: F.scaled_dot_product_attention(x[None], x[None], x[None]),
    "add": lambda t, F, x, b: x + x, "mixed": lambda t, F, x, b: x + b, "softmax": lambda t, F, x, b: x.softmax(-1),
    "softmax of half": lambda t, F, x, b: b.softmax(-1), "layer_norm": lambda t, F, x, b: F.layer_norm(x, (4,)),
    "layer_norm of half": lambda t, F, x, b: F.layer_norm(b, (4,)), "sum": lambda t, F, x, b: b.sum(),
    "prod": lambda t, F, x, b: b.prod(), "mse": lambda t, F, x, b: F.mse_loss(b, x), "l1": lambda t, F, x, b: F.l1_loss(b, b),
    "cross_entropy": lambda t, F, x, b: F.cross_entropy(b, t.zeros(4, dtype=t.long)),
    "bce": lambda t, F, x, b: F.binary_cross_entropy(t.sigmoid(b), t.ones(4, 4)), "gelu": lambda t, F, x, b: F.gelu(b),
    "cdist": lambda t, F, x, b: t.cdist(b, b), "mv": lambda t, F, x, b: t.mv(x, x[0]), "cat": lambda t, F, x, b: t.cat([x, b]),
    "double": lambda t, F, x, b: x.double() @ x.double(), "method": lambda t, F, x, b: x.mm(x),
    "kl": lambda t, F, x, b: F.kl_div(b, b),
    "module": lambda t, F, x, b: t.nn.Linear(4, 2)(x), "fft": lambda t, F, x, b: t.fft.fft(b),
    "pow": lambda t, F, x, b: b.pow(2), "multi_dot": lambda t, F, x, b: t.linalg.multi_dot([x, x, x[0]]),
    "chain_matmul of one": lambda t, F, x, b: t.chain_matmul(x),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_dtypes(name, dtype):
    found = []
    for t in PAIR:
        x = t.arange(16.0).reshape(4, 4) / 16
        half = getattr(t, dtype)
        with t.autocast("cpu", dtype=half):
            outcome = Outcome(CALLS[name], (t, t.nn.functional, x, x.to(half)))
        found.append(str(outcome.value.dtype) if outcome.error is None else None)
    assert found[1] is None or found[0] == found[1]


@pytest.mark.parametrize("product", [lambda t, *matrices: t.linalg.multi_dot(matrices),
                                     lambda t, *matrices: t.chain_matmul(*matrices)], ids=["multi_dot", "chain_matmul"])
def test_products_of_several_dtypes_are_refused(product):
    """The chain is no product by itself, so nothing casts what it is given."""
    found = []
    for t in PAIR:
        with t.autocast("cpu", dtype=t.bfloat16):
            found.append(Outcome(product, (t, t.ones(4, 4, dtype=t.bfloat16), t.ones(4, 4))).error)
    assert type(found[1]) is RuntimeError
    assert str(found[0]).startswith(str(found[1]))


#: Where our parts are others than PyTorch's, so that one is computed in another dtype.
OTHER_PARTS = {
    "complex": "half-precision complex numbers, which leafward lacks",
    "linalg_det": "of an empty matrix",
    "linalg_pinv": "its last product is part of an op",
    "local_response_norm": "averages by another pooling",
    "max_pool3d": "with indices",
    "inner": "of vectors, as a product of matrices",
    "tensordot": "over all dims, as a product of matrices",
    "bilinear": "as several products",
    "lstm": "of float16 under bfloat16", "gru": "of half precision under the other half",
    "lstm_cell": "of half precision under the other half", "gru_cell": "of half precision under the other half",
}


def dtypes_under_autocast(t, function, op, sample, dtype, lower):
    """The dtypes of what comes out; None if it is refused."""
    args, kwargs = sample.make(t, dtype)
    with t.autocast("cpu", dtype=getattr(t, lower)):
        outcome = Outcome(call, (t, function, op, args, kwargs))
    return None if outcome.error is not None else [str(x.dtype) for x in tensors_in(outcome.value)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sample", every_sample(lambda op: is_comparable(op) and op.name not in OTHER_PARTS), ids=name_of)
def test_every_op_computes_in_pytorchs_dtype(sample):
    op = sample.op
    for dtype, lower in (("float32", "bfloat16"), ("bfloat16", "bfloat16"), ("bfloat16", "float16"), ("float64", "bfloat16")):
        expected = dtypes_under_autocast(torch, theirs(op), op, sample, dtype, lower)
        if expected is not None:
            assert dtypes_under_autocast(leafward, ours(op), op, sample, dtype, lower) == expected, (dtype, lower)


def test_composites_are_looked_into():
    """The mean is taken off in float32, and only the product is rounded: numbers far from zero keep their covariance."""
    found = []
    for t in PAIR:
        x = t.arange(12.0).reshape(3, 4) % 5 + 1000
        with t.autocast("cpu"):
            found.append(t.cov(x))
    assert_same(*found, rtol=1e-2)


@pytest.mark.parametrize("t", PAIR)
def test_nesting_decorating_and_leaving(t):
    x = t.ones(2, 2)
    with t.autocast("cpu"):
        assert t.is_autocast_enabled("cpu") and (x @ x).dtype == t.bfloat16
        with t.autocast("cpu", enabled=False):
            assert not t.is_autocast_enabled("cpu") and (x @ x).dtype == t.float32
        with t.autocast("cpu", dtype=t.float16):
            assert (x @ x).dtype == t.float16
        assert (x @ x).dtype == t.bfloat16
    assert not t.is_autocast_enabled("cpu") and (x @ x).dtype == t.float32
    assert t.autocast("cpu")(lambda: x @ x)().dtype == t.bfloat16
    with pytest.raises(ZeroDivisionError), t.autocast("cpu"):
        raise ZeroDivisionError
    assert (x @ x).dtype == t.float32


def test_gradients_have_the_parameters_dtype():
    grads = []
    for t in PAIR:
        weight = (t.arange(6.0).reshape(2, 3) / 7).requires_grad_()
        with t.autocast("cpu", dtype=t.bfloat16):
            loss = t.nn.functional.linear(t.ones(4, 3), weight).float().pow(2).mean()
        loss.backward()
        grads.append(weight.grad)
    assert_same(*grads, rtol=1.6e-2)


def test_a_device_that_is_not_there():
    for t in PAIR:
        with pytest.warns(UserWarning, match="CUDA is not available"):
            context = t.autocast("cuda")
        with context:
            assert (t.ones(2, 2) @ t.ones(2, 2)).dtype == t.float32
        with pytest.warns(UserWarning, match="the target dtype is not supported"):
            t.autocast("cpu", dtype=t.float32).__enter__().__exit__(None, None, None)
        with pytest.warns(UserWarning, match=r"torch.cuda.amp.GradScaler is enabled, but CUDA is not available"):
            assert not t.amp.GradScaler().is_enabled()
        with pytest.raises(RuntimeError, match="device type at start of device string: foo"):
            t.autocast("foo")


def run_scaler(t):
    scaler = t.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    weight = t.ones(2, requires_grad=True)
    optimizer = t.optim.SGD([weight], lr=0.5)
    seen = []
    for factor in (1.0, 1.0, float("inf"), 1.0, float("nan"), 1.0, 1.0):
        optimizer.zero_grad()
        scaler.scale((weight * factor).sum()).backward()
        if factor == 1.0:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        seen += [scaler.get_scale(), weight.tolist()]
    return [*seen, scaler.state_dict()]


def test_scaler():
    ours, theirs = run_scaler(leafward), run_scaler(torch)
    assert ours == theirs
    other = leafward.amp.GradScaler("cpu")
    other.load_state_dict(ours[-1])
    assert other.state_dict() == ours[-1]


@pytest.mark.parametrize("t", PAIR)
def test_scaler_refuses(t):
    scaler = t.amp.GradScaler("cpu")
    weight = t.ones(2, requires_grad=True)
    optimizer = t.optim.SGD([weight], lr=0.5)
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) has already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called since the last update"):
        scaler.step(optimizer)
    off = t.amp.GradScaler("cpu", enabled=False)
    assert off.scale(weight) is weight and off.get_scale() == 1.0 and off.state_dict() == {}


@pytest.mark.parametrize("t", PAIR)
def test_a_scaler_that_scaled_nothing_refuses(t):
    scaler = t.amp.GradScaler("cpu")
    weight = t.ones(2, requires_grad=True)
    optimizer = t.optim.SGD([weight], lr=0.5)
    weight.sum().backward()
    for called in (lambda: scaler.unscale_(optimizer), lambda: scaler.step(optimizer), scaler.update):
        with pytest.raises(AssertionError, match="but _scale is None.  This may indicate your script did not use scaler.scale"):
            called()
    assert weight.tolist() == [1.0, 1.0]


def test_the_older_names():
    for t in PAIR:
        with pytest.warns((FutureWarning, UserWarning)) as caught:
            assert not t.cuda.amp.GradScaler().is_enabled()
            with t.cuda.amp.autocast():
                assert (t.ones(2, 2) @ t.ones(2, 2)).dtype == t.float32
        texts = [str(w.message) for w in caught]
        assert texts[0] == ("`torch.cuda.amp.GradScaler(args...)` is deprecated. Please use "
                            "`torch.amp.GradScaler('cuda', args...)` instead.")
        assert len(texts) == 4
