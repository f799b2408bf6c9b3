"""Products with weights that are codes of 8 bits, and what is made of them.

Args:
    scale: what a step of the codes stands for: a number, or one for each row of `weight`
Source: Jacob et al., 2018, Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference
"""
from leafward import dtypes
from leafward.core.op import op

from leafward.ops.checks import scalar_name
from leafward.ops.embedding import check_indices
from leafward.ops.kinds import is_half, is_whole
from leafward.ops.recurrent import columns, spans, state_for

#: The largest code of an input: 7 bits, so that two products with codes of 8 bits fit into 16.
TOP = 127


def check_floats(*values):
    for x in values:
        if x is not None and x.dtype.kind in "biuc":
            raise RuntimeError(f"expected scalar type Float but found {scalar_name(x)}")


def in_float32(torch, *values):
    """What an op of these computes with, and the type of its result: float32, unless one is shorter."""
    floats = [value for value in values if value is not None]
    for value in floats:
        if not value.is_floating_point():
            found = value.type().removeprefix("torch.").removesuffix("Tensor")
            raise RuntimeError(f"expected scalar type Float but found {found}")
    halves = [value.dtype for value in floats if value.dtype.itemsize == 2]
    return [None if value is None else value.detach().float() for value in values], halves[0] if halves else torch.float32


def by_pytorch(torch, x, weight, scale, bias=None):
    (x, scale, bias), dtype = in_float32(torch, x, scale, bias)
    packed = torch.ops.quantized.linear_prepack(torch._make_per_channel_quantized_tensor(
        weight.to(torch.int8).contiguous(), scale.expand(len(weight)).contiguous(),
        torch.zeros(len(weight), dtype=torch.int64), 0), bias)
    return torch.ops.quantized.linear_dynamic(x, packed, reduce_range=True).to(dtype)


@op("torch._quantized_linear", nondifferentiable="x, weight, scale, bias", no_grad_outputs="out", kernel="quantized_linear",
    reference=by_pytorch,
    samples=["3 4 | int5: 2 4 | pos: 2 | 2", "2 3 70 | int5: 5 70 | pos: ", "0 4 | int5: 2 4 | pos: 2",
             "5 65 | int5: 4 65 | pos: 4 | 4", "pos: 6 4 | int5: 2 4 | pos: 2", "1 128 | int5: 7 128 | pos: 7 | 7"],
    errors=[("2 3 | int5: 2 4 | pos: 2", RuntimeError, "The number of rows in the packB should be equal to K: 3"),
            ("int5: 2 4 | int5: 2 4 | pos: 2", RuntimeError, "expected scalar type Float but found Long")])
def quantized_linear(xp, x, weight, scale, bias=None):
    """``out = x @ (scale * weight).T + bias``, where ``x`` is rounded to 128 steps.

    They go from its smallest to its largest number, and one is 0. The product is exact: of integers, scaled in float32.
    A NaN or an infinity in ``x`` makes all of ``out`` NaN, since all of it shares the steps.

    Args:
        weight: codes, `(out_features, in_features)`
        bias: added to each row; None: nothing is
    """
    check_floats(x, scale, bias)
    if not is_whole(weight) or weight.ndim != 2 or x.shape[-1:] != weight.shape[1:]:
        raise RuntimeError(f"The number of rows in the packB should be equal to K: {x.shape[-1] if x.ndim else 1}")
    halves = [value for value in (x, scale, bias) if value is not None and is_half(value)]
    x = xp.astype(x, dtypes.float32)
    among = xp.concat([xp.zeros((1,), dtype=dtypes.float32), x.reshape((-1,))])
    low, high = (xp.astype(end, dtypes.float64) for end in (xp.min(among), xp.max(among)))
    step = (high - low) / TOP
    step = xp.astype(xp.where(step == 0, xp.ones_like(step), step), dtypes.float32)
    zero = xp.clip(xp.rint(-low / step), 0, TOP)
    steps = xp.rint(x * (1 / step)) + zero
    codes = xp.clip(steps, 0, TOP) - zero                       # NaN stays
    total = xp.matmul(codes, xp.astype(xp.matrix_transpose(weight), dtypes.float64))
    out = xp.astype(total, dtypes.float32) * (step * xp.astype(scale, dtypes.float32))
    out = out if bias is None else out + xp.astype(bias, dtypes.float32)
    return xp.astype(out, xp.dtype_of(halves[0])) if halves else out


def scan_by_pytorch(torch, x, h0, c0, weight, scale, bias=None, *, sizes, reverse=False):
    (x, h0, c0, scale, bias), dtype = in_float32(torch, x, h0, c0, scale, bias)
    h, c, outputs, cells = h0, c0, {}, {}
    for start, stop in spans(sizes, reverse):
        h, c = (torch.cat([state, begun[len(state):]])[:stop - start] for state, begun in ((h, h0), (c, c0)))
        i, f, g, o = (x[start:stop] + by_pytorch(torch, h, weight, scale, bias)).chunk(4, 1)
        c = cells[start] = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = outputs[start] = o.sigmoid() * c.tanh()
    return tuple(torch.cat([found[start] for start in sorted(found)]).to(dtype) for found in (outputs, cells))


@op("torch._quantized_lstm_scan", outputs="out, cells", nondifferentiable="x, h0, c0, weight, scale, bias",
    no_grad_outputs="out, cells", kernel="quantized_lstm_scan", reference=scan_by_pytorch,
    samples=["6 12 | 2 3 | 2 3 | int5: 12 3 | pos:  | 12 ; sizes=(2, 2, 2)",
             "6 12 | 3 3 | 3 3 | int5: 12 3 | pos: 12 ; sizes=(3, 2, 1)",
             "6 12 | 2 3 | 2 3 | int5: 12 3 | pos: 12 ; sizes=(2, 2, 2), reverse=True",
             "6 12 | 3 3 | 3 3 | int5: 12 3 | pos:  | 12 ; sizes=(3, 2, 1), reverse=True",
             "3 68 | 1 17 | 1 17 | int5: 68 17 | pos:  | 68 ; sizes=(1, 1, 1)",
             "40 16 | 20 4 | 20 4 | int5: 16 4 | pos: 16 ; sizes=(20, 20)",
             "36 36 | 9 9 | 9 9 | int5: 36 9 | pos: 36 | 36 ; sizes=(9, 9, 9, 9), reverse=True"])
def quantized_lstm_scan(xp, x, h0, c0, weight, scale, bias=None, *, sizes, reverse=False):
    """``c[t] = f * c[t-1] + i * g``, ``h[t] = o * tanh(c[t])``, the gates from ``x[t] + _quantized_linear(h[t-1], weight)``.

    As `_lstm_scan`, with a weight of 8 bits, and in float32: each step rounds the states that it starts from.

    Args:
        weight: codes, `(4 h, h)`
        bias: added to the product; None: nothing is
    """
    check_floats(x, h0, c0, scale, bias)
    halves = [value for value in (x, h0, c0, scale, bias) if value is not None and is_half(value)]
    x, h0, c0, scale, bias = (value if value is None else xp.astype(value, dtypes.float32)
                              for value in (x, h0, c0, scale, bias))
    h, c, outputs, cells = h0, c0, [], []
    for start, stop in spans(sizes, reverse):
        h, c = state_for(xp, h, h0, stop - start), state_for(xp, c, c0, stop - start)
        i, f, g, o = columns(x[start:stop] + xp._quantized_linear(h, weight, scale, bias), 4)
        c = xp.sigmoid(f) * c + xp.sigmoid(i) * xp.tanh(g)
        h = xp.sigmoid(o) * xp.tanh(c)
        outputs.append(h)
        cells.append(c)
    found = [xp.concat(parts[::-1] if reverse else parts) for parts in (outputs, cells)]
    return tuple(xp.astype(each, xp.dtype_of(halves[0])) for each in found) if halves else tuple(found)


def rows_by_pytorch(torch, weight, indices, scale, zero):
    (scale, zero), dtype = in_float32(torch, scale, zero)
    rows = torch.nn.functional.embedding(indices, weight.float())
    return ((rows - zero[indices].unsqueeze(-1)) * scale[indices].unsqueeze(-1)).to(dtype)


@op("torch._quantized_embedding", nondifferentiable="weight, indices, scale, zero", no_grad_outputs="out",
    kernel="quantized_rows", reference=rows_by_pytorch,
    samples=["int5: 4 3 | int4: 2 3 | pos: 4 | 4", "int5: 4 3 | int4:  | pos: 4 | 4", "int5: 4 3 | int4: 0 | pos: 4 | 4",
             "int5: 4 17 | int4: 5 | pos: 4 | 4", "int5: 4 1 | int4: 1 5 | pos: 4 | 4"],
    errors=[("int5: 4 3 | int9: 99 | pos: 4 | 4", IndexError, "index out of range in self")])
def quantized_embedding(xp, weight, indices, scale, zero):
    """Rows by number: ``out[...] = scale * (weight - zero)`` of the row ``indices[...]``, in float32.

    Args:
        weight: codes, a row for each number
        indices: the numbers of rows
        scale: one for each row
        zero: the code of 0, one for each row: any number
    """
    check_floats(scale, zero)
    check_indices(indices)
    halves = [value for value in (scale, zero) if is_half(value)]
    rows, zero, scale = (xp.astype(xp.kernels.gather_rows(value, indices), dtypes.float32) for value in (weight, zero, scale))
    out = (rows - xp.expand_dims(zero, axis=-1)) * xp.expand_dims(scale, axis=-1)
    return xp.astype(out, xp.dtype_of(halves[0])) if halves else out


@quantized_embedding.onnx
def quantized_embedding_onnx(onnx, weight, indices, scale, zero):
    rows, zero, scale = (onnx.astype(onnx.take(value, indices, 0), dtypes.float32) for value in (weight, zero, scale))
    return (rows - onnx.expand_dims(zero, -1)) * onnx.expand_dims(scale, -1)
