"""What takes a process of its own to measure: import time, peak memory, and the installed size."""
import os
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from bench.rows import MLP, MLP_STEP

NAME = re.compile(r"[\w.-]+")
TIME_IMPORT = "import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
STEPS = 1000
# Linux starts a child's ru_maxrss at its parent's, so the peak is read from /proc there; macOS gives bytes.
TRAIN = f"""
import os, re, resource, time
begin = time.process_time()
import {{module}} as torch
torch.set_num_threads(1)
{MLP}
for _ in range({{steps}}):
    {MLP_STEP.strip().replace(chr(10), chr(10) + "    ")}
if {{seconds}}:
    print(time.process_time() - begin)
elif os.path.exists("/proc/self/status"):
    print(1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def printed_number(source):
    """Run ``source`` in a new process; the number that it prints. It keeps byte code, as an installed package has it."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPYCACHEPREFIX"] = os.path.join(tempfile.gettempdir(), "leafward-bench")
    done = subprocess.run([sys.executable, "-c", source], check=True, capture_output=True, text=True, env=kept)
    return float(done.stdout)


def import_seconds(modules, rounds=7):
    """The median time of ``import module`` in a new process, the modules in turn."""
    taken = {module: [] for module in modules}
    for _ in range(rounds):
        for module in modules:
            taken[module].append(printed_number(TIME_IMPORT.format(module=module)))
    return {module: median(seconds) for module, seconds in taken.items()}


def peak_bytes(module, steps=STEPS):
    """Peak resident memory of a process that trains the small MLP for ``steps`` steps."""
    return printed_number(TRAIN.format(module=module, steps=steps, seconds=False))


def processor_seconds(modules, first_step, rounds=5):
    """The least processor time of ``import module``, and of a training step of the small MLP after it, the modules in turn.

    Other programs lengthen it far less than they lengthen the time by the clock.
    """
    source = TRAIN.replace("{steps}", "1") if first_step else TIME_IMPORT.replace("perf_counter", "process_time")
    taken = {module: [] for module in modules}
    for _ in range(rounds):
        for module in modules:
            taken[module].append(printed_number(source.format(module=module, seconds=True)))
    return {module: min(seconds) for module, seconds in taken.items()}


def folder_bytes(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*")
               if path.is_file() and "__pycache__" not in path.parts)


def installed_bytes(module):
    """Size on disk of ``module``'s package alone, without byte code."""
    return folder_bytes(find_spec(module).submodule_search_locations[0])


def requirements(distribution, found=None):
    """``distribution`` and every installed distribution that it requires, without extras."""
    found = {} if found is None else found
    name = distribution.lower().replace("_", "-")
    if name not in found:
        try:
            found[name] = metadata.distribution(distribution)
        except metadata.PackageNotFoundError:
            return found
        for line in found[name].requires or ():
            if "extra ==" not in line:
                requirements(NAME.match(line)[0], found)
    return found


def required_bytes(distribution):
    """Size on disk of what ``distribution`` requires, itself left out, without byte code."""
    needed = requirements(distribution)
    needed.pop(distribution, None)
    return sum(file.locate().stat().st_size for found in needed.values() for file in found.files or ()
               if file.suffix != ".pyc" and file.locate().is_file())
