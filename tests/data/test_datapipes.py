"""DataPipes against PyTorch's: each pipe, pipes of one's own, in a loader."""
import pytest

import leafward
import leafward.utils.data.datapipes.iter
import leafward.utils.data.datapipes.map
from tests.oracle import torch

BOTH = (leafward, torch)


def pipes(t):
    """``(a pipe of ten numbers, six letters by index, its modules)``."""
    kinds = t.utils.data.datapipes
    return kinds.iter.IterableWrapper(range(10)), kinds.map.SequenceWrapper("abcdef"), kinds.iter, kinds.map


def pairs(t):
    return pipes(t)[2].IterableWrapper([(1, 2), (3, 4)])


#: An expression over the pipes ``p`` (read from the front), ``m`` (by index) and their modules, and namespace ``t``.
EXPRESSIONS = [
    "list(p)", "len(p)", "repr(p.batch(3))", "list(p.map(str))", "list(p.filter(lambda x: x % 2 == 0))", "list(p.batch(3))",
    "list(p.batch(3, drop_last=True))", "[len(p.batch(n, drop_last=d)) for n in (1, 3, 5) for d in (True, False)]",
    "list(p.batch(2).batch(2))", "list(p.batch(2).batch(2).unbatch())", "list(p.batch(2).batch(2).unbatch(2))",
    "list(p.batch(2).batch(2).unbatch(-1))", "list(p.concat(i.IterableWrapper('ab')))", "len(p.concat(p))",
    "list(p.zip(i.IterableWrapper('abc')))",
    "len(p.zip(i.IterableWrapper('ab')))", "[x.tolist() for x in p.batch(4).collate()]",
    "list(p.batch(4).collate(sum))", "list(p.batch(4).collate(collate_fn=max))",
    "list(p.shuffle())", "list(p.shuffle().set_seed(3))", "list(p.shuffle(buffer_size=3).set_seed(3))",
    "[list(s) for s in [p.shuffle()] * 3]", "list(p.shuffle().set_shuffle(False))",
    "list(p.batch(2).shuffle(unbatch_level=1))",
    "list(pairs.map(lambda x: x + 1, input_col=0))", "list(pairs.map(lambda x, y: x + y, input_col=[0, 1]))",
    "list(pairs.map(lambda x: x, input_col=0, output_col=-1))", "list(pairs.map(lambda x: x, input_col=0, output_col=[1]))",
    "list(pairs.filter(lambda x: x > 1, input_col=0))", "list(pairs.filter(lambda x, y: x + y > 4, input_col=[0, 1]))",
    "list(i.IterableWrapper([{'a': 1}]).map(lambda x: x + 1, input_col='a', output_col='b'))",
    "list(m)", "m[2]", "len(m)", "list(m.map(str.upper))", "list(m.batch(4))", "[len(m.batch(4)), len(m.batch(4, True))]",
    "list(m.concat(m))", "len(m.concat(m))", "list(m.zip(m.map(str.upper)))", "list(m.shuffle())",
    "list(m.shuffle().set_seed(2))", "list(m.shuffle(indices=[4, 1]).set_shuffle(False))", "len(m.shuffle())",
    "repr(m.batch(2))",
    "[x.tolist() for x in t.utils.data.DataLoader(p, batch_size=4)]", "list(t.utils.data.DataLoader(m, batch_size=4))",
    "[isinstance(p, t.utils.data.IterableDataset), isinstance(m, t.utils.data.Dataset)]", "p.batch(2).as_str",
    "next(iter(p.batch(2))).as_str('> ')", "list(next(iter(p.batch(2))).raw_iterator())",
    # refused
    "p.batch(0)", "m.batch(0)", "m.batch(4)[5]", "m.concat(m)[12]", "m.zip(m)[6]", "i.Concater()", "i.Concater([1])",
    "i.Zipper([1])", "j.Concater()", "j.Zipper([1])", "list(p.unbatch())", "list(p.unbatch(-2))", "p.shuffle(buffer_size=0)",
    "len(p.filter(bool))", "p.map(str, output_col=1)", "pairs.map(str, 0, [1, 2])", "p.nothing",
]


@pytest.mark.filterwarnings("ignore:Lambda function is not supported by pickle")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_pipes_are_pytorchs(expression):
    answers = []
    for t in BOTH:
        t.manual_seed(0)
        p, m, i, j = pipes(t)
        try:
            answers.append(eval(expression, {"t": t, "p": p, "m": m, "i": i, "j": j, "pairs": pairs(t)}))
        except Exception as error:  # noqa: BLE001  it is the answer
            answers.append(f"{type(error).__name__}: {error}".split("\n")[0].rstrip("'"))
    assert answers[0] == answers[1]


def own_pipes(t):
    """A pipe that counts its resets, chained by a name of its own."""
    data = t.utils.data

    class Counting(data.IterDataPipe):
        def __init__(self, datapipe):
            self.datapipe, self.resets = datapipe, 0

        def reset(self):
            self.resets += 1

        def __iter__(self):
            for item in self.datapipe:
                yield item, self.resets

    class Backwards(data.MapDataPipe):
        def __init__(self, datapipe):
            self.datapipe = datapipe

        def __getitem__(self, index):
            return self.datapipe[len(self.datapipe) - 1 - index]

        def __len__(self):
            return len(self.datapipe)

    return Counting, Backwards


def test_pipes_of_ones_own():
    seen = []
    for t in BOTH:
        counting, backwards = own_pipes(t)
        decorate = t.utils.data.functional_datapipe
        try:
            decorate("counted_in_this_test")(counting)
            decorate("backwards_in_this_test")(backwards)
            p, m, *_ = pipes(t)
            counted = p.counted_in_this_test()
            seen.append([list(counted), list(counted.batch(9)), list(m.backwards_in_this_test().map(str.upper)), repr(counted)])
            with pytest.raises(Exception, match="Unable to add DataPipe function name counted_in_this_test as it is already"):
                decorate("counted_in_this_test")(counting)
            if t is leafward:
                with pytest.raises(TypeError, match="`functional_datapipe` can only decorate IterDataPipe or MapDataPipe"):
                    decorate("else")(int)
        finally:
            t.utils.data.IterDataPipe.functions.pop("counted_in_this_test", None)
            t.utils.data.MapDataPipe.functions.pop("backwards_in_this_test", None)
    assert seen[0] == seen[1]


def test_a_copy_is_read():
    for t in BOTH:
        source = [[1], [2]]
        copied, itself = (t.utils.data.datapipes.map.SequenceWrapper(source, deepcopy=d) for d in (True, False))
        source.append([3])
        assert (len(copied), len(itself)) == (2, 3)


def test_what_is_missing_is_named():
    p = leafward.utils.data.datapipes.iter.IterableWrapper([1])
    with pytest.raises(AttributeError, match="leafward has the pipes batch, collate, .* others are generators"):
        p.fork(2)
    with pytest.raises(NotImplementedError, match="read from the front"):
        p[0]
    with pytest.raises(ValueError, match="Boolean output is required for `filter_fn`"):
        list(p.filter(str))
