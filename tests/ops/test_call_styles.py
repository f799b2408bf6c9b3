"""A call that PyTorch takes by name, by position or with its defaults spelled out, leafward takes so, and means the same.

PyTorch's own schemas say what its arguments are called, in which order they come, and what their defaults are.
"""
import collections
import inspect

import pytest

import leafward
from tests.oracle import Outcome, assert_same, torch
from tests.samples import declared_ops, is_public, name_of, samples_of

#: Schemas give these by number, or they say nothing about values.
NOT_SPELLED = {"dtype", "layout", "device", "pin_memory", "memory_format", "cudnn_enable", "cudnn_enabled"}
#: What a schema names and leafward has by name alone.
LEFT_OUT = {"tensordot": "out"}
PREFIX = {"nn.functional": "", "torch": "", "Tensor": "", "linalg": "linalg_", "special": "special_", "fft": "fft_"}
MISSING = inspect.Parameter.empty


class Argument:
    def __init__(self, name, only_by_name, default):
        self.name = "input" if name == "self" else name
        self.only_by_name = only_by_name
        self.default = default


def schemas():
    found = collections.defaultdict(list)
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::") and not any(
                a.is_out or a.name == "out" or "Dimname" in str(a.type) for a in schema.arguments):
            found[schema.name.removeprefix("aten::")].append([
                Argument(a.name, a.kwarg_only, a.default_value if a.has_default_value() else MISSING)
                for a in schema.arguments])
    return found


SCHEMAS = schemas()


def signatures(path):
    """The ways to call what PyTorch has under ``path``."""
    namespace, _, name = path.rpartition(".")
    function = found_under(torch, path)
    if not inspect.isfunction(function):
        return SCHEMAS[PREFIX[namespace] + name] if namespace in PREFIX and function is not None else []
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) or namespace == "Tensor":
        return []
    return [[Argument(p.name, p.kind is p.KEYWORD_ONLY, p.default) for p in parameters if p.kind is not p.VAR_KEYWORD]]


def found_under(t, path):
    found = t
    for part in path.removeprefix("torch.").split("."):
        found = getattr(found, part, None)
    return found


def paths_of(op):
    for path in op.paths:
        yield from (path,) if "." in path else (f"torch.{path}", f"Tensor.{path}")


def by_name(signature, args, kwargs):
    """Every argument of a call by its name there; None where it does not fit."""
    names = [a.name for a in signature if not a.only_by_name]
    given = dict(zip(names, args))
    renamed = {{"x": "input", "y": "other"}.get(name, name): value for name, value in kwargs.items()}
    if len(args) > len(names) or renamed.keys() & given.keys() or not renamed.keys() <= {a.name for a in signature}:
        return None
    given.update(renamed)
    return given if all(a.name in given or a.default is not MISSING for a in signature) else None


def ways(signature, given):
    """``(args, kwargs)`` of the same call in several ways."""
    spelled = {a.name: a.default for a in signature
               if a.name not in NOT_SPELLED and a.default not in (MISSING, None)} | given
    for values in given, spelled:
        yield [], values
        args, rest = [], dict(values)
        for argument in signature:
            if argument.only_by_name or argument.name not in rest:
                break
            args.append(rest.pop(argument.name))
        yield args, rest


def called(t, path, args, kwargs):
    t.manual_seed(0)
    if not path.startswith("Tensor."):
        return found_under(t, path)(*args, **kwargs)
    kwargs = dict(kwargs)
    receiver = args[0] if args else kwargs.pop("input")
    return getattr(receiver, path.removeprefix("Tensor."))(*args[1:], **kwargs)


def made(sample, t, signature, number):
    """The ``number``-th way of a call of ``sample``, with inputs of its own."""
    args, kwargs = sample.make(t, "float32")
    given = by_name(signature, args, kwargs)
    return given and list(ways(signature, given))[number]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", [op for op in declared_ops() if is_public(op) and samples_of(op)], ids=name_of)
def test_other_ways_to_call(op):
    for path in paths_of(op):
        for signature in signatures(path):
            for sample in samples_of(op)[:3]:
                for number in range(4):
                    compare(op, path, signature, sample, number)


def compare(op, path, signature, sample, number):
    theirs = made(sample, torch, signature, number)
    if theirs is None or LEFT_OUT.get(op.name) in theirs[1] or not ("input" in theirs[1] or theirs[0] or "Tensor" not in path):
        return
    if Outcome(called, (torch, path, *theirs)).error is not None:
        return
    args, kwargs = sample.make(leafward, "float32")
    leafward.manual_seed(0)
    plain = Outcome(op.public_function, args, kwargs)
    given = Outcome(called, (leafward, path, *made(sample, leafward, signature, number)))
    try:
        if plain.error is None:
            assert_same(given.get(), plain.value)
        else:
            given.get()
    except Exception as error:
        error.add_note(f"{path}({theirs[0]}, {theirs[1]})")
        raise


def test_it_compares_something():
    """Schemas were found, and fit most samples."""
    fit = [op for op in declared_ops() if is_public(op) and samples_of(op) and any(
        made(samples_of(op)[0], torch, signature, 0) for path in paths_of(op) for signature in signatures(path))]
    assert len(fit) > 500
