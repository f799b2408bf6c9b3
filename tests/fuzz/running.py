"""Programs run in a process of their own, which may crash, hang or eat memory; what they showed, by cause."""
import collections
import json
import selectors
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.fuzz.kinds import GRAVE, KINDS
from tests.fuzz.shrinking import slice_of
from tests.fuzz.worker import MEMORY

#: Runs the lines that it is given, on leafward alone; an exception is no end.
AGAIN = """
import json, resource, sys
import leafward as t
from math import inf, nan
resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
for line in json.load(sys.stdin):
    try:
        exec(line)
    except Exception:
        pass
"""

#: Seconds after which a statement hangs. PyTorch's own may: such programs are left out.
LIMIT = 30


@dataclass
class Finding:
    """What programs with one cause have in common, and the shortest of them."""

    kind: str
    said: str
    seed: int
    lines: list
    count: int = 1

    def __str__(self):
        body = "\n".join(self.lines)
        said = self.said.replace("\n", "\n# ")
        return (f"--- {self.count} times, first in program {self.seed}\n"
                f"import leafward as t      # or: import torch as t\nfrom math import inf, nan\n{body}\n# {said}")


@dataclass
class Result:
    """What many programs showed."""

    programs: int = 0
    steps: int = 0
    seconds: float = 0
    findings: dict = field(default_factory=dict)        # cause -> Finding
    on_purpose: collections.Counter = field(default_factory=collections.Counter)
    ended_pytorch: int = 0

    @property
    def counts(self):
        found = collections.Counter()
        for finding in self.findings.values():
            found[finding.kind] += finding.count
        return found

    def of(self, *kinds):
        return [f for f in self.findings.values() if f.kind in kinds]

    @property
    def grave(self):
        return self.of(*GRAVE)

    def add(self, cause, finding):
        known = self.findings.get(cause)
        if known is None:
            self.findings[cause] = finding
            return
        known.count += 1
        if len(finding.lines) < len(known.lines):
            known.lines, known.said, known.seed = finding.lines, finding.said, finding.seed

    def __str__(self):
        counts = self.counts
        told = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]) or "no difference"
        return (f"{self.programs} programs, {self.steps} steps, {self.seconds:.0f} s: {told}; "
                f"on purpose {sum(self.on_purpose.values())}; {self.ended_pytorch} ended PyTorch")


def fuzz(first, count=None, seconds=None, limit=LIMIT):
    """Run ``count`` programs, or as many as ``seconds`` allow, from the seed ``first`` on."""
    result, begun = Result(), time.monotonic()
    last = None if count is None else first + count
    while last is None or first < last:
        left = None if seconds is None else seconds - (time.monotonic() - begun)
        if left is not None and left <= 0:
            break
        first = Worker(first, last, left, limit).run(result)
    result.seconds = time.monotonic() - begun
    return result


class Worker:
    """A process that runs programs until one of them ends it."""

    def __init__(self, first, last, seconds, limit):
        self.first, self.limit = first, limit
        self.folder = tempfile.TemporaryDirectory()
        self.status = Path(self.folder.name) / "status"
        words = [first, "" if last is None else last, "" if seconds is None else seconds, self.status]
        self.process = subprocess.Popen([sys.executable, "-m", "tests.fuzz.worker", *map(str, words)],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self, result):
        """Take up what it tells; the seed to go on with."""
        try:
            following = self.first
            while line := self.line():
                told = json.loads(line)
                following = told["seed"] + 1
                take_up(told, result)
            if line is None:
                self.process.kill()
            elif self.process.wait() == 0:
                return following
            return self.died("hang" if line is None else "crash", result, following)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.folder.cleanup()

    def line(self):
        """Its next line; empty at the end, None if a statement takes too long."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not selector.select(self.limit):
                if not self.status.exists() or time.time() - self.status.stat().st_mtime > self.limit:
                    return None
            return self.process.stdout.readline()

    def died(self, kind, result, following):
        if not self.status.exists():
            raise RuntimeError("the process that runs the programs does not start")
        seed, side, lines = json.loads(self.status.read_text(encoding="utf-8"))
        result.programs += 1
        if side == "PyTorch":
            result.ended_pytorch += 1
        else:
            text = f"{kind}: leafward does not come back from the last line"
            result.add((kind, lines[-1]), Finding(kind, text, seed, lines))
        return max(seed + 1, following)


def ends_leafward(lines, limit=LIMIT):
    """Whether a program crashes or hangs a process that has leafward only."""
    try:
        done = subprocess.run([sys.executable, "-c", AGAIN.replace("MEMORY", str(MEMORY))], input=json.dumps(lines), text=True,
                              timeout=limit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode < 0


def confirmed(findings, limit=LIMIT):
    """Those whose program ends leafward when it is run again, made short where that is enough."""
    found = []
    for finding in findings:
        for lines in slice_of(finding.lines), finding.lines:
            if ends_leafward(lines, limit):
                found.append(replace(finding, lines=lines))
                break
    return found


def take_up(told, result):
    result.programs += 1
    if "broke" in told:
        said = f"it cannot be compared:\n{told['broke']}"
        result.add(("broke", said.splitlines()[-1]), Finding("broke", said, told["seed"], []))
        return
    result.steps += told["steps"]
    result.on_purpose.update(told["on purpose"])
    for kind, cause, said, lines in told["findings"]:
        result.add((kind, *cause), Finding(kind, said, told["seed"], lines))
