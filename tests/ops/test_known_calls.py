"""Calls like one before give what the general way gives: to the bit, in the same layout, with the same refusals and notes."""
import numpy as np
import pytest

import leafward
from leafward.core.from_array import new_tensor
from leafward.core.op import Op, registry
from leafward.core.runtime import runtime
from leafward.errors import InplaceGradientError, said
from leafward.ops.creation import creations
from tests.comparisons import compared
from tests.ops.checks import call, tensors_in
from tests.ops.test_tapes import is_uninitialised, turned
from tests.samples import every_sample, name_of, ours

DTYPES = ("float32", "int64", "bool")
known = pytest.mark.skipif(runtime.new_calls is None, reason="nothing is compiled, so every call goes the general way")
SAMPLES = every_sample(lambda op: isinstance(op, Op) and not op.random and op.alias_at < 0 and not is_uninitialised(op.name))
IN_PLACE = every_sample(lambda op: isinstance(op, Op) and not op.random and op.alias_at < 0 and bool(op.inplace))
#: So often a call of a kind goes the general way.
SIGHTINGS = 5


def other_values(value):
    """``value`` with tensors laid out alike, and other elements in them."""
    if isinstance(value, leafward.Tensor):
        return new_tensor(turned(value._array), value._dtype)
    if isinstance(value, dict):
        return {name: other_values(part) for name, part in value.items()}
    return type(value)(map(other_values, value)) if type(value) in (list, tuple) else value


def outcome(function, op, args, kwargs, written):
    """What a call gives: bits and layouts, or the refusal; and what it wrote, and how often."""
    target = None
    if written:
        args = [new_tensor(args[0]._array.copy(), args[0]._dtype), *args[1:]]
        target = args[0]
    said.clear()
    try:
        with leafward.no_grad():
            result = call(leafward, function, op, args, kwargs)
        given = [(x._array.dtype, x._array.shape, x._array.strides, x._array.tobytes()) for x in tensors_in(result)]
        same = not written or result is target
    except Exception as error:                      # noqa: BLE001  compared below
        given, same = (type(error), str(error)), True
    return given, same, target is None or (target._array.tobytes(), target._version)


def check(sample, function, written):
    op = sample.op
    for dtype in DTYPES:
        try:
            args, kwargs = sample.make(leafward, dtype)
            others = other_values(args), other_values(kwargs)
        except Exception:                           # noqa: BLE001  a sample that has no such dtype, or an array turned round
            continue
        if written and not isinstance(args[0], leafward.Tensor):
            return
        kept = op.calls, op.write_calls
        for given in (args, kwargs), others:
            op.calls = op.write_calls = None
            expected = outcome(function, op, *given, written)
            op.calls, op.write_calls = kept
            for _ in range(SIGHTINGS + 2 if given is not others else 1):
                assert outcome(function, op, *given, written) == expected
                compared()


@known
@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_calls_like_one_before(sample):
    check(sample, ours(sample.op), sample.op.writes is not None)


@known
@pytest.mark.parametrize("sample", IN_PLACE, ids=name_of)
def test_writes_like_one_before(sample):
    check(sample, sample.op.public_inplace, True)


CALLS = {
    "bitwise_and": lambda x, i: leafward.bitwise_and(i, i + 1),
    "argmax": lambda x, i: x.argmax(dim=1),
    "cat": lambda x, i: leafward.cat([x, x + 1]),
    "lerp": lambda x, i: x.clone().lerp_(x + 1, 0.25),
    "bitwise_xor": lambda x, i: i.clone().bitwise_xor_(i + 1),
    "eq": lambda x, i: x.clone().eq_(x + 1),
    "nan_to_num": lambda x, i: x.clone().nan_to_num_(),
    "masked_fill": lambda x, i: x.clone().masked_fill_(x > 0, 2.0),
    "sum": lambda x, i: x.sum(dim=1, keepdim=True),
    "clone": lambda x, i: x.clone(memory_format=leafward.preserve_format),
    "mul": lambda x, i: i * x,
    "add": lambda x, i: x.clone().add_(i),
    "sub": lambda x, i: leafward.complex(x, x) - (1 + 2j),
}


@known
@pytest.mark.parametrize("name", CALLS)
def test_after_some_calls_it_is_known_what_they_come_to(name, monkeypatch):
    for calls in ("calls", "write_calls"):          # an op that is called in ever new ways is let alone for a while
        if getattr(registry[name], calls) is not None:
            monkeypatch.setattr(registry[name], calls, runtime.new_calls())
    op, x, i = registry[name], leafward.arange(12.0).reshape(3, 4) - 5 - len(name), leafward.arange(12).reshape(3, 4)
    for _ in range(SIGHTINGS):
        CALLS[name](x, i)
    answers = []
    for calls in filter(None, (op.calls, op.write_calls)):
        row = known_row(name, x, i)
        answers.append(calls.answer(row, row[0] if calls is op.write_calls else None))
    assert any(answer is not None and answer is not Ellipsis for answer in answers)


@known
def test_common_calls_stay_known_among_ever_different_ones():
    calls, common = runtime.new_calls(), leafward.ones(3)._array
    asked = []
    for number in range(4000):
        other = [leafward.ones(1)._array, number]
        assert calls.answer(other) is None
        if number % 9 == 0:
            asked.append(calls.answer([common]))
            if asked[-1] is Ellipsis:
                calls.learn([common], runtime.xp.negative, [runtime.path_in([common], common)])
    assert [answer is None for answer in asked[:5]] == [True] * 4 + [False] and asked[4] is Ellipsis
    assert [answer.tolist() for answer in asked[5:]] == [[-1.0] * 3] * len(asked[5:])


@known
def test_what_comes_again_after_ever_different_calls_is_learned():
    calls, common = runtime.new_calls(), leafward.ones(3)._array
    for number in range(100_000):
        assert calls.answer([number]) is None
    asked = [calls.answer([common]) for _ in range(20_000)]
    assert Ellipsis in asked


MIXED = ["bool", "uint8", "int32", "int64", "float32", "float64", "complex64", "float16"]


def mixed(dtype, other, way):
    """Two tensors of different dtypes: alike, one transposed, repeated, empty, or without dims and too large for float32."""
    x, y = leafward.arange(12.0).reshape(3, 4), leafward.arange(12.0).reshape(3, 4) / 2 - 1
    number = leafward.tensor(1e300 if other == "float64" else 3.0, dtype=leafward.float64)
    x, y = {"alike": (x, y), "transposed": (x, y.reshape(4, 3).t()), "repeated": (x, y[0].expand(3, 4)),
            "empty": (x[:0], y[:0]), "0-dim": (x, number)}[way]
    return x.to(getattr(leafward, dtype)), y.to(getattr(leafward, other))


@known
@pytest.mark.parametrize("name", ["add", "div", "gt", "lerp", "special.chebyshev_polynomial_t"])
def test_calls_with_operands_of_several_dtypes(name):
    """They are known, too, with the casts that they need; what comes depends on the default dtype and on dims."""
    function, op = leafward, registry[name.replace(".", "_")]
    for part in name.split("."):
        function = getattr(function, part)
    cases = [(a, b, way, default) for a in MIXED for b in MIXED if a != b for way in ("alike", "0-dim")
             for default in ("float32", "float64")]
    cases += [("float32", b, way, "float32") for b in MIXED[:5] for way in ("transposed", "repeated", "empty")]
    kept, extra = (op.calls, op.write_calls), (0.5,) if name == "lerp" else ()
    try:
        for dtype, other, way, default in cases:
            leafward.set_default_dtype(getattr(leafward, default))
            in_place = default == "float32" and hasattr(leafward.Tensor, name + "_")
            for written in (False, True) if in_place else (False,):
                args = [*mixed(dtype, other, way), *extra]
                called = getattr(leafward.Tensor, name + "_") if written else function
                op.calls = op.write_calls = None
                expected = outcome(called, op, args, {}, written)
                op.calls, op.write_calls = kept
                for _ in range(SIGHTINGS + 2):
                    assert outcome(called, op, args, {}, written) == expected, (dtype, other, way, written)
    finally:
        op.calls, op.write_calls = kept
        leafward.set_default_dtype(leafward.float32)


def known_row(name, x, i):
    """The row that the call in ``CALLS`` makes for its op."""
    x, i = x._array, i._array
    return {
        "bitwise_and": [i, i + 1], "argmax": [x, ..., "dim", 1], "cat": [[x, x + 1]],
        "lerp": [x.copy(), x + 1, 0.25], "bitwise_xor": [i.copy(), i + 1], "eq": [x.copy(), x + 1], "nan_to_num": [x.copy()],
        "masked_fill": [x.copy(), x > 0, 2.0], "sum": [x, ..., "dim", 1, "keepdim", True],
        "clone": [x, ..., "memory_format", leafward.preserve_format], "mul": [i, x], "add": [x.copy(), i],
        "sub": [x + 1j * x, 1 + 2j],
    }[name]


LARGE = leafward.arange(20_000.0)
AT, ONES = leafward.tensor([3, 0]), leafward.ones(2)
PARTS = LARGE._array, AT._array, ONES._array


@known
@pytest.mark.parametrize("name, calls, row, function", [
    ("flip", "calls", [PARTS[0], (0,)], lambda: LARGE.flip((0,))),
    ("put", "write_calls", [*PARTS], lambda: LARGE.put_(AT, ONES)),
    ("_bernoulli_from", "calls", [PARTS[2], ..., "generator", None],
     lambda: registry["_bernoulli_from"].public_function(ONES, generator=None, out=None)),
], ids=["some thousand elements", "a write", "out=None"])
def test_so_it_is_with(name, calls, row, function, monkeypatch):
    asked = runtime.new_calls()
    monkeypatch.setattr(registry[name], calls, asked)
    for _ in range(SIGHTINGS):
        function()
    assert type(asked.answer(row, row[0] if calls == "write_calls" else None)) is type(row[0])


DRAWN = {
    "_dropout_mask": lambda x: leafward.nn.functional.dropout(x, 0.25),
    "_feature_mask": lambda x: leafward.nn.functional.dropout1d(x, 0.25),
    "_rrelu_slopes": lambda x: leafward.nn.functional.rrelu(x, training=True),
    "_bernoulli_from": lambda x: x.detach().sigmoid().bernoulli(),
    "binomial": lambda x: leafward.binomial(x.detach().abs().round(), x.detach().sigmoid()),
    "log_normal_": lambda x: x.clone().log_normal_(0.5, 0.25),
}


@known
@pytest.mark.parametrize("turned", [False, True], ids=["in order", "turned"])
@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_is_what_would_be_drawn(name, turned, monkeypatch):
    op, function = registry[name], DRAWN[name]
    calls = "calls" if op.writes is None else "write_calls"
    monkeypatch.setattr(op, calls, runtime.new_calls())
    x = leafward.arange(-12.0, 12.0).reshape(2, 3, 4)
    x = (x.transpose(0, 1) if turned else x).requires_grad_()

    def drawn():
        leafward.manual_seed(3)
        results = [(result.tolist(), result.stride(), result.requires_grad) for result in (function(x), function(x))]
        return results, leafward.get_rng_state().tolist()

    for _ in range(SIGHTINGS):
        function(x)
    again = drawn()
    monkeypatch.setattr(op, calls, None)
    assert drawn() == again


@known
def test_what_records_something_is_recorded():
    x, w = leafward.arange(6.0).reshape(2, 3), leafward.ones(2, 3, requires_grad=True)
    for _ in range(2 * SIGHTINGS):
        assert not leafward.cat([x, x]).requires_grad
        joined = leafward.cat([x, w])
        assert joined.requires_grad and joined.grad_fn is not None
        with leafward.no_grad():
            assert not leafward.cat([x, w]).requires_grad
        target = leafward.zeros(2, 3)
        target.lerp_(w, 0.5)
        assert target.requires_grad


@known
def test_writes_are_counted_and_noted():
    x, w = leafward.arange(6.0).reshape(2, 3), leafward.ones(2, 3, requires_grad=True)
    for number in range(1, 2 * SIGHTINGS):
        x.lerp_(leafward.ones(2, 3), 0.5)
        assert x._version == number
    for _ in range(2 * SIGHTINGS):
        loss = (w * x).sum()
        x.nan_to_num_()
        with pytest.raises(InplaceGradientError, match="nan_to_num_"):
            loss.backward()


@known
def test_cuts_are_carried():
    w = leafward.ones(2, 3, requires_grad=True)
    for _ in range(2 * SIGHTINGS):
        with leafward.no_grad():
            y = leafward.cat([w, w])
        assert y._cut is not None and leafward.cat([y, y])._cut is not None
        target = leafward.zeros(4, 3)
        target.lerp_(y, 0.5)
        assert target._cut is not None


@known
def test_an_array_is_no_tensor():
    x = leafward.arange(6.0).reshape(2, 3)
    for _ in range(2 * SIGHTINGS):
        leafward.cat([x, x])
        leafward.bitwise_and(x > 0, x > 1)
    with pytest.raises(TypeError):
        leafward.cat([x, np.ones((2, 3), "float32")])
    with pytest.raises(TypeError):
        leafward.bitwise_and(x > 0, (x > 1).numpy())


@known
def test_names_and_positions_differ():
    x = leafward.arange(6.0).reshape(2, 3)
    for _ in range(2 * SIGHTINGS):
        assert leafward.cat([x, x], dim=1).shape == (2, 6)
        with pytest.raises(TypeError):
            leafward.cat([x, x], "dim", 1)


#: What is the same each time, and warns of nothing.
REPEATED = [declared for declared in creations if not declared.random and not declared.name.startswith(("empty", "range"))]
CREATIONS = [(declared, sample) for declared in REPEATED for sample in declared.samples]


@known
@pytest.mark.parametrize("declared, sample", CREATIONS, ids=[f"{declared.name}-{sample}" for declared, sample in CREATIONS])
def test_creations_like_one_before(declared, sample):
    found = []
    for _ in range(2 * SIGHTINGS):
        made = eval(f"t.{declared.name}({sample})", {"t": leafward})                # noqa: S307  the declaration's own text
        found.append((made.dtype, made.shape, made.stride(), made._array.tobytes()))
        made.logical_not_()                         # which the next must not see
    assert len(set(found)) == 1


@known
def test_what_a_creation_follows_is_asked_each_time():
    x = leafward.ones(2, 3, dtype=leafward.float64)
    for _ in range(2 * SIGHTINGS):
        assert leafward.zeros(2, 3).dtype is leafward.float32 and leafward.full((2,), 1.0).dtype is leafward.float32
        assert leafward.arange(3).dtype is leafward.int64 and leafward.arange(3.0).dtype is leafward.float32
        assert x.new_ones(2).dtype is leafward.float64 and x.float().new_ones(2).dtype is leafward.float32
        assert leafward.zeros_like(x.t()).stride() == (1, 3) and leafward.zeros_like(x).stride() == (3, 1)
        assert leafward.full((2,), True).dtype is leafward.bool and leafward.full((2,), 1).dtype is leafward.int64
        assert leafward.ones(2, requires_grad=True).requires_grad and not leafward.ones(2).requires_grad
    leafward.set_default_dtype(leafward.float64)
    try:
        for _ in range(2 * SIGHTINGS):
            assert leafward.zeros(2, 3).dtype is leafward.float64 and leafward.full((2,), 1.0).dtype is leafward.float64
    finally:
        leafward.set_default_dtype(leafward.float32)


@known
def test_a_creation_warns_each_time():
    for _ in range(2 * SIGHTINGS):
        with pytest.warns(UserWarning, match="torch.range is deprecated"):
            leafward.range(1, 4)


DRAWS = {
    "uniform_": (), "normal_": (1.0, 2.0), "exponential_": (0.5,), "geometric_": (0.3,), "cauchy_": (), "log_normal_": (),
    "random_": (3, 9), "bernoulli_": (0.3,),
}


@known
@pytest.mark.parametrize("name", DRAWS)
def test_what_draws_draws_the_same_numbers(name):
    expected, given = leafward.zeros(4, 5), leafward.zeros(4, 5)
    for number in range(3 * SIGHTINGS):
        leafward.manual_seed(number)
        getattr(expected.t().t(), name)(*DRAWS[name])           # of another layout, or seldom met
        state = leafward.get_rng_state()
        leafward.manual_seed(number)
        assert getattr(given, name)(*DRAWS[name]) is given and given._version == number + 1
        assert given.equal(expected) and leafward.get_rng_state().equal(state)
        own = leafward.Generator().manual_seed(number)
        assert getattr(leafward.zeros(4, 5), name)(*DRAWS[name], generator=own).equal(expected)


@known
def test_what_draws_is_refused_and_recorded_as_before():
    x, w = leafward.zeros(2, 3), leafward.ones(2, 3, requires_grad=True)
    for _ in range(2 * SIGHTINGS):
        x.uniform_(0.0, 1.0)
        x.bernoulli_(leafward.full((2, 3), 0.5))
        with pytest.raises(RuntimeError):
            x.uniform_(1.0, 0.0)
        with pytest.raises(RuntimeError):
            x.bernoulli_(leafward.full((2, 3), 1.5))
        with pytest.raises(RuntimeError, match="leaf"):
            w.uniform_()
        y = w * 1
        y.uniform_()
        assert y.grad_fn is not None
        loss = (w * x).sum()
        x.normal_()
        with pytest.raises(InplaceGradientError, match="normal_"):
            loss.backward()


@known
def test_numbers_of_the_array_library_become_tensors():
    x, v = leafward.arange(9.0).reshape(3, 3), leafward.arange(3.0)
    for number in range(2 * SIGHTINGS):
        for result, expected in ((x.trace(), 12.0), (v.dot(v + number), 5.0 + 3 * number), (x.aminmax().max, 8.0)):
            assert result.item() == expected and result.shape == () and type(result._array) is np.ndarray
            result.zero_()


@known
def test_views_at_hand_are_those_of_their_op_and_options():
    x, y = leafward.arange(24).reshape(2, 3, 4), leafward.arange(24.0).reshape(2, 3, 4)
    for _ in range(2 * SIGHTINGS):
        assert x.transpose(0, 1).shape == (3, 2, 4) and x.transpose(1, 2).shape == (2, 4, 3)
        assert x.swapdims(0, 2).shape == (4, 3, 2) and x.unsqueeze(1).shape[1] == 1
        assert x.select(0, 1).tolist() == x[1].tolist() and x.select(1, 0).shape == (2, 4)
        assert x.narrow(2, 1, 2).stride() == (12, 4, 1) and x.unsqueeze(0).shape == (1, 2, 3, 4)
        assert x.view(-1).shape == (24,) and x.view(6, 4).shape == (6, 4) and x.view((4, 6)).shape == (4, 6)
        assert y.view(-1).dtype is leafward.float32 and x.view(-1).dtype is leafward.int64
        assert [part.shape for part in x.split(2, 1)] == [(2, 2, 4), (2, 1, 4)] and len(x.unbind(2)) == 4
        assert x.expand(2, 3, 4).shape == x.permute(0, 1, 2).shape and x.permute(2, 0, 1).shape == (4, 2, 3)
        assert x.squeeze().shape == (2, 3, 4) and x[:1].squeeze(0).shape == (3, 4) and x.contiguous() is x
        with pytest.raises(IndexError):
            x.transpose(0, 3)


@known
def test_pieces_and_views_of_another_kind_are_what_they_were_in_every_mode():
    w = leafward.arange(12.0).reshape(2, 6).clone().requires_grad_()
    for turn in range(3 * SIGHTINGS):
        source = w if turn % 3 else w.detach().clone()
        with leafward.set_grad_enabled(turn % 2 == 0):
            pieces, numbers = source.tensor_split((2, 3), 1), leafward.view_as_complex(source.view(2, 3, 2))
            slices = source[:, :2], source[:, 2:3], source[:, 3:]
        recorded = source.requires_grad and turn % 2 == 0
        for piece, part in zip(pieces, slices, strict=True):
            assert piece.equal(part) and piece._base is source and piece.stride() == part.stride()
            assert piece.requires_grad == source.requires_grad and type(piece.grad_fn) is type(part.grad_fn)
        assert numbers.conj().imag.tolist() == [[-1.0, -3.0, -5.0], [-7.0, -9.0, -11.0]]
        assert numbers.conj().is_conj() and numbers.real.dtype is leafward.float32 and not source.real.is_conj()
        assert leafward.view_as_real(numbers)._base is source and numbers.requires_grad == source.requires_grad
        if recorded:
            (pieces[1].sum() + 2 * pieces[2].sum() + 3 * numbers.imag.sum()).backward()
            assert w.grad.tolist() == [[0.0, 3.0, 1.0, 5.0, 2.0, 5.0]] * 2
            w.grad = None
        target = source.detach().clone()
        target.tensor_split((2, 3), 1)[1].zero_()
        assert target._version == 1 and target[:, 2].tolist() == [0.0, 0.0]
