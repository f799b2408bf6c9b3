"""What ordinary programs do, a few lines each: seen to be the same in leafward and in PyTorch."""
import warnings

import numpy as np

import leafward as lw
from tests.both import both


@both
def test_outputs_of_one_cell_depend_on_each_other(t, see):
    t.manual_seed(0)
    for cell in (t.nn.LSTMCell(3, 2), t.nn.LSTM(3, 2)):
        x = t.arange(6.0).reshape(2, 3) / 6 if isinstance(cell, t.nn.LSTMCell) else t.arange(6.0).reshape(2, 1, 3) / 6
        made = cell(x)
        h, c = made if isinstance(cell, t.nn.LSTMCell) else made[1]
        c.retain_grad()
        gradient = t.autograd.grad(h.sum(), c, allow_unused=True, retain_graph=True)[0]
        see(gradient is None)
        h.sum().backward()
        see(c.grad is None)


@both
def test_dtypes_of_numbers(t, see):
    see(t.arange(0, 2.5, 1, dtype=t.int16), t.ones(2, 2, dtype=t.uint8).trace().dtype)
    see(t.mul(t.tensor(2.0), 3.0).dtype, t.div(t.tensor(6), 4).dtype)
    see.raises(t.mul, "a", "b")
    see(t.linalg.cond(t.zeros(0, 0)))
    see(t.nn.functional.huber_loss(t.ones(2), t.zeros(2, dtype=t.float64)).dtype)
    see(t.tensor([1, 2], dtype=t.int32).inner(t.tensor([3, 4], dtype=t.int32)))


@both
def test_sizes_and_dtypes_that_are_refused(t, see):
    F = t.nn.functional
    see.raises(F.max_pool2d, t.ones(1, 1, 3, 3), 0)
    see.raises(F.avg_pool2d, t.ones(1, 1, 3, 3), 0)
    see.raises(F.max_pool1d, t.ones(1, 1, 3), 0)
    see.raises(F.dropout, t.ones(3, dtype=t.int64), 0.5)
    ones = [t.ones(2), t.ones(2, dtype=t.bool)]
    see.raises(t._foreach_neg_, ones)


def test_samplers_draw_as_they_go():
    for replacement, count in (True, 10**10), (True, 10**6):
        drawn = iter(lw.utils.data.RandomSampler(range(5), replacement=replacement, num_samples=count))
        assert all(0 <= next(drawn) < 5 for _ in range(100))


@both
def test_arrays_of_parameters(t, see):
    parameter = t.nn.Parameter(t.arange(3.0))
    with t.no_grad():
        see(parameter.numpy().tolist(), np.asarray(parameter).tolist())
    see.raises(parameter.numpy)
    parameter.requires_grad_(False)
    see(parameter.numpy().tolist())


@both
def test_weights_set_by_hand(t, see):
    t.manual_seed(0)
    layer = t.nn.GRU(2, 2)
    layer._flat_weights = [t.full_like(w, 0.25) for w in layer._flat_weights]
    see(layer(t.ones(2, 1, 2))[0])


@both
def test_images_of_bytes(t, see):
    image = (t.arange(48).reshape(1, 3, 4, 4) * 5).to(t.uint8)
    for mode in ("nearest", "bilinear", "bicubic"):
        options = {} if mode == "nearest" else {"antialias": True}
        for given in ({}, options):
            made = t.nn.functional.interpolate(image, size=(3, 5), mode=mode, **given)
            see(made.dtype, made)


@both
def test_indices_and_draws(t, see):
    x = t.arange(6).reshape(3, 2)
    for dtype in (t.int8, t.int16, t.int32, t.int64):
        at = t.tensor(1, dtype=dtype)
        see(x[at], x[at, 0], x[:, at], x[at, None], x[at, [0, 1]])
    see.raises(lambda: x[t.tensor([1], dtype=t.int8)])
    see.raises(lambda: x[t.tensor(1.0)])
    t.manual_seed(0)
    see(t.multinomial(t.ones(2, 5), 2).view(-1).shape, t.multinomial(t.ones(2, 5), 2).stride())


@both
def test_edges_of_the_graph(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    edge = t.autograd.graph.get_gradient_edge((x * x).sum())
    see(t.autograd.grad(edge, x)[0])
    edge = t.autograd.graph.get_gradient_edge(x * x)
    see.raises(t.autograd.grad, edge, x)
    see(t.autograd.grad(edge, x, t.ones(2))[0])


@both
def test_sparse_tensors_of_zeros(t, see):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                     # PyTorch calls CSR a beta
        rows = t.zeros(2, 3, layout=t.sparse_csr)
    for made in (t.zeros(2, 3, layout=t.sparse_coo), rows, t.empty(2, layout=t.sparse_coo),
                 t.zeros_like(t.ones(2, 2), layout=t.sparse_coo), t.ones(2).new_zeros(3, layout=t.sparse_coo)):
        see(str(made.layout), tuple(made.shape), made._nnz(), made.dtype, made.to_dense())
    see(t.zeros(2, layout=t.sparse_coo, requires_grad=True).requires_grad)
