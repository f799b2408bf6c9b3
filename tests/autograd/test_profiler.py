"""``autograd.profiler`` and ``torch.profiler``: what is timed, under which name, and the table."""
import json

import pytest

import leafward as lw
import leafward.profiler
import torch.profiler  # noqa: F401
from leafward.core.runtime import runtime
from tests.both import both


def worked(prof):
    x = lw.ones(3, 3, requires_grad=True)
    with prof:
        with lw.autograd.profiler.record_function("forward"):
            y = (x @ x).sum()
        y.backward()
    return prof


def test_events_have_names_parents_and_times():
    prof = worked(lw.autograd.profiler.profile(record_shapes=True))
    events = {event.name: event for event in prof.function_events}
    assert list(events) == ["forward", "aten::matmul", "aten::sum", "autograd::engine::evaluate_function: SumBackward0",
                            "autograd::engine::evaluate_function: MmBackward0"]
    assert events["aten::matmul"].cpu_parent is events["forward"]
    assert events["aten::matmul"].input_shapes == [[3, 3], [3, 3]]
    children = events["aten::matmul"].cpu_time_total + events["aten::sum"].cpu_time_total
    assert events["forward"].cpu_time_total >= children > 0
    assert events["forward"].self_cpu_time_total == pytest.approx(events["forward"].cpu_time_total - children)
    assert prof.self_cpu_time_total == pytest.approx(prof.total_average().cpu_time_total)
    assert runtime.special == 0


def test_the_table():
    prof = worked(lw.profiler.profile())
    text = prof.key_averages().table(sort_by="cpu_time_total", row_limit=2)
    lines = text.split("\n")
    assert lines[1].split("  ")[-2] == "# of Calls"
    assert len(lines) == 8
    assert lines[-2].startswith("Self CPU time total: ")
    assert "Input Shapes" in worked(lw.profiler.profile(record_shapes=True)).key_averages(group_by_input_shape=True).table()
    with pytest.raises(AttributeError):
        prof.key_averages().table(sort_by="zeal")


def test_a_trace_is_written(tmp_path):
    worked(lw.profiler.profile(on_trace_ready=lw.profiler.tensorboard_trace_handler(str(tmp_path))))
    written, = tmp_path.iterdir()
    assert {event["name"] for event in json.loads(written.read_text())} > {"forward", "aten::sum"}


def test_names_for_functions_and_nothing_without_a_profile():
    @lw.autograd.profiler.record_function("named")
    def f(x):
        return x + 1
    assert f(1) == 2
    with lw.profiler.profile() as prof:
        f(lw.ones(1))
    assert [event.name for event in prof.events()] == ["aten::ones", "named", "aten::add"]


@both
def test_schedules(t, see):
    for options in ({"wait": 1, "warmup": 1, "active": 2}, {"wait": 0, "warmup": 0, "active": 1, "repeat": 2},
                    {"wait": 1, "warmup": 1, "active": 2, "repeat": 1, "skip_first": 3}):
        see.warns(lambda options=options: [t.profiler.schedule(**options)(step).name for step in range(12)])
    see.raises(t.profiler.schedule(wait=1, warmup=1, active=1), -1)


def test_steps():
    ready = []
    with lw.profiler.profile(schedule=lw.profiler.schedule(wait=0, warmup=1, active=2, repeat=1),
                             on_trace_ready=lambda p: ready.append((p.step_num, len(p.events())))) as prof:
        for _ in range(6):
            lw.ones(1)
            prof.step()
    assert ready == [(3, 2)]
