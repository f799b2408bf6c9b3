"""Counting instructions: what is compared, what fails, and what a machine without valgrind says."""
import json

import pytest

import leafward
from bench import instructions


@pytest.mark.parametrize("name", instructions.CALLS)
def test_calls_run(name):
    setup, statement = instructions.CALLS[name]
    space = {"torch": leafward}
    try:
        exec(setup, space)                                                               # noqa: S102  the table's own text
        exec(statement, space)                                                           # noqa: S102
    finally:
        leafward.set_grad_enabled(True)


def test_every_call_has_a_count_and_the_counts_say_what_they_belong_to():
    kept = json.loads(instructions.FILE.read_text())
    assert kept["counts"].keys() == instructions.CALLS.keys() and min(kept["counts"].values()) > 0
    assert kept["with"].keys() == instructions.environment().keys()


def test_an_empty_loop_is_taken_off():
    texts = [f"desc: Trigger: Client Request: {name}\nevents: Ir\nsummary: {total}\n"
             for name, total in (("pass", 400), ("x + y", 80_400), ("x.exp()", 40_400))]
    assert instructions.counted(instructions.totals_of(texts)) == {"x + y": 4000, "x.exp()": 2000}


def test_more_than_a_tenth_is_a_loss():
    rows, lost = instructions.compared({"a": 1100, "b": 1101, "c": 500, "new": 7}, {"a": 1000, "b": 1000, "c": 1000})
    assert lost == ["b"] and rows[2] == ("c", 1000, 500, -0.5) and rows[3] == ("new", None, 7, None)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setattr(instructions, "FILE", tmp_path / "kept.json")

    def keep(counts, now, belongs_to=None):
        instructions.FILE.write_text(json.dumps({"with": belongs_to or instructions.environment(), "counts": counts}))
        monkeypatch.setattr(instructions, "count", lambda names: now)
    return keep


def test_a_loss_fails_where_the_counts_belong(kept, capsys):
    kept({"x + y": 1000}, {"x + y": 1200})
    assert instructions.main([]) == 1 and "+20.0%  more than a tenth lost" in capsys.readouterr().out
    kept({"x + y": 1000}, {"x + y": 1050})
    assert instructions.main([]) == 0
    kept({"x + y": 1000}, {"x + y": 1200}, {"python": "2"})
    assert instructions.main([]) == 0 and "nothing is concluded" in capsys.readouterr().out


def test_counts_are_written_with_what_they_belong_to(kept):
    kept({"x + y": 1000}, {"x.exp()": 7}, {"python": "2"})
    assert instructions.main(["--write"]) == 0
    written = json.loads(instructions.FILE.read_text())
    assert written == {"with": instructions.environment(), "counts": {"x + y": 1000, "x.exp()": 7}}


def test_a_machine_without_valgrind_says_so(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert instructions.main([]) == 2
    assert "valgrind is not installed" in capsys.readouterr().err
