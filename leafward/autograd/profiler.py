"""Where the time goes: each function on tensors, each node of backward, and blocks that the program names.

>>> import leafward as lw
>>> with lw.autograd.profiler.profile() as prof:
...     with lw.autograd.profiler.record_function("block"):
...         _ = lw.ones(2, 2) @ lw.ones(2, 2)
>>> [event.name for event in prof.function_events]
['block', 'aten::ones', 'aten::ones', 'aten::matmul']
"""
import functools
import json
import threading
import time

from leafward.core import modes
from leafward.core.tensor import TensorBase
from leafward.tensor.function_modes import TorchFunctionMode, resolve_name
from leafward.tensor.missing import names_missing_from

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "emit_nvtx", "profile", "record_function"]


class Interval:
    """When an event began and ended, in microseconds since the profile began."""

    def __init__(self, start, end):
        self.start, self.end = start, end

    def elapsed_us(self):
        return self.end - self.start


class FunctionEvent:
    """One call: its name, its interval, what it was called from, and what it called."""

    count = 1

    def __init__(self, name, number, thread, parent, shapes):
        self.name, self.id, self.thread, self.cpu_parent, self.input_shapes = name, number, thread, parent, shapes
        self.cpu_children = []
        self.time_range = Interval(0.0, 0.0)

    @property
    def key(self):
        return self.name

    @property
    def cpu_time_total(self):
        """How long it took, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        """The same without what it called."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    cpu_time = cpu_time_total

    def __repr__(self):
        return (f"<FunctionEvent id={self.id} name={self.name} cpu_time={formatted(self.cpu_time_total)} "
                f"thread={self.thread} input_shapes={self.input_shapes}>")


class FunctionEventAvg:
    """All calls of one name."""

    def __init__(self, key, shapes=()):
        self.key, self.input_shapes = key, list(shapes)
        self.count, self.cpu_time_total, self.self_cpu_time_total = 0, 0.0, 0.0

    def add(self, event):
        """Count ``event`` in."""
        self.count += event.count
        self.cpu_time_total += event.cpu_time_total
        self.self_cpu_time_total += event.self_cpu_time_total

    @property
    def name(self):
        return self.key

    @property
    def cpu_time(self):
        """How long one call takes on average."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def __repr__(self):
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={formatted(self.self_cpu_time_total)} "
                f"cpu_time={formatted(self.cpu_time)}  input_shapes={self.input_shapes}>")


class EventList(list):
    """Events, or averages of them, with a table."""

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """One entry for each name (and for the shapes of its inputs)."""
        found = {}
        for event in self:
            key = (event.key, str(event.input_shapes) if group_by_input_shape else "")
            if key not in found:
                found[key] = FunctionEventAvg(event.key, event.input_shapes if group_by_input_shape else ())
            found[key].add(event)
        return EventList(found.values())

    def total_average(self):
        """Everything in one entry."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
            total.cpu_time_total += event.self_cpu_time_total - event.cpu_time_total
        return total

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80,
              header=None, top_level_events_only=False):
        """The events as text, the largest ``sort_by`` first (``"cpu_time_total"``, ``"self_cpu_time_total"``, ``"count"``)."""
        rows = [e for e in self if not (top_level_events_only and getattr(e, "cpu_parent", None) is not None)]
        if sort_by is not None:
            rows = sorted(rows, key=lambda event: getattr(event, sort_by), reverse=True)
        total = self.self_cpu_time_total
        shapes = any(event.input_shapes for event in rows) and isinstance((rows or [None])[0], FunctionEventAvg)
        names = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
        lines = []
        for event in rows[:row_limit if row_limit >= 0 else None]:
            name = event.key if len(event.key) < max_name_column_width else event.key[:max_name_column_width - 3] + "..."
            line = [name, share(event.self_cpu_time_total, total), formatted(event.self_cpu_time_total),
                    share(event.cpu_time_total, total), formatted(event.cpu_time_total), formatted(event.cpu_time),
                    str(event.count)]
            lines.append([*line, str(event.input_shapes)[:max_shapes_column_width]] if shapes else line)
        if shapes:
            names.append("Input Shapes")
        widths = [max(12, *[len(line[k]) for line in [names, *lines]]) for k in range(len(names))]
        widths[0] = max([len(line[0]) for line in [names, *lines]]) + 4
        rule = "  ".join("-" * width for width in widths) + "  "
        text = [] if header is None else ["=" * len(rule), header]
        text += [rule, row_of(names, widths), rule, *[row_of(line, widths) for line in lines], rule]
        return "\n".join(text) + f"\nSelf CPU time total: {formatted(total)}\n"

    def export_chrome_trace(self, path):
        """Write the events as a trace that browsers show (``chrome://tracing``)."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump([{"name": e.name, "ph": "X", "ts": e.time_range.start, "dur": e.cpu_time_total, "tid": e.thread,
                        "pid": "CPU functions", "args": {}} for e in self], file)

    def __str__(self):
        return self.table()


def row_of(cells, widths):
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)) + "  "


def formatted(microseconds):
    """``"12.345ms"``."""
    for unit, size in ("s", 1e6), ("ms", 1e3):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


def share(part, whole):
    return f"{100 * part / whole:.2f}%" if whole else "NaN"


class Timed:
    """A block that is timed."""

    def __init__(self, recorder, name, shapes=()):
        self.recorder, self.name, self.shapes = recorder, name, list(shapes)

    def __enter__(self):
        stack = self.recorder.stack
        self.event = FunctionEvent(self.name, len(self.recorder.events), threading.get_ident(),
                                   stack[-1] if stack else None, self.shapes)
        if stack:
            stack[-1].cpu_children.append(self.event)
        stack.append(self.event)
        self.recorder.events.append(self.event)
        self.event.time_range.start = self.recorder.now()

    def __exit__(self, *exc):
        self.event.time_range.end = self.recorder.now()
        self.recorder.stack.pop()


class Recorder(TorchFunctionMode):
    """Times every function on tensors; nodes of backward ask it for :meth:`timed`."""

    def __init__(self, record_shapes):
        self.record_shapes = record_shapes
        self.events = EventList()
        self.names = {}                                     # function -> "torch.add"
        self.stack = []
        self.start = time.perf_counter()

    def now(self):
        return (time.perf_counter() - self.start) * 1e6

    def timed(self, name, shapes=()):
        return Timed(self, name, shapes)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func not in self.names:
            self.names[func] = resolve_name(func)
        name = self.names[func]
        if name is None or name.endswith("__get__") or name in UNTIMED:
            return func(*args, **(kwargs or {}))
        shapes = [list(a.shape) if isinstance(a, TensorBase) else [] for a in args] if self.record_shapes else ()
        with self.timed("aten::" + name.rpartition(".")[2], shapes):
            return func(*args, **(kwargs or {}))


#: Questions about a tensor: they compute nothing.
UNTIMED = {"torch.Tensor." + name for name in (
    "__len__", "size", "dim", "stride", "numel", "is_contiguous", "is_floating_point", "is_complex", "element_size",
    "storage_offset", "data_ptr", "register_hook", "retain_grad", "requires_grad_", "backward")}


class profile:
    """Time what happens inside a ``with`` block; printed, it is a table.

    ``record_shapes`` also notes the shapes of the inputs. Functions are timed as the program calls them, not what they call
    in turn; of backward, every node.
    """

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True, **others):
        self.enabled, self.record_shapes = enabled, record_shapes
        self.function_events = None
        self.recorder = None

    def __enter__(self):
        if self.enabled:
            if self.recorder is not None:
                raise RuntimeError("Profiler context manager is not reentrant")
            self.recorder = Recorder(self.record_shapes)
            self.recorder.__enter__()
            state = modes.current()
            state.profiler = self.recorder
            state.changed()
        return self

    def __exit__(self, *exc):
        if self.enabled:
            state = modes.current()
            state.profiler = None
            state.changed()
            self.recorder.__exit__()
            self.function_events = self.recorder.events

    def finished(self):
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """One entry for each name."""
        return self.finished().key_averages(group_by_input_shape)

    def total_average(self):
        """Everything in one entry."""
        return self.finished().total_average()

    def table(self, sort_by=None, row_limit=100, **options):
        """The events as text."""
        return self.finished().table(sort_by, row_limit, **options)

    def export_chrome_trace(self, path):
        """Write the events as a trace that browsers show."""
        self.finished().export_chrome_trace(path)

    @property
    def self_cpu_time_total(self):
        """How long everything took, in microseconds."""
        return self.finished().self_cpu_time_total

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)

    __repr__ = __str__


class emit_nvtx:
    """Would mark what runs for a profiler of GPUs: cannot be made."""

    def __init__(self, enabled=True, record_shapes=False):
        raise NotImplementedError("leafward does not have torch.autograd.profiler.emit_nvtx: it computes on the CPU; "
                                  "torch.profiler.profile times it")


class record_function:
    """Give a block, or a function, a name in the profile."""

    def __init__(self, name, args=None):
        self.name = name

    def __enter__(self):
        profiler = modes.current().profiler
        self.block = None if profiler is None else profiler.timed(self.name)
        if self.block is not None:
            self.block.__enter__()
        return self

    def __exit__(self, *exc):
        if self.block is not None:
            self.block.__exit__(*exc)

    def __call__(self, function):
        @functools.wraps(function)
        def named(*args, **kwargs):
            with record_function(self.name):
                return function(*args, **kwargs)
        return named


__getattr__ = names_missing_from("torch.autograd.profiler", globals())
