"""Errors inside layers: each names the layer and says what would fit, and what it says does."""
import pytest

import leafward as lw
from leafward import nn

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
        lambda: nn.TransformerEncoderLayer(8, 2)(lw.ones(3, 2, 6)), "embed_dim=6", None),
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
    "predictions for fewer": (
        lambda: nn.L1Loss()(lw.ones(3, 2), lw.ones(4, 2)), "[3, 2] and [4, 2] differ", None),
}


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
