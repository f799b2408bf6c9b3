"""An infinity or NaN in one element of an input changes only the elements of the outputs that it changes in PyTorch."""
import numpy as np
import pytest

import leafward
from tests.ops.checks import call, flat, kinds, settled, tensors_in
from tests.oracle import Outcome, to_numpy, torch
from tests.samples import Drawn, every_sample, is_comparable, name_of, ours, theirs


def replaced(drawn, position, element, value):
    """``drawn`` with one element of its tensor number ``position`` set to ``value``."""
    count = 0

    def visit(item):
        nonlocal count
        if isinstance(item, list):
            return [visit(part) for part in item]
        if not isinstance(item, Drawn):
            return item
        count += 1
        if count - 1 != position:
            return item
        values = np.array(item.values, dtype=float)
        values.reshape(-1)[element] = value
        return Drawn(values, item.dtype)
    return [visit(item) for item in drawn]


def outputs(t, find, sample, drawn):
    args, kwargs = sample.build(t, drawn)
    outcome = Outcome(call, (t, find(sample.op), sample.op, args, kwargs))
    return None if outcome.error is not None else [to_numpy(x) for x in tensors_in(settled(sample.op, outcome.value))]


def changed(before, after):
    """Where two arrays differ by more than rounding; everywhere, if their shapes do."""
    if before.shape != after.shape:
        return None
    with np.errstate(all="ignore"):
        return ~((before == after) | np.isclose(before, after, rtol=1e-9, atol=1e-9, equal_nan=True))


#: Ops whose outputs are weighted sums over a window each.
WINDOWS = ("interpolate", "adaptive_avg", "avg_pool", "unfold", "pad")


def is_local(op):
    return is_comparable(op) and not op.random and any(word in op.name for word in WINDOWS)


@pytest.mark.parametrize("sample", every_sample(is_local), ids=name_of)
def test_one_bad_element_spoils_no_more_than_in_pytorch(sample):
    drawn = sample.draw("float64")
    plain = outputs(torch, theirs, sample, drawn), outputs(leafward, ours, sample, drawn)
    if None in plain:
        return
    for position, (kind, item) in enumerate(zip(kinds(sample.specs), flat(drawn), strict=True)):
        if item.dtype != "float64" or np.size(item.values) == 0:
            continue
        for element in {0, np.size(item.values) // 2}:
            for value in np.inf, np.nan:
                spoiled = replaced(drawn, position, element, value)
                expected, given = outputs(torch, theirs, sample, spoiled), outputs(leafward, ours, sample, spoiled)
                if expected is None or given is None:
                    continue
                for before, after, mine, now in zip(plain[0], expected, plain[1], given, strict=True):
                    allowed, found = changed(before, after), changed(mine, now)
                    if allowed is not None and found is not None:
                        assert not (found & ~allowed).any(), (
                            f"{value} in element {element} of input {position} ({kind}) changes {now[found & ~allowed][:4]}")
