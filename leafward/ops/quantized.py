"""Products with weights that are codes of 8 bits."""
from leafward import dtypes
from leafward.core.op import op

from leafward.ops.checks import scalar_name
from leafward.ops.kinds import is_half, is_whole

#: The largest code of an input: 7 bits, so that two products with codes of 8 bits fit into 16.
TOP = 127


def check_floats(*values):
    for x in values:
        if x is not None and x.dtype.kind in "biuc":
            raise RuntimeError(f"expected scalar type Float but found {scalar_name(x)}")


def by_pytorch(torch, x, weight, scale, bias=None):
    floats = [value for value in (x, scale, bias) if value is not None]
    for value in floats:
        if not value.is_floating_point():
            found = value.type().removeprefix("torch.").removesuffix("Tensor")
            raise RuntimeError(f"expected scalar type Float but found {found}")
    packed = torch.ops.quantized.linear_prepack(torch._make_per_channel_quantized_tensor(
        weight.to(torch.int8).contiguous(), scale.float().expand(len(weight)).contiguous(),
        torch.zeros(len(weight), dtype=torch.int64), 0), None if bias is None else bias.float())
    out = torch.ops.quantized.linear_dynamic(x.float(), packed, reduce_range=True)
    halves = [value.dtype for value in floats if value.dtype.itemsize == 2]
    return out.to(halves[0]) if halves else out


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
        scale: what a step of the codes stands for: a number, or one for each row of `weight`
        bias: added to each row; None: nothing is
    Source: Jacob et al., 2018, Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference
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
