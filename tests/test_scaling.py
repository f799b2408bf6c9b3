"""The model of many ranks is right where that can be computed by hand, and its table is the one in the documentation."""
from dataclasses import replace
from pathlib import Path

import pytest

from bench import ranks, scaling, scaling_model, scaling_page
from bench.scaling_model import Job, Machine, lost, reduction, step

DOCS = Path(__file__).parents[1] / "docs"
FAST = Machine(latency=1e-6, bandwidth=1e9)


def test_reductions():
    assert reduction(FAST, 1, 1e6, "ring") == 0
    assert reduction(FAST, 2, 1e6, "ring") == reduction(FAST, 2, 1e6, "halving") == pytest.approx(2e-6 + 1e-3)
    assert reduction(FAST, 8, 1e6, "ring") == pytest.approx(14e-6 + 1.75e-3)
    assert reduction(FAST, 8, 1e6, "halving") == pytest.approx(6e-6 + 1.75e-3)
    assert reduction(FAST, 2, 1e6, "near") == reduction(FAST, 8, 1e6, "near") == pytest.approx(2e-6 + 1e-3)
    measured = {(ranks, size): reduction(FAST, ranks, size, "ring") for ranks in (2, 3, 4) for size in (1e3, 4e6)}
    found = scaling_model.calibrated(measured)
    assert (found.latency, found.bandwidth) == pytest.approx((1e-6, 1e9))
    # On two cores three ranks take half as long again, and four twice as long.
    found = scaling_model.calibrated({key: seconds * max(1, key[0] / 2) for key, seconds in measured.items()}, cores=2)
    assert (found.latency, found.bandwidth) == pytest.approx((1e-6, 1e9))
    noise = {key: seconds * factor for (key, seconds), factor in zip(measured.items(), (1.1, 0.9, 0.9, 1.1, 1.1, 0.9))}
    found = scaling_model.calibrated(noise)
    assert (found.latency, found.bandwidth) == pytest.approx((1e-6, 1e9), rel=0.15)


def test_steps():
    one = Job(compute=0.3, gradients=1e8, bucket=1e8, overlap=False)
    whole = reduction(FAST, 4, 1e8, "ring")
    assert step(one, FAST, 4, "ring", jitter=0) == pytest.approx(0.3 + whole)
    # Ten buckets, each reduced faster than the next is there: what is left is the last.
    slow = Job(compute=30.0, gradients=1e8, bucket=1e7)
    tenth = reduction(FAST, 4, 1e7, "ring")
    assert step(slow, FAST, 4, "ring", jitter=0) == pytest.approx(30 + tenth)
    # Each slower than computing: they follow one another from the first on.
    quick = Job(compute=0.03, gradients=1e8, bucket=1e7)
    assert step(quick, FAST, 4, "ring", jitter=0) == pytest.approx(0.01 + 0.002 + 10 * tenth)
    assert step(slow, FAST, 1, "ring", jitter=0) == 30


def test_the_slowest_rank_counts():
    job = Job(compute=1.0, gradients=1.0)
    times = [step(job, FAST, ranks, "halving", jitter=0.03, steps=200) for ranks in (1, 16, 1024)]
    assert times[0] == pytest.approx(1, abs=0.01)
    # The greatest of 16 normals is 1.77 deviations above their mean, of 1,024 it is 3.25.
    assert times[1] == pytest.approx(1.054, abs=0.01) and times[2] == pytest.approx(1.102, abs=0.01)


def test_checkpoints_come_as_often_as_is_best():
    machine, job = Machine(failure=1e6, per_node=1, restart=0), Job(1, 1, checkpoint=0)
    # A second each: every 1,414 s where something fails every 1e6 s.
    assert lost(job, machine, 1) == pytest.approx(2 / 1414.2, rel=1e-3)
    assert lost(job, machine, 100) == pytest.approx(10 * lost(job, machine, 1), rel=1e-3)


def test_the_page_shows_what_the_model_says():
    found = list(scaling_model.rows(scaling_model.EXAMPLE, Machine()))
    assert scaling_model.table(found, Machine()) in (DOCS / "scaling.md").read_text(encoding="utf-8")
    assert scaling_model.plot(found) == (DOCS / "scaling.svg").read_text(encoding="utf-8")


def test_joining_costs_each_rank_the_same():
    for per_node, connections in (8, 16), (None, 128):
        (*_, cheap), (_, found, _, used) = [scaling.joined(size, per_node) for size in (32, 128)]
        assert found == connections and used < 2 * cheap + 0.3
    assert scaling_model.control(Machine(), 10_000)[0] == 1250 and scaling_model.control(Machine(), 9)[0] == 2


def test_cores_that_all_ranks_share():
    job, shared = Job(compute=0.3, gradients=1e8, bucket=1e8, handling=1e-10), replace(FAST, cores=2)
    for size, turns in (2, 1), (3, 1.5), (4, 2):
        expected = turns * (0.3 + 0.01 + reduction(FAST, size, 1e8, "ring"))          # nothing overlaps
        assert step(job, shared, size, "ring", jitter=0) == pytest.approx(expected)
    assert step(job, shared, 1, "ring", jitter=0) == pytest.approx(0.3)
    found = scaling_model.handled(0.5, replace(job, handling=0.0), shared)
    assert step(found, shared, 2, "ring", jitter=0) == pytest.approx(0.5)


def test_ranks_are_measured():
    found = scaling.measured("leafward", "one try", 2)
    assert found.gradients == 4 * ranks.DEPTH * (ranks.WIDTH + 1) * ranks.WIDTH
    assert min(found.alone, found.alone_used, found.step, found.used, found.weak, found.strong) > 0
    assert found.used == pytest.approx(found.alone_used + found.added, rel=1)


def test_what_is_promised_is_looked_at():
    def row(library, name, added, weak):
        return scaling.Steps(library, name, 2, 1.0, 1.0, 1.0, 1.0, added, weak, 1.0, 1)
    good = [row("leafward", "gpt", 0.04, 0.95), row("torch", "gpt", 0.01, 0.5), row("leafward", "mlp", 0.5, 0.4),
            row("torch", "mlp", 0.6, 0.4)]
    assert list(scaling.broken(good)) == []
    bad = [row("leafward", "gpt", 0.06, 0.85), row("torch", "gpt", 0.01, 0.99)]
    assert list(scaling.broken(bad)) == ["gpt: DDP adds 60.00 ms of a processor, PyTorch's 10.00 ms",
                                         "gpt: a rank is 85% as fast as alone"]


def test_the_page_is_written(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    page = folder / "scaling.md"
    page.write_text("before\n" + scaling_page.BEGIN + "of last time\n" + scaling_page.END + "after\n", encoding="utf-8")
    steps = [scaling.Steps(library, "gpt", 2, 0.1, 0.1, 0.11, 0.11, 0.001, 0.91, 0.9, 1) for library in ("leafward", "torch")]
    scaling_page.write(folder, 0.5, steps, [], [
        ("mlp", 2, (0.01, 0.01, 0.01), (0.01, 0.01, 0.01)),
        ("mlp", 3, (0.01, 0.012, 0.009), (0.01, 0.0105, 0.0098))], ([(64, 8, 0.1, 0.3)], [(64, 64, 0.1, 0.2)]))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "last time" not in text
    assert "| gpt | leafward | 100.0 | 110.0 | 100.0 | 1.00 | 91% | 90% |" in text and "off by 20% of the time" in text
    assert "| mlp | 3 | 10.00 | 12.00 (+20%) | 9.00 (-10%) | 10.00 | 10.50 (+5%) | 9.80 (-2%) |" in text
    assert "and by 5% of a rank's processor time" in text and "by 10% and 2% where it knows" in text
    assert "| 64 | 8 | 0.30 | 64 | 0.20 |" in text
    assert "What is promised holds here" in text and "1 Gbit" not in text
