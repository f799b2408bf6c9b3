"""Hostile, truncated and damaged files, full disks and crashes: a clear error, nothing run, nothing lost."""
import io
import os
import pickle
import signal
import subprocess
import sys
import zipfile
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import leafward as lw
from leafward import serialization
from leafward.io import safetensors
from leafward.io.archive import Replacement, Writer


def good_file(**tensors):
    file = io.BytesIO()
    lw.save(tensors or {"a": lw.arange(100.), "b": lw.ones(3)}, file)
    return file.getvalue()


def file_with(pickled, records=()):
    """A file whose pickle is ``pickled``, with two storages of 8 bytes."""
    file = io.BytesIO()
    with Writer(file, "archive") as archive:
        archive.write("data.pkl", pickled)
        for name, data in {"byteorder": b"little", "data/0": bytes(8), "data/1": bytes(8), "version": b"3\n",
                           **dict(records)}.items():
            archive.write(name, data)
    file.seek(0)
    return file


# --- hostile ----------------------------------------------------------------------------------------------------

ran = []


class Calls:
    """Pickles as a call of ``function``."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def note(*args):
    ran.append(args)


HOSTILE = {
    "os.system": Calls(os.system, "true"), "exec": Calls(exec, "1/0"), "eval": Calls(eval, "1/0"),
    "getattr": Calls(getattr, 1, "real"), "our own": Calls(note, 1), "subprocess": Calls(subprocess.Popen, ["true"]),
    "open": Calls(open, os.devnull), "deep inside": {"a": [OrderedDict(b=Calls(note, 2))]},
}


@pytest.mark.parametrize("legacy", [False, True], ids=["archive", "old format"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_runs_nothing(name, legacy):
    pickled = pickle.dumps(HOSTILE[name], 2)
    if legacy:
        head = b"".join(pickle.dumps(p, 2) for p in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))
        file = io.BytesIO(head + pickled + pickle.dumps([], 2))
    else:
        file = file_with(pickled)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        lw.load(file)
    assert not ran


CAN_ONLY_BUILD = "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but"
PROGRAMS = {
    "a blocked module": (b"cos\nsystem\n.", "Trying to load unsupported GLOBAL os.system whose module os is blocked."),
    "an unknown name": (b"cmy.module\nThing\n.", r"Unsupported global: GLOBAL my.module.Thing was not an allowed "
                        r"global by default. Please use `torch.serialization.add_safe_globals\(\[my.module.Thing\]\)`"),
    "a builtin": (b"cbuiltins\neval\n.", "Unsupported global: GLOBAL eval was not an allowed global by default."),
    "a dotted name": (b"ctorch\nTensor.__class__\n.", "Unsupported global: GLOBAL torch.Tensor.__class__"),
    "calling a string": (b"X\x01\x00\x00\x00aK\x01\x85R.", "Trying to call reduce for unrecognized function a"),
    "a new int": (b"K\x01)\x81.", "Trying to create new object for unrecognized class 1"),
    "building a string": (b"X\x01\x00\x00\x00a}b.", CAN_ONLY_BUILD),
    "building a class": (b"ctorch\nTensor\n}b.", CAN_ONLY_BUILD),
    "an unknown instruction": (b"(i.", "Unsupported operand 105"),
    "nothing on the stack": (b".", "the pickle is damaged"),
    "too few for a tuple": (b"K\x01\x86.", "too few values for a tuple"),
    "no end": (b"K\x01", "the pickle is cut off"),
    "half a string": (b"X\xff\xff\xff\x7fabc", "the pickle is cut off"),
    "half a name": (b"ctorch\nTen", "the pickle is cut off"),
    "a list as a key": (b"}]K\x01s.", "the pickle is damaged .TypeError: unhashable"),
    "items for a tuple": (b")(K\x01K\x02u.", "only a dict can be filled so, not a tuple"),
    "appending to a class": (b"ctorch\nTensor\nK\x01a.", "only a list can be filled so"),
    "a module as storage": (b"(X\x06\x00\x00\x00modulectorch\nTensor\ntQ.", "Only persistent_load of storage"),
    "a number as storage": (b"K\x01Q.", "persistent_load id must be tuple, but got <class 'int'>"),
    "a codec": (b"c_codecs\nencode\nX\x01\x00\x00\x00aX\x05\x00\x00\x00rot13\x86R.", "bytes are stored in latin1"),
    "an attribute of ours": (
        b"ctorch._utils\n_rebuild_parameter_with_state\n(ctorch\nTensor\n)R\x88N}X\x06\x00\x00\x00_arrayK\x01stR.",
        "a file cannot set '_array' of a tensor"),
    "a rebuilding that is none": (
        b"ctorch._tensor\n_rebuild_from_type_v2\n(cbuiltins\nset\nctorch\nTensor\n)}tR.", "a file builds tensors with"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_restricted_unpickler_refuses(name):
    program, text = PROGRAMS[name]
    with pytest.raises(pickle.UnpicklingError, match=text):
        lw.load(file_with(b"\x80\x02" + program))


class Settings:
    def __init__(self, depth):
        self.depth = depth


class Checked:
    def __getstate__(self):
        return {"a": 1}

    def __setstate__(self, state):
        self.state = state


def test_users_allow_their_own_classes():
    data = good_file(settings=Settings(3), checked=Checked(), more=defaultdict(list, a=[1]))
    with pytest.raises(pickle.UnpicklingError, match=r"add_safe_globals\(\[tests.io.test_damage.Settings\]\)|Settings"):
        lw.load(io.BytesIO(data))
    names = serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data))
    assert [name.rpartition(".")[2] for name in names] == ["list", "defaultdict", "Checked", "Settings"]
    with serialization.safe_globals([Settings, Checked, defaultdict, list]):
        back = lw.load(io.BytesIO(data))
        assert len(serialization.get_safe_globals()) == 4
    assert back["settings"].depth == 3 and back["checked"].state == {"a": 1} and back["more"]["a"] == [1]
    assert serialization.get_safe_globals() == []
    serialization.add_safe_globals([Settings])
    serialization.clear_safe_globals()
    with pytest.raises(pickle.UnpicklingError):
        lw.load(io.BytesIO(data))
    assert type(lw.load(io.BytesIO(data), weights_only=False)["settings"]) is Settings


def test_an_allowed_module_loads_with_weights_only():
    nn = lw.nn
    with serialization.safe_globals([nn.Linear, nn.Sequential, nn.ReLU, set]):
        back = lw.load(io.BytesIO(good_file(m=nn.Sequential(nn.Linear(2, 3), nn.ReLU()))))["m"]
    assert isinstance(back[0], nn.Linear) and back(lw.ones(1, 2)).shape == (1, 3)


def tensor_program(count=2, offset=0, size=(2,), stride=(1,), kind="Float", key="0", function="_rebuild_tensor_v2"):
    """A pickle that makes one tensor of the storage ``key``."""
    class Named:
        def __init__(self, name):
            self.name = name

        def __reduce__(self):
            return self.name

    class Storage:
        pass

    class Pickler(pickle._Pickler):
        def save_global(self, obj, name=None):
            self.write(b"c" + obj.name.encode())

        def persistent_id(self, obj):
            if isinstance(obj, Storage):
                return "storage", Named(f"torch\n{kind}Storage\n"), key, "cpu", count
            return None

    class Tensor:
        def __reduce__(self):
            return Callable(), (Storage(), offset, size, stride, False, {})

    class Callable:
        def __reduce__(self):
            return "f"
        name = f"torch._utils\n{function}\n"

        def __call__(self):
            pass

    file = io.BytesIO()
    Pickler(file, 2).dump(Tensor())
    return file.getvalue()


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("how, error, text", [
    ({"size": (3,)}, RuntimeError, r"setStorage: sizes \[3\], strides \[1\], storage offset 0, and itemsize 4 "
     "requiring a storage size of 12 are out of bounds for storage of size 8"),
    ({"offset": 1}, RuntimeError, "are out of bounds for storage of size 8"),
    ({"stride": (5,)}, RuntimeError, "are out of bounds for storage of size 8"),
    ({"size": (2 ** 62, 2 ** 62), "stride": (1, 1)}, RuntimeError, "are out of bounds"),
    ({"stride": (-1,)}, RuntimeError, "no negative sizes or strides"),
    ({"offset": -1}, RuntimeError, "no negative sizes or strides"),
    ({"size": (1.5,)}, RuntimeError, "whole sizes"),
    ({"size": (2,), "stride": (1, 1)}, RuntimeError, "as many strides"),
    ({"count": 10 ** 12}, RuntimeError, "it should have 1000000000000 elements of 4 bytes, and has 8 bytes"),
    ({"key": "7"}, RuntimeError, "PytorchStreamReader failed locating file data/7: file not found"),
    ({"function": "_rebuild_qtensor"}, NotImplementedError, "quantized tensor, which leafward does not have"),
])
def test_tensors_outside_their_storage_are_refused(how, error, text, weights_only):
    with pytest.raises(error, match=text):
        lw.load(file_with(tensor_program(**how)), weights_only=weights_only)


def test_the_hostile_tensors_differ_from_a_good_one():
    assert lw.load(file_with(tensor_program())).tolist() == [0, 0]


# --- damaged ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [0.02, 0.3, 0.9, 0.999])
def test_a_truncated_file_says_so(kept):
    data = good_file()
    with pytest.raises(RuntimeError, match="PytorchStreamReader failed reading zip archive: failed finding central"):
        lw.load(io.BytesIO(data[:int(len(data) * kept)]))


def test_a_changed_byte_is_seen():
    data = bytearray(good_file())
    data[data.index(np.arange(100, dtype="float32").tobytes()) + 9] ^= 1
    with pytest.raises(RuntimeError, match="failed reading file data/0: crc32 mismatch"):
        lw.load(io.BytesIO(bytes(data)))


def test_no_damage_passes_unseen_or_hangs():
    data = good_file()
    expected = lw.load(io.BytesIO(data))
    generator = np.random.default_rng(0)
    passed = 0
    for _ in range(300):
        changed = bytearray(data)
        for place in generator.integers(0, len(data), 3):
            changed[place] ^= int(generator.integers(1, 256))
        try:
            back = lw.load(io.BytesIO(bytes(changed)))
        except (RuntimeError, pickle.UnpicklingError, UserWarning):
            continue
        except ValueError as error:
            assert "Unknown endianness type" in str(error)
            continue
        passed += 1                             # the damage hit padding, or records that nothing needs
        assert all(back[name].tolist() == expected[name].tolist() for name in expected)
    assert passed < 250


@pytest.mark.parametrize("data, error", [
    (b"", EOFError), (b"hello world\n", pickle.UnpicklingError), (bytes(100), pickle.UnpicklingError),
    (b"\x80\x02K\x01.", RuntimeError),
])
def test_other_files_are_refused(data, error):
    with pytest.raises(error):
        lw.load(io.BytesIO(data))


def compressed(records):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in records.items():
            archive.writestr(f"archive/{name}", data)
    return file.getvalue()


PEAK = """
import io, resource, sys
import leafward as lw
with open(sys.argv[1], "rb") as file:
    data = file.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    lw.load(io.BytesIO(data))
except (RuntimeError, ValueError) as error:
    print(str(error).partition(".")[0])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000)
"""


@pytest.mark.parametrize("record, says", [
    ("data/0", "it should have 2 elements of 4 bytes, and has 300000000 bytes"), ("byteorder", "Unknown endianness type"),
])
def test_a_bomb_is_seen_before_it_unpacks(tmp_path, record, says):
    path = tmp_path / "bomb.pt"
    records = {"data.pkl": tensor_program(), "byteorder": b"little", "data/0": bytes(8), "version": b"3\n"}
    path.write_bytes(compressed({**records, record: bytes(300_000_000)}))
    done = in_child(PEAK, path)
    assert says in done.stdout and done.stdout.endswith("True\n") and not done.stderr, done


def test_a_record_that_unpacks_to_more_than_it_says(tmp_path):
    path = tmp_path / "bomb.pt"
    data = compressed({"data.pkl": tensor_program(), "byteorder": b"little", "data/0": bytes(300_000_000), "version": b"3\n"})
    size = (300_000_000).to_bytes(4, "little")
    assert data.count(size) == 2
    path.write_bytes(data.replace(size, (8).to_bytes(4, "little")))
    done = in_child(PEAK, path)
    assert "failed reading file data/0: Bad CRC-32" in done.stdout and done.stdout.endswith("True\n"), done


def test_a_record_that_stands_twice_is_refused():
    file = file_with(tensor_program())
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(file, "a") as archive:
        archive.writestr("archive/data/0", bytes(4) + b"abcd")
    for weights_only in (True, False):
        with pytest.raises(RuntimeError, match="a record stands there twice"):
            lw.load(io.BytesIO(file.getvalue()), weights_only=weights_only)


def test_what_users_do_wrong_is_not_called_damage():
    class Odd:
        def __setstate__(self, state):
            raise KeyError("mine")

    def wrong(storage, location):
        raise LookupError("the user's")

    data = good_file(settings=Checked())
    globals_before = Checked.__setstate__
    Checked.__setstate__ = Odd.__setstate__
    try:
        with pytest.raises(KeyError, match="mine"), serialization.safe_globals([Checked]):
            lw.load(io.BytesIO(data))
        with pytest.raises(KeyError, match="mine"):
            lw.load(io.BytesIO(data), weights_only=False)
    finally:
        Checked.__setstate__ = globals_before
    for weights_only in (True, False):
        with pytest.raises(LookupError, match="the user's"):
            lw.load(io.BytesIO(good_file()), map_location=wrong, weights_only=weights_only)
    with pytest.raises(AttributeError, match="Can't get attribute"):
        lw.load(file_with(b"\x80\x02cio\nNothing\n."), weights_only=False)
    file = io.BytesIO(good_file())
    file.close()
    with pytest.raises(ValueError, match="closed file"):
        lw.load(file)


def test_a_truncated_old_file_says_so():
    torch = pytest.importorskip("torch")
    file = io.BytesIO()
    torch.save(torch.arange(50.), file, _use_new_zipfile_serialization=False)
    for cut in (8, 100, 205):
        with pytest.raises(RuntimeError, match="PytorchStreamReader failed reading"):
            lw.load(io.BytesIO(file.getvalue()[:-cut]))


def test_a_script_archive_is_named():
    with pytest.raises(NotImplementedError, match="TorchScript archive"):
        lw.load(file_with(b"\x80\x02N.", {"constants.pkl": b"x"}))


# --- full disks, crashes ----------------------------------------------------------------------------------------


def in_child(source, *args, **how):
    return subprocess.run([sys.executable, "-c", source, *map(str, args)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(lw.__file__))}, **how)


FILL_THE_DISK = """
import resource, signal, sys
import leafward as lw
from leafward.io import safetensors
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    if sys.argv[2] == "safetensors":
        safetensors.save_file({"a": lw.zeros(100_000)}, sys.argv[1])
    else:
        lw.save({"a": lw.zeros(100_000)}, sys.argv[1])
except OSError as error:
    print(type(error).__name__, error.errno, end="")
"""


@pytest.mark.parametrize("kind", ["archive", "safetensors"])
def test_a_full_disk_leaves_the_old_file(tmp_path, kind):
    path = tmp_path / "model"
    lw.save({"old": 1}, path)
    before = path.read_bytes()
    done = in_child(FILL_THE_DISK, path, kind)
    assert done.stdout == "OSError 27" and done.stderr == ""
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model"]


def test_a_file_object_on_a_full_disk_passes_its_error_on():
    class Full(io.BytesIO):
        def write(self, data):
            if self.tell() > 500:
                raise OSError(28, "No space left on device")
            return super().write(data)

    with pytest.raises(OSError, match="No space left on device"):
        lw.save({"a": lw.zeros(1000)}, Full())


DIE_WHILE_WRITING = """
import os, signal, sys
import leafward as lw
from leafward.io import archive
write = archive.Writer.write
def deadly(self, record, data):
    write(self, record, data)
    self.zip.fp.flush()
    if record == "data/0":
        os.kill(os.getpid(), signal.SIGKILL)
archive.Writer.write = deadly
lw.save({"a": lw.zeros(1000), "b": lw.ones(3)}, sys.argv[1])
"""


def test_a_crash_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.pt"
    lw.save({"old": 1}, path)
    assert in_child(DIE_WHILE_WRITING, path).returncode == -signal.SIGKILL
    assert lw.load(path) == {"old": 1}
    left = [name for name in os.listdir(tmp_path) if name != "model.pt"]
    assert len(left) == 1 and left[0].startswith(".model.pt.") and left[0].endswith(".tmp")


def test_what_cannot_be_pickled_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.pt"
    lw.save({"old": 1}, path)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        lw.save({"a": lambda: 1}, path)
    assert lw.load(path) == {"old": 1} and os.listdir(tmp_path) == ["model.pt"]


def test_a_new_file_keeps_links_and_permissions(tmp_path):
    path, link = tmp_path / "model.pt", tmp_path / "latest.pt"
    lw.save(1, path)
    path.chmod(0o640)
    link.symlink_to(path)
    lw.save(2, link)
    assert link.is_symlink() and lw.load(path) == 2 and path.stat().st_mode & 0o777 == 0o640
    lw.save(3, os.devnull)
    assert not os.path.isfile(os.devnull)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(RuntimeError, match="Parent directory .*nowhere does not exist."):
        lw.save(1, tmp_path / "nowhere" / "model.pt")
    with pytest.raises(FileNotFoundError):
        lw.load(tmp_path / "model.pt")


def test_a_replacement_that_fails_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), Replacement(tmp_path / "x") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == []


# --- safetensors ------------------------------------------------------------------------------------------------


def test_safetensors_come_back(tmp_path):
    tensors = {"a": lw.arange(12.).reshape(3, 4).t(), "b": lw.ones(2, dtype=lw.bfloat16), "z": lw.zeros(0, 3),
               "n": lw.tensor(True), "p": lw.nn.Parameter(lw.ones(2))}
    safetensors.save_file(tensors, tmp_path / "m.safetensors", {"made by": "a test"})
    back = safetensors.load_file(tmp_path / "m.safetensors")
    for name, tensor in tensors.items():
        assert back[name].tolist() == tensor.tolist() and back[name].dtype is tensor.dtype
        assert back[name].shape == tensor.shape and not back[name].requires_grad
    back["a"].add_(1)


def test_safetensors_refuse():
    x = lw.zeros(4)
    with pytest.raises(RuntimeError, match="Some tensors share memory, this will lead to duplicate memory on disk"):
        safetensors.save({"x": x, "y": x[1:]})
    assert set(safetensors.load(safetensors.save({"x": x[:2], "y": x[2:]}))) == {"x", "y"}
    with pytest.raises(ValueError, match="expected torch.Tensor but received <class 'int'>"):
        safetensors.save({"x": 1})
    with pytest.raises(ValueError, match="no type for the torch.complex128 of x"):
        safetensors.save({"x": lw.zeros(1, dtype=lw.complex128)})
    with pytest.raises(RuntimeError, match="the safetensors data are damaged"):
        safetensors.load(safetensors.save({"x": x})[:-3])
    with pytest.raises(NotImplementedError, match="F4"):
        header = b'{"x":{"dtype":"F4","shape":[8],"data_offsets":[0,4]}}'
        safetensors.load(len(header).to_bytes(8, "little") + header + bytes(4))


def test_zip_is_read_by_other_tools(tmp_path):
    lw.save({"a": lw.ones(3)}, tmp_path / "m.pt")
    with zipfile.ZipFile(tmp_path / "m.pt") as archive:
        assert archive.testzip() is None
