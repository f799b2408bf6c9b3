"""Calls of every function of the standard, and the arrays in them, for any namespace.

An array is a name: dtype and shape, with the letter of its values between them. ``f64_34`` is a float64 array of shape
(3, 4), ``i8_`` an int8 one without dimensions, ``b_0`` an empty bool vector. The letters: ``p`` for positive
(``f64p_3``), ``s`` sorted, ``n`` below 3 (places, repeats), ``m`` symmetric and positive definite, ``x`` zeros,
infinities and NaN.
"""
import re
import zlib

import numpy as np

DTYPES = {"b": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
          "u32": "uint32", "u64": "uint64", "f32": "float32", "f64": "float64", "c64": "complex64",
          "c128": "complex128"}
NAME = re.compile(r"([biufc]\d*)([psnmx]?)_(\d*)")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan)


def drawn(name):
    """The NumPy array of this name, the same at every call."""
    short, values, shape = NAME.fullmatch(name).groups()
    dtype, shape = np.dtype(DTYPES[short]), tuple(map(int, shape))
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if values == "x":
        return np.asarray(SPECIAL, dtype)
    if values == "n":
        return rng.integers(0, 3, shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        array = rng.integers(1 if values == "p" else 0 if dtype.kind == "u" else -4, 6, shape)
    else:
        array = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype.kind == "c" else 0)
    if values == "p":
        array = np.abs(array) + (dtype.kind == "f")
    if values == "m":
        array = array @ np.conj(np.swapaxes(array, -1, -2)) + np.eye(shape[-1])
    return (np.sort(array) if values == "s" else array).astype(dtype)


class Arrays(dict):
    """What an expression's names mean: arrays of one namespace by their names, and the namespace as ``xp``."""

    def __init__(self, xp, make):
        super().__init__(xp=xp)
        self.make = make

    def __missing__(self, name):
        if not NAME.fullmatch(name):
            raise KeyError(name)
        value = self[name] = self.make(drawn(name))
        return value


#: Function -> the arguments of its calls.
CASES = {
    # creation
    "arange": ["3", "2, 7", "2, 7, 2", "5, 0, -2", "3, 0", "1.5, 4", "0, 1, 0.25", "4, dtype=xp.uint8",
               "2, dtype=xp.float32"],
    "asarray": ["2", "2.5", "True", "1j", "[[1, 2], [3, 4]]", "[[1.5], [2]]", "[True, False]", "[1j, 2]", "[]",
                "[1, 2], dtype=xp.float32", "i32_3", "i32_3, dtype=xp.int64", "f32_3, copy=True", "f32_3, copy=False"],
    "empty": [], "empty_like": [],
    "eye": ["3", "2, 4", "3, k=1", "3, 2, k=-1", "2, k=7", "0", "2, dtype=xp.int8"],
    "from_dlpack": ["f64_34", "i8_3", "u32_", "b_3", "c64_2", "f64_3, copy=True"],
    "full": ["3, 2", "(2, 3), 2.5", "(), True", "(0, 2), 1j", "2, 7, dtype=xp.uint16", "(2,), 1, dtype=xp.float32"],
    "full_like": ["f32_34, 2", "i8_3, 7", "f64_, 1.5", "f64_3, 2, dtype=xp.int32", "b_3, True"],
    "linspace": ["0, 1, 5", "0, 1, num=5", "2, 3, 4, endpoint=False", "1, 0, 3, dtype=xp.float32", "0, 1, 1", "0, 1, 0",
                 "0, 1j, 3", "-1.5, 1.5, 4"],
    "meshgrid": ["f64_3, f64_2", "f64_3, f64_2, indexing='ij'", "i8_2, i8_3, i8_4", "f64_3"],
    "ones": ["3", "(2, 3)", "()", "(0, 2), dtype=xp.int16"],
    "ones_like": ["f32_34", "b_3", "i8_3, dtype=xp.complex64"],
    "tril": ["f64_34", "i8_234, k=1", "b_33, k=-1", "u16_33, k=5"],
    "triu": ["f64_34", "i8_234, k=1", "b_33, k=-1", "u16_33, k=-5"],
    "zeros": ["3", "(2, 3)", "()", "(0, 2), dtype=xp.bool"],
    "zeros_like": ["f32_34", "b_3", "i8_3, dtype=xp.uint64"],
    # dtypes
    "astype": ["f64_34, xp.complex128", "f64_34, xp.float32", "i8_3, xp.complex128", "u8_3, xp.int64",
               "f64p_3, xp.int16", "i8_3, xp.bool",
               "b_3, xp.uint32", "f64_3, xp.float64, copy=False", "f64_3, xp.float64", "c64_3, xp.complex128"],
    "can_cast": ["xp.int8, xp.int16", "xp.int16, xp.int8", "xp.uint8, xp.int8", "xp.uint8, xp.int16",
                 "f64_3, xp.float32",
                 "xp.float32, xp.complex64", "xp.float64, xp.complex64", "xp.bool, xp.bool", "xp.uint64, xp.uint32"],
    "finfo": ["xp.float32", "xp.float64", "xp.complex64", "xp.complex128", "f32_3"],
    "iinfo": ["xp.int8", "xp.int16", "xp.int32", "xp.int64", "xp.uint8", "xp.uint16", "xp.uint32", "xp.uint64", "i8_3"],
    "isdtype": ["xp.float32, 'real floating'", "xp.float32, 'numeric'", "xp.int8, 'unsigned integer'",
                "xp.bool, 'numeric'",
                "xp.uint8, 'integral'", "xp.int8, ('bool', 'signed integer')", "xp.int8, xp.int8", "xp.bool, 'bool'",
                "xp.complex64, ('complex floating', xp.int8)", "xp.float64, (xp.float32, xp.int8)"],
    "result_type": ["xp.int8, xp.uint8", "xp.uint16, xp.int16", "xp.int32, xp.uint32", "f32_, f64_3", "f64_, f32_3",
                    "i64_, i8_3", "xp.float32, xp.complex64", "xp.float64, xp.complex64", "f32_3, 1", "f32_3, 1.5",
                    "i8_3, 7", "f32_3, 1j", "f64_3, 1j", "xp.bool, b_3", "i8_, i16_, i32_", "u8_2, 3, xp.int8"],
    # elementwise: beside those of `test_values`
    "clip": ["f64_34", "f64_34, -0.5", "f64_34, -0.5, 0.5", "f64_34, max=0.5", "f32_34, f32_4, 2.0", "i8_34, 0, 3",
             "i8_34, -1000, 1000", "u8_34, -1, 3", "f64_34, None, f64p_31", "i16_34, i16_34, None", "f64_, 0.0, 1.0"],
    # indexing and searching
    "argmax": ["f64_34", "f64_34, axis=0", "f64_34, axis=-1, keepdims=True", "f64_34, keepdims=True", "i8_",
               "u32_34, axis=1"],
    "argmin": ["f64_34", "f64_34, axis=0", "f64_34, axis=-1, keepdims=True", "f64_34, keepdims=True", "i8_",
               "u32_34, axis=1"],
    "count_nonzero": ["i8_34", "b_34, axis=0", "f64_34, axis=(0, 1), keepdims=True", "c64_3", "u64_234, axis=(0, -1)",
                      "i8_34, axis=()"],
    "nonzero": ["i8_34", "b_3", "f64_234", "i8_0"],
    "searchsorted": ["f64s_4, f64_34", "f64s_4, f64_34, side='right'", "f64_4, f64_3, sorter=xp.argsort(f64_4)",
                     "i8s_4, i16_3",
                     "u32s_4, u32_", "f32s_4, f64_3", "f64s_0, f64_3"],
    "take": ["f64_34, i64n_2, axis=0", "f64_34, i32n_2, axis=1", "f64_3, i64n_5", "b_34, u8n_2, axis=-1",
             "i8_3, i64n_0",
             "f64_3, xp.asarray([-1, -3])"],
    "take_along_axis": ["f64_34, i64n_32", "f64_34, i64n_24, axis=0", "i8_34, i32n_32, axis=1",
                        "f64_34, i64n_12, axis=1",
                        "f64_34, xp.asarray([[-1], [0], [-4]])"],
    "where": ["b_34, f64_34, f64_4", "b_3, f32_3, f64_3", "b_3, i8_3, u8_", "b_3, f32_3, 1.0", "b_, 2, i8_3",
              "b_34, b_34, b_34",
              "b_34, i16_, i8_4"],
    # manipulation
    "broadcast_arrays": ["f64_31, i8_4", "f64_", "f64_3, f64_"],
    "broadcast_to": ["f64_31, (3, 4)", "i8_, (2, 2)", "f64_4, shape=(3, 4)"],
    "concat": ["[f64_34, f64_24]", "(f64_34, f64_32), axis=-1", "[f32_34, f64_34]", "[i8_34, u8_2], axis=None",
               "[b_3, b_3]"],
    "expand_dims": ["f64_34, axis=0", "f64_34, axis=-1", "f64_34, axis=1", "f64_, axis=0"],
    "flip": ["f64_34", "f64_34, axis=0", "i8_234, axis=(0, -1)", "f64_"],
    "moveaxis": ["f64_234, 0, -1", "f64_234, (0, 1), (2, 0)", "f64_, (), ()"],
    "permute_dims": ["f64_234, (2, 0, 1)", "f64_, ()", "i8_34, axes=(1, 0)"],
    "repeat": ["f64_34, 2", "f64_34, 2, axis=1", "f64_34, i64n_3, axis=0", "i8_3, i32n_3", "f64_3, i64n_1"],
    "reshape": ["f64_34, (4, 3)", "f64_34, (-1,)", "f64_34, (2, 6), copy=True", "f64_34, shape=(12,), copy=False",
                "f64_, (1, 1)"],
    "roll": ["f64_34, 1", "f64_34, 1, axis=0", "f64_34, (1, -2), axis=(0, 1)", "f64_34, 2, axis=(0, 1)", "i8_5, -7"],
    "squeeze": ["f64_131, 0", "f64_131, (0, 2)", "f64_131, axis=-1"],
    "stack": ["[f64_34, f64_34]", "[f32_3, f64_3], axis=-1", "(i8_3, u8_3), axis=1", "[f64_]"],
    "tile": ["f64_34, (2, 1)", "f64_3, (2, 2)", "f64_34, (2,)", "f64_, ()"],
    "unstack": ["f64_34", "f64_34, axis=1", "i8_3"],
    # sets and order
    "argsort": ["f64_34", "f64_34, axis=0", "i8_34, descending=True", "u16_5", "i8_34, descending=True, stable=True"],
    "sort": ["f64_34", "f64_34, axis=0", "i8_34, descending=True", "u64_34, stable=False", "f32_0"],
    "unique_all": ["i8_34", "u32_34", "f64_5", "b_34", "i8_0", "f64_", "f64x_"],
    "unique_counts": ["i8_34", "f64x_"], "unique_inverse": ["i8_34", "f64x_"], "unique_values": ["i8_34", "f64x_",
                      "f32_3"],
    # statistics
    **{name: ["f64_34", "f64_34, axis=0", "f32_34, axis=(0, 1)", "i8_34", "u8_34", "i32_34, axis=1", "u32_34", "u64_3",
              "c64_34, axis=-1", "f64_234, axis=(0, -1), keepdims=True", "f64_34, axis=()", "f64_",
              "i16_3, dtype=xp.int32",
              "f32_3, dtype=xp.float64", "f64_0", "i64_34, keepdims=True"] for name in ("sum", "prod")},
    **{name: ["f64_34", "f64_34, axis=0", "i8_34", "u16_234, axis=(0, -1), keepdims=True", "f64_34, axis=()", "f32_",
              "i64_34, keepdims=True"] for name in ("max", "min")},
    "mean": ["f64_34", "f32_34, axis=0", "f64_234, axis=(0, -1), keepdims=True", "f64_34, axis=()", "c64_34", "f32_"],
    **{name: ["f64_34", "f32_34, axis=0", "f64_234, axis=(0, -1), keepdims=True", "f64_34, correction=1", "f64_",
              "f64_34, axis=1, correction=0.5", "f64_34, axis=()"] for name in ("std", "var")},
    **{name: ["f64_5", "f32_34, axis=0", "i8_34, axis=-1", "u8_5", "u16_34, axis=1",
              "f64_34, axis=0, include_initial=True",
              "i8_5, include_initial=True", "i8_3, dtype=xp.float32", "c64_5",
              "u8_5, dtype=xp.uint8, include_initial=True"]
       for name in ("cumulative_prod", "cumulative_sum")},
    **{name: ["b_34", "b_34, axis=0", "f64_34", "i8_234, axis=(0, -1), keepdims=True", "u32_34, axis=1", "b_", "b_0",
              "b_34, axis=()",
              "c64_3"] for name in ("all", "any")},
    "diff": ["f64_34", "f64_34, axis=0", "i8_5, n=2", "f64_5, prepend=f64_2, append=f64_1", "u16_5", "f64_5, n=0"],
    # linear algebra
    "matmul": ["f64_34, f64_42", "f64_3, f64_3", "f64_234, f64_43", "f32_34, f64_4", "i8_34, i8_43", "u16_34, i16_4",
               "c64_34, c64_4",
               "i32_3, i32_34"],
    "matrix_transpose": ["f64_34", "i8_234"],
    "tensordot": ["f64_34, f64_42, axes=1", "f64_234, f64_34", "f64_34, f64_34, axes=([0], [0])", "i8_3, i8_2, axes=0",
                  "f32_34, f64_34, axes=((0, 1), (0, 1))", "u32_3, u32_3, axes=1"],
    "vecdot": ["f64_34, f64_34", "c64_34, c64_4", "i8_34, i8_34", "f64_3, f64_3", "f32_34, f64_34, axis=-2",
               "u16_3, u16_3"],
    "linalg.cholesky": ["f64m_33", "f32m_233", "c128m_33", "f64m_33, upper=True", "c128m_33, upper=True"],
    "linalg.cross": ["f64_3, f64_3", "f64_43, f64_3", "f64_34, f64_34, axis=-2", "i8_3, i8_3", "c64_3, c64_3",
                     "f32_3, f64_3"],
    "linalg.det": ["f64_33", "f32_233", "c64_22"],
    "linalg.diagonal": ["f64_34", "i8_234, offset=1", "f64_33, offset=-1", "f64_33, offset=3"],
    "linalg.eigh": ["f64m_33", "f32m_233", "c128m_33"], "linalg.eigvalsh": ["f64m_33", "f32m_233", "c128m_33"],
    "linalg.inv": ["f64m_33", "f32m_233", "c128m_33"],
    "linalg.matrix_norm": ["f64_34", "f32_234, keepdims=True", "f64_34, ord='nuc'", "f64_34, ord=1", "f64_34, ord=-2",
                           "f64_34, ord=float('inf')", "c64_34, ord=2"],
    "linalg.matrix_power": ["f64_33, 3", "f64m_33, -2", "f32_233, 0"],
    "linalg.matrix_rank": ["f64_34", "f32_234", "f64_34, rtol=0.5", "xp.ones((3, 3))", "c128_33"],
    "linalg.outer": ["f64_3, f64_4", "i8_3, i16_2", "c64_2, c64_2"],
    "linalg.pinv": ["f64_34", "f32_243", "f64_34, rtol=0.5", "c128_34"],
    "linalg.qr": ["f64_43", "f32_234", "f64_43, mode='complete'", "c128_33"],
    "linalg.slogdet": ["f64_33", "f32_233", "c64_22"],
    "linalg.solve": ["f64m_33, f64_3", "f64m_33, f64_32", "f32m_233, f32_234", "f64m_33, f64_234",
                     "f64m_333, f64_33", "c128m_33, c128_3", "f32m_33, f64_3"],
    "linalg.svd": ["f64_34, full_matrices=False", "f32_233", "c128_34, full_matrices=False"],
    "linalg.svdvals": ["f64_34", "f32_233", "c128_33"],
    "linalg.trace": ["f64_34", "i8_234, offset=1", "u8_33", "f32_33, dtype=xp.float64"],
    "linalg.vector_norm": ["f64_34", "f64_34, axis=0", "f32_234, axis=(0, 1), keepdims=True", "f64_34, ord=1",
                           "f64_34, ord=0",
                           "f64_34, ord=float('inf')", "f64_34, axis=(), ord=2", "c64_34, ord=3", "f64_"],
    # Fourier transforms
    **{f"fft.{name}": ["c128_34", "c64_34, axis=0", "c128_5, n=3", "c128_5, n=8, norm='ortho'",
                       "c128_34, norm='forward'"]
       for name in ("fft", "ifft", "hfft", "irfft")},
    **{f"fft.{name}": ["f64_34", "f32_34, axis=0", "f64_5, n=3", "f64_5, n=8, norm='ortho'", "f64_34, norm='forward'"]
       for name in ("rfft", "ihfft")},
    **{f"fft.{name}": ["c128_34", "c64_234, axes=(0, 2)", "c128_34, s=(2, 5), axes=(0, 1), norm='ortho'"]
       for name in ("fftn", "ifftn", "irfftn")},
    "fft.rfftn": ["f64_34", "f32_234, axes=(0, 2)", "f64_34, s=(2, 5), axes=(0, 1), norm='ortho'"],
    **{f"fft.{name}": ["f64_5", "f64_34", "f64_34, axes=1", "c64_34, axes=(0, 1)"] for name in ("fftshift",
                       "ifftshift")},
    **{f"fft.{name}": ["5", "6, d=0.5", "3, dtype=xp.float32"] for name in ("fftfreq", "rfftfreq")},
}
for _name in ("matmul", "matrix_transpose", "tensordot", "vecdot"):
    CASES[f"linalg.{_name}"] = CASES[_name][:2]
