"""``out=`` of creation functions: which shape it keeps, which elements are written, and what is refused."""
import warnings

import pytest

import leafward
from tests.both import both, tried

MAKERS = {
    "arange": lambda t, out: t.arange(6.0, out=out),
    "no range": lambda t, out: t.arange(0.0, out=out),
    "linspace": lambda t, out: t.linspace(0, 5, 6, out=out),
    "one step": lambda t, out: t.linspace(3, 5, 1, out=out),
    "no step": lambda t, out: t.linspace(3, 5, 0, out=out),
    "logspace": lambda t, out: t.logspace(0, 5, 6, base=2.0, out=out),
    "range": lambda t, out: t.range(0, 5, out=out),
    "zeros": lambda t, out: t.zeros(6, out=out),
    "ones": lambda t, out: t.ones(2, 3, out=out),
    "full": lambda t, out: t.full((6,), 7.0, out=out),
    "eye": lambda t, out: t.eye(2, 3, out=out),
    "rand": lambda t, out: t.rand(6, out=out),
    "randint": lambda t, out: t.randint(1, 6, (6,), out=out),
    "randperm": lambda t, out: t.randperm(6, out=out),
    "empty": lambda t, out: t.empty(6, out=out),
}
OUTS = {
    "another shape": lambda m: m[:6].view(2, 3), "transposed": lambda m: m[:6].view(2, 3).t(), "strided": lambda m: m[::2],
    "too short": lambda m: m[:3], "too short and strided": lambda m: m[::3][:3], "inner": lambda m: m.view(4, 3)[1:3, :2],
    "columns": lambda m: m.view(3, 4)[:, :2], "empty": lambda m: m[:0], "expanded": lambda m: m[:1].expand(6),
    "expanded rows": lambda m: m[:3].expand(2, 3), "the same": lambda m: m[:6],
}


@pytest.mark.parametrize("name", MAKERS)
def test_out_of_every_shape(name):
    make = MAKERS[name]

    @both
    def scenario(t, see):
        for kind, out_of in OUTS.items():
            if name in ("eye", "randperm") and kind.startswith("expanded"):
                continue                                    # nonsense there
            memory = t.arange(100.0, 112.0)
            out = out_of(memory)
            t.manual_seed(0)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                see.raises(make, t, out)
            see(kind, memory, tuple(out.shape), out.stride(), out.storage_offset(), out._version,
                [str(w.message).partition(". Note")[0] for w in caught if "deprecated" not in str(w.message)])
    scenario()


@pytest.mark.parametrize("name", ["eye", "randperm"])
def test_values_that_differ_do_not_go_into_an_expanded_tensor(name):
    memory = leafward.arange(100.0, 112.0)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        MAKERS[name](leafward, OUTS["expanded rows" if name == "eye" else "expanded"](memory))
    assert memory.tolist() == list(range(100, 112))


@both
def test_out_that_is_a_part_of_a_complex_tensor(t, see):
    x = t.zeros(4, dtype=t.complex64)
    see(t.linspace(0, 3, 4, out=x.conj()), x)
    see(t.arange(4.0, out=x.imag.view(2, 2)), x)


@pytest.mark.filterwarnings("ignore:torch.range is deprecated", "ignore:The number of elements", "ignore:An output with one")
@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("name", [*MAKERS, "fftfreq", "rfftfreq"])
def test_a_history_ends_in_a_creation_and_a_leaf_is_told_whether_it_wants_a_gradient(name, recording):
    make = MAKERS.get(name) or (lambda t, out: getattr(t.fft, name)(6, out=out))

    @both
    def scenario(t, see):
        for shape in (6, 12, 0):
            for out in (t.ones(shape).requires_grad_(), t.ones(shape, requires_grad=True) * 2,
                        (t.ones(shape, requires_grad=True) * 2)[...], t.ones(shape)):
                t.manual_seed(0)
                with t.set_grad_enabled(recording):
                    if name == "empty":
                        see.raises(lambda out: make(t, out).fill_(1), out)
                    elif "freq" in name:                    # another name in the sentence
                        see(str(tried(make, t, out)).partition(": ")[2].partition("(")[2])
                    else:
                        see.raises(make, t, out)
                see(out.requires_grad, out.is_leaf, tuple(out.shape), out.detach())
                if not out.is_leaf and recording and (out._base is None or out.shape == out._base.shape):
                    see.raises(t.autograd.grad, out.sum(), [out], retain_graph=True)
    scenario()


@both
def test_requires_grad_of_what_was_given_as_out(t, see):
    for recording in True, False:
        for wanted in True, False:
            out = t.ones(3)
            with t.set_grad_enabled(recording):
                t.zeros(3, out=out, requires_grad=wanted)
            see(out)
