"""What the options of ops and composites have to be, by their annotations and defaults; ``check.py`` looks at what is given."""
import sys
from functools import cache
from numbers import Real

from leafward.dtypes import dtype, memory_format
from leafward.core.bind import user_names
from leafward.core.op import DIMS, REQUIRED, Op, parameter_names, registry

#: Kinds of options that no one class of Python's is: the words for them are PyTorch's.
DOUBLE, SIZES, TENSOR = "float", "tuple of ints", "Tensor"
#: What the others are called, where it is not their name.
KINDS_IN_WORDS = {float: "Number", Real: "Number", tuple: SIZES, dtype: "torch.dtype", memory_format: "torch.memory_format"}
#: Annotation -> what it asks for.
ANNOTATED = {bool: bool, int: int, str: str, float: DOUBLE, Real: Real, tuple: tuple, int | tuple: SIZES}
#: Tensors of composites alone, or of ops that have options of this name as well.
ALSO_TENSORS = set("input other weight bias mask target aweights fweights prepend append offsets running_mean running_var "
                   "attn_mask sorter".split())
#: What may also be a number, where it is optional.
MAY_BE_NUMBERS = {"input", "other", "value"}


def kind_of(name, default, annotations):
    """What an option has to be: a class, ``float`` for any number, one of the words above; None where anything goes.

    An annotation says it, and otherwise the default does. What dims are, ``ops.dims.normalize`` tells.
    """
    if name == "dtype":
        return dtype
    if name in annotations:
        return ANNOTATED.get(annotations[name])
    kind = type(default)
    if kind is bool or kind is memory_format:
        return kind
    return float if kind in (int, float) and name not in DIMS else None


def composite_kinds(declared):
    """``(position, name, kind, default)`` of the options of a composite that not anything can be."""
    function = declared.function
    code, ends, keywords = function.__code__, function.__defaults__ or (), function.__kwdefaults__ or {}
    names = parameter_names(function)[1:]
    positional = code.co_argcount - 1
    defaults = dict(zip(names[positional - len(ends):positional], ends, strict=True)) | keywords
    kinds = []
    for position, name in enumerate(names):
        default = defaults.get(name, REQUIRED)
        kind = kind_of(name, default, function.__annotations__)
        if default is None and name not in function.__annotations__ and name in tensor_names() - MAY_BE_NUMBERS:
            kind = TENSOR
        if kind is not None:
            kinds.append((position if position < positional else sys.maxsize, name, kind, default))
    return tuple(kinds)


@cache
def tensor_names():
    """The names that mean a tensor in every op: what such a parameter of a composite is."""
    inputs, options = set(), set()
    for declared in registry.values():
        if isinstance(declared, Op):
            declared.complete()
            inputs.update(user_names(declared.inputs))
            options.update(user_names(declared.options))
    return inputs - options | ALSO_TENSORS
