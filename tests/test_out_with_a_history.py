"""``out=`` that has a history, or is a leaf: what is refused, where its history ends, and what lies behind it."""
import warnings

import pytest

import leafward
from tests.both import both
from tests.oracle import torch
from tests.samples import every_op, is_comparable, is_public, name_of, ours, samples_of, theirs, writes_input

MAKERS = {
    "arange": lambda t, out, **given: t.arange(6.0, out=out, **given),
    "linspace": lambda t, out, **given: t.linspace(0, 5, 6, out=out, **given),
    "logspace": lambda t, out, **given: t.logspace(0, 5, 6, base=2.0, out=out, **given),
    "range": lambda t, out, **given: t.range(0, 5, out=out, **given),
    "zeros": lambda t, out, **given: t.zeros(6, out=out, **given),
    "ones": lambda t, out, **given: t.ones(2, 3, out=out, **given),
    "full": lambda t, out, **given: t.full((6,), 7.0, out=out, **given),
    "eye": lambda t, out, **given: t.eye(2, 3, out=out, **given),
    "rand": lambda t, out, **given: t.rand(6, out=out, **given),
    "randn": lambda t, out, **given: t.randn(6, out=out, **given),
    "randint": lambda t, out, **given: t.randint(1, 6, (6,), out=out, **given),
    "randperm": lambda t, out, **given: t.randperm(6, out=out, **given),
    "empty": lambda t, out, **given: t.empty(6, out=out, **given),
}


def gradient(t, out, leaf):
    """Whether ``out`` leads to ``leaf``; or what says that it does not."""
    try:
        return t.autograd.grad(out, [leaf], t.ones_like(out), allow_unused=True)[0] is None
    except RuntimeError as error:
        return str(error).partition(". ")[0]


def tried(make, t, out, given):
    """The values may be drawn, or left unset."""
    make(t, out, **given)


@pytest.mark.parametrize("name", MAKERS)
def test_creations(name):
    make = MAKERS[name]

    @both
    def scenario(t, see):
        warnings.simplefilter("ignore")
        for shape in (), (6,), (0,), (2, 3):
            for recording in True, False:
                for given in {}, {"requires_grad": True}:
                    leaf = t.ones(shape, requires_grad=True)
                    for out in t.ones(shape), t.ones(shape, requires_grad=True), leaf * 1:
                        with t.set_grad_enabled(recording):
                            see.raises(tried, make, t, out, given)
                        see(tuple(out.shape), out.requires_grad, out.is_leaf)
                        if recording and out.requires_grad:
                            see(gradient(t, out, leaf))
    scenario()


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name):
    @both
    def scenario(t, see):
        warnings.simplefilter("ignore")
        for shape in (), (5,), (0,), (7,):
            for recording in True, False:
                for out in t.ones(shape), t.ones(shape, requires_grad=True), t.ones(shape, requires_grad=True) * 1:
                    with t.set_grad_enabled(recording):
                        try:
                            getattr(t.fft, name)(5 if name == "fftfreq" else 8, out=out)
                        except (IndexError, RuntimeError) as error:
                            see(isinstance(error, IndexError))
                    see(tuple(out.shape), out.requires_grad, out.is_leaf, isinstance(gradient(t, out, out), str))
    scenario()


#: PyTorch's form for `out=` has other arguments, or other steps inside, than the function.
OTHER = ("linalg_cond", "matrix_power", "median", "nanmedian", "argsort", "gradient", "nonzero", "histogram", "fft_fftfreq",
         "fft_rfftfreq")


def written(t, function, sample, requires_grad):
    """What is seen of ``out=`` with a history after a call; None where the function has no such form, or no such result."""
    args, kwargs = sample.make(t, "float32", requires_grad=requires_grad)
    result = function(*args, **kwargs)
    if not isinstance(result, t.Tensor) or not (result.dtype.is_floating_point or result.dtype.is_complex):
        return None
    leaf = t.ones_like(result, requires_grad=True)
    out = leaf * 1
    try:
        function(*args, **kwargs, out=out)
    except TypeError:
        return None
    except RuntimeError as error:
        return str(error).partition("functions with out=")[1]
    inputs = [x for x in args if isinstance(x, t.Tensor) and x.requires_grad]
    return [(out.requires_grad, out.is_leaf), *[gradient(t, out, x) for x in (leaf, *inputs)]]


@pytest.mark.parametrize("op", every_op(lambda op: is_public(op) and is_comparable(op) and not callable(op.reference)
                                        and not writes_input(op) and op.name not in OTHER), ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_results(op):
    """The same is refused, the same histories end, and nothing of what ``out`` was is reached past such an end."""
    for sample in samples_of(op):
        for requires_grad in False, True:
            try:
                expected = written(torch, theirs(op), sample, requires_grad)
            except (IndexError, NotImplementedError, RuntimeError, TypeError):
                continue                        # of another dtype only
            if expected is not None:
                assert written(leafward, ours(op), sample, requires_grad) == expected, (sample.text, requires_grad)
