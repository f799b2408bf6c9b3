"""Type stubs, for editors and type checkers: of what is derived from declarations, and of modules with a second name.

They are the folder ``leafward-stubs``, which is installed beside the package.

    python -m leafward.derive.stubs            write them
    python -m leafward.derive.stubs --check    say which are stale, and exit with 1 if any is
"""
import ast
import inspect
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter
from pathlib import Path
from pkgutil import iter_modules

from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.dtypes import dtype
from leafward.derive.methods import is_comparison, is_unary, operators
from leafward.derive.documentation import brief
from leafward.derive.signatures import EMPTY, callables, option_type, result_classes

PACKAGE = Path(__file__).parent.parent
#: The package by name: whoever runs this has imported it, and this file must not (it is to the right of here).
TOP = __name__.partition(".")[0] if __name__ != "__main__" else "leafward"

HEADER = '''\
# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
'''
TENSOR = "from leafward.tensor.tensor import Tensor\n"
NUMBER = "\n_Number = _int | _float | _complex\n"

#: What Tensor's own members give: those written in Python, which no declaration describes. The rest gives ``Any``.
MEMBERS = {
    **dict.fromkeys(("T", "mT", "H", "mH", "real", "imag", "data", "detach", "clone", "to", "cpu", "cuda", "type_as",
                     "__getitem__", "float", "double", "half", "bfloat16", "long", "int", "short", "bool", "cfloat",
                     "cdouble", "char", "byte", "new", "new_tensor", "pin_memory", "to_dense",
                     "__copy__", "__deepcopy__"), "Tensor"),
    **dict.fromkeys(("requires_grad_", "detach_", "set_", "resize_", "resize_as_", "share_memory_", "apply_", "transpose_",
                     "swapdims_", "swapaxes_", "t_", "squeeze_", "unsqueeze_", "as_strided_"), "Self"),
    **dict.fromkeys(("requires_grad", "is_leaf", "is_cuda", "is_sparse", "is_quantized", "is_meta", "is_mps", "is_xpu",
                     "is_nested", "is_mkldnn", "is_cpu", "is_sparse_csr", "is_vulkan", "is_ipu", "is_xla", "is_mtia", "is_maia",
                     "retains_grad", "volatile", "is_floating_point", "is_complex",
                     "is_signed", "is_neg", "is_inference", "has_names", "is_nonzero", "is_contiguous", "is_shared",
                     "is_pinned", "is_same_size", "is_set_to", "__bool__", "__contains__"), "_bool"),
    **dict.fromkeys(("ndim", "dim", "ndimension", "numel", "nelement", "output_nr", "element_size", "itemsize", "nbytes",
                     "data_ptr", "storage_offset", "get_device", "sparse_dim",
                     "dense_dim", "__len__", "__int__", "__index__", "__hash__"), "_int"),
    **dict.fromkeys(("__repr__", "__format__"), "_str"),
    **dict.fromkeys(("retain_grad", "backward", "__setitem__"), "None"),
    "shape": "Size", "dtype": "_dtype", "device": "_device", "grad": "Tensor | None", "__float__": "_float",
    "__complex__": "_complex", "__iter__": "Iterator[Tensor]", "names": "tuple[None, ...]",
}
#: Members whose result depends on how they are called.
OVERLOADED = {
    "size": ("(self, dim: None = None) -> Size", "(self, dim: _int) -> _int"),
    "stride": ("(self, dim: None = None) -> tuple[_int, ...]", "(self, dim: _int) -> _int"),
    "type": ("(self, dtype: None = None) -> _str", "(self, dtype: _dtype | _str, non_blocking: _bool = False) -> Tensor"),
}
#: Written by Python for every class, or of no use to a type checker.
HIDDEN = {"__module__", "__doc__", "__dict__", "__weakref__", "__slots__", "__new__", "__reduce_ex__", "__torch_function__",
          "__array_priority__", "__eq__", "__ne__", "__getattr__", "__annotations__"}


# --- one definition --------------------------------------------------------------------------------------------------

def shown_default(value):
    """The default as a stub shows it: in full where it is a plain constant."""
    plain = isinstance(value, (bool, int, str, type(None))) or (isinstance(value, float) and value - value == 0)
    return repr(value) if plain else "..."


def shown_parameters(parameters, first=()):
    """``self, dim: _int, *, keepdim: _bool = False``."""
    parts, starred, optional = list(first), False, False
    for p in parameters:
        if p.kind is Parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or p.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        sign = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}.get(p.kind, "")
        # A forward may put a required input behind optional ones (`where`'s method form): a stub may not.
        optional = p.kind is Parameter.POSITIONAL_OR_KEYWORD and (optional or p.default is not EMPTY)
        default = f" = {shown_default(p.default)}" if p.default is not EMPTY else " = ..." if optional else ""
        parts.append(f"{sign}{p.name}: {p.annotation}{default}")
    return ", ".join(parts)


def definition(name, parameters, result, doc, indent=""):
    """``def`` with its documentation."""
    lines = (doc or "").strip().replace("\\", "\\\\").replace('"""', "'''").split("\n")
    head = f"{indent}def {name}({parameters}) -> {result}:"
    if not lines[0]:
        return f"{head} ...\n"
    if len(lines) == 1:
        return f'{head}\n{indent}    """{lines[0]}"""\n'
    rest = "".join(f"{indent}    {line}".rstrip() + "\n" for line in lines[1:])
    return f'{head}\n{indent}    """{lines[0]}\n{rest}{indent}    """\n'


def first_line(function):
    return (function.__doc__ or "").strip().partition("\n")[0]


def derived(name, callable):
    """The definition, or overloads, of a derived function or method."""
    indent, first = ("    ", ("self",)) if callable.namespace == "Tensor" else ("", ())
    parameters = callable.parameters
    doc = brief(callable.declared, parameters)
    usual = definition(name, shown_parameters(parameters, first), callable.result, doc, indent)
    places = [k for k, p in enumerate(parameters) if p.name == callable.spread]
    if not places:
        return usual
    spread = [p.replace(kind=Parameter.VAR_POSITIONAL, annotation="_int", default=EMPTY) if k == places[0] else
              p.replace(kind=Parameter.KEYWORD_ONLY) if k > places[0] else p for k, p in enumerate(parameters)]
    varied = definition(name, shown_parameters(spread, first), callable.result, "", indent)
    return f"{indent}@overload\n{usual}{indent}@overload\n{varied}"


def plain(name, function, result="Any", first=(), indent=""):
    """The definition of a function that was written, not derived."""
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=plain_type(p)) for p in signature.parameters.values()][len(first):]
    annotation = signature.return_annotation
    return definition(name, shown_parameters(parameters, first), in_stub(annotation) if isinstance(annotation, str) else result,
                      first_line(function), indent)


#: What an annotation in the code is called in a stub, where ``int`` may be a method's name.
RENAMED = {**{name: f"_{name}" for name in ("bool", "complex", "float", "int", "str")},
           "Device": "_device | _str | _int", "DType": "_dtype", "Generator": "_Generator", "Number": "_Number"}


def in_stub(annotation):
    """``"int | DType"`` -> ``"_int | _dtype"``."""
    return re.sub(r"\w+", lambda word: RENAMED.get(word[0], word[0]), annotation)


def plain_type(parameter):
    if isinstance(parameter.annotation, str):
        return in_stub(parameter.annotation)
    if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
        return "Any"
    if parameter.name in ("input", "other", "target", "tensor") and parameter.default is EMPTY:
        return "Tensor"
    return option_type(parameter.name, parameter)


def result_class_definitions(parts):
    """The named tuples that ``parts`` mention."""
    body = "".join(parts)
    for name, fields in sorted(result_classes().items()):
        if f"-> {name}:" in body:
            yield f"class {name}(NamedTuple):\n" + "".join(f"    {field}: Tensor\n" for field in fields)


# --- the files -------------------------------------------------------------------------------------------------------

def written(module, derived_here):
    """The definitions of a module's own functions, and of methods that it offers as functions."""
    methods = callables()["Tensor"]
    for name, value in sorted(vars(module).items()):
        if name in derived_here or name.startswith("_") or not inspect.isroutine(value):
            continue
        if name in methods and value is getattr(runtime.tensor, name):
            parameters = [Parameter("input", Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor"),
                          *methods[name].parameters]
            yield definition(name, shown_parameters(parameters), "Tensor", first_line(value))
        elif value is getattr(runtime.tensor, name, None):
            yield definition(name, "input: Tensor", MEMBERS[name].replace("Self", "Tensor"), first_line(value))
        elif value.__module__ == module.__name__:
            yield plain(name, value)


def namespace_stub(module, derived_here):
    """A module that holds derived functions and, perhaps, some that were written."""
    parts = [derived(name, callable) for name, callable in sorted(derived_here.items())]
    parts += written(module, derived_here)
    return "".join([HEADER, TENSOR, NUMBER, "\n", *result_class_definitions(parts), *parts])


def reexports(module):
    """``from leafward.tensor.size import Size as Size``, for everything public that ``__init__.py`` imports by name."""
    for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names = [n.asname or n.name for n in node.names]
            yield from (f"from {node.module} import {n} as {n}\n" for n in names if not n.startswith("_"))
    homes = {name: module._MODULES.get(name, f"{TOP}.{name}") for name in (*module._LAZY, *module._LAZY_FUNCTIONS.values())}
    for name in sorted(module._LAZY):
        folder, _, file = homes[name].rpartition(".")
        yield f"from {folder} import {file} as {name}\n"
    yield from (f"from {homes[where]} import {name} as {name}\n" for name, where in sorted(module._LAZY_FUNCTIONS.items()))


def package_stub(module, derived_here):
    """``leafward`` itself."""
    parts = [derived(name, callable) for name, callable in sorted(derived_here.items())]
    for name, value in sorted(vars(module).items()):
        if name in derived_here or name.startswith("_"):
            continue
        if isinstance(value, dtype):
            parts.append(f"{name}: _dtype\n")
        elif isinstance(value, float):
            parts.append(f"{name}: _float\n")
        elif isinstance(value, type) and name.endswith("Tensor") and name != "Tensor":
            parts.append(f"{name}: type[Tensor]\n")
    parts += written(module, derived_here)
    parts.append("newaxis: None\n__version__: _str\nown_version: _str\n")
    return "".join([HEADER, *reexports(module), NUMBER, "\n", *result_class_definitions(parts), *parts])


def tensor_stub(derived_here):
    """The class ``Tensor``: its own members, the derived methods and the operators."""
    cls = runtime.tensor
    parts = ["class Tensor:\n", f'    """{cls.__doc__.strip().splitlines()[0]}"""\n',
             "    def __init__(self, *data: Any, dtype: _dtype | None = None, device: Any = None) -> None: ...\n"]
    operators = operator_definitions()
    for name, member in sorted(own_members(cls, derived_here).items()):
        if name not in operators:
            parts.append(member_definition(name, member))
    parts += [operators[name] for name in sorted(operators) if name not in derived_here]
    parts += [derived(name, callable) for name, callable in sorted(derived_here.items())]
    head = [HEADER, f"from {TOP}.tensor.size import Size\n", NUMBER, "\n", *result_class_definitions(parts)]
    return "".join(head + parts)


def own_members(cls, derived_here):
    members = {}
    for parent in reversed(cls.__mro__):
        if parent not in (TensorBase, object):          # TensorBase has fields only, and compiled what Cython adds
            members.update(vars(parent))
    return {name: member for name, member in members.items()
            if name not in HIDDEN and name not in derived_here and (name.startswith("__") or not name.startswith("_"))}


def member_definition(name, member):
    if name in OVERLOADED:
        return "".join(f"    @overload\n    def {name}{text}: ...\n" for text in OVERLOADED[name])
    result = MEMBERS.get(name, "Any")
    if isinstance(member, property):
        text = "    @property\n" + definition(name, "self", result, first_line(member.fget), "    ")
        if member.fset is not None:
            text += f"    @{name}.setter\n    def {name}(self, value: {result}) -> None: ...\n"
        return text
    if isinstance(member, (staticmethod, classmethod)) or not inspect.isroutine(member):
        return f"    {name}: Any\n"
    return plain(name, member, result, ("self",), "    ") if name != "__hash__" else \
        "    def __hash__(self) -> _int: ...\n"


def operator_definitions():
    """``__add__`` and the rest, as ``derive.methods`` puts them on the class."""
    other = "(self, other: Tensor | _Number) -> Tensor: ..."
    found = {}
    for name, declared in operators().items():
        if is_unary(declared):
            found[f"__{name}__"] = f"    def __{name}__(self) -> Tensor: ...\n"
        elif is_comparison(declared):
            of_anything = other.replace("Tensor | _Number", "Any") + "  # type: ignore[override]"
            found[f"__{name}__"] = f"    def __{name}__{of_anything if f'__{name}__' in HIDDEN else other}\n"
        else:
            for prefix in ("", "r", "i"):
                if hasattr(runtime.tensor, f"__{prefix}{name}__"):
                    found[f"__{prefix}{name}__"] = f"    def __{prefix}{name}__{other}\n"
    return found


#: PEP 561's folder for the stubs of a package: partial, so that what is annotated in the code is read there.
STUBS = PACKAGE.parent / f"{TOP}-stubs"


def stubs():
    """``{path: text}`` of the stub of everything that is derived."""
    found = callables()
    texts = {STUBS / "py.typed": "partial\n", STUBS / "__init__.pyi": package_stub(sys.modules[TOP], found.pop("torch")),
             STUBS / "tensor" / "tensor.pyi": tensor_stub(found.pop("Tensor"))}
    for namespace, derived_here in found.items():
        module = import_module(f"{TOP}.{namespace}")
        path = Path(module.__file__).relative_to(PACKAGE).with_suffix(".pyi")
        texts[STUBS / path] = namespace_stub(module, derived_here)
    return texts


# --- modules under two names -----------------------------------------------------------------------------------------

def aliases():
    """``{path: text}`` of a stub for every module that answers under PyTorch's name and lives in another folder."""
    texts = {}
    for name, home in sys.modules[TOP]._MODULES.items():
        for module, is_package in parts_of(home):
            path = STUBS / name / module.removeprefix(home).removeprefix(".").replace(".", "/")
            path = path / "__init__.pyi" if is_package else path.with_suffix(".pyi")
            texts[path] = f"{HEADER.splitlines()[0]}\nfrom {module} import *\n"
    return texts


def parts_of(name):
    """``(name, is_package)`` of a module and of all in it."""
    found = find_spec(name)
    folders = found.submodule_search_locations
    yield name, folders is not None
    for part in iter_modules(folders or [], f"{name}."):
        yield from parts_of(part.name)


def write_or_check(texts, command, check):
    """Write the generated files; with ``check`` name those that differ instead. The exit status."""
    stale = [path for path, text in texts.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    if check:
        for path in stale:
            print(f"{path} is stale: run `{command}`")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8", newline="\n")
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(write_or_check(stubs() | aliases(), "python -m leafward.derive.stubs", "--check" in sys.argv[1:]))
