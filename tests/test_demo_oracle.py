"""The demo's training program beside PyTorch: the same split, the same loss curve, the same checkpoint."""
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

from leafward.app.demo import digits
from tests.oracle import assert_same, torch

STEPS = 50


@pytest.fixture(scope="module")
def in_pytorch():
    """The training program with its one import changed: a PyTorch program."""
    source = Path(digits.__file__).read_text(encoding="utf-8")
    assert source.count("leafward") == 1
    module = ModuleType("digits_in_pytorch")
    exec(source.replace("import leafward as torch", "import torch"), vars(module))
    assert module.torch is torch
    return module


def losses(program, steps):
    program.torch.manual_seed(0)
    images, labels, *_ = program.load()
    return list(islice(program.train(program.network(), images, labels), steps))


def test_split_is_pytorchs_and_keeps_digits_aside(in_pytorch):
    train, _, held_out, _ = digits.load()
    assert train.shape == (1437, 1, 8, 8) and held_out.shape == (360, 1, 8, 8)
    assert_same(digits.load(), in_pytorch.load(), rtol=0, atol=0)


def test_loss_curve_is_pytorchs(in_pytorch):
    ours, theirs = losses(digits, STEPS), losses(in_pytorch, STEPS)
    assert len(ours) == len(theirs) == STEPS
    assert ours == pytest.approx(theirs, rel=0, abs=1e-4)
    assert theirs[-1] < theirs[0] / 10


def test_checkpoint_opens_in_pytorch(in_pytorch, tmp_path):
    digits.torch.manual_seed(0)
    model = digits.network()
    digits.save(model, tmp_path / "digits.safetensors")
    restored = in_pytorch.restore(tmp_path / "digits.safetensors")
    *_, images, _ = digits.load()
    *_, same_images, _ = in_pytorch.load()
    assert_same(digits.predict(model, images), in_pytorch.predict(restored, same_images))
