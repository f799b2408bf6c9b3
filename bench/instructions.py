"""Instructions of small calls, which other work on the machine does not change: ``make bench-check``.

    python -m bench.instructions                compare with bench/instructions.json; fail where a call lost more than a tenth
    python -m bench.instructions --write        count anew and write them there

They are counted by valgrind's callgrind and belong to one Python, NumPy, compiler and processor: elsewhere they are shown
beside the ones that were written, and nothing fails.
"""
import argparse
import ctypes
import gc
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FILE = HERE / "instructions.json"
LOSS = 0.10
REPEATS = 20                    # of a call while its instructions are counted

PLAIN = "x = torch.randn(4, 8); y = torch.randn(4, 8); m = torch.zeros(4, 8); row = torch.randn(8)"
GRAD = "x = torch.randn(4, 8, requires_grad=True); y = torch.randn(4, 8, requires_grad=True)"
QUIET = f"{GRAD}; m = torch.zeros(4, 8); torch.set_grad_enabled(False)"
MLP = """
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
optimizer, loss_function = torch.optim.SGD(model.parameters(), lr=0.01), torch.nn.MSELoss()
x, target = torch.randn(1, 4), torch.randn(1, 2)
def step():
    optimizer.zero_grad()
    loss_function(model(x), target).backward()
    optimizer.step()
"""

#: What is counted: a setup and a statement.
CALLS = {
    "x + y": (PLAIN, "x + y"),
    "x + y, recorded": (GRAD, "x + y"),
    "x + y, no_grad": (QUIET, "x + y"),
    "x + 1.5": (PLAIN, "x + 1.5"),
    "x.exp()": (PLAIN, "x.exp()"),
    "x.exp(), no_grad": (QUIET, "x.exp()"),
    "forward and backward of a product": (GRAD, "(x * y).sum().backward()"),
    "m.add_(x)": (PLAIN, "m.add_(x)"),
    "m.add_(x), no_grad": (QUIET, "m.add_(y)"),
    "m.mul_(0.9)": (PLAIN, "m.mul_(0.9)"),
    "m.copy_(x)": (PLAIN, "m.copy_(x)"),
    "m.zero_()": (PLAIN, "m.zero_()"),
    "x.view(-1)": (PLAIN, "x.view(-1)"),
    "x.reshape(2, 16)": (PLAIN, "x.reshape(2, 16)"),
    "x.transpose(0, 1)": (PLAIN, "x.transpose(0, 1)"),
    "x[1:3]": (PLAIN, "x[1:3]"),
    "x[0, 1]": (PLAIN, "x[0, 1]"),
    "x[1, 2], no_grad": (QUIET, "x[1, 2]"),
    "x[0, 1] = 1.0": (PLAIN, "x[0, 1] = 1.0"),
    "x[0] = row": (PLAIN, "x[0] = row"),
    "x[indices]": (PLAIN + "; i = torch.tensor([0, 2])", "x[i]"),
    "x.sum()": (PLAIN, "x.sum()"),
    "x.softmax(-1)": (PLAIN, "x.softmax(-1)"),
    "x @ w": (PLAIN + "; w = torch.randn(8, 4)", "x @ w"),
    "torch.cat([x, y])": (PLAIN, "torch.cat([x, y])"),
    "torch.where(x > 0, x, y)": (PLAIN, "torch.where(x > 0, x, y)"),
    "torch.zeros(4, 8)": ("", "torch.zeros(4, 8)"),
    "torch.tensor([1.0, 2.0])": ("", "torch.tensor([1.0, 2.0])"),
    "x.item()": ("x = torch.ones(())", "x.item()"),
    "cross_entropy": (PLAIN + "; c = torch.tensor([1, 2, 3, 4])", "torch.nn.functional.cross_entropy(x, c)"),
    "nn.Linear(4, 4)(x)": ("layer = torch.nn.Linear(4, 4); x = torch.ones(1, 4)", "layer(x)"),
    "with torch.no_grad()": ("", "with torch.no_grad(): pass"),
    "training step of an MLP": (MLP, "step()"),
    "SGD step": (MLP + "step()", "optimizer.step()"),
    "an item of a TensorDataset": ("d = torch.utils.data.TensorDataset(torch.randn(9, 4), torch.arange(9))", "d[3]"),
}


class Absent(Exception):
    """What counting needs and this machine lacks."""


def environment():
    """What the counts belong to."""
    import numpy
    with open("/proc/cpuinfo") if os.path.exists("/proc/cpuinfo") else open(os.devnull) as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    compiler = subprocess.run([compiler_name(), "--version"], capture_output=True, text=True, check=False).stdout
    return {"python": platform.python_version(), "numpy": numpy.__version__, "compiler": compiler.partition("\n")[0],
            "processor": models[0] if models else platform.machine()}


def compiler_name():
    return (sysconfig.get_config_var("CC") or "cc").split()[0]


def built_counter(folder):
    """The library that turns counting on and off."""
    library = Path(folder) / "counter.so"
    made = subprocess.run([compiler_name(), "-shared", "-fPIC", "-O1", "-o", library, HERE / "counter.c"],
                          capture_output=True, text=True, check=False)
    if made.returncode:
        raise Absent(f"counter.c does not compile; it needs valgrind's headers:\n{made.stderr.strip()}")
    return library


def count(names=None):
    """``{call: instructions of one}``, from one process under valgrind."""
    found = counted(under_valgrind("bench.instructions", names or CALLS))
    return {name: found[name] for name in CALLS if name in found}


def counted(totals):
    """What each call took, less what an empty loop costs."""
    empty = totals.pop("pass")
    return {name: round((total - empty) / REPEATS) for name, total in totals.items()}


def under_valgrind(module, names, **environment):
    """``{name: instructions}`` that a module's ``--counted-by LIBRARY NAMES`` counted, in a process of its own."""
    if shutil.which("valgrind") is None:
        raise Absent("valgrind is not installed here, and without it nothing can be counted (apt install valgrind)")
    with tempfile.TemporaryDirectory() as folder:
        library, out = built_counter(folder), Path(folder) / "counts"
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={out}", sys.executable,
             "-m", module, "--counted-by", library, *names],
            capture_output=True, text=True, check=False, cwd=HERE.parent,
            env={**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", **environment})
        if done.returncode:
            raise RuntimeError(f"the counted process failed:\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
        return totals_of(file.read_text() for file in Path(folder).glob("counts.*"))


def totals_of(texts):
    """The counts in callgrind's files, by the names that they were stopped with."""
    totals = {}
    for text in texts:
        name = re.search(r"Trigger: Client Request: (.*)", text)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if name and total:
            totals[name[1].strip()] = int(total[1])
    return totals


def switch(library):
    """What turns counting on, and off under a name: ``start()`` and ``stop(name)``."""
    counter = ctypes.CDLL(str(library))
    counter.stop.argtypes = [ctypes.c_char_p]
    return counter


def run_counted(library, names):
    """In the process under valgrind: each call some times, with counting on."""
    counter = switch(library)
    import leafward
    gc.disable()
    for name in ["pass", *names]:
        setup, statement = CALLS.get(name, ("", "pass"))
        space = {"torch": leafward}
        leafward.manual_seed(0)
        exec(setup, space)                                                               # noqa: S102  our own table
        exec(f"def run():\n    for _ in range({REPEATS}):\n        {statement}", space)  # noqa: S102
        run = space["run"]
        run()
        run()
        gc.collect()
        counter.start()
        run()
        counter.stop(name.encode())
        leafward.set_grad_enabled(True)


def compared(now, before):
    """Rows ``(name, before, now, change)``, and the names of what lost more than a tenth."""
    rows = [(name, before.get(name), new, new / before[name] - 1 if name in before else None) for name, new in now.items()]
    return rows, [name for name, _, _, change in rows if change is not None and now[name] > (1 + LOSS) * before[name]]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m bench.instructions", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the counts into bench/instructions.json")
    parser.add_argument("--only", nargs="*", help="parts of names")
    parser.add_argument("--counted-by", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.counted_by:
        return run_counted(chosen.counted_by, chosen.names)
    try:
        now = count([name for name in CALLS if not chosen.only or any(part in name for part in chosen.only)])
    except Absent as reason:
        print(f"bench-check: {reason}", file=sys.stderr)
        return 2
    kept = json.loads(FILE.read_text()) if FILE.exists() else {"with": None, "counts": {}}
    rows, lost = compared(now, kept["counts"])
    for name, before, new, change in rows:
        print(f"{name:<36}{'' if before is None else before:>10}{new:>10}{'' if change is None else f'{change:+.1%}':>9}"
              + "  more than a tenth lost" * (name in lost))
    if chosen.write:
        FILE.write_text(json.dumps({"with": environment(), "counts": {**kept["counts"], **now}}, indent=1) + "\n")
        return 0
    if kept["with"] != environment():
        print(f"The counts that were kept belong to {kept['with']}, this is {environment()}: nothing is concluded from them.")
        return 0
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
