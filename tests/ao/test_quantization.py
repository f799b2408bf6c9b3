"""Models with weights of 8 bits give what PyTorch's do; their states are small, and come back."""
import copy
import io
import pickle

import numpy as np
import pytest

import leafward as lw
from leafward.ao.quantization import MinMaxObserver, PerChannelMinMaxObserver, QConfig, quantize_dynamic
from leafward.nn.utils.rnn import pack_padded_sequence
from tests.oracle import torch

pytestmark = [pytest.mark.filterwarnings("ignore:torch.ao.quantization is deprecated"),
              pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor"),
              pytest.mark.filterwarnings("ignore:dropout option adds dropout")]


def given(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def indices(*shape):
    return np.random.default_rng(0).integers(0, 10, shape)


def mlp(t):
    return t.nn.Sequential(t.nn.Linear(70, 30), t.nn.ReLU(), t.nn.Linear(30, 5, bias=False))


def layer(name, *args, **kwargs):
    return lambda t: t.nn.Sequential(getattr(t.nn, name)(*args, **kwargs))


class Block:
    """A model that hands on what its layers give in a form of its own, made for either side."""

    def __new__(cls, t):
        class Both(t.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = t.nn.ModuleDict({"a": t.nn.Linear(6, 6), "b": t.nn.Linear(6, 6)})
                self.head = t.nn.Linear(6, 3)

            def forward(self, x):
                return self.head(self.inner["b"](self.inner["a"](x)).tanh())
        return Both()


def config(name):
    return lambda t: getattr(t.ao.quantization, name)


#: Model, what is quantized, the dtype, inputs.
CASES = {
    "linear": (mlp, lambda t: None, "qint8", [given(4, 70), given(1, 70), given(2, 3, 70), given(0, 70), 0 * given(2, 70)]),
    "types": (mlp, lambda t: {t.nn.Linear}, "qint8", [100 * given(4, 70), 3 + given(5, 70), -9 - abs(given(5, 70))]),
    "names": (mlp, lambda t: {"2"}, "qint8", [given(4, 70)]),
    "rows": (mlp, lambda t: {t.nn.Linear: t.ao.quantization.per_channel_dynamic_qconfig}, "qint8", [given(4, 70)]),
    "none": (mlp, lambda t: {t.nn.Linear: t.ao.quantization.default_dynamic_qconfig, "0": None}, "qint8", [given(4, 70)]),
    "inherited": (Block, lambda t: {"inner"}, "qint8", [given(4, 6)]),
    "half": (mlp, lambda t: None, "float16", [given(4, 70)]),
    "lstm": (layer("LSTM", 6, 8, 2, bidirectional=True), lambda t: None, "qint8", [given(5, 3, 6), given(1, 1, 6)]),
    "lstm of many": (layer("LSTM", 6, 20), lambda t: None, "qint8", [given(4, 40, 6)]),
    "lstm by batch": (layer("LSTM", 6, 8, batch_first=True), lambda t: {t.nn.LSTM}, "qint8", [given(3, 5, 6)]),
    "lstm of half": (layer("LSTM", 6, 8), lambda t: None, "float16", [given(5, 3, 6)]),
    "gru": (layer("GRU", 6, 8, 2, bidirectional=True), lambda t: None, "qint8", [given(5, 3, 6)]),
    "lstm cell": (layer("LSTMCell", 6, 8), lambda t: None, "qint8", [given(3, 6)]),
    "gru cell": (layer("GRUCell", 6, 8), lambda t: None, "qint8", [given(3, 6)]),
    "rnn cell": (layer("RNNCell", 6, 8, nonlinearity="relu"), lambda t: None, "qint8", [given(3, 6)]),
    "table": (layer("Embedding", 10, 12), lambda t: None, "quint8", [indices(3, 4), indices(5)]),
    "bags": (layer("EmbeddingBag", 10, 12, mode="sum"), lambda t: None, "quint8", [indices(3, 4)]),
}


def flat(value):
    return [value.numpy()] if hasattr(value, "numpy") else [part for item in value for part in flat(item)]


def pair(make, spec=lambda t: None, dtype="qint8"):
    """A float model of PyTorch's, and the quantized ones of both."""
    torch.manual_seed(0)
    theirs, ours = make(torch), make(lw)
    ours.load_state_dict({name: lw.from_numpy(value.numpy()) for name, value in theirs.state_dict().items()})
    return theirs, torch.ao.quantization.quantize_dynamic(theirs, spec(torch), getattr(torch, dtype)), \
        quantize_dynamic(ours, spec(lw), getattr(lw, dtype))


@pytest.mark.parametrize("case", CASES)
def test_outputs_are_those_of_pytorch(case):
    make, spec, dtype, inputs = CASES[case]
    floats, theirs, ours = pair(make, spec, dtype)
    assert repr(ours) == repr(theirs)
    for x in inputs:
        with torch.no_grad(), lw.no_grad():
            wanted, exact = flat(theirs(torch.from_numpy(x))), flat(floats.eval()(torch.from_numpy(x)))
            found = flat(ours(lw.from_numpy(x)))
        for got, there, true in zip(found, wanted, exact, strict=True):
            # Float sums differ in their last bits, and of a number between two steps another one may then be chosen.
            np.testing.assert_allclose(got, there, rtol=1e-5, atol=1e-5 if dtype == "quint8" else 1e-6)
            scale = abs(true).max(initial=0) + 1e-3
            assert abs(got - true).max(initial=0) < (0.02 if dtype == "quint8" else 0.05) * scale


def test_codes_are_those_of_pytorch():
    for make, spec, dtype, _ in (CASES[case] for case in ("linear", "rows", "table")):
        _, theirs, ours = pair(make, spec, dtype)
        a, b = theirs[0].weight(), ours[0].weight()
        assert np.array_equal(a.int_repr().numpy(), b.int_repr().numpy())
        assert tuple(b.size()) == tuple(a.size()) and b.size(1) == a.size(1)
        assert str(a.qscheme()) == str(b.qscheme()) and str(a.dtype) == str(b.dtype) and b.is_quantized
        np.testing.assert_allclose(a.dequantize().numpy(), b.dequantize().numpy(), rtol=1e-6, atol=1e-7)
        if "tensor" in str(b.qscheme()):
            assert (b.q_scale(), b.q_zero_point()) == (a.q_scale(), a.q_zero_point())
        else:
            np.testing.assert_allclose(b.q_per_channel_scales().numpy(), a.q_per_channel_scales().numpy(), rtol=1e-7)
            np.testing.assert_allclose(b.q_per_channel_zero_points().numpy(), a.q_per_channel_zero_points().numpy(), rtol=1e-6)
            assert b.q_per_channel_axis() == a.q_per_channel_axis() == 0
        assert "Codes" in repr(b)


def test_packed_sequences_are_those_of_each_alone():
    """Of lengths that differ; PyTorch's own gives the same for each length of a step."""
    _, theirs, ours = pair(layer("LSTM", 6, 8, bidirectional=True))
    x, lengths = given(5, 3, 6), [5, 3, 2]
    with torch.no_grad():
        wanted, (wanted_h, wanted_c) = theirs[0](torch.nn.utils.rnn.pack_padded_sequence(torch.from_numpy(x), lengths))
    got, (h, c) = ours[0](pack_padded_sequence(lw.from_numpy(x), lengths))
    for a, b in ((got.data, wanted.data), (h, wanted_h), (c, wanted_c)):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def test_the_result_is_the_same_with_any_number_of_threads():
    model = quantize_dynamic(lw.nn.Sequential(lw.nn.Linear(512, 600)))
    x, threads, results = lw.randn(64, 512), lw.get_num_threads(), []
    try:
        for count in (1, 2, 3):
            lw.set_num_threads(count)
            results.append(model(x))
    finally:
        lw.set_num_threads(threads)
    assert all(lw.equal(results[0], other) for other in results)


def test_a_batch_with_a_number_that_is_none_is_nan():
    model = quantize_dynamic(lw.nn.Sequential(lw.nn.Linear(70, 3)))
    for odd in (lw.nan, lw.inf, -lw.inf):
        x = lw.randn(4, 70)
        x[1, 69] = odd
        assert model(x).isnan().all()


def test_what_is_not_asked_for_stays():
    model = lw.nn.Sequential(lw.nn.Linear(4, 4), lw.nn.Sequential(lw.nn.Linear(4, 4)), lw.nn.Embedding(4, 4))
    model.train()
    before = copy.deepcopy(model.state_dict())
    small = quantize_dynamic(model, {"1.0"})
    assert type(small[0]) is lw.nn.Linear and type(small[2]) is lw.nn.Embedding and "Quantized" in repr(small[1][0])
    assert not small.training and model.training and not hasattr(model, "qconfig") and not hasattr(small[0], "qconfig")
    assert all(lw.equal(value, before[name]) for name, value in model.state_dict().items())
    assert quantize_dynamic(model, inplace=True) is model and "Quantized" in repr(model[0])
    alone = lw.nn.Linear(2, 2)
    assert type(quantize_dynamic(alone)) is lw.nn.Linear                # as in PyTorch: what is in the model is exchanged


def test_hooks_go_along_and_a_layer_in_two_places_stays_one():
    one, seen = lw.nn.Linear(4, 4), []
    one.register_forward_hook(lambda *args: seen.append("after"))
    one.register_forward_pre_hook(lambda *args: seen.append("before"))
    small = quantize_dynamic(lw.nn.Sequential(one, one))
    assert small[0] is small[1]
    small(lw.ones(1, 4))
    assert seen == ["before", "after"] * 2


@pytest.mark.parametrize("case", sorted(CASES.keys() - {"inherited"}))         # its class is no module's
def test_states_and_pickles_come_back(case):
    make, spec, dtype, inputs = CASES[case]
    small, fresh = (quantize_dynamic(make(lw), spec(lw), getattr(lw, dtype)) for _ in range(2))
    file = io.BytesIO()
    lw.save(small.state_dict(), file)
    file.seek(0)
    fresh.load_state_dict(lw.load(file))
    x = lw.from_numpy(inputs[0])
    for again in (fresh, pickle.loads(pickle.dumps(small)), copy.deepcopy(small)):
        assert all(np.array_equal(a, b) for a, b in zip(flat(again(x)), flat(small(x)), strict=True))
    assert not list(small.parameters()) or case in ("names", "none")


def test_layers_are_made_as_pytorchs_are():
    for name, args in (("Linear", (4, 3)), ("LSTM", (4, 3)), ("GRU", (4, 3)), ("LSTMCell", (4, 3)), ("RNNCell", (4, 3))):
        state = lw.get_rng_state()
        made = getattr(lw.ao.nn.quantized.dynamic, name)(*args)
        assert lw.equal(lw.get_rng_state(), state) and not list(made.parameters())
        made.load_state_dict(quantize_dynamic(lw.nn.Sequential(getattr(lw.nn, name)(*args)))[0].state_dict())
        assert len(flat(made(lw.ones(2, 4) if "Cell" in name or name == "Linear" else lw.ones(2, 1, 4)))[0])
    assert lw.quantization is lw.ao.quantization


def test_a_checkpoint_takes_a_quarter():
    model = lw.nn.ModuleDict({"text": lw.nn.Embedding(1000, 256), "scan": lw.nn.LSTM(256, 256),
                              "head": lw.nn.Linear(256, 1000)})
    small = quantize_dynamic(quantize_dynamic(model), dtype=lw.quint8)

    def size(model):
        file = io.BytesIO()
        lw.save(model.state_dict(), file)
        return file.tell()
    assert size(model) / size(small) > 3.8 and size(model) / size(quantize_dynamic(model, dtype=lw.float16)) > 1.5


def test_results_have_no_history_and_keep_the_type_of_the_input():
    small = quantize_dynamic(lw.nn.Sequential(lw.nn.Linear(4, 2), lw.nn.Linear(2, 2)))
    out = small(lw.ones(3, 4, requires_grad=True))
    assert not out.requires_grad and out.grad_fn is None
    assert small(lw.ones(3, 4, dtype=lw.float64)).dtype is lw.float64 and small(lw.ones(3, 4).bfloat16()).dtype is lw.bfloat16
    with pytest.raises(RuntimeError, match="The number of rows in the packB should be equal to K: 5"):
        small(lw.ones(3, 5))


@pytest.mark.parametrize("dtype", ["qint8", "float16"])
@pytest.mark.parametrize(("name", "shape"), [("Linear", (2, 4)), ("LSTM", (3, 2, 4)), ("GRU", (3, 2, 4)), ("LSTMCell", (2, 4)),
                                             ("GRUCell", (2, 4)), ("RNNCell", (2, 4))])
def test_inputs_are_floats(name, shape, dtype):
    """Of integers the result, which has the type of the input, would be cut to integers."""
    for t in torch, lw:
        small = t.ao.quantization.quantize_dynamic(layer(name, 4, 3)(t), dtype=getattr(t, dtype))
        for odd in t.int64, t.bool:
            with pytest.raises((RuntimeError, ValueError)):
                small(t.ones(shape, dtype=odd))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags_reduce_as_the_float_ones_do(mode):
    """Of PyTorch's quantized bags all are sums, whatever the float one was."""
    bag = lw.nn.EmbeddingBag(10, 12, mode=mode)
    small = quantize_dynamic(lw.nn.Sequential(bag), dtype=lw.quint8)[0]
    assert (small(lw.from_numpy(indices(3, 4))) - bag(lw.from_numpy(indices(3, 4)))).abs().max() < 0.05


def test_quantize_is_a_function_as_pytorchs():
    from inspect import signature

    from leafward.ao.quantization.quantize import quantize_dynamic as by_the_modules_name
    assert by_the_modules_name is quantize_dynamic
    mine, theirs = (signature(t.ao.quantization.quantize).parameters for t in (lw, torch))
    assert list(mine) == list(theirs)


def test_transformers_and_attention_run():
    layer = lw.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    model = lw.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    small, x = quantize_dynamic(model), lw.randn(2, 5, 16)
    assert sum(type(part) is lw.ao.nn.quantized.dynamic.Linear for part in small.modules()) == 4    # attention's own stay
    assert (small(x) - model(x)).abs().max() < 0.1 * model(x).abs().max()


def test_the_story_of_a_backward_names_the_layer_that_has_no_gradient():
    small = quantize_dynamic(lw.nn.Sequential(lw.nn.Linear(4, 2)))
    with pytest.raises(RuntimeError) as error:
        small(lw.ones(1, 4, requires_grad=True)).sum().backward()
    assert "train the float model, and quantize it afterwards" in str(error.value) and "detach" not in str(error.value)


def test_what_is_refused():
    model, bag = lw.nn.Sequential(lw.nn.Linear(4, 2)), lw.nn.EmbeddingBag(4, 3, padding_idx=0)
    ceil = QConfig(None, MinMaxObserver.with_args(dtype=lw.qint8, qscheme=lw.per_tensor_affine))
    broken = copy.deepcopy(model)
    broken[0].weight.data[0, 0] = lw.nan
    for ask, error, said in (
        (lambda: quantize_dynamic(model, dtype=lw.quint4x2), NotImplementedError, "not to torch.quint4x2"),
        (lambda: quantize_dynamic(model, {"1"}), ValueError, "the model has no submodule '1'"),
        (lambda: quantize_dynamic(model, {lw.nn.Linear: 8}), ValueError, "has to be a QConfig or None, not int"),
        (lambda: quantize_dynamic(model, {lw.nn.Linear: ceil}), NotImplementedError, "symmetric qscheme"),
        (lambda: quantize_dynamic(broken, inplace=True), ValueError, "a NaN or an infinity among them"),
        (lambda: quantize_dynamic(lw.nn.Sequential(bag), dtype=lw.quint8), NotImplementedError, "neither max_norm nor pad"),
        (lambda: quantize_dynamic(lw.nn.Sequential(lw.nn.LSTM(4, 3, proj_size=2))), NotImplementedError, "no projections"),
        (lambda: quantize_dynamic(lw.nn.Sequential(lw.nn.Embedding(4, 3)), {lw.nn.Embedding}), AssertionError,
         "float_qparams_weight_only_qconfig"),
        (lambda: MinMaxObserver(dtype=lw.qint32), NotImplementedError, "codes are torch.qint8 or torch.quint8 here"),
        (lambda: PerChannelMinMaxObserver(ch_axis=1), NotImplementedError, "ch_axis=0"),
        (lambda: lw.zeros(2, dtype=lw.qint8), NotImplementedError, "quantize_dynamic for a model, torch.int8"),
        (lambda: lw.promote_types(lw.qint8, lw.float32), RuntimeError, "promoteTypes with quantized numbers is not handled"),
        (lambda: lw.ao.quantization.quantize(model, print, []), NotImplementedError, "use torch.ao.quantization.quantize_d"),
        (lambda: lw.ao.quantization.prepare, AttributeError, "quantize_dynamic"),
        (lambda: lw.ao.quantization.QuantStub(), NotImplementedError, "quantize_dynamic alone"),
    ):
        with pytest.raises(error, match=said):
            ask()
    assert type(broken[0]) is lw.nn.Linear and not hasattr(broken[0], "qconfig")      # nothing was exchanged
    assert (lw.iinfo(lw.qint8).min, lw.iinfo(lw.quint8).max, lw.qint32.itemsize) == (-128, 255, 4)
    assert pickle.loads(pickle.dumps((lw.qint8, lw.per_tensor_affine))) == (lw.qint8, lw.per_tensor_affine)


@pytest.mark.parametrize("dtype", ["qint8", "quint8"])
def test_observers_choose_as_pytorchs_do(dtype):
    t = torch.ao.quantization.observer
    for name, schemes in (("MinMaxObserver", ("per_tensor_affine", "per_tensor_symmetric")),
                          ("PerChannelMinMaxObserver", ("per_channel_affine", "per_channel_symmetric",
                                                        "per_channel_affine_float_qparams"))):
        for scheme in schemes:
            for x in (given(3, 5), abs(given(3, 5)), -abs(given(3, 5)), 0 * given(3, 5), 1e-9 * given(3, 5)):
                theirs = getattr(t, name)(dtype=getattr(torch, dtype), qscheme=getattr(torch, scheme))
                ours = getattr(lw.ao.quantization, name)(dtype=getattr(lw, dtype), qscheme=getattr(lw, scheme))
                theirs(torch.from_numpy(x)), ours(lw.from_numpy(x))
                for a, b in zip(ours.calculate_qparams(), theirs.calculate_qparams(), strict=True):
                    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)
