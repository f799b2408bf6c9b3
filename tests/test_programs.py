"""The programs of bench/programs compute the same under both libraries, and are timed in turns."""
import pytest

pytest.importorskip("torch", reason="the programs are compared with PyTorch")

import leafward
import torch
from bench.programs import __main__ as command
from bench.programs import networks, scripts
from bench.survey import report

SMALL = {**scripts.PROGRAMS, **{name: program for name, program in networks.PROGRAMS.items()
                                if name.endswith("AdamW") and not name.startswith("resnet")}}


@pytest.mark.parametrize("name", SMALL)
def test_steps_agree(name):
    steps = [SMALL[name](t) for t in (leafward, torch)]
    for _ in range(3):
        ours, theirs = (step() for step in steps)
        assert command.close(ours, theirs), f"{ours}, {theirs}"


def test_a_wrong_number_is_no_time():
    with pytest.raises(AssertionError, match="leafward computed 1, PyTorch 2"):
        command.compare(lambda t: lambda: 1 if t is leafward else 2, 1)


def test_the_page_gets_the_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(command, "SECONDS", 0)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "benchmarks.md"
    page.write_text(f"before\n{command.BEGIN}old\n{command.END}{report.BEGIN}survey{report.END}")
    command.main(["ode_solver", "--write", "--threads", "1", "--note", "A note."])
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith(f"{report.BEGIN}survey{report.END}") and "old" not in text
    assert "A note." in text and "| ode_solver |" in text and "| ode_solver |" in capsys.readouterr().out


def test_memory_of_a_process_of_its_own():
    ours, theirs = (command.memory("vae, SGD", module, 1) for module in ("leafward", "torch"))
    assert 2**10 < ours < 2**20 and 2**10 < theirs < 2**20
