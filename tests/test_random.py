"""Random numbers without PyTorch at hand: a table of its values, and what generators promise."""
import copy
import hashlib
import pickle

import numpy as np
import pytest

import leafward as t
from leafward.arrays import random
from leafward.arrays.twister import Engine, NumpyTwister

#: What PyTorch 2.13 gives on the CPU for each expression after ``manual_seed(123)``.
GOLDEN = [
    ("t.rand(3)", [0.29611194133758545, 0.516562283039093, 0.2516707181930542]),
    ("t.rand(3, dtype=t.float64)", [0.368895870664273, 0.013365949855291825, 0.5917800383018739]),
    ("t.rand(3, dtype=t.float16)", [0.296142578125, 0.5166015625, 0.251708984375]),
    ("t.rand(3, dtype=t.bfloat16)", [0.296875, 0.515625, 0.251953125]),
    ("t.empty(3).uniform_(-0.3, 0.3)", [-0.12233284115791321, 0.00993737019598484, -0.14899757504463196]),
    ("t.randn(3)", [-0.11146711558103561, 0.12036294490098953, -0.3696345090866089]),
    ("t.randn(4, dtype=t.float64)",
     [-0.11146711634581082, 0.12036294405744884, -0.36963450886574944, -0.24041797675874255]),
    ("t.randn(100)[-3:]", [0.277030348777771, 0.6454950571060181, -0.8956807851791382]),
    ("t.randn(2, dtype=t.complex64)",
     [-0.0788191556930542 + 0.08510945737361908j, -0.26137107610702515 - 0.17000117897987366j]),
    ("t.randint(0, 1000, (4,))", [382, 789, 102, 610]),
    ("t.randint(-2**40, 2**40, (3,))", [1093983812973, 543006147906, 947860132962]),
    ("t.empty(3, dtype=t.int64).random_()", [3624216819017203053, 5278339153051796802, 4184670734919783522]),
    ("t.empty(3).random_()", [4967756.0, 8666295.0, 4222261.0]),
    ("t.randperm(7)", [2, 0, 4, 5, 3, 1, 6]),
    ("t.randperm(1000)[-3:]", [536, 156, 290]),
    ("t.empty(6).bernoulli_(0.3)", [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]),
    ("t.bernoulli(t.full((6,), 0.3))", [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
    ("t.empty(3).exponential_()", [0.46028441190719604, 0.013456078246235847, 0.895949125289917]),
    ("t.empty(3).geometric_(0.1)", [10.0, 41.0, 5.0]),
    ("t.empty(3).cauchy_()", [-0.43686312437057495, -23.80098533630371, 0.29660096764564514]),
    ("t.empty(3).log_normal_()", [2.1750807762145996, 3.458122730255127, 1.2978785037994385]),
    ("t.multinomial(t.tensor([0.1, 0.2, 0.3, 0.4]), 3)", [1, 3, 2]),
    ("t.multinomial(t.tensor([0.1, 0.2, 0.3, 0.4]), 5, replacement=True)", [2, 0, 2, 0, 2]),
    ("t.normal(t.zeros(3), t.tensor([1.0, 2.0, 3.0]))",
     [-0.11146711558103561, 0.24072588980197906, -1.1089035272598267]),
]


@pytest.mark.parametrize("expression, values", GOLDEN, ids=[expression for expression, _ in GOLDEN])
def test_values_are_pytorchs(expression, values):
    t.manual_seed(123)
    given = eval(expression, {"t": t}).tolist()
    is_normal = "norm" in expression or "randn(" in expression
    np.testing.assert_allclose(given, values, rtol=2.4e-7 if is_normal else 0)


def test_golden_table_can_fail():
    t.manual_seed(124)
    assert t.rand(3).tolist() != GOLDEN[0][1]


@pytest.mark.parametrize("draws, digest", [
    ([], "b04f168bb97ae5f0758f525c6b0e928d866ad2619a254710db893e71bd54e1e5"),
    (["rand 624"], "faa278bf56bacaa715c1b1cc9a80b0ecfb3d9ff64ad3b4d203c758afcc81a8fc"),
    (["rand 700", "randn 1"], "6b946b1e8eaa7cc34c15471fd11e2776616c44bd026ff5c4edf74976ee06e4c3"),
], ids=["fresh", "all of one block", "with a cached normal"])
def test_state_is_pytorchs_byte_for_byte(draws, digest):
    t.manual_seed(123)
    for draw in draws:
        name, size = draw.split()
        getattr(t, name)(int(size))
    assert hashlib.sha256(t.get_rng_state().numpy().tobytes()).hexdigest() == digest


def draw_all(generator):
    return [t.rand(3, generator=generator).tolist(), t.randn(3, generator=generator).tolist(),
            t.randperm(5, generator=generator).tolist()]


@pytest.mark.parametrize("twin",
                         [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g)), t.Generator.clone_state],
                         ids=["copy", "deepcopy", "pickle", "clone_state"])
def test_a_copied_generator_draws_the_same(twin):
    g = t.Generator().manual_seed(5)
    t.randn(1, generator=g)                                             # leaves a normal in the cache
    h = twin(g)
    assert draw_all(g) == draw_all(h)


def test_fork_rng_leaves_no_trace():
    t.manual_seed(1)
    t.randn(1)
    before = t.get_rng_state()
    with t.fork_rng():
        t.rand(1000)
        t.manual_seed(7)
    assert t.equal(t.get_rng_state(), before)
    with t.fork_rng(enabled=False):
        t.rand(1)
    assert not t.equal(t.get_rng_state(), before)


def test_unseeded_generators():
    assert t.Generator().initial_seed() == 67280421310721
    g = t.Generator()
    assert g.seed() == g.initial_seed() != g.seed()


def test_a_refused_state_changes_nothing():
    g = t.Generator().manual_seed(3)
    before = g.get_state()
    for state in t.zeros(5056, dtype=t.uint8), t.zeros(7, dtype=t.uint8), t.zeros(5056), None:
        with pytest.raises((RuntimeError, TypeError)):
            g.set_state(state)
    assert t.equal(g.get_state(), before)


@pytest.mark.parametrize("draw", [
    lambda x: x.uniform_(2, 1), lambda x: x.normal_(0, -1), lambda x: x.bernoulli_(1.5), lambda x: x.random_(5, 5),
    lambda x: x.exponential_(0), lambda x: x.geometric_(1), lambda x: x.cauchy_(0, 0), lambda x: x.log_normal_(0, 0),
    lambda x: x.bernoulli_(t.tensor([0.5, 0.5, 2.0])),
], ids="uniform normal bernoulli random exponential geometric cauchy log_normal bernoulli-each".split())
def test_a_refused_draw_changes_nothing(draw):
    x, version = t.ones(3), t.get_rng_state()
    with pytest.raises(RuntimeError):
        draw(x)
    assert x.tolist() == [1, 1, 1] and x._version == 0
    assert t.equal(t.get_rng_state(), version)


@pytest.mark.parametrize("n", [0, 1, 15, 16, 623, 624, 625, 5000])
def test_numpy_draws_what_the_compiled_twister_draws(n):
    engine, plain = Engine(9), NumpyTwister()
    plain.start(9)
    for draw in (lambda e: e.words(n), lambda e: e.words64(n), lambda e: e.uniform24(n), lambda e: e.uniform53(n),
                 lambda e: e.below53(n, 2**50), lambda e: e.shuffled(n)):
        ours, theirs = draw(engine), draw(plain)
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(engine.normals(n), plain.normals(n), rtol=1e-13)
    assert (engine.next_normal is None) == (plain.next_normal is None)
    for ours, theirs in zip(engine.get_key(), plain.get_key(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


class Long(Engine):
    """An engine that fills small arrays as it fills large ones."""

    def fill_few(self, distribution, x, a, b):
        return False


FILLS = {
    "uniform": lambda engine, x: random.uniform_(engine, x, -2.0, 3.0),
    "plain uniform": lambda engine, x: random.uniform_(engine, x),
    "normal": lambda engine, x: random.normal_(engine, x),
    "scaled normal": lambda engine, x: random.normal_(engine, x, 0.0, 0.3),
    "shifted normal": lambda engine, x: random.normal_(engine, x, 0.7),
    "normal, both": lambda engine, x: random.normal_(engine, x, 0.7, 0.3),
    "exponential": lambda engine, x: random.exponential_(engine, x, 2.5),
    "cauchy": lambda engine, x: random.cauchy_(engine, x, 1.0, 0.5),
    "bernoulli": lambda engine, x: random.bernoulli_(engine, x, 0.3),
    "integers": lambda engine, x: random.random_between_(engine, x, -5, 9),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("name", FILLS)
def test_small_arrays_get_the_numbers_of_large_ones(name, dtype):
    if dtype == "int64" and name not in ("integers", "bernoulli"):
        with pytest.raises((NotImplementedError, RuntimeError)):
            FILLS[name](Engine(3), np.empty(4, dtype))
        return
    for size in (0, 1, 5, 15, 16, 17, 40, 511):
        few, long = Engine(size), Long(size)
        for _ in range(2):
            given, expected = FILLS[name](few, np.empty(size, dtype)), FILLS[name](long, np.empty(size, dtype))
            np.testing.assert_allclose(given, expected, rtol=3e-7 if dtype == "float32" else 1e-13)
        assert few.get_state().tobytes() == long.get_state().tobytes()
