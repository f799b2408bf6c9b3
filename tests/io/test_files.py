"""Files that cross: what PyTorch writes loads here, and the reverse, with memory, strides and dtypes as they were."""
import io
import pathlib
import struct
import tarfile
import warnings
import zipfile
from collections import Counter, OrderedDict

import numpy as np
import pytest

import leafward as lw
from leafward import distributions, serialization
from leafward.io.archive import Writer, options
from leafward.optim import lr_scheduler
from tests.oracle import DTYPES, dtype_name, to_numpy, torch


def through(writer, reader, obj, **how):
    """``obj``, saved by one side and loaded by the other."""
    file = io.BytesIO()
    writer.save(obj, file)
    file.seek(0)
    return reader.load(file, **how)


def geometry(tensor):
    return dtype_name(tensor), tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()


both_ways = pytest.mark.parametrize("writer, reader", [(torch, lw), (lw, torch), (lw, lw)],
                                    ids=["from PyTorch", "to PyTorch", "to itself"])


@both_ways
@pytest.mark.parametrize("name", [*DTYPES, "uint16", "uint32", "uint64"])
def test_every_dtype_crosses(writer, reader, name):
    there = writer.arange(12).to(getattr(writer, name)).reshape(3, 4).t()[1:]
    back = through(writer, reader, there)
    assert type(back) is reader.Tensor
    assert geometry(back) == geometry(there)
    np.testing.assert_array_equal(to_numpy(back), to_numpy(there))


@both_ways
@pytest.mark.parametrize("make", [
    lambda t: t.zeros(0, 3), lambda t: t.tensor(2.5), lambda t: t.ones(1).expand(3, 4), lambda t: t.arange(6.)[3:3],
    lambda t: t.ones(2, 3, 4, 5).contiguous(memory_format=t.channels_last)[:, 1:], lambda t: t.arange(9.)[::4],
    lambda t: t.tensor([1 + 2j]).conj(),
])
def test_every_geometry_crosses(writer, reader, make):
    there = make(writer)
    back = through(writer, reader, there)
    assert geometry(back) == geometry(there)
    np.testing.assert_array_equal(to_numpy(back), to_numpy(there))


@both_ways
def test_memory_that_was_shared_is_shared_again(writer, reader):
    whole = writer.arange(10.)
    back = through(writer, reader, {"whole": whole, "part": whole[2:8].view(2, 3).t(), "again": [whole],
                                    "other": whole + 0})
    back["whole"][4] = 100
    assert back["part"][2, 0] == 100 and back["other"][4] == 4
    assert back["again"][0] is back["whole"]
    assert back["part"].untyped_storage().nbytes() == 40


@both_ways
def test_plain_objects_cross(writer, reader):
    def objects(t):
        return {
            "number": 1, "long": 2 ** 70, "negative": -3, "float": 1.5, "none": None, "flags": (True, False),
            "text": "ü\n", "bytes": b"\x00\xff", "buffer": bytearray(b"ab"), "set": {1, 2}, "complex": 1 + 2j,
            "many": list(range(300)), "count": Counter("aab"), "ordered": OrderedDict(a=1, b=[2, (3, 4, 5, 6)]),
            7: {"deep": {"er": []}}, "size": t.Size([2, 3]), "dtype": t.bfloat16, "device": t.device("cpu", 0),
            "layout": t.strided,
        }
    back = through(writer, reader, objects(writer))
    assert back == objects(reader)
    assert list(map(type, back.values())) == list(map(type, objects(reader).values()))


@both_ways
def test_parameters_and_attributes_cross(writer, reader):
    weight = writer.nn.Parameter(writer.ones(2, 3).t())
    frozen = writer.nn.Parameter(writer.ones(2), requires_grad=False)
    noted, leaf = writer.ones(2), writer.ones(3, requires_grad=True)
    weight.note, noted.note = "tied", [1]
    back = through(writer, reader, [weight, weight, frozen, noted, leaf])
    assert [type(b) for b in back] == [reader.nn.Parameter] * 3 + [reader.Tensor] * 2
    assert [b.requires_grad for b in back] == [True, True, False, False, True]
    assert back[0] is back[1] and back[0].note == "tied" and back[3].note == [1] and back[0].stride() == (1, 3)


class Tagged(lw.Tensor):
    pass


def test_a_subclass_comes_back():
    tagged = lw.ones(2).as_subclass(Tagged)
    tagged.tag = "x"
    with lw.serialization.safe_globals([Tagged]):
        back = through(lw, lw, tagged)
    assert type(back) is Tagged and back.tag == "x" and back.tolist() == [1, 1]


class Stateful(Tagged):
    def __getstate__(self):
        return {"its": "state"}

    def __setstate__(self, state):
        self.state = state


def test_a_subclass_keeps_its_own_state():
    with lw.serialization.safe_globals([Stateful]):
        back = through(lw, lw, lw.ones(2).as_subclass(Stateful))
    assert type(back) is Stateful and back.state == {"its": "state"}


def test_a_graph_is_left_behind():
    loss = lw.ones(2, requires_grad=True) * 2
    back = through(lw, lw, loss)
    assert back.is_leaf and back.requires_grad


@both_ways
def test_storages_and_generators_cross(writer, reader):
    generator = writer.Generator().manual_seed(3)
    writer.rand(5, generator=generator)
    back = through(writer, reader, {"bytes": writer.tensor([1., 2.]).untyped_storage(), "generator": generator},
                   weights_only=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")         # PyTorch gives an untyped storage back as its deprecated typed one
        assert back["bytes"].tolist() == [0, 0, 128, 63, 0, 0, 0, 64]
    assert back["generator"].initial_seed() == 3
    assert reader.rand(1, generator=back["generator"]).item() == writer.rand(1, generator=generator).item()


# --- models -----------------------------------------------------------------------------------------------------


def network(t):
    """Tied, non-contiguous and not: a parameter in two places, one transposed, and buffers."""
    class Tied(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = t.nn.Embedding(7, 4)
            self.norm = t.nn.BatchNorm1d(4)
            self.head = t.nn.Linear(4, 7, bias=False)
            self.head.weight = self.embed.weight
            self.turned = t.nn.Parameter(t.linspace(-1, 1, 16).reshape(4, 4).t())

        def forward(self, x):
            return self.head(self.norm(self.embed(x)) @ self.turned)

    t.manual_seed(0)
    return Tied()


def steps(t, model, optimizer, scheduler, count):
    losses = []
    for step in range(count):
        x = t.arange(5) + step % 3
        loss = t.nn.functional.cross_entropy(model(x), (x + 1) % 7)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {"lr": 0.01, "amsgrad": True}, "AdamW": {"lr": 0.01},
    "RMSprop": {"lr": 0.01, "momentum": 0.5}, "Adagrad": {"lr": 0.1},
}


@both_ways
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_goes_on_across(writer, reader, name):
    def world(t):
        model = network(t)
        optimizer = getattr(t.optim, name)(model.parameters(), **OPTIMIZERS[name])
        return model, optimizer, t.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)

    here = world(writer)
    steps(writer, *here, 4)
    checkpoint = dict(zip(("model", "optimizer", "scheduler"), (part.state_dict() for part in here)), epoch=4)
    loaded = through(writer, reader, checkpoint)
    assert loaded["model"]["head.weight"].data_ptr() == loaded["model"]["embed.weight"].data_ptr()
    assert loaded["model"]["turned"].stride() == (1, 4) and loaded["epoch"] == 4
    there = world(reader)
    for part, state in zip(there, loaded.values()):
        part.load_state_dict(state)
    np.testing.assert_allclose(steps(reader, *there, 4), steps(writer, *here, 4), rtol=1e-4)


@both_ways
def test_whole_modules_cross(writer, reader):
    model = writer.nn.Sequential(
        writer.nn.Conv2d(1, 2, 3, padding=1), writer.nn.BatchNorm2d(2), writer.nn.ReLU(), writer.nn.MaxPool2d(2),
        writer.nn.Flatten(), writer.nn.Dropout(0.5), writer.nn.Linear(8, 3), writer.nn.LayerNorm(3)).eval()
    with (serialization.safe_globals([]), pytest.raises(Exception, match="Weights only load failed")):
        through(writer, reader, model)
    back = through(writer, reader, model, weights_only=False)
    assert isinstance(back, reader.nn.Sequential) and repr(back) == repr(model)
    image = np.linspace(-1, 1, 16, dtype="float32").reshape(1, 1, 4, 4)
    np.testing.assert_allclose(to_numpy(back(reader.tensor(image))), to_numpy(model(writer.tensor(image))), rtol=1e-5,
                               atol=1e-6)


def classes(ours, theirs):
    for name, cls in sorted(vars(ours).items()):
        twin = getattr(theirs, name, None)
        # Not FloatTensor and its siblings, which no file mentions.
        if (isinstance(cls, type) and isinstance(twin, type) and cls.__module__.startswith("leafward")
                and not isinstance(cls.__dict__.get("dtype"), lw.dtype)):
            yield pytest.param(cls, twin, id=f"{ours.__name__}.{name}")


@pytest.mark.parametrize("cls, twin", [*classes(lw.nn, torch.nn), *classes(lw.optim, torch.optim),
                                       *classes(lr_scheduler, torch.optim.lr_scheduler), *classes(lw, torch),
                                       *classes(lw.utils.data, torch.utils.data), *classes(distributions, torch.distributions)])
def test_classes_have_pytorchs_names_in_files(cls, twin):
    assert through(torch, lw, twin, weights_only=False) is cls
    assert through(lw, torch, cls, weights_only=False) is twin


# --- paths, mapping, places -------------------------------------------------------------------------------------


@both_ways
def test_mapped_files_cross(writer, reader, tmp_path):
    path = tmp_path / "model.v1.pt"
    writer.save({"a": writer.arange(1000.), "b": writer.ones(3, dtype=writer.bfloat16), "z": writer.zeros(0)}, path)
    back = reader.load(path, mmap=True)
    assert back["a"].sum() == 499500 and back["b"].tolist() == [1, 1, 1] and back["z"].shape == (0,)
    assert back["a"].data_ptr() % 64 == 0
    back["a"].zero_()                           # private to this process
    assert reader.load(str(path))["a"].sum() == 499500


def test_the_layout_of_the_archive_is_pytorchs(tmp_path):
    records = []
    for t, name in ((torch, "theirs"), (lw, "ours")):
        path = tmp_path / f"{name}.pt"
        t.save([t.ones(3), t.zeros(5)], path)
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            records.append({info.filename.partition("/")[2]: archive.read(info) for info in archive.infolist()})
            assert {info.filename.partition("/")[0] for info in archive.infolist()} == {name}
    del records[0][".data/serialization_id"]    # a hash of the contents, which nothing reads
    assert records[0] == records[1]


def test_large_records_stay_aligned(monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    file = io.BytesIO()
    lw.save({"large": lw.arange(1000.), "small": lw.ones(3)}, file)
    monkeypatch.undo()
    file.seek(0)
    assert torch.load(file)["large"].sum() == 499500
    start = file.getvalue().index(np.arange(1000, dtype="float32").tobytes())
    assert start % 64 == 0


def test_a_packed_archive_is_unpacked():
    file = io.BytesIO()
    lw.save(lw.arange(50), file)
    packed = io.BytesIO()
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    packed.seek(0)
    assert lw.load(packed).sum() == 1225


def test_the_other_byte_order_is_turned():
    file = io.BytesIO()
    value = lw.tensor([1 + 2j, 3])
    lw.save(value, file)
    data = file.getvalue()
    raw = to_numpy(value).tobytes()
    foreign = io.BytesIO()
    with zipfile.ZipFile(file) as source, Writer(foreign, "archive") as target:
        for name in source.namelist():
            record = name.partition("/")[2]
            changed = {"byteorder": b"big", "data/0": to_numpy(value).byteswap().tobytes()}
            target.write(record, changed.get(record, source.read(name)))
    assert raw in data and raw not in foreign.getvalue()
    for reader in (lw, torch):
        foreign.seek(0)
        assert reader.load(foreign).tolist() == [1 + 2j, 3]


def test_objects_that_can_only_write_and_only_read():
    class Sink:
        def __init__(self):
            self.data = b""

        def write(self, piece):
            self.data += bytes(piece)
            return len(piece)

    sink = Sink()
    lw.save({"a": lw.arange(5)}, sink)
    assert torch.load(io.BytesIO(sink.data))["a"].tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object with a 'write' a"):
        lw.save({}, 3)
    with pytest.raises(AttributeError, match="You can only torch.load from a file that is seekable"):
        lw.load(3)


@pytest.mark.parametrize("where", ["cpu", lw.device("cpu"), lw.device("cpu:0"), {"cuda:0": "cpu"}, {"cpu": "cpu"},
                                   lambda storage, location: storage, lambda storage, location: None])
def test_map_location(where):
    assert through(torch, lw, torch.ones(2), map_location=where).tolist() == [1, 1]


def from_cuda():
    """A file that a machine with a GPU wrote."""
    file, changed = io.BytesIO(), io.BytesIO()
    torch.save(torch.ones(2), file)
    with zipfile.ZipFile(file) as source, Writer(changed, "archive") as target:
        for name in source.namelist():
            data = source.read(name).replace(b"X\x03\x00\x00\x00cpu", b"X\x06\x00\x00\x00cuda:0")
            target.write(name.partition("/")[2], data)
    changed.seek(0)
    return changed


def test_files_from_a_gpu_need_a_place():
    with pytest.raises(RuntimeError) as ours:
        lw.load(from_cuda())
    with pytest.raises(RuntimeError) as theirs:
        torch.load(from_cuda())
    assert str(ours.value) == str(theirs.value)
    for where in ("cpu", {"cuda:0": "cpu"}, lambda storage, location: storage if location == "cuda:0" else None):
        assert lw.load(from_cuda(), map_location=where).tolist() == [1, 1]
    for wrong in ("cuda", "foo"):
        with pytest.raises(RuntimeError) as ours:
            through(torch, lw, torch.ones(1), map_location=wrong)
        with pytest.raises(RuntimeError) as theirs:
            through(torch, torch, torch.ones(1), map_location=wrong)
        assert str(ours.value) == str(theirs.value)
    with pytest.raises(NotImplementedError, match="meta"):
        through(torch, lw, torch.ones(1), map_location="meta")


# --- old formats ------------------------------------------------------------------------------------------------


def old(obj):
    file = io.BytesIO()
    torch.save(obj, file, _use_new_zipfile_serialization=False)
    file.seek(0)
    return file


@pytest.mark.parametrize("weights_only", [True, False])
def test_files_of_pytorch_1_5(weights_only):
    whole = torch.arange(6.)
    parameter, unsigned = torch.nn.Parameter(torch.ones(2, dtype=torch.bfloat16)), torch.ones(2, dtype=torch.uint16)
    file = old({"w": whole, "v": whole.view(2, 3).t(), "p": parameter, "u": unsigned})
    back = lw.load(file, weights_only=weights_only)
    back["w"][1] = 50
    assert back["v"].tolist() == [[0, 3], [50, 4], [2, 5]]
    assert back["p"].tolist() == [1, 1] and back["u"].tolist() == [1, 1]
    assert type(back["p"]) is lw.nn.Parameter


def test_several_objects_in_one_old_file():
    file = io.BytesIO()
    for value in (1., 2.):
        torch.save(torch.full((2,), value), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert [lw.load(file).tolist(), lw.load(file).tolist()] == [[1, 1], [2, 2]]


def tar_of_pytorch_0_1():
    """Two tensors on one storage, as PyTorch 0.1 wrote them."""
    import pickle
    values = np.arange(6, dtype="float32")
    storages = b"".join(pickle.dumps(p, 2) for p in (1, (10, "cpu", torch.FloatStorage)))
    storages += struct.pack("<q", 6) + values.tobytes() + pickle.dumps([], 2)
    tensors = pickle.dumps(2, 2)
    for key, size, stride, offset in ((20, (2, 2), (1, 2), 1), (21, (6,), (1,), 0)):
        tensors += pickle.dumps((key, 10, torch.FloatTensor), 2) + struct.pack("<i4x", len(size))
        tensors += struct.pack(f"<{2 * len(size) + 1}q", *size, *stride, offset)

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj):
            return obj[1] if isinstance(obj, tuple) and obj[:1] == ("tensor",) else None

    made = io.BytesIO()
    Pickler(made, 2).dump({"part": ("tensor", "20"), "whole": ("tensor", "21"), "epoch": 3})
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:", format=tarfile.PAX_FORMAT) as tar:
        for name, data in (("sys_info", pickle.dumps({}, 2)), ("pickle", made.getvalue()), ("tensors", tensors),
                           ("storages", storages)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    file.seek(0)
    return file


@pytest.mark.parametrize("reader", [lw, torch], ids=["leafward", "PyTorch"])
def test_files_of_pytorch_0_1(reader, tmp_path):
    path = tmp_path / "old.pt"                  # PyTorch looks for a tar archive in real files only
    path.write_bytes(tar_of_pytorch_0_1().getvalue())
    back = reader.load(path, weights_only=False)
    assert back["part"].tolist() == [[1, 3], [2, 4]] and back["epoch"] == 3
    back["whole"][1] = 50
    assert back["part"][0, 0] == 50


def test_files_of_pytorch_0_1_are_loaded_whole_or_not_at_all():
    with pytest.raises(RuntimeError, match="Cannot use ``weights_only=True`` with files saved in the legacy .tar"):
        lw.load(tar_of_pytorch_0_1())


# --- options ----------------------------------------------------------------------------------------------------


def test_protocols_and_modules():
    for protocol in (2, 3, 4, 5):
        file = io.BytesIO()
        lw.save({"m": lw.nn.Linear(1, 1), "t": lw.ones(2)}, file, pickle_protocol=protocol)
        for reader in (lw, torch):
            file.seek(0)
            assert reader.load(file, weights_only=False)["t"].tolist() == [1, 1]
    with pytest.raises(NotImplementedError, match="pickle_module"):
        lw.save({}, io.BytesIO(), pickle_module=io)
    with pytest.raises(NotImplementedError, match="_use_new_zipfile_serialization"):
        lw.save({}, io.BytesIO(), _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        import pickle
        lw.load(io.BytesIO(), pickle_module=pickle, weights_only=True)


def test_one_memory_under_two_types_is_refused():
    for t in (torch, lw):
        x = t.zeros(4)
        with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same data"):
            t.save([x, x.view(t.int32)], io.BytesIO())


def test_mmap_options(tmp_path):
    import mmap
    path = tmp_path / "m.pt"
    lw.save(lw.zeros(100), path)
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        lw.load(path, mmap=True).fill_(3)
    assert options.mmap_flags == serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    serialization.set_crc32_options(False)
    try:
        assert lw.load(path).tolist() == [3] * 100
    finally:
        serialization.set_crc32_options(True)
    with pytest.raises(RuntimeError, match="crc32 mismatch"):
        lw.load(path)
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        lw.load(io.BytesIO(), mmap=True)
    with pytest.raises(ValueError, match="expected mmap.MAP_PRIVATE or mmap.MAP_SHARED"):
        serialization.set_default_mmap_options(12)


def test_paths_of_all_kinds(tmp_path):
    path = pathlib.Path(tmp_path, "a.pt")
    for f in (path, str(path)):
        lw.save(3, f)
        assert lw.load(f) == torch.load(f) == 3
    with open(path, "rb") as file:
        assert lw.load(file) == 3
