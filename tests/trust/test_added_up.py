"""Values written to one place: every repair that is suggested runs, and adds up, whatever the index and the statement are."""
import numpy as np
import pytest

import leafward
from tests.trust.fixes import applied, suggestions
from tests.trust.programs import lines_of, run

HEAD = """\
import numpy as np
ids, rows, cols = lw.tensor([0, 0, 1]), lw.tensor([0, 0, 1]), lw.tensor([2, 2, 0])
listed, array = [0, 0, 1], np.array([0, 0, 1])
pair, narrow = (rows, cols), np.array([0, 0, 1], dtype=np.int16)
class Box: pass
self = Box()
"""
TAIL = """
(m * c).sum().backward()
"""
ROWS, PAIRS, COLUMNS = ([0, 0, 1],), ([0, 0, 1], [2, 2, 0]), (slice(None), [0, 0, 1])
#: name -> (the write, the shape of m, the index as NumPy takes it, what v is multiplied with)
WRITES = {
    "a tensor": ("m[ids] = v * 2", (4,), ROWS, 2),
    "a tensor made here": ("m[lw.tensor([0, 0, 1])] = v * 2", (4,), ROWS, 2),
    "a list": ("m[[0, 0, 1]] = v * 2", (4,), ROWS, 2),
    "a list with a name": ("m[listed] = v * 2", (4,), ROWS, 2),
    "an array": ("m[array] = v * 2", (4,), ROWS, 2),
    "an array made here": ("m[np.array([0, 0, 1])] = v * 2", (4,), ROWS, 2),
    "an array of a tensor": ("m[ids.numpy()] = v * 2", (4,), ROWS, 2),
    "an array of short numbers": ("m[narrow.astype(np.int64)] = v * 2", (4,), ROWS, 2),
    "rows": ("m[ids] = v * 2", (4, 3), ROWS, 2),
    "rows of an array": ("m[array] = v * 2", (4, 3), ROWS, 2),
    "two tensors": ("m[rows, cols] = v * 2", (4, 3), PAIRS, 2),
    "two tensors in brackets": ("m[(rows, cols)] = v * 2", (4, 3), PAIRS, 2),
    "two tensors in a tuple": ("m[pair] = v * 2", (4, 3), PAIRS, 2),
    "a list and an array": ("m[listed, np.array([2, 2, 0])] = v * 2", (4, 3), PAIRS, 2),
    "columns": ("m[:, ids] = v * 2", (4, 3), COLUMNS, 2),
    "columns of a list": ("m[:, [0, 0, 1]] = v * 2", (4, 3), COLUMNS, 2),
    "columns from behind": ("m[..., ids] = v * 2", (4, 3), COLUMNS, 2),
    "a part of the columns": ("m[ids, 1:] = v * 2", (4, 3), ([[0], [0], [1]], [[1, 2]] * 3), 2),
    "columns of some rows": ("m[1:3, ids] = v * 2", (4, 3), ([[1], [2]], [[0, 0, 1]] * 2), 2),
    "a row and columns": ("m[1, ids] = v * 2", (4, 3), ([1, 1, 1], [0, 0, 1]), 2),
    "a column and rows": ("m[ids, 2] = v * 2", (4, 3), ([0, 0, 1], [2, 2, 2]), 2),
    "the last of three dims": ("m[0, :, ids] = v * 2", (2, 4, 3), ([[0]], [[0], [1], [2], [3]], [[0, 0, 1]]), 2),
    "the last two of three dims": ("m[:, rows, cols] = v * 2", (2, 4, 3), (slice(None), *PAIRS), 2),
    "places in two dims": ("m[lw.tensor([[0, 0], [1, 1]])] = v * 2", (4,), ([[0, 0], [1, 1]],), 2),
    "another dim": ("m[None, ids] = v * 2", (4,), (None, [0, 0, 1]), 2),
    "an attribute": ("self.m = m; self.m[listed] = v * 2", (4,), ROWS, 2),
    "two statements on the line": ("m[listed] = v * 2; k = 3", (4,), ROWS, 2),
    "the second of two statements": ("k = 3; m[listed] = v * k", (4,), ROWS, 3),
    "a condition on the line": ("if True: m[listed] = v * 2", (4,), ROWS, 2),
    "several lines": ("m[\n    [0, 0,\n     1]\n] = (v *\n     2)", (4,), ROWS, 2),
    "an index on lines of its own": ("m[listed] = lw.mul(\n    v,\n    2,\n)", (4,), ROWS, 2),
    "+= with a tensor": ("m[ids] += v", (4,), ROWS, 1),
    "+= with a list": ("m[listed] += v * 2", (4,), ROWS, 2),
    "+= with an array": ("m[array] += v", (4,), ROWS, 1),
    "-= with a list": ("m[[0, 0, 1]] -= v * 2", (4,), ROWS, -2),
    "-= of a sum": ("m[rows, cols] -= v + v", (4, 3), PAIRS, -2),
    "+= in columns": ("m[:, listed] += v", (4, 3), COLUMNS, 1),
    "index_put_": ("m.index_put_((ids,), v * 2)", (4,), ROWS, 2),
    "index_put": ("m = m.index_put((rows, cols), v * 2)", (4, 3), PAIRS, 2),
    "index_put_ that says False": ("m.index_put_((ids,), v * 2, accumulate=False)", (4,), ROWS, 2),
    "index_put_ that says False by position": ("m.index_put_((ids,), v * 2, False)", (4,), ROWS, 2),
    "the function index_put": ("m = lw.index_put(m, (ids,), v * 2, False)", (4,), ROWS, 2),
    "put_": ("m.put_(ids, v * 2)", (4,), ROWS, 2),
    "scatter_": ("m.scatter_(0, ids, v * 2)", (4,), ROWS, 2),
    "scatter by keywords": ("m = m.scatter(dim=0, index=ids, src=v * 2)", (4,), ROWS, 2),
    "the function scatter": ("m = lw.scatter(m, 0, ids, v * 2)", (4,), ROWS, 2),
    "index_copy_": ("m.index_copy_(0, ids, v * 2)", (4, 3), ROWS, 2),
    "index_copy on several lines": ("m = m.index_copy(\n    0, ids,\n    v * 2)", (4, 3), ROWS, 2),
}


def program(name):
    write, shape, index, _ = WRITES[name]
    wanted = np.zeros(shape)[index].shape
    count = int(np.prod(wanted))
    sizes = ", ".join(map(str, shape))
    return HEAD + (f"v = lw.arange(1.0, {count + 1}.0).reshape({', '.join(map(str, wanted))}).requires_grad_()\n"
                   f"m, c = lw.zeros({sizes}), lw.arange(1.0, {int(np.prod(shape)) + 1}.0).reshape({sizes})\n") + write + TAIL


@pytest.mark.parametrize("name", WRITES)
def test_each_repair_runs_and_adds_up(name):
    source = program(name)
    outcome = run(source)
    assert outcome.error is None
    (warned,) = outcome.warned
    assert isinstance(warned, leafward.GradientWarning)
    (edits,) = suggestions(str(warned))
    repaired = run(applied(source, edits))
    assert repaired.error is None
    assert repaired.warned == []
    _, shape, index, factor = WRITES[name]
    added, v = np.zeros(shape), repaired.names["v"].detach().numpy()
    np.add.at(added, index, v * factor)
    c = repaired.names["c"].numpy()
    assert repaired.names["m"].tolist() == added.tolist()
    assert repaired.grad("v") == (c[index] * factor).tolist()


#: Writes where no edit is sure to run: what is said in words.
IN_WORDS = {
    "*=": "m[ids] *= v",
    "two targets": "n = m[ids] = v * 2",
    "targets of several values": "m[ids], k = v * 2, 3",
    "a slice between two": "m = lw.zeros(4, 3, 2)\nm[ids, :, ids] = (v * 2)[:, None]",
    "a tuple of lists": "pair = (listed, [0, 0, 1])\nm = lw.zeros(4, 3)\nm[pair] = v * 2",
    "by its name alone": "from leafward import scatter\nm = scatter(m, 0, ids, v * 2)",
    "arguments in a list": "m = m.scatter(*(0, ids, v * 2))",
    "in a call": "import operator\noperator.setitem(m, ids, v * 2)",
}


@pytest.mark.parametrize("name", IN_WORDS)
def test_where_no_edit_is_sure_words_say_what_to_do(name):
    before = HEAD + "v, m = lw.tensor([2.0, 3.0, 4.0], requires_grad=True), lw.ones(4)\n" + IN_WORDS[name]
    outcome = run(before + "\nm.sum().backward()")
    assert outcome.error is None
    (warned,) = outcome.warned
    assert suggestions(str(warned)) == []
    assert lines_of(str(warned)) == {"written in": [len(before.splitlines())]}
    assert str(warned).endswith("  fix      make the indices unique, or add up what goes to one place")


def test_the_text():
    outcome = run(program("a list"))
    assert outcome.story.splitlines() == [
        "some of the values written are not there: places are named twice.",
        "  written in   m[[0, 0, 1]] = v * 2   train.py:9   an index occurs twice: one value overwrote the other, and the "
        "gradient credits both",
        "  fix   replace train.py:9 by   m.index_put_((lw.as_tensor([0, 0, 1]),), v * 2, accumulate=True)   adds up "
        "what goes to one place; else make the indices unique"]


#: Writes of equal values to one place: it has one of them, and the gradient has both.
EQUAL = {
    "one value for all": ("m[ids] = v[0] * 1", None),
    "a row twice": ("m[ids] = v[[2, 2, 1]]", None),
    "rows by their own index": ("m[ids] = k[ids]", "m[ids.unique()] = k[ids.unique()]"),
    "by a function": ("m = m.scatter(0, ids, v[0].expand(3))", None),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_values_are_credited_twice(name):
    write, repaired = EQUAL[name]
    program = (HEAD + "v, m = lw.tensor([2.0, 3.0, 4.0], requires_grad=True), lw.zeros(4)\nk = v * 1\n" + write
               + "\nm.sum().backward()")
    outcome = run(program)
    (warned,) = outcome.warned
    assert str(warned).startswith("places are written twice: the gradient counts them twice.\n  written in")
    assert lines_of(str(warned))["written in"] == [len(program.splitlines()) - 1]
    if repaired is None:
        assert suggestions(str(warned)) == []
        return
    ((edit,),) = suggestions(str(warned))
    assert edit[3] == repaired
    right = run(applied(program, [edit]))
    assert right.warned == []
    assert right.names["m"].tolist() == outcome.names["m"].tolist()
    assert right.names["v"].grad.tolist() == [1.0, 1.0, 0.0] != outcome.names["v"].grad.tolist()


@pytest.mark.parametrize("write", ["m[[2, 0, 1]] = v", "m[ids.unique()] = v[:2]",
                                   "m.index_put_((ids,), v, accumulate=True)", "m[lw.tensor([True, False, True, True])] = v"])
def test_right_look_alikes(write):
    program = HEAD + "v, m = lw.tensor([2.0, 3.0, 4.0], requires_grad=True), lw.zeros(4)\n" + write + "\nm.sum().backward()"
    outcome = run(program)
    assert outcome.error is None
    assert outcome.warned == []


@pytest.mark.parametrize("index", ["[0, 0, 1]", "0", "slice(None)"])
def test_what_index_put_does_not_take_is_refused_as_in_pytorch(index):
    outcome = run(f"lw.zeros(3).index_put_(({index},), lw.ones(3))")
    assert type(outcome.error) is TypeError
    assert str(outcome.error).startswith("expected Tensor as element 0 in argument 0, but got ")
