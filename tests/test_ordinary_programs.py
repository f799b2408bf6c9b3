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


@both
def test_padding_down_to_nothing(t, see):
    F = t.nn.functional
    see(F.pad(t.ones(3), (-3, 0)), F.pad(t.ones(1, 1, 4), (-4, 1)), F.pad(t.ones(1, 1, 4), (-2, -2), mode="circular"))
    see.raises(F.pad, t.ones(2, 3), (-2, -2))


@both
def test_histograms_by_default(t, see):
    x = t.arange(10.0)
    see(*t.histogram(x), t.histogram(x, weight=t.ones(10), density=True).hist, t.histc(x))


@both
def test_writes_into_expanded_tensors(t, see):
    rows, line = t.zeros(1, 3).expand(2, 3), t.zeros(1).expand(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                     # both call it deprecated
        see(rows.masked_fill_(t.tensor([True, False, False]), 5.0))
        line[t.tensor([0, 1])] = 2.0
        see(line, line.index_put_((t.tensor([2]),), t.tensor(3.0)))


@both
def test_a_broadcast_value_written_into_a_view(t, see):
    x, value = t.zeros(2, 3, requires_grad=True), t.tensor([4.0], requires_grad=True)
    y = x * 1
    y[:, 1].copy_(value)
    y[0] = value
    see(y, *t.autograd.grad((y * t.arange(6.0).reshape(2, 3)).sum(), (x, value)), y.grad_fn.name())


@both
def test_indices_that_are_none(t, see):
    F = t.nn.functional
    for offsets in [1, 2], [0, 5]:
        see.raises(F.embedding_bag, t.tensor([0, 1]), t.ones(3, 2), t.tensor(offsets))
    for pivots in [9, 9, 9], [0, 1, 2]:
        see.raises(t.lu_unpack, t.ones(3, 3), t.tensor(pivots, dtype=t.int32))
    see.raises(t.where, t.tensor([True]), t.tensor([1], dtype=t.int16), 70000)


@both
def test_every_layer_takes_an_empty_batch(t, see):
    t.manual_seed(0)
    nn = t.nn
    line, image, volume = t.zeros(0, 4, 6), t.zeros(0, 4, 6, 6), t.zeros(0, 4, 6, 6, 6)
    for layer, x in ((nn.Linear(6, 2), line), (nn.Bilinear(6, 6, 2), (line, line)), (nn.LayerNorm(6), line),
                     (nn.RMSNorm(6), line), (nn.Conv1d(4, 2, 1), line), (nn.Conv2d(4, 2, 1), image),
                     (nn.Conv2d(4, 2, 3), image),
                     (nn.Conv3d(4, 2, 2), volume), (nn.ConvTranspose1d(4, 2, 1), line), (nn.ConvTranspose2d(4, 2, 2), image),
                     (nn.MaxPool1d(2), line), (nn.MaxPool2d(2), image), (nn.AvgPool2d(2), image),
                     (nn.AvgPool3d(2), volume),
                     (nn.AdaptiveAvgPool2d(2), image), (nn.AdaptiveMaxPool2d(2), image), (nn.LPPool2d(2, 2), image),
                     (nn.BatchNorm2d(4).eval(), image), (nn.GroupNorm(2, 4), image), (nn.InstanceNorm2d(4).eval(), image),
                     (nn.Upsample(scale_factor=2), image), (nn.Unfold(2), image),
                     (nn.ReflectionPad2d(1), image), (nn.ZeroPad2d(1), image), (nn.Softmax(1), line), (nn.PReLU(4), image),
                     (nn.GLU(), line), (nn.Dropout(), image), (nn.Flatten(), image), (nn.LSTM(6, 2, batch_first=True), line),
                     (nn.GRU(6, 2, batch_first=True), line), (nn.Embedding(5, 2), t.zeros(0, 3, dtype=t.int64)),
                     (nn.MultiheadAttention(6, 2, batch_first=True), (line, line, line)),
                     (nn.TransformerEncoderLayer(6, 2, 8, batch_first=True), line)):
        def run(layer=layer, x=x):
            given = [part.clone().requires_grad_(part.is_floating_point()) for part in (x if isinstance(x, tuple) else (x,))]
            made = layer(*given)
            made = made[0] if isinstance(made, tuple) else made
            made.sum().backward()
            return [tuple(made.shape), *(p.grad is None or p.grad.abs().sum().item() for p in layer.parameters())]
        try:
            see(type(layer).__name__, run())
        except (RuntimeError, ValueError) as error:
            see(type(layer).__name__, type(error).__name__)


@both
def test_lists_by_device_and_dtype(t, see):
    from importlib import import_module
    utils = import_module(f"{t.__name__}.utils._foreach_utils")
    values = [t.ones(1), t.ones(2, dtype=t.float64), t.zeros(3), t.ones(1, dtype=t.int64)]
    groups = utils._group_tensors_by_device_and_dtype([values, [t.ones(()), None, t.ones(()), None]], with_indices=True)
    see(sorted((str(device), str(dtype), places, [[None if x is None else x.tolist() for x in part] for part in lists])
               for (device, dtype), (lists, places) in groups.items()))
    see(utils._get_fused_kernels_supported_devices(), utils._has_foreach_support([values[0], None], t.device("cpu")),
        utils._has_foreach_support([t.nn.Parameter(values[0])], t.device("cpu")))
    see(utils._get_foreach_kernels_supported_devices())


@both
def test_a_function_that_returns_a_view_it_wrote(t, see):
    class Halve(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(0.5)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 0.5

    x = t.ones(2, 2, requires_grad=True)
    y = x * 1
    row = y[0]
    made = Halve.apply(row)
    see(made is row, y, t.autograd.grad(y.sum(), x, retain_graph=True)[0], t.autograd.grad(made.sum(), x)[0])
