"""``leafward demo`` shows what it promises."""
import re
import subprocess
import sys

import pytest


def leafward_demo(*arguments):
    return subprocess.run([sys.executable, "-m", "leafward", "demo", *arguments], capture_output=True, text=True)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo, run once as a user would; what it printed, and where it left its files."""
    folder = tmp_path_factory.mktemp("demo")
    done = leafward_demo("--folder", folder)
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
    done = leafward_demo("--predict", "--folder", folder)
    assert done.returncode == 0, done.stderr
    assert "read as" in done.stdout
    assert accuracy_in(done.stdout) == accuracy_in(demo[0])


def test_predict_without_a_checkpoint_says_so(tmp_path):
    done = leafward_demo("--predict", "--folder", tmp_path)
    assert done.returncode == 1
    assert "no checkpoint" in done.stderr and "Traceback" not in done.stderr
