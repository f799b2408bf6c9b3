"""Creation functions and data: values, dtypes, strides and refusals, against PyTorch."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leafward
from leafward.ops.creation import creations
from tests.both import both
from tests.oracle import assert_same, assert_same_outcome, Outcome, torch

SAMPLES = [(declared, sample) for declared in creations for sample in declared.samples]

#: What PyTorch computes in the dtype of the result, and leafward in float64.
ROUNDED = ("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window", "logspace", "randn",
           "randn_like")


def made(t, name, sample, **kwargs):
    t.manual_seed(3)
    with np.errstate(all="raise"):
        return eval(f"t.{name}({sample})", {"t": t, **kwargs})


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("declared, sample", SAMPLES,
                         ids=[f"{declared.name}({sample})" for declared, sample in SAMPLES])
def test_every_sample(declared, sample):
    ours, theirs = made(leafward, declared.name, sample), made(torch, declared.name, sample)
    if "empty" in declared.name:
        ours.zero_(), theirs.zero_()
    tolerance = None if declared.name in ROUNDED else 0
    assert_same(ours, theirs, strides=True, rtol=tolerance, atol=tolerance)
    assert not ours.requires_grad and ours.is_leaf
    if ours.dtype.is_floating_point:
        recording = made(leafward, declared.name, sample + ", requires_grad=True")
        assert recording.requires_grad and recording.is_leaf


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@pytest.mark.parametrize("declared",
                         [c for c in creations if not c.like and "out (Tensor" in getattr(torch, c.name).__doc__
                                      and "empty" not in c.name], ids=lambda c: c.name)
def test_out(declared):
    """``out=`` gives its dtype, is resized, and is returned."""
    sample = declared.samples[0]
    for start in ("t.empty(0)", "t.empty(0, dtype=t.float64)", "t.empty(1, 7)"):
        outcomes = [Outcome(made, (t, declared.name, f"{sample}, out={start}")) for t in (leafward, torch)]
        assert_same_outcome(*outcomes, rtol=1e-6, atol=1e-6)
    target = leafward.empty(0)
    assert made(leafward, declared.name, sample + ", out=target", target=target) is target


@pytest.mark.parametrize("declared", [c for c in creations if c.new], ids=lambda c: c.name)
@pytest.mark.parametrize("dtype", ["float64", "int64", "bool", "bfloat16"])
def test_new(declared, dtype):
    for sample in declared.samples:
        ours, theirs = (Outcome(eval, (f"t.ones(2, dtype=t.{dtype}).new_{declared.name}({sample})", {"t": t}))
                        for t in (leafward, torch))
        if "empty" in declared.name:
            ours.get().zero_(), theirs.get().zero_()
        assert_same_outcome(ours, theirs, rtol=0, atol=0)


numbers = st.floats(-1000, 1000)


@given(start=numbers, end=numbers, count=st.integers(1, 100),
       dtype=st.sampled_from(["float32", "float64", "float16", "bfloat16"]))
def test_arange_rounds_as_pytorch(start, end, count, dtype):
    step = (end - start) / count
    ours, theirs = (Outcome(t.arange, (start, end, step), {"dtype": getattr(t, dtype)}) for t in (leafward, torch))
    assert_same_outcome(ours, theirs, rtol=0, atol=0)


@given(start=st.integers(-300, 300), end=st.integers(-300, 300), step=st.integers(-9, 9),
       dtype=st.sampled_from(["int64", "int32", "int16", "float32", "float64", "float16", "bfloat16"]))
def test_whole_ranges(start, end, step, dtype):
    ours, theirs = (Outcome(t.arange, (start, end, step), {"dtype": getattr(t, dtype)}) for t in (leafward, torch))
    assert_same_outcome(ours, theirs, rtol=0, atol=0)


@given(start=numbers, end=numbers, steps=st.integers(0, 100),
       dtype=st.sampled_from(["float32", "float64", "float16", "bfloat16", "int64", "int16"]))
def test_linspace_rounds_as_pytorch(start, end, steps, dtype):
    ours, theirs = (Outcome(t.linspace, (start, end, steps), {"dtype": getattr(t, dtype)}) for t in (leafward, torch))
    assert_same_outcome(ours, theirs, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("start, end, steps", [(0, 1, 32769), (-3.7e4, 1e-3, 65536), (1e30, -2e30, 100003), (5.1, 5.1, 40000)])
def test_a_long_linspace_rounds_as_pytorch(start, end, steps, dtype):
    ours, theirs = (t.linspace(start, end, steps, dtype=getattr(t, dtype)).numpy() for t in (leafward, torch))
    assert np.array_equal(ours, theirs)


@given(shape=st.lists(st.integers(1, 3), max_size=4), data=st.data())
def test_likes_keep_the_order_of_memory(shape, data):
    order = data.draw(st.permutations(range(len(shape))))
    steps = tuple(slice(None, None, data.draw(st.integers(1, 2))) for _ in shape)
    layouts = []
    for t in leafward, torch:
        x = t.empty([2 * n for n in shape]).permute(order)[steps]
        layouts.append((x.stride(), t.zeros_like(x).stride(),
                        t.ones_like(x, memory_format=t.contiguous_format).stride()))
    assert layouts[0] == layouts[1]


PINNED = {
    "like": lambda t: t.zeros_like(t.ones(2), pin_memory=True), "new": lambda t: t.ones(2).new_zeros(2, pin_memory=True),
    "tensor": lambda t: t.tensor([1.0], pin_memory=True), "scalar": lambda t: t.scalar_tensor(1.0, pin_memory=True),
    "random": lambda t: t.randint(3, (2,), pin_memory=True), "plain": lambda t: t.arange(3, pin_memory=True),
    "frequencies": lambda t: t.fft.rfftfreq(5, pin_memory=True), "window": lambda t: t.hann_window(4, pin_memory=True),
    "normal": lambda t: t.normal(0.0, 1.0, (2,), pin_memory=True),
}


def handing_on(t):
    class HandingOn(t.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))
    return HandingOn()


@pytest.mark.parametrize("inside", ["t.enable_grad()", "t.autocast('cpu')", "t.no_grad()", "t.inference_mode()",
                                    "handing_on(t)"])
def test_memory_that_there_is_not(inside):
    """Whatever mode hands the call on."""
    @both
    def scenario(t, see):
        for make in PINNED.values():
            with eval(inside):
                see.raises(make, t)
    scenario()


@both
def test_refusals(t, see):
    for make in (t.zeros, t.ones, t.empty, t.rand):
        for size in ((2, -1), ((2, -1),), (2.0,), ((2, 3.0),), ("a",), (2, "a"), (True,), ((True,),), (None,)):
            see.raises(make, *size)
    see.raises(t.zeros)
    see.raises(t.zeros, 2, foo=1)
    see.raises(t.zeros, 2, dtype="float32")
    see.raises(t.zeros, 2, dtype=np.float32)
    see.raises(t.zeros, 2, dtype=t.int64, requires_grad=True)
    see.raises(t.zeros, 2, device="cuda")
    see.raises(t.zeros, 2, pin_memory=True)
    see.raises(t.zeros, 2, out=t.empty(2, dtype=t.int64), dtype=t.float32)
    see.raises(t.zeros, 2, out=t.empty(2, requires_grad=True))
    see.raises(t.empty, 2, 3, memory_format=t.channels_last)
    see.raises(t.empty, 2, 3, memory_format=t.preserve_format)
    see.raises(t.ones_like, t.ones(2, 3), memory_format=t.channels_last)
    see.raises(t.zeros_like, [1, 2])
    for args in ((2, 3), ((2,), "a"), ((2,), t.tensor([3.0, 4])), ((-1,), 1)):
        see.raises(t.full, *args)
    for value, dtype in ((300, t.uint8), (-256, t.uint8), (2**40, t.int32), (float("nan"), t.int64), (1j, t.float32),
                         (1e39, t.float32),
                         (1e5, t.float16)):
        see.raises(t.full, (2,), value, dtype=dtype)
        see.raises(t.full_like, t.ones(2, dtype=dtype), value)
    for args in ((5, 1), (1, 5, 0), (float("inf"),), (float("nan"),), ("a",)):
        see.raises(t.arange, *args)
    for dtype in (t.bool, t.complex64):
        see.raises(t.arange, 2, dtype=dtype)
    see.raises(t.linspace, 0, 1, -1)
    see.raises(t.linspace, 0, 1, 3, dtype=t.bool)
    see.raises(t.eye, -1)
    see.raises(t.eye, 2, -1)
    see.raises(t.empty_strided, (2, 3), (1,))
    see.raises(t.empty_strided, (2, 3), (1, -2))
    see.raises(t.tril_indices, -1, 3)
    see.raises(t.tril_indices, 3, 3, dtype=t.float32)
    see.raises(t.hann_window, -1)
    see.raises(t.complex, t.ones(2), t.ones(2, dtype=t.float64))
    see.raises(t.complex, t.ones(2, dtype=t.int64), t.ones(2, dtype=t.int64))


def test_sparse_layouts_are_refused():
    with pytest.raises(NotImplementedError, match="use torch.sparse_coo_tensor"):
        leafward.ones(2, layout=leafward.dtypes.sparse_coo)


# --- data ------------------------------------------------------------------------------------------------------------

class Pair:
    def __len__(self):
        return 2

    def __getitem__(self, place):
        if place >= 2:
            raise IndexError
        return place + 1


class Half:
    def __float__(self):
        return 0.5


DATA = """
3 | 3.0 | True | 1j | [] | [[]] | [[], []] | [1, 2.5] | [True, 2] | [1, 1j] | [1.5, 1j] | range(3) | (1, 2)
[(1, 2), [3, 4]] | [[1, 2], [3]] | [[1, 2], 3] | [1, [2, 3]] | [[1, 2], [3, 4, 5]] | [[[1], [2]], [[3], [4, 5]]]
[[1], []] | [[], [1]] | 'a' | ['a'] | [1, 'a'] | b'ab' | bytearray(b'ab') | None | [None] | [1, None] | {} | {1, 2}
[{}] | map(int, [1]) | Pair() | Half() | [Half()] | 2**63 | [2**63] | -2**63 | 1e39 | [1e39] | float('nan')
np.float64(3) | np.float32(3) | np.int32(3) | np.bool_(True) | np.float16(3) | np.complex128(3) | np.uint8(3)
[np.float64(3)] | [np.float32(3), 1.5] | [np.int32(3)] | [np.int64(3), 2] | [np.uint8(3)] | [[np.float32(1)], [2]]
np.arange(3) | np.arange(3.0) | np.array(3.0) | np.array(['a']) | np.array([1, None]) | np.arange(3)[::-1]
np.arange(3, dtype='>f4') | np.asfortranarray(np.arange(6.0).reshape(2, 3)) | [np.arange(3.0), [1, 2, 3]]
[np.array(3.0), 1] | [t.tensor(1), t.tensor(2)] | [t.tensor(1.0), 2] | [t.tensor([1.0]), t.tensor([2.0])]
[t.tensor([1.0, 2]), 1] | [t.tensor(1, dtype=t.float64)] | [t.tensor(1, dtype=t.float16), 1]
[t.tensor([1, 2]), t.tensor([1])] | t.zeros(2).shape | 2**70, dtype=t.float32 | 300, dtype=t.uint8
-1, dtype=t.uint8 | [300], dtype=t.uint8 | 128, dtype=t.int8 | 2**31, dtype=t.int32 | [2.7, -2.7], dtype=t.int64
[2.7], dtype=t.bool | float('nan'), dtype=t.int64 | float('inf'), dtype=t.int32 | 1j, dtype=t.float32
[1j], dtype=t.int64 | [1], dtype=t.complex64 | [0, 2], dtype=t.bool | 70000.0, dtype=t.float16
[1.1, 2], dtype=t.bfloat16 | [1e300], dtype=t.bfloat16 | [-1], dtype=t.uint64 | [2**63], dtype=t.uint64
[-1], dtype=t.uint16 | [1.5], dtype=float | [1.5], dtype=int | [1.5], dtype='float' | [Half()], dtype=t.float32
[1], requires_grad=True | [True], dtype=t.float32
"""


@pytest.mark.parametrize("data", [text.strip() for text in DATA.replace("\n", "|").split("|") if text.strip()])
def test_tensor_of_data(data):
    """Values and dtype; where PyTorch refuses, the same type and first sentence."""
    outcomes = [Outcome(eval, (f"t.tensor({data})", {"t": t, "np": np, "Pair": Pair, "Half": Half}))
                for t in (leafward, torch)]
    assert_same_outcome(*outcomes, rtol=0, atol=0)
    if outcomes[1].error is not None:
        assert str(outcomes[0].error).split("\n")[0] == str(outcomes[1].error).split("\n")[0]


def test_data_is_copied():
    array = np.arange(3.0)
    tensor = leafward.tensor(array)
    array[0] = 7
    assert tensor.tolist() == [0, 1, 2]


@both
def test_new_tensor(t, see):
    x = t.ones(2, dtype=t.float64)
    see(x.new_tensor([1, 2]), x.new_tensor(3, dtype=t.int32), x.new_tensor([1.0], requires_grad=True).requires_grad)
    see(x.new([1, 2]), x.new(2, 3).shape)
    see(t.ones(2, dtype=t.int64).new_tensor([1.5, 2]))


@both
def test_memory_that_is_asked_for_again(t, see):
    x = t.ones(3, 5).t()
    for make in (lambda: t.empty_strided((3, 4), (1, 6)), lambda: x.new_empty_strided((2, 2), (3, 1), dtype=t.int64),
                 lambda: t.empty_like(x), lambda: t.empty(2, 3, dtype=t.bfloat16), lambda: x.new_empty((0, 3))):
        kept = [make() for _ in range(9)]
        for number, one in enumerate(kept):
            one.fill_(number)
        see([(one.stride(), one.dtype, one.untyped_storage().nbytes(), one.storage_offset(), one._base) for one in kept], kept)
