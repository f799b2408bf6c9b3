"""The programs in ``examples/`` run unmodified on leafward and on PyTorch, and print the same."""
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: Program -> its arguments: few steps, so that roundings have no time to grow.
EXAMPLES = {"autograd_basics.py": [], "digits.py": ["3"], "characters.py": ["60"], "quantized.py": ["3", "30"]}
#: A published model each, with its ``main(steps)``, which prints the loss of every step.
MODELS = ("dqn", "gan", "gpt", "lora", "lstm", "neural_ode", "resnet", "vae")
NUMBER = re.compile(r"-?\d+\.\d+")


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_prints_what_pytorch_prints(name, tmp_path, pytorchs_answer):
    pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")
    path = ROOT / "examples" / name
    ours, _ = run(tmp_path, "-m", "leafward", "run", path, *EXAMPLES[name])
    theirs, _ = pytorchs_answer(name, (path.read_text(), EXAMPLES[name]), lambda: run(tmp_path, path, *EXAMPLES[name]))
    assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    assert [float(n) for n in NUMBER.findall(ours)] == pytest.approx([float(n) for n in NUMBER.findall(theirs)], abs=2e-3)


@pytest.mark.parametrize("model", MODELS)
def test_model_has_pytorchs_losses(model, tmp_path, capsys, pytorchs_answer):
    pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")
    path = ROOT / "examples" / f"{model}.py"
    ours, said = run(tmp_path, "-m", "leafward", "run", path, "20")

    def printed():
        runpy.run_path(path)["main"](20)
        return capsys.readouterr().out
    theirs = pytorchs_answer(model, (path.read_text(), 20), printed)
    ours, theirs = ([line for line in text.splitlines() if line.startswith("step ")] for text in (ours, theirs))
    assert len(ours) == 20 and [NUMBER.sub("#", line) for line in ours] == [NUMBER.sub("#", line) for line in theirs]
    losses, wanted = ([float(n) for n in NUMBER.findall("\n".join(lines))] for lines in (ours, theirs))
    assert losses == pytest.approx(wanted, rel=0, abs=1e-4) and not said


def test_8_bits_cost_next_to_nothing(tmp_path):
    printed, said = run(tmp_path, "-m", "leafward", "run", ROOT / "examples" / "quantized.py", "6", "60")
    read, read_8, loss, loss_8, loss_tables = (float(n) for n in NUMBER.findall(printed))
    assert read > 0.9 and abs(read - read_8) < 0.01 and not said
    assert loss < 2.2 and abs(loss - loss_8) < 0.01 * loss and abs(loss - loss_tables) < 0.01 * loss


def test_the_basics_warn_of_the_write_through_data(tmp_path):
    printed, said = run(tmp_path, "-m", "leafward", "run", ROOT / "examples" / "autograd_basics.py")
    assert "write through .data   [0.0, 0.0, 0.0]" in printed
    assert said.count("SilentGradientWarning") == 1 and "h.data.zero_()" in said


def test_the_digits_are_read(tmp_path):
    printed, said = run(tmp_path, "-m", "leafward", "run", ROOT / "examples" / "digits.py")
    assert float(re.findall(r"held out ([\d.]+)%", printed)[-1]) > 94 and not said
    assert "restored network agrees: True" in printed and (tmp_path / "digits.pt").exists()


def test_the_text_is_learned(tmp_path):
    printed, _ = run(tmp_path, "-m", "leafward", "run", ROOT / "examples" / "characters.py")
    assert printed.splitlines()[-1].startswith("A gradient flows from the root to the leaves. Each node on the way asks")
