"""Errors inside layers: each names the layer and says what would fit, and what it says does."""
import pytest

import leafward as lw
from leafward import nn
from leafward.trust import trials
from tests.nn.layers import LAYERS, RANDOM, seeded, tensors

SCORES, EIGHT = lw.ones(4, 3), lw.ones(3, 2, 8)
#: name -> (what fails, words of the repair, what the repair makes of it)
REFUSED = {
    "attention of another width": (
        lambda: nn.MultiheadAttention(8, 2)(*[lw.ones(3, 2, 6)] * 3),
        "the last dim of the input has 6 elements, not 8: make the "
        "layer with embed_dim=6", lambda: nn.MultiheadAttention(6, 2)(*[lw.ones(3, 2, 6)] * 3)),
    "keys of another width": (
        lambda: nn.MultiheadAttention(8, 2)(EIGHT, lw.ones(3, 2, 6), EIGHT), "the second input has 6 elements, not 8: make the "
        "layer with kdim=6", lambda: nn.MultiheadAttention(8, 2, kdim=6)(EIGHT, lw.ones(3, 2, 6), EIGHT)),
    "attention of another batch": (
        lambda: nn.MultiheadAttention(8, 2, batch_first=True)(EIGHT, *[lw.ones(5, 2, 8)] * 2),
        "dim 0 is the batch, as batch_first=True: 3 here, 5 there; if dim 1 is, make the layer with batch_first=False",
        lambda: nn.MultiheadAttention(8, 2, batch_first=False)(EIGHT, *[lw.ones(5, 2, 8)] * 2)),
    "more keys than values": (
        lambda: nn.MultiheadAttention(8, 2)(EIGHT, lw.ones(5, 2, 8), lw.ones(4, 2, 8)), "5 keys, 4 values", None),
    "attention to one dim": (
        lambda: nn.MultiheadAttention(8, 2)(*[lw.ones(8)] * 3), "it takes 3 dims, sequence and batch first",
        lambda: nn.MultiheadAttention(8, 2)(*[lw.ones(1, 8)] * 3)),
    "an encoder of another width": (
        lambda: nn.TransformerEncoderLayer(8, 2)(lw.ones(3, 2, 6)), "d_model=6",
        lambda: nn.TransformerEncoderLayer(6, 2)(lw.ones(3, 2, 6))),
    "a decoder of another batch": (
        lambda: nn.TransformerDecoderLayer(8, 2)(EIGHT, lw.ones(3, 4, 8)), "if dim 0 is, make the layer with batch_first=True",
        lambda: nn.TransformerDecoderLayer(8, 2, batch_first=True)(EIGHT, lw.ones(3, 4, 8))),
    "a state of another batch": (
        lambda: nn.GRU(8, 3)(EIGHT, lw.ones(1, 3, 3)), "dim 1 is the batch, as batch_first=False: 2 here, 3 there",
        lambda: nn.GRU(8, 3)(EIGHT, lw.ones(1, 2, 3))),
    "class numbers that are floats": (
        lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4)),
        "pass y.long()", lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4).long())),
    "floats of another shape": (
        lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4, 2)), "scores [4, 3] want class numbers [4], one for each example, or "
        "probabilities [4, 3]: these are [4, 2]", lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4, 3))),
    "a column of floats": (
        lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4, 1)), "pass y.squeeze(1).long() as the second",
        lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4, 1).squeeze(1).long())),
    "a column of class numbers": (
        lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4, 1).long()), "pass y.squeeze(1) as the second",
        lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(4, 1).long().squeeze(1))),
    "targets for more examples": (
        lambda: nn.CrossEntropyLoss()(SCORES, lw.ones(5).long()), "scores [4, 3] want class numbers [4]", None),
    "rows of 0 and 1": (
        lambda: nn.NLLLoss()(SCORES, lw.eye(4, 3).long()), "pass y.argmax(1)",
        lambda: nn.NLLLoss()(SCORES, lw.eye(4, 3).long().argmax(1))),
    "classes at the end": (
        lambda: nn.CrossEntropyLoss()(lw.ones(4, 7, 3), lw.ones(4, 7).long()), "pass x.movedim(-1, 1), of shape [4, 3, 7]",
        lambda: nn.CrossEntropyLoss()(lw.ones(4, 7, 3).movedim(-1, 1), lw.ones(4, 7).long())),
    "a class too many": (
        lambda: nn.NLLLoss()(SCORES, lw.tensor([0, 1, 2, 3])),
        "class 3 is beyond the 3 scores, which are counted from 0: make the "
        "last layer with 4 outputs", lambda: nn.NLLLoss()(lw.ones(4, 4), lw.tensor([0, 1, 2, 3]))),
    "classes counted from 1": (
        lambda: nn.CrossEntropyLoss()(SCORES, lw.tensor([1, 2, 3, 3])), "if they are counted from 1, pass y - 1",
        lambda: nn.CrossEntropyLoss()(SCORES, lw.tensor([1, 2, 3, 3]) - 1)),
    "a negative class": (
        lambda: nn.NLLLoss()(SCORES, lw.tensor([0, 1, 2, -1])), "ignore_index=-1 leaves such targets out",
        lambda: nn.NLLLoss(ignore_index=-1)(SCORES, lw.tensor([0, 1, 2, -1]))),
    "no image for BatchNorm2d": (
        lambda: nn.BatchNorm2d(3)(SCORES),
        "BatchNorm2d takes 4 dims: batch, channels, height, width; for an input of 2 there is "
        "BatchNorm1d", lambda: nn.BatchNorm1d(3)(SCORES)),
    "an image for BatchNorm1d": (
        lambda: nn.BatchNorm1d(3)(lw.ones(2, 3, 4, 4)), "for an input of 4 there is BatchNorm2d",
        lambda: nn.BatchNorm2d(3)(lw.ones(2, 3, 4, 4))),
    "one image for BatchNorm2d": (
        lambda: nn.BatchNorm2d(3)(lw.ones(3, 4, 4)), "x.unsqueeze(0) has shape [1, 3, 4, 4]",
        lambda: nn.BatchNorm2d(3)(lw.ones(3, 4, 4).unsqueeze(0))),
    "a batch of one": (
        lambda: nn.BatchNorm1d(3)(lw.ones(1, 3)), "drop_last=True in the DataLoader), or eval()",
        lambda: nn.BatchNorm1d(3).eval()(lw.ones(1, 3))),
    "two dims for a pooling of images": (
        lambda: nn.MaxPool2d(2)(lw.ones(3, 4)), "for an input of 2 there is MaxPool1d", lambda: nn.MaxPool1d(2)(lw.ones(3, 4))),
    "an image smaller than the kernel": (
        lambda: nn.Conv2d(3, 4, 3)(lw.ones(2, 3, 2, 2)), "2 places are fewer than the kernel's 3",
        lambda: nn.Conv2d(3, 4, 3, padding=1)(lw.ones(2, 3, 2, 2))),
    "a second input of another size": (
        lambda: nn.Bilinear(2, 3, 4)(lw.ones(2, 2), lw.ones(2, 2)), "make the layer with in2_features=2",
        lambda: nn.Bilinear(2, 2, 4)(lw.ones(2, 2), lw.ones(2, 2))),
    "slopes for other channels": (
        lambda: nn.PReLU(3)(lw.ones(2, 4)), "make the layer with num_parameters=4", lambda: nn.PReLU(4)(lw.ones(2, 4))),
    "scores for probabilities": (
        lambda: nn.BCELoss()(lw.ones(3) * 2, lw.ones(3)), "pass x.sigmoid(), or use BCEWithLogitsLoss",
        lambda: nn.BCELoss()((lw.ones(3) * 2).sigmoid(), lw.ones(3))),
    "a mask of another size": (
        lambda: nn.MultiheadAttention(8, 2)(EIGHT, EIGHT, EIGHT, attn_mask=lw.ones(2, 2).bool()),
        "attn_mask has the shape [2, 2]: [3, 3] would do", None),
    "a mask of keys that lies the other way": (
        lambda: nn.TransformerEncoderLayer(8, 2)(EIGHT, src_key_padding_mask=lw.zeros(3, 2).bool()),
        "pass key_padding_mask.transpose(0, 1), of shape [2, 3]",
        lambda: nn.TransformerEncoderLayer(8, 2)(EIGHT, src_key_padding_mask=lw.zeros(3, 2).bool().transpose(0, 1))),
    "a transformer of another width": (
        lambda: nn.Transformer(8, 2, 1, 1, 16, batch_first=True)(*[lw.ones(3, 2, 6)] * 2),
        "make the layer with d_model=6", None),
    "states without a batch": (
        lambda: nn.LSTM(8, 4)(EIGHT, (lw.ones(2, 4), lw.ones(2, 4))), "pass hx[0].unsqueeze(0), hx[1].unsqueeze(0), of shape "
        "[1, 2, 4]", lambda: nn.LSTM(8, 4)(EIGHT, (lw.ones(2, 4).unsqueeze(0), lw.ones(2, 4).unsqueeze(0)))),
    "an odd number to halve": (
        lambda: nn.GLU()(lw.ones(3, 5)), "dim 1 of the input has 5 elements: 4 or 6 would do", lambda: nn.GLU()(lw.ones(3, 6))),
    "channels that do not make pixels": (
        lambda: nn.PixelShuffle(2)(lw.ones(2, 7, 3, 2)), "dim 1 of the input has 7 elements: 4 or 8 would do",
        lambda: nn.PixelShuffle(2)(lw.ones(2, 8, 3, 2))),
    "columns that do not make an image": (
        lambda: nn.Fold((4, 5), 2)(lw.ones(2, 12, 11)), "dim 2 of the input has 11 elements: 12 would do",
        lambda: nn.Fold((4, 5), 2)(lw.ones(2, 12, 12))),
    "a column of labels for two vectors": (
        lambda: nn.CosineEmbeddingLoss()(lw.ones(3, 4), lw.ones(3, 4), lw.ones(3, 1)), "pass target.squeeze(1), of shape [3]",
        lambda: nn.CosineEmbeddingLoss()(lw.ones(3, 4), lw.ones(3, 4), lw.ones(3, 1).squeeze(1))),
    "predictions for fewer": (
        lambda: nn.L1Loss()(lw.ones(3, 2), lw.ones(4, 2)), "[3, 2] and [4, 2] differ", None),
}


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    """However slow the machine is: a user's program does not wait for trials, a test does."""
    monkeypatch.setattr(trials, "SECONDS", 600)
    monkeypatch.setattr(trials, "ALTOGETHER", float("inf"))


@pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_what_a_layer_refuses_says_what_would_fit(name):
    refused, words, fits = REFUSED[name]
    with pytest.raises((RuntimeError, ValueError, IndexError, AssertionError)) as caught:
        refused()
    (note,) = caught.value.__notes__
    lines = note.splitlines()
    assert lines[0].startswith("  in layer ")
    assert lines[1].startswith("  came in ")
    assert lines[-1].startswith("  repair ")
    assert words in lines[-1]
    assert "repair" not in str(caught.value)
    if fits is not None:
        fits()


def test_the_path_of_a_layer_inside_a_transformer():
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2, enable_nested_tensor=False)
    with pytest.raises(AssertionError) as caught:
        net(lw.ones(3, 2, 6))
    assert caught.value.__notes__[0].splitlines()[0] == "  in layer    layers.0.self_attn: MultiheadAttention(...)"


def test_assertions_of_users_get_no_note():
    class Mine(nn.Module):
        def forward(self, x):
            assert x.ndim == 3, "three dims"
            return x
    with pytest.raises(AssertionError) as caught:
        Mine()(lw.ones(2))
    assert not hasattr(caught.value, "__notes__")


def spoiled(inputs):
    """The same inputs with one of them spoiled in one way: a dim less or more, one more in a dim, another dtype."""
    for number, x in enumerate(x.detach() for x in inputs):
        others = [x.double() if x.dtype == lw.float32 else x.float(), *([x.long()] if x.is_floating_point() else [])]
        longer = [lw.zeros([n + (d == dim) for d, n in enumerate(x.shape)], dtype=x.dtype) for dim in range(x.ndim)]
        for anew in ([x[0]] if x.ndim else []) + [x[None], *longer, *others]:
            yield [*inputs[:number], anew, *inputs[number + 1:]]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("expression", [*LAYERS, *RANDOM])
def test_every_refusal_of_every_layer_has_its_note(expression):
    inputs = tensors(lw, (LAYERS | RANDOM)[expression])
    net = nn.Sequential()
    net.add_module("part", nn.Module())
    for given in spoiled(inputs):
        layer = seeded(lw, expression)
        net.part.layer, net.part.forward = layer, layer.__call__
        try:
            net.part.layer(*given) if len(given) > 1 else net(*given)
        except Exception as error:      # noqa: BLE001  (whatever it is, it has the note)
            (note,) = error.__notes__
            labels = [line.split("   ")[0].strip() for line in note.splitlines()]
            assert labels == ["in layer", "came in", "called at", "repair"], note
            assert len(given) > 1 or note.startswith("  in layer    part.layer: "), note
            assert "test_layer_repairs.py" in note


@pytest.mark.parametrize("expression", ["InstanceNorm1d(3)", "RReLU()", "Dropout1d(0.5)"])
def test_trials_leave_layers_inputs_and_random_numbers_alone(expression, monkeypatch):
    def after(seconds):
        monkeypatch.setattr(trials, "SECONDS", seconds)
        layer, x = seeded(lw, expression), lw.ones(4, 3, 5).long()
        with pytest.raises((RuntimeError, NotImplementedError)) as caught:
            layer(x)
        told = "repair      pass input.float()" in caught.value.__notes__[0]
        return [*layer.state_dict().values(), x, lw.get_rng_state()], told
    (without, told), (tried, told_then) = after(-1), after(600)
    assert told_then and not told
    assert all(bool((one == other).all()) for one, other in zip(without, tried, strict=True))
