"""``utils.checkpoint``: values, gradients, random streams, and what happens when the second run differs."""
import pytest

import leafward as lw
import leafward.utils.checkpoint
from tests.both import both

FUNCTIONS = {
    "dropout": lambda t, x, w: t.nn.functional.dropout(x * w, 0.5).sin() * x,
    "several outputs": lambda t, x, w: (x * w, 3, None),
    "no gradient": lambda t, x, w: (x.detach(), 3),
}


OPTIONS = ({}, {"preserve_rng_state": False}, {"determinism_check": "none"}, {"determinism_check": "some"}, {"bad": 3},
           {"debug": True})
#: PyTorch 2.13 itself fails with ``debug=True`` where it is not reentrant.
CASES = [(options, name, reentrant) for reentrant in (True, False) for name in FUNCTIONS for options in OPTIONS
         if reentrant or options != {"debug": True}]


@pytest.mark.parametrize(("options", "name", "use_reentrant"), CASES, ids=["-".join(map(str, case)) for case in CASES])
def test_gradients_and_random_numbers(name, use_reentrant, options):
    @both
    def scenario(t, see):
        def run():
            t.manual_seed(0)
            x, w = t.ones(4, requires_grad=True), t.full((4,), 2.0, requires_grad=True)
            y = t.utils.checkpoint.checkpoint(lambda x, w: FUNCTIONS[name](t, x, w), x, w, use_reentrant=use_reentrant,
                                              **options)
            total = (y[0] if isinstance(y, tuple) else y).sum()
            total.backward(retain_graph=True)
            total.backward()
            return x.grad, w.grad, t.rand(2)
        __import__(f"{t.__name__}.utils.checkpoint")
        see.raises(run)
    scenario()


@both
def test_how_it_is_asked_for(t, see):
    checkpoint = __import__(f"{t.__name__}.utils.checkpoint").utils.checkpoint.checkpoint
    x = t.ones(2, requires_grad=True)
    see.warns(checkpoint, t.sin, x)
    see.warns(checkpoint, t.sin, t.ones(2), use_reentrant=True)
    see.raises(checkpoint, t.sin, x, use_reentrant=True, context_fn=lambda: 1)
    see.raises(checkpoint, t.sin, x, use_reentrant=False, context_fn=lambda: (1, 2), debug=True)
    with t.no_grad():
        see(checkpoint(t.sin, x, use_reentrant=True).requires_grad, checkpoint(t.sin, x, use_reentrant=False).requires_grad)
    see(checkpoint(lambda x, scale=1: x * scale, x, scale=3, use_reentrant=False))
    for use_reentrant in True, False:
        see.raises(lambda kind=use_reentrant: t.autograd.grad(checkpoint(t.sin, x, use_reentrant=kind).sum(), x))


@both
def test_second_derivatives_and_nesting(t, see):
    checkpoint = __import__(f"{t.__name__}.utils.checkpoint").utils.checkpoint.checkpoint
    x = t.tensor([0.5, 1.0], requires_grad=True)
    first, = t.autograd.grad(checkpoint(lambda x: x.sin() * x.exp(), x, use_reentrant=False).sum(), x, create_graph=True)
    see(first, t.autograd.grad(first.sum(), x))
    y = checkpoint(lambda x: checkpoint(lambda y: y.sin() * y, x.exp(), use_reentrant=False) * x, x, use_reentrant=False)
    see(t.autograd.grad(y.sum(), x))


@pytest.mark.parametrize("check", ("default", "none"))
@pytest.mark.parametrize("how", ("more", "less", "shape", "dtype"))
def test_a_second_run_that_differs(how, check):
    @both
    def scenario(t, see):
        module = __import__(f"{t.__name__}.utils.checkpoint").utils.checkpoint
        calls = []

        def f(x):
            calls.append(1)
            again = len(calls) > 1
            if how == "more":
                return x.sin().exp() if again else x.sin()
            if how == "less":
                return x.sin() if again else x.sin().exp()
            if how == "shape":
                return (x[:1] if again else x).sin().sum()
            return (x.double() if again else x).sin()

        def run():
            x = t.ones(2, requires_grad=True)
            module.checkpoint(f, x, use_reentrant=False, determinism_check=check).sum().backward()
            return x.grad
        see.raises(run)
        with module.set_checkpoint_early_stop(False):
            calls.clear()
            see.raises(run)
    scenario()


@both
def test_early_stop_and_contexts(t, see):
    module = __import__(f"{t.__name__}.utils.checkpoint").utils.checkpoint
    log = []

    class Note:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            log.append("into " + self.name)

        def __exit__(self, *exc):
            log.append("out of " + self.name)

    def f(x):
        log.append("start")
        y = x.sin()
        log.append("end")
        return y * 1
    for early_stop in True, False:
        x = t.ones(2, requires_grad=True)
        with module.set_checkpoint_early_stop(early_stop):
            y = module.checkpoint(f, x, use_reentrant=False, context_fn=lambda: (Note("first"), Note("second")))
        log.append("backward")
        y.sum().backward()
    see(log)


@pytest.mark.parametrize("segments", (1, 2, 3, 4))
@pytest.mark.parametrize("use_reentrant", (True, False))
def test_sequences(segments, use_reentrant):
    @both
    def scenario(t, see):
        module = __import__(f"{t.__name__}.utils.checkpoint").utils.checkpoint
        for chain in [t.sin, t.exp, t.tanh], t.nn.Sequential(t.nn.Sigmoid(), t.nn.Tanh(), t.nn.Softplus()):
            def run(chain=chain):
                x = t.tensor([0.5, 1.0], requires_grad=True)
                module.checkpoint_sequential(chain, segments, x, use_reentrant=use_reentrant).sum().backward()
                return x.grad
            see.raises(run)
        see.raises(module.checkpoint_sequential, [t.sin], 1, t.ones(2), use_reentrant=use_reentrant, bad=1)
    scenario()


def test_nothing_is_saved():
    saved = []
    x = lw.ones(3, requires_grad=True)
    y = leafward.utils.checkpoint.checkpoint(lambda x: saved.append(1) or x.sin().exp().tanh(), x, use_reentrant=False)
    kept = [node._values for node in (y.grad_fn, y.grad_fn.next_functions[0][0])]
    assert all(value.array is None for values in kept for value in values)


def test_an_input_that_was_overwritten_is_refused():
    x = lw.ones(2, requires_grad=True)
    h = x * 1
    y = leafward.utils.checkpoint.checkpoint(lambda h: h.sin() * 2, h, use_reentrant=False)
    h.add_(1)
    with pytest.raises(RuntimeError, match="one of the variables needed for gradient computation has been modified"):
        y.sum().backward()


@pytest.mark.parametrize("use_reentrant", (True, False))
def test_the_second_run_casts_as_the_first(use_reentrant):
    """Backward runs outside of ``autocast``, and casts what it computes again as it was cast before."""
    @both
    def scenario(t, see):
        __import__(f"{t.__name__}.utils.checkpoint")
        t.manual_seed(0)
        model = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.ReLU(), t.nn.Linear(4, 2))
        x = t.ones(2, 3, requires_grad=True)
        with t.autocast("cpu", dtype=t.bfloat16):
            y = t.utils.checkpoint.checkpoint(model, x * 1, use_reentrant=use_reentrant)
        see(str(y.dtype))
        y.float().sum().backward()
        see(x.grad, *(p.grad for p in model.parameters()))
    scenario()
