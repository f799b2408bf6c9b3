"""Custom functions: what they keep on ``ctx``, what they write to, what they hand back; and the same done right."""
import pytest

import leafward
from tests.trust.programs import STASH, lines_of, run

SECOND = """
class Square(lw.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        doubled = x * 2
        ctx.doubled = doubled
        return doubled ** 2 / 4
    @staticmethod
    def backward(ctx, g):
        return g * ctx.doubled
x = lw.tensor([2.0], requires_grad=True)
(g,) = lw.autograd.grad(Square.apply(x), x, create_graph=True)
(g + x).sum().backward()
"""

WRITTEN = """
class Double(lw.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x * 3
    @staticmethod
    def backward(ctx, g):
        return g * 6
x = lw.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
(Double.apply(h) + h).sum().backward()
"""

TIMES = """
class Times(lw.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 10.0
    @staticmethod
    def backward(ctx, grad_output):
        grad_output.mul_(10.0)
        return grad_output
a = lw.tensor([1.0, 2.0], requires_grad=True)
b = lw.tensor([3.0, 4.0], requires_grad=True)
((b * 1.0 + Times.apply(a)) * lw.tensor([5.0, 7.0])).sum().backward()
"""


def test_what_was_kept_on_ctx_was_overwritten():
    outcome = run(STASH)
    assert outcome.grad() == [0.0, 0.0]                     # PyTorch's number
    (warned,) = outcome.warned
    assert type(warned) is leafward.SilentGradientWarning
    named = lines_of(str(warned))
    assert (named["needed by"], named["kept in"], named["changed by"]) == ([10], [4], [11])
    assert "ctx.save_for_backward(...) in place of ctx.r" in str(warned)


def test_it_was_written_by_numpy():
    outcome = run(STASH.replace("y.detach().zero_()", "y.detach().numpy()[:] = 0"))
    assert "written outside leafward" in str(outcome.warned[0])


def test_an_intermediate_in_a_second_derivative():
    outcome = run(SECOND)
    (warned,) = outcome.warned
    assert "ctx.doubled, an intermediate without a history" in str(warned)
    assert lines_of(str(warned))["kept in"] == [5]
    assert lines_of(str(warned))["used in"] == [11]
    assert outcome.grad() == [1.0]                          # and not 3.0, as in PyTorch


def test_an_input_is_written_without_a_word():
    (warned,) = run(WRITTEN).warned
    assert type(warned) is leafward.GradientWarning
    assert lines_of(str(warned))["changed by"] == [4]
    assert "x = x.mul(2)" in str(warned)
    assert run(WRITTEN.replace("x.mul_(2)", "x = x.mul(2)")).warned == []


def test_backward_writes_to_its_gradient():
    outcome = run(TIMES)
    assert outcome.grad("a") == [50.0, 70.0]
    assert outcome.grad("b") == [5.0, 7.0]
    (warned,) = outcome.warned
    assert "Times.backward changed its gradient in place" in str(warned)
    assert lines_of(str(warned)) == {"changed by": [7], "fix": [7]}
    fixed = TIMES.replace("grad_output.mul_(10.0)", "grad_output = grad_output.mul(10.0)")
    assert run(fixed).warned == []


@pytest.mark.parametrize(("program", "line"), [(STASH, "y.sum()"), (SECOND, "(g,)"), (TIMES, "((b")])
def test_under_strict(program, line):
    outcome = run(program.replace(f"\n{line}", f"\nwith lw.strict(): {line}"))
    assert type(outcome.error) is leafward.SilentGradientError


@pytest.mark.parametrize("program", [STASH, SECOND, WRITTEN, TIMES])
def test_switched_off(program):
    assert run(program, checks=False).warned == []


@pytest.mark.parametrize(("kept", "read"), [('{"y": r}', 'ctx.kept["y"]'), ("[r]", "ctx.kept[0]"), ("(2, r)", "ctx.kept[1]")])
def test_what_was_kept_in_a_dict_or_a_list_on_ctx(kept, read):
    program = STASH.replace("ctx.r = x.exp()", f"r = x.exp(); ctx.kept = {kept}").replace("return ctx.r", "return r")
    program = program.replace("g * ctx.r", f"g * {read}")
    (warned,) = run(program).warned
    assert type(warned) is leafward.SilentGradientWarning
    assert lines_of(str(warned))["changed by"] == [11]
    assert run(program.replace("y.detach().zero_()", "y.detach().clone().zero_()")).warned == []


RIGHT = {
    "kept, and left alone": STASH.replace("y.detach().zero_()\n", ""),
    "changed and changed back": STASH.replace("zero_()", "mul_(2).div_(2)"),
    "a clone is changed": STASH.replace("y.detach()", "y.detach().clone()"),
    "not read by backward": STASH.replace("g * ctx.r", "g"),
    "another row is written": STASH.replace("ctx.r = x.exp()", "ctx.r = x.exp()[:1]").replace("return ctx.r", "return x.exp()")
        .replace("g * ctx.r", "g * ctx.r").replace("y.detach().zero_()", "y.detach()[1:] = 0"),
    "a mask has no derivative": SECOND.replace("doubled = x * 2", "doubled = (x > 0).float()"),
    "nor has a sign": SECOND.replace("doubled = x * 2", "doubled = x.sign()"),
    "a constant": SECOND.replace("doubled = x * 2", "doubled = lw.ones_like(x)"),
    "no second derivative is recorded": SECOND.replace(", create_graph=True", ""),
    "once differentiable": SECOND.replace("    @staticmethod\n    def backward",
                                          "    @staticmethod\n    @lw.autograd.function.once_differentiable\n    def backward")
        .replace("(g + x).sum()", "x.sum()"),
    "declared": WRITTEN.replace("        return x * 3", "        ctx.mark_dirty(x)\n        return x"),
    "statistics without a gradient": """
        class Norm(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x, mean):
                mean.mul_(0.9).add_(x.mean() * 0.1)
                return x - x.mean()
            @staticmethod
            def backward(ctx, g):
                return g - g.mean(), None
        x, mean = lw.ones(3, requires_grad=True), lw.zeros(())
        Norm.apply(x, mean).sum().backward()
        """,
    "a gradient that nobody shares": TIMES.replace("(b * 1.0 + Times.apply(a))", "Times.apply(a)"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_correct_look_alikes(name):
    outcome = run(RIGHT[name])
    assert outcome.error is None
    assert outcome.warned == []


def test_a_hook_on_a_leaf_leaves_its_sibling_alone():
    outcome = run("""
        a = lw.tensor([1.0, 2.0], requires_grad=True)
        b = lw.tensor([3.0, 4.0], requires_grad=True)
        a.register_hook(lambda g: g.mul_(0.1))
        b.register_hook(lambda g: None)
        ((a + b) * lw.tensor([5.0, 7.0])).sum().backward()
        ((a.view(2) + b.reshape(1, 2)) * lw.tensor([5.0, 7.0])).sum().backward()
        """)
    assert outcome.grad("b") == [10.0, 14.0]
    assert outcome.grad("a") == pytest.approx([1.0, 1.4])
    assert len(outcome.warned) == 1                         # the second sum gives b a gradient of its own
