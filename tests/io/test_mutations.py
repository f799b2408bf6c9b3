"""Files with something changed in them: an error that says so, or the same values; never another error, nor a crash."""
import io
import pickle
import resource
import struct
import tarfile
import warnings
import zipfile
from collections import OrderedDict

import numpy as np
import pytest

import leafward as lw
from leafward.io import safetensors
from leafward.io.archive import Writer

#: What ``load`` may raise for a damaged file.
SAYS_SO = (RuntimeError, pickle.UnpicklingError, EOFError)

#: A byte order that nobody knows, in PyTorch's words; and with ``weights_only=False`` a class that is not there, in Python's.
SAYS_SO_TOO = ("Unknown endianness type: ", "which leafward does not have", "Can't get attribute", "No module named")


@pytest.fixture(autouse=True)
def little_memory():
    """At most two gigabytes more than now, for as long as a test runs: what asks for them must not get them."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (2 << 30), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def contents():
    base = lw.arange(30.).reshape(5, 6)
    return {"step": 7, "model": OrderedDict(weight=base, view=base.t()[1:], half=lw.ones(3, dtype=lw.bfloat16)),
            "flags": [True, None, 2.5, "text", (1, 2), {3}, b"\xff\x00", 2**70], "p": lw.nn.Parameter(lw.ones(2)),
            "bits": lw.tensor([1, 2], dtype=lw.uint16), "dtype": lw.float32, "size": lw.Size([2, 3])}


def archive_of(value):
    file = io.BytesIO()
    lw.save(value, file)
    return file.getvalue()


def records_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def rewritten(records, compression=zipfile.ZIP_STORED):
    """An archive of these records, with all of its sizes and sums right."""
    file = io.BytesIO()
    if compression == zipfile.ZIP_STORED:
        with Writer(file, "archive") as archive:
            for name, data in records.items():
                archive.write(name, data)
    else:
        with zipfile.ZipFile(file, "w", compression) as archive:
            for name, data in records.items():
                archive.writestr(f"archive/{name}", data)
    return file.getvalue()


def old_file():
    torch = pytest.importorskip("torch")
    base = torch.arange(30.).reshape(5, 6)
    file = io.BytesIO()
    torch.save({"w": base, "view": base.t()[1:], "n": [1, "a", 2.5], "h": torch.ones(3, dtype=torch.bfloat16)}, file,
               _use_new_zipfile_serialization=False)
    return file.getvalue()


def tar_file():
    """The format of PyTorch 0.1, by hand."""
    class Named:
        def __init__(self, name):
            self.name = name

        def __reduce__(self):
            return self.name

    class Tensor:
        pass

    class Pickler(pickle._Pickler):
        def save_global(self, obj, name=None):
            self.write(b"c" + obj.name.encode())

        def persistent_id(self, obj):
            return "11" if isinstance(obj, Tensor) else None

    def dumped(value):
        file = io.BytesIO()
        Pickler(file, 2).dump(value)
        return file.getvalue()

    storages = dumped(1) + dumped((7, "cpu", Named("torch\nFloatStorage\n"))) + struct.pack("<q", 6) + \
        np.arange(6, dtype="float32").tobytes() + dumped([(8, 7, 2, 2)])
    tensors = dumped(1) + dumped((11, 7, Named("torch\nFloatTensor\n"))) + struct.pack("<i4x", 2) + \
        struct.pack("<5q", 2, 3, 3, 1, 0)
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in (("sys_info", dumped({})), ("pickle", dumped({"t": Tensor()})), ("storages", storages),
                           ("tensors", tensors)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return file.getvalue()


def mutated(data, rng):
    """``data`` with a few bytes changed, cut out, put in, doubled, or set to what numbers have at their ends."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        place, length = int(rng.integers(0, len(data) + 1)), int(rng.choice([1, 1, 2, 4, 8]))
        kind = rng.integers(0, 6)
        if kind == 0:
            data[place:place + length] = rng.integers(0, 256, length, dtype=np.uint8).tobytes()
        elif kind == 1:
            data[place:place + length] = b"\xff" * length
        elif kind == 2:
            data[place:place + length] = bytes(length)
        elif kind == 3:
            del data[place:place + length]
        elif kind == 4:
            other = int(rng.integers(0, len(data) + 1))
            data[place:place] = data[other:other + length]
        elif place < len(data):
            data[place] ^= 1 << int(rng.integers(0, 8))
    return bytes(data)


def same(a, b):
    return type(a) is type(b) and (
        (a.dtype, a.shape) == (b.dtype, b.shape) and bool((a == b).all()) if isinstance(a, lw.Tensor) else
        a.keys() == b.keys() and all(same(a[k], b[k]) for k in a) if isinstance(a, dict) else a == b)


def try_all(load, make, count, seed, says_so=SAYS_SO):
    """``load`` of ``count`` mutations that ``make`` makes: how many came back, and were the same."""
    came = equal = 0
    expected = load(make(None))
    for number in range(count):
        data = make(np.random.default_rng([seed, number]))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                back = load(data)
        except says_so:
            continue
        except Exception as error:
            if any(words in str(error) for words in SAYS_SO_TOO):
                continue
            raise AssertionError(f"mutation {number} of seed {seed}") from error
        came += 1
        equal += same(back, expected)
    return came, equal


def whole(data):
    return lambda rng: data if rng is None else mutated(data, rng)


def inside(record, compression=zipfile.ZIP_STORED):
    """Mutations of one record in an archive that is right apart from it."""
    records = records_of(archive_of(contents()))
    return lambda rng: rewritten(records if rng is None else {**records, record: mutated(records[record], rng)}, compression)


def try_both(weights_only, *args):
    # Python's own unpickler makes room for as many values as a damaged pickle numbers.
    says_so = SAYS_SO if weights_only else (*SAYS_SO, MemoryError)
    return try_all(lambda data: lw.load(io.BytesIO(data), weights_only=weights_only), *args, says_so)


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_changed_archives(weights_only, seed):
    data = archive_of(contents())
    came, equal = try_both(weights_only, whole(data), 400, seed)
    assert came == equal < 380                  # what the check sums do not cover is padding


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("record", ["data.pkl", "byteorder", "data/0"])
def test_changed_records(record, weights_only):
    came, _ = try_both(weights_only, inside(record), 600, 2)
    assert came < 600


@pytest.mark.parametrize("weights_only", [True, False])
def test_changed_compressed_archives(weights_only):
    data = rewritten(records_of(archive_of(contents())), zipfile.ZIP_DEFLATED)
    came, equal = try_both(weights_only, whole(data), 400, 3)
    assert came == equal


@pytest.mark.parametrize("weights_only", [True, False])
def test_changed_old_files(weights_only):
    try_both(weights_only, whole(old_file()), 600, 4)


def test_changed_tar_files():
    assert lw.load(io.BytesIO(tar_file()), weights_only=False)["t"].tolist() == [[0, 1, 2], [3, 4, 5]]
    try_both(False, whole(tar_file()), 600, 5)


def test_changed_mapped_files(tmp_path):
    path = tmp_path / "m.pt"

    def load(data):
        path.write_bytes(data)
        return lw.load(path, mmap=True)

    try_all(load, whole(archive_of(contents())), 200, 6)


def test_changed_safetensors():
    data = safetensors.save({"a": lw.arange(12.).reshape(3, 4), "b": lw.ones(2, dtype=lw.bfloat16)})
    try_all(safetensors.load, whole(data), 400, 7)
