"""Views of conjugates (``x.conj()``, ``x.mH``) and of negatives (``x.conj().imag``): what is written reaches the memory."""
import copy
import io
import pickle
import warnings

import numpy as np
import pytest

import leafward
from tests.both import both
from tests.oracle import to_numpy, torch


def three(t, **how):
    return t.tensor([1 + 2j, 3 - 4j, 2 + 5j], **how)


def kind(x):
    return x.is_conj(), x.is_neg(), x._is_view()


@both
def test_nothing_is_computed(t, see):
    x = three(t)
    y = x.conj()
    see(y, kind(y), y._base is x, y.data_ptr() == x.data_ptr(), y._version, t.is_conj(y), t.is_neg(y))
    z = y.conj()
    see(z, kind(z), z.data_ptr() == x.data_ptr())
    for part in y.real, y.imag, y.imag[1:], y.imag.view(3, 1), y.imag.detach(), y.imag.data:
        see(part, kind(part), part.data_ptr() - x.data_ptr())
    real = t.ones(2)
    see(real.conj() is real, real.resolve_conj() is real, real.resolve_neg() is real, x.resolve_conj() is x)


@both
def test_matrices(t, see):
    x = t.tensor([[1 + 2j, 3j], [4, 5 - 1j]])
    for y in x.H, x.mH, x.adjoint(), t.adjoint(x), x.conj().T, x.mH.mH:
        see(y, kind(y), y.stride(), y.data_ptr() == x.data_ptr())
    x.mH[0, 1] = 9j
    see(x, x._version)


VIEWS = ("x.view(3, 1)", "x.reshape(1, 3)", "x.flatten()", "x.t()", "x.squeeze()", "x.unsqueeze(0)", "x[1]", "x[1:]", "x[None]",
         "x[..., 0]", "x.expand(2, 3)", "x.chunk(2)[1]", "x.unbind()[1]", "x.split(2)[0]", "x.unfold(0, 2, 1)", "x.detach()",
         "x.data", "x.as_strided((2,), (2,))", "x.contiguous()", "x.to(x.dtype)", "x.view_as(x)", "x.movedim(0, 0)",
         "t.broadcast_to(x, (2, 3))", "t.atleast_2d(x)", "x.diag().diagonal()", "copy.copy(x)", "x.select(0, 1)")
COPIES = ("x.clone()", "x.resolve_conj().resolve_neg()", "x[[0, 2]]", "x.repeat(2)", "x.flip(0)", "t.cat([x, x])", "-x",
          "t.stack([x, x])", "x + 0", "x.to(t.complex128)", "x.to(x.dtype, copy=True)", "copy.deepcopy(x)", "t.zeros_like(x)",
          "t.tensor(x.tolist())", "x.unsafe_split(2)[0]", "x.diag()", "t.where(x == x, x, x)", "x.sum()", "x.cumsum(0)")


@pytest.mark.parametrize("expression", VIEWS + COPIES)
def test_what_is_made_of_them(expression):
    @both
    def scenario(t, see):
        for x in three(t).conj(), three(t).conj().imag:
            y = eval(expression, {"x": x, "t": t, "copy": copy})  # noqa: S307  the lists above
            see(y, kind(y)[:2], y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), y.stride())
    scenario()


WRITES = ("y.mul_(2)", "y.add_(1, alpha=3)", "y.zero_()", "y.fill_(7)", "y.copy_(t.tensor([1., 2., 3.]))", "y.neg_()",
          "y[1] = 6", "y[[0, 2]] = t.tensor([8., 9.], dtype=y.dtype)", "y.masked_fill_(t.tensor([True, False, True]), 5)",
          "y.index_fill_(0, t.tensor([1]), 4)", "y.index_add_(0, t.tensor([1]), y[:1].clone())",
          "y.scatter_(0, t.tensor([2]), t.tensor([6.], dtype=y.dtype))", "y.sub_(y)", "y.mul_(x)", "x.mul_(y)", "y.copy_(x)",
          "t.mul(y, 2, out=y)", "t.add(x, y, out=x)", "y.set_(t.zeros(3, dtype=y.dtype))", "y.normal_()",
          "y[1:].mul_(3)", "y.view(3, 1)[0].add_(2)", "y.pow_(2)", "y.reciprocal_()", "y.lerp_(y, 0.5)", "y.addcmul_(y, y)")


@pytest.mark.parametrize("write", WRITES)
def test_a_write_reaches_the_memory(write):
    @both
    def scenario(t, see):
        for part in (lambda x: x.conj()), (lambda x: x.conj().imag):
            t.manual_seed(0)
            x = three(t)
            y = part(x)
            see.raises(exec, write, {"x": x, "y": y, "t": t})  # noqa: S102  the list above
            see(x, y, kind(y), x._version, y._version)
    scenario()


@both
def test_parts_can_be_assigned(t, see):
    x = three(t)
    y = x.conj()
    y.imag = t.tensor([1.0, 2.0, 3.0])
    see(x)
    y.real = 4
    y.real.add_(1)
    y.imag.mul_(2)
    see(x, y)
    x.copy_(y)
    see(x, y)


@both
def test_gradients(t, see):
    x = three(t, requires_grad=True)
    y = x.conj()
    see(y.grad_fn.name(), y.requires_grad, y.is_leaf)
    (y * y * x).abs().sum().backward()
    see(x.grad.resolve_conj())
    x.grad = None
    z = x * 1
    z.conj().mul_(2j)
    (z * (1 + 3j)).abs().sum().backward()
    see(z.grad_fn.name().rpartition("::")[2], x.grad.resolve_conj())
    x.grad = None
    z = x * 1
    z.conj().imag.mul_(2)
    (z * z).abs().sum().backward()
    see(x.grad.resolve_conj())
    see.raises(x.conj().mul_, 2)
    z = x * 1
    w = z.conj() * z.conj()
    z.mul_(2)
    see.raises(w.sum().abs().backward)
    leaf = three(t).conj().requires_grad_()
    leaf.pow(2).abs().sum().backward()
    see(leaf.grad.resolve_conj())
    leaf = three(t).conj().imag.requires_grad_()
    leaf.exp().sum().backward()
    see(leaf.grad)


@both
def test_gradients_given_and_hooked(t, see):
    x = three(t, requires_grad=True)
    (x * 2).backward(three(t).conj())
    see(x.grad.resolve_conj())
    x.grad = three(t).conj()
    (x * 1).backward(three(t))
    see(x.grad.resolve_conj())
    seen = []
    y = x * 3
    y.register_hook(lambda g: (g.conj(), seen.append(g.resolve_conj()))[0])
    see(t.autograd.grad(y.abs().sum(), x)[0].resolve_conj(), seen)
    y = x * 3
    y.grad_fn.register_prehook(lambda grads: (grads[0].conj(),))
    see(t.autograd.grad(y.abs().sum(), x)[0].resolve_conj())

    class Conjugate(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.conj()

        @staticmethod
        def backward(ctx, g):
            return g.conj()

    y = Conjugate.apply(x)
    see(kind(y)[:2], y, t.autograd.grad(y.abs().sum(), x)[0].resolve_conj())


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")     # PyTorch's own
@both
def test_forward_mode_and_vmap(t, see):
    x, v = three(t), t.tensor([1j, 2.0, 3 - 1j])
    for function in (lambda x: x.conj() * 2), (lambda x: x.conj().imag * x.real), (lambda x: x.conj()):
        see([part.resolve_conj() for part in t.func.jvp(function, (x,), (v,))])
    with t.autograd.forward_ad.dual_level():
        dual = t.autograd.forward_ad.make_dual(x.clone(), v.clone())
        dual.conj().mul_(1j)
        see([part.resolve_conj() for part in t.autograd.forward_ad.unpack_dual(dual)])
    matrix = t.stack([x, v])
    for function in (lambda x: x.conj()), (lambda x: x.unsqueeze(0).mH * 1j):
        y = t.vmap(function)(matrix)
        see(y.resolve_conj(), kind(y)[:2], t.vmap(function)(matrix.conj()).resolve_conj())


@both
def test_what_numpy_cannot_say(t, see):
    y = three(t).conj()
    for x in y, y.imag:
        see.raises(x.numpy)
        see.raises(np.asarray, x)
        see(x.numpy(force=True).tolist(), x.tolist(), x[0].item(), complex(x[0]), repr(x), [p.item() for p in x])
        see.raises(x.view, t.int32)
    see.raises(t.view_as_real, y)
    see.raises(y.__dlpack__)
    see(t.view_as_real(y.resolve_conj()), y.is_contiguous(), y.is_set_to(y.conj()), y.equal(three(t).conj_physical()))
    x = three(t)
    x.data = y
    see(kind(x)[:2], x, kind(t.nn.Parameter(y))[:2], kind(y.as_subclass(t.Tensor))[:2], kind(t.as_tensor(y))[:2])


@pytest.mark.parametrize("make", [lambda t: three(t).conj(), lambda t: three(t).conj().imag, lambda t: three(t)[:2].conj()])
def test_files(make):
    for saving, loading in (leafward, torch), (torch, leafward), (leafward, leafward):
        x = make(saving)
        file = io.BytesIO()
        saving.save({"base": x.conj() if x.is_complex() else x, "view": x}, file)
        file.seek(0)
        read = loading.load(file)
        assert kind(read["view"])[:2] == kind(x)[:2]
        assert read["view"].tolist() == x.tolist()
        assert read["view"].data_ptr() == read["base"].data_ptr()
    x = make(leafward)
    again = pickle.loads(pickle.dumps(x))  # noqa: S301  our own
    assert kind(again)[:2] == kind(x)[:2] and again.tolist() == x.tolist()
    again.zero_()
    assert again.tolist() == [0] * len(x)


def test_safetensors_hold_the_values():
    from leafward.io import safetensors

    y = three(leafward).conj().imag
    assert safetensors.load(safetensors.save({"y": y}))["y"].tolist() == y.tolist()


class Views(leafward.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, number):
        return three(leafward).conj() * 1, three(leafward).conj(), three(leafward).conj().imag


def test_workers_send_them():
    loader = leafward.utils.data.DataLoader(Views(), batch_size=None, num_workers=1)
    for plain, conjugates, negatives in loader:
        assert (kind(conjugates)[:2], kind(negatives)[:2]) == ((True, False), (False, True))
        assert conjugates.tolist() == plain.tolist()
        assert negatives.tolist() == [-2, 4, -5]


def test_shared_memory_keeps_them():
    x = three(leafward)
    y = x.conj()
    y.share_memory_()
    x[0] = 7j
    assert kind(y) == (True, False, True)
    assert y.tolist() == x.conj_physical().tolist()


def test_resizing():
    x = three(leafward)
    y = x.conj()
    assert y.resize_(2).tolist() == x.conj_physical()[:2].tolist()
    y = x.detach().conj()
    grown = y.resize_(5)
    assert grown[:3].tolist() == x.conj_physical().tolist()
    assert x.tolist() == three(leafward).tolist()


def test_story_of_a_conjugate_that_was_overwritten():
    x = three(leafward, requires_grad=True)
    z = x * 1
    w = z.conj() ** 2
    z.mul_(2)
    with pytest.raises(leafward.errors.InplaceGradientError, match="output 0 of ConjBackward0"):
        w.sum().abs().backward()


def test_unsafe_split_shares_memory_and_the_warning_says_so():
    x = leafward.arange(4.0, requires_grad=True)
    y = x.exp()
    pieces = y.unsafe_split(2)
    assert [piece._version for piece in pieces] == [0, 0]
    assert not pieces[0]._is_view()
    pieces[1].zero_()
    assert (y._version, pieces[1]._version, y.tolist()[2:]) == (0, 1, [0, 0])
    with pytest.warns(leafward.errors.SilentGradientWarning, match=r"unsafe_split\(\) shares memory"):
        y.sum().backward()
    assert to_numpy(x.grad).tolist()[2:] == [0, 0]


@both
def test_unsafe_split(t, see):
    x = t.arange(4.0, requires_grad=True)
    y = x * 1
    pieces = y.unsafe_split(2)
    pieces[0].mul_(3)
    see(y, pieces, [p.storage_offset() for p in pieces], y._version, [p._version for p in pieces])
    see([p.grad_fn.name() for p in (pieces[1], y.unsafe_chunk(2)[0], y.unsafe_split_with_sizes([1, 3])[1])])
    (pieces[0] * pieces[1]).sum().backward()
    see(x.grad)
    with t.no_grad():
        part = x.unsafe_chunk(2)[0]
    see(part.requires_grad, part.add_(1), x)
    for source in (t.arange(4.0, requires_grad=True), t.arange(4.0, requires_grad=True) * 1):
        for _ in range(9):
            with t.inference_mode():
                parts = source.unsafe_chunk(2) + source.unsafe_split(2) + source.unsafe_split_with_sizes([1, 3])
            see([(p.requires_grad, p.is_leaf, p._is_view(), p.is_inference()) for p in parts])
        see(t.Tensor.tolist(parts[0]))
    z = t.ones(3, 4, requires_grad=True)                       # each of these may be remembered, also as what it comes to
    for pieces in (z.unsafe_chunk(2, 1), z.unsafe_split(3), z.unsafe_chunk(2, dim=1), z.unsafe_chunk(2, dim=1)):
        see(t.autograd.grad(sum([(number + 2) * piece.sum() for number, piece in enumerate(pieces)]), z))


@both
def test_what_is_a_lazy_view_is_computed_before_it_is_written(t, see):
    for part in lambda z: z, lambda z: z.imag:
        for write in (lambda v: t.mul(v, t.ones(3, 4), out=v), lambda v: t.mul(v, 2, out=v[0]),
                      lambda v: t.index_copy(v, 0, t.tensor([0]), v[:1], out=v), lambda v: v.add_(v.flip(0)),
                      lambda v: v.resize_(2, 3) if v.is_conj() else v, lambda v: v.resize_(2)):
            v = part(t.tensor([[1 + 1j], [2 - 1j], [3 + 0j]]).conj())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                see.raises(lambda: write(v).reshape(-1)[:2])    # noqa: B023
            see(v.is_neg(), v.is_conj(), v.shape)


@both
def test_a_lazy_view_of_what_no_longer_requires_grad_does_not_either(t, see):
    for view in lambda z: z.imag, lambda z: z.conj(), lambda z: z.mH, lambda z: z[0]:
        z = t.tensor([[1 + 1j, 2 - 1j]], requires_grad=True)
        v = view(z)
        z.requires_grad_(False)
        with t.no_grad():
            v.mul_(2)
        see(v.requires_grad)
        z = t.tensor([[1 + 1j, 2 - 1j]]).conj().requires_grad_()
        v = view(z)
        v.detach().add_(1)
        see(v.requires_grad)
    with t.inference_mode():
        x = t.ones(3)
    see.raises(x.swapdims_, 0, 1)
    see.raises(x.unsqueeze_, 0)


@both
def test_contiguous_gives_back_what_is_row_major(t, see):
    overrides = t.overrides
    seen = []

    class Seen(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func is t.Tensor.contiguous)
            return func(*args, **(kwargs or {}))
    x, z = t.ones(2, 3), three(t).conj()
    with Seen():
        see(x.contiguous() is x)
    see(seen, z.contiguous() is z, z.contiguous().is_conj())
    see(x.t().contiguous().stride(), t.ones(3).expand(2, 3).contiguous().stride())
