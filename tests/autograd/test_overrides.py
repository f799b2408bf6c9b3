"""``torch.overrides``: modes see what they see in PyTorch, and tensor-like classes answer."""
import threading

import pytest

import leafward as lw
import leafward.overrides
import torch.overrides  # noqa: F401
from leafward.core.runtime import runtime
from tests.both import both


def logging_mode(t, log):
    class Log(t.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            log.append(getattr(func, "__name__", str(func)))
            return func(*args, **(kwargs or {}))
    return Log()


@both
def test_what_a_mode_sees(t, see):
    log = []
    x = t.tensor([1.0, 2.0], requires_grad=True)
    with logging_mode(t, log):
        y = x[0]
        y.item()
        (x + 1).sum().backward()
        x.to(t.float64)
        t.ones(2)
        t.zeros_like(x)
        t.cat([x, x])
        x.detach()[0] = 3
        x.detach().tolist()
        len(x)
        bool(y)
        _ = x.shape, x.dtype, x.grad, x.requires_grad
        x.clone().add_(1)
        t.sin(x, out=None)
        t.Tensor.mul(x, 2)
    see([name for name in log if name not in ("__get__", "grad")])
    x + 1
    see(len(log))


@both
def test_in_place_and_out_go_through(t, see):
    log = []
    x, out = t.tensor([1.0, 2.0]), t.empty(2)
    with logging_mode(t, log):
        x.add_(1)
        t.mul(x, 3, out=out)
        x[0] = 7
        x.fill_(5).mul_(2)
    see(x, out, log)


@both
def test_modes_nest_and_can_answer_themselves(t, see):
    log = []

    class Constant(t.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return 42

    class Plus(t.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {})) + 1
    x = t.ones(2)
    with Constant():
        see(x + 1, t.ones(3))
        with Plus():
            see(x + 1)
        with logging_mode(t, log), Plus():
            see(x * 2)
    see(log)
    with pytest.raises(NotImplementedError), t.overrides.TorchFunctionMode():
        x + 1
    see(x + 1)


@both
def test_tensor_likes(t, see):
    class Like:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return "answered", func.__name__, [kind.__name__ for kind in types]

    def double(x, y=None):
        if t.overrides.has_torch_function((x, y)):
            return t.overrides.handle_torch_function(double, (x, y), x, y=y)
        return x * 2
    see(t.add(Like(), 1), t.add(t.ones(1), Like()), t.cat([t.ones(1), Like()]), double(Like()), double(t.ones(1)))
    see(t.overrides.is_tensor_like(Like()), t.overrides.is_tensor_like(t.ones(1)), t.overrides.is_tensor_like(3))
    see(t.overrides.has_torch_function((t.ones(1), 3)))

    @t.overrides.wrap_torch_function(lambda x: (x,))
    def wrapped(x):
        return x + 1
    see(wrapped(t.ones(1)), wrapped(Like()))


def test_names_and_tables():
    found = lw.overrides.get_overridable_functions()
    assert lw.add in found[lw]
    assert lw.nn.functional.layer_norm in found[lw.nn.functional]
    assert lw.overrides.resolve_name(lw.add) == "torch.add"
    assert lw.overrides.resolve_name(lw.Tensor.item) == "torch.Tensor.item"
    assert lw.overrides.resolve_name(lw.Tensor.shape.__get__) == "torch.Tensor.shape.__get__"
    assert lw.overrides.resolve_name(print) is None
    assert lw.overrides.is_tensor_method_or_property(lw.Tensor.item)
    assert not lw.overrides.is_tensor_method_or_property(lw.nn.functional.layer_norm)
    assert lw.is_tensor in lw.overrides.get_ignored_functions()
    assert lw.overrides.get_testing_overrides()[lw.add](1, 2) == -1


def test_tensors_own_methods_are_the_same_inside_and_outside():
    item, shape = lw.Tensor.item, lw.Tensor.shape
    with logging_mode(lw, log := []):
        assert lw.Tensor.item is item and lw.Tensor.shape is shape
        assert lw.overrides.resolve_name(item) == "torch.Tensor.item"
        assert lw.ones(()).item() == 1.0
    assert log == ["ones", "item"]
    assert lw.ones(()).item() == 1.0 and len(log) == 2
    assert runtime.special == 0


@pytest.mark.parametrize("name", lw.overrides.METHODS)
def test_a_mode_is_given_what_the_class_has(name):
    seen = []

    class Mode(lw.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return "answered"
    x = lw.ones(2)
    with Mode():
        assert getattr(lw.Tensor, name)(x, *{"__getitem__": (0,), "__setitem__": (0, 1.0)}.get(name, ())) in ("answered", None)
    assert seen == [getattr(lw.Tensor, name)]


def test_a_mode_is_its_threads_own():
    log, values = [], []
    with logging_mode(lw, log):
        thread = threading.Thread(target=lambda: values.append((lw.ones(1) + 1).item()))
        thread.start()
        thread.join()
    assert values == [2.0]
    assert log == []
