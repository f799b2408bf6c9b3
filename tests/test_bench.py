"""The benchmark runs: every row, once, under leafward and under PyTorch."""
import json

import pytest

import leafward
from bench import __main__ as command
from bench import processes, timing
from bench.rows import ROWS
from tests.oracle import torch


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("module", [leafward, torch], ids=["leafward", "torch"])
def test_row_runs(row, module):
    assert timing.timer(row, module).timeit(1) > 0


def test_table_and_json_agree(tmp_path, capsys):
    command.main(["--only", "x.view", "--rounds", "1", "--json", str(tmp_path / "numbers.json")])
    numbers = json.loads((tmp_path / "numbers.json").read_text())
    row, = numbers["seconds"]
    assert row["name"] == "x.view(-1)" and row["ratio"] == pytest.approx(row["ours"] / row["theirs"])
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("x.view(-1)"))
    assert line.split()[-1] == f"{row['ratio']:.2f}"


def test_processes_are_measured():
    assert set(processes.import_seconds(["numpy", "leafward"], rounds=1)) == {"numpy", "leafward"}
    assert processes.peak_bytes("leafward") > 2**20
    assert 2**16 < processes.installed_bytes("leafward") < processes.installed_bytes("torch")


@pytest.mark.parametrize("value, unit, text", [
    (2.0, "s", "2 s"), (1.5e-6, "s", "1.5 µs"), (5e-10, "s", "0.5 ns"), (3 * 2**20, "bytes", "3 MiB")])
def test_numbers_in_words(value, unit, text):
    assert command.in_words(value, unit) == text
