"""``autograd.functional``: values, histories and refusals, as in PyTorch."""
import pytest

from tests.both import both

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

FUNCTIONS = {
    "square": lambda t, x: x**2,
    "linear": lambda t, x: 3 * x,
    "constant": lambda t, x: t.ones(2),
    "two outputs": lambda t, x: (x.sum(), x[:1] ** 2),
    "scalar": lambda t, x: x.sum() ** 3,
    "linear scalar": lambda t, x: x.sum(),
    "one element": lambda t, x: (x**3).sum().reshape(1),
    "no tensor": lambda t, x: 3,
}
PAIRS = {
    "product": lambda t, x, y: (x @ y).sum() ** 2 + x.sum(),
    "elementwise": lambda t, x, y: x * y,
    "one unused": lambda t, x, y: (x * x).sum(),
    "one constant": lambda t, x, y: (x * y, y),
}
MODES = ({}, {"create_graph": True}, {"strict": True}, {"create_graph": True, "strict": True})
MODE_IDS = [" ".join(mode) or "plain" for mode in MODES]


def shown(value):
    """Values, and which of them have a history."""
    if isinstance(value, (tuple, list)):
        return [shown(v) for v in value]
    return [value, value.requires_grad]


@pytest.mark.parametrize("mode", MODES, ids=MODE_IDS)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_one_input(function, mode):
    @both
    def scenario(t, see):
        functional = t.autograd.functional
        for needs_grad in (False, True):
            x = t.tensor([1.0, 2.0], requires_grad=needs_grad)

            def f(x):
                return function(t, x)
            see.raises(lambda x=x: shown(functional.jacobian(f, x, **mode)))
            see.raises(lambda x=x: shown(functional.hessian(f, x, **mode)))
            for name in "vjp", "jvp", "vhp", "hvp":
                call = getattr(functional, name)
                see.raises(lambda call=call, x=x: shown(call(f, x, t.tensor([1.0, -0.5]), **mode)))
                see.raises(lambda call=call, x=x: shown(call(f, x, **mode)))
    scenario()


@pytest.mark.parametrize("mode", MODES, ids=MODE_IDS)
@pytest.mark.parametrize("function", PAIRS.values(), ids=PAIRS)
def test_two_inputs(function, mode):
    @both
    def scenario(t, see):
        functional = t.autograd.functional
        x, y = t.tensor([1.0, 2.0]), t.tensor([[3.0, 1.0], [0.5, 2.0]])

        def f(x, y):
            return function(t, x, y)
        see.raises(lambda: shown(functional.jacobian(f, (x, y), **mode)))
        see.raises(lambda: shown(functional.hessian(f, (x, y), **mode)))
        for name in "jvp", "vhp", "hvp":
            call = getattr(functional, name)
            see.raises(lambda call=call: shown(call(f, (x, y), (y[0], x.expand(2, 2)), **mode)))
            for wrong in None, x, (x,), (x, x), (x, 3):
                see.raises(call, f, (x, y), wrong, **mode)
    scenario()


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_vectorized(function):
    @both
    def scenario(t, see):
        functional = t.autograd.functional
        x = t.tensor([1.0, 2.0])

        def f(x):
            return function(t, x)
        see.raises(lambda: shown(functional.jacobian(f, x, vectorize=True)))
        see.raises(lambda: functional.jacobian(f, x, create_graph=True, vectorize=True))
        see.raises(lambda: shown(functional.hessian(f, x, vectorize=True)))
        see.raises(lambda: shown(functional.jacobian(f, x, vectorize=True, strategy="forward-mode")))
        see.raises(lambda: shown(functional.hessian(f, x, vectorize=True, outer_jacobian_strategy="forward-mode")))
    scenario()


@pytest.mark.parametrize("function", PAIRS.values(), ids=PAIRS)
def test_vectorized_pairs(function):
    @both
    def scenario(t, see):
        functional = t.autograd.functional
        xy = t.tensor([1.0, 2.0]), t.tensor([[3.0, 1.0], [0.5, 2.0]])

        def f(x, y):
            return function(t, x, y)
        see.raises(lambda: shown(functional.jacobian(f, xy, vectorize=True)))
        see.raises(lambda: shown(functional.hessian(f, xy, vectorize=True)))
        see.raises(lambda: shown(functional.jacobian(f, xy, vectorize=True, strategy="forward-mode")))
        see.raises(lambda: functional.hessian(f, xy, vectorize=True, outer_jacobian_strategy="forward-mode"))
    scenario()


@both
def test_refusals(t, see):
    functional = t.autograd.functional
    x, y = t.tensor([1.0, 2.0]), t.ones(3)
    see.raises(functional.jacobian, t.exp, x, strategy="sideways")
    see.raises(functional.jacobian, t.exp, x, strategy="forward-mode")
    see.raises(functional.jacobian, t.exp, x, strategy="forward-mode", create_graph=True)
    see.raises(functional.jacobian, t.exp, x, strategy="forward-mode", strict=True)
    see.raises(functional.jacobian, t.exp, x, strict=True, vectorize=True)
    see.raises(functional.hessian, t.exp, x, outer_jacobian_strategy="sideways")
    see.raises(functional.jacobian, t.exp, 3)
    see.raises(functional.jacobian, t.exp, (x, 3))
    see.raises(functional.jvp, t.exp, x, (x, x))
    see.raises(functional.jvp, t.exp, x, y)
    see.raises(functional.vjp, t.exp, x, "v")


@both
def test_recording_is_on_inside(t, see):
    x = t.tensor([1.0, 2.0])
    with t.no_grad():
        see(shown(t.autograd.functional.jacobian(t.exp, x)))
        see(shown(t.autograd.functional.hessian(lambda x: (x**3).sum(), x)))
        see(shown(t.autograd.functional.jacobian(t.exp, x, create_graph=True)))


@both
def test_results_lead_back_to_the_inputs(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    jacobian = t.autograd.functional.jacobian(lambda x: x**3, x, create_graph=True)
    jacobian.sum().backward()
    see(x.grad)
