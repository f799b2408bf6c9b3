"""Grad modes as contexts, decorators and functions, in threads and in generators, seen beside PyTorch."""
import threading

from tests.both import both


@both
def test_contexts_nest_and_restore(t, see):
    x = t.ones(2, requires_grad=True)
    with t.no_grad():
        see((x * 2).requires_grad, t.is_grad_enabled())
        with t.enable_grad():
            see((x * 2).requires_grad, t.is_grad_enabled())
        see(t.is_grad_enabled())
    with t.set_grad_enabled(False):
        see((x * 2).requires_grad)
    see(t.is_grad_enabled())
    try:
        with t.no_grad():
            raise ValueError
    except ValueError:
        see(t.is_grad_enabled())
    t.set_grad_enabled(False)
    see(t.is_grad_enabled(), (x * 2).requires_grad)
    t.set_grad_enabled(True)
    see((x * 2).requires_grad)


@both
def test_decorators(t, see):
    x = t.ones(2, requires_grad=True)

    @t.no_grad()
    def plain(a):
        """What it says."""
        return a * 2

    @t.no_grad
    def bare(a):
        return a * 2

    @t.set_grad_enabled(False)
    def switched(a):
        return a * 2

    @t.inference_mode()
    def inferred(a):
        return a * 2

    see(plain(x).requires_grad, bare(x).requires_grad, switched(x).requires_grad, inferred(x).requires_grad)
    see(plain.__name__, plain.__doc__, t.is_grad_enabled())


@both
def test_generators_keep_their_mode_to_themselves(t, see):
    @t.no_grad()
    def steps():
        received = yield t.is_grad_enabled()
        see(received)
        try:
            yield t.is_grad_enabled()
        except KeyError:
            yield f"caught, {t.is_grad_enabled()}"
        return

    running = steps()
    see(next(running), t.is_grad_enabled())
    see(running.send("sent"), t.is_grad_enabled())
    see(running.throw(KeyError), t.is_grad_enabled())
    see(list(running), t.is_grad_enabled())


@both
def test_a_mode_belongs_to_its_thread(t, see):
    seen = []
    with t.no_grad():
        thread = threading.Thread(target=lambda: seen.append(t.is_grad_enabled()))
        thread.start()
        thread.join()
    see(seen)


@both
def test_writes_without_grad_still_count(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    with t.no_grad():
        y.add_(1)
    see(y._version, y.requires_grad, y.grad_fn)
    see.raises(y.sum().backward)
    with t.no_grad():
        x.mul_(2)
        made = t.zeros(2)
        made.copy_(x)
    see(x, x.is_leaf, x._version, made.requires_grad)


@both
def test_inference_mode(t, see):
    x = t.ones(2, requires_grad=True)
    leaves = t.ones(2, requires_grad=True), t.ones(3, requires_grad=True)[1:]
    with t.inference_mode():
        see(t.is_inference_mode_enabled(), t.is_grad_enabled())
        made = x * 2
        see(made.is_inference(), made.requires_grad, x.is_inference())
        see.raises(lambda: made._version)
        made.add_(1)
        view = x.view(2)
        see(view.is_inference(), view.requires_grad, view._is_view(), made[:1]._is_view(), x[:1]._is_view())
        see(x.detach_().requires_grad, (x * 1).detach_().requires_grad)
        for leaf in leaves:
            see(leaf.resize_(0), leaf.resize_as_(made), leaf.fill_(2.0), leaf._version, leaf.set_(t.zeros(3)), leaf._version)
    see(t.is_inference_mode_enabled())
    see.raises(lambda: made * x)
    see.raises(made.add_, 1)
    see.raises(made.requires_grad_)
    see((made.clone() * x).requires_grad)
    see((made + 1).is_inference())
    with t.inference_mode(False):
        see(t.is_inference_mode_enabled(), (x * 2).requires_grad)


@both
def test_requires_grad_of_results(t, see):
    x, y = t.ones(2, requires_grad=True), t.ones(2)
    see((x + y).requires_grad, (y + y).requires_grad, (x > y).requires_grad, x.argmax().requires_grad)
    see(x.detach().requires_grad, x.data.requires_grad, x.clone().requires_grad, x.int().requires_grad)
    y.requires_grad = True
    see(y.is_leaf, y.requires_grad, y.requires_grad_(False).requires_grad)
    made = t.zeros(2)
    made.add_(x)
    see(made.requires_grad, made.is_leaf, made.grad_fn)
    see.raises(made.requires_grad_, False)
    made.detach_()
    see(made.requires_grad, made.is_leaf, made.grad_fn)
    see.raises(x.view(2).detach_)
