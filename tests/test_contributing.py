"""CONTRIBUTING.md keeps its word: its op and layer, written as new files, give everything that it says they give."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
NEW = [(path, text) for path, text in BLOCKS if not (ROOT / path).exists()]
QUOTED = [(path, text) for path, text in BLOCKS if (ROOT / path).exists()]

USE = """
import leafward as lw

x = lw.tensor([0.0, 1.5, -1.5], requires_grad=True)
y = lw.squareplus(x)
assert y.tolist() == [1.0, 2.0, 0.5] and type(y.grad_fn).__name__ == "SquareplusBackward0"
slope, = lw.autograd.grad(x.squareplus(b=4.0).sum(), x, create_graph=True)
bend, = lw.autograd.grad(slope.sum(), x)
assert slope.tolist() == [0.5, 0.800000011920929, 0.19999998807907104] and bend[0] == 0.25

z = lw.tensor([0.0, 1.5])
assert z.squareplus_() is z and z.tolist() == [1.0, 2.0]
out = lw.empty(2)
assert lw.squareplus(lw.tensor([0, 0]), out=out) is out and out.tolist() == [1.0, 1.0]

w = x * 1
y = w.squareplus()
w.zero_()
try:
    y.sum().backward()
except lw.InplaceGradientError as error:
    assert "The gradient of squareplus needs the value of `w`" in str(error)
else:
    raise AssertionError("the saved input is not watched")

from leafward.nn.modules.smooth import Squareplus
assert repr(Squareplus(1.0)) == "Squareplus(b=1.0)"
"""


#: A stand-in for a compiled kernel: it counts how often it is asked, and answers where such kernels do.
KERNEL = """
import numpy as np

times = []


def mirrored_sum(x):
    if x.dtype.kind != "f" or not x.flags.c_contiguous:
        return None
    times.append(x.shape)
    return x + x[..., ::-1]
"""

USE_ROWS = """
import warnings
import leafward as lw
from leafward.arrays.kernels.small_rows import times

warnings.simplefilter("error")
x = lw.arange(24.0).reshape(2, 3, 4).requires_grad_()
expected = x + x.flip(-1)
out = lw.mirrored_sum(x)
assert times == [(2, 3, 4)] and out.equal(expected)                         # the kernel answered
assert x.transpose(0, 1).mirrored_sum().equal(expected.transpose(0, 1)) and x.long().mirrored_sum().dtype is lw.int64
assert times == [(2, 3, 4)]                                                 # it had no answer, and the forward ran
weights = lw.linspace(0.0, 1.0, 24).reshape(2, 3, 4)
assert lw.autograd.grad((out * weights).sum(), x)[0].equal(weights.mirrored_sum())

x = x.detach()
for dim in range(2):
    apart = lw.stack([row.mirrored_sum() for row in x.unbind(dim)])
    assert lw.vmap(lw.mirrored_sum, dim)(x).equal(apart)                    # without a warning: not one by one

with lw.autocast("cpu"):
    assert lw.mirrored_sum(x).dtype is lw.bfloat16
assert lw.mirrored_sum(x).dtype is lw.float32

first, second = lw._foreach_mirrored_sum([x, x[0]])
assert first.equal(expected) and second.equal(first[0])
written = [x.clone(), x[0].clone()]
assert lw._foreach_mirrored_sum_(written) is written and written[0].equal(first) and written[1].equal(second)

a, b = x.clone(), x.clone()
assert a.mirrored_sum_() is a and lw.mirrored_sum_(b) is b and a.equal(first) and b.equal(first)
"""

#: Other ways to say what happens to a batch, and what is heard of each.
BATCHES = {
    "a function": ("""

@mirrored_sum.batch
def mirrored_sum_batch(lw, call):
    assert call.rank(0) == call.front(0).ndim - 1
    return call.run([call.front(0)])
""", ""),
    "nothing": ("", "we have not yet implemented the batching rule for aten::mirrored_sum."),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """leafward with the guide's files in it, and the tests that are derived from declarations."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "leafward", folder / "leafward", ignore=ignored)
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=ignored)
    shutil.copytree(ROOT / "tests" / "ops", folder / "tests" / "ops", ignore=ignored)
    shutil.copytree(ROOT / "tests" / "kernels", folder / "tests" / "kernels", ignore=ignored)
    shutil.copytree(ROOT / "tests" / "trust", folder / "tests" / "trust", ignore=ignored)
    (folder / "tests" / "autograd").mkdir()
    shutil.copy(ROOT / "tests" / "autograd" / "test_vmap_ops.py", folder / "tests" / "autograd")
    for name in ("__init__.py", "both.py", "conftest.py", "comparisons.py", "oracle.py", "samples.py", "spoken.py",
                 "test_doctests.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for path, text in NEW:
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def python(folder, *arguments):
    return subprocess.run([sys.executable, *arguments], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)},
                          capture_output=True, text=True)


def output(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_guide_adds_an_op_and_a_layer():
    assert [path for path, _ in NEW] == ["leafward/ops/smooth.py", "leafward/ops/rows.py", "leafward/nn/modules/smooth.py"]


@pytest.mark.parametrize(("path", "text"), QUOTED, ids=[path for path, _ in QUOTED])
def test_what_the_guide_quotes_is_there(path, text):
    assert text in (ROOT / path).read_text(encoding="utf-8")


def test_function_method_in_place_form_and_layer(copy):
    (copy / "use.py").write_text(USE, encoding="utf-8")
    output(python(copy, "use.py"))


def test_every_fact_in_one_paragraph(copy):
    """Batches, autocast, lists, in-place functions and a kernel: no other file is touched."""
    (copy / "leafward" / "arrays" / "kernels" / "small_rows.py").write_text(KERNEL, encoding="utf-8")
    (copy / "rows.py").write_text(USE_ROWS, encoding="utf-8")
    output(python(copy, "rows.py"))
    said = output(python(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/ops", "tests/autograd/test_vmap_ops.py",
                         "-k", "mirrored_sum"))
    assert int(re.search(r"(\d+) passed", said)[1]) > 40, said


@pytest.mark.parametrize("way", BATCHES)
def test_another_word_for_batches(copy, way):
    more, warned = BATCHES[way]
    path = copy / "leafward" / "ops" / "rows.py"
    right = path.read_text(encoding="utf-8")
    use = "import leafward as lw\nx = lw.rand(3, 4)\nassert lw.vmap(lw.mirrored_sum)(x).equal(x.mirrored_sum())\n"
    try:
        path.write_text(right.replace('batch="leading", ', "") + more, encoding="utf-8")
        done = python(copy, "-c", use)
        output(done)
        assert warned in done.stderr if warned else done.stderr == ""
    finally:
        path.write_text(right, encoding="utf-8")


def test_derived_checks_run_on_it(copy):
    # Its loop in C comes with the next build; until then its forward runs.
    said = output(python(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/ops", "-k", "squareplus",
                         "--ignore=tests/ops/test_derived_kernels.py"))
    assert int(re.search(r"(\d+) passed", said)[1]) > 50, said
    said = output(python(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_doctests.py", "-k", "Squareplus"))
    assert "1 passed" in said


@pytest.mark.skipif(os.environ.get("LEAFWARD_INTERPRETED") == "1", reason="pages and stubs are made uncompiled: once is enough")
def test_documentation_and_stubs(copy):
    for generator in ("stubs", "reference"):
        command = ["-m", f"leafward.derive.{generator}"]
        assert python(copy, *command, "--check").returncode == 1
        output(python(copy, *command))
        assert output(python(copy, *command, "--check")) == ""
    page = (copy / "docs" / "reference" / "smooth.md").read_text(encoding="utf-8")
    assert "`Tensor.squareplus_`" in page and "`input` keeps `input`" in page
    assert "- `b`: how far from zero the bend is felt" in page and ">>> lw.squareplus(" in page
    shown = output(python(copy, "-c", "import leafward; help(leafward.squareplus)"))
    assert "        b: how far from zero the bend is felt\n" in shown and "Source: Barron, 2021, arXiv:2112.11687" in shown
    stub = (copy / "leafward-stubs" / "__init__.pyi").read_text(encoding="utf-8")
    assert "def squareplus(input: Tensor, b: _Number = 4.0, *, out: Tensor | None = None) -> Tensor:" in stub
    assert "    def squareplus_(self, b: _Number = 4.0) -> Tensor:" in \
        (copy / "leafward-stubs" / "tensor" / "tensor.pyi").read_text(encoding="utf-8")


def test_a_mistake_in_the_rule_is_caught(copy):
    path = copy / "leafward" / "ops" / "smooth.py"
    right = path.read_text(encoding="utf-8")
    checks = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/ops/test_gradients.py", "-k", "squareplus"]
    try:
        path.write_text(right.replace("xp.conj((1 + x / xp.sqrt(x * x + b)) / 2)", "(1 + x / xp.sqrt(x * x + b)) / 2"))
        assert "complex128" in python(copy, *checks).stdout
        path.write_text(right[:right.index("@squareplus.vjp")])
        said = python(copy, "-c", "import leafward").stderr
        assert "squareplus" in said and "vjp" in said and "nondifferentiable" in said
    finally:
        path.write_text(right, encoding="utf-8")


#: The golden text of a diagnostic made of the guide's three pieces.
GOLDEN = """
```python
import leafward as lw
from leafward.core.native import call_site
from leafward.errors import NothingToDoError

x = lw.ones(2, requires_grad=True).detach()
here = call_site()
raise NothingToDoError(position=0, tensor=x, site=here)
```

```text
leafward.errors.NothingToDoError: element 0 of tensors does not require grad and does not have a grad_fn

  asked in   here = call_site()                            train.py:6
                    ^^^^^^^^^^^
  cut here   x = lw.ones(2, requires_grad=True).detach()   train.py:5
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^     detach() shares the values and leaves the history behind
```
"""


def test_the_guide_adds_a_diagnostic(copy):
    pieces = dict(QUOTED)
    assert list(pieces) == ["leafward/errors.py", "leafward/trust/cuts.py", "leafward/trust/__init__.py"]
    before = {path: (copy / path).read_text(encoding="utf-8") for path in (*pieces, "docs/trust.md")}
    assert "return" not in pieces["leafward/trust/cuts.py"]
    pieces["leafward/trust/cuts.py"] += "    return table(rows)\n"
    check = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/trust/test_guide.py"]
    try:
        for path, piece in pieces.items():
            another = piece.replace("NoHistoryError", "NothingToDoError").replace("no_history", "nothing_to_do")
            quoted = dict(QUOTED)[path]
            (copy / path).write_text(before[path].replace(quoted, f"{another}\n\n{quoted}"), encoding="utf-8")
        (copy / "docs/trust.md").write_text(before["docs/trust.md"] + GOLDEN, encoding="utf-8")
        assert "failed" not in output(python(copy, *check))
        wrong = GOLDEN.replace("leaves the", "takes the")
        (copy / "docs/trust.md").write_text(before["docs/trust.md"] + wrong, encoding="utf-8")
        assert "1 failed" in python(copy, *check).stdout
    finally:
        for path, text in before.items():
            (copy / path).write_text(text, encoding="utf-8")
