"""Making dimensions longer at their ends.

Args:
    pad: how many to add: two ints for each dim, the last dim's first; negative ones crop
"""
from leafward.core.op import Meta, composite, op

from leafward.ops.checks import as_element
from leafward.ops.kinds import refuse_kinds

# --- constant --------------------------------------------------------------------------------------------------------

def widths_of(pad, ndim):
    """``pad`` counts from the last dimension, two numbers each: the pairs from the first dimension on."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


def inner(size, before, after):
    """The part of a dimension that cropping by negative widths leaves."""
    return slice(max(0, -before), size - max(0, -after))


@op("constant_pad_nd", kernel="pad_with", keeps_format="x",
    batch="leading", samples=["3 4 ; pad=(1, 2)", "2 3 4 ; pad=[1, 0, 2, 1], value=2.5", "3 4 ; pad=(-1, 1)",
             "3 4 ; pad=(-1, 2, 1, -2), value=-1", "3 4 ; pad=()", "0 3 ; pad=(1, 1, 1, 0)"],
    errors=[("3 4 ; pad=(1, 1, 1)", RuntimeError, "Length of pad must be even"),
            ("3 ; pad=(1, 1, 1, 1)", RuntimeError, "Length of pad should be no more than twice"),
            ("3 4 ; pad=(-3, -2)", RuntimeError, "narrow(): length must be non-negative.")])
def constant_pad_nd(xp, x, pad, value=0):
    """``x`` with ``value`` before and after its last dimensions; a negative width crops.

    ``pad`` holds two widths for the last dimension, then two for the one before it, and so on.
    """
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * x.ndim:
        raise RuntimeError("Length of pad should be no more than twice the number of dimensions of the input. Pad "
                           f"length is {len(pad)} while the input has {x.ndim} dimensions.")
    widths = widths_of(pad, x.ndim)
    if any(n + min(b, 0) + min(a, 0) < 0 for n, (b, a) in zip(x.shape, widths)):
        raise RuntimeError("narrow(): length must be non-negative.")
    value = as_element(value, xp.dtype_of(x))
    kept = tuple([inner(n, b, a) for n, (b, a) in zip(x.shape, widths)])
    if x.ndim and all(b <= 0 and a <= 0 for b, a in widths):            # what stays lies in memory as it did
        out = xp.creation.empty_in_layout(x[kept], None, "preserve_format")
        out[...] = x[kept]
        return out
    out = xp.full([n + b + a for n, (b, a) in zip(x.shape, widths)], value, x.dtype)
    out[tuple([inner(n, -b, -a) for n, (b, a) in zip(out.shape, widths)])] = x[kept]
    return out


@constant_pad_nd.onnx
def constant_pad_nd_onnx(onnx, x, pad, value):
    widths = widths_of(pad, x.ndim)
    sides = (*[before for before, _ in widths], *[after for _, after in widths])
    return onnx.Pad(x, sides, onnx.symbol(value, x.dtype)) if pad else x


@constant_pad_nd.vjp("x")
def constant_pad_nd_dx(xp, g, pad):
    return xp.constant_pad_nd(g, [-width for width in pad])


# --- from the input itself -------------------------------------------------------------------------------------------

def positions_of(xp, mode, size, before, after):
    """For each place of a padded dimension, the place in the dimension that it shows."""
    if mode == "circular":                     # what is cut off does not come round again
        first = max(-before, 0)
        kept = max(size - max(-after, 0) - first, 0)
        return first + xp.arange(-max(before, 0), kept + max(after, 0)) % max(kept, 1)
    places = xp.arange(-before, size + after)
    if mode == "replicate":
        return xp.clip(places, 0, size - 1)
    return size - 1 - xp.abs(size - 1 - xp.abs(places))


def pad_node(given):
    kind = {"reflect": "Reflection", "replicate": "Replication"}.get(given["mode"])
    return "CopySlices" if kind is None else f"{kind}Pad{len(given['widths'])}DBackward0"


@op("torch._pad_by_position", kernel="pad_from_places", keeps_format="x", linear=True, node=pad_node,
    batch="leading", samples=["2 4 ; mode='reflect', widths=[(1, 2)]", "2 3 4 ; mode='replicate', widths=[(2, 0), (1, 1)]",
             "2 3 4 ; mode='circular', widths=[(3, 1), (0, 2)]", "2 5 ; mode='circular', widths=[(-2, 1)]",
             "2 4 ; mode='replicate', widths=[(-1, 2)]"])
def pad_by_position(xp, x, mode, widths):
    """``x`` with its last dimensions continued by what they hold: mirrored, repeated or wrapped around."""
    if mode != "circular":
        refuse_kinds(x, "b", f"{'reflection' if mode == 'reflect' else 'replication'}_pad{len(widths)}d")
    for axis, (before, after) in enumerate(widths, x.ndim - len(widths)):
        if before or after:
            x = xp.pick_rows(x, positions_of(xp, mode, x.shape[axis], before, after), axis)
    return x


@pad_by_position.vjp("x")
def pad_by_position_dx(xp, g, x: Meta, mode, widths):
    return xp._pad_by_position_adjoint(g, tuple(x.shape), mode, widths)


@op("torch._pad_by_position_adjoint", kernel="add_at_shown_places", linear=True,
    samples=["2 7 ; size=(2, 4), mode='reflect', widths=[(1, 2)]",
             "2 5 6 ; size=(2, 3, 4), mode='replicate', widths=[(2, 0), (1, 1)]"])
def pad_by_position_adjoint(xp, x, size, mode, widths):
    """Add each element of a padded ``x`` up at the place that it shows."""
    for axis, (before, after) in enumerate(widths, x.ndim - len(widths)):
        if before or after:
            zeros = xp.zeros((*x.shape[:axis], size[axis], *x.shape[axis + 1:]), dtype=x.dtype)
            x = xp.add_rows(zeros, axis, positions_of(xp, mode, size[axis], before, after), x)
    return x


@pad_by_position_adjoint.vjp("x")
def pad_by_position_adjoint_dx(xp, g, mode, widths):
    return xp._pad_by_position(g, mode, widths)


@pad_by_position_adjoint.batch
def pad_by_position_adjoint_batch(fns, call):
    call.set_option("size", (call.size, *call.option("size")))
    return call.run([call.front(0)])


def check_mode_sizes(input, mode, widths):
    dims, shape = len(widths), input.shape
    lead = len(shape) - dims
    for axis, (before, after) in enumerate(widths, lead):
        size = shape[axis]
        if mode == "reflect" and max(before, after) >= size:
            raise RuntimeError(f"Argument #{4 + 2 * (len(shape) - 1 - axis)}: Padding size should be less than the "
                               f"corresponding input dimension, but got: padding ({before}, {after}) at dimension "
                               f"{axis} of input {list(shape)}")
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < (mode != "circular"):      # that one may leave nothing
            raise RuntimeError(f"input ({axis}: {size}) is too small. Calculated output {axis}: {size + before + after}")
    if mode != "circular" and 0 in shape[1 if lead == 2 else 0:]:
        raise RuntimeError(f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and other"
                           f" non-zero dimensions for input, but got: {list(shape)}")


def autocast_of_pad(input, pad, mode="constant", value=None):
    """In float32 are the paddings that read the input at other places."""
    return "float32" if mode == "replicate" or mode == "reflect" and len(pad) <= 4 else None


@composite("nn.functional.pad", autocast=autocast_of_pad,
           samples=["3 4 ; pad=(1, 2)", "2 3 4 ; pad=(1, 0, 2, 1), value=2.5", "2 3 4 ; pad=(1, 2), mode='reflect'",
                    "2 3 4 ; pad=(1, 2, 0, 1), mode='replicate'", "2 3 4 ; pad=(1, 2), mode='circular'",
                    "1 2 3 3 ; pad=(1, 1, 2, 1), mode='circular'", "1 2 2 3 3 ; pad=(1, 1, 2, 1, 1, 0), mode='reflect'"],
           errors=[("3 4 ; pad=(1, 1, 1)", RuntimeError, "Padding length must be divisible by 2"),
                   ("3 4 ; pad=(1, 1, 1, 1, 1, 1)", RuntimeError,
                    "Padding length should be less than or equal to two times the input dimension but got padding length"
                    " 6 and input of dimension 2"),
                   ("1 3 4 ; pad=(4, 1), mode='reflect'", RuntimeError,
                    "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                    "(4, 1) at dimension 2 of input [1, 3, 4]"),
                   ("1 3 4 ; pad=(5, 1), mode='circular'", RuntimeError, "wrapping around more than once."),
                   ("1 3 4 ; pad=(1, 1), mode='zz'", NotImplementedError, "Unrecognised padding mode zz"),
                   ("4 ; pad=(1, 1), mode='reflect'", NotImplementedError,
                    "Padding size 2 is not supported for 1D input tensor.")])
def pad(fns, input, pad, mode: str = "constant", value: float = None):
    """Lengthen the last dimensions at both ends: two widths in ``pad`` for each, the last dimension's first.

    What is added is ``value``, or with ``mode`` ``"reflect"``, ``"replicate"`` or ``"circular"`` a continuation of the
    input.

    Args:
        mode: `"constant"`, `"reflect"`, `"replicate"` or `"circular"`
        value: what is added with `"constant"`; None: 0

    >>> lw.nn.functional.pad(lw.ones(2, 2), (1, 1))
    tensor([[0., 1., 1., 0.],
            [0., 1., 1., 0.]])
    """
    pad, ndim = tuple(pad), input.ndim
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {len(pad)} and input of dimension {ndim}")
    if mode == "constant":
        return fns.constant_pad_nd(input, pad, 0.0 if value is None else value if isinstance(value, complex) else float(value))
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(pad) not in (2, 4, 6) or ndim - len(pad) // 2 not in (1, 2):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {ndim}D input tensor.")
    widths = widths_of(pad, len(pad) // 2)
    check_mode_sizes(input, mode, widths)
    if mode == "circular":                                  # PyTorch writes its parts into row-major memory
        input = input.contiguous()
    return fns._pad_by_position(input, mode, widths)
