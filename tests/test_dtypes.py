"""Dtypes, promotion, limits, devices and sizes, compared with PyTorch's pair by pair."""
import copy
import pickle
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
import torch

from leafward import devices, dtypes
from leafward.tensor.size import Size
from tests.oracle import Outcome

NAMES = tuple(dtypes.by_name)
WITH_MEMORY = tuple(n for n in NAMES if dtypes.by_name[n] not in dtypes.PACKED)
SCALARS = (True, 3, 2.5, 1j)
DEFAULTS = ("float32", "float64", "float16", "bfloat16")

pytestmark = [
    pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental"),
    pytest.mark.filterwarnings("ignore:'mkldnn' is no longer used"),
]


def told(function, *args, **kwargs):
    """What a call says: its result as text, or the type and first line of its error."""
    outcome = Outcome(function, args, kwargs)
    if outcome.error is not None:
        return type(outcome.error).__name__, str(outcome.error).split("\n")[0]
    return str(outcome.value)


@pytest.fixture(params=DEFAULTS)
def default(request):
    """The same default dtype on both sides."""
    dtypes.set_default_dtype(dtypes.by_name[request.param])
    torch.set_default_dtype(getattr(torch, request.param))
    yield dtypes.by_name[request.param]
    dtypes.set_default_dtype(dtypes.float32)
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_has_pytorchs_attributes(name):
    ours, theirs = dtypes.by_name[name], getattr(torch, name)
    assert getattr(dtypes, name) is ours
    assert repr(ours) == str(ours) == str(theirs)
    for field in ("abbr", "is_complex", "is_floating_point", "is_signed", "itemsize"):
        assert getattr(ours, field) == getattr(theirs, field), field
    for method in ("to_real", "to_complex"):
        assert told(getattr(ours, method)) == told(getattr(theirs, method))
    assert f"torch.{ours.tensor_type}" == torch.empty(0, dtype=theirs).type()


@pytest.mark.parametrize("one", [dtypes.float32, dtypes.bool, dtypes.strided, dtypes.channels_last], ids=str)
def test_constants_are_single(one):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(one, protocol)) is one
    assert copy.copy(one) is copy.deepcopy(one) is one
    assert one == one and one != dtypes.int8 and {one: 1}[one] == 1
    with pytest.raises(TypeError, match=f"cannot create 'torch.{type(one).__name__}' instances"):
        type(one)()
    with pytest.raises(TypeError, match="is not an acceptable base type"):
        type("Child", (type(one),), {})
    with pytest.raises(AttributeError, match="is not writable"):
        one.name = "other"
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        one.colour = "red"


@pytest.mark.parametrize("name", ["strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc",
                                  "jagged", "contiguous_format", "channels_last", "channels_last_3d",
                                  "preserve_format"])
def test_layouts_print_as_pytorchs(name):
    assert repr(getattr(dtypes, name)) == repr(getattr(torch, name))


@pytest.mark.parametrize("function", ["promote_types", "can_cast"])
def test_every_pair(function):
    ours, theirs = getattr(dtypes, function), getattr(torch, function)
    for a, b in product(NAMES, NAMES):
        expected = told(theirs, getattr(torch, a), getattr(torch, b))
        assert told(ours, dtypes.by_name[a], dtypes.by_name[b]) == expected, (a, b)
    assert told(ours, "float32", dtypes.int8) == told(theirs, "float32", torch.int8)
    assert told(ours, dtypes.int8, 1) == told(theirs, torch.int8, 1)


def result_type_of(*operands):
    """``result_type`` from operands: a dtype name with dimensions ("int8 3"), 0-dim ("int8"), or a number."""
    classes = {"dimensioned": None, "zero_dim": None, "scalar": None}
    for operand in operands:
        if isinstance(operand, str):
            name, *shape = operand.split()
            slot, of = "dimensioned" if shape else "zero_dim", dtypes.by_name[name]
        else:
            slot, of = "scalar", dtypes.scalar_dtype(operand)
        classes[slot] = of if classes[slot] is None else dtypes.promote_types(classes[slot], of)
    return dtypes.result_type(**classes)


def as_operand(operand):
    if not isinstance(operand, str):
        return operand
    name, *shape = operand.split()
    return torch.empty([int(n) for n in shape], dtype=getattr(torch, name))


def test_result_type_of_every_pair_of_operands(default):
    tensors = [name + shape for name in (*WITH_MEMORY, "complex32") for shape in ("", " 2")]
    for pair in product(tensors, [*tensors, *SCALARS]):
        assert told(result_type_of, *pair) == told(torch.result_type, *map(as_operand, pair)), pair
    for pair in product(SCALARS, SCALARS):
        assert told(result_type_of, *pair) == told(torch.result_type, *pair), pair


def test_scalar_dtype_takes_numbers_only():
    with pytest.raises(TypeError, match="not str"):
        dtypes.scalar_dtype("1")


@pytest.mark.parametrize("name", [*WITH_MEMORY, "complex32"])
@pytest.mark.parametrize("limits", ["finfo", "iinfo"])
def test_limits(limits, name):
    ours, theirs = getattr(dtypes, limits), getattr(torch, limits)
    expected = told(theirs, getattr(torch, name))
    assert told(ours, dtypes.by_name[name]) == expected
    if isinstance(expected, str):
        mine, its = ours(dtypes.by_name[name]), theirs(getattr(torch, name))
        assert all(getattr(mine, field) == getattr(its, field) for field in ours.__slots__)
        assert mine == ours(dtypes.by_name[name])
        with pytest.raises(TypeError, match="unhashable"):
            hash(mine)


def test_limits_of_the_default(default):
    assert str(dtypes.finfo()) == str(torch.finfo())
    assert told(dtypes.finfo, "float32") == told(torch.finfo, "float32")
    assert told(dtypes.iinfo, 1) == told(torch.iinfo, 1)


@pytest.mark.parametrize("name", [*NAMES, None])
def test_default_dtype_is_accepted_or_refused_as_in_pytorch(name):
    ours, theirs = (dtypes.by_name[name], getattr(torch, name)) if name else ("float32", "float32")
    try:
        assert told(dtypes.set_default_dtype, ours) == told(torch.set_default_dtype, theirs)
        assert str(dtypes.get_default_dtype()) == str(torch.get_default_dtype())
    finally:
        dtypes.set_default_dtype(dtypes.float32)
        torch.set_default_dtype(torch.float32)


# Devices

DEVICES = [
    ("cpu",), ("cpu:0",), ("cpu", 0), ("cpu", None), ("cpu:127",), ("cpu", -1), ("cuda",), ("cuda:1",), ("cuda", 1),
    ("cuda:-1",), ("meta",), ("meta:0",), ("mps",), ("vulkan:3",), ("privateuseone",), ("foo",), ("foo:1",), ("CPU",),
    ("cpu:x",), ("cpu:01",), ("cpu:00",), ("cpu:",), (":0",), ("",), ("cpu ",), ("c pu",), ("cpu:+1",), ("cpu:1:2",),
    ("é",), ("cpu1",), ("a_b",), (0,), (-1,), (True,), (None,), (1.5,), (), ("cpu:0", 0), ("cpu", "0"),
    ("cpu", 0, 1)]


@pytest.mark.parametrize("args", DEVICES, ids=str)
def test_devices_are_named_as_in_pytorch(args):
    assert told(devices.device, *args) == told(torch.device, *args)
    ours, theirs = Outcome(devices.device, args).value, Outcome(torch.device, args).value
    if theirs is not None:
        assert (repr(ours), ours.type, ours.index) == (repr(theirs), theirs.type, theirs.index)
        assert devices.device(ours) == ours and hash(devices.device(ours)) == hash(ours)
        assert pickle.loads(pickle.dumps(ours)) == copy.copy(ours) == ours
        assert ours.__reduce__()[1] == theirs.__reduce__()[1]


def test_devices_are_compared_by_type_and_index():
    assert devices.device(type="cpu", index=0) == devices.device("cpu:0") != devices.device("cpu")
    assert devices.device("cpu") != "cpu"
    with pytest.raises(AttributeError, match="is not writable"):
        devices.device("cpu").type = "cuda"
    with pytest.raises(TypeError, match=r"argument 'type' \(position 1\) must be str, not torch.device"):
        devices.device(devices.device("cpu"), 0)
    with pytest.raises(TypeError, match="is not an acceptable base type"):
        type("Child", (devices.device,), {})


@pytest.mark.parametrize("name", ["cuda", "cuda:1", "xpu", "mtia", "xla", "lazy", "vulkan", "foo", 0])
def test_a_device_that_is_not_there_is_refused_when_used(name):
    ours, theirs = Outcome(devices.check_device, (name,)).error, Outcome(torch.empty, (1,), {"device": name}).error
    assert type(ours) is type(theirs)
    assert str(theirs).startswith(str(ours).split("\n")[0].rstrip("."))


def test_moving_to_mps_and_meta():
    with pytest.raises(RuntimeError, match="PyTorch is not linked with support for mps devices"):
        devices.check_device("mps")
    with pytest.raises(NotImplementedError, match="with torch.device"):
        devices.check_device("meta")
    with pytest.raises(TypeError, match=r"empty\(\): argument 'device' must be torch.device, not float"):
        devices.check_device(1.5, "empty")


def test_the_default_device():
    cpu = devices.device("cpu")
    assert devices.get_default_device() == cpu
    for one in (None, "cpu", "cpu:1", devices.device("cpu", 3)):
        assert devices.check_device(one) == cpu        # as torch.empty(1, device="cpu:1").device is
    with devices.device("cpu:0") as inside:
        assert devices.get_default_device() is inside
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"), devices.device("cuda"):
        pass
    devices.set_default_device("cpu:0")
    assert str(devices.get_default_device()) == "cpu:0"
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        devices.set_default_device("cuda")
    assert str(devices.get_default_device()) == "cpu:0"
    devices.set_default_device(None)
    assert devices.get_default_device() == cpu


# Sizes

SIZES = {
    "empty": lambda Size: Size(),
    "from a list": lambda Size: Size([2, 3]),
    "from a generator": lambda Size: Size(n for n in (2, 3)),
    "from bools": lambda Size: Size([True, 2]),
    "from tensors": lambda Size: Size([torch.tensor(3)]),
    "from a size": lambda Size: Size(Size([2, 3])),
    "of a float": lambda Size: Size([2, 1.5]),
    "of a string": lambda Size: Size("ab"),
    "of an int": lambda Size: Size(3),
    "slice": lambda Size: Size([2, 3, 4])[1:],
    "reversed": lambda Size: Size([2, 3, 4])[::-1],
    "item": lambda Size: Size([2, 3, 4])[-1],
    "no item": lambda Size: Size([2, 3, 4])[9],
    "plus a tuple": lambda Size: Size([2]) + (3, 4),
    "tuple plus": lambda Size: (3, 4) + Size([2]),
    "plus a list": lambda Size: Size([2]) + [3],
    "plus floats": lambda Size: Size([2]) + (3.5,),
    "times": lambda Size: (Size([2, 3]) * 2, 2 * Size([2, 3])),
    "times a float": lambda Size: Size([2]) * 1.5,
    "numel": lambda Size: (Size([2, 3, 4]).numel(), Size().numel(), Size([2, 0]).numel()),
    "equal": lambda Size: (Size([2]) == (2,), Size([2]) == [2], hash(Size([2])) == hash((2,))),
    "copied": lambda Size: (copy.copy(Size([2])), copy.deepcopy(Size([2])), pickle.loads(pickle.dumps(Size([2])))),
    "formatted": lambda Size: f"{Size([2])} {Size([2])!r} {tuple(Size([2]))}",
    "in": lambda Size: (2 in Size([2]), Size([2, 2]).count(2), Size([1, 2]).index(2), len(Size([1]))),
}


@pytest.mark.parametrize("case", SIZES)
def test_sizes(case):
    ours, theirs = Outcome(SIZES[case], (Size,)), Outcome(SIZES[case], (torch.Size,))
    assert type(ours.error) is type(theirs.error)
    assert repr(ours.value) == repr(theirs.value)
    if "float" in case and "times" not in case:
        assert str(ours.error) == str(theirs.error)


def test_a_size_plus_an_array_is_an_array():
    assert (Size([2, 3]) + np.array([1, 1])).tolist() == [3, 4]


def test_without_ml_dtypes_the_rest_runs():
    """Where there is no wheel of it, as on Alpine, leafward can be installed without."""
    program = """if True:
        import sys
        sys.modules["ml_dtypes"] = None
        import leafward as torch
        layer = torch.nn.Linear(3, 2)
        layer(torch.ones(4, 3)).sum().backward()
        torch.optim.Adam(layer.parameters()).step()
        print(layer.weight.grad.tolist(), torch.ones(2).half().sum().item())
        for dtype in torch.bfloat16, torch.float8_e5m2:
            try:
                torch.ones(2).to(dtype)
            except ModuleNotFoundError as error:
                print(error.name, "pip install ml_dtypes" in str(error))
    """
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]] 2.0", *["ml_dtypes True"] * 2], done.stderr
