"""Unpickling that runs nothing: the few instructions that tensors in dicts need, and names from a fixed list.

A pickle is a program, and Python's unpickler will call whatever it names. This one knows no instruction that could
find an object by its name but ``GLOBAL``, which looks in ``ALWAYS`` and in what the user allowed,
and calls nothing that does not stand there.
"""
import _compat_pickle
import pickle
import pickletools
import struct
from collections import Counter, OrderedDict

from leafward import devices, dtypes
from leafward.errors import warn
from leafward.nn.parameter import Parameter
from leafward.tensor.size import Size
from leafward.tensor.tensor import Tensor

from leafward.io.damage import RAW, is_ours
from leafward.io.names import FOREIGN, find, rebuilders, storage_type_by_name, stored_name

#: What ``add_safe_globals`` was given: objects, or (object, name) pairs, in order and as keys.
user_globals = {}

#: Nothing of these is loaded, whoever allows it.
BLOCKED_MODULES = ("sys", "os", "posix", "nt")

RERUN = ("In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
         "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
         "arbitrary code execution. Do it only if you got the file from a trusted source.")
MORE = ("Check the documentation of torch.load to learn more about types accepted by default with weights_only "
        "https://pytorch.org/docs/stable/generated/torch.load.html.")
TWO_WAYS = ("Weights only load failed. This file can still be loaded, to do so you have two options, do those steps "
            "only if you trust the source of the checkpoint. \n\t(1) " + RERUN + "\n\t(2) Alternatively, to load with "
            "`weights_only=True` please check the recommended steps in the following error message.\n\t"
            "WeightsUnpickler error: {}\n\n" + MORE)


class Refused(pickle.UnpicklingError):
    """The file holds something that ``weights_only=True`` does not load."""


def refused(reason):
    return Refused(f"Weights only load failed. {RERUN}\n\nWeightsUnpickler error: {reason}\n\n{MORE}")


def not_allowed(name):
    return Refused(TWO_WAYS.format(
        f"Unsupported global: GLOBAL {name} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` context "
        "manager to allowlist this global if you trust this class/function."))


def latin1(text, encoding):
    """Bytes, as protocol 2 spells them: ``_codecs.encode("\\xff", "latin1")``. Other encodings would import modules."""
    if encoding != "latin1":
        raise ValueError(f"bytes are stored in latin1, not in {encoding!r}")
    return text.encode("latin1")


def always_allowed():
    known = {
        "collections.OrderedDict": OrderedDict, "collections.Counter": Counter, "_codecs.encode": latin1,
        "builtins.bytearray": bytearray, "builtins.complex": complex, "builtins.set": set,
        "torch.Size": Size, "torch.Tensor": Tensor, "torch.device": devices.device,
        "torch.nn.parameter.Parameter": Parameter,
    }
    known.update((f"torch.{dtype.name}", dtype) for dtype in dtypes.by_name.values())
    for table in (storage_type_by_name, rebuilders):
        known.update((f"{module}.{name}", value) for (module, name), value in table.items())
    return known


ALWAYS = always_allowed()


def name_in_files(entry):
    """``(name, object)`` for something that a user allows: an object, or an (object, name) pair."""
    if isinstance(entry, tuple):
        if len(entry) != 2:
            raise ValueError("Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
                             f"{len(entry)}")
        if type(entry[1]) is not str:
            raise TypeError("Expected second item in tuple to be str of callable full path, but got: "
                            f"{type(entry[1])}")
        return entry[1], entry[0]
    module, name = stored_name(entry, entry.__qualname__) or (entry.__module__, entry.__qualname__)
    return f"{module}.{name}", entry


def user_allowed():
    return dict(map(name_in_files, user_globals))


def modern(module, name):
    """The names of Python 2, which protocol 2 still writes, as Python 3 has them."""
    module, name = _compat_pickle.NAME_MAPPING.get((module, name), (module, name))
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


def unsafe_globals(file):
    """The names in the pickle ``file`` that :class:`Unpickler` would refuse."""
    known = {**ALWAYS, **user_allowed()}
    named = set()
    for code, argument, _ in pickletools.genops(file):
        if (instruction := code.code.encode("latin1")) not in INSTRUCTIONS and instruction != pickle.STOP:
            raise pickle.UnpicklingError(f"Unsupported operand {ord(code.code)}")
        if code.name == "GLOBAL":
            module, name = modern(*argument.split(" ", 1))
            if module in BLOCKED_MODULES or f"{module}.{name}" not in known:
                named.add(f"{module}.{name}")
    return sorted(named)


def shown(name):
    return name.removeprefix("builtins.")


class Unpickler:
    """One pickle from ``file``; ``load_storage`` answers its persistent ids."""

    def __init__(self, file, load_storage, encoding="utf-8"):
        self.file, self.load_storage, self.encoding = file, load_storage, encoding
        self.by_user = user_allowed()
        self.stack, self.marks, self.memo = [], [], {}

    def may_call(self, function):
        """Whether ``function`` itself, not one that says it equals it, stands in the list."""
        return any(function is known for table in (ALWAYS, self.by_user) for known in table.values())

    def load(self):
        code = self.file.read(1)
        if not code:
            raise EOFError("Ran out of input")
        try:
            while code != pickle.STOP:
                step = INSTRUCTIONS.get(code)
                if step is None:
                    raise refused(f"\n\nUnsupported operand {code[0]}" if code else "the pickle is cut off")
                step(self)
                code = self.file.read(1)
            return self.stack.pop()
        except RAW as error:
            if not is_ours(error):
                raise
            raise refused(f"the pickle is damaged ({type(error).__name__}: {error})") from error

    # --- reading ------------------------------------------------------------------------------------------------

    def take(self, count):
        data = self.file.read(count)
        if len(data) < count:
            raise refused("the pickle is cut off")
        return data

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def line(self):
        line = self.file.readline()
        if not line.endswith(b"\n"):
            raise refused("the pickle is cut off")
        return line[:-1].decode("utf-8")

    def push(self, value):
        self.stack.append(value)

    def since_mark(self):
        """What was pushed since the last mark, as a list; the stack is as it was at the mark."""
        values, self.stack = self.stack, self.marks.pop()
        return values

    # --- instructions -------------------------------------------------------------------------------------------

    def protocol(self):
        number = self.number("<B")
        if number != 2:
            warn(
                f"Detected pickle protocol {number} in the checkpoint, which was not the default pickle protocol used "
                "by `torch.load` (2). The weights_only Unpickler might not support all instructions implemented by "
                "this protocol, please file an issue for adding support if you encounter this.")

    def named(self):
        """``GLOBAL``: an object by its name, from the list."""
        module, name = modern(self.line(), self.line())
        full = f"{module}.{name}"
        if module in BLOCKED_MODULES:           # before anything else: a user may have allowed the function
            raise Refused(f"Weights only load failed. {RERUN}\n\n\nTrying to load unsupported GLOBAL {full} whose "
                          f"module {module} is blocked.\n\n{MORE}")
        for table in (ALWAYS, self.by_user):
            if full in table:
                return self.push(table[full])
        if module == "torch._utils" and name in FOREIGN:
            find(module, name)                  # raises: leafward has no such tensors, whoever allows them
        raise not_allowed(shown(full))

    def call(self):
        """``REDUCE``: ``function(*arguments)``, if the list has the function."""
        arguments = self.stack.pop()
        function = self.stack[-1]
        if not self.may_call(function) or not callable(function):
            raise refused(f"\n\nTrying to call reduce for unrecognized function {function}")
        self.stack[-1] = function(*arguments)

    def new(self):
        """``NEWOBJ``: a bare instance of a class of the list."""
        arguments = self.stack.pop()
        cls = self.stack.pop()
        if not self.may_call(cls) or not isinstance(cls, type):
            raise refused(f"\n\nTrying to create new object for unrecognized class {cls}")
        self.push(cls.__new__(cls, *arguments))

    def build(self):
        """``BUILD``: the state of an object that was just made."""
        state = self.stack.pop()
        made = self.stack[-1]
        kind = type(made)
        if kind is OrderedDict:
            made.__dict__.update(state)
        elif not any(kind is cls for cls in self.by_user.values()):
            raise refused("\n\nCan only build Tensor, Parameter, OrderedDict or types allowlisted via "
                          f"`add_safe_globals`, but got {kind}")
        elif (set_state := getattr(made, "__setstate__", None)) is not None:
            set_state(state)
        else:
            attributes, slots = state if isinstance(state, tuple) else (state, {})
            made.__dict__.update(attributes or {})
            for name, value in (slots or {}).items():
                setattr(made, name, value)

    def stored(self):
        """``BINPERSID``: a storage."""
        identity = self.stack.pop()
        if not isinstance(identity, tuple):
            raise refused(f"persistent_load id must be tuple, but got {type(identity)}")
        if not identity or identity[0] != "storage":
            raise refused(f"Only persistent_load of storage is allowed, but got {identity[:1]}")
        self.push(self.load_storage(identity))

    def text_of_python2(self):
        data = self.take(self.number("<B"))
        self.push(data if self.encoding == "bytes" else data.decode(self.encoding))

    def mark(self):
        self.marks.append(self.stack)
        self.stack = []

    def append(self):
        value = self.stack.pop()
        self.owner(list).append(value)

    def extend(self):
        values = self.since_mark()
        self.owner(list).extend(values)

    def add(self):
        values = self.since_mark()
        self.owner(set).update(values)

    def set_item(self):
        value, key = self.stack.pop(), self.stack.pop()
        self.owner(dict)[key] = value

    def set_items(self):
        values = self.since_mark()
        self.owner(dict).update(zip(values[::2], values[1::2], strict=True))

    def owner(self, kind):
        """The container on top of the stack, which an instruction is about to fill."""
        if not isinstance(self.stack[-1], kind):
            raise refused(f"only a {kind.__name__} can be filled so, not a {type(self.stack[-1]).__name__}")
        return self.stack[-1]

    def tuple_of(self, count):
        values = tuple(self.stack[-count:])
        if len(values) < count:
            raise refused("the pickle is damaged (too few values for a tuple)")
        self.stack[-count:] = [values]

    def remember(self, position):
        self.memo[position] = self.stack[-1]


INSTRUCTIONS = {
    pickle.PROTO: Unpickler.protocol, pickle.GLOBAL: Unpickler.named, pickle.REDUCE: Unpickler.call,
    pickle.NEWOBJ: Unpickler.new, pickle.BUILD: Unpickler.build, pickle.BINPERSID: Unpickler.stored,
    pickle.MARK: Unpickler.mark, pickle.APPEND: Unpickler.append, pickle.APPENDS: Unpickler.extend,
    pickle.ADDITEMS: Unpickler.add, pickle.SETITEM: Unpickler.set_item, pickle.SETITEMS: Unpickler.set_items,
    pickle.NONE: lambda u: u.push(None), pickle.NEWTRUE: lambda u: u.push(True),
    pickle.NEWFALSE: lambda u: u.push(False), pickle.EMPTY_TUPLE: lambda u: u.push(()),
    pickle.EMPTY_LIST: lambda u: u.push([]), pickle.EMPTY_DICT: lambda u: u.push({}),
    pickle.EMPTY_SET: lambda u: u.push(set()), pickle.TUPLE: lambda u: u.push(tuple(u.since_mark())),
    pickle.TUPLE1: lambda u: u.tuple_of(1), pickle.TUPLE2: lambda u: u.tuple_of(2),
    pickle.TUPLE3: lambda u: u.tuple_of(3),
    pickle.BININT: lambda u: u.push(u.number("<i")), pickle.BININT1: lambda u: u.push(u.number("<B")),
    pickle.BININT2: lambda u: u.push(u.number("<H")), pickle.BINFLOAT: lambda u: u.push(u.number(">d")),
    pickle.LONG1: lambda u: u.push(int.from_bytes(u.take(u.number("<B")), "little", signed=True)),
    pickle.BINUNICODE: lambda u: u.push(u.take(u.number("<I")).decode("utf-8", "surrogatepass")),
    pickle.SHORT_BINSTRING: Unpickler.text_of_python2,
    pickle.BINGET: lambda u: u.push(u.memo[u.number("<B")]),
    pickle.LONG_BINGET: lambda u: u.push(u.memo[u.number("<I")]),
    pickle.BINPUT: lambda u: u.remember(u.number("<B")), pickle.LONG_BINPUT: lambda u: u.remember(u.number("<I")),
}
