"""float8 and complex32: memory, casts, views, files and gradients through casts, as PyTorch has them."""
import io
import pickle
import warnings

import pytest

import leafward as lw
from tests.oracle import torch

DTYPES = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "complex32")
NUMBERS = "t.tensor([1., 500., -1e9, 3.3, -2.7, 60000., 1e-3, 0.07])"

#: ``t``: the library; ``d``: the dtype. What is compared is what is printed, or the type of the error and its first words.
CALLS = f"""t.ones(2, 3, dtype=d); t.full((2,), 1.3, dtype=d); t.empty(0, dtype=d); t.ones_like(t.ones(2), dtype=d)
t.ones_like(t.ones(2).to(d)); t.ones(2).to(d).new_ones(3); t.empty_like(t.ones(2).to(d)).dtype; t.ones(2).to(d)._version
t.tensor([1.5, 2.7], dtype=d); {NUMBERS}.to(d).cfloat(); {NUMBERS}.double().to(d).view(t.uint8); t.tensor([1, 2, 30]).to(d)
t.tensor([1.5 + 2j]).to(d).cdouble(); t.tensor([1.5, 2.7]).to(d).to(t.int32); t.tensor([1.5, 2.7]).to(d).bfloat16()
t.tensor([1.5, 2.7]).to(d).nbytes; t.ones(2).to(d).element_size(); t.tensor([1.5, 4.]).to(d).tolist()
t.tensor([1.5, 4.]).to(d)[0].item(); t.ones(2).to(d).numpy(); t.tensor([[1., 2.], [4., 8.]]).to(d).t()
t.tensor([[1., 2.], [4., 8.]]).to(d)[:, 0]; t.tensor([[1., 2.], [4., 8.]]).to(d)[t.tensor([1, 0])]
t.tensor([[1., 2.], [4., 8.]]).to(d).reshape(-1); t.cat([t.ones(2).to(d), t.ones(1).to(d)]); t.ones(2).to(d).type()
t.stack([t.ones(2).to(d), t.ones(2).to(d)]); t.where(t.tensor([True, False]), t.ones(2).to(d), t.full((2,), 2.).to(d))
t.ones(2).to(d).clone(); t.ones(2).to(d) == t.ones(2).to(d); t.ones(2).to(d) + t.ones(2); t.ones(2).to(d).detach()
t.ones(2).to(d).fill_(2.); t.ones(2).to(d).copy_(t.tensor([4., 8.])); t.ones(2).copy_(t.tensor([4., 8.]).to(d))
t.ones(2).to(d).requires_grad_(); t.ones(2).to(d).untyped_storage().nbytes(); t.nn.Parameter(t.ones(2).to(d))
t.nn.Linear(1, 1).to(d).weight.dtype; t.ones(2).view(t.uint8).view(d).dtype; len(t.ones(2).to(d)); list(t.ones(2).to(d))
t.ones(2).to(d).real; t.tensor([1.5 + 2j]).to(d).imag; t.ones(2).to(d).is_contiguous(); t.ones(2).to(d).is_floating_point()"""


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("call", [c.strip() for c in CALLS.replace("\n", ";").split(";")])
def test_the_answer_is_pytorchs(call, name):
    def outcome(t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return repr(eval(call, {"t": t, "d": getattr(t, name)}))
            except Exception as error:
                return f"{type(error).__name__}: {str(error)[:60]}"
    assert outcome(lw) == outcome(torch)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("name", [n for n in DTYPES if n != "float8_e8m0fnu"])      # which has no zero for the gradient of x[2]
def test_gradients_pass_through_casts(name):
    def gradient(t):
        x = t.tensor([0.3, 4.0, -2.7], requires_grad=True)
        y = x.to(getattr(t, name))
        assert y.grad_fn.name() == "ToCopyBackward0"
        y.backward(t.ones(3, dtype=y.dtype), retain_graph=True)
        (y[:2].reshape(1, 2).float() * t.tensor([3.0, 5.0])).sum().backward()
        return x.grad.tolist()
    assert gradient(lw) == gradient(torch)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("name", DTYPES)
def test_files(name):
    def made(t):
        return {"x": t.arange(1.0, 7.0).reshape(2, 3).to(getattr(t, name)).t(), "y": t.ones(3)}
    for writer, reader in ((lw, lw), (lw, torch), (torch, lw)):
        file = io.BytesIO()
        writer.save(made(writer), file)
        file.seek(0)
        x = reader.load(file)["x"]
        assert str(x.dtype) == f"torch.{name}" and x.stride() == (1, 3) and x.tolist() == made(torch)["x"].tolist()
    again = pickle.loads(pickle.dumps(made(lw)["x"]))
    assert again.dtype is getattr(lw, name) and again.tolist() == made(lw)["x"].tolist() and type(again) is type(made(lw)["x"])


@pytest.mark.parametrize("name", DTYPES)
def test_arithmetic_is_rounded_once(name):
    """PyTorch has most of it for none of these dtypes: computed in float32 or complex64 here."""
    d = getattr(lw, name)
    wide = lw.complex64 if name == "complex32" else lw.float32
    x, y = lw.tensor([1.0, 2.0, 4.0]).to(d), lw.tensor([2.0, 2.0, 8.0]).to(d)
    total = (x + y) * x
    assert total.dtype is d and total.tolist() == ((x.to(wide) + y.to(wide)).to(d).to(wide) * x.to(wide)).to(d).tolist()
    assert x.sum().dtype is d and x.sum().item() == lw.tensor(7.0).to(d).item()
    assert lw.nn.functional.linear(x[None], y[None]).dtype is d


def test_writes_reach_views_and_are_counted():
    x = lw.zeros(4, dtype=lw.float8_e5m2)
    x[1:3].fill_(2.0)
    x[0] = 3.0
    x += 1
    assert x.tolist() == [4.0, 3.0, 3.0, 1.0] and x._version == 3
    with pytest.raises(NotImplementedError, match="are not recorded"):
        x.copy_(lw.ones(4, requires_grad=True))


def test_complex_of_half():
    z = lw.complex(lw.tensor([1.0, 2.0]).half(), lw.tensor([0.5, -1.0]).half())
    assert z.dtype is lw.complex32 and z.tolist() == [1 + 0.5j, 2 - 1j] and z.conj().tolist() == [1 - 0.5j, 2 + 1j]
    assert lw.ones(2).chalf().dtype is lw.complex32 and z.abs().dtype is lw.float16
    z.imag.fill_(3.0)
    assert z.tolist() == [1 + 3j, 2 + 3j]


def test_pairs_of_halves_are_complex_numbers_in_the_same_memory():
    seen = []
    for t in (lw, torch):
        x = t.arange(6.0).reshape(3, 2).half()
        z = t.view_as_complex(x)
        pairs = t.view_as_real(z)
        pairs.add_(1.0)
        seen.append((x.tolist(), z.tolist(), x._version, z._version, str(z.dtype), pairs.stride(), pairs._base is x,
                     t.real(z).tolist(), t.imag(z).tolist()))
        leaf = t.arange(6.0).reshape(3, 2).half().requires_grad_()
        z = t.view_as_complex(leaf)
        (t.view_as_real(z).float() * t.arange(6.0).reshape(3, 2)).sum().backward()
        seen[-1] += (leaf.grad.tolist(), str(leaf.grad.dtype), z.grad_fn.name(), z.requires_grad)
        with pytest.raises(RuntimeError, match="last dimension of size 2"):
            t.view_as_complex(t.ones(3).half())
        with pytest.raises(RuntimeError, match="scalar type: ComplexHalf"):
            t.view_as_complex(z)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("name", [name for name in DTYPES if name.startswith("float8")])
def test_safetensors_hold_floats_of_a_byte(name):
    from safetensors import torch as theirs
    from leafward.io import safetensors
    x, y = (t.tensor([[0.5, 2.0], [4.0, 1.0]]).to(getattr(t, name)) for t in (lw, torch))
    again = safetensors.load(safetensors.save({"x": x}))["x"]
    assert again.dtype is x.dtype and type(again) is type(x) and again.tolist() == x.tolist()
    if name not in ("float8_e8m0fnu",):
        assert safetensors.load(theirs.save({"x": y}))["x"].tolist() == y.tolist()
        assert theirs.load(safetensors.save({"x": x}))["x"].tolist() == y.tolist()


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("recorded", [False, True])
def test_a_gradient_of_half_complex_numbers_is_given(recorded):
    seen = []
    for t in torch, lw:
        g = t.tensor([1 + 2j, 0.5j, -3.0]).to(t.complex32)
        x, pairs = (t.ones(shape, dtype=t.float16, requires_grad=True) for shape in ((3,), (3, 2)))
        found = [*t.autograd.grad(t.complex(x, x * 2), x, g, create_graph=recorded),
                 *t.autograd.grad(t.view_as_complex(pairs), pairs, g, create_graph=recorded)]
        t.complex(x, x * 2).backward(g)
        seen.append([(part.tolist(), str(part.dtype)) for part in (*found, x.grad)])
    assert seen[0] == seen[1]


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("part", ["real", "imag"])
def test_parts_of_half_complex_numbers_are_recorded_and_written_through(part, recorded):
    seen = []
    for t in torch, lw:
        z = t.tensor([1 + 2j, 0.5j, -3.0]).to(t.complex32).requires_grad_()
        numbers = getattr(z, part)
        found, = t.autograd.grad(numbers, z, t.tensor([1.0, 2.0, 4.0]).half(), create_graph=recorded)
        plain = z.detach().clone()
        getattr(plain, part).fill_(7.0)
        seen.append((numbers.tolist(), str(numbers.dtype), numbers.grad_fn.name(), found.cfloat().tolist(),
                     plain.tolist(), plain._version))
    assert seen[0] == seen[1]
