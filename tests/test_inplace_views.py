"""Views, versions, and writes through views (PyTorch's CopySlices), seen beside PyTorch."""
import pytest

from tests.both import both

VIEWS = {
    "row": lambda x: x[1], "column": lambda x: x[:, 1], "step": lambda x: x[::2, 1:], "element": lambda x: x[0, 1],
    "flat": lambda x: x.view(-1), "turned": lambda x: x.t(), "permuted": lambda x: x.permute(1, 0),
    "narrow": lambda x: x.narrow(1, 1, 2), "diagonal": lambda x: x.diagonal(), "unsqueezed": lambda x: x.unsqueeze(1),
    "select": lambda x: x.select(0, 2), "split": lambda x: x.split(2)[0], "expanded": lambda x: x[:1].expand(1, 3),
    "as_strided": lambda x: x.as_strided((2, 2), (3, 1), 1), "unfold": lambda x: x.unfold(0, 1, 2),
    "chain": lambda x: x.t()[1:].reshape(2, 3)[0], "twice": lambda x: x.view(9)[2:8].view(2, 3).t(),
    "movedim": lambda x: x.movedim(0, 1), "detach": lambda x: x.detach(), "view_as": lambda x: x.view_as(x),
}
WRITES = {
    "mul_": lambda v, y: v.mul_(3), "add_": lambda v, y: v.add_(y.sum()), "copy_": lambda v, y: v.copy_(y.mean().expand_as(v)),
    "fill_": lambda v, y: v.fill_(2.0), "zero_": lambda v, y: v.zero_(), "sigmoid_": lambda v, y: v.sigmoid_(),
    "setitem": lambda v, y: v.__setitem__((Ellipsis,), y.sum()), "nested": lambda v, y: v[..., :1].mul_(y.sum()),
    "data": lambda v, y: v.data.mul_(2), "fill_tensor": lambda v, y: v.fill_(y.sum()),
}


def has_history(view):
    """After a write to its base PyTorch gives a view the node AsStrided, leafward the view's own: the name may differ."""
    return view.grad_fn is not None


def start(t):
    x = t.arange(1.0, 10.0, dtype=t.float64).reshape(3, 3).div(7).requires_grad_()
    y = t.tensor([0.5, -1.5], dtype=t.float64, requires_grad=True)
    return x, y


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("write", WRITES)
def test_write_through_a_view(view, write):
    @both
    def scenario(t, see):
        x, y = start(t)
        base = x * 2
        view_of = VIEWS[view](base)
        before = VIEWS[view](base)
        see(base._version, view_of._version, view_of._base is base, view_of._is_view())
        see.raises(WRITES[write], view_of, y)
        see(base, view_of, before)
        see(base._version, view_of._version, before._version)
        see(base.grad_fn, has_history(view_of), has_history(before), base.grad_fn.next_functions[0][0])
        see.raises(t.autograd.grad, (base * base).sum() + 3 * view_of.sum() + 5 * before.sum(), (x, y), allow_unused=True)

    scenario()


@pytest.mark.parametrize("view", VIEWS)
def test_write_to_the_base_is_seen_by_its_views(view):
    @both
    def scenario(t, see):
        x, y = start(t)
        base = x * 2
        view_of = VIEWS[view](base)
        base.mul_(y.sum())
        see(view_of._version)
        see.raises(lambda: (view_of, has_history(view_of), view_of.requires_grad))
        see.raises(lambda: t.autograd.grad(view_of.sum() + base.sum(), (x, y)))

    scenario()


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_leaves(view):
    @both
    def scenario(t, see):
        x, y = start(t)
        view_of = VIEWS[view](x)
        see(view_of.is_leaf, view_of.requires_grad, view_of._base is x, view_of.grad_fn)
        see.raises(view_of.mul_, 2)
        see.raises(x.mul_, 2)
        with t.no_grad():
            view_of.mul_(2)
            made = VIEWS[view](x)
            see(made.requires_grad, made.is_leaf, made._is_view())
        see(x, x._version, view_of._version)

    scenario()


@pytest.mark.parametrize("view", VIEWS)
def test_a_leaf_without_grad_becomes_part_of_the_graph(view):
    @both
    def scenario(t, see):
        base = t.zeros(3, 3, dtype=t.float64)
        y = start(t)[1]
        view_of = VIEWS[view](base)
        see.raises(lambda: view_of.add_(y.sum()))
        see(base, base.requires_grad, base.is_leaf, base.grad_fn, has_history(view_of))
        see.raises(lambda: t.autograd.grad((base * base).sum(), y))

    scenario()


@both
def test_views_made_without_grad_refuse_a_recorded_write(t, see):
    x, y = start(t)
    base = x * 2
    with t.no_grad():
        view = base[0]
    see(view.requires_grad, view.grad_fn, view._is_view())
    see.raises(view.mul_, y.sum())
    with t.no_grad():
        view.mul_(2)
    see(base, base._version)


@both
def test_views_with_siblings_refuse_a_write(t, see):
    x, _ = start(t)
    for make in (lambda b: b.unbind(0)[0], lambda b: b.split(1)[0], lambda b: b.chunk(3)[1]):
        base = x * 2
        view = make(base)
        see.raises(view.mul_, 2)
        see(base, base._version)


@both
def test_versions_and_bases(t, see):
    a = t.zeros(2, 3)
    b, c, d = a.t(), a.detach(), a.data
    e = b[0]
    for step in (lambda: a.add_(1), lambda: e.mul_(2), lambda: c.zero_(), lambda: d.zero_(), lambda: a.copy_(t.ones(3)),
                 lambda: t.add(a, 1, out=a), lambda: a.__setitem__(0, 3.0), lambda: a.resize_(2, 3)):
        step()
        see([x._version for x in (a, b, c, d, e)])
    see([x._base is a for x in (b, c, d, e)], a._base is None, [x._is_view() for x in (a, b, c, d, e)])
    see(a.clone()._version, a.contiguous() is a, a.reshape(6)._base is a, a.t().reshape(6)._base is None)
    see(a.data_ptr() == b.data_ptr() == c.data_ptr() == d.data_ptr())


@both
def test_in_place_keeps_the_history_that_it_needs(t, see):
    x, y = start(t)
    for write in (lambda h: h.mul_(h), lambda h: h.mul_(y.sum()), lambda h: h.sigmoid_(), lambda h: h.pow_(2),
                  lambda h: h.exp_(),
                  lambda h: h.div_(y.sum()), lambda h: h.copy_(y.sum()), lambda h: h.add_(h), lambda h: h.tanh_().mul_(2),
                  lambda h: h.clamp_(0.3, 1.0), lambda h: h.relu_(), lambda h: h.masked_fill_(h > 1, 0.0), lambda h: h.t_()):
        h = x * 2
        see.raises(write, h)
        see(h, h._version, h.grad_fn)
        see.raises(t.autograd.grad, (h * 3).sum(), (x, y), allow_unused=True)


@both
def test_writes_that_do_not_fit_change_nothing(t, see):
    a = t.arange(3.0)
    for write in (lambda: a.add_(t.ones(2, 3)), lambda: a.add_(t.ones(4)), lambda: a.mul_(1j), lambda: t.arange(3).add_(0.5),
                  lambda: t.arange(3).div_(2), lambda: a.copy_(t.ones(2)), lambda: a.__setitem__(5, 1.0),
                  lambda: a.__setitem__(slice(None), t.ones(2)), lambda: a.expand(2, 3).add_(1),
                  lambda: a[1:].copy_(a[:-1]), lambda: a[1:].add_(a[:-1]), lambda: a.index_fill_(0, t.tensor([7]), 0.0),
                  lambda: a.scatter_(0, t.tensor([0, 9]), 1.0), lambda: a.view(2)):
        see.raises(write)
        see(a._version)


@both
def test_saved_values_and_disjoint_or_overlapping_writes(t, see):
    x, _ = start(t)
    h = x * 2
    out = h.exp()
    out.detach()[0, 0] = 5.0
    see.raises(out.sum().backward)
    h = x * 2
    loss = (h * h).sum()
    h.detach().mul_(2)
    see.raises(loss.backward)
    a = t.ones(2, 3, dtype=t.float64)
    loss = (x[:2] * a).sum()
    a.add_(1)
    see.raises(loss.backward)
    see(x.grad)


@both
def test_detach_in_place_and_data_assignment(t, see):
    x, _ = start(t)
    h = x * 2
    h.detach_()
    see(h.is_leaf, h.grad_fn, h.requires_grad, h._version)
    x.data = t.zeros(2, dtype=t.float64)
    see(x, x.is_leaf, x.requires_grad, x._version)
    see.raises(setattr, x, "data", 3)
    see.raises(setattr, x, "data", t.zeros(2, dtype=t.int64))


@both
def test_inputs_that_overlap_what_is_written(t, see):
    writes = (lambda x: x.add_(x.t()), lambda x: x.copy_(x.t()), lambda x: x[1:].mul_(x[:-1]), lambda x: x.mul_(x[0]),
              lambda x: x.mul_(x[0, 0]), lambda x: x.__setitem__(slice(1, None), x[:-1]), lambda x: x[1:].lerp_(x[:-1], 0.5),
              lambda x: x[1:].addcmul_(x[1:], x[:-1]), lambda x: x.mul_(x), lambda x: x.mul_(x[:]), lambda x: x[1:].add_(x[:1]),
              lambda x: x.fill_(x[0, 1]), lambda x: x.masked_fill_(x > 2, x[0, 1]), lambda x: t.add(x[1:], 1, out=x[:-1]),
              lambda x: x.diagonal().copy_(x[0]), lambda x: x.copy_(x), lambda x: x[:1].expand(2, 3).copy_(x[1:]))
    for write in writes:
        x = t.arange(9.0).reshape(3, 3)
        see.raises(write, x)
        see(x, x._version)


@both
def test_retained_gradients_follow_the_tensor_through_writes(t, see):
    x, _ = start(t)
    for write in (lambda h, v: v.mul_(3), lambda h, v: h.mul_(3), lambda h, v: h[0].mul_(3).mul_(2), lambda h, v: None):
        h = x * 2
        v = h[0]
        h.retain_grad()
        v.retain_grad()
        write(h, v)
        (h.sum() + v.sum()).backward()
        see(h.retains_grad, v.retains_grad, h.grad, v.grad, x.grad)


@both
def test_a_write_through_a_view_of_a_turned_base(t, see):
    x, y = start(t)
    for make in (lambda: (x * 2).t() * 3, lambda: (x * 2).t().clone()):
        base = make()
        see(base.stride())
        view = base.t().view(-1)
        view[:4].mul_(y.sum())
        see(base, view, t.autograd.grad((base * base).sum() + view.sum(), (x, y), allow_unused=True))
    turned = t.arange(6.0, dtype=t.float64).reshape(2, 3)
    row = turned[0]
    turned.t_()
    row.add_(y.sum())
    see(turned, t.autograd.grad((turned * turned).sum(), y))


@both
def test_what_is_written_by_an_assignment(t, see):
    x, y = start(t)
    for value in 2.0, y.sum(), y.sum().reshape(1, 1, 1), t.tensor(3.0), x.detach() * 1, x[0].detach() * 1:
        for index in Ellipsis, 0, slice(1, None):
            h = x * 2
            see.raises(h.__setitem__, index, value)
            see(h, h.grad_fn, [n for n, _ in h.grad_fn.next_functions])


@both
def test_a_view_of_other_elements_of_a_base_that_was_turned(t, see):
    x = t.tensor([[1 + 2j, 3 - 1j, 0.5j], [2.0 + 0j, 1j, -1 + 1j]], requires_grad=True)
    c = x * 2
    c.transpose_(0, 1)
    r = t.view_as_real(c)
    r.detach().mul_(3)
    see(r.grad_fn.name(), r.shape)
    (r * t.arange(12.).view(3, 2, 2)).sum().backward()
    see(x.grad)


#: Writes that say the same to every place, or do not: the gradient of a sum is one number, spread over its shape.
HOOK_WRITES = {
    "masked_fill_": lambda t, g: g.masked_fill_(t.tensor([True, False, True]), 0.0),
    "index_fill_": lambda t, g: g.index_fill_(0, t.tensor([0]), 0.0),
    "a place": lambda t, g: g.__setitem__(0, 0.0),
    "a mask": lambda t, g: g.__setitem__(t.tensor([True, False, True]), 0.0),
    "index_put_": lambda t, g: g.index_put_((t.tensor([0]),), t.tensor(0.0)),
    "a slice": lambda t, g: g[:2].zero_(),
    "zero_": lambda t, g: g.zero_(),
    "fill_": lambda t, g: g.fill_(3.0),
    "mul_": lambda t, g: g.mul_(2),
    "clamp_": lambda t, g: g.clamp_(max=0.5),
    "copy_": lambda t, g: g.copy_(t.arange(3.0)),
    "scatter_": lambda t, g: g.scatter_(0, t.tensor([0]), 0.0),
    "masked_scatter_": lambda t, g: g.masked_scatter_(t.tensor([True, False, True]), t.zeros(3)),
}


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated:UserWarning")
@pytest.mark.parametrize("leaf", [True, False], ids=["of a leaf", "on the way"])
@pytest.mark.parametrize("name", HOOK_WRITES)
def test_a_hook_writes_into_a_spread_gradient(name, leaf):
    @both
    def compared(t, see):
        x = t.ones(3, requires_grad=True)
        y = x if leaf else x * 1
        y.register_hook(lambda grad: HOOK_WRITES[name](t, grad) and None)
        try:
            y.sum().backward()
        except RuntimeError as error:
            see(str(error)[:60])
        else:
            see(x.grad.tolist())
    compared()


@pytest.mark.parametrize("write", ["g[1:2].add_(1.5)", "g[0].mul_(t.tensor(2.))", "g[1:].zero_()", "g[:1].exp_()",
                                   "g[1:0].add_(1)",
                                   "g[0].fill_(3.0)", "g[:1].copy_(t.ones(1))", "t.add(t.ones(1), 1, out=g[:1])", "g.add_(1)",
                                   "g[:1].masked_fill_(t.tensor([True]), 5.0)", "g[1:2].scatter_(0, t.tensor([0]), 4.0)"])
def test_a_gradient_that_is_spread_over_its_shape_can_be_written(write):
    """The gradient of a sum is one number, seen at every place: what is refused is a write to several of them."""
    @both
    def compared(t, see):
        x = t.ones(3, requires_grad=True)
        g, = t.autograd.grad(x.sum(), x)
        see.raises(lambda: eval(write, {"g": g, "t": t}) and None)
        see(g, g.stride())
        h, = t.autograd.grad((x * 1).sum(), x)
        see(h)
    compared()


@pytest.mark.parametrize("name", ["row", "flat", "turned", "step", "unsqueezed"])
def test_a_view_that_was_a_leaf_and_got_a_history_takes_no_gradient(name):
    @both
    def scenario(t, see):
        for write in (lambda b, v: b.mul_(t.tensor(2.0, requires_grad=True)), lambda b, v: b.add_(v.sum()),
                      lambda b, v: b.mul_(2), lambda b, v: b.detach().mul_(2)):
            for run in (lambda out, v: out.backward(), lambda out, v: out.backward(create_graph=True),
                        lambda out, v: t.autograd.grad(out, [v], allow_unused=True)):
                b = t.arange(1.0, 10.0).reshape(3, 3)
                v = VIEWS[name](b).requires_grad_()
                out = (v + 1).sum()
                write(b, v)
                see.raises(run, out, v)
                see(v.is_leaf, v.grad if v.is_leaf else None)
    scenario()


@both
def test_a_leaf_that_was_written_once_it_wanted_no_gradient_takes_none(t, see):
    for write in (lambda x: x.mul_(t.tensor(2.0, requires_grad=True)), lambda x: x.mul_(2)):
        x = t.tensor([1.0, 2.0], requires_grad=True)
        y = (x * 2).sum()
        write(x.requires_grad_(False))
        see.raises(y.backward)
        see(x.is_leaf, x.grad if x.is_leaf else None)
