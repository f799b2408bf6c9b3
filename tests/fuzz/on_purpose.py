"""What differs on purpose: each kind by the row of docs/differences.md that says so, and a program that shows it.

``test_fuzz.py`` proves the list from both sides: every row named here stands in the docs, and every program here still
differs, in that way and in no other.
"""
from tests.fuzz.matching import OnPurpose

UNRECORDED = r"with t\.(no_grad\(\)|set_grad_enabled\(False\)|inference_mode\(\)): "
ANYTHING_WRITTEN = ("value", "gradient", "shape", "version", "stride", "view", "mirror")

LIST = (
    OnPurpose(
        "dtypes that nobody wrote in PyTorch", ("accepts",), "v1 = t.special.bessel_j0(t.tensor([1.0], dtype=t.float16))",
        said=r"not implemented for '|expected scalar type|Could not run|not supported on CPU|not supported for|"
             r"value cannot be converted to type int16_t without|"
             r"nsupported (?!operation)|"
             r"Expected both inputs"),
    OnPurpose(
        "dtypes that nobody wrote, in an empty tensor", ("refuses",),
        "v1 = t.zeros(0, 4, dtype=t.complex64)\nv2 = v1.cummax(1)",
        said="not implemented for '|continuous probability distribution|expected scalar type|[dD]types?\\b|Expected a floating "
             "point or complex", empty=True),
    OnPurpose(
        "derivatives that PyTorch has not for a dtype", ("accepts",),
        "v1 = t.ones(2, 3, dtype=t.complex64, requires_grad=True)\nv2 = v1.select_scatter(t.ones(3), 0, 1)",
        said=r"does not support automatic differentiation|Autograd not support dtype|INTERNAL ASSERT|returned an invalid grad|"
             r"Expected isFloatingType\(grad|addmv input tensors must have the same dtype|"
             r"^PyTorch raises RuntimeError: result type Complex\w+ can't be cast to the desired output type (Fl|D|H)"),
    OnPurpose(
        "derivatives that PyTorch has not for a dtype", ("accepts",),
        "v1 = t.ones(2, requires_grad=True)\nv2 = t.logaddexp2(v1 > 0, v1)\nv2.backward(t.ones(2))", line="backward|grad",
        said=r"(Subtraction|Negation), the `-` operator, (with|on) a bool|Found dtype \w+ but expected"),
    OnPurpose(
        "derivatives that PyTorch has not for a dtype", ("accepts",),
        "v1 = t.ones(2, requires_grad=True)\nv2 = t.addcdiv(t.ones(2), v1, t.tensor([1, 2]))\nv2.backward(t.ones(2))",
        line="backward|grad", within="addcdiv", said=r"result type \w+ can't be cast to the desired output type "
        "(Byte|Char|Short|Int|Long|Bool)|value cannot be converted to type uint8_t without overflow"),
    OnPurpose(
        "derivatives that PyTorch has not in place", ("accepts",),
        "v1 = t.ones(2, requires_grad=True) * 0.5\nv1.atanh_()\nv1.backward(t.ones(2))",
        said="derivative for 'inplace version of a(cos|sin|tan)h' is not implemented"),
    OnPurpose(
        "a function without a derivative, in place into a view", ("refuses",),
        "v1 = t.ones(3)\nv2 = v1[1:]\nv3 = t.ones(2, requires_grad=True)\nv4 = v2.heaviside_(v3)\n"
        "v5 = t.autograd.grad(v2, [v2, v3], t.ones(2), allow_unused=True)", line="backward|grad",
        said=r"derivative for aten::\w+ is not implemented"),
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
        "`cumulative_trapezoid`, `trapezoid`, `affine_grid`, a second backward", ("refuses",),
        "v1 = t.ones(3, requires_grad=True)\nv2 = t.cumulative_trapezoid(v1)\nv2.backward(t.ones(2))\nv2.backward(t.ones(2))",
        within=r"trapezoid\(|trapz\(|affine_grid\(", said="Trying to backward through the graph a second time"),
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
        "a view that gets other memory", ("refuses",),
        "v1 = t.ones(2, 3, requires_grad=True)\nv2 = v1[:, 1:]\nwith t.no_grad(): v2.set_(t.ones(3))\nv3 = v2 * 5\n"
        "v3.backward(t.ones(3))", before=rf"{UNRECORDED}.*(v\d+\.set_\(|\bout=)", line="backward|grad",
        said="invalid gradient at index"),
    OnPurpose(
        "a write into a view whose base has got its history since", ("accepts",),
        "v1 = t.tensor([1.0, 2.0])[1:]\nv2 = t.tensor(3.0, requires_grad=True)\nv1[()] *= v2", line=r"\] [-+*/@%&|^<>]+= ",
        said="a leaf Variable that requires grad is being used in an in-place operation"),
    OnPurpose(
        "integers that name places and do not lie in order", ("refuses",),
        "v1 = t.ones(4, 3, requires_grad=True)\nv2 = t.zeros(8, dtype=t.int64)[..., ::2]\n"
        "v3 = t.nn.functional.embedding_bag(v2, v1, offsets=t.tensor([0]))\nv4 = v2.fill_(1)\nv3.sum().backward()",
        line="backward|grad", said=r"modified by an inplace operation: \[torch\.(Long|Int)Tensor",
        within=r"(nll_loss|cross_entropy|embedding_bag)\(", before=r"::2\]|transpose\(|permute\(|expand\("),
    OnPurpose(
        "the memory behind a loss that was reduced", ("refuses",),
        "v1 = t.nn.functional.smooth_l1_loss(t.ones(3), t.zeros(3))\nv1.as_strided_((2,), (1,))",
        before="_loss|cross_entropy|binary_cross", said="are out of bounds for storage", line="as_strided"),
    OnPurpose(
        "strides of dims of size 1, after", ("accepts",), "v1 = t.ones(1, 3).t().flipud()\nv2 = v1.view(t.float16)",
        said=r"self.stride\(-1\) must be 1 to view", narrow=True),
    OnPurpose(
        "strides of dims of size 1, after", ("accepts",), "v1 = t.ones(2, 3, 1).transpose(-1, -2)\nv1[None] = v1",
        said="some elements of the input tensor and the written-to tensor refer to", line=r"^(v\d+)\[.*\] = \1$"),
    OnPurpose(
        "`lstm`, `gru`, `rnn_tanh`, `rnn_relu`", ("refuses",),
        "v1 = t.rnn_relu(t.ones(3), t.ones(1, 2, 2), [t.ones(2, 3), t.ones(2, 2)], False, 1, 0.0, False, False, False)",
        said="input must have 3 dimensions, got 1", ops=("lstm", "gru", "rnn_tanh", "rnn_relu")),
    OnPurpose(
        "`linalg.lstsq` of several matrices", ("value",),
        "v1 = t.tensor([[[-.85, 1.34, .4], [1.31, -.84, -.75], [-.1, .49, .31], [.23, 1, -.25]], [[.34, .85, -1.82], "
        "[-.43, -.19, -.13], [-.5, -.5, -1.5], [.6, .71, .62]]])\nv2 = t.linalg.lstsq(v1, t.ones(2, 4), rcond=0.1)",
        ops=("lstsq",), line="rcond="),
    OnPurpose(
        "`_version`, `_base` and `_is_view()` of a new result", ("accepts",),
        "v1 = t.nn.functional.max_pool1d(t.ones(1, 4, requires_grad=True), 2)\nv1.detach_()", within=r"(max_pool1d|linear)\(",
        said="Can't detach views in-place"),
    OnPurpose(
        "`_version`, `_base` and `_is_view()` of a new result", ("gradient", "value"),
        "v1 = t.arange(21.0).view(3, 7).requires_grad_()\nv2 = t.nn.functional.avg_pool1d(v1, 3, 2, [1])\n"
        "v3 = t.logical_not(t.ones(2, 3, 4), out=v2)\nv2.backward(t.arange(24.0).view(2, 3, 4))", line="backward|grad",
        within=r"(avg_pool1d|max_pool1d|linear)\(", before=r"logical_\w+\(.*\bout="),
    OnPurpose(
        "in-place with an input that overlaps in part", ("value",),
        "v1 = t.arange(1, 7).view(2, 3)\nv2 = v1[..., ::3]\nv1.sub_(v2)", line=r"_\(| [-+*/@%&|^<>]+= ", shared=True),
    OnPurpose(
        "`out=` that overlaps an input", ("value",), "v1 = t.arange(1, 7)\nv2 = v1[0]\nt.sum(v2, 0, out=v1)",
        line=r"\bout=", shared=True),
    OnPurpose(
        "`fft.fftfreq(n, out=)` where `out` has several dims", ("value", "version"),
        "v1 = t.zeros(2, 3).t()\nv2 = t.fft.fftfreq(6, out=v1)", ops=("fftfreq", "rfftfreq"), line="out="),
    OnPurpose(
        "`einsum` of three operands or more whose sizes disagree", ("exception",),
        "v1 = t.einsum('ij,jk,kl->il', t.ones(2, 3), t.ones(3, 4), t.ones(3, 4))",
        said="does not broadcast with previously seen|Einstein sum subscript"),
    OnPurpose(
        "`batch_norm` in training whose running statistics are its weight", ("value",),
        "v1 = t.arange(6.0).view(3, 2)\nv2 = t.ones(2)\nv3 = t.nn.functional.batch_norm(v1, v2, v2, v2, training=True)",
        ops=("batch_norm", "instance_norm"), line=r"\b(v\d+), .*\b\1\b"),
    OnPurpose(
        "a convolution with a bias of another dtype", ("refuses", "accepts"),
        "v1 = t.convolution(t.ones(1, 1, 4), t.ones(1, 1, 2), t.tensor([True]), stride=[1], padding=[0], dilation=[1], "
        "transposed=False, output_padding=[0], groups=1)", said="and bias type",
        ops=("convolution", *(f"conv{k}{n}d" for k in ("", "_transpose") for n in "123"))),
    OnPurpose(
        "a transposed convolution whose result has no elements", ("refuses",),
        "v1 = t.nn.functional.conv_transpose2d(t.ones(1, 4, 3, 1), t.ones(4, 1, 3, 2), stride=2, padding=1, "
        "output_padding=(1, 0), groups=4)", said="Given input size per channel",
        ops=("convolution", *(f"conv_transpose{n}d" for n in "123"))),
    OnPurpose(
        "`lstm` of float32 and bfloat16 with weights, states or inputs that do not fit each other", ("refuses",),
        "v1 = t.lstm(t.ones(3, 2, 3), [t.ones(1, 2, 2)] * 2, [t.ones(16, 3), t.ones(8, 2), t.ones(8), t.ones(8)], True, 1, "
        "0.0, False, False, False)", ops=("lstm",),
        said="must match the|cannot be multiplied|must be a matrix|more hidden states|must have [23] dimensions|"
             "get_mkldnn_dtype"),
    OnPurpose(
        "a second backward through what was freed", ("accepts",),
        "v1 = t.ones(1, 1, 4, requires_grad=True)\nv2 = t.nn.functional.avg_pool3d(v1[None], 1)\nv2.backward(v2.detach())\n"
        "v2.backward(v2.detach())", said="Trying to backward through the graph a second time"),
    OnPurpose(
        "`torch.kron` of a transposed matrix", ("accepts",), "v1 = t.ones(3).expand(2, 3)\nv2 = t.kron(t.ones(2, 2).mT, v1)",
        said="view size is not compatible", ops=("kron", "matrix_exp", "isin")),
    OnPurpose(
        "`torch.kron`, an input overwritten before backward", ("refuses",),
        "v1 = t.tensor([1.0, 2.0])\nv2 = t.ones(2, requires_grad=True)\nv3 = t.kron(v2, v1)\nv1.mul_(2)\n"
        "v4 = t.autograd.grad(v3, [v2], t.ones(4))", line="backward|grad", within=r"kron\(",
        said="modified by an inplace operation"),
    OnPurpose(
        "complex numbers to whole powers", ("value", "gradient"), "v1 = t.tensor([0j, 1 + 1j]).pow(-3)",
        said=r"nan.*nan.*, PyTorch .*(nan|inf)", within=r"pow|\*\*|[jJ].*pow"),
    OnPurpose(
        "derivatives that PyTorch has not for a dtype", ("accepts",),
        "v1 = t.ones(2, requires_grad=True)\nv2 = t.ones(2).index_reduce(0, t.tensor([0, 1], dtype=t.int32), v1, 'amin', "
        "include_self=False)\nv3 = t.autograd.grad(v2, [v1], t.ones(2))", line="backward|grad", within="index_reduce",
        said="Expected dtype int64 for index"),
    OnPurpose(
        "`torch.linalg.cond(x, p=1)`, backward", ("accepts",),
        "v1 = t.eye(3).requires_grad_()\nv2 = t.linalg.cond(v1, p=1)\nv2.backward()", said="modified by an inplace operation"),
    OnPurpose(
        "`torch.fft` of an empty batch", ("accepts",), "v1 = t.fft.fft(t.zeros(0, 1))", said="FFT error"),
    OnPurpose(
        "`torch.as_strided_scatter`, gradient of `input`", ("gradient", "value"),
        "v1 = t.ones(3, 3, requires_grad=True)\nv2 = v1.as_strided_scatter(t.ones(2, 2), (2, 2), (1, 2))\n"
        "v2.backward(t.arange(9.0).reshape(3, 3))", line="backward|grad", within="as_strided_scatter"),
    OnPurpose(
        "`torch.as_strided_scatter`, gradient of `input`", ("accepts",),
        "v1 = t.ones(3, 4, dtype=t.complex64).conj().imag.requires_grad_()\nv2 = t.ones(2, 2, requires_grad=True)\n"
        "v3 = v1.as_strided_scatter(v2, (2, 2), (1, 2))\nv4 = t.autograd.grad(v3, [v1, v2, v3], t.ones(3, 4))",
        line="backward|grad", within="as_strided_scatter", said="are out of bounds for storage"),
    OnPurpose(
        "Half types: `index_put(accumulate=True)`", ("value",),
        "v1 = t.tensor([-3.08], dtype=t.bfloat16).mvlgamma(p=3)", ops=("mvlgamma", "multigammaln", "xlogy_", "xlogy"),
        within="float16"),
    OnPurpose(
        "`topk(sorted=False)`", ("value",),
        "v1 = t.topk(t.tensor([0.5, -1.0, 1.25, -0.25]), 3, largest=False, sorted=False)", ops=("topk",), line="sorted=False"),
    OnPurpose(
        "`torch.poisson` of an infinite rate", ("value",), "v1 = t.poisson(t.tensor([inf]))", ops=("poisson",), said="nan"),
    OnPurpose(
        "`torch.stft(align_to_window=True)`", ("accepts",),
        "v1 = t.stft(t.arange(20.), 4, None, 3, center=False, return_complex=True, align_to_window=True)", ops=("stft",),
        line="align_to_window=True", said="are out of bounds for storage"),
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
        "calls that no overload of PyTorch's takes", ("accepts", "exception"),
        "v1 = t.ones(2, 2, 2).dsplit(indices_or_sections=2)\nv2 = t.ones(2).repeat_interleave(3, output_size=(None, 2))",
        said=r"(PyTorch raises TypeError|PyTorch): .*(invalid combination of arguments|unexpected keyword|missing \d+ required|"
             r"takes (from )?\d+|must be \w+)|must be \w+, not \w+\n +PyTorch: '\w+' object has no attribute"),
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
        "`F.ctc_loss`, second derivative", ("accepts",), "v1 = t.ones(4, 1, 3, requires_grad=True)\n"
        "v2 = t.nn.functional.ctc_loss(v1, t.ones(1, 1, dtype=t.int64), (4,), (1,))\n"
        "v3 = t.autograd.grad(v2, [v1], create_graph=True)\nv4 = v3[0]\nv4.sum().backward()", within="ctc_loss",
        said="derivative for aten::_ctc_loss_backward is not implemented"),
    OnPurpose(
        "Half types: `index_put(accumulate=True)`", ("value", "gradient"),
        "v1 = t.tensor([[2.0, 1.86, -1.18, -1.0]], dtype=t.float16, requires_grad=True)\n"
        "v2 = t.nn.functional.group_norm(v1, 2)\nv2.backward(t.tensor([[-1.05, 1.98, -1.02, 0.0]], dtype=t.float16))",
        line="grad|backward", within="float16", before=r"group_norm\("),
    OnPurpose(
        "`torch.lu_unpack` with pivots", ("refuses",), "v1 = t.lu_unpack(t.ones(2, 3, 3), t.tensor([2, 3, 3], dtype=t.int32))",
        ops=("lu_unpack",), said="there are pivots of"),
    OnPurpose(
        "`cholesky_inverse` of a complex factor", ("value",), "v1 = t.cholesky_inverse(t.tensor([[1 + 1j]]))",
        ops=("cholesky_inverse",), said="j"),
    OnPurpose(
        "`autocast` to bfloat16: `cat`", ("accepts",), "with t.autocast('cpu'): v1 = t.hstack([t.ones(2).half(), t.ones(2)])",
        said="at::autocast::prioritize"),
    OnPurpose(
        "`lstm`, `gru`, `rnn_tanh`, `rnn_relu`: weights and biases in several dtypes", ("refuses",),
        "v1 = t.gru(t.ones(3, 3, 2).transpose(-1, -2), t.ones(1, 2, 2), [t.ones(6, 3), t.ones(6, 2), t.ones(6).double(), "
        "t.ones(6)], has_biases=True, num_layers=1, dropout=0.0, train=False, bidirectional=False, batch_first=False)",
        said=r"must have the same dtype|must be a matrix|multiplied \(\d+x\d+ and \d+\)|The expanded size of the tensor|"
             "must be greater or equal to the number of dimensions",
        ops=("lstm", "gru", "rnn_tanh", "rnn_relu")),
    OnPurpose(
        "a call with more than one thing wrong", ("exception",), "v1 = t.tensor(1.0)\nv2 = t.fft.ifft2(v1, norm='x')",
        faults=True),
    OnPurpose(
        "`torch.igammac` of a shape below 1e-9", ("value",),
        "v1 = t.special.gammaincc(t.tensor([1e-30]), t.tensor([0.67]))\nv2 = t.log2(v1)",
        within=r"(igammac|gammaincc)_?\(", before="1e-30"),
    OnPurpose(
        "`linalg.lu`, `lu_factor`, `ldl_factor` of NaN or an infinity", ("accepts",),
        "v1 = t.linalg.lu_factor(t.tensor([[0.0, 0.0], [nan, nan]]))", ops=("lu_factor",), said=r"U\[\d,\d\] is zero"),
    OnPurpose(
        "a call with more than one thing wrong", ("exception",),
        "v1 = t.zeros(0, 2, 2)\nv2 = t.lstm(t.ones(3, 3, 2), [v1, t.ones(1, 2, 2)], [t.ones(8, 3).double(), t.ones(8, 2), "
        "t.ones(8), t.ones(8)], True, 1, 0.0, False, False, False)", said=r"Dimension out of range|select\(\): index \d",
        ops=("lstm", "gru", "rnn_tanh", "rnn_relu")),
    OnPurpose(
        "views of an empty tensor", ("python",), "v1 = t.zeros(1, 6)[1:]\nv2 = v1.storage_offset()",
        line=r"storage_offset\(\)", empty=True),
    OnPurpose(
        "views of an empty tensor", ("accepts",), "v1 = t.zeros(0)[..., ::2]\nv2 = v1.view(t.int8)",
        said=r"last dimension with stride 1|"
             r"self.stride\(-?\d\) must be (1 to view|divisible by)|self.storage_offset\(\) must be divisible", empty=True),
    OnPurpose(
        "`F.nll_loss` of images in another memory order", ("accepts",),
        "v1 = t.ones(2, 2, 2, 3).permute(3, 2, 1, 0).requires_grad_()\n"
        "v2 = t.nn.functional.nll_loss(v1, t.zeros(3, 2, 2, dtype=t.int64))\nv2.backward()",
        said="grad_input must be contiguous"),
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
        "float16 with complex numbers", ("refuses",), "v1 = t.ones(2, dtype=t.float16) * 1j", said="would be torch.complex32"),
    OnPurpose(
        "`view_as_complex` at an odd offset", ("accepts",), "v1 = t.view_as_complex(t.ones(3)[1:])",
        said="storage_offset divisible by 2"),
    OnPurpose(
        "an expanded tensor as `out=`", ("refuses", "value"), "v1 = t.ones(3).expand(3, 3)\nv2 = v1.triu_()",
        ops=("triu_", "tril_", "addmv_", "threshold_", "baddbmm_", "baddbmm", "bmm",
             "nan_to_num_"),
        before="expand"),
    OnPurpose(
        "`fill_diagonal_(wrap=True)` of an expanded tensor", ("accepts",),
        "v1 = t.tensor([[-1.5, -2.42]]).expand((7, 2))\nv2 = v1.fill_diagonal_(1, True)", said="setStorage: sizes",
        ops=("fill_diagonal_",)),
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
        "gradients that are zero everywhere", ("accepts", "exception"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = v1.sgn()\nv3 = t.autograd.grad(v2, [v1], t.ones(2))\nv4 = v3[0]\nv4.add_(1)",
        said="ZeroTensors are immutable"),
    OnPurpose(
        "gradients that are zero everywhere", ("value", "gradient"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = (v1 * t.tensor([nan, inf])).sgn()\nv3 = t.autograd.grad(v2, [v1], t.ones(2))",
        line="backward|grad", said=r"nan, PyTorch -?0\.0 ", within=r"sgn|sign|floor|ceil|trunc|round|frac"),
    OnPurpose(
        "`out=` of another dtype", ("accepts",), "v1 = t.zeros(0, dtype=t.float64)\nv2 = t.negative(t.ones(3), out=v1)",
        said=r"Found dtype \w+ but expected|does not support non-boolean outputs|"
             r"not yet implemented for tensors with different|has dtype \w+ but|can't be cast", line=r"\bout="),
    OnPurpose(
        "`linalg.svd`, `svdvals`, `pinv`", ("refuses",), "v1 = t.linalg.svdvals(t.tensor([[inf, 1.0], [0.0, 1.0]]))",
        said="contained non-finite values"),
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
        "`F.binary_cross_entropy_with_logits` of complex targets", ("refuses",),
        "v1 = t.nn.functional.binary_cross_entropy_with_logits(t.ones(2), t.ones(2, dtype=t.complex64))",
        ops=("binary_cross_entropy_with_logits",), said="not implemented for 'Complex"),
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
        "`torch.group_norm` with one value per channel", ("refuses",), "v1 = t.group_norm(t.ones(1, 2), 2)",
        said="Expected more than 1 value per channel"),
    OnPurpose(
        "`torch.group_norm` with one value per channel", ("exception",), "v1 = t.group_norm(t.ones(3), 3)",
        line=r"\bt\.group_norm", said="Expected more than 1 value per channel|Expected at least 2 dimensions"),
    OnPurpose(
        "`masked_scatter_` from the tensor itself", ("value",),
        "v1 = t.arange(4.0)\nv2 = v1.masked_scatter_(v1 > 0, v1)", line=r"\b(v\d+)\.masked_scatter_\(.*\b\1\b"),
    OnPurpose(
        "`Tensor.new_tensor` of views of conjugates and negatives", ("accepts",),
        "v1 = t.ones(1, dtype=t.complex64).conj().new_tensor([1, 1])", said="DispatchKey"),
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
        "`F.pdist`, second derivative", ("accepts",),
        "v1 = t.eye(3, requires_grad=True)\nv2 = t.pdist(v1)\nv3 = t.autograd.grad(v2, [v1], t.ones(3), create_graph=True)\n"
        "v4 = v3[0]\nv4.sum().backward()", said="derivative for '_pdist_backward' is not implemented"),
    OnPurpose(
        "`F.scaled_dot_product_attention` with a mask and `is_causal=True`", ("refuses",),
        "v1 = t.ones(1, 1, 2, 3)\n"
        "v2 = t.nn.functional.scaled_dot_product_attention(v1, v1, v1, t.ones(2, 2) > 0, is_causal=True)",
        said="Explicit attn_mask should not be set"),
    OnPurpose(
        "an expanded tensor as `out=`", ("refuses", "value"), "v1 = t.ones(1).expand(3)\n"
        "v2 = t.nn.functional.batch_norm(t.arange(6.0).view(2, 3), v1, t.ones(3), training=True)", before="expand",
        ops=("batch_norm", "instance_norm"), line="training=True|use_input_stats=True"),
    OnPurpose(
        "`istft` with a window of half precision that is zero", ("refuses",),
        "v1 = t.istft(t.ones(3, 8) + 0j, 5, None, 3, t.zeros(3, dtype=t.float16))", ops=("istft",),
        said="window overlap add min"),
    OnPurpose(
        "`F.linear` with a bias of another dtype, `tensordot` of bools", ("refuses",),
        "v1 = t.nn.functional.linear(t.ones(2, 3, 8)[..., ::2], t.ones(5, 4), t.zeros(5, dtype=t.int64))", ops=("linear",),
        said="must have the same dtype"),
    OnPurpose(
        "`F.linear` with a bias of another dtype, `tensordot` of bools", ("refuses",),
        "v1 = (t.ones(3, 4) > 0).t()\nv2 = t.tensordot(v1, v1)", ops=("tensordot",), said="not implemented for 'Bool'"),
    OnPurpose(
        "an expanded tensor as `out=`", ("refuses",), "v1 = t.ones(1).expand(3)\nv2 = t.sum(t.ones(3, 4), dim=1, out=v1)",
        line=r"\bout=", before="expand", said="more than one element of the written-to tensor",
        ops=("sum", "prod", "nansum", "amin", "amax", "var", "std", "norm", "vector_norm", "cummin", "cummax", "mm", "mv",
             "matmul", "linear", "vecdot", "matrix_power", "histc", "triu", "tril", "avg_pool3d")),
    OnPurpose(
        "a view that gets other memory", ("refuses",), "v1 = t.ones(2, 3, requires_grad=True)\nv2 = t.zeros(3, 4)[..., ::2]\n"
        "v2.set_(v1)\nv2[1:] += 2", said="a view of a leaf Variable that requires grad", before=r"\.set_\("),
    OnPurpose(
        "a view that gets other memory", ("refuses",), "v1 = t.ones(3, requires_grad=True)\nv2 = t.ones(1).expand((0,))\n"
        "v3 = t.special.ndtr(v1, out=v2)\nv4 = t.autograd.grad(v2, [v2], t.ones(3))", said="invalid gradient at index 0",
        before=r"\bout="),
    OnPurpose(
        "`int(x)` of a uint64 tensor", ("accepts",), "v1 = t.hash_tensor(t.tensor(-0.05))\nv2 = int(v1)", line=r"\bint\(",
        said="value cannot be converted to type int64_t without overflow"),
    OnPurpose(
        "`broadcast_tensors`, `atleast_1d` and its kin", ("python",),
        "v1 = t.ones(2, dtype=t.complex64).conj().imag\nwith t.inference_mode(): v2 = t.atleast_3d(v1)", before=r"conj\(",
        within="inference_mode", said="False, PyTorch True",
        ops=("broadcast_tensors", "atleast_1d", "atleast_2d", "atleast_3d", "meshgrid", "sum_to_size")),
    OnPurpose(
        "products of complex matrices with an infinity", ("value", "gradient"),
        "v1 = t.tensor([[0.25 - 0.42j, -1 + 1.1j], [0.25 + 1.49j, 1.88 + 2j]])\n"
        "v2 = t.tensor([[-1.75 + 0.6j, inf], [0.94 + 0.45j, -0.95]])\n"
        "v3 = t.nn.functional.linear(v1, v2.mT.contiguous().mT)", within=r"(?s)inf.*j|j.*inf",
        said=r"(nan|inf).*j.*(nan|inf).*j",
        ops=("vdot", "dot", "inner", "mm", "bmm", "matmul", "linear", "addmm", "baddbmm", "bilinear", "einsum", "MatMult",
             "rnn_tanh_cell", "rnn_relu_cell", "gru_cell", "lstm_cell", "tensordot", "backward", "grad")),
    OnPurpose(
        "`torch.isin(assume_unique=True)` of elements that are not unique", ("value",),
        "v1 = t.isin(t.tensor([1, 0, 2, 2]), t.tensor([0, 0, 0, 0, 1, 0, 0, 0]).repeat(3), assume_unique=True)", ops=("isin",),
        line="assume_unique=True"),
    OnPurpose(
        "`index_fill` of nothing", ("exception",), "v1 = t.zeros(0, 1)\nv2 = t.index_fill(v1, 0, t.tensor([0]), 2.5)",
        empty=True, said="setStorage: sizes"),
    OnPurpose(
        "`index_fill` of nothing", ("refuses",), "v1 = t.zeros(3, 0)\nv2 = v1.index_add(1, t.tensor([2]), t.ones(3, 1))",
        empty=True, said="index out of range|index \\S+ is out of bounds|out of bounds for dimension",
        ops=("index_add", "index_copy", "index_fill", "index_add_", "index_copy_", "index_fill_")),
    OnPurpose(
        "`requires_grad` of a recorded gradient", ("requires_grad",),
        "v1 = t.tensor([2.0], requires_grad=True)\nv2 = t.nn.functional.threshold(v1, 1, 20)\n"
        "v2.backward(t.ones(1), create_graph=True)", line="create_graph=True"),
)


def row_of(difference, lines, variables):
    """The row that says so, or None."""
    return next((entry.row for entry in LIST if entry.matches(difference, lines, variables)), None)
