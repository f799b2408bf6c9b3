"""Tensors written as source text: every dtype, shape and layout."""
import itertools

import numpy as np

FLOATING = ("float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")

#: What a program computes with for the most part, and how often.
MAIN_DTYPES = {"float32": 34, "float64": 20, "bfloat16": 6, "float16": 5, "complex64": 6, "complex128": 5,
               "int64": 8, "int32": 3, "int16": 2, "int8": 2, "uint8": 4, "bool": 5}

SHAPES = ((), (1,), (3,), (5,), (2, 3), (3, 3), (3, 1), (1, 3), (2, 1, 3), (2, 3, 4), (0,), (0, 3), (2, 0), (2, 3, 2, 2),
          (1, 2, 3, 3), (2, 2, 2, 2))

EDGES = {
    "float": (float("inf"), -float("inf"), float("nan"), -0.0, 0.0, 1.0, -1.0, 0.5, 1e-30, 3e4),
    "int": (0, 1, -1, 100, 127), "uint8": (0, 1, 255, 128), "bool": (0, 1),
}


def kind_of(dtype):
    if dtype in FLOATING:
        return "float"
    return "complex" if dtype in COMPLEX else dtype if dtype in ("uint8", "bool") else "int"


def number(rng, dtype, kind="normal"):
    """One element, of few digits."""
    what = kind_of(dtype)
    if what == "complex":
        return complex(number(rng, "float64", kind), number(rng, "float64", "normal"))
    if kind.startswith("int") and kind[3:]:
        return rng.randrange(max(int(kind[3:]), 1))
    if what == "bool":
        return bool(rng.randrange(2))
    if what != "float":
        return rng.randrange(1, 6) if kind in ("pos", "away") else rng.randrange(0 if what == "uint8" else -5, 6)
    if kind == "unit":
        return round(0.05 + 0.9 * rng.random(), 2)
    if kind == "pos":
        return round(0.2 + 2 * rng.random(), 2)
    if kind == "away":
        return round(0.2 + 2 * rng.random(), 2) * rng.choice((-1, 1))
    return round(rng.gauss(0, 1), 2) if rng.random() < 0.7 else rng.randrange(-8, 9) / 4


def elements(rng, shape, dtype, kind="normal", edges=0.0):
    """Nested lists of numbers, as ``torch.tensor`` takes them."""
    count = int(np.prod(shape, dtype=int))
    if kind == "distinct":
        order = rng.sample(range(count), count)
        flat = [k % 2 == 1 if dtype == "bool" else k if kind_of(dtype) not in ("float", "complex") else (k - count / 2) / 4
                for k in order]
    else:
        flat = [number(rng, dtype, kind) for _ in range(count)]
    if edges and kind in ("normal", "pos", "away", "unit", "complex"):
        what = kind_of(dtype)
        pool = EDGES["float" if what == "complex" else what]
        flat = [rng.choice(pool) if rng.random() < edges else x for x in flat]
    if kind in ("sym", "spd") and len(shape) >= 2 and shape[-1] == shape[-2]:
        flat = symmetric(flat, shape, dtype, kind)
    if kind in ("lower", "upper") and len(shape) >= 2:
        rows, columns = np.indices(shape)[-2:].reshape(2, -1)
        kept = rows >= columns if kind == "lower" else rows <= columns
        flat = [x if keep else type(x)(0) for x, keep in zip(flat, kept)]
    return nested(flat, shape)


def symmetric(flat, shape, dtype, kind):
    values = np.array(flat).reshape(shape)
    values = np.triu(values)
    values = values + np.conj(np.swapaxes(np.triu(values, 1), -1, -2))
    if kind == "spd":
        values = values + 2 * shape[-1] * np.eye(shape[-1])
    if np.iscomplexobj(values):
        n = shape[-1]
        values[..., range(n), range(n)] = values[..., range(n), range(n)].real
    return [complex(x) if np.iscomplexobj(values) else round(float(x), 2) if kind_of(dtype) == "float" else int(x)
            for x in values.reshape(-1)]


def nested(flat, shape):
    if not shape:
        return flat[0]
    step = int(np.prod(shape[1:], dtype=int))
    return [nested(flat[k * step:(k + 1) * step], shape[1:]) for k in range(shape[0])]


def literal(rng, shape, dtype, kind="normal", edges=0.0):
    """``t.tensor([1.0, 2.0], dtype=t.float32)``."""
    if 0 in shape:
        return f"t.zeros({tuple(shape)}, dtype=t.{dtype})"
    return f"t.tensor({elements(rng, shape, dtype, kind, edges)!r}, dtype=t.{dtype})"


LAYOUTS = ("plain",) * 10 + ("transposed",) * 3 + ("strided",) * 2 + ("offset", "expanded", "expanded", "channels_last",
                                                                    "mirrored", "mirrored", "clone", "flipped dims")


def written(rng, shape, dtype, kind="normal", edges=0.0, layout=None):
    """A tensor of this shape in some layout; what does not fit the shape is plain."""
    layout = layout or rng.choice(LAYOUTS)
    shape = tuple(shape)
    make = lambda s: literal(rng, s, dtype, kind, edges)
    if layout == "transposed" and len(shape) >= 2:
        swapped = (*shape[:-2], shape[-1], shape[-2])
        return f"{make(swapped)}.transpose(-1, -2)"
    if layout == "flipped dims" and len(shape) >= 2:
        dims = tuple(range(len(shape)))[::-1]
        return f"{make(shape[::-1])}.permute({dims})"
    if layout == "strided" and shape and kind not in ("sym", "spd"):
        return f"{make((*shape[:-1], 2 * shape[-1]))}[..., ::2]"
    if layout == "offset" and shape and kind not in ("sym", "spd"):
        return f"{make((shape[0] + 1, *shape[1:]))}[1:]"
    if layout == "expanded" and shape and kind not in ("sym", "spd", "distinct"):
        return f"{make((1, *shape[1:]))}.expand({shape})"
    if layout == "channels_last" and len(shape) == 4:
        return f"{make(shape)}.to(memory_format=t.channels_last)"
    if layout == "mirrored" and dtype in COMPLEX:
        return f"{make(shape)}.conj()"
    if layout == "mirrored" and dtype in ("float32", "float64") and kind in ("normal", "away"):
        wide = {"float32": "complex64", "float64": "complex128"}[dtype]
        return f"{literal(rng, shape, wide, kind, edges)}.conj().imag"
    if layout == "clone":
        return f"{make(shape)}.clone()"
    return make(shape)


def any_shape(rng):
    return rng.choice(SHAPES)


def any_dtype(rng, main):
    """The program's dtype mostly."""
    if rng.random() < 0.8:
        return main
    return rng.choice(list(itertools.chain(FLOATING, COMPLEX, INTEGERS, ("bool",))))


def broadcastable(rng, shape):
    """A shape that goes together with ``shape``."""
    shape = [1 if rng.random() < 0.15 else n for n in shape]
    return tuple(shape[rng.randrange(len(shape)):]) if shape and rng.random() < 0.15 else tuple(shape)
