"""Storages, typed and untyped: what PyTorch's do, expression by expression; resized beside tensors; saved with them."""
import copy
import io
import pickle
import warnings

import pytest

import leafward as lw
from leafward import errors
from leafward.errors import SilentGradientWarning
from tests.oracle import torch

TYPED = """
len(s); s.size(); s[1]; s[-1]; s[1:3]; s[9]; s.dtype; s.device; s.tolist(); list(s); s.nbytes(); s.element_size(); s; s.type()
s.untyped(); s.untyped() == u; s == s; s == x.storage(); hash(s) == hash(s); isinstance(s, t.FloatStorage); 5.0 in s; sum(s)
isinstance(s, t.IntStorage); isinstance(s, t.UntypedStorage); isinstance(s, t.TypedStorage); t.is_storage(s); s.bool()
(s.__setitem__(0, 5), x); (s.__setitem__(slice(1, 3), 7.5), x); (s.__setitem__(0, t.tensor(3.)), x); s.__setitem__(9, 1)
(s.__setitem__(-1, 11), x); (s.__setitem__(slice(0, 4, 2), 1), x); s.__setitem__(0, "a"); s.__setitem__(slice(0, 2), [1, 2])
(s.__setitem__(slice(0, 2), t.tensor([8., 9.])), x, x._version); (s.fill_(2.5) is s, x, x._version); s.is_cuda; s.cpu() is s
s.data_ptr() == x.data_ptr(); x[1:].storage().size(); x.t().storage(); x._typed_storage(); t.empty(0).storage().data_ptr()
t.ones(2, dtype=t.bool).storage().tolist(); t.ones(2, dtype=t.uint16).storage(); t.tensor(1 + 2j).storage()
t.ones(2, requires_grad=True).storage(); t.FloatStorage(); t.FloatStorage(3).size(); t.FloatStorage([1, 2, 3])
t.FloatStorage((1, 2)); t.FloatStorage(range(3)); t.FloatStorage(3.5); t.FloatStorage(-1); t.FloatStorage("a")
t.FloatStorage(u); t.FloatStorage(wrap_storage=u); t.FloatStorage(t.ones(2)); t.TypedStorage([1, 2], dtype=t.int16)
t.TypedStorage(3, dtype=t.int16).dtype; t.TypedStorage(); t.TypedStorage(dtype=t.float64); t.TypedStorage(wrap_storage=u)
t.TypedStorage(wrap_storage=u, dtype=t.int32); t.FloatStorage.dtype; t.BoolStorage([True, False]); t.HalfStorage([1.5]).float()
t.ByteStorage([1, 2]).tolist(); t.ComplexFloatStorage([1j]); t.BFloat16Storage([1.5]); t.FloatStorage([1.5, 2]).int()
t.FloatStorage([1.5, 2]).double().dtype; t.FloatStorage([1.5, 2]).to(device="cpu"); t.FloatStorage([1.5, 2]).clone()
copy.copy(t.FloatStorage([1.5, 2])); copy.deepcopy(t.FloatStorage([1.5, 2])); t.FloatStorage([1, 2]).resize_(3)
t.FloatStorage([1., 2]).copy_(t.FloatStorage([3., 4])); t.FloatStorage([1., 2]).copy_(t.IntStorage([3, 4]))
t.FloatStorage([1., 2]).copy_(t.FloatStorage([3.])); t.FloatStorage([1., 2]).copy_(t.ones(2)); bool(t.FloatStorage())
t.FloatStorage([1., 2]).is_shared(); t.FloatStorage([1., 2]).share_memory_().is_shared(); t.Storage is t.FloatStorage
t.FloatStorage([1., 2]).pickle_storage_type(); t.FloatStorage.from_buffer(bytearray(range(8)), byte_order="little")
t.FloatStorage.from_buffer(bytearray(range(8)), "big"); t.FloatStorage.from_buffer(bytearray(8))
t.ByteStorage.from_buffer(bytearray(b"ab")); t.tensor([1.]).set_(t.FloatStorage([1., 2])); x.storage_type() is t.FloatStorage
t.tensor([1.]).set_(t.IntStorage([1, 2])); t.tensor([1.]).set_(t.FloatStorage([1., 2, 3]), 1, (2,), (1,))
t.FloatTensor(t.FloatStorage([1., 2])); t.FloatTensor(t.IntStorage([1, 2])); t.Tensor(u); t.ones(1).new(t.FloatStorage([1., 2]))
t.tensor(t.FloatStorage([1., 2])); t.asarray(t.FloatStorage([1., 2])); t.as_tensor(t.FloatStorage([1., 2]))
pickle.loads(pickle.dumps(t.FloatStorage([1., 2]))); issubclass(t.FloatStorage, t.TypedStorage); s.is_pinned(); s.filename
"""
UNTYPED = """
u; u[0:4]; u[::2]; u[1:]; u[9999]; u[1.5]; u["a"]; u[-1]; u.type(); isinstance(u, t.FloatStorage); t.is_storage(u); len(u)
(u.__setitem__(0, 255), x); (u.__setitem__(slice(0, 2), 1), x, x._version); (u.__setitem__(0, 256), x)
(u.__setitem__(0, -1), x)
u.__setitem__(0, 1.5); u.__setitem__(slice(0, 4, 2), 1); u.__setitem__(99, 1); u.__setitem__(-1, 1)
u.__setitem__(slice(0, 2), [1, 2]); (u[4:8].fill_(1), x); (u.fill_(0) is u, x); u.fill_(300); u.fill_(1.5); u.fill_(-1)
t.UntypedStorage(); t.UntypedStorage(4).nbytes(); t.UntypedStorage([1, 2, 255]); t.UntypedStorage([1, 2, 256])
t.UntypedStorage([1.5]); t.UntypedStorage("a"); t.UntypedStorage(4.5); t.UntypedStorage(-1); t.UntypedStorage(size=3).nbytes()
t.UntypedStorage(4, device="cpu").device; t.UntypedStorage([1, 2]).copy_(t.UntypedStorage([3, 4]))
t.UntypedStorage([1, 2]).new()
t.UntypedStorage([1, 2]).copy_(t.UntypedStorage([3])); t.UntypedStorage(4).resize_(8).nbytes(); t.UntypedStorage(4).resize_(-1)
t.UntypedStorage([1, 2, 3]).resize_(2); t.UntypedStorage(4).resizable(); t.UntypedStorage(4).element_size()
t.UntypedStorage(4).is_pinned(); t.UntypedStorage.from_buffer(bytearray(8), dtype=t.float32, byte_order="little")
t.UntypedStorage.from_buffer(bytearray(8), dtype=t.uint8); t.tensor([1.]).set_(t.UntypedStorage(8).fill_(0))
t.asarray(u, dtype=t.uint8); (u.byteswap(t.float32), x); u.float(); u.int(); u.tolist()[:3]; u.untyped() is u; u.is_cuda
u.filename; u.clone(); copy.copy(u); copy.deepcopy(u) == u; bool(t.UntypedStorage()); u == x.t().untyped_storage()
t.UntypedStorage([1, 2]) == t.UntypedStorage([1, 2]); (lambda a: (a.set_(u), a, u.fill_(7), x))(t.tensor([1], dtype=t.int32))
"""


def outcome(t, expression, **names):
    """What ``expression`` gives or raises, in words in which both sides are alike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = t.arange(6.).reshape(2, 3)
        names = {"t": t, "copy": copy, "pickle": pickle, "x": x, "s": x.storage(), "u": x.untyped_storage(), **names}
        try:
            found = repr(eval(expression, names))
        except Exception as error:
            kind = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
            found = f"{kind.__name__}: {str(error).splitlines()[0]}".partition(" alloc_cpu")[0]
    return found.replace("leafward", "torch")


#: These say the same in other words.
OTHER_WORDS = ("(-1)", "t.FloatTensor(t.IntStorage([1, 2]))")


@pytest.mark.parametrize("expression", [e.strip() for lines in (TYPED, UNTYPED)
                                        for e in lines.replace("\n", ";").split(";") if e.strip()])
def test_a_storage_is_pytorchs(expression):
    ours, theirs = outcome(lw, expression), outcome(torch, expression)
    if expression.endswith(OTHER_WORDS):
        ours, theirs = ours.partition(":")[0], theirs.partition(":")[0]
    assert ours == theirs


def test_the_deprecation_is_told_once(monkeypatch):
    monkeypatch.setattr(errors, "said", set())
    with pytest.warns(UserWarning, match="TypedStorage is deprecated") as seen:
        lw.ones(2).storage()
        lw.FloatStorage([1.])
    assert len(seen) == 1 and seen[0].filename == __file__


@pytest.mark.parametrize("t", [lw, torch], ids=["leafward", "PyTorch"])
def test_a_longer_storage_takes_its_tensors_along(t):
    x = t.arange(6.).reshape(2, 3)
    view, turned = x[1], x.t()
    storage = x.untyped_storage()
    assert storage.resize_(40) is storage and storage.nbytes() == 40 and x.untyped_storage() == storage
    storage.resize_(64)
    x[1, 0] = 9
    assert view.tolist() == [9, 4, 5] and turned[0].tolist() == [0, 9] and view.storage_offset() == 3
    assert x.data_ptr() == storage.data_ptr() and view.untyped_storage().data_ptr() == storage.data_ptr()
    longer = x.as_strided((16,), (1,))
    assert longer.shape == (16,) and longer[:6].tolist() == x.flatten().tolist()
    del longer
    storage.resize_(24)
    assert storage.nbytes() == 24


def test_a_storage_is_not_cut_under_a_tensor():
    x = lw.arange(6.)
    with pytest.raises(NotImplementedError, match="a tensor needs 24 bytes of this storage"):
        x.untyped_storage().resize_(8)
    assert x.tolist() == [0, 1, 2, 3, 4, 5] and x.untyped_storage().nbytes() == 24


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("writer, reader", [(torch, lw), (lw, torch), (lw, lw)],
                         ids=["from PyTorch", "to PyTorch", "to itself"])
def test_storages_are_saved_beside_tensors(writer, reader, weights_only):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = writer.arange(6.).reshape(2, 3)
        file = io.BytesIO()
        writer.save([x, x.storage(), x[1], writer.IntStorage([1, 2]), writer.UntypedStorage([1, 2])], file)
        file.seek(0)
        tensor, storage, row, integers, raw = reader.load(file, weights_only=weights_only)
        assert type(storage) is reader.storage.TypedStorage and storage.dtype is reader.float32
        assert storage.data_ptr() == tensor.data_ptr() and storage.tolist() == [0, 1, 2, 3, 4, 5]
        storage[3] = 7
        assert row.tolist() == [7, 4, 5]
        assert isinstance(integers, reader.IntStorage) and integers.tolist() == [1, 2]
        assert type(raw) is reader.storage.TypedStorage and raw.tolist() == [1, 2]
        assert reader.tensor([0, 0], dtype=reader.int32).set_(integers).tolist() == [1, 2]


@pytest.mark.parametrize("t", [lw, torch], ids=["leafward", "PyTorch"])
@pytest.mark.parametrize("pair", ["x, x.untyped_storage()", "x.untyped_storage(), x.storage()",
                                  "x, t.TypedStorage(wrap_storage=x.untyped_storage(), dtype=t.int32)"])
def test_one_memory_is_not_saved_as_two_types(t, pair):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = {"t": t, "x": t.arange(6.)}
        with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same data"):
            t.save(list(eval(pair, names)), io.BytesIO())


def test_writes_through_a_storage_are_seen_by_backward():
    for write in (lambda s: s.__setitem__(0, 7.), lambda s: s.fill_(3.), lambda s: s.copy_(lw.FloatStorage([1, 2, 3])),
                  lambda s: s.untyped().__setitem__(0, 3)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = lw.tensor([1., 2., 3.], requires_grad=True)
            y = x.exp()
            write(y.storage())
        with pytest.warns(SilentGradientWarning):
            y.sum().backward()


def test_a_storage_copied_with_its_tensor_is_the_copys():
    found = []
    for t in (lw, torch):
        x = t.arange(4.)
        made, storage = copy.deepcopy([x, x.untyped_storage()])
        found.append((storage.data_ptr() == made.data_ptr(), made.tolist()))
        storage, made = copy.deepcopy([x.untyped_storage(), x])
        found.append((storage.data_ptr() == made.data_ptr(), made.tolist()))
    assert found[:2] == found[2:]
