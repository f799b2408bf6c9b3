"""What one of the libraries refuses on purpose, or refuses otherwise: a part of ``on_purpose.LIST``."""
from tests.fuzz.matching import OnPurpose

UNRECORDED = r"with t\.(no_grad\(\)|set_grad_enabled\(False\)|inference_mode\(\)): "

REFUSED = (
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
        "`cumulative_trapezoid`, `trapezoid`, `affine_grid`, a second backward", ("refuses",),
        "v1 = t.ones(3, requires_grad=True)\nv2 = t.cumulative_trapezoid(v1)\nv2.backward(t.ones(2))\nv2.backward(t.ones(2))",
        within=r"trapezoid\(|trapz\(|affine_grid\(", said="Trying to backward through the graph a second time"),
    OnPurpose(
        "integers that name places and do not lie in order", ("refuses",),
        "v1 = t.ones(4, 2, 3, requires_grad=True)\nv2 = t.ones(2, 3, dtype=t.int32)\n"
        "v3 = t.nn.functional.ctc_loss(v1, v2, input_lengths=(4, 4), target_lengths=(2, 2))\nv2.add_(1)\nv3.backward()",
        line="backward|grad", said=r"modified by an inplace operation: \[torch\.(Long|Int)Tensor", within=r"ctc_loss\("),
    OnPurpose(
        "a call with more than one thing wrong", ("exception",),
        "v1 = t.ones(2, requires_grad=True)\nv1.register_post_accumulate_grad_hook(lambda p: p.grad)\n"
        "v1.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2))\n(v1 * 2).backward(t.ones(2))",
        before=r"post_accumulate_grad_hook\((.*\n)+.*post_accumulate_grad_hook\(", said="hooks should return None"),
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
        said="some elements of the input tensor and the written-to tensor refer to", line=r"^(with .*: )?(v\d+)\[.*\] = \2$"),
    OnPurpose(
        "gradients that `autograd.grad` returns for several tensors", ("accepts",),
        "v1 = t.ones(2, 3, requires_grad=True)\nv2 = v1.reshape(3, 2)\nv3 = t.autograd.grad(v2, [v1], t.ones(3, 2))\n"
        "v4 = v3[0]\nv5 = t.ones(2, requires_grad=True)\nv4.addr_(v5, t.ones(3))", before=r"t\.autograd\.grad\(",
        said="A view was created in no_grad mode and is being modified inplace"),
    OnPurpose(
        "`lstm`, `gru`, `rnn_tanh`, `rnn_relu`", ("refuses",),
        "v1 = t.rnn_relu(t.ones(3), t.ones(1, 2, 2), [t.ones(2, 3), t.ones(2, 2)], False, 1, 0.0, False, False, False)",
        said="input must have 3 dimensions, got 1", ops=("lstm", "gru", "rnn_tanh", "rnn_relu")),
    OnPurpose(
        "`_version`, `_base` and `_is_view()` of a new result", ("accepts",),
        "v1 = t.nn.functional.max_pool1d(t.ones(1, 4, requires_grad=True), 2)\nv1.detach_()", within=r"(max_pool1d|linear)\(",
        said="Can't detach views in-place"),
    OnPurpose(
        "`einsum` of three operands or more whose sizes disagree", ("exception",),
        "v1 = t.einsum('ij,jk,kl->il', t.ones(2, 3), t.ones(3, 4), t.ones(3, 4))",
        said="does not broadcast with previously seen|Einstein sum subscript"),
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
        "`torch.as_strided_scatter`, gradient of `input`", ("accepts",),
        "v1 = t.ones(3, 4, dtype=t.complex64).conj().imag.requires_grad_()\nv2 = t.ones(2, 2, requires_grad=True)\n"
        "v3 = v1.as_strided_scatter(v2, (2, 2), (1, 2))\nv4 = t.autograd.grad(v3, [v1, v2, v3], t.ones(3, 4))",
        line="backward|grad", within="as_strided_scatter", said="are out of bounds for storage"),
    OnPurpose(
        "`torch.stft(align_to_window=True)`", ("accepts",),
        "v1 = t.stft(t.arange(20.), 4, None, 3, center=False, return_complex=True, align_to_window=True)", ops=("stft",),
        line="align_to_window=True", said="are out of bounds for storage"),
    OnPurpose(
        "`F.ctc_loss`, second derivative", ("accepts",), "v1 = t.ones(4, 1, 3, requires_grad=True)\n"
        "v2 = t.nn.functional.ctc_loss(v1, t.ones(1, 1, dtype=t.int64), (4,), (1,))\n"
        "v3 = t.autograd.grad(v2, [v1], create_graph=True)\nv4 = v3[0]\nv4.sum().backward()", within="ctc_loss",
        said="derivative for aten::_ctc_loss_backward is not implemented"),
    OnPurpose(
        "`torch.lu_unpack` with pivots", ("refuses",), "v1 = t.lu_unpack(t.ones(2, 3, 3), t.tensor([2, 3, 3], dtype=t.int32))",
        ops=("lu_unpack",), said="there are pivots of"),
    OnPurpose(
        "`autocast` to bfloat16: `cat`", ("accepts",), "with t.autocast('cpu'): v1 = t.hstack([t.ones(2).half(), t.ones(2)])",
        said="at::autocast::prioritize"),
    OnPurpose(
        "a call with more than one thing wrong", ("exception",), "v1 = t.tensor(1.0)\nv2 = t.fft.ifft2(v1, norm='x')",
        faults=True),
    OnPurpose(
        "`linalg.lu`, `lu_factor`, `ldl_factor` of NaN or an infinity", ("accepts",),
        "v1 = t.linalg.lu_factor(t.tensor([[0.0, 0.0], [nan, nan]]))", ops=("lu_factor",), said=r"U\[\d,\d\] is zero"),
    OnPurpose(
        "a call with more than one thing wrong", ("exception",),
        "v1 = t.zeros(0, 2, 2)\nv2 = t.lstm(t.ones(3, 3, 2), [v1, t.ones(1, 2, 2)], [t.ones(8, 3).double(), t.ones(8, 2), "
        "t.ones(8), t.ones(8)], True, 1, 0.0, False, False, False)", said=r"Dimension out of range|select\(\): index \d",
        ops=("lstm", "gru", "rnn_tanh", "rnn_relu")),
    OnPurpose(
        "`F.nll_loss` of images in another memory order", ("accepts",),
        "v1 = t.ones(2, 2, 2, 3).permute(3, 2, 1, 0).requires_grad_()\n"
        "v2 = t.nn.functional.nll_loss(v1, t.zeros(3, 2, 2, dtype=t.int64))\nv2.backward()",
        said="grad_input must be contiguous"),
    OnPurpose(
        "float16 with complex numbers", ("refuses",), "v1 = t.ones(2, dtype=t.float16) * 1j", said="would be torch.complex32"),
    OnPurpose(
        "`view_as_complex` at an odd offset", ("accepts",), "v1 = t.view_as_complex(t.ones(3)[1:])",
        said="storage_offset divisible by 2"),
    OnPurpose(
        "`fill_diagonal_(wrap=True)` of an expanded tensor", ("accepts",),
        "v1 = t.tensor([[-1.5, -2.42]]).expand((7, 2))\nv2 = v1.fill_diagonal_(1, True)", said="setStorage: sizes",
        ops=("fill_diagonal_",)),
    OnPurpose(
        "gradients that are zero everywhere", ("accepts", "exception"),
        "v1 = t.ones(2, requires_grad=True)\nv2 = v1.sgn()\nv3 = t.autograd.grad(v2, [v1], t.ones(2))\nv4 = v3[0]\nv4.add_(1)",
        said="ZeroTensors are immutable"),
    OnPurpose(
        "`out=` of another dtype", ("accepts",), "v1 = t.zeros(0, dtype=t.float64)\nv2 = t.negative(t.ones(3), out=v1)",
        said=r"Found dtype \w+ but expected|does not support non-boolean outputs|"
             r"not yet implemented for tensors with different|has dtype \w+ but|can't be cast", line=r"\bout="),
    OnPurpose(
        "`linalg.svd`, `svdvals`, `pinv`", ("refuses",), "v1 = t.linalg.svdvals(t.tensor([[inf, 1.0], [0.0, 1.0]]))",
        said="contained non-finite values"),
    OnPurpose(
        "`F.binary_cross_entropy_with_logits` of complex targets", ("refuses",),
        "v1 = t.nn.functional.binary_cross_entropy_with_logits(t.ones(2), t.ones(2, dtype=t.complex64))",
        ops=("binary_cross_entropy_with_logits",), said="not implemented for 'Complex"),
    OnPurpose(
        "`torch.group_norm` with one value per channel", ("refuses",), "v1 = t.group_norm(t.ones(1, 2), 2)",
        said="Expected more than 1 value per channel"),
    OnPurpose(
        "`torch.group_norm` with one value per channel", ("exception",), "v1 = t.group_norm(t.ones(3), 3)",
        line=r"\bt\.group_norm", said="Expected more than 1 value per channel|Expected at least 2 dimensions"),
    OnPurpose(
        "`Tensor.new_tensor` of views of conjugates and negatives", ("accepts",),
        "v1 = t.ones(1, dtype=t.complex64).conj().new_tensor([1, 1])", said="DispatchKey"),
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
        "`index_fill` of nothing", ("exception",), "v1 = t.zeros(0, 1)\nv2 = t.index_fill(v1, 0, t.tensor([0]), 2.5)",
        empty=True, said="setStorage: sizes"),
    OnPurpose(
        "`index_fill` of nothing", ("refuses",), "v1 = t.zeros(3, 0)\nv2 = v1.index_add(1, t.tensor([2]), t.ones(3, 1))",
        empty=True, said="index out of range|index \\S+ is out of bounds|out of bounds for dimension",
        ops=("index_add", "index_copy", "index_fill", "index_add_", "index_copy_", "index_fill_")),
    OnPurpose(
        "derivatives that PyTorch has not for a dtype", ("accepts",),
        "v1 = t.ones(2, 3, dtype=t.complex64, requires_grad=True)\nv2 = v1.select_scatter(t.ones(3), 0, 1)",
        said=r"does not support automatic differentiation|Autograd not support dtype|INTERNAL ASSERT|returned an invalid grad|"
             r"indices must be an int64 tensor|"
             r"Expected isFloatingType\(grad|addmv input tensors must have the same dtype|"
             r"^PyTorch raises RuntimeError: result type Complex\w+ can't be cast to the desired output type (Fl|D|H)"),
    OnPurpose(
        "calls that no overload of PyTorch's takes", ("accepts", "exception"),
        "v1 = t.ones(2, 2, 2).dsplit(indices_or_sections=2)\nv2 = t.ones(2).repeat_interleave(3, output_size=(None, 2))",
        said=r"(PyTorch raises TypeError|PyTorch): .*(invalid combination of arguments|unexpected keyword|missing \d+ required|"
             r"takes (from )?\d+|must be \w+)|must be \w+, not \w+\n +PyTorch: '[\w.]+' object has no attribute"),
    OnPurpose(
        "`lstm`, `gru`, `rnn_tanh`, `rnn_relu`: weights and biases in several dtypes", ("refuses",),
        "v1 = t.gru(t.ones(3, 3, 2).transpose(-1, -2), t.ones(1, 2, 2), [t.ones(6, 3), t.ones(6, 2), t.ones(6).double(), "
        "t.ones(6)], has_biases=True, num_layers=1, dropout=0.0, train=False, bidirectional=False, batch_first=False)",
        said=r"must have the same dtype|must be a matrix|multiplied \(\d+x\d+ and \d+\)|The expanded size of the tensor|"
             "must be greater or equal to the number of dimensions|Expected hidden state of 3 dim|input must have 3 dimensions",
        ops=("lstm", "gru", "rnn_tanh", "rnn_relu")),
    OnPurpose(
        "views of an empty tensor", ("accepts",), "v1 = t.zeros(0)[..., ::2]\nv2 = v1.view(t.int8)",
        said=r"last dimension with stride 1|stride divisible by 2|"
             r"self.stride\(-?\d\) must be (1 to view|divisible by)|self.storage_offset\(\) must be divisible", empty=True),
    OnPurpose(
        "`lu_factor`, `inv`, `solve` of a matrix that would be singular", ("refuses", "accepts"),
        "v1 = t.linalg.lu_factor(t.full((2, 3), 0.85))",
        said=r"U\[\d,\d\] is zero|diagonal element \d is zero|the input matrix is singular"),
    OnPurpose(
        "a tensor that was kept for backward, then detached", ("accepts",),
        "v1 = t.ones(3, requires_grad=True) * 2\nv2 = v1.sin()\nv1.detach_()\nv2.backward(t.ones(3))",
        line="backward|grad", before=r"detach_\(", said="a saved tensor that has been detached in-place"),
    OnPurpose(
        "a view that gets other memory", ("accepts",),
        "v1 = t.ones(2, 3, requires_grad=True)\nv2 = v1 * 2\nv3 = v2.view(6)\nv3.set_(t.ones(12))\nv2.backward(t.ones(2, 3))",
        line="backward|grad", before=r"\.set_\(",
        said="are out of bounds for storage|derivative for set_ is not implemented"),
    OnPurpose(
        "views of an empty tensor", ("accepts",), "v1 = t.ones(1, 3)[1:]\nv2 = v1.as_strided((2,), (1,))", empty=True,
        line=r"as_strided", said="are out of bounds for storage"),
    OnPurpose(
        "`cummax`, `cummin` of nothing along a dim", ("refuses",), "v1 = t.zeros(0)\nv2 = t.cummax(v1, dim=2)",
        ops=("cummax", "cummin"),
        empty=True, said="Dimension out of range"),
    OnPurpose(
        "`adaptive_avg_pool2d` of no channels", ("accepts",),
        "v1 = t.zeros(1, 0, 4, 5, requires_grad=True)\nv2 = t.nn.functional.adaptive_avg_pool2d(v1, (3, 2))\n"
        "v2.sum().backward()",
        line="backward|grad", said="Expected grad_output to have non-zero size for non-batch dimensions"),
    OnPurpose(
        "a call that fails halfway", ("accepts",), "v1 = t.ones(1, 1, 2, 2)\n"
        "v2 = t.zeros(1, 1, 1, 2, requires_grad=True)\nv3 = t.grid_sampler_2d(v1, v2, 0, 0, True)\n"
        "v4 = t.special.ndtr(t.ones(3), out=v2)\nv3.backward(t.ones(1, 1, 1, 1))", line="backward|grad", before=r"\bout=",
        said="expected grid and input to have same"),
    OnPurpose(
        "`batch_norm` with running statistics of integers", ("refuses",),
        "v1 = t.nn.functional.batch_norm(t.ones(4, 3), t.zeros(3), t.ones(6, dtype=t.int16)[..., ::2])", ops=("batch_norm",),
        said="expected scalar type Float but found"),
    OnPurpose(
        "an expanded tensor as `out=`", ("refuses",),
        "v1 = t.zeros(3, 1, dtype=t.complex64).conj().imag.expand(3, 4)\nv2 = t.atanh(t.zeros(6), out=v1)", line=r"\bout=",
        before=r"(?s)conj\(\).*expand", said="more than one element of the written-to tensor"),
    OnPurpose(
        "`F.scaled_dot_product_attention` with keys and values", ("refuses",),
        "v1 = t.ones(1, 2, 3, 4)\nv2 = t.nn.functional.scaled_dot_product_attention(v1, v1, t.ones(1, 2, 5, 4))",
        ops=("scaled_dot_product_attention",), said="Expected size for first two dimensions of batch2"),
)
