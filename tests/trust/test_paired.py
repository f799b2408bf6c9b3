"""A column and a row of data alone that make a square, which predictions then meet: found in the source where it is so."""
import textwrap

import pytest

import leafward
from tests.trust.fixes import applied, suggestions
from tests.trust.programs import lines_of, run

START = """
lw.manual_seed(0)
net = nn.Linear(3, 1)
x, y, column, row = lw.randn(6, 3), lw.randn(6), lw.rand(6, 1), lw.rand(6)
"""
FIRST = START.strip("\n").count("\n") + 1
#: program -> the line where they meet.
MISTAKEN = {
    "a mean with its dim kept": ("""
        target = y - column
        loss = (net(x) - target).pow(2).mean()
        loss.backward()
        """, 1),
    "weights": ("""
        weighted = column * y
        loss = ((net(x).squeeze(1) - weighted) ** 2).mean()
        loss.backward()
        """, 1),
    "a bootstrapped return": ("""
        target = y + 0.9 * (1 - column) * row
        values = net(x)
        loss = (values - target).pow(2).mean()
        loss.backward()
        """, 1),
    "in steps": ("""
        scaled = column * 2
        target = y - scaled
        target = target / 3
        loss = (net(x) - target).abs().pow(2).mean()
        loss.backward()
        """, 2),
    "in a function": ("""
        def loss_of(predicted, wanted, offset):
            aim = wanted + offset
            return ((predicted - aim) ** 2).mean()
        for step in range(2):
            loss_of(net(x), y, column).backward()
        """, 2),
    "in place": ("""
        loss = (net(x) - (y - column)).pow(2).mean()
        loss.backward()
        """, 1),
}
RIGHT = {
    "one for each": """
        target = y - column.squeeze(1)
        (net(x).squeeze(1) - target).pow(2).mean().backward()
        """,
    "columns alone": """
        target = y[:, None] - column
        (net(x) - target).pow(2).mean().backward()
        """,
    "all pairs, laid out on purpose": """
        distance = (row[:, None] - row).abs()
        values = net(x)
        ((values - values.T).abs() - distance).pow(2).mean().backward(retain_graph=True)
        (values - distance).pow(2).mean().backward()
        """,
    "a column that was laid out": """
        own = row.unsqueeze(1)
        target = y + own
        (net(x) - target).pow(2).mean().backward()
        """,
    "a square of data": """
        target = lw.randn(6, 6)
        (net(x) - target).pow(2).mean().backward()
        """,
    "a table, and its own parameters": """
        bias, table = nn.Parameter(lw.zeros(6)), column * row
        (bias - table).pow(2).mean().backward()
        """,
    "a kernel's matrix": """
        kernel = column * row
        (net(x).squeeze(1) @ kernel).pow(2).mean().backward()
        """,
    "the nearest of all": """
        target = column - row
        (net(x) - target).pow(2).min(1).values.mean().backward()
        """,
    "another name for other shapes": """
        target = lw.randn(6, 6)
        def other():
            target = y - column
            return target
        (net(x) - target).pow(2).mean().backward()
        """,
}


def source_of(program):
    return START.strip("\n") + "\n" + textwrap.dedent(program).strip("\n") + "\n"


@pytest.mark.parametrize("name", MISTAKEN)
def test_the_line_where_a_column_met_a_row_is_named_and_the_repair_repairs(name):
    program, line = MISTAKEN[name]
    source = source_of(program)
    outcome = run(source)
    (text,) = {str(warned) for warned in outcome.warned}
    assert {type(warned) for warned in outcome.warned} == {leafward.GradientWarning}
    assert "has 36, not 6" in text
    assert lines_of(text)["pairs up"] == [line + FIRST]
    (edits,) = suggestions(text)
    repaired = run(applied(source, edits))
    assert repaired.error is None
    assert repaired.warned == []


@pytest.mark.parametrize("name", RIGHT)
def test_of_squares_that_are_meant_nothing_is_said(name):
    outcome = run(source_of(RIGHT[name]))
    assert outcome.error is None
    assert outcome.warned == []
