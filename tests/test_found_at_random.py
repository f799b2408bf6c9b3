"""Single calls, and short programs, that random programs (tests/fuzz) found to differ from PyTorch."""
import pytest

import leafward
from tests.fuzz.comparing import Difference
from tests.fuzz.stepping import Stepper
from tests.test_corners import compare


@pytest.mark.parametrize("call", [
    *[f"t.tensor([5, 1], dtype=t.{dtype}).clamp({low}, {high})" for dtype in ("int8", "uint8", "float16", "int64")
      for low in ("300", "2.0", "True", "inf", "None") for high in ("3e5", "70000", "300", "2", "1e39")],
    "F.interpolate(t.ones(1, 2, 3), 5, mode='linear', antialias=[])",
    "t.histogramdd(t.arange(4.0).view(2, 2), [t.tensor([-1.0, 0.0, 2.0]), t.tensor([0.0, 2.0])], (-1.0, 1.0))",
    "t.histogramdd(t.arange(4.0).view(2, 2), [2, 3], (-1.0, 1.0))",
    "t.ones(1).expand(20).sort()[1]", "t.ones(3).expand(20, 3).argsort(0)", "t.ones(20).expand(3, 20).sort(1)[1]",
    "t.ones(3, 1).expand(3, 20).sort(descending=True)[1]", "F.cosine_similarity(t.zeros(2), t.ones(2), 0, -1.0)",
    "F.binary_cross_entropy_with_logits(t.ones(3), t.ones(3), t.ones(3) + 1j)",
    "F.binary_cross_entropy_with_logits(t.ones(3), t.ones(3), pos_weight=t.ones(3) + 1j)",
    "F.instance_norm(t.ones(2, 3, 4).double(), t.ones(3).double(), t.ones(3) > 0)",
    "F.instance_norm(t.ones(2, 3, 4).double(), t.ones(3).double())",
    "F.batch_norm(t.ones(2, 3), None, t.ones(3), training=True)",
    "[t.linalg.matrix_norm(t.zeros(s, requires_grad=True), o, (0, 1)).requires_grad for s in ((0, 2), (2, 0), (0, 0, 2)) "
    "for o in (1, 2, float('inf'), 'fro', 'nuc') if (s, o) not in (((2, 0), float('inf')), ((0, 2), 1), ((0, 0, 2), 3))]",
    *[f"(lambda x: t.autograd.grad(t.{call}.flip(0), x, t.arange(12.0).view(3, 4)))(t.ones(3, 4, requires_grad=True))"
      for call in ("diagonal_scatter(x, t.ones(3))", "select_scatter(x, t.ones(4), 0, 1)",
                   "slice_scatter(x, t.ones(1, 4), 0, 1, 2)")],
    *[f"F.multi_margin_loss(t.ones({x}), t.zeros({y}, dtype=t.int64))" for x, y in ((5, 3), (5, 1), (5, 0), ((1, 5), ()))],
    "F.fractional_max_pool2d(t.zeros(0, 6, 7), 2, 2).shape", "F.fractional_max_pool3d(t.zeros(0, 5, 6, 7), 2, 2).shape",
    *[f"F.batch_norm(t.ones(4, 3, dtype=t.{x}), t.ones(3, dtype=t.{a}), t.ones(3, dtype=t.{b}), t.ones(3, dtype=t.{c}), "
      f"training={training})" for training in (True, False) for x, a, b, c in (
          ("double", "double", "float", "double"), ("bfloat16", "float", "float", "bfloat16"),
          ("float", "double", "float", "float"), ("bfloat16", "float", "bfloat16", "float"), ("half", *["float"] * 3))],
    "(lambda x: t.autograd.grad(x.prod(), x))(t.tensor(float('nan'), requires_grad=True))",
    *[f"(lambda x: x.cholesky().backward(x))(t.zeros({shape}, requires_grad=True))"
      for shape in ("0", "0, 3", "3, 0", "0, 3, 3")],
    *[f"F.linear(t.ones({x}), t.ones({w}){bias})" for x in ("4", "4, 4", "2, 3, 4") for w in ("2, 5, 4", "4, 4, 4", "0, 5, 4")
      for bias in ("", ", t.ones(5)")],
    *[f"(lambda x, y: (y, t.autograd.grad(y, x)))(*(lambda x: (x, t.linalg.vector_norm(x, {ord})))(t.tensor({x}, "
      "requires_grad=True)))" for x in ("1e-30", "[1e-30]", "[[1e30]]") for ord in (2, 1, 0.5)],
    "t.norm(t.tensor([[1e-30, 2e-30]]), dim=0)", "t.linalg.vector_norm(t.tensor([[1e-30 + 1e-30j]]), 2, 0)",
    *[f"F.triplet_margin_{kind}loss(*[t.full((1, 2), n, dtype=t.bfloat16) for n in (0.0, 3e4, -3e4)], margin=0.25)"
      for kind in ("", "with_distance_")],
    "t.linalg.tensorsolve(t.zeros(3, 0, 3), t.zeros(0, 2), dims=(1,))",
    "t.linalg.tensorsolve(t.eye(4).view(2, 2, 4), t.arange(4.0).view(1, 4))",
    "t.linalg.tensorsolve(t.eye(4).view(2, 2, 4), t.ones(9))",
    "t.linalg.vander(t.tensor([3, 4], dtype=t.uint64), N=3)", "t.view_as_complex(t.zeros(2, 0).pinverse())",
    "F.embedding_bag(t.ones(2, 3).long(), t.ones(4, 3), 10)",
    "t.searchsorted(t.tensor([1, 2], dtype=t.uint64), t.tensor([1, 2]))",
    *[f"F.conv_transpose{n}d(t.ones({(1, 3) + (4,) * n}, dtype=t.float64), t.ones({(3, 0) + (2,) * n}, dtype=t.float64))"
      for n in (1, 2, 3)], "F.conv1d(t.ones(1, 3, 4), t.ones(0, 3, 2))", "F.conv1d(t.ones(1, 3, 4), t.ones(3, 3, 2), groups=2)",
    "F.cross_entropy(t.ones(3, 4), t.ones(3, dtype=t.uint8), t.ones(4), label_smoothing=0.1)",
    *[f"[f.shape for f in t.linalg.lu(t.zeros({shape}), pivot=False)]" for shape in ("0, 3", "2, 0, 0")],
    *[f"(lambda x: t.autograd.grad(F.multi_margin_loss(x, t.tensor([2, 0]), {p}), x, create_graph={graph}))"
      "(t.tensor([[0.5, float('nan'), 1.0], [2.0, 1.0, float('nan')]], requires_grad=True))"
      for p in (1, 2) for graph in (True, False)],
    *[f"(lambda x: t.autograd.grad({loss}(x, x.detach() / 2, t.tensor([0.5, 0.3], dtype=t.bfloat16)), x, t.tensor(1.01), "
      f"create_graph={graph}))(t.tensor([0.1, 0.7], requires_grad=True))"
      for loss in ("F.binary_cross_entropy", "F.binary_cross_entropy_with_logits") for graph in (True, False)],
    "(lambda q: F.scaled_dot_product_attention(q, q, q, dropout_p=-1.0))(t.ones(1, 2, 3, 4).mT)",
    *[f"t.signal.windows.exponential(6, center={center!r}, sym=False)" for center in ("a", [1], 2, -1.5)],
    "t.lstm(t.ones(1, 2, 3), [t.tensor(1.0), t.ones(1, 2, 2)], [t.ones(8, 3), t.ones(8, 2), t.ones(8), t.ones(8).half()], "
    "True, 1, 0.0, False, False, False)",
    *[f"(lambda x: t.autograd.grad(t.special.{f}(x, {y}).sum(), x))(t.tensor([0.0, 1.0], requires_grad=True))"
      for f in ("xlogy", "xlog1py") for y in ("float('nan')", "-2.0", "t.tensor(float('nan'))")],
    *[f"t.ones(3, 4).index_put_((t.tensor({mask}),), t.ones({shape}))" for mask in ("True", "1, dtype=t.uint8")
      for shape in ("4, 1", "1, 3, 4", "2, 3, 4")],
    *[f"F.hinge_embedding_loss(t.tensor([1, 2]), t.tensor([1, -1]), {margin}, reduction='none')"
      for margin in ("float('inf')", "float('nan')", 1.5, 1e30, -0.5, True)],
    *[f"(t.tensor([1 + 2j], dtype=t.{x}).ldexp(t.tensor({y}, dtype=t.{dtype})) * 1e4).real.round()" for y in (0.3, [0.3])
      for x in ("complex64", "complex128") for dtype in ("bfloat16", "float32", "float64")],
    "F.hardtanh(t.tensor([0, -1]), -0.5, float('inf'))", "F.hardtanh(t.tensor([0, -1]), float('nan'), 1)",
    "F.poisson_nll_loss(t.ones(3, 4), t.ones(2), reduction='batchmean')", "t.ones(2, 3).hash_tensor(dim=2, mode=1)",
    *[f"F.huber_loss(t.ones({n}), t.ones(3), reduction='{reduction}', delta={delta}, weight={weight})" for n in (2, 3)
      for reduction in ("mean", "batchmean") for delta in (-1.0, 1.0) for weight in ("None", "t.ones(2)", "t.ones(3)")],
    *[f"F.cross_entropy(t.ones(()), t.ones({shape}, dtype=t.{dtype}))" for shape in ("()", "2", "2, 2")
      for dtype in ("int64", "float32")],
    *[f"F.batch_norm(t.ones({shape}), t.ones(3), t.ones(3), training=True)" for shape in ("1", "()", "1, 0", "1, 2", "0, 1")],
    *[f"F.embedding(t.zeros({n}, dtype=t.int64), t.ones({shape}), padding_idx={idx})" for n in (0, 2)
      for shape in ("()", "3", "3, 2", "0, 2") for idx in (None, 0, 1, -1, 5)],
    *[f"F.fractional_max_pool{dims}d(t.ones(3, 5, 6, 7, dtype=t.{dtype}), 2, {size}, {ratio}).shape" for dims in (2, 3)
      for dtype in ("bool", "float32") for size, ratio in ((None, (0.5, 0.4)), (None, (0.5,)), ((None, 2), None))
      if (dims, dtype, size) != (3, "float32", (None, 2))],
    "F.instance_norm(t.zeros(0, 1, 4), t.ones(3), t.ones(2))", "t.ones(0, 0).multinomial(2, True)",
    "F.scaled_dot_product_attention(t.zeros(0, 2), t.ones(3, 2), t.ones(3, 2), dropout_p=2.0)",
    "F.scaled_dot_product_attention(t.zeros(0, 2), t.ones(3, 2).long(), t.ones(3, 2), dropout_p=2.0)",
    "t.tensor([[0.5, 1.0], [1e-30, -2.0]]).logcumsumexp(1)[:, 0].log()", "t.ones(3).quantile(0.5).detach_()",
    "t.zeros(3, 4).scatter(0, t.zeros(0, 5, dtype=t.int64), t.ones(1, 4).requires_grad_()).detach()",
    "(lambda x: t.autograd.grad((x ** (1 + 2j)).real.sum(), x)[0].round(decimals=5))("
    "t.tensor([1.25, 0.5], requires_grad=True))",
    "(lambda x: t.autograd.grad(F.pairwise_distance(x, x), x, t.ones(2).half(), create_graph=True)[0].detach())("
    "t.ones(2, 3).half().requires_grad_())"])
@pytest.mark.filterwarnings("ignore")
def test_what_random_programs_found(call):
    compare(call)


def run(program):
    """Both run it line by line, and all that there is then is compared."""
    stepper = Stepper()
    try:
        for line in program.splitlines():
            stepper.step(line)
    except Difference as difference:
        assert difference.row, difference
    assert not [difference for difference, _ in stepper.passed if difference.kind != "sentence"]


TARGETS = ("t.arange(12.0).view(3, 4)", "t.arange(4.0).expand(3, 4)", "t.ones(3, 4, dtype=t.complex64).conj().imag",
           "t.arange(12.0).view(1, 3, 4)")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("index", ["t.tensor([7, 7])", "t.tensor([0, 1])", "t.tensor([0.5, 1.0])", "t.tensor([[0], [1]])",
                                   "t.tensor([True, False])", "t.tensor([2, 2], dtype=t.uint8)", "v1"])
@pytest.mark.parametrize("values", ["t.ones(2, 4)", "t.ones(3, 5)", "t.ones(1, 1)", "t.ones(2, 4).long()", "v1[:2]", "v1[1:]",
                                    "v1", "t.ones(1, 2, 4)"])
def test_whether_memory_or_arguments_are_refused_first(target, index, values):
    for write in (f"v1[{index}] = {values}", f"v1.index_put_(({index},), {values})", f"v1.index_add_(0, {index}, {values})",
                  f"v1.index_copy_(0, {index}, {values})", f"v1.index_reduce_(0, {index}, {values}, reduce='amax')",
                  f"v1.scatter_(0, {index}, {values})", f"v1.put_({index}, {values})"):
        run(f"v1 = {target}\n{write}")


@pytest.mark.parametrize("write", [
    "v1.index_put_((t.tensor([0, 1]),), {v})", "v1.index_put_((t.tensor([True, True, False]),), {v})",
    "v1[t.tensor([0, 1])] = {v}", "v1[t.tensor([True, True, False])] = {v}",
    "v1.index_put_((t.tensor([0, 1]),), {v}, accumulate=True)",
    "v3 = v1.index_put((t.tensor([0, 1]),), {v})", "v1.index_put_((t.tensor([0, 7]),), {v})"])
@pytest.mark.parametrize("values", ["t.ones(1, 2)", "t.ones(1, 1, 2)", "t.ones(1, 1)", "t.ones(2, 1)", "t.ones(1, 3)"])
def test_values_with_leading_dims_of_size_one(write, values):
    run(f"v1 = t.zeros(3)\nv2 = {values}.requires_grad_()\n{write.format(v='v2')}\nv4 = v1.sum()\nv4.backward()")


VIEW = "v1 = t.ones(3, requires_grad=True)\nwith t.no_grad(): v2 = v1[1:]\n"
COMPLEX = "v1 = t.tensor([[0.5 - 1j, 2j]])\nv2 = {}\nv2.requires_grad_()\nv3 = {}\nwith t.no_grad(): v3.mul_(2)\nv4 = v3 * 1"


@pytest.mark.parametrize("program", [
    *[VIEW + way for way in ("v2.backward(t.ones(2))", "v3 = t.autograd.grad(v2, [v1], t.ones(2), allow_unused=True)",
                             "v3 = v2 * 2\nv3.backward(t.ones(2))")],
    *[f"v1 = t.ones(2, dtype=t.float16)\nwith t.inference_mode(): v2 = {call}\nv3 = v2.is_inference(), v1.is_inference()"
      for call in ("t.complex(v1, v1)", "v1.to(t.float8_e5m2)", "t.view_as_complex(v1)", "t.zeros(2, dtype=t.complex32)")],
    *[f"v1 = t.ones(1, 1, requires_grad=True)\nv2 = t.zeros(3, 4).{op}(0, t.zeros(2, 0), v1)\n"
      "v2.backward(t.ones(3, 4), create_graph=True)" for op in ("scatter_add", "scatter")],
    *[f"v1 = t.arange(4.0)\n{write}" for write in (
        "v1.copy_(v1[0])", "v1.copy_(v1[2])", "v1[:] = v1[1]", "v1.view(2, 2).copy_(v1[0])", "v1[0].copy_(v1[0])",
        "v1[1:].copy_(v1[0])")],
    *[f"v1 = t.ones(2, 2, 2)\nv2 = t.zeros({shape})\nwith t.autocast('cpu'): v3 = t.{call}, out=v2)\nv4 = v3 is v2"
      for shape in ("0", "2, 2, 2") for call in ("bmm(v1, v1", "matmul(v1, v1", "linalg.inv(v1 + t.eye(2)", "cumprod(v1, 0")],
    *[f"v1 = t.ones(2, 3, requires_grad=True)\nv2 = v1 * 5\nwith t.no_grad(): v1.{turn}\nv3 = v1.sum() + v2.sum()\n"
      f"v4 = t.autograd.grad(v3, [v1, v2])" for turn in ("t_()", "as_strided_((2,), (1,))", "data = t.ones(4)")],
    *[f"v1 = t.ones(2, 3, requires_grad=True)\nv2 = {view}\nv2.sum().backward()\nwith t.no_grad(): {write}\nv3 = v2 * 2\n"
      "v3.sum().backward()" for view in ("v1[:, :1]", "v1.t()", "v1[0]", "v1.view(-1)")
      for write in ("t.add(t.ones(5), 1, out=v1)", "t.add(t.ones(6), 1, out=v1)", "t.add(t.ones(7), 1, out=v1)",
                    "v1.set_(t.ones(4))", "v1.set_(t.ones(3, 2))")],
    "v1 = t.ones(3)\nv2 = v1[1:]\nv1.requires_grad_()\nv2.backward(t.ones(2))",
    "v1 = t.ones(3, requires_grad=True) * 2\nwith t.no_grad(): v2 = v1[1:]\nv2.backward(t.ones(2))",
    *[COMPLEX.format(leaf, view) for leaf, view in (
        ("v1.conj()", "v2.conj()"), ("v1.conj()", "v2.view(2, 1)"), ("v1.conj().t()", "v2.t()"), ("v1.real", "v2.t()"),
        ("v1[:, :1]", "t.view_as_real(v2)"), ("t.view_as_real(v1)", "t.view_as_complex(v2)"), ("v1[:, :1]", "v2.t()"))],
    "v1 = t.zeros(1, 3, 0, requires_grad=True)\nv2 = v1[[0, 1]]\nv2.backward(t.zeros(2, 3, 0))",
    "v1 = t.zeros(1, 3, 0, requires_grad=True)\nv2 = v1[[0, 1], :, [0, 0]]\nv2.sum().backward()",
    *["with t.inference_mode(): v1 = t.ones(3) * 2\n" + rest for rest in (
        "v2 = v1[1:]\nv3 = v2._base is None, v2._is_view()\nv2.add_(1)", "v2 = v1.view(t.int32)\nv3 = v2._base is None",
        "with t.inference_mode(): v2 = v1[1:]\nv3 = v2._base is None, v2._is_view()", "v2 = v1.expand(2, 3)\nv2.add_(1)",
        "v2 = v1.split(1)[0]\nv3 = v2._is_view()", "v2 = v1.detach()\nv3 = v2[1:]._base is v2\nv2[1:].mul_(2)")],
    *[f"v1 = t.arange(4{dot})\nwith t.inference_mode(): v2 = v1[1:]\nv2.{write}(t.tensor(0.5, requires_grad=True))"
      for dot in (".0", "") for write in ("copy_", "fill_")]])
@pytest.mark.parametrize("times", [1, 6])
def test_programs_that_random_programs_came_to(program, times):
    for _ in range(times):              # calls like ones before go another way
        run(program)


@pytest.mark.parametrize("op", ["scatter", "scatter_add"])
def test_the_gradient_of_a_source_that_no_index_reads_is_zero(op):
    x, source = leafward.zeros(3, 4, requires_grad=True), leafward.ones(1, 4, requires_grad=True)
    getattr(x, op)(0, leafward.zeros(0, 5, dtype=leafward.int64), source).sum().backward()
    assert source.grad.tolist() == [[0.0] * 4]
