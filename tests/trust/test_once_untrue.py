"""What stories once said, and was not so: names, the line that is shared, repairs that did nothing. Each is a golden text here.

The repairs themselves are applied, and gradients compared, in ``test_fixes.py`` and ``test_intended.py``.
"""
import pytest

import leafward
from leafward import nn
from leafward.trust.facts import op_of
from tests.trust.fixes import suggestions
from tests.trust.programs import lines_of, run

#: The name in the first sentence -> a program that overwrites what that function kept.
NAMES = {
    "batch_norm": """
        h = lw.rand(4, 3, requires_grad=True) * 2
        y = nn.functional.batch_norm(h, None, None, training=True)
        h.detach().zero_()
        y.pow(2).sum().backward()
        """,
    "layer_norm": """
        h = lw.rand(4, 3, requires_grad=True) * 2
        y = nn.LayerNorm(3)(h)
        h.detach().zero_()
        y.pow(2).sum().backward()
        """,
    "embedding": """
        ids = lw.tensor([0, 1])
        y = nn.Embedding(3, 2)(ids)
        ids.add_(1)
        y.sum().backward()
        """,
    "gru": """
        h = lw.rand(1, 2, 3, requires_grad=True) * 2
        y, _ = nn.GRU(3, 3)(lw.rand(4, 2, 3), h)
        h.detach().zero_()
        y.sum().backward()
        """,
}


@pytest.mark.parametrize("name", NAMES)
def test_what_users_call(name):
    story = run(NAMES[name]).story.splitlines()
    assert story[0].startswith(f"  The gradient of {name} needs ")


@pytest.mark.parametrize("name, made", {
    "slice": lambda x: x[:, 1:2], "index": lambda x: x[:, [0, 1]], "select": lambda x: x[0], "matmul": lambda x: x @ x.mT,
    "gru": lambda x: nn.GRU(4, 2)(x)[0].grad_fn.next_functions[0][0].next_functions[0][0], "view": lambda x: x.mT.reshape(-1),
}.items())
def test_the_names_of_parts(name, made):
    made = made(leafward.rand(2, 3, 4, requires_grad=True))
    assert op_of(getattr(made, "grad_fn", made)) == name


def test_the_tensor_of_a_statement_that_was_overwritten_is_named_and_no_other():
    outcome = run("""
        x, w = lw.ones(2, 3, requires_grad=True) * 1, lw.ones(3, requires_grad=True) * 1
        y = x * w
        w.detach().zero_()
        y.sum().backward()
        """)
    assert "saved its input `w`, f32[3]" in outcome.story
    assert "`x`" not in outcome.story


def test_a_copy_that_nobody_reads_is_no_repair():
    outcome = run("x = lw.ones(2, requires_grad=True)\ny = x.exp()\ny.detach().clamp_(max=2.0)\ny.sum().backward()")
    assert ".clone().clamp_" not in outcome.story
    assert [edits[0][3] for edits in suggestions(outcome.story)] == ["y = x.exp().clone()"]


def test_an_update_in_a_loop_over_a_kept_graph_is_not_moved_below_where_it_stands():
    outcome = run("""
        net = nn.Linear(2, 2)
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        h = lw.ones(1, 2)
        for i in range(3):
            h = net(h)
            opt.zero_grad()
            h.sum().backward(retain_graph=True)
            opt.step()
        """)
    assert "move " not in outcome.story
    assert suggestions(outcome.story)[0][0][3] == "h = h.detach()"
    assert "  order   each turn: zero_grad(), forward, backward(), step()." in outcome.story


def test_the_trunk_that_several_losses_share_is_named():
    outcome = run("""
        trunk, a, b = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)
        h = trunk(lw.ones(3, 2)).tanh()
        first = a(h).mean()
        second = b(h).mean()
        first.backward()
        second.backward()
        """)
    assert lines_of(outcome.story)["shared"][0] == 2
    assert "nothing was computed anew" not in outcome.story


def test_without_checks_the_switch_is_named():
    outcome = run("""
        x = lw.ones(2, requires_grad=True)
        y = x.exp()
        y.zero_()
        try:
            y.sum().backward()
        except RuntimeError as error:
            told = str(error)
        """, checks=False)
    assert "  changed by   not recorded: LEAFWARD_CHECKS=0 switches that off" in outcome.names["told"].splitlines()


def test_forty_rows_written_one_by_one_through_data_are_quiet():
    outcome = run("""
        x = lw.ones(50, 2, requires_grad=True)
        y = x * 1
        z = y[49] * y[49]
        for i in range(40):
            y.data[i] = 0.0
        z.sum().backward()
        """)
    assert outcome.error is None
    assert outcome.warned == []
    assert outcome.grad()[49] == [2.0, 2.0]


def test_other_memory_given_to_a_weight_is_neither_used_nor_told():
    outcome = run("""
        x, w = lw.ones(4, 3, requires_grad=True), lw.ones(2, 3, requires_grad=True)
        y = nn.functional.linear(x, w)
        w.data = lw.zeros(2, 3)
        y.sum().backward()
        """)
    assert outcome.warned == []
    assert outcome.grad()[0] == [2.0, 2.0, 2.0]             # the values of forward, without a word: nothing is stale
