"""What differs on purpose: each kind by the row of docs/differences.md that says so, and a program that shows it.

``test_fuzz.py`` proves the list from both sides: every row named here stands in the docs, and every program here still
differs, in that way and in no other.
"""
from tests.fuzz.matching import OnPurpose
from tests.fuzz.refused_on_purpose import REFUSED, UNRECORDED

ANYTHING_WRITTEN = ("value", "gradient", "shape", "version", "stride", "view", "mirror")

LIST = REFUSED + (
    OnPurpose(
        "`complex32` and the float8 dtypes: gradients", ("dtype",),
        "v1 = t.ones(1, 2, dtype=t.float16, requires_grad=True)\nv2 = t.view_as_complex(v1)\n"
        "v3 = t.autograd.grad(v2, [v1, v2], t.ones(1, dtype=t.complex32))", said="complex64, PyTorch torch.complex32"),
    OnPurpose(
        "`complex32` and the float8 dtypes: gradients", ("view", "mirror"),
        "v1 = t.view_as_complex(t.ones(1, 2, dtype=t.float16))\nv2 = v1.conj()", within="float16", before="view_as_complex",
        line=r"conj\("),
    OnPurpose(
        "`var`, `std` with `dim=()`, gradient", ("gradient", "value"),
        "v1 = t.tensor([1.0, 2.0, 4.0], requires_grad=True)\nv2 = v1.var(dim=(), correction=0)\nv2.backward()",
        within=r"(var|std)(_mean)?\(.*dim=\(\)", line="backward|grad"),
    OnPurpose(
        "in-place in windows that overlap", ("value", "gradient"),
        "v1 = t.arange(5.0)\nv2 = v1.unfold(0, 3, 1)\nv3 = v2.mul_(2)",
        before=r"unfold\(|as_strided\("),
    OnPurpose(
        "`ldexp` with a power beyond int32", ("gradient", "value"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = v1.ldexp(t.tensor([-3, 2]))\nv2.backward(t.ones(2))", within="ldexp",
        line="backward|grad"),
    OnPurpose(
        "gradients that `autograd.grad` returns for several tensors",
        ("value", "gradient", "dtype", "shape", "python", "version", "requires_grad"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = v1[...]\nv3 = t.autograd.grad(v2, [v1, v2], t.ones(2))\nv4 = v3[0]\n"
        "v4.data = v4.data * 2", before=r"v\d+ = t\.autograd\.grad\(v\d+, \[v\d+, ",
        line=r"\.data = |_\(|\] .?= |\bout=| [-+*/@%&|^<>]+= ", elsewhere=True),
    OnPurpose(
        "`x.data = other` between a forward pass and its backward", ("value", "gradient", "shape", "refuses", "accepts"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = t.ones(2)\nv3 = v1 * v2\nv2.data = v2.data * 2\nv3.backward(t.ones(2))",
        before=r"\.data = ", line="backward|grad"),
    OnPurpose(
        "a complex convolution whose weight or input is written through `.data`", ("value", "gradient"),
        "v1 = t.ones(1, 1, 3, dtype=t.complex64, requires_grad=True)\nv2 = t.ones(1, 1, 2) * 1j\n"
        "v3 = t.nn.functional.conv1d(v1, v2)\nv2.data.mul_(2)\nv3.backward(t.ones(1, 1, 2) * (1 + 1j))", line="backward|grad",
        before=r"conv(olution|(_transpose)?[123]d)\((.*\n)+.*\.data\.", said="j"),
    OnPurpose(
        "gradients that `autograd.grad` returns for several tensors", ("python",),
        "v1 = t.ones(2, 3)\nv2 = t.ones(3, requires_grad=True)\nv3 = t.select_scatter(v1, v2, 0, 1)\n"
        "v4 = t.autograd.grad(v3, [v2], t.ones(2, 3))\nv5 = v4[0]\nv6 = v5.storage_offset()", before=r"t\.autograd\.grad\(",
        line=r"storage_offset\("),
    OnPurpose(
        "a leaf that gets another shape under `no_grad`", ("accepts", "refuses", "shape"),
        "v1 = t.ones(2, 3, requires_grad=True)\nv2 = v1 * 5\nwith t.no_grad(): v1.t_()\nv1.backward(t.ones(3, 2))",
        before=rf"{UNRECORDED}.*(v\d+\.(t|transpose|swapdims|squeeze|unsqueeze|as_strided)_\(|\bout=)", line="backward|grad",
        said=r"invalid gradient at index|^\(.*\), PyTorch \(|must match the size of tensor b"),
    OnPurpose(
        "`linalg.lstsq` of several matrices", ("value",),
        "v1 = t.tensor([[[-.85, 1.34, .4], [1.31, -.84, -.75], [-.1, .49, .31], [.23, 1, -.25]], [[.34, .85, -1.82], "
        "[-.43, -.19, -.13], [-.5, -.5, -1.5], [.6, .71, .62]]])\nv2 = t.linalg.lstsq(v1, t.ones(2, 4), rcond=0.1)",
        ops=("lstsq",), line="rcond="),
    OnPurpose(
        "`_version`, `_base` and `_is_view()` of a new result", ("gradient", "value"),
        "v1 = t.arange(21.0).view(3, 7).requires_grad_()\nv2 = t.nn.functional.avg_pool1d(v1, 3, 2, [1])\n"
        "v3 = t.logical_not(t.ones(2, 3, 4), out=v2)\nv2.backward(t.arange(24.0).view(2, 3, 4))", line="backward|grad",
        within=r"(avg_pool1d|max_pool1d|linear)\(", before=r"logical_\w+\(.*\bout="),
    OnPurpose(
        "in-place with an input that overlaps in part", ("value",),
        "v1 = t.arange(1, 7).view(2, 3)\nv2 = v1[..., ::3]\nv1.sub_(v2)", line=r"_\(|\] = | [-+*/@%&|^<>]+= ", shared=True),
    OnPurpose(
        "`out=` that overlaps an input", ("value",), "v1 = t.arange(1, 7)\nv2 = v1[0]\nt.sum(v2, 0, out=v1)",
        line=r"\bout=", shared=True),
    OnPurpose(
        "`fft.fftfreq(n, out=)` where `out` has several dims", ("value", "version"),
        "v1 = t.zeros(2, 3).t()\nv2 = t.fft.fftfreq(6, out=v1)", ops=("fftfreq", "rfftfreq"), line="out="),
    OnPurpose(
        "`batch_norm` in training whose running statistics are its weight", ("value",),
        "v1 = t.arange(6.0).view(3, 2)\nv2 = t.ones(2)\nv3 = t.nn.functional.batch_norm(v1, v2, v2, v2, training=True)",
        ops=("batch_norm", "instance_norm"), line=r"\b(v\d+), .*\b\1\b"),
    OnPurpose(
        "complex numbers to whole powers", ("value", "gradient"), "v1 = t.tensor([0j, 1 + 1j]).pow(-3)",
        said=r"nan.*nan.*, PyTorch .*(nan|inf)", within=r"pow|\*\*|[jJ].*pow"),
    OnPurpose(
        "`torch.as_strided_scatter`, gradient of `input`", ("gradient", "value"),
        "v1 = t.ones(3, 3, requires_grad=True)\nv2 = v1.as_strided_scatter(t.ones(2, 2), (2, 2), (1, 2))\n"
        "v2.backward(t.arange(9.0).reshape(3, 3))", line="backward|grad", within="as_strided_scatter"),
    OnPurpose(
        "Half types: `index_put(accumulate=True)`", ("value",),
        "v1 = t.tensor([-3.08], dtype=t.bfloat16).mvlgamma(p=3)", ops=("mvlgamma", "multigammaln", "xlogy_", "xlogy"),
        within="float16"),
    OnPurpose(
        "`topk(sorted=False)`", ("value",),
        "v1 = t.topk(t.tensor([0.5, -1.0, 1.25, -0.25]), 3, largest=False, sorted=False)", ops=("topk",), line="sorted=False"),
    OnPurpose(
        "Chebyshev polynomials in float32", ("value",),
        "v1 = t.special.shifted_chebyshev_polynomial_t(t.tensor([0.11]), 300)", line=r", \d{3,}\)|, n=\d{3,}",
        ops=tuple(f"{s}chebyshev_polynomial_{k}" for s in ("", "shifted_") for k in "tuvw")),
    OnPurpose(
        "`special.bessel_j0`, `j1`, `y0`, `y1`", ("value",),
        "v1 = t.special.bessel_j0(t.tensor([5.49, 5.521], dtype=t.float64))",
        ops=("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai")),
    OnPurpose(
        "`polygamma(1, x)` and the gradient of `digamma` at a negative whole number", ("value", "gradient"),
        "v1 = t.special.polygamma(1, t.tensor([-3.0]))", said=r"e\+(1\d|[2-9]\d)|(?<![\d.])\d{8}|nan, PyTorch -?0\.0 ",
        within=r"polygamma|digamma|psi\("),
    OnPurpose(
        "`torch.linalg.matrix_exp` in float32", ("value",),
        "v1 = t.matrix_exp(t.tensor([[-0.64, 0.06], [30000.0, 1.97]]))", ops=("matrix_exp",)),
    OnPurpose(
        "gradient of `matrix_norm` and `cond` by singular values, where two of them are equal or one is 0",
        ("gradient", "value"),
        "v1 = t.tensor([1.0, 2.0, 3.0]).expand(4, 3).requires_grad_()\nv2 = t.linalg.matrix_norm(v1, ord='nuc', dim=(0, 1))\n"
        "v2.backward()",
        line="backward|grad", before="expand", within=r"(matrix_norm|\.norm|cond)\(.*(-?2|nuc)"),
    OnPurpose(
        "`linalg.lu`, `lu_factor`, `ldl_factor` of NaN or an infinity", ("value",),
        "v1 = t.linalg.lu(t.tensor([[-1.0, 2.0], [nan, 1.0]]))",
        ops=("lu", "lu_factor", "lu_factor_ex", "det", "slogdet", "logdet")),
    OnPurpose(
        "calls that no overload of PyTorch's takes", ("value",),
        "v1 = t.tensor([7.0])\nv2 = t.tensor([2.0])\nv3 = v1.true_divide_(v2, rounding_mode='trunc')",
        line=r"true_divide_\(.*rounding_mode"),
    OnPurpose(
        "`Tensor.addbmm_` on a view that the result does not fit", ("shape", "refuses"),
        "v1 = t.zeros(20)\nv2 = v1[1:2]\nv2.addbmm_(t.ones(2, 3, 4), t.ones(2, 4, 5))", ops=("addbmm_",)),
    OnPurpose(
        "a call that fails halfway", ANYTHING_WRITTEN, "v1 = t.tensor([4, 4, 0])\nv1.fmod_(v1)", said=r"\(both raised\)"),
    OnPurpose(
        "`embedding_bag(include_last_offset=True)`", ("value", "gradient"),
        "v1 = t.nn.functional.embedding_bag(t.tensor([0, 1, 2]), t.ones(5, 2), t.tensor([0, 1]), include_last_offset=True)",
        ops=("embedding_bag",), line="include_last_offset=True"),
    OnPurpose(
        "NaN in `cdist(p=inf)`", ("value",), "v1 = t.special.shifted_chebyshev_polynomial_u(t.tensor([nan]), 2)",
        ops=("cdist", "pairwise_distance", "embedding_bag", "laguerre_polynomial_l", "legendre_polynomial_p",
             "igamma", "igammac", "igamma_", "igammac_", "gammainc", "gammaincc", "scaled_dot_product_attention",
             *(f"{s}chebyshev_polynomial_{k}" for s in ("", "shifted_") for k in "tuvw")), said="nan"),
    OnPurpose(
        "a NaN or an infinity in a signal", ("value",), "v1 = t.fft.rfft(t.tensor([nan, 1.0, 2.0, 3.0]).repeat(8))", said="nan",
        ops=("stft", "istft", *(f"{kind}fft{n}" for kind in ("", "i", "r", "ir", "h", "ih") for n in ("", "2", "n")))),
    OnPurpose(
        "a convolution with an infinity or NaN in its weight", ("value",), "v1 = t.nn.functional.conv1d(t.ones(2, 3, 5), "
        "t.tensor([inf] + [1.0] * 23).view(4, 3, 2), padding=1, stride=2)", said="nan",
        ops=("convolution", *(f"conv{k}{n}d" for k in ("", "_transpose") for n in "123"))),
    OnPurpose(
        "a convolution with an infinity or NaN in its weight", ("value", "gradient"), "v1 = t.ones(2, 4, 5, "
        "requires_grad=True)\nv2 = t.tensor([inf] + [1.0] * 23).view(4, 3, 2)\n"
        "v3 = t.nn.functional.conv_transpose1d(v1, v2, padding=1, stride=2)\nv4 = t.autograd.grad(v3, [v1], t.ones_like(v3))",
        said="nan", line="backward|grad", within="conv",
        before=r"\b(inf|nan)\b.*\n(.*\n)*.*conv(olution|(_transpose)?[123]d)\("),
    OnPurpose(
        "Half types: `index_put(accumulate=True)`", ("value", "gradient"),
        "v1 = t.tensor([[2.0, 1.86, -1.18, -1.0]], dtype=t.float16, requires_grad=True)\n"
        "v2 = t.nn.functional.group_norm(v1, 2)\nv2.backward(t.tensor([[-1.05, 1.98, -1.02, 0.0]], dtype=t.float16))",
        line="grad|backward", within="float16", before=r"group_norm\("),
    OnPurpose(
        "`cholesky_inverse` of a complex factor", ("value",), "v1 = t.cholesky_inverse(t.tensor([[1 + 1j]]))",
        ops=("cholesky_inverse",), said="j"),
    OnPurpose(
        "`torch.igammac` of a shape below 1e-9", ("value",),
        "v1 = t.special.gammaincc(t.tensor([1e-30]), t.tensor([0.67]))\nv2 = t.log2(v1)",
        within=r"(igammac|gammaincc)_?\(", before="1e-30"),
    OnPurpose(
        "views of an empty tensor", ("python",), "v1 = t.zeros(1, 6)[1:]\nv2 = v1.storage_offset()",
        line=r"storage_offset\(\)", empty=True),
    OnPurpose(
        "`autocast`: `pinv`", ("value", "dtype"),
        "v1 = t.tensor([0.1, 0.7, -0.3])\nwith t.autocast('cpu'): v2 = t.inner(v1, v1)", within="autocast",
        ops=("bilinear", "pinv", "pinverse", "inner", "tensordot")),
    OnPurpose(
        "`hann_window` and the other cosine windows", ("value",),
        "v1 = t.signal.windows.nuttall(M=6, sym=False)\nv2 = v1.asin_()", within=r"windows\.|_window"),
    OnPurpose(
        "`interpolate` to a width of one with `antialias=True`", ("value",),
        "v1 = t.arange(10.).view(1, 1, 5, 2)\n"
        "v2 = t.nn.functional.interpolate(v1, size=(3, 1), mode='bilinear', antialias=True)",
        ops=("interpolate",), line=r"size=\(\d+, 1\).*antialias=True"),
    OnPurpose(
        "`median` and `nanmedian` along a dim that `expand` made", ("value",),
        "v1 = t.tensor([[-1.05, 0.42, 0.22, 0.11]]).expand(3, 4)\nv2 = v1.nanmedian(dim=0)", orders=True,
        ops=("median", "nanmedian")),
    OnPurpose(
        "`torch.unique_consecutive` with its flags by position", ("shape",),
        "v1 = t.unique_consecutive(t.tensor([1, 1]), True)",
        ops=("unique_consecutive",)),
    OnPurpose(
        "`pixel_shuffle`, `pixel_unshuffle` of nothing", ("shape",),
        "v1 = t.pixel_unshuffle(t.zeros(0, 2, 0, 0), downscale_factor=2)", ops=("pixel_unshuffle", "pixel_shuffle")),
    OnPurpose(
        "a gradient that is recorded, written through `expand`", ("refuses", "requires_grad"),
        "v1 = t.ones(3).expand(3, 3)\nv2 = t.tensor(1.0, requires_grad=True)\nv3 = v1.index_fill_(1, t.tensor([0]), v2)",
        ops=("index_put_", "masked_fill_", "index_fill_", "[]=", "Add", "Mult"), before="expand",
        said="more than one element of the written-to tensor|False, PyTorch True"),
    OnPurpose(
        "a value that requires a gradient, written into integers", ("requires_grad",),
        "v1 = t.tensor([1, 2])\nv2 = t.tensor(1.5, requires_grad=True)\nv3 = v1.fill_(v2)", said="False, PyTorch True",
        line=r"(\bfill_|index_put_|masked_fill_|index_fill_|\b(ge|gt|le|lt|eq|ne|greater|less|not)(_equal)?_)\(|\] = "),
    OnPurpose(
        "an expanded tensor as `out=`", ("refuses", "value"), "v1 = t.ones(3).expand(3, 3)\nv2 = v1.triu_()",
        ops=("triu_", "tril_", "addmv_", "threshold_", "baddbmm_", "baddbmm", "bmm",
             "nan_to_num_"),
        before="expand"),
    OnPurpose(
        "an expanded tensor as `out=`", ("refuses", "value", "version"),
        "v1 = t.ones(3).expand(3, 3)\nv2 = t.nn.functional.threshold(v1, 0.5, 2.0, True)", ops=("threshold",),
        line=r"True\)", before="expand"),
    OnPurpose(
        "`resize_`, or `out=` of another shape", ("value", "view", "python"),
        "v1 = t.zeros(3)\nv2 = v1.view(-1)\nv3 = t.add(t.ones(4), 1, out=v2)", line=r"\bout=", elsewhere=True),
    OnPurpose(
        "`out=` that overlaps an input", ("value", "accepts", "shape"),
        "v1 = t.tensor([[1.0, 2.0], [3.0, 4.0]])\nv2 = t.addmm(t.zeros(2, 2), v1, v1, out=v1)", line=r"\b(v\d+)\b.*\bout=\1\b"),
    OnPurpose(
        "gradients that are zero everywhere", ("value", "gradient"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = (v1 * t.tensor([nan, inf])).sgn()\nv3 = t.autograd.grad(v2, [v1], t.ones(2))",
        line="backward|grad", said=r"nan, PyTorch -?0\.0 ", within=r"sgn|sign|floor|ceil|trunc|round|frac"),
    OnPurpose(
        "memory order of factorizations", ("stride",), "v1 = t.linalg.inv(t.tensor([[1.0, 0.5], [0.0, 1.0]]))",
        ops=("inv", "inverse", "inv_ex", "solve", "solve_ex", "solve_triangular", "triangular_solve", "lu", "lu_factor",
             "lu_solve", "lu_factor_ex", "lu_unpack", "cholesky", "cholesky_ex", "cholesky_solve", "cholesky_inverse",
             "tensorinv", "tensorsolve", "lstsq", "pinv", "pinverse", "einsum", "multi_dot",
             *(f"{kind}fft{n}" for kind in ("", "i", "r", "ir", "h", "ih") for n in ("", "2", "n")), "_fft_c2c", "_fft_c2r",
             "_fft_r2c")),
    OnPurpose(
        "memory order of factorizations", ("stride",), "v1 = t.ones(3, 2)\nv2 = t.ones(2, 3).t()\nv3 = v2 + v1", orders=True),
    OnPurpose(
        "memory order of factorizations", ("stride",),
        "v1 = t.ones(4, 3, requires_grad=True)\nv2 = t.fft.fft(v1, dim=0).real\nv3 = t.autograd.grad(v2, [v1], t.ones(4, 3))",
        ops=("grad",)),
    OnPurpose(
        "gradient of `hardtanh`, `relu6`, `hardshrink`, `softshrink` at NaN", ("gradient", "value"),
        "v1 = t.full((32,), nan, requires_grad=True)\nv2 = t.nn.functional.hardtanh(v1)\nv2.backward(t.ones(32))",
        within=r"(hardtanh|relu6|hardshrink|softshrink)_?\(", line="backward|grad", before="nan", said=r"PyTorch -?0(\.0)? \("),
    OnPurpose(
        "`autograd.grad` of a tensor with a hook", ("value", "gradient"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = v1 * 1\nv2.register_hook(lambda g: g * 2)\n"
        "v3 = t.autograd.grad(v2, [v1, v2], t.ones(2))", ops=("grad",), before=r"register_(pre)?hook"),
    OnPurpose(
        "`logical_and_`, `logical_or_`", ("refuses", "value", "requires_grad", "is_leaf", "version", "gradient", "view"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = v1 * 1\nv3 = v2.logical_not_()",
        ops=("logical_and_", "logical_or_", "logical_xor_", "logical_not_")),
    OnPurpose(
        "the gradient of a leaf that was used through `conj()`", ("mirror",),
        "v1 = t.tensor([1 + 2j], requires_grad=True)\nv2 = v1.conj()\nv3 = t.autograd.grad(v2, [v1], t.tensor([1j]))",
        said=r"\(False, False\), PyTorch \(True"),
    OnPurpose(
        "`grid_sample` in float32 at places that are NaN", ("value", "gradient"),
        "v1 = t.grid_sampler_2d(t.ones(1, 1, 2, 2), t.tensor([[[[nan, nan]]]]), 0, 0, False)",
        ops=("grid_sample", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d")),
    OnPurpose(
        "`masked_scatter_` from the tensor itself", ("value",),
        "v1 = t.arange(4.0)\nv2 = v1.masked_scatter_(v1 > 0, v1)", line=r"\b(v\d+)\.masked_scatter_\(.*\b\1\b"),
    OnPurpose(
        "`embedding_bag(scale_grad_by_freq=True)`", ("gradient", "value"),
        "v1 = t.ones(3, 2, requires_grad=True)\nv2 = t.nn.functional.embedding_bag(t.tensor([[1, 1, 2], [0, 2, 2]]), v1, "
        "scale_grad_by_freq=True)\nv2.backward(t.ones(2, 2))", within="scale_grad_by_freq=True", line="grad|backward"),
    OnPurpose(
        "the sign of a NaN", ("value",), "v1 = t.signbit(t.sqrt(t.tensor([-1.0])))", ops=("signbit", "copysign")),
    OnPurpose(
        "`special.i0`, `modified_bessel_i0` at 0", ("value",), "v1 = t.special.i0(t.tensor([0.0]))\nv2 = t.floor(v1)",
        within=r"\bi0|bessel_i0"),
    OnPurpose(
        "an expanded tensor as `out=`", ("refuses", "value"), "v1 = t.ones(1).expand(3)\n"
        "v2 = t.nn.functional.batch_norm(t.arange(6.0).view(2, 3), v1, t.ones(3), training=True)", before="expand",
        ops=("batch_norm", "instance_norm"), line="training=True|use_input_stats=True"),
    OnPurpose(
        "`broadcast_tensors`, `atleast_1d` and its kin", ("python",),
        "v1 = t.ones(2, dtype=t.complex64).conj().imag\nwith t.inference_mode(): v2 = t.atleast_3d(v1)", before=r"conj\(",
        within="inference_mode", said="False, PyTorch True",
        ops=("broadcast_tensors", "atleast_1d", "atleast_2d", "atleast_3d", "meshgrid", "sum_to_size")),
    OnPurpose(
        "gradient of `cumprod` where", ("value", "gradient"),
        "v1 = t.tensor([0.0, 1.5, inf], requires_grad=True)\nv2 = v1.cumprod(0)\nv2.backward(t.ones(3))", line="backward|grad",
        said="nan", within=r"(?s)(inf|nan).*cumprod\("),
    OnPurpose(
        "the gradient of `atan2` beside bytes", ("value", "gradient"),
        "v1 = t.tensor([3], dtype=t.uint8)\nv2 = t.tensor([1.75], requires_grad=True)\nv3 = v1.atan2(v2)\n"
        "v4 = t.autograd.grad(v3, v2, t.ones(1))", line="backward|grad", within=r"(?s)uint8.*(atan2|arctan2)"),
    OnPurpose(
        "products of complex matrices with an infinity", ("value", "gradient"),
        "v1 = t.tensor([[0.25 - 0.42j, -1 + 1.1j], [0.25 + 1.49j, 1.88 + 2j]])\n"
        "v2 = t.tensor([[-1.75 + 0.6j, inf], [0.94 + 0.45j, -0.95]])\n"
        "v3 = t.nn.functional.linear(v1, v2.mT.contiguous().mT)", within=r"(?s)inf.*j|j.*inf",
        said=r"\((nan|-?inf)[^,]*j\), PyTorch|PyTorch \((nan|-?inf)",
        ops=("vdot", "dot", "inner", "mm", "bmm", "matmul", "linear", "addmm", "baddbmm", "bilinear", "einsum", "MatMult",
             "rnn_tanh_cell", "rnn_relu_cell", "gru_cell", "lstm_cell", "lstm", "gru", "rnn_tanh", "rnn_relu",
             "tensordot", "backward", "grad")),
    OnPurpose(
        "`torch.isin(assume_unique=True)` of elements that are not unique", ("value",),
        "v1 = t.isin(t.tensor([1, 0, 2, 2]), t.tensor([0, 0, 0, 0, 1, 0, 0, 0]).repeat(3), assume_unique=True)", ops=("isin",),
        line="assume_unique=True"),
    OnPurpose(
        "`requires_grad` of a recorded gradient", ("requires_grad",),
        "v1 = t.tensor([2.0], requires_grad=True)\nv2 = t.nn.functional.threshold(v1, 1, 20)\n"
        "v2.backward(t.ones(1), create_graph=True)", line="create_graph=True"),
    OnPurpose(
        "`torch.poisson` of an infinite rate", ("value",), "v1 = t.poisson(t.tensor([inf]))", ops=("poisson",),
        said=r"nan|PyTorch -9\.2"),
    OnPurpose(
        "`block_diag` of a vector without elements", ("value", "gradient"),
        "v1 = t.tensor(0.5, requires_grad=True)\nv2 = t.block_diag(t.ones(1, 1), t.zeros(0), v1)\n"
        "v2.backward(t.tensor([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]]))",
        line="backward|grad", within=r"block_diag\("),
    OnPurpose(
        "`soft_margin_loss` with targets of uint8", ("value", "gradient"),
        "v1 = t.tensor([0.5], requires_grad=True)\nv2 = t.nn.functional.soft_margin_loss(v1, t.tensor([1], dtype=t.uint8))\n"
        "v2.backward()", line="backward|grad", within=r"soft_margin_loss\(", before="uint8"),
    OnPurpose(
        "`cumprod` of factors with a zero", ("value", "gradient"),
        "v1 = t.tensor([2.0, 0.0], requires_grad=True)\nv2 = v1.cumprod(0)\nv2.data.mul_(2)\nv2.backward(t.ones(2))",
        line="backward|grad", within=r"cumprod(.*\n)+.*\.data\."),
    OnPurpose(
        "`embedding_bag(include_last_offset=True)`", ("value", "gradient"), "v1 = t.ones(3, 2, requires_grad=True)\n"
        "v2 = t.nn.functional.embedding_bag(t.tensor([1, 1]), v1, t.tensor([0, 0, 0]), include_last_offset=True)\n"
        "v2.backward(t.ones(2, 2))", line="backward|grad", within=r"embedding_bag\(.*include_last_offset=True"),
    OnPurpose(
        "`searchsorted`, `bucketize` among values that are not sorted, or NaN", ("value",),
        "v1 = t.bucketize(t.tensor([1.0]), t.tensor([1.0, nan]))", ops=("searchsorted", "bucketize")),
    OnPurpose(
        "a view that gets other memory", ("requires_grad", "is_leaf"), "v1 = t.tensor(1.0, requires_grad=True) * 1\n"
        "v2 = t.zeros(4)[1:]\nv3 = v2.view(3)\nv2.set_(v1)", line=r"\.set_\(", elsewhere=True),
    OnPurpose(
        "`addmv` of a matrix without elements", ("shape",), "v1 = t.zeros(0, 4)\nv2 = t.addmv(t.tensor(1.0), v1, t.ones(4))",
        ops=("addmv",), empty=True),
    OnPurpose(
        "Chebyshev polynomials in float32", ("value",),
        "v1 = t.special.shifted_chebyshev_polynomial_w(t.tensor([0.25]), 5)\nv2 = t.atanh(v1)",
        within="chebyshev_polynomial", said="inf"),
    OnPurpose(
        "`erf` of a number of bfloat16 next to nothing", ("value",),
        "v1 = t.tensor([1e-30, 0.0], dtype=t.bfloat16)\nv2 = v1.erf() > 0", within=r"(?s)1e-30.*bfloat16.*\berf"),
)


def row_of(difference, lines, variables):
    """The row that says so, or None."""
    return next((entry.row for entry in LIST if entry.matches(difference, lines, variables)), None)
