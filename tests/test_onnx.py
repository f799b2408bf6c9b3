"""Exported models: onnxruntime gives leafward's outputs, at other sizes too; and what cannot be exported says why."""
import importlib.util
import io
import subprocess
import sys
from pathlib import Path

import pytest

import leafward as lw
import leafward.nn.functional as F
from leafward import nn
from leafward.core.op import Op, onnx_rules, registry
from leafward.onnx import OnnxExporterError, export
from leafward.utils._pytree import tree_leaves
from tests.samples import Sample

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx onnxruntime")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install onnx onnxruntime")

EXAMPLES = Path(__file__).parent.parent / "examples"
BATCH, TEXT = {0: "batch"}, {0: "batch", 1: "time"}


def close(found, wanted):
    return found.shape == wanted.shape and found.dtype is wanted.dtype and lw.allclose(
        found, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


def check(model, args, shapes, others=(), **options):
    """Export ``model``; the program gives its outputs for ``args`` and for the ``others``."""
    if isinstance(model, nn.Module):
        model.eval()
    program = export(model, args, dynamic_shapes=shapes, **options)
    for given in (args, *others):
        with lw.no_grad():
            wanted = tree_leaves(model(*given))
        found = program(*tree_leaves(given))
        assert len(found) == len(wanted)
        for position, (a, b) in enumerate(zip(found, wanted)):
            assert close(a, b), (position, a, b)
    return program


def kinds(program):
    return [node.op_type for node in program.model_proto.graph.node]


def words(n, t, count=20):
    return lw.randint(0, count, (n, t))


# --- models --------------------------------------------------------------------------------------------------------------

@pytest.fixture(autouse=True)
def seed():
    lw.manual_seed(0)


def example(name, monkeypatch):
    """A program of ``examples/`` as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    for alias in [key for key in sys.modules if key == "torch" or key.startswith("torch.")]:
        monkeypatch.delitem(sys.modules, alias)
    for alias in ("", ".nn", ".nn.functional", ".utils.data", ".nn.utils.rnn", ".optim"):
        monkeypatch.setitem(sys.modules, f"torch{alias}", importlib.import_module(f"leafward{alias}"))
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_gpt(monkeypatch):
    gpt = example("gpt", monkeypatch)
    program = check(gpt.GPT(), (words(3, 16),), [TEXT], [(words(1, 32),), (words(5, 7),)])
    assert kinds(program).count("LayerNormalization") == 5 and kinds(program).count("Softmax") == 2
    shape = program.model_proto.graph.output[0].type.tensor_type.shape
    assert [dim.dim_param or dim.dim_value for dim in shape.dim] == ["batch", "time", len(gpt.SYMBOLS)]
    assert {weight.name for weight in program.model_proto.graph.initializer} >= {"symbol.weight", "blocks.0.attention.qkv.bias"}


def test_resnet(monkeypatch):
    program = check(example("resnet", monkeypatch).ResNet(), (lw.randn(3, 1, 8, 8),), [BATCH], [(lw.randn(9, 1, 8, 8),)])
    assert {"Conv", "BatchNormalization", "Relu"} - set(kinds(program)) <= {"Relu"} and "Where" not in kinds(program)


def test_a_vae_gives_its_mean_and_not_its_noise(monkeypatch):
    vae = example("vae", monkeypatch).VAE()
    with pytest.raises(NotImplementedError, match="randn_like draws random numbers"):
        export(vae, (lw.randn(2, 64),))
    check(nn.Sequential(vae.encoder, nn.Flatten(), nn.Linear(16, 8), vae.decoder), (lw.randn(2, 64),), [BATCH],
          [(lw.randn(5, 64),)])


class Characters(nn.Module):
    """That of ``examples/characters.py``, which trains where it stands."""

    def __init__(self, symbols, width=64):
        super().__init__()
        self.embedding, self.memory = nn.Embedding(symbols, width), nn.LSTM(width, width, batch_first=True)
        self.scores = nn.Linear(width, symbols)

    def forward(self, text, state=None):
        out, state = self.memory(self.embedding(text), state)
        return self.scores(out), state


def test_a_language_model_with_its_state():
    model = Characters(20)
    state = lw.zeros(1, 2, 64), lw.zeros(1, 2, 64)
    check(model, (words(2, 5), state), [TEXT, ({1: "batch"}, {1: "batch"})],
          [(words(3, 9), (lw.randn(1, 3, 64), lw.randn(1, 3, 64)))])


def test_packed_sequences_are_refused(monkeypatch):
    reader = example("lstm", monkeypatch).Reader()
    with pytest.raises((NotImplementedError, OnnxExporterError)):
        export(reader, (words(2, 4, 3), lw.tensor([4, 2])))


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.table, self.layer = nn.Embedding(11, 6), getattr(nn, kind)(6, 5, **options)

    def forward(self, x):
        return self.layer(self.table(x))


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("options", [{}, {"batch_first": True, "num_layers": 2, "bidirectional": True}, {"bias": False}],
                         ids=str)
def test_recurrent_layers(kind, options):
    program = check(Recurrent(kind, **options), (words(4, 3, 11),), [TEXT], [(words(2, 7, 11),)])
    assert kinds(program).count(kind) == (4 if options.get("bidirectional") else 1)
    assert "Gemm" not in kinds(program)                     # the layer projects its input itself


def test_cells():
    for kind in nn.LSTMCell, nn.GRUCell, nn.RNNCell:
        check(kind(3, 4), (lw.randn(2, 3),), [BATCH], [(lw.randn(5, 3),)])


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(50, 16), nn.Embedding(40, 16), nn.Embedding(2, 16)
        self.norm, self.pool = nn.LayerNorm(16), nn.Linear(16, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.register_buffer("numbers", lw.arange(40).unsqueeze(0))

    def forward(self, ids, mask, kinds):
        x = self.words(ids) + self.kinds(kinds) + self.places(self.numbers[:, :ids.shape[1]])
        y = self.encoder(self.norm(x), src_key_padding_mask=mask == 0)
        return y, lw.tanh(self.pool(y[:, 0]))


def sentences(n, t):
    lengths = lw.tensor([t, *[t - 1 - k % 2 for k in range(n - 1)]])
    return words(n, t, 50), (lw.arange(t) < lengths[:, None]).long(), words(n, t, 2)


def test_bert():
    program = check(Bert(), sentences(2, 6), [TEXT, TEXT, TEXT], [sentences(3, 9), sentences(1, 4)])
    assert [value.name for value in program.model_proto.graph.input] == ["ids", "mask", "kinds"]


class Images(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, padding="same"), nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=4)
        self.back = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1)
        self.groups, self.instances = nn.GroupNorm(2, 8), nn.InstanceNorm2d(8)

    def forward(self, x):
        y = F.max_pool2d(F.silu(self.groups(self.first(x))), 2)
        z = F.avg_pool2d(self.instances(self.second(y)), 2)
        z = F.interpolate(F.interpolate(z, scale_factor=2, mode="bilinear"), scale_factor=2.0)
        return (self.back(z), F.adaptive_avg_pool2d(y, (4, 4)), F.pad(x, (1, 2, 0, 1), value=2.0),
                F.pad(x, (1, 1, 1, 1), mode="reflect"), F.max_pool2d(x, 3, 2, 1, ceil_mode=True), F.pixel_shuffle(y, 2))


def test_images():
    check(Images(), (lw.randn(2, 3, 16, 16),), [BATCH], [(lw.randn(5, 3, 16, 16),)])


def test_images_of_any_size():
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Conv2d(4, 2, 3),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten())
    check(model, (lw.randn(2, 1, 16, 12),), [{0: "n", 2: "h", 3: "w"}], [(lw.randn(1, 1, 31, 8),)])


# --- what programs do with sizes, views and writes -------------------------------------------------------------------------

def writes(x):
    y = lw.zeros_like(x)
    y[:, 1:] = x[:, :-1]
    y[:, 0].fill_(2.0)
    flat = y.view(-1)
    flat += 1
    sums = lw.full((x.size(0), 3), 2.5)
    sums[:, 1] += x.sum(1)
    picked = x.clone()
    picked[x > 1] = 0.0
    return y.relu_(), flat, sums, picked


PROGRAMS = {
    "writes through views": writes,
    "sizes": lambda x: (x.view(-1, x.shape[-1], 1), x.reshape(x.shape[0] * x.shape[1]), x / x.shape[1], x.numel() + x.sum()),
    "halves": lambda x: (x[x.shape[0] // 2:], x[:, -1], x[..., None, :2], x[-(-x.shape[0] // 2) - 1]),
    "made": lambda x: (lw.arange(x.shape[1]), lw.eye(x.shape[0]), lw.ones(x.shape[1], 2), x.new_zeros(x.size(0)),
                       lw.full_like(x, 3.0), lw.linspace(0, 1, 4) + x[:, :1], lw.arange(x.shape[0]) / 2),
    "masks": lambda x: (x.masked_fill(lw.ones(x.shape[1], x.shape[1]).tril()[0] == 0, float("-inf")).softmax(-1),
                        lw.where(x > 0, x, 0.0), lw.triu(lw.ones(x.shape[1], x.shape[1]), 1).bool(), (x > 0) & ~(x > 1)),
    "joined": lambda x: (lw.cat([x, x.new_zeros(x.shape[0], 2)], 1), lw.stack([x, x * 2]), *x.split(2, 1)[:1], x.repeat(2, 1),
                         x.repeat_interleave(2, 1), lw.roll(x, 1, 1), x.flip(0), x.T.contiguous().view(-1)),
    "reduced": lambda x: (x.mean(), x.std(0), x.var(1, keepdim=True), x.norm(dim=1), x.amax((0, 1)), x.max(1), x.argmax(-1),
                          x.logsumexp(1), x.cumsum(1), x.prod(1), x.ne(0).any(1)),
    "ordered": lambda x: (x.topk(2), x.sort(-1, descending=True)[1], x.argsort(0)),
    "products": lambda x: (x @ x.T, lw.einsum("ij,kj->ik", x, x), lw.outer(x[0], x[1]), lw.addmm(x, x @ x.T, x), lw.cdist(x, x),
                           F.cosine_similarity(x, x * 2), F.normalize(x, dim=1)),
    "whole numbers": lambda x: (x.long() // 2, x % 2, (x * 9).int() % 4, x.bool(), x.round(), lw.floor(x)),
    "half types": lambda x: (x.half() * 2 + 1, x.half().float().exp(), F.gelu(x.half())),
    "detached": lambda x: (x.detach() + 1, x.data * 2, F.dropout(x, 0.5, False)),
    "places": lambda x: (x.gather(1, x.argsort(1)), x[x.argmax(0)], x[:, x.argmax(1).clamp(max=2)], (x > 0).nonzero(),
                         lw.zeros_like(x).scatter_(1, x.argmax(1)[:, None], 1.0), F.one_hot(x.argmax(1).clamp(max=2), 3)),
    "distinct": lambda x: ((x * 2).long().unique(return_inverse=True, return_counts=True),
                           lw.bucketize(x, lw.tensor([-0.5, 0.5])), lw.searchsorted(x[0].sort()[0], x),
                           lw.isin(x.long(), lw.tensor([0, 1])), x.median(), x.median(1), x.kthvalue(2, 0),
                           lw.bincount(x.argmax(1), minlength=3), F.one_hot(x.argmax(1))),
    "by masks": lambda x: (x[x > 0], x.masked_select(x < 0), x.masked_scatter(x > 0, x.exp()), lw.count_nonzero(x > 0),
                           lw.copysign(x, -1), x.signbit()),
    "into slices": lambda x: (x.index_add(0, lw.tensor([1, 1]), x[:2], alpha=2), x.index_copy(1, lw.tensor([0]), x[:, 1:2]),
                              x.clone().index_fill_(1, lw.tensor([0, 2]), 7.0), x.diag_embed(), lw.diag(x[0], 1),
                              x.select_scatter(x[:, 0], 1, 2), x.slice_scatter(x[:2], 0, 1, 3),
                              x.scatter_reduce(1, x.argsort(1), x, "amax"), x.put(lw.tensor([0, 2]), x[0, :2])),
    "windows": lambda x: (F.unfold(x[None, None], 2, padding=1), F.adaptive_max_pool1d(x, 2), F.adaptive_avg_pool1d(x, 3),
                          F.fold(F.unfold(x[None, None, :3, :4], 2), (3, 4), 2),
                          F.grid_sample(x[None, None], lw.tanh(x[None, :2, :2, None] * lw.ones(2)), align_corners=False)),
    "attention": lambda x: F.scaled_dot_product_attention(*[x[None, None]] * 3, is_causal=True, scale=0.3),
}


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags(mode):
    check(nn.EmbeddingBag(20, 3, mode=mode, padding_idx=2), (words(4, 6),), [{0: "n"}], [(words(7, 6),)])


@pytest.mark.parametrize("change", [lambda y: y.t_(), lambda y: y.transpose_(0, 1), lambda y: y.unsqueeze_(0),
                                    lambda y: y.unsqueeze_(1).squeeze_(1).swapdims_(0, -1)])
@pytest.mark.parametrize("made", [lambda x: x + 0, lambda x: (x + 0)[:, 1:]])
def test_tensors_that_become_views_of_themselves(change, made):
    def model(x):
        y = made(x)
        change(y)
        return y * 2, y.view(y.shape), y.add_(1).sum(0)
    check(model, (lw.randn(3, 5),), [{0: "rows"}], [(lw.randn(4, 5),)])


def test_counts():
    counts = lw.tensor([2, 0, 3])
    check(lambda x, n: x.repeat_interleave(n, 0), (lw.randn(3, 2), counts), [None, None], [(lw.randn(3, 2), counts.flip(0))])


def test_what_runs_along_a_dim():
    check(lambda x: (x.cumprod(1), *x.cummax(1), *x.cummin(1), x.logcumsumexp(1)), (lw.randn(4, 5),), [{0: "rows"}],
          [(lw.randn(6, 5),)])
    with pytest.raises(NotImplementedError, match="cumprod has no form in ONNX here: it runs along a dim whose size varies"):
        export(lambda x: x.cumprod(0), (lw.randn(4, 5),), dynamic_shapes=[{0: "rows"}])


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check(PROGRAMS[name], (lw.randn(4, 5),), [{0: "rows", 1: "columns"}], [(lw.randn(6, 7),)])


def test_a_custom_function_is_what_its_forward_does():
    class Cube(lw.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x * x

    check(lambda x: Cube.apply(x) + 1, (lw.randn(3),), [{0: "n"}], [(lw.randn(5),)])


# --- ops -------------------------------------------------------------------------------------------------------------------

def outcomes(op, text):
    """Whether the sample of ``op`` is exported, and gives the same; what was refused is None."""
    args, kwargs = Sample(op, text).make(lw, "float32")
    function = op.public_function
    try:
        program = export(lambda *args, **kwargs: function(*args, **kwargs), tuple(args), kwargs=kwargs)
    except NotImplementedError as error:
        assert op.name in str(error) or "torch.onnx.export: " in str(error)
        return None
    program.verify()
    return True


#: Samples whose outputs ORT's own operators give otherwise, or that PyTorch's notation has no tensor in.
APART = {"argmax": "+nan", "argmin": "+nan", "_max": "+nan", "_min": "+nan", "_ctc": "zero_infinity"}


def is_exportable(op, text):
    specs = Sample(op, text).specs
    shapes = [spec.shape for each in specs for spec in (each.items if each.kind == "list" else [each])]
    return (isinstance(text, str) and not any(shape is not None and 0 in shape for shape in shapes) and "complex" not in text
            and any(spec.has_tensors for spec in specs) and APART.get(op.name, "nothing") not in text)


def rows():
    """Every sample of ops that say what they are in ONNX, and the first of the others."""
    for op in registry.values():
        if isinstance(op, Op) and not op.random and op.name not in ("_fractional_max_pool", "float_power"):
            texts = [text for text in op.samples if isinstance(text, str) and is_exportable(op, text)]
            for text in texts if op.name in onnx_rules else texts[:1]:
                yield op, text


def test_ops():
    """What an op computes with functions of arrays is exported by construction: most are."""
    exported, refused, wrong = set(), set(), []
    for op, text in rows():
        try:
            (refused if outcomes(op, text) is None else exported).add(op.name)
        except OnnxExporterError as error:
            wrong.append(f"{op.name} {text}: {error}")
    assert not wrong, "\n".join(wrong)
    assert len(exported) > 260, len(exported)
    for name in ("relu", "gelu", "linear", "bmm", "softmax", "sum", "amax", "gather", "scatter",
                 "permute", "squeeze", "_slice", "_index", "masked_fill", "convolution", "_max_pool", "_avg_pool"):
        assert name in exported, name
    # Gates and the places of what was largest are outputs that ONNX does not give: models have these without.
    assert set(onnx_rules) - exported == {"_lstm_scan", "_gru_scan", "_adaptive_max_pool"}


# --- the arguments ---------------------------------------------------------------------------------------------------------

def small():
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Dropout(0.5), nn.Linear(8, 2))


def test_files_names_and_modes(tmp_path):
    model = small()
    assert model.training
    export(model, lw.ones(3, 4), tmp_path / "model.onnx", input_names=["x"], output_names=["y"],
           dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}, verbose=False, do_constant_folding=True)
    assert model.training and model[2].training
    proto = onnx.load(tmp_path / "model.onnx")
    assert [v.name for v in proto.graph.input] == ["x"] and [v.name for v in proto.graph.output] == ["y"]
    assert proto.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "n"
    assert [node.op_type for node in proto.graph.node] == ["Gemm", "Gelu", "Gemm", "Identity"]
    assert proto.producer_name == "leafward" and not any(p.grad is not None for p in model.parameters())
    buffer = io.BytesIO()
    export(model, (lw.ones(3, 4),), buffer)
    assert onnx.load_from_string(buffer.getvalue()).graph.input[0].type.tensor_type.shape.dim[0].dim_value == 3


def test_versions_of_operators():
    assert "Erf" in kinds(check(small().eval(), (lw.randn(2, 4),), [BATCH], [(lw.randn(3, 4),)], opset_version=18))
    with pytest.raises(ValueError, match="leafward writes 18 to 23"):
        export(small(), (lw.ones(1, 4),), opset_version=11)


def test_weights_outside_of_the_file():
    model = nn.Linear(4, 2)
    proto = export(model, (lw.ones(1, 4),), export_params=False).model_proto
    assert [v.name for v in proto.graph.input] == ["input", "weight", "bias"] and not proto.graph.initializer
    proto = export(model, (lw.ones(1, 4),), keep_initializers_as_inputs=True).model_proto
    assert len(proto.graph.input) == 3 and len(proto.graph.initializer) == 2


class Named(nn.Module):
    def forward(self, x, scale=None, *, pairs=()):
        return {"sum": x if scale is None else x * scale, "rest": sum(pairs) if pairs else None}


def test_arguments_by_name():
    x = lw.randn(2, 3)
    program = export(Named(), (x,), kwargs={"scale": x, "pairs": (x, x)}, dynamic_shapes={
        "x": {0: lw.export.Dim("n")}, "scale": {0: lw.export.Dim("n")}, "pairs": ({0: "n"}, {0: "n"})})
    assert [v.name for v in program.model_proto.graph.input] == ["x", "scale", "pairs_0", "pairs_1"]
    y = lw.randn(5, 3)
    assert close(program(y, y, y, y)[0], y * y) and close(program(y, y, y, y)[1], y + y)
    auto = export(Named(), (x,), dynamic_shapes=[{0: lw.export.Dim.AUTO, 1: lw.export.Dim.STATIC}])
    assert auto.model_proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param


def test_a_parameter_keeps_its_name_and_the_model_its_values():
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    before = [p.clone() for p in layer.parameters()]
    check(layer, (lw.randn(2, 3),), [BATCH], [(lw.randn(4, 3),)])
    assert all(lw.equal(a, b) for a, b in zip(before, layer.parameters()))


# --- what cannot be ----------------------------------------------------------------------------------------------------------

def test_decisions_by_values_are_told_with_their_line():
    def model(x):
        return x * 2 if x[0, 0] > 0 else x

    x = lw.tensor([[1.0, -3.0], [2.0, -1.0]])
    with pytest.raises(OnnxExporterError, match=r"a value was read into Python.*\n?.*test_onnx.py") as error:
        export(model, (x,))
    assert "decides by values or by sizes" in str(error.value)


def test_values_that_decide_the_same_for_both_examples_are_told():
    with pytest.warns(UserWarning, match=r"a value was read into Python, .*test_onnx.py:\d+: what it decides there stays"):
        export(lambda x: x * 2 if x.sum() > 0 else x, (lw.ones(3),))


def test_decisions_by_sizes():
    def model(x):
        return x * 2 if x.shape[0] > 3 else x

    with pytest.raises(OnnxExporterError, match="a comparison of the size 4 decided.*test_onnx.py"):
        export(model, (lw.ones(4, 2),), dynamic_axes={"x": {0: "n"}})
    export(model, (lw.ones(4, 2),))                         # one size: one way


def test_loops_over_a_dynamic_dim():
    with pytest.raises((OnnxExporterError, IndexError)):
        export(lambda x: lw.stack([x[:, k] for k in range(x.shape[1])]).sum(0), (lw.ones(2, 3),), dynamic_axes={"x": {1: "t"}})


def test_values_that_leave_for_numpy():
    with pytest.raises(OnnxExporterError, match="a value was read into Python"):
        export(lambda x: x + lw.from_numpy(x.detach().numpy()).sum(), (lw.randn(3),))


def test_what_a_model_keeps():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", lw.zeros(2))

        def forward(self, x):
            self.total += x.sum(0)
            return x + self.total

    with pytest.raises(NotImplementedError, match="writes to a parameter or a buffer"):
        export(Counter(), (lw.ones(3, 2),))


@pytest.mark.parametrize(("model", "said"), [
    (lambda x: x + lw.randn(3), "randn draws random numbers"),
    (lambda x: F.dropout(x, 0.5, True), "draws random numbers"),
    (lambda x: lw.fft.fft(x), "export: fft.fft has no form in ONNX here"),
    (lambda x: x.unique_consecutive(), "export: unique_consecutive has no form in ONNX here"),
    (lambda x: lw.linalg.inv(x @ x.T), "linalg.inv has no form in ONNX here: ONNX has no xp.kernels.invert"),
    (lambda x: lw.complex(x, x).abs(), "no form in ONNX"),
])
def test_refusals(model, said):
    with pytest.raises(NotImplementedError, match=said):
        export(model, (lw.randn(3, 3),))


def test_wrong_arguments():
    with pytest.raises(ValueError, match="there is no tensor"):
        export(lambda: lw.ones(1), ())
    with pytest.raises(ValueError, match="the dynamic size 'n' is 2 and, in the input y, 3"):
        export(lambda x, y: (x, y), (lw.ones(2), lw.ones(3)), dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})
    with pytest.raises(ValueError, match="a dynamic dim 2 of the input x, which has 1"):
        export(lambda x: x, (lw.ones(2),), dynamic_axes={"x": [2]})
    with pytest.raises(TypeError, match="unexpected keyword argument 'outputs'"):
        export(lambda x: x, (lw.ones(2),), outputs=["y"])
    with pytest.raises(NotImplementedError, match="@op.onnx"):
        export(lambda x: x, (lw.ones(2),), custom_translation_table={1: 2})


def test_an_example_that_the_model_refuses_is_refused_in_its_words():
    with pytest.raises(RuntimeError, match="^mat1 and mat2 shapes cannot be multiplied"):
        export(lw.nn.Linear(2, 2), (lw.ones(1, 3),), dynamic_axes={"input": [0]})


def test_a_dynamic_axis_of_a_name_that_is_not_there():
    with pytest.warns(UserWarning, match="Provided key nope for dynamic axes is not a valid input/output name: .* input, y"):
        export(lw.nn.Linear(2, 2), (lw.ones(1, 2),), output_names=["y"], dynamic_axes={"nope": {0: "n"}, "y": {0: "n"}})


def test_nothing_is_left_behind():
    x = lw.randn(2, requires_grad=True)
    assert not lw.onnx.is_in_onnx_export()
    seen = []
    export(lambda x: (seen.append(lw.onnx.is_in_onnx_export()), x * 2)[1], (x,))
    assert seen[-1] and not lw.onnx.is_in_onnx_export()
    assert type(x) is lw.Tensor and (x * 2).requires_grad and type(lw.zeros(2)) is lw.Tensor


def test_without_the_package():
    code = ("import sys; sys.modules['onnx'] = None\nimport leafward as lw\ntry: lw.onnx.export(lambda x: x, (lw.ones(1),))\n"
            "except ImportError as error: print(error)")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "leafward[onnx]"' in found.stdout
