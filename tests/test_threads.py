"""Several threads, and forks while they work. What could crash or hang runs in a process of its own."""
import inspect
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import leafward as lw
from leafward.arrays import random, samplers
from leafward.arrays.twister import Engine
from leafward.core import native

ROOT = Path(lw.__file__).parent.parent


def run(program, *args, timeout=120):
    """What ``program`` prints; it must end by itself, and well."""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(program), *map(str, args)],
                          capture_output=True, text=True, timeout=timeout, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr[-3000:]
    assert not done.stderr, done.stderr[-3000:]
    return done.stdout.split()


# --- random numbers ---------------------------------------------------------------------------------------------------

DRAW = """
import sys, threading
import leafward as lw
sys.setswitchinterval(1e-6)

DRAWS = {
    "rand": lambda: lw.rand(3000), "randn": lambda: lw.randn(1009), "double": lambda: lw.rand(700, dtype=lw.float64),
    "normals": lambda: lw.zeros(5).normal_(), "gamma": lambda: lw._standard_gamma(lw.full((20,), 2.)),
    "poisson": lambda: lw.poisson(lw.full((300,), 20.)), "mask": lambda: lw.zeros(40_000).bernoulli_(0.5),
    "randperm": lambda: lw.randperm(500), "randint": lambda: lw.randint(2**40, (600,)),
    "exponential": lambda: lw.zeros(50_000).exponential_(),
}
draw, each, threads = DRAWS[sys.argv[1]], 12, 4
lw.manual_seed(0)
expected = sorted(draw().tolist() for _ in range(each * threads))
lw.manual_seed(0)
found = []
start = threading.Barrier(threads)

def work():
    start.wait()
    for _ in range(each):
        found.append(draw().tolist())

workers = [threading.Thread(target=work) for _ in range(threads)]
for worker in workers: worker.start()
for worker in workers: worker.join()
print(sorted(found) == expected)
"""


@pytest.mark.parametrize("draw", ["rand", "randn", "double", "normals", "gamma", "poisson", "mask", "randperm", "randint",
                                  "exponential"])
def test_threads_draw_what_one_would(draw):
    # Call by call: four threads share out the results that one thread would have got.
    assert run(DRAW, draw) == ["True"]


def test_seeds_and_states_among_draws():
    assert run("""
        import sys, threading
        import leafward as lw
        sys.setswitchinterval(1e-6)
        def draw():
            for _ in range(60):
                lw.nn.functional.dropout(lw.ones(20_000), 0.5)
                lw.randn(101)
        def reset():
            for seed in range(300):
                lw.manual_seed(seed)
                state = lw.get_rng_state()
                lw.set_rng_state(state)
                lw.default_generator.clone_state()
        workers = [threading.Thread(target=f) for f in (draw, draw, draw, reset)]
        for worker in workers: worker.start()
        for worker in workers: worker.join()
        print("done")
    """) == ["done"]


def of_an_engine(module):
    return [f for f in vars(module).values() if inspect.isfunction(f) and f.__module__ == module.__name__
            and next(iter(inspect.signature(f).parameters), None) == "engine"]


#: What is called by the others alone.
INNER = {"uniforms", "integers", "normal_blocks", "drawn", "by_trials"}


@pytest.mark.parametrize("function", of_an_engine(random) + of_an_engine(samplers), ids=lambda f: f.__name__)
def test_every_function_of_an_engine_holds_its_lock(function):
    assert (function.__name__ in INNER) != hasattr(function, "__wrapped__")


def test_every_method_of_an_engine_holds_its_lock():
    made = {name for name, f in vars(Engine).items() if inspect.isfunction(f) and not hasattr(f, "__wrapped__")}
    assert made == {"__init__"}


def test_threads_do_all_at_once():
    assert run("from tests.stress import stress; print(stress(3) > 8)") == ["True"]


# --- forks -------------------------------------------------------------------------------------------------------------

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

FORK = """
import os, signal, sys, threading, time, warnings
import leafward as lw
warnings.simplefilter("ignore", DeprecationWarning)       # Python 3.12 warns of forks beside threads
sys.setswitchinterval(1e-5)
stop = False
(lw.rand(3).requires_grad_() * 2).sum().backward()        # what is imported late: Python's own locks of imports hang so, too

def busy():
    w = lw.ones(20_000, requires_grad=True)
    while not stop:
        with lw.no_grad():
            lw.rand(200_000)
        w.grad = None
        (w * 2).sum().backward()
        (w * 3).sum().backward()

workers = [threading.Thread(target=busy, daemon=True) for _ in range(4)]
for worker in workers: worker.start()
ends = []
for _ in range(30):
    time.sleep(0.002)
    child = os.fork()
    if child == 0:
        signal.alarm(10)                                  # a child that hangs dies of it
        x = lw.ones(3, requires_grad=True)
        for _ in range(2):
            (x * lw.rand(3).add(1)).sum().backward()
        with lw.no_grad():
            x.mul(2)
        os._exit(7 if lw.all(x.grad >= 2) else 8)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop = True
for worker in workers: worker.join()
print(set(ends))
"""


@forks
def test_a_child_of_a_busy_process_works():
    assert run(FORK) == ["{7}"]


@forks
@pytest.mark.parametrize("lock", ["leafward.core.engine.accumulating", "leafward.trust.switches.lock",
                                  "leafward.arrays.random.default.lock",
                                  *(["leafward.core.native.counting"] if hasattr(native, "counting") else [])])
def test_a_lock_that_another_thread_keeps_is_open_in_the_child(lock):
    # And a fork does not wait for ever.
    assert run("""
        import os, signal, sys, threading, warnings
        import leafward, leafward.arrays.random, leafward.overrides, leafward.trust.switches
        from leafward import locks
        warnings.simplefilter("ignore", DeprecationWarning)
        locks.PATIENCE = 0.05
        lock = eval(sys.argv[1])
        taken, done = threading.Event(), threading.Event()
        def keep():
            with lock:
                taken.set()
                done.wait()
        keeper = threading.Thread(target=keep, daemon=True)
        keeper.start()
        taken.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(10)
            with lock:
                os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), lock.acquire(blocking=False))
        done.set()
        keeper.join()
        print(lock.acquire(blocking=False))
    """, lock) == ["7", "False", "True"]


@forks
def test_locks_of_generators_go_with_them():
    from leafward import locks
    before = len(locks.every)
    for _ in range(100):
        lw.Generator().clone_state()
    assert len(locks.every) <= before + 5


# --- backward inside backward -----------------------------------------------------------------------------------------

class Nested(lw.autograd.Function):
    """``2 x``; its backward runs that of another one, ``n`` levels deep, and looks at the switches on the way."""

    seen = None

    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        Nested.seen.append((ctx.n, lw.is_grad_enabled(), lw.is_autocast_enabled("cpu")))
        if ctx.n == 0:
            return g * 2, None
        x, = ctx.saved_tensors
        with lw.enable_grad():
            y = x.detach().requires_grad_()
            Nested.apply(y, ctx.n - 1).sum().backward()
        return y.grad * g, None


@pytest.mark.parametrize("create_graph", [False, True])
def test_backward_nests_a_thousand_deep(create_graph):
    Nested.seen = []
    x = lw.ones(2, requires_grad=True)
    with lw.autocast("cpu"):
        y = Nested.apply(x, 1000).sum()
        grad, = lw.autograd.grad(y, x, create_graph=create_graph)
    assert grad.tolist() == [2, 2]
    assert [n for n, *_ in Nested.seen] == list(range(1000, -1, -1))
    assert {(grads, cast) for _, grads, cast in Nested.seen[1:]} == {(False, True)}
    assert Nested.seen[0][1] is create_graph


def test_an_error_from_far_inside_arrives():
    class Fails(lw.autograd.Function):
        @staticmethod
        def forward(ctx, x, n):
            ctx.n = n
            return x * 2

        @staticmethod
        def backward(ctx, g):
            if ctx.n == 0:
                raise ZeroDivisionError("far inside")
            with lw.enable_grad():
                Fails.apply(lw.ones(1, requires_grad=True), ctx.n - 1).sum().backward()

    for depth in (30, 100):
        with pytest.raises(ZeroDivisionError, match="far inside"):
            Fails.apply(lw.ones(1, requires_grad=True), depth).sum().backward()
    assert lw.is_grad_enabled()
    x = lw.ones(1, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad.item() == 2
