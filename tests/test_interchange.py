"""Tensors that leave and come back: NumPy, DLPack, pickle, copy. What shares memory there shares it here."""
import copy
import pickle

import numpy as np
import pytest

import leafward
from tests.both import both
from tests.oracle import torch


@both
def test_numpy_shares_memory(t, see):
    x = t.arange(6.).view(2, 3)
    a = x.numpy()
    a[0, 1] = 9
    see(x, a.strides, a.dtype)
    x.t()[2, 1] = 7
    see(a.tolist(), x.t().numpy().strides)
    see.raises(t.ones(2, requires_grad=True).numpy)
    see(t.ones(2, requires_grad=True).numpy(force=True).tolist())
    see(x.numpy()[::2].base is not None)


@both
def test_numpy_of_what_it_has_no_name_for(t, see):
    see.raises(t.ones(2, dtype=t.bfloat16).numpy)
    see(t.ones(2, dtype=t.complex64).numpy().dtype, t.tensor(True).numpy().dtype, t.tensor(3).numpy().shape)


@both
def test_from_numpy(t, see):
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = t.from_numpy(a)
    a[1, 1] = -1
    x[0, 0] = 5
    see(x, a.tolist(), x.stride(), t.from_numpy(a[:, ::2]).stride())
    see.raises(t.from_numpy, [1, 2])
    see.raises(t.from_numpy, np.array(["a"]))
    see.raises(t.from_numpy, a[::-1])
    see(t.from_numpy(np.array(3, np.int16)), t.from_numpy(np.zeros((0, 3))).shape)


@both
def test_asarray_of_a_tensor(t, see):
    x = t.arange(4.)
    see(np.asarray(x).tolist(), np.asarray(x, dtype=np.int64).dtype)
    np.asarray(x)[0] = 8
    x.__array__()[1] = 9
    see(x, np.add(x.numpy(), 1).tolist(), type(np.sin(x.numpy())).__name__)
    see.raises(np.asarray, t.ones(2, requires_grad=True))


@both
def test_as_tensor_and_tensor(t, see):
    a = np.ones(3)
    shared, copied = t.as_tensor(a), t.tensor(a)
    a[0] = 2
    see(shared, copied, t.as_tensor(a, dtype=t.float32), t.as_tensor(shared) is shared)
    see(t.asarray(a).data_ptr() == a.ctypes.data, t.asarray(a, copy=True).data_ptr() == a.ctypes.data)
    see(t.asarray([1, 2.5]), t.asarray(3), t.frombuffer(bytearray(b"\1\0\2\0"), dtype=t.int16))


@both
def test_dlpack_with_numpy(t, see):
    x = t.arange(6.).view(2, 3)
    a = np.from_dlpack(x)
    x[0, 0] = 5
    see(a.tolist(), x.__dlpack_device__())
    y = t.from_dlpack(np.arange(4, dtype=np.int64)[::2])
    see(y, y.stride(), t.from_dlpack(t.arange(3)))
    see.raises(np.from_dlpack, t.ones(2, requires_grad=True))


def test_dlpack_with_pytorch():
    x = leafward.arange(6.).view(2, 3).t()
    theirs = torch.from_dlpack(x)
    theirs[0, 1] = -1
    assert theirs.stride() == x.stride() and x[0, 1] == -1
    back = leafward.from_dlpack(theirs)
    back[2, 1] = 10
    assert theirs[2, 1] == 10 and x[2, 1] == 10


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int8", "uint8", "bool", "complex64"])
def test_dlpack_carries_every_dtype(dtype):
    theirs = torch.tensor([0, 1, 1]).to(getattr(torch, dtype))
    ours = leafward.from_dlpack(theirs)
    assert ours.dtype is getattr(leafward, dtype)
    assert ours.tolist() == theirs.tolist()
    assert torch.from_dlpack(ours).dtype is theirs.dtype


@both
def test_copies(t, see):
    x = t.arange(6.).view(2, 3).requires_grad_()
    x.grad = t.ones(2, 3)
    x.note = "mine"
    deep = copy.deepcopy(x)
    see(deep, deep.requires_grad, deep.grad, deep.note, deep.data_ptr() == x.data_ptr(), deep.grad is x.grad)
    see(copy.copy(x).data_ptr() == x.data_ptr(), copy.copy(x).requires_grad)
    see.raises(copy.deepcopy, x * 2)


@both
def test_deep_copies_keep_what_is_shared(t, see):
    x = t.arange(6.)
    pair, twice = copy.deepcopy([x, x[1:3]]), copy.deepcopy({"a": x, "b": x})
    pair[0][1] = 50
    see(pair, x, twice["a"] is twice["b"])
    see(copy.deepcopy(x.view(2, 3).t()).stride(), copy.deepcopy(t.nn.Parameter(x)).requires_grad)


@both
def test_pickles(t, see):
    x = t.arange(6., dtype=t.float64).view(2, 3).t().requires_grad_()
    x.note = [1, 2]
    for protocol in (2, 3, 4, 5):
        back = pickle.loads(pickle.dumps(x, protocol))
        see(back, back.stride(), back.requires_grad, back.note, back.is_leaf)
    see(pickle.loads(pickle.dumps([t.float32, t.Size([2, 3]), t.device("cpu")])))
    see(pickle.loads(pickle.dumps(t.tensor([1 + 2j, 3]))), pickle.loads(pickle.dumps(t.ones(0, 2, dtype=t.bool))))
    see(type(pickle.loads(pickle.dumps(t.nn.Parameter(t.ones(2))))).__name__)


@both
def test_numbers(t, see):
    x = t.tensor([2.5])
    see(float(x), int(x), bool(x), x.item(), x.tolist(), t.tensor(3).__index__(), [10, 20, 30, 40][t.tensor(3)])
    see(complex(t.tensor(1j)), len(t.ones(3, 2)), list(t.arange(2)), 1.5 in t.tensor([1.5]))
    see.raises(float, t.ones(2))
    see.raises(bool, t.ones(2))
    see.raises(bool, t.ones(0))
    see.raises(t.tensor(1.5).__index__)
    see.raises(len, t.tensor(1))
    see.raises(iter, t.tensor(1))
    see(f"{t.tensor(2.5):.2f}", f"{t.tensor([1.5])}")


def test_a_storage_from_a_file(tmp_path):
    (tmp_path / "bytes").write_bytes(bytes(range(8)))
    for t in (torch, leafward):
        storage = t.UntypedStorage.from_file(str(tmp_path / "bytes"), False, 8)
        assert len(storage) == 8 and storage[3] == 3
        assert t.asarray(storage[4:8], dtype=t.uint8).tolist() == [4, 5, 6, 7]


def test_from_dlpack_copies_when_told_to():
    array = np.arange(3.0)
    shared, copied = leafward.from_dlpack(array), leafward.from_dlpack(array, device="cpu", copy=True)
    array[0] = 7
    assert (shared[0].item(), copied[0].item()) == (7, 0)
