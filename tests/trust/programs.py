"""Programs that run as if they were files: ``train.py`` has these lines, and errors can show them."""
import linecache
import re
import textwrap
import warnings
from typing import NamedTuple

import leafward


#: Beginnings and endings of many programs: a value that its own derivative needs, and the backward that needs it.
EXP = """
x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.exp()
"""
BACKWARD = """
y.sum().backward()
"""
#: A loader that fills one array again and again.
BUFFER = """
import numpy as np
w = lw.tensor([1.0, -1.0], requires_grad=True)
buf = np.zeros(2, dtype=np.float32)
losses = []
for batch in ([1.0, 1.0], [2.0, 2.0]):
    buf[:] = batch
    x = lw.from_numpy(buf)
    losses.append((x * w).sum())
sum(losses).backward()
"""
#: What a custom function keeps on ``ctx`` is overwritten.
STASH = """
class Exp(lw.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.r = x.exp()
        return ctx.r
    @staticmethod
    def backward(ctx, g):
        return g * ctx.r
x = lw.tensor([1.0, 2.0], requires_grad=True)
y = Exp.apply(x)
y.detach().zero_()
y.sum().backward()
"""
#: An update between two backward calls over one graph.
BETWEEN = """
w = lw.tensor([3.0, 4.0], requires_grad=True)
x = lw.tensor([1.0, 2.0], requires_grad=True)
out = w * x
out.sum().backward(retain_graph=True, inputs=[w])
w.data -= 0.1 * w.grad
out.sum().backward(inputs=[x])
"""


class Outcome(NamedTuple):
    names: dict
    error: Exception | None
    warned: list

    @property
    def story(self):
        """What is said after PyTorch's sentence, or the one warning (it may come for two operands)."""
        if self.error is not None:
            return str(self.error).partition("\n\n")[2]
        (message,) = set(map(str, self.warned))
        return message

    def grad(self, name="x"):
        return self.names[name].grad.tolist()


def run(source, file="train.py", *, with_source=True, checks=True):
    """Run ``source`` as the file ``file``: its variables, the error that ended it, the warnings on the way."""
    source = textwrap.dedent(source).strip("\n") + "\n"
    linecache.cache.pop(file, None)
    if with_source:
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names = {"__name__": "train", "lw": leafward, "nn": leafward.nn}
    runtime = leafward.core.runtime.runtime
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        was, runtime.checks = runtime.checks, checks
        try:
            exec(compile(source, file, "exec"), names)
            error = None
        except Exception as raised:  # noqa: BLE001  it is the observation
            error = raised
        finally:
            runtime.checks = was
    return Outcome(names, error, [w.message for w in caught])


def lines_of(story, file="train.py"):
    """The line numbers that a story names, by label; those of the fixes under ``fix``."""
    named = {}
    label = None
    for line in story.splitlines():
        if line[:2] == "  " and line[2:3].strip():
            label = " ".join(line.split("  ")[1].split())
        for part in line.split(f"{file}:")[1:]:
            number = int(re.match(r"\d+", part)[0])
            named.setdefault(label, []).append(number)
    return named
