"""Where a tensor lives. There is one place, the CPU; other names are understood, and refused when used."""

KNOWN_TYPES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla",
               "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")
# Backends that PyTorch does not write in capitals.
BACKENDS = {"lazy": "Lazy", "vulkan": "Vulkan", "privateuseone": "PrivateUse1"}


class device:
    """A kind of hardware and, where there are several, which one.

    >>> device("cpu", 0), device("cuda:1").index
    (device(type='cpu', index=0), 1)
    """

    __slots__ = ("index", "type")

    def __new__(cls, *args, **kwargs):
        type, index = parse(args, kwargs)
        made = object.__new__(cls)
        object.__setattr__(made, "type", type)
        object.__setattr__(made, "index", index)
        return made

    def __init_subclass__(cls):
        raise TypeError("type 'torch.device' is not an acceptable base type")

    def __setattr__(self, name, value):
        if name in device.__slots__:
            raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")
        raise AttributeError(f"'torch.device' object has no attribute '{name}'")

    def __eq__(self, other):
        if not isinstance(other, device):
            return NotImplemented
        return self.type == other.type and self.index == other.index

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self):
        return device, (self.type,) if self.index is None else (self.type, self.index)

    def __enter__(self):
        if self.type == "meta":
            modes.append(of_meta().MetaMode())
            modes[-1].__enter__()
        else:
            check_device(self)
        defaults.append(self)
        return self

    def __exit__(self, *exception):
        defaults.pop()
        if self.type == "meta":
            modes.pop().__exit__(*exception)


def parse(args, kwargs):
    """``("cuda:1",)`` or ``("cuda", 1)`` -> ``("cuda", 1)``; ``("cpu",)`` -> ``("cpu", None)``."""
    given = dict(zip(("type", "index"), args), **kwargs)
    first = given.get("type", given.get("device"))
    if "index" in given and first is not None and not isinstance(first, str):
        raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type_name(first)}")
    if isinstance(first, device):
        return first.type, first.index
    if isinstance(first, int) and not isinstance(first, bool):
        if first < 0:
            raise RuntimeError("Device index must not be negative")
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if not isinstance(first, str) or len(args) > 2 or not given.keys() <= {"type", "index", "device"}:
        got = ", ".join([*map(type_name, args), *(f"{name}={type_name(value)}" for name, value in kwargs.items())])
        raise TypeError(f"device() received an invalid combination of arguments - got ({got}), but expected one of:\n"
                        " * (torch.device device)\n * (str type, int index = -1)")
    kind, index = parse_string(first)
    return (kind, index) if given.get("index") is None else (kind, explicit_index(first, index, given["index"]))


def parse_string(text):
    if not text:
        raise RuntimeError("Device string must not be empty")
    kind, colon, number = text.partition(":")
    # PyTorch calls the whole string invalid if the part before the colon is not a plain word.
    if not (kind.isascii() and kind.replace("_", "a").isalpha()):
        raise RuntimeError(f"Invalid device string: '{text}'")
    if colon and not (number.isascii() and number.isdigit() and (number == "0" or number[0] != "0")):
        raise RuntimeError(f"Invalid device string: '{text}'")
    if kind not in KNOWN_TYPES:
        raise RuntimeError(f"Expected one of {', '.join(KNOWN_TYPES)} device type at start of device string: {kind}")
    return kind, int(number) if colon else None


def explicit_index(text, found, index):
    if isinstance(index, bool) or not isinstance(index, int):
        raise TypeError(f"device(): argument 'index' (position 2) must be int, not {type_name(index)}")
    if found is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    return index


def type_name(value):
    return "torch.device" if isinstance(value, device) else type(value).__name__


# A tensor reports this one whatever index it was asked for, as in PyTorch: there is one CPU.
cpu = device("cpu")
# `with device(...)` pushes here; set_default_device replaces the first.
defaults = [cpu]
# For each `with device("meta")`, what takes its tensors there.
modes = []


def of_meta():
    """What makes tensors of the meta device; it stands above this file."""
    from importlib import import_module
    return import_module("leafward.tensor.meta")


def refuse_pinned(pin_memory):
    """Refuse memory that would wait for copies to an accelerator."""
    if pin_memory:
        raise RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator "
                           "is available on this system.")


def check_device(d, function="tensor"):
    """The device where a tensor asked for on ``d`` (a device, a string or None) will live; raise if it cannot.

    >>> check_device("cpu:0")
    device(type='cpu')
    """
    if d is None or d is cpu:
        return cpu
    if not isinstance(d, (device, str, int)) or isinstance(d, bool):
        raise TypeError(f"{function}(): argument 'device' must be torch.device, not {type(d).__name__}")
    kind = device(d).type
    if kind == "cpu":
        return cpu
    advice = 'leafward computes on the CPU: use device="cpu".'
    if kind in ("cuda", "xpu", "mtia"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled\n{advice}")
    if kind == "mps":
        raise NotImplementedError(f"PyTorch is not linked with support for mps devices\n{advice}")
    if kind == "meta":
        raise NotImplementedError(f"{function}(): device='meta' is understood by x.to('meta') and by what makes tensors inside "
                                  "`with torch.device('meta'):`")
    raise NotImplementedError("Could not run 'aten::empty.memory_format' with arguments "
                              f"from the '{BACKENDS.get(kind, kind.upper())}' backend.\n{advice}")


def get_default_device():
    """The device of tensors made without a ``device=``."""
    return defaults[-1]


def set_default_device(device):
    """Make ``device`` the one that tensors are made on; None for the CPU."""
    check_device(device, "set_default_device")
    defaults[0] = cpu if device is None else as_device(device)


def as_device(d):
    """``"cpu:0"`` or a device -> a device."""
    return d if isinstance(d, device) else device(d)
