"""What is promised, row by row: what is said by default, beside PyTorch's own number, and what raises under ``strict``."""
import textwrap
import traceback
import warnings

import pytest

import leafward
from tests.oracle import torch
from tests.trust.programs import BACKWARD, BETWEEN, BUFFER, EXP, STASH, lines_of, run

HEAD = "\nimport numpy as np" + EXP


def by_pytorch(program, name):
    """The gradient that PyTorch gives, without a word or not."""
    names = {"lw": torch, "nn": torch.nn}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(textwrap.dedent(program), names)
    grad = names[name].grad
    return None if grad is None else grad.tolist()


def strictly(program):
    """The program with all of it under ``strict``."""
    return run("with lw.strict():\n" + textwrap.indent(textwrap.dedent(program).strip("\n"), "    "))


#: PyTorch raises: so does leafward, with the line that kept and the line that wrote.
RAISED = {
    "detach write": HEAD + "y.detach().zero_()" + BACKWARD,
    "no_grad write": HEAD + "with lw.no_grad(): y.zero_()" + BACKWARD,
    "out=": HEAD + "with lw.no_grad(): lw.zeros(3, out=y)" + BACKWARD,
    "optimizer.step between forward and backward": """
        lw.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        first = net(lw.ones(1, 2)).sum()
        net(lw.ones(1, 2)).sum().backward()
        opt.step()
        first.backward()
        """,
}


@pytest.mark.parametrize("how", [run, strictly])
@pytest.mark.parametrize("name", RAISED)
def test_pytorchs_error_with_both_lines(name, how):
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as theirs:
        by_pytorch(RAISED[name], "x")
    outcome = how(RAISED[name])
    assert type(outcome.error) is leafward.InplaceGradientError
    assert str(outcome.error).splitlines()[0].split(":")[0] == str(theirs.value).split(":")[0]
    named = lines_of(outcome.story)
    assert len(named["needed by"]) == len(named["changed by"]) == 1
    assert named["needed by"] < named["changed by"]


#: PyTorch is silent: its number, and a warning that names the line of the write (0: none is sure); an error under strict.
SILENT = {
    ".data": (HEAD + "y.data.zero_()" + BACKWARD, "x", 4),
    "out=y.data": (HEAD + "lw.zeros(3, out=y.data)" + BACKWARD, "x", 4),
    "set_": (HEAD + "lw.empty(0).set_(y.detach()).zero_()" + BACKWARD, "x", 4),
    "a storage filled": (HEAD + "y.untyped_storage().fill_(0)" + BACKWARD, "x", 4),
    "a version preserved": (
        HEAD + "with lw.autograd._unsafe_preserve_version_counter(y): y.detach().zero_()" + BACKWARD, "x", 4),
    "p.data -= between two backwards": (BETWEEN, "x", 5),
    "numpy()": (HEAD + "y.detach().numpy()[:] = 0" + BACKWARD, "x", 4),
    "np.asarray": (HEAD + "np.multiply(1.0, 0.0, out=np.asarray(y.detach()))" + BACKWARD, "x", 4),
    "DLPack": (HEAD + "lw.from_dlpack(y.detach()).zero_()" + BACKWARD, "x", 4),
    "a memoryview": (HEAD + "m = memoryview(y.detach().numpy())\nm[0] = 7.0" + BACKWARD, "x", 5),
    "frombuffer": (HEAD + "lw.frombuffer(memoryview(y.detach().numpy()), dtype=lw.float32).zero_()" + BACKWARD, "x", 4),
    "a loader's buffer": (BUFFER, "w", 6),
    "ctx.r overwritten": (STASH, "x", 11),
    "ctx.foo in a second derivative": ("""
        class Cube(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.square = x * x
                return ctx.square * x
            @staticmethod
            def backward(ctx, g):
                return g * 3 * ctx.square
        x = lw.tensor([2.0], requires_grad=True)
        (g,) = lw.autograd.grad(Cube.apply(x), x, create_graph=True)
        (g + x).sum().backward()
        """, "x", 4),
}


@pytest.mark.parametrize("name", SILENT)
def test_pytorchs_number_and_a_warning(name):
    program, leaf, line = SILENT[name]
    outcome = run(program)
    assert outcome.error is None
    assert outcome.grad(leaf) == pytest.approx(by_pytorch(program, leaf))
    assert {type(w) for w in outcome.warned} == {leafward.SilentGradientWarning}
    assert any(line in numbers for numbers in lines_of(str(outcome.warned[0])).values())


#: What ``strict`` stops at the write, as the memory was handed out read-only: by NumPy's own errors, or leafward's.
STOPPED = {"numpy()": ValueError, "np.asarray": ValueError, "a memoryview": TypeError,
           "frombuffer": leafward.ReadOnlyTensorError}


@pytest.mark.parametrize("name", [name for name in SILENT if name not in STOPPED])
def test_an_error_under_strict(name):
    assert type(strictly(SILENT[name][0]).error) is leafward.SilentGradientError


@pytest.mark.parametrize("name", STOPPED)
def test_under_strict_the_write_itself_raises(name):
    program, _, line = SILENT[name]
    outcome = strictly(program)
    assert type(outcome.error) is STOPPED[name]
    assert "read-only" in str(outcome.error)
    frames = [frame for frame in traceback.extract_tb(outcome.error.__traceback__) if frame.filename == "train.py"]
    assert frames[-1].lineno == line + 1                    # (below the line of the `with`)
    assert outcome.names["y"].tolist() == outcome.names["x"].exp().tolist()


READS = {
    "a copy": "np.array(y.detach())[:] = 0",
    "asked for with copy()": "y.detach().numpy().copy()[:] = 0",
    "another library's copy": "np.from_dlpack(y.detach()).copy()[:] = 0",
    "what no backward needs": "other = lw.ones(3)\nother.numpy()[:] = 0",
    "a part that no backward needs": "z = lw.ones(4)\n(x * z[:3]).sum()\nk = x * z[:3]\nz[3:].numpy()[:] = 0",
    "after backward": "y.sum().backward()\nx.grad = None\ny.detach().numpy()[:] = 0\ny = x.exp()",
}


@pytest.mark.parametrize("name", READS)
def test_under_strict_other_arrays_are_as_before(name):
    outcome = strictly(HEAD + READS[name] + BACKWARD)
    assert outcome.error is None, outcome.error
    assert outcome.warned == []
    assert outcome.grad() == outcome.names["x"].exp().tolist()


def test_by_default_every_array_may_be_written():
    outcome = run(HEAD + "flags = [a.flags.writeable for a in (y.detach().numpy(), np.asarray(y.detach()))]")
    assert outcome.names["flags"] == [True, True]


@pytest.mark.parametrize("how", [run, strictly])
@pytest.mark.parametrize("write", ["y[1] = 5.0", "y[1:].zero_()", "y.detach()[1] = 0.0"])
def test_a_disjoint_row_or_slice(write, how):
    program = f"x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)\ny = x.clone()\nz = y[0] * y[0]\n{write}\nz.backward()"
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        by_pytorch(program, "x")
    outcome = how(program)
    assert outcome.error is None
    assert outcome.warned == []
    assert outcome.grad() == [2.0, 0.0, 0.0]


HOOK = """
a = lw.tensor([1.0, 2.0], requires_grad=True)
b = lw.tensor([3.0, 4.0], requires_grad=True)
right, left = b * 1.0, a * 1.0
left.register_hook(lambda g: g.mul_(0.1))
((left + right) * lw.tensor([5.0, 7.0])).sum().backward()
"""


def test_a_hook_changes_a_shared_gradient():
    assert by_pytorch(HOOK, "b") == pytest.approx([0.5, 0.7])       # the sibling's gradient is changed, too
    outcome = run(HOOK)
    assert outcome.grad("b") == [5.0, 7.0]
    assert outcome.grad("a") == pytest.approx([0.5, 0.7])
    assert [type(w) for w in outcome.warned] == [leafward.SilentGradientWarning]
    assert type(strictly(HOOK).error) is leafward.SilentGradientError


def test_requires_grad_turned_on_at_a_cut_loss():
    program = """
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        loss = (w * 2).sum().detach()
        loss.requires_grad = True
        loss.backward()
        """
    outcome = run(program)
    assert outcome.names["w"].grad is None
    assert by_pytorch(program, "w") is None
    (warned,) = outcome.warned
    assert "reaches only the tensor that it begins at" in str(warned)
    assert lines_of(str(warned))["cut here"] == [2]
    assert type(strictly(program).error) is leafward.SilentGradientError


@pytest.mark.parametrize("how", [run, strictly])
def test_the_optimizer_holds_an_older_parameter(how):
    outcome = how("""
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        net[1] = nn.Linear(2, 1)
        net(lw.ones(1, 2)).sum().backward()
        told = lw.audit(net, opt)
        """)
    old, new = (2, 3) if how is run else (3, 4)
    assert (f"1.weight, 1.bias   made anew at train.py:{new}: the optimizer of train.py:{old} has the old one"
            in outcome.names["told"])


@pytest.mark.parametrize("how", [run, strictly])
def test_a_read_only_source(how):
    outcome = how("import numpy as np\na = np.ones(3)\na.flags.writeable = False\nt = lw.from_numpy(a)\nt.zero_()")
    assert type(outcome.error) is leafward.ReadOnlyTensorError
    first = 4 if how is run else 5
    named = lines_of(outcome.story)
    assert named["refused"] == [first + 1]
    assert named["came by"] == [first]
    assert f"replace train.py:{first} by   t = lw.from_numpy(a).clone()" in outcome.story
    assert outcome.names["a"].tolist() == [1.0, 1.0, 1.0]


NAN = {
    "where/sqrt": ("loss = lw.where(x > 0, lw.sqrt(x), 0.0).sum()", ["sqrt", "where", "[0]"]),
    "0/0": ("loss = (x / x.abs())[1:].sum()", ["abs", "div", "[1]"]),
}


@pytest.mark.parametrize("name", NAN)
def test_nan_as_in_pytorch_and_where_it_came_from(name):
    line, words = NAN[name]
    program = f"x = lw.tensor([-1.0, 0.0, 4.0], requires_grad=True)\n{line}\n"
    theirs = by_pytorch(program + "loss.backward()", "x")
    outcome = run(program + "told = lw.nan_origin(loss)\nbefore = x.grad\nloss.backward()")
    assert outcome.error is None
    assert outcome.names["before"] is None
    assert outcome.grad() == pytest.approx(theirs, nan_ok=True)
    assert all(word in outcome.names["told"] for word in words), outcome.names["told"]
    strict = strictly(program + "told = lw.nan_origin(loss)\nloss.backward()")
    assert type(strict.error) is leafward.SilentGradientError
    assert strict.names["told"].splitlines()[0] == outcome.names["told"].splitlines()[0]


@pytest.mark.parametrize("how", [run, strictly])
def test_a_second_backward_where_nothing_was_saved(how):
    program = "x = lw.tensor([1.0, 2.0], requires_grad=True)\ny = (x + x).sum()\ny.backward()\ny.backward()"
    outcome = how(program)
    assert outcome.error is None
    assert outcome.grad() == by_pytorch(program, "x") == [4.0, 4.0]


def test_the_other_memory_of_a_leaf_is_not_used():
    program = "x = lw.tensor([1.0, 2.0], requires_grad=True)\ny = x * x\nx.data = lw.zeros(2)\ny.sum().backward()"
    outcome = run(program)
    assert outcome.grad() == [2.0, 4.0]                     # the values of forward; in PyTorch those of the new memory
    assert by_pytorch(program, "x") == [0.0, 0.0]
    assert outcome.warned == []
