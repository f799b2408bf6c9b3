"""Rare ways to call, and writes from memory that is written, beside PyTorch."""
from itertools import product

import pytest

from tests.both import both
from tests.oracle import torch

WRITES = {
    "x[..., [0, 0]] = x": lambda t, x, i: x.__setitem__((..., [0, 0]), x),
    "x[i] = x": lambda t, x, i: x.__setitem__(i, x),
    "x[i] = x.t()": lambda t, x, i: x.__setitem__(i, x.t()),
    "x[i] = x[0]": lambda t, x, i: x.__setitem__(i, x[0]),
    "x[i] = a column, which has gaps": lambda t, x, i: x.__setitem__(t.tensor([0, 1]), x[:, :1]),
    "x[i] = x.clone()": lambda t, x, i: x.__setitem__(i, x.clone()),
    "x[mask] = one of its elements": lambda t, x, i: x.__setitem__(x > 1, x[1, 1]),
    "x[mask] = its row": lambda t, x, i: x.__setitem__(x > 1, x[1]),
    "index_put_ of an element": lambda t, x, i: x.index_put_((i,), x[1, 1]),
    "index_put_ of an element by a mask": lambda t, x, i: x.index_put_((x > 1,), x[1, 1]),
    "index_put_ accumulates": lambda t, x, i: x.index_put_((i,), x, accumulate=True),
    "index_put_ from what lies beside it": lambda t, x, i: x[0].index_put_((i[:1],), x[1, :1]),
    "index_put_ into its own index": lambda t, x, i: i.index_put_((i,), t.tensor(5)),
    "index_fill_ of an element": lambda t, x, i: x.index_fill_(0, i, x[0, 1]),
    "index_copy_": lambda t, x, i: x.index_copy_(0, i, x),
    "index_add_": lambda t, x, i: x.index_add_(0, i, x),
    "index_reduce_": lambda t, x, i: x.index_reduce_(0, i, x, "prod"),
    "scatter_": lambda t, x, i: x.scatter_(0, i[None], x),
    "scatter_ of a column": lambda t, x, i: x.scatter_(1, i[:, None], x[:, :1]),
    "scatter_add_": lambda t, x, i: x.scatter_add_(0, i[None], x),
    "scatter_reduce_": lambda t, x, i: x.scatter_reduce_(0, i[None], x, "sum"),
    "put_ of a row": lambda t, x, i: x.put_(i, x[0]),
    "x[mask] = x of nothing": lambda t, x, i: x[:, :0].__setitem__(t.tensor([False, True]), x[:, :0]),
}


def written(t, write, see):
    """What ``write`` leaves; three times, since calls that come again are known."""
    for _ in range(3):
        x, i = t.arange(4.0).view(2, 2), t.tensor([1, 0])
        see.raises(lambda: write(t, x, i) and None)  # noqa: B023
        see(x, i, x._version, i._version)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_memory_that_is_written_is_refused_as_a_source(write):
    both(lambda t, see: written(t, write, see))()


@both
def test_a_number_into_an_expanded_tensor(t, see):
    def expanded():
        return t.arange(3.0).expand(2, 3)
    for index in (..., slice(None), (slice(None), 0), (slice(None), slice(1, 2)), (slice(None), None)):
        see.raises(expanded().__setitem__, index, 1.0)
        see.raises(t.arange(3.0, requires_grad=True).mul(2).expand(2, 3).__setitem__, index, 1.0)
    for index in (0, (0, 1), (slice(1),)):
        x = expanded()
        x[index] = 5.0
        see(x)


@both
def test_a_mask_of_another_shape(t, see):
    for x in (t.zeros(3), t.zeros(2, 3), t.zeros(3).expand(2, 3)):
        see.raises(x.masked_fill_, t.ones(5, dtype=t.bool), 1.0)
        see.raises(x.masked_fill, t.ones(5, dtype=t.bool), 1.0)


@both
def test_tensordot_takes_out_by_position(t, see):
    a, b = t.arange(6.0).view(2, 3), t.arange(6.0).view(3, 2)
    out = t.empty(2, 2)
    see(t.tensordot(a, b, 1, out) is out, out)
    see(t.tensordot(a, b, ([0], [1]), t.empty(0)), t.tensordot(a, b, dims=1, out=t.empty(0)))


@both
def test_reflected_subtraction_is_called_with_one_operand(t, see):
    x = t.arange(3.0)
    see(x.__rsub__(2), x.__rsub__(other=2))
    for given in ({"alpha": 3}, {"out": x}):
        see(x.__rsub__(2, **given) is NotImplemented)
    see(x.__rsub__(2, 3) is NotImplemented, x.__rsub__("x") is NotImplemented)


@both
def test_pooled_sequences_are_views(t, see):
    F = t.nn.functional
    for pool in (F.avg_pool1d, F.adaptive_avg_pool1d, F.adaptive_max_pool1d):
        for x in (t.arange(12.0).view(1, 3, 4), t.arange(12.0).view(3, 4)):
            for needs in (False, True):
                x = x.clone().requires_grad_(needs)
                y = pool(x, 2)
                see(y, y._is_view(), y._base.shape, y.stride(), needs and y.grad_fn.name())
                y.mul_(3)
                see(y, y._version, y._base._version)
                if needs:
                    y.sum().backward()
                    see(x.grad)


@both
def test_running_statistics_of_any_dtype(t, see):
    t.manual_seed(0)
    for dtype in (t.float32, t.float16, t.bfloat16, t.float64):
        for kept in (t.float64, t.float32, t.float16, t.int64):
            for learns in (True, False):
                mean, variance = (t.arange(3) + 0.25).to(kept), (t.arange(3) + 1.5).to(kept)
                x = t.arange(24.0).view(2, 3, 4).to(dtype)
                y = t.nn.functional.instance_norm(x, mean, variance, use_input_stats=learns)
                see(y.dtype, y.float().sub(0.1).round(), mean.dtype, mean.float().mul(16).round(), variance.dtype,
                    variance.float().mul(4).round())


@both
def test_softmax_backward_data(t, see):
    x, g = t.tensor([[1.0, 2.0, 4.0], [0.5, 0.0, -3.0]]), t.tensor([[1.0, 0.5, -2.0], [0.25, 3.0, 1.0]])
    for function, undo in ((t._softmax, t._softmax_backward_data), (t._log_softmax, t._log_softmax_backward_data)):
        for dtype in (t.float32, t.float64, t.float16, t.bfloat16):
            for dim in (0, 1, -1):
                out = function(x.to(dtype), dim, False)
                see(undo(g.to(dtype), out, dim, dtype).mul(64).round())
        out = function(x, 1, False)
        see(undo(g[0, 0], out[0, 0], 0, t.float32))
        see.raises(function, x, 1, True)
        see.raises(undo, g.double(), out, 1, t.float32)
        see.raises(undo, g, out, 1, t.float16)
        see.raises(undo, g, out, 2, t.float32)
        see.raises(undo, g.long(), out.long(), 1, t.int64)
        see.raises(undo, g.long(), out.long(), 0, t.int64)
    see.raises(t._softmax_backward_data, g[:1], x, 1, t.float32)
    see(t._softmax_backward_data(g, t._softmax(x, 1, False), 1, t.float32, grad_input=t.empty(0)).mul(64).round())


@both
def test_softmax_backward_data_is_differentiable(t, see):
    x, g = t.tensor([[1.0, 2.0, 4.0]], dtype=t.float64), t.tensor([[1.0, 0.5, -2.0]], dtype=t.float64)
    for function, undo in ((t._softmax, t._softmax_backward_data), (t._log_softmax, t._log_softmax_backward_data)):
        first, second = g.clone().requires_grad_(), x.clone().requires_grad_()
        undo(first, function(second, 1, False), 1, t.float64).pow(2).sum().backward()
        see(first.grad.mul(2**20).round(), second.grad.mul(2**20).round())


@both
def test_the_state_of_an_optimizer_in_a_scaler(t, see):
    from importlib import import_module
    root = t.__name__
    OptState = import_module(f"{root}.amp.grad_scaler").OptState
    see(import_module(f"{root}.cuda.amp.grad_scaler").OptState is OptState, [(s.name, s.value) for s in OptState])
    w = t.ones(1, requires_grad=True)
    optimizer, scaler = t.optim.SGD([w], lr=0.5), t.amp.GradScaler("cpu", init_scale=4.0)
    for value in (1.0, float("inf")):
        scaler.scale((w * value).sum()).backward()
        for act in (scaler.unscale_, scaler.step):
            act(optimizer)
            state = scaler._per_optimizer_states[id(optimizer)]
            see(state["stage"].name, [found.item() for found in state["found_inf_per_device"].values()])
        scaler.update()
        optimizer.zero_grad()
        see(w, scaler.get_scale(), len(scaler._per_optimizer_states))


@both
def test_the_backends_of_a_group(t, see):
    from importlib import import_module
    d = import_module(f"{t.__name__}.distributed")
    if t is torch:
        import_module("torch.testing._internal.distributed.fake_pg")         # PyTorch knows `fake` once this is loaded
    for backend in ("gloo", "cpu:gloo", "cpu:gloo,cuda:gloo", "fake"):
        d.init_process_group(backend, store=d.HashStore(), rank=0, world_size=1)
        see(d.get_backend_config())
        d.destroy_process_group()


@both
def test_a_singular_factor_has_no_inverse(t, see):
    for rows in ([[0.0, 0.0], [1.0, 0.0]], [[[1.0, 0.0], [1.0, 1.0]], [[2.0, 0.0], [1.0, 0.0]]],
                 [[float("nan"), 0.0], [1.0, 0.0]]):
        see.raises(t.cholesky_inverse, t.tensor(rows))
        see.raises(t.cholesky_inverse, t.tensor(rows), upper=True)


@both
def test_a_tuple_of_one_piece_is_one_again(t, see):
    for name, cuts in product(("tensor_split", "hsplit", "vsplit", "dsplit"), ([], 1)):
        x = t.arange(8.0).view(2, 2, 2).requires_grad_()
        for _ in range(4):                              # calls that come again are known
            pieces = getattr(t, name)(x, cuts)
            see(type(pieces), len(pieces), pieces[0], pieces[0].grad_fn is None)


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@both
def test_an_expanded_out_of_another_shape_gets_other_memory(t, see):
    x = t.arange(6.0).view(2, 3)
    calls = {"tensordot": lambda out: t.tensordot(x, x, ([1], [1]), out=out), "inner": lambda out: t.inner(x, x, out=out),
             "kron": lambda out: t.kron(x, x, out=out), "hstack": lambda out: t.hstack([x], out=out),
             "multi_dot": lambda out: t.linalg.multi_dot([x, x.t(), x], out=out)}
    for call in calls.values():
        out = t.ones(1).expand(7, 2)
        see(call(out), out.stride())
    see.raises(t.inner, x, x, out=t.ones(1).expand(2, 2))


@both
def test_what_is_computed_anew_was_never_written(t, see):
    for size in (0, 1, 2, 5):
        windows = t.signal.windows
        see([getattr(windows, name)(size)._version for name in ("hann", "bartlett", "cosine", "gaussian", "nuttall")])
        see(windows.hann(size, requires_grad=True), windows.hann(size, dtype=t.float64), windows.hamming(True))
    for size in (1, 2, 5):
        see(t.fft.fftfreq(size, 0.5), t.fft.fftfreq(size)._version, t.fft.rfftfreq(size)._version)
        see(t.fft.rfftfreq(size, requires_grad=True), t.fft.fftfreq(size, out=t.ones(size)))
