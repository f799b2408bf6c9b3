"""Composites like one before give what running them gives: to the bit, in the same layout, the same views and notes."""
from functools import partial

import pytest

import leafward
from leafward.amp import autocast
from leafward.arrays.tapes import twins_of
from leafward.core import modes
from leafward.core.cuts import Cut, cuts_of
from leafward.core.from_array import new_tensor
from leafward.core.known_composites import CompositeCalls, new_composite_calls
from leafward.core.op import Composite, composite, registry
from leafward.core.runtime import runtime
from leafward.derive.functions import derive, public
from leafward.errors import said
from leafward.func import vmap
from leafward.ops import normalization
from leafward.tensor import noted_composites
from tests.comparisons import compared
from tests.ops.checks import call, tensors_in
from tests.ops.test_known_calls import SIGHTINGS, other_values
from tests.samples import every_sample, name_of, ours

DTYPES = ("float32", "int64", "bool", "complex64")
known = pytest.mark.skipif(runtime.new_calls is None, reason="nothing is compiled, so every composite is run")
SAMPLES = every_sample(lambda op: isinstance(op, Composite) and not op.random)
F = leafward.nn.functional


def told(tensor, given):
    """What can be seen of a tensor: its elements and their layout, what it shares, and what was noted."""
    array, links, link = tensor._array, [], tensor._alias
    while link is not None:
        links.append(link.kind)
        link = link.parent
    owner = [number for number, x in enumerate(given) if x._storage is tensor._storage]
    return (type(tensor), array.dtype, array.shape, array.strides, array.tobytes(), tensor._version, links, owner,
            [number for number, x in enumerate(given) if x is tensor], None if tensor._base is None else tensor._base._version,
            graph(tensor.grad_fn, given), tensor.requires_grad, tensor.is_leaf, [cut.kind for cut in cuts_of(tensor._cut)])


def graph(node, given):
    """What led to a tensor: nodes with what they keep, and leaves."""
    if node is None:
        return None
    kept = [(name, getattr(node, name)) for name in dir(node) if name.startswith("_saved_")]
    values = [(name, value._array.tobytes() if isinstance(value, leafward.Tensor) else repr(value)) for name, value in kept]
    ends = [([x is target.variable for x in given] if hasattr(target, "variable") else graph(target, given), number)
            for target, number in node.next_functions]
    return type(node).__name__, values, ends


def shown(result, given):
    if isinstance(result, leafward.Tensor):
        return told(result, given)
    if isinstance(result, (list, tuple)):
        return type(result), [shown(part, given) for part in result]
    return type(result), repr(result)


def fresh(value):
    """``value`` with copies of its tensors, which a call may write into."""
    if isinstance(value, leafward.Tensor):
        twin = new_tensor(twins_of(value._array), value._dtype)
        twin._requires_grad = value._requires_grad
        return twin
    if isinstance(value, dict):
        return {name: fresh(part) for name, part in value.items()}
    return type(value)(map(fresh, value)) if type(value) in (list, tuple) else value


def outcome(function, op, args, kwargs):
    """What a call gives, and what it leaves of its arguments."""
    args, kwargs = fresh(args), fresh(kwargs)
    given = [*tensors_in(args), *tensors_in(list(kwargs.values()))]
    said.clear()
    if isinstance(block := modes.current().block, Cut):
        block.spent = 0                             # after some hundred calls in a block most are not told apart
    try:
        result = shown(call(leafward, function, op, args, kwargs), given)
    except Exception as error:                      # noqa: BLE001  compared below
        result = type(error), str(error)
    return result, [shown(x, given) for x in given]


@known
@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
@pytest.mark.parametrize("grad", [False, True, "recorded"], ids=["plain", "no_grad", "recorded"])
def test_composites_like_one_before(sample, grad):
    op = sample.op
    for dtype in DTYPES if grad != "recorded" else ("float32",):
        try:
            args, kwargs = sample.make(leafward, dtype, requires_grad=bool(grad))
            others = other_values(args), other_values(kwargs)
        except Exception:                           # noqa: BLE001  a sample that has no such dtype, or an array turned round
            continue
        kept = op.calls
        with leafward.set_grad_enabled(grad is not True):
            for number, given in enumerate([(args, kwargs)] * (SIGHTINGS + 2) + [others] * 2):
                op.calls = None
                before = outcome(ours(op), op, *given)
                op.calls = kept
                again = outcome(ours(op), op, *given)
                assert again == before or number == 0       # the first call in a block is noted at the block
                compared()


@known
def test_most_are_known_after_some_calls(monkeypatch):
    x, image = leafward.arange(12.0).reshape(3, 4), leafward.arange(32.0).reshape(1, 2, 4, 4)
    calls = {
        "hstack": lambda: leafward.hstack([x, x + 1]), "avg_pool2d": lambda: F.avg_pool2d(image, 2),
        "fft_rfft": lambda: leafward.fft.rfft(x), "layer_norm": lambda: F.layer_norm(x, (4,)),
        "cross_entropy": lambda: F.cross_entropy(x, leafward.tensor([1, 2, 3])), "diff": lambda: leafward.diff(x),
        "equal": lambda: leafward.equal(x, x + 0.0), "signal_windows_hann": lambda: leafward.signal.windows.hann(5),
        "diag": lambda: x.diag(),
    }
    for name, function in calls.items():
        monkeypatch.setattr(registry[name], "calls", new_composite_calls())   # which learn no more when full
        for _ in range(SIGHTINGS + 1):
            function()
        assert registry[name].calls.outcomes, name


@pytest.fixture
def counting():
    """A composite of our own, and how often it was run."""
    runs = []

    @composite("counted_scale", samples=["3"])
    def counted_scale(fns, input, by=2.0, check=False):
        runs.append(1)
        if check and (input < 0).any():
            raise ValueError("below zero")
        return input * by + 1

    derive(counted_scale)
    yield counted_scale.public_function, runs
    for names in registry, *public.values():
        names.pop("counted_scale", None)


def settled(function, *args, **kwargs):
    for _ in range(SIGHTINGS + 1):
        function(*args, **kwargs)


@known
def test_a_known_composite_is_not_run(counting):
    function, runs = counting
    x = leafward.arange(3.0)
    settled(function, x)
    before = len(runs)
    assert function(x + 1).tolist() == [3.0, 5.0, 7.0] and len(runs) == before
    assert isinstance(registry["counted_scale"].calls, CompositeCalls)


@known
def test_a_known_composite_is_not_run_where_it_is_recorded(counting):
    function, runs = counting
    w = leafward.arange(3.0, requires_grad=True)
    settled(function, w)
    before = len(runs)
    result = function(w * 2)
    assert result.tolist() == [1.0, 5.0, 9.0] and result.grad_fn.next_functions[0][0].name() == "MulBackward0"
    result.sum().backward()
    assert w.grad.tolist() == [4.0] * 3 and len(runs) == before
    settled(function, w, check=True)                            # which decides by values
    before = len(runs)
    assert function(w, check=True).grad_fn is not None and len(runs) == before + 1


@known
def test_outcomes_are_bounded_and_what_comes_again_is_learned_again(counting, monkeypatch):
    function, runs = counting
    monkeypatch.setattr(noted_composites, "MOST_OUTCOMES", 4)
    for size in range(1, 12):
        x = leafward.arange(float(size))
        settled(function, x)
        assert 1 <= len(registry["counted_scale"].calls.outcomes) <= 4
        before = len(runs)
        assert function(x).tolist() == [2.0 * i + 1 for i in range(size)] and len(runs) == before
    assert registry["counted_scale"].calls.learned == 11


@known
def test_what_is_otherwise_is_run(counting):
    function, runs = counting
    x = leafward.arange(3.0)
    settled(function, x)

    class Own(leafward.Tensor):
        pass

    seen = []

    class Mode(leafward.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    single = leafward.float32
    for given, expected in [((x.double(),), leafward.float64), ((x.long(),), single), ((x.reshape(1, 3),), single),
                            ((leafward.arange(6.0)[::2],), single), ((x, 3.0), single)]:
        before = len(runs)
        result = function(*given)
        assert len(runs) == before + 1 and result.dtype is expected
        assert leafward.equal(result, given[0] * (given[1] if len(given) > 1 else 2.0) + 1)
    w = leafward.arange(3.0, requires_grad=True)
    assert function(w).grad_fn is not None
    w.register_hook(lambda grad: seen.append("hook"))
    function(w).sum().backward()
    assert w.grad.tolist() == [2.0] * 3 and seen == ["hook"]
    with leafward.no_grad():
        assert not function(w).requires_grad and function(w)._cut is not None
    with leafward.inference_mode():
        assert function(x).is_inference()
    with Mode():
        function(x)
    assert "counted_scale" in seen
    assert isinstance(function(x.as_subclass(Own)), Own)
    assert vmap(function)(leafward.arange(6.0).reshape(2, 3)).tolist() == [[1.0, 3.0, 5.0], [7.0, 9.0, 11.0]]
    assert function(x).is_leaf and function(x)._version == 0


@known
def test_autocast_looks_into_a_known_composite():
    a, b = leafward.ones(2, 2), leafward.ones(2, 2)
    settled(leafward.linalg.multi_dot, [a, b, a])
    with autocast("cpu", dtype=leafward.bfloat16):
        assert leafward.linalg.multi_dot([a, b, a]).dtype is leafward.bfloat16
    assert leafward.linalg.multi_dot([a, b, a]).dtype is leafward.float32


@known
def test_a_decision_by_a_value_is_made_each_time(counting):
    function, runs = counting
    x = leafward.arange(3.0)
    settled(function, x, check=True)
    before = len(runs)
    function(x, check=True)
    assert len(runs) == before
    with pytest.raises(ValueError, match="below zero"):
        function(x - 1, check=True)
    assert function(x, check=True).tolist() == [1.0, 3.0, 5.0]


@known
def test_what_takes_no_time_is_not_learned():
    x = leafward.arange(3.0)
    for name, function in {"is_conj": lambda: leafward.is_conj(x), "_functional_relu": lambda: F.relu(x)}.items():
        registry[name].calls = new_composite_calls()
        settled(function)
        assert registry[name].calls.known is None


@known
def test_what_is_drawn_is_drawn_each_time():
    p = leafward.full((4, 8), 0.5)
    for function in (lambda: leafward.bernoulli(p), lambda: F.dropout(p), lambda: F.rrelu(p - 1, training=True)):
        assert len({tuple(function().reshape(-1).tolist()) for _ in range(3 * SIGHTINGS)}) > 1


@known
def test_what_is_written_is_written_each_time():
    for _ in range(3 * SIGHTINGS):
        x = leafward.zeros(3, 3)
        assert x.fill_diagonal_(2.0) is x and x.trace().item() == 6.0 and x._version == 1


def of_normalization(**options):
    """The arguments of a batch norm, of which two are written."""
    return (leafward.arange(12.0).reshape(4, 3), leafward.zeros(3), leafward.ones(3)), {"training": True, **options}


WRITES = {
    "fill_diagonal_": lambda: ((leafward.zeros(3, 4), 2.0), {}),
    "index_put_": lambda: ((leafward.zeros(3, 4), (leafward.tensor([0, 2]),), leafward.ones(2, 4)), {"accumulate": True}),
    "polygamma_": lambda: ((leafward.ones(3, 4), 1), {}),
    "batch_norm": of_normalization,
}


@known
@pytest.mark.parametrize("name", WRITES)
def test_what_writes_into_an_argument_is_known_too(name, monkeypatch):
    op = registry[name]
    monkeypatch.setattr(op, "calls", new_composite_calls())
    for _ in range(SIGHTINGS + 1):
        args, kwargs = WRITES[name]()
        op.public_function(*args, **kwargs)
    assert op.calls.outcomes and op.calls.written

    def written(given, source=None):
        """What stands in the arguments after a call, and the notes of the writes."""
        args, kwargs = WRITES[name]()
        args = [given(x) if isinstance(x, leafward.Tensor) and x.dtype.is_floating_point else x for x in args]
        if source is not None:
            args[source].requires_grad_()
        with leafward.no_grad():
            op.public_function(*args, **kwargs)
        return [(x.tolist(), x._version, [(write.op, write.region.shape) for write in x._storage.log or ()],
                 [cut.kind for cut in cuts_of(x._cut)], x._base is None or x._base._version) for x in tensors_in(args)]

    sources = [k for k, x in enumerate(WRITES[name]()[0]) if isinstance(x, leafward.Tensor) and x.dtype.is_floating_point]
    for given in lambda x: x, lambda x: leafward.cat([x, x])[:len(x)]:
        for source in [None, *sources] if given(args[0])._base is None else [None]:
            calls, again = op.calls, written(given, source)
            monkeypatch.setattr(op, "calls", None)
            assert written(given, source) == again
            monkeypatch.setattr(op, "calls", calls)


@known
def test_what_writes_into_memory_of_another_argument_is_run():
    x = leafward.zeros(4, 4)
    for number in range(3 * SIGHTINGS):
        parts = x.fill_(1.0)[0], x[1]
        with leafward.no_grad():
            F.batch_norm(leafward.arange(16.0).reshape(4, 4) * number, *parts, training=True)
        assert x[0, 0] == pytest.approx(0.9 + 0.6 * number) and x._version == 3 * (number + 1)


@known
def test_what_asks_whether_something_requires_grad_is_followed_too(monkeypatch):
    x, w = leafward.arange(12.0).reshape(4, 3), leafward.ones(3, requires_grad=True)
    normalized = partial(F.batch_norm, x, weight=w, training=True)
    expected = normalized(leafward.zeros(3), leafward.ones(3))
    settled(normalized, leafward.zeros(3), leafward.ones(3))
    mean, variance = leafward.zeros(3), leafward.ones(3)
    with monkeypatch.context() as patch:
        patch.setattr(normalization, "by_channel", None)
        again = normalized(mean, variance)
    assert again.equal(expected) and again.grad_fn.name() == expected.grad_fn.name()
    assert mean.tolist() == pytest.approx([0.45, 0.55, 0.65]) and variance[0] == 2.4 and mean._version == 1
    with pytest.raises(RuntimeError, match="not differentiable with respect to argument 'running_mean'"):
        normalized(leafward.zeros(3, requires_grad=True), variance)
    assert normalized(leafward.zeros(3), leafward.ones(3)).equal(expected)


@known
def test_a_tensor_given_twice_is_given_twice_each_time():
    x, y = leafward.arange(3.0), leafward.arange(3.0) + 1
    settled(leafward.inner, x, x)
    assert leafward.inner(y, y) == 14 and leafward.inner(x, y) == 8
    settled(leafward.equal, x, x)
    assert leafward.equal(y, y) and not leafward.equal(y, x)


@known
def test_results_do_not_share_memory():
    x = leafward.arange(12.0).reshape(3, 4)
    for function in (leafward.fft.fftfreq, leafward.signal.windows.hann):
        found = [function(5) for _ in range(3 * SIGHTINGS)]
        found[-1].zero_()
        assert found[-2].abs().sum() > 0
    found = [leafward.diff(x) for _ in range(3 * SIGHTINGS)]
    found[-1].zero_()
    assert found[-2].abs().sum() > 0 and x[0, 1] == 1
    views = [leafward.broadcast_tensors(x, x[0])[0] for _ in range(3 * SIGHTINGS)]
    assert all(view._base is x._base for view in views)
