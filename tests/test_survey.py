"""The survey: what it times comes from the declarations, at the sizes that it says, and the page says what the numbers say."""
import json
import math
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="the survey compares with PyTorch")

import leafward
import torch
from bench.survey import MODES, SIZES, measure, plot, report, workers
from bench.survey import __main__ as command
from bench.survey.cases import CannotBeTimed, Case, creation_cases, elements, flat, op_cases, ready
from bench.survey.layers import layer_cases, layer_classes, optimizer_cases
from bench.survey.scale import Growth, grown
from leafward.ops.creation import creations
from tests.samples import declared_ops, is_public

CASES = {(case.family, case.name, case.form): case for case in workers.every_case()}


def cell(ours, theirs, family="a", size="4x8", mode="plain", form="call", name="f"):
    return {"family": family, "name": name, "form": form, "size": size, "mode": mode, "ours": ours, "theirs": theirs}


@pytest.mark.parametrize("shape, how, new", [
    ((5,), "as long as all elements", (4096,)), ((5,), "as long as a row", (64,)),
    ((3, 4), "rows x columns", (64, 64)), ((3, 1), "rows x columns", (4096, 1)),
    ((3, 3), "rows x columns", (64, 64)), ((16, 4), "by one factor", (128, 32)),
    ((2, 3), "last dim stays", (1366, 3)), ((2, 3, 5), "all but the first dim", (2, 36, 60)),
    ((2, 3, 5, 3), "all but the first and the last dim", (2, 21, 35, 3))])
def test_the_largest_input_gets_the_size(shape, how, new):
    assert grown(shape, 64, 64, how) == new


@pytest.mark.parametrize("shape", [(3, 4), (7,), (2, 3, 4), (2, 3, 5, 5)])
def test_nothing_shrinks(shape):
    how = {1: "as long as a row", 2: "rows x columns"}.get(len(shape), "all but the first dim")
    assert all(new >= old for new, old in zip(grown(shape, 1, 2, how), shape))


def test_other_inputs_follow_the_largest():
    growth = Growth((3, 4), 64, 128, "rows x columns", "in proportion", windowed=False)
    assert growth.shape((4, 5)) == (128, 160) and growth.shape((5,)) == (160,) and growth.shape((3, 1)) == (64, 1)
    assert growth.shape((2, 6)) == (2, 4096)
    recurrent = Growth((3, 2, 3), 64, 64, "all but the first dim", "in proportion", windowed=False)
    assert recurrent.shape((8, 2)) == (4 * recurrent.shape((2,))[0], *recurrent.shape((2,)))
    window = Growth((2, 3, 5, 5), 64, 64, "all but the first dim", "in proportion", windowed=True)
    assert window.shape((4, 3, 3, 3))[2:] == (3, 3) and window.shape((4, 3, 3, 3))[1] == window.new[1]


def test_every_declaration_is_there():
    names = {case.name for case in op_cases()} | {case.name for case in creation_cases()}
    for op in declared_ops():
        if is_public(op):
            assert {path.removeprefix("torch.").removeprefix("Tensor.") for path in op.paths} & names, op.name
    assert {declared.name for declared in creations} <= names
    layers = {case.name for case in layer_cases()}
    assert {cls.__name__ for cls in layer_classes() if cls.forward is not leafward.nn.Module.forward} == layers
    assert {"SGD", "AdamW", "LBFGS"} <= {case.name for case in optimizer_cases()}


@pytest.mark.parametrize("family, name, form", [
    ("arithmetic", "mul", "call"), ("arithmetic", "mul", "method"), ("arithmetic", "mul", "operator"),
    ("arithmetic", "mul_", "in place"), ("views", "view", "call"), ("random", "normal_", "in place"),
    ("convolution", "nn.functional.conv2d", "call"), ("creation", "zeros", "call"), ("creation", "new_full", "call"),
    ("expressions", "x[i]", "index"), ("expressions", "x[mask] = 2.0", "index"), ("expressions", "x.to(double)", "call"),
    ("nn.linear", "Linear", "layer"), ("nn.rnn", "LSTM", "layer"), ("nn.transformer", "TransformerEncoder", "layer"),
    ("optim", "AdamW", "optimizer")])
def test_cells_of_every_kind_are_timed_in_every_mode(family, name, form):
    case = CASES[family, name, form]
    for mode in case.modes:
        try:
            for timed in ready(case, "4x8", mode):
                assert timed.seconds(2) > 0
        except CannotBeTimed as reason:
            assert mode == "trained" and str(reason) == "has no gradient" and family in ("creation", "random")


def test_both_sides_get_the_same_inputs_of_the_size():
    problem = CASES["linalg", "matmul", "call"].at("64x64")
    (ours, _), (theirs, _) = problem.make(leafward, True), problem.make(torch, True)
    for x, y in zip(ours, theirs, strict=True):
        assert x.requires_grad and y.requires_grad and x.tolist() == y.tolist()
    assert max(x.numel() for x in theirs) == math.prod(SIZES["64x64"])


def test_a_call_in_place_begins_each_time_with_the_same_values():
    problem = CASES["arithmetic", "mul_", "in place"].at("4x8")
    timed = problem.timed(leafward, "plain")
    target = timed.loop.__defaults__[0]
    before = target.tolist()
    timed.seconds(3)
    assert target.tolist() != before
    timed.reset()
    assert target.tolist() == before


def test_gradients_are_computed_and_dropped():
    problem = CASES["arithmetic", "mul", "call"].at("4x8")
    timed = problem.timed(leafward, "trained")
    seen = []
    leaves = timed.loop.__defaults__[-1]
    leaves[0].register_hook(seen.append)
    timed.seconds(2)
    assert len(seen) == 2 and leaves[0].grad is None


def test_the_least_counts():
    class Scripted:
        def __init__(self, *taken):
            self.taken = list(taken)

        def seconds(self, count):
            return self.taken.pop(0) if len(self.taken) > 1 else self.taken[0]

        def turn(self, once):
            return min(once, self.seconds(1))
    assert measure.compare([Scripted(0.2, 0.1, 0.05, 0.04, 0.2), Scripted(0.03, 0.01, 0.02)]) == [0.04, 0.01]


def test_what_dies_or_cannot_be_timed_is_listed(monkeypatch):
    def die(size):
        import os
        os._exit(3)

    def refuse(size):
        raise CannotBeTimed("a reason")
    cases = [Case("a", "one", "call", refuse), Case("a", "two", "call", die), CASES["arithmetic", "neg", "call"]]
    cells = [(case, "4x8", "plain") for case in cases]
    shown = []
    found = workers.run_family(cells, None, 1, shown.append)
    assert shown == found and [c["name"] for c in found] == ["one", "two", "neg"]
    assert found[0]["reason"] == "a reason" and found[1]["reason"] == "its process died: 3" and found[2]["ours"] > 0


def test_what_hangs_is_ended(monkeypatch):
    def hang(size):
        import time
        time.sleep(60)
    monkeypatch.setattr(workers, "PATIENCE_SECONDS", 0.5)
    found, = workers.run_family([(Case("a", "one", "call", hang), "4x8", "plain")], None, 1, lambda cell: None)
    assert found["reason"] == "had not ended after 0.5 s"


def test_means_and_shares():
    cells = [cell(1, 2), cell(1, 0.5), cell(1, 4), {"name": "g", "form": "call", "reason": "none"}]
    assert report.mean_of(cells) == pytest.approx(4 ** (1 / 3)) and report.share_at_least(cells) == pytest.approx(2 / 3)
    assert report.mean_of(cells[3:]) is None
    assert report.worst_table(cells).splitlines()[2].endswith("0.50 |")
    assert report.reason_table(cells).splitlines()[2] == "| none   | 1     | `g`   |"


def test_the_page_keeps_what_stands_around_it(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    survey = {"machine": report.machine(2), "limits": None, "cells": [
        {**cell(1, 2), "ours_of_limit": 0.5, "theirs_of_limit": 0.25, "limit": "memory"}, cell(1, 3, "b", "64x64", "trained"),
        {**{k: v for k, v in cell(1, 1).items() if k not in ("ours", "theirs")}, "reason": "no gradient"}]}
    page = tmp_path / "docs" / "benchmarks.md"
    page.write_text(f"before\n{report.BEGIN}old\n{report.END}after\n")
    report.write(survey, "A quiet machine.")
    text = page.read_text()
    assert text.startswith("before\n" + report.BEGIN) and text.endswith(report.END + "after\n") and "old\n" not in text
    assert "A quiet machine." in text and "| no gradient |" in text and "50 %" in text
    lines = (tmp_path / "docs" / "benchmarks.csv").read_text().splitlines()
    assert len(lines) == 4 and lines[1].startswith("a,f,call,4x8,plain,1,2,2.000,memory,0.5,0.25")
    picture = (tmp_path / "docs" / "benchmarks.svg").read_text()
    assert picture.count("<circle") == 2


def test_dots_lie_where_their_ratios_say():
    assert plot.across(1) < plot.across(2) < plot.across(8) == plot.across(100) and plot.across(0) == plot.LEFT


def test_a_part_is_measured(tmp_path):
    file = tmp_path / "numbers.json"
    done = subprocess.run([sys.executable, "-m", "bench.survey", "--only", "neg", "--form", "call", "--size", "4x8",
                           "--mode", "plain", "trained", "--cells", "--threads", "1", "--json", str(file)],
                          capture_output=True, text=True, check=True)
    cells = json.loads(file.read_text())["cells"]
    named = [c for c in cells if c["name"] == "neg"]
    assert [c["mode"] for c in named] == ["plain", "trained"] and all(c["ours"] > 0 < c["theirs"] for c in named)
    assert "| neg" in done.stdout and {c["size"] for c in cells} == {"4x8"} and MODES[1] not in {c["mode"] for c in cells}
    command.main(["--from-json", str(file)])


def test_tensors_are_found_in_what_holds_them():
    x = leafward.ones(2)
    assert flat((x, [x, 3]), "o")[1] == ["o[0]", "o[1][0]"] and elements((x, [x, 3])) == 4
