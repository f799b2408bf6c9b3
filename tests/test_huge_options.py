"""Every whole number among the options of every op, huge: it is computed or refused at once, and in words of PyTorch's kind."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

import leafward as lw

pytest.importorskip("torch")        # the samples are drawn beside it

#: Runs the calls from the given number on, in a process of its own: what crashes or hangs ends that one alone.
PROGRAM = """
import faulthandler, resource, sys, time
import leafward
from tests.test_huge_options import calls
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (1 << 30),) * 2)
for number, (op, args, kwargs, told) in enumerate(calls()):
    if number < int(sys.argv[1]):
        continue
    print(number, told, sep="\\t", end="\\t", flush=True)
    faulthandler.dump_traceback_later(30, exit=True)
    start, said = time.process_time(), ""
    try:
        op.public_function(*args, **kwargs)
    except Exception as error:
        said = f"{'MemoryError' if type(error) is MemoryError else type(error).__name__}: {error}".splitlines()[0]
    print(time.process_time() - start, said, sep="\\t", flush=True)
print("done")
"""

HUGE = (2**31, 2**40, 2**62, -2**40)
#: What NumPy or Python says, and PyTorch never does.
RAW = ("OverflowError", "SystemError", "ZeroDivisionError", "KeyError", "AttributeError", "MemoryError", "UnboundLocalError",
       "ValueError: array is too big", "ValueError: negative dimensions", "ValueError: Maximum allowed")


def calls():
    """``(op, args, kwargs, text)`` with one number in it made huge."""
    from tests.samples import declared_ops, is_public, samples_of
    for op in declared_ops():
        seen = set()
        for sample in samples_of(op)[:4] if is_public(op) else ():
            args, kwargs = sample.make(lw, "float32")
            given = {**dict(enumerate(args)), **kwargs}
            unsaid = {} if not hasattr(op, "option_at") else {
                op.shown_names[at]: op.defaults[at] for at in op.option_at if op.shown_names[at] != "from"}
            for name, value in {**unsaid, **given}.items():
                for huge in enlarged(value):
                    if (name, str(huge)) not in seen:
                        seen.add((name, str(huge)))
                        args, kwargs = sample.make(lw, "float32")
                        changed = {**dict(enumerate(args)), **kwargs, name: huge}
                        told = f"{op.name} {sample.text} {name}={huge}"
                        yield op, [changed.pop(k) for k in range(len(args))], changed, told


def enlarged(value):
    if type(value) is int:
        yield from HUGE
    elif isinstance(value, (tuple, list)) and value and all(type(n) is int for n in value):
        for huge in HUGE[:3]:
            yield type(value)([huge, *value[1:]])
            yield type(value)([*value[:-1], huge])


def test_huge_numbers():
    found, start, tried = [], 0, 0
    while True:
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, str(start)], capture_output=True, text=True,
                              timeout=550, env={**os.environ, "PYTHONPATH": str(Path(lw.__file__).parent.parent)})
        lines = done.stdout.splitlines()
        for line in lines:
            if line.count("\t") < 3:
                continue
            _, told, seconds, said = line.split("\t", 3)
            tried += 1
            if float(seconds) > 5 or said.startswith(RAW):
                found.append(f"{told}: {seconds} s, {said}")
        if lines and lines[-1] == "done":
            break
        assert lines and "\t" in lines[-1], done.stderr
        found.append(f"ends the process: {lines[-1]}: {done.stderr[-300:]}")
        start = int(lines[-1].partition("\t")[0]) + 1
    assert not found, "\n".join(found)
    assert tried > 2000
