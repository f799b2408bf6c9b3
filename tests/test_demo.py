"""``leafward demo``: the digits network trains as PyTorch's does, and the demo shows what it promises."""
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

from leafward.demo import digits, show
from tests.oracle import torch

STEPS = 50
pytestmark = pytest.mark.xdist_group("demo")        # one process: the demo is run once


@pytest.fixture(scope="module")
def in_pytorch():
    """The training program with its one import changed: a PyTorch program."""
    source = Path(digits.__file__).read_text()
    assert source.count("leafward") == 1
    module = ModuleType("digits_in_pytorch")
    exec(compile(source.replace("import leafward as torch", "import torch"), "digits_in_pytorch.py", "exec"), vars(module))
    assert module.torch is torch
    return module


def losses(program, steps):
    program.torch.manual_seed(0)
    images, labels, *_ = program.load()
    return list(islice(program.train(program.network(), images, labels), steps))


def test_split_keeps_digits_aside(in_pytorch):
    train, train_labels, held_out, labels = digits.load()
    assert train.shape == (1437, 1, 8, 8) and held_out.shape == (360, 1, 8, 8)
    for ours, theirs in zip((train, train_labels, held_out, labels), in_pytorch.load()):
        assert ours.tolist() == theirs.tolist()


def test_loss_curve_is_pytorchs(in_pytorch):
    ours, theirs = losses(digits, STEPS), losses(in_pytorch, STEPS)
    assert len(ours) == len(theirs) == STEPS
    assert ours == pytest.approx(theirs, rel=0, abs=1e-4)
    assert theirs[-1] < theirs[0] / 10


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo, run once as a user would; what it printed, and where it left its files."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run([sys.executable, "-m", "leafward", "demo", "--folder", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr, folder


def accuracy_in(text):
    right, total = map(int, re.search(r"(\d+) of (\d+) held-out digits", text).groups())
    assert total >= 360
    return right / total


def test_demo_reads_digits(demo):
    printed, progress, _ = demo
    assert accuracy_in(printed) >= 0.98
    assert "460/460" in progress and "held out" in progress


@pytest.mark.parametrize("name", ["curve.png", "hardest.png"])
def test_demo_draws_pictures(demo, name):
    picture = (demo[2] / name).read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10_000


def test_demo_shows_the_in_place_error(demo):
    printed = demo[0]
    assert "tensor([0., 0., 0.], grad_fn=<SigmoidBackward0>)" in printed
    assert "one of the variables needed for gradient computation has been modified by an inplace operation" in printed
    for line in ("out = x.sigmoid()", "seen = out.detach()", "seen.zero_()"):
        assert printed.count(line) >= 2         # in the listing, and in the error's story
    assert "detach.py:4" in printed and "detach.py:6" in printed


def test_demo_shows_the_silent_write(demo):
    story = demo[0].partition("data.py")[2]
    assert "SilentGradientWarning" in story and "tensor([0., 0., 0.])" in story
    assert "data.py:6" in story


def test_checkpoint_is_read_back(demo):
    folder = demo[2]
    done = subprocess.run([sys.executable, "-m", "leafward", "demo", "--predict", "--folder", folder],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "read as" in done.stdout
    assert accuracy_in(done.stdout) == accuracy_in(demo[0])


def test_checkpoint_opens_in_pytorch(demo, in_pytorch):
    *_, images, labels = in_pytorch.load()
    assert in_pytorch.accuracy(in_pytorch.restore(demo[2] / show.CHECKPOINT), images, labels) >= 0.98


def test_predict_without_a_checkpoint_says_so(tmp_path):
    done = subprocess.run([sys.executable, "-m", "leafward", "demo", "--predict", "--folder", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 1
    assert "no checkpoint" in done.stderr and "Traceback" not in done.stderr
