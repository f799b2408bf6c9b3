"""The benchmark runs: every row once, and the table says what the numbers say."""
import json
import subprocess
import sys
from importlib.util import find_spec

import pytest

import leafward
from bench import __main__ as command
from bench import footprint, large, processes, timing
from bench.rows import ROWS, Row
from bench.survey import workers

HAS_TORCH = find_spec("torch") is not None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row_runs(row):
    result = timing.compare(row, leafward, __import__("torch") if HAS_TORCH else None, rounds=1)
    assert result["ours"] > 0 and ("ratio" in result) == HAS_TORCH


def test_the_checks_are_off_and_on_in_turn():
    row = Row("mul", "x = torch.ones(1, requires_grad=True); seen = torch.seen", "seen.append((x * x).grad_fn._site is None)")
    leafward.seen = []
    try:
        result = timing.cost_of_checks(row, leafward, rounds=2)
        assert set(leafward.seen) == {True, False}
    finally:
        del leafward.seen
    assert result["ratio"] > 0 and leafward.core.runtime.runtime.checks


def test_the_command_chooses_which_leafward_is_measured():
    done = subprocess.run([sys.executable, "-m", "bench", "--interpreted", "--only", "x.view", "--rounds", "1"],
                          capture_output=True, text=True, check=True)
    assert "(interpreted)" in done.stdout


def test_table_and_json_agree(tmp_path, capsys):
    command.main(["--only", "x.view", "--rounds", "1", "--json", str(tmp_path / "numbers.json")])
    row, = json.loads((tmp_path / "numbers.json").read_text())["seconds"]
    assert row["name"] == "x.view(-1)"
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("x.view(-1)"))
    assert command.in_words(row["ours"], "s") in line
    if HAS_TORCH:
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])
        assert line.endswith(f"{row['ratio']:.2f}")


def test_processes_are_measured():
    assert set(processes.import_seconds(["numpy", "leafward"], rounds=1)) == {"numpy", "leafward"}
    assert processes.peak_bytes("leafward") > 2**20
    assert 2**16 < processes.installed_bytes("leafward") < 2**28
    assert processes.required_bytes("matplotlib") > processes.required_bytes("numpy") == 0


@pytest.mark.parametrize("value, unit, text", [
    (2.0, "s", "2 s"), (1.5e-6, "s", "1.5 µs"), (5e-10, "s", "0.5 ns"), (3 * 2**20, "bytes", "3 MiB")])
def test_numbers_in_words(value, unit, text):
    assert command.in_words(value, unit) == text


def test_the_footprint_is_a_table_in_the_readme():
    made = footprint.table(["leafward"], rounds=1)
    head, rule, *rows = made.split("\n\n")[0].split("\n")
    assert head.startswith("| | leafward ") and len(rows) == 4 and all(row.endswith(("MiB |", "s |")) for row in rows)
    text = footprint.README.read_text(encoding="utf-8")
    assert made in footprint.written_into(text, made)
    assert text.count(" MiB | ") == 2 and "on disk, with all that it requires" in text
    with pytest.raises(ValueError, match="no place"):
        footprint.written_into("", made)


def test_every_row_on_large_arrays_runs_and_is_told(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    results, names = {}, []
    for bound, case in large.cases():
        names.append((case.family, case.name))
        row = case.at("1M")
        small = large.Case(case.family, case.name, "call", lambda size, row=row: large.Statement(row.setup, row.statement, 64))
        for mode in case.modes:
            ours, theirs = [timed.seconds(1) for timed in workers.ready(small, "1M", mode)]
            results.setdefault(bound.what, []).append({**workers.key(case, "1M", mode), "ours": ours, "theirs": theirs})
    assert len(set(names)) == len(names) and set(results) == {"memory", "arithmetic"}
    monkeypatch.setattr(large, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "benchmarks.md"
    page.write_text(f"before\n{large.BEGIN}old\n{large.END}behind\n")
    large.write(results, 2, "A note.")
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("behind\n") and "old" not in text and "A note." in text
    assert all(f"`{name}`" in text for _, name in names)
