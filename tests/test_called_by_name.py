"""Functions take their arguments by name, on the paths too that the usual call by position takes."""
import ast
from pathlib import Path

import pytest

import leafward as lw
from leafward.core import bind
from leafward.core.callables import is_fast
from leafward.core.op import Op, registry
from tests.both import both
from tests.oracle import torch

FAST = [op for op in registry.values() if isinstance(op, Op) and is_fast(op) and op.varargs_at < 0
        and len(op.inputs) == op.positional == op.arity and not op.name.startswith("_")]


@pytest.mark.parametrize("op", FAST, ids=lambda op: op.name)
def test_a_function_takes_its_arguments_by_name(op):
    shape = (2,) if op.samples[0].split() == ["3", "|", "4"] else (2, 2)        # vectors where the op is of two
    arguments = [lw.full(shape, 0.5) for _ in op.inputs]
    expected = op.public_function(*arguments)
    lw.testing.assert_close(op.public_function(**dict(zip(op.shown_names, arguments))), expected, equal_nan=True)


def test_powers_name_their_exponent():
    x = lw.tensor([1.0, 2.0])
    assert lw.pow(x, exponent=2).tolist() == x.pow(exponent=2).tolist() == [1, 4]
    assert lw.pow(input=x, exponent=x).tolist() == [1, 4] and lw.pow(2.0, exponent=x).tolist() == [2, 4]


def stubs_of_torch(file, inside=None):
    """``{function: names of its arguments}`` in a stub of the installed PyTorch."""
    body = ast.parse((Path(torch.__file__).parent / "_C" / file).read_text()).body
    if inside is not None:
        body = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == inside).body
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found.setdefault(node.name, set()).update(a.arg for a in node.args.args + node.args.kwonlyargs)
    return found


#: What the stubs name and PyTorch's functions do not take, or only to choose a kernel of a GPU.
NOT_TAKEN = {"addmm.out_dtype", "baddbmm.out_dtype", "bmm.out_dtype", "mm.out_dtype", "layer_norm.cudnn_enable",
             "group_norm.cudnn_enabled", "apply_.callable", "random_.from_", "uniform_.from_",
             "requires_grad_.mode", "set_num_threads.num", "new.cls", "new.other", "new.size", "new.storage",
             *[f"{cell}.{name}" for cell in ("lstm", "gru", "rnn_tanh", "rnn_relu") for name in ("batch_sizes", "data")]}


@pytest.mark.filterwarnings("ignore:A window was not provided")
@pytest.mark.parametrize("holder, stubs", [
    (lw, stubs_of_torch("_VariableFunctions.pyi")), (lw.Tensor, stubs_of_torch("__init__.pyi", "TensorBase")),
], ids=["torch", "Tensor"])
def test_arguments_have_pytorchs_names(holder, stubs):
    unknown, tried = [], 0
    for name, arguments in stubs.items():
        function = getattr(holder, name, None)
        if not callable(function):
            continue
        tried += 1
        given = [lw.ones(2, 2)] if holder is lw.Tensor else []
        for argument in arguments - {"self", "input", "out", "layout", "pin_memory", "names", "device", "generator"}:
            try:
                function(*given, **{argument: object()})
            except TypeError as error:
                if "unexpected keyword" in str(error) and f"'{argument}'" in str(error):
                    unknown.append(f"{name}.{argument}")
            except Exception:  # noqa: BLE001,S110  the nonsense was seen: the name is known
                pass
    assert set(unknown) <= NOT_TAKEN and tried > 400


OLD_ORDERS = [
    "t.add(x, 3, y)", "x.add(3, y)", "x.add_(-0.1, y)", "t.sub(x, 3, y)", "x.sub_(2, y)", "t.addcmul(x, 2, y, y)",
    "x.addcmul(2, y, y)", "x.addcmul_(0.1, y, y)", "x.addcdiv_(-0.1, y, y)", "t.addcdiv(x, 2, y, y)",
    "t.addmm(0.5, x, 2, y, y)", "t.addmm(0.5, x, y, y)", "x.addmm(2, y, y)", "x.addmm(2, 3, y, y)", "x.addmm_(2, 3, y, y)",
    "t.addmv(0.5, v, 2, y, v)", "v.addmv(2, y, v)", "v.addmv_(2, 3, y, v * 1)", "t.addr(0.5, x, 2, v, v)",
    "x.addr_(2, 3, v, v)",
    "t.baddbmm(0.5, x[None], 2, y[None], y[None])", "t.addbmm(0.5, x, 2, y[None], y[None])",
]
NO_ORDER = ["t.add(x, y, 2)", "x.add(y, 2)", "t.addcmul(x, 2, 3, y, y)", "t.mul(x, 2, y)", "t.addmm(1, x, 2, 3, y, y)"]


@pytest.mark.filterwarnings("ignore:This overload of .* is deprecated")
@pytest.mark.parametrize("expression", OLD_ORDERS + NO_ORDER)
def test_numbers_among_the_operands(expression):
    """Programs from before PyTorch 0.4 have them there: ``exp_avg_sq.addcmul_(1 - beta2, grad, grad)``."""
    @both
    def scenario(t, see):
        given = {"t": t, "x": t.eye(2) * 2, "y": t.ones(2, 2), "v": t.ones(2)}
        try:
            see(eval(expression, given), given["x"], given["v"])  # noqa: S307  the lists above
        except TypeError:
            see("TypeError", given["x"], given["v"])
    scenario()
    assert (expression in NO_ORDER) == raises_type_error(lw, expression)


def raises_type_error(t, expression):
    try:
        eval(expression, {"t": t, "x": t.eye(2), "y": t.ones(2, 2), "v": t.ones(2)})  # noqa: S307  the lists above
    except TypeError:
        return True
    return False


def test_the_old_order_is_warned_of_once():
    x, y = lw.ones(2), lw.ones(2)
    bind.warned_of_order.clear()
    with pytest.warns(UserWarning, match="This overload of add is deprecated"):
        x.add(2, y)
    x.add(2, y)
