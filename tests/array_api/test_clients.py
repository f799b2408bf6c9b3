"""What is written for any array library runs on leafward's tensors: array-api-compat, array-api-extra, scikit-learn."""
import os
import subprocess
import sys

import array_api_compat
import array_api_extra as xpx
import array_api_strict as strict
import numpy as np
import pytest

import leafward
from leafward import array_api

from .cases import Arrays
from .compare import OURS, THEIRS, assert_same, evaluated


# --- finding the namespace -------------------------------------------------------------------------------------------

def test_a_tensor_names_its_namespace():
    x = leafward.ones(2)
    assert x.__array_namespace__() is array_api
    assert x.__array_namespace__(api_version="2023.12") is array_api
    with pytest.raises(ValueError, match="version '2035.12' is not supported: 2024.12 is the latest here"):
        x.__array_namespace__(api_version="2035.12")


def test_compat_finds_the_namespace():
    x = leafward.nn.Parameter(leafward.ones(2))
    assert array_api_compat.array_namespace(x, leafward.ones(3), 1.0, None) is array_api
    assert array_api_compat.is_array_api_obj(x)
    assert not array_api_compat.is_torch_array(x)
    with pytest.raises(TypeError, match="Multiple namespaces"):
        array_api_compat.array_namespace(x, np.ones(2))


def test_compat_asks_about_devices_and_sizes():
    x = leafward.ones(2, 3)
    assert array_api_compat.device(x) == leafward.device("cpu")
    assert array_api_compat.to_device(x, "cpu") is x
    assert array_api_compat.size(x) == 6
    assert array_api_compat.is_writeable_array(x)
    assert not array_api_compat.is_lazy_array(x)
    with pytest.raises(ValueError, match="the CPU has no streams"):
        x.to_device("cpu", stream=1)


# --- what the namespace says of itself -------------------------------------------------------------------------------

def test_default_dtypes_follow_the_setting():
    info = array_api.__array_namespace_info__()
    assert info.default_dtypes()["complex floating"] is array_api.complex128
    leafward.set_default_dtype(leafward.float32)
    assert info.default_dtypes() == {"real floating": leafward.float32, "complex floating": leafward.complex64,
                                     "integral": leafward.int64, "indexing": leafward.int64}
    assert array_api.asarray(1.5).dtype is array_api.linspace(0, 1, 2).dtype is leafward.float32


@pytest.mark.parametrize("kind", [None, "bool", "signed integer", "unsigned integer", "integral", "real floating",
                                  "complex floating", "numeric", ("bool", "integral")])
def test_dtypes_of_a_kind(kind):
    ours, theirs = (xp.__array_namespace_info__().dtypes(kind=kind) for xp in (array_api, strict))
    assert ours.keys() == theirs.keys()
    assert all(array_api.isdtype(d, kind or ("bool", "numeric")) for d in ours.values())


def test_capabilities():
    info = array_api.__array_namespace_info__()
    assert info.capabilities() == strict.__array_namespace_info__().capabilities()
    assert info.devices() == [info.default_device()] == [leafward.device("cpu")]
    with pytest.raises(ValueError, match="unknown kind of dtype 'integer'"):
        info.dtypes(kind="integer")


# --- refusals --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("call", "error", "text"), [
    ("xp.squeeze(f64_34, 0)", ValueError, "dimension 0 has size 3"),
    ("xp.take(f64_34, i64n_2)", ValueError, "2 dimensions needs axis="),
    ("xp.cumulative_sum(f64_34)", ValueError, "2 dimensions needs axis="),
    ("xp.nonzero(f64_)", ValueError, "it has no places"),
    ("xp.reshape(f64_34.T, (12,), copy=False)", ValueError, "do not allow a view of shape"),
    ("xp.asarray(f64_3, dtype=xp.float32, copy=False)", ValueError, "leave out copy=False"),
    ("xp.asarray([1, 2], copy=False)", ValueError, "can't alias arbitrary sequence"),
    ("xp.add(u64_3, i64_3)", TypeError, "no integer dtype holds both"),
    ("xp.result_type(1, 2.0)", ValueError, "at least one array or dtype"),
    ("xp.add(f64_3, 'text')", TypeError, "a bool, int, float or complex number was expected"),
    ("xp.isdtype(xp.int8, 'integer')", ValueError, "unknown kind of dtype 'integer'"),
    ("xp.sum(f64_34, axis=2)", IndexError, "Dimension out of range"),
    ("xp.zeros(3, device='cuda')", AssertionError, "leafward computes on the CPU"),
])
def test_refuses(call, error, text):
    with pytest.raises(error, match=text):
        evaluated(call, OURS)


def test_asarray_of_a_tensor_keeps_its_history():
    x = leafward.ones(2, requires_grad=True)
    assert array_api.asarray(x) is x
    array_api.asarray(x, dtype=array_api.float64, copy=True).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


# --- array-api-extra -------------------------------------------------------------------------------------------------

#: Function -> its calls; ``xp=xp`` where no argument is an array.
CALLS = {
    "angle": ["c128_34", "c128_3, deg=True"],
    "apply_where": ["f64_34 > 0, f64_34, lambda x: x * 2, lambda x: x - 1",
                    "f64_34 > 0, f64_34, xp.sqrt, fill_value=7.0"],
    "argpartition": ["xp.flip(f64s_5), 2"],
    "at": ["f64_34, (0, slice(None))).set(7.0", "f64_34, (1, ...)).add(f64_4", "f64_5, f64_5 > 0).multiply(2.0"],
    "atleast_nd": ["f64_3, ndim=3"],
    "broadcast_shapes": ["(3, 1), (4,)"],
    "cov": ["f64_34", "f64_34, axis=0", "f64_34, correction=0"],
    "create_diagonal": ["f64_3", "i8_23, offset=1"],
    "default_dtype": ["xp", "xp, 'integral'"],
    "deg2rad": ["f64_3"], "rad2deg": ["f64_3"],
    "diag_indices": ["3, xp=xp"], "tril_indices": ["3, xp=xp"], "triu_indices": ["3, offset=1, xp=xp"],
    "expand_dims": ["f64_3, axis=(0, 2)"],
    "isclose": ["f64_34, f64_34 + 1e-9", "f64x_, f64x_, equal_nan=True", "i8_3, i8_3"],
    "isin": ["i8_34, i8_3", "i8_34, i8_3, invert=True"],
    "kron": ["f64_3, f64_23"],
    "lazy_apply": ["lambda x: x * 2, f64_3"],
    "nan_to_num": ["f64x_"],
    **{name: ["f64x_", "xp.stack([f64x_, f64x_]), axis=0"] for name in ("nanmax", "nanmean", "nanmin", "nansum")},
    "nunique": ["i8_34"],
    "one_hot": ["i64n_3, 4", "i64n_23, 3, axis=0"],
    "pad": ["f64_34, 2", "f64_34, [(1, 0), (0, 2)], constant_values=1.5"],
    "partition": ["f64_5, 2"],
    "searchsorted": ["f64s_4, f64_34"],
    "setdiff1d": ["i8_34, i8_3"], "union1d": ["i8_34, i8_3"],
    "sinc": ["f64_34", "f64x_"],
    "unravel_index": ["i64n_5, (2, 3)"],
}


def test_every_extra_function_has_calls():
    assert CALLS.keys() == set(xpx.__all__) - {"__version__", "testing"}


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in CALLS.items() for call in calls])
def test_extra(name, call):
    def run(arrays):
        with_package = Arrays(arrays["xp"], arrays.make)        # fresh: `at` writes into its array
        with_package["xpx"] = xpx
        return evaluated(f"xpx.{name}({call})", with_package)
    ours, theirs = run(OURS), run(THEIRS)
    if name in ("argpartition", "partition"):                   # the parts have no order within
        assert np.asarray(ours)[2] == np.asarray(theirs)[2]
    else:
        assert_same(ours, theirs)


# --- SciPy and scikit-learn ------------------------------------------------------------------------------------------

PROGRAM = """
import leafward as lw
import scipy.special
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

data, labels = load_iris(return_X_y=True)
x, y = lw.from_numpy(data), lw.from_numpy(labels)
with config_context(array_api_dispatch=True):
    found = LinearDiscriminantAnalysis().fit(x, y).predict(x)
    print(type(found).__name__, (found == y).sum().item())
    print(PCA(2, svd_solver="full").fit_transform(x).shape)

logits = lw.tensor([0.0, 1.0, 2.0], requires_grad=True)
scipy.special.logsumexp(logits).backward()
print(lw.allclose(logits.grad, logits.softmax(0)))
"""


def test_scipy_and_scikit_learn_compute_with_tensors():
    done = subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True,
                          env={**os.environ, "SCIPY_ARRAY_API": "1"})
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["Tensor 147", "torch.Size([150, 2])", "True"]
