"""What users call, read off the declarations: every path, its parameters under PyTorch's names, types and results.

For the stubs and the reference pages. A type is what a checker should accept, so it is wide where a declaration does
not say more: a number where the default is a number, anything where it is None.
"""
from inspect import Parameter, signature
from numbers import Real

from leafward.core.bind import user_names
from leafward.core.op import Composite, Op, registry
from leafward.core.option_kinds import tensor_names
from leafward.ops.creation import creations
from leafward.derive.functions import inplace_paths, spots

EMPTY = Parameter.empty
NUMBER = "_Number"
INTS = "_int | Sequence[_int]"
#: What a declaration's own annotation of an option says; in a compiled file it is text.
KINDS = {bool: "_bool", int: "_int", str: "_str", float: NUMBER, Real: NUMBER, int | tuple: INTS, tuple: "Sequence[_int]",
         "bool": "_bool", "int": "_int", "float": NUMBER, "str": "_str"}
BOUND = f"{NUMBER} | Tensor"

#: Types of options by name, where the default does not tell.
TYPES = {
    **dict.fromkeys(("dim0", "dim1", "axis0", "axis1", "start_dim", "end_dim", "num_classes", "chunks", "sections",
                     "step", "start"), "_int"),
    **dict.fromkeys(("keepdim", "largest", "inplace", "full_matrices", "hermitian"), "_bool"),
    **dict.fromkeys(("dim", "dims", "axis", "kernel_size", "stride", "padding", "dilation", "output_padding", "size",
                     "shape", "output_size", "repeats", "shifts", "split_size", "split_sizes", "sizes", "normalized_shape",
                     "pad"), INTS),
    "dtype": "_dtype", "device": "_device | _str | _int", "layout": "Any", "memory_format": "Any", "bins": "Any",
    "generator": "_Generator", "equation": "_str", "reduce": "_str", "mode": "_str", "rounding_mode": "_str",
}


class Callable:
    """One name that users call. ``kind``: ``"function"``, ``"method"`` or ``"in-place"``."""

    def __init__(self, declared, namespace, name, kind):
        self.declared = declared
        self.namespace = namespace
        self.name = name
        self.kind = kind

    @property
    def parameters(self):
        """Parameters as users see them, annotated with their types as text; without ``self`` for a method."""
        parameters = parameters_of(self.declared)
        if self.kind == "in-place":
            parameters = [p for p in parameters if p.name != "out"]
        if self.namespace == "Tensor":
            if not self.name.startswith("new_"):
                del parameters[receiver(self.declared)]
            parameters = [p for p in parameters if p.name != "out"]
        return parameters

    @property
    def result(self):
        """The type of what it returns."""
        return "Tensor" if self.kind == "in-place" else result_of(self.declared)

    @property
    def spread(self):
        """The name of the option that may be spread over the call, ``x.view(2, 3)``; None if there is none."""
        return getattr(self.declared, "varargs", None)


def callables():
    """Everything derived: ``{namespace: {name: Callable}}``, in order of declaration."""
    found = {}

    def add(declared, path, kind):
        for namespace, name in spots(path):
            if name.startswith("_") and not name.startswith("__"):
                continue                        # half of an overload: not for users
            shown = "method" if kind == "function" and namespace == "Tensor" else kind
            found.setdefault(namespace, {})[name] = Callable(declared, namespace, name, shown)
    for declared in registry.values():
        for path in declared.paths:
            add(declared, path, "function")
        if isinstance(declared, Op) and declared.inplace:
            for path in inplace_paths(declared):
                add(declared, path, "in-place")
    for declared in creations:
        add(declared, f"torch.{declared.name}", "function")
        if declared.new:
            add(declared, f"Tensor.new_{declared.name}", "function")
    return found


def receiver(declared):
    """The position of the parameter that a method is called on."""
    return declared.names.index(declared.self_name) if getattr(declared, "self_name", None) else 0


# --- parameters ------------------------------------------------------------------------------------------------------

def parameters_of(declared):
    if isinstance(declared, Op):
        return op_parameters(declared)
    if isinstance(declared, Composite):
        return composite_parameters(declared)
    return creation_parameters(declared)


def keyword(name, annotation, default=None):
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def op_parameters(op):
    op.complete()
    parameters = []
    for name, shown, p in zip(op.names, user_names(op.names), op.parameters, strict=True):
        type_ = input_type(op, name) if name in op.inputs else option_type(shown, p)
        # `from` is a keyword of Python's; such an option can only be given by position.
        shown = name if shown in ("from", "lambda") else shown
        parameters.append(p.replace(name=shown, annotation=type_))
    if op.writes is None and op.alias is None and op.outputs != ("*",):
        several = len(op.outputs) > 1
        parameters.append(keyword("out", "Sequence[Tensor] | None" if several else "Tensor | None"))
    return parameters


def input_type(op, name):
    if name == op.variadic:
        return "Sequence[Tensor]"
    optional = op.defaults[op.names.index(name)] is None
    position = op.inputs.index(name)
    number = op.takes_number[position] and (op.promoted[position] if op.dtype is not None else name in given_as_numbers(op))
    return "Tensor" + (f" | {NUMBER}" if number else "") + (" | None" if optional else "")


def given_as_numbers(op):
    """The inputs that a sample gives as a plain number: ``"3 4 | = 1.0"``."""
    parts = (sample.partition(";")[0].split("|") for sample in op.samples if isinstance(sample, str))
    return {name for inputs in parts for name, text in zip(op.inputs, inputs) if text.strip().startswith("=")}


def composite_parameters(composite):
    tensors = tensor_names()
    parameters = composite.parameters
    shown = []
    for p in parameters:
        if p.kind is Parameter.VAR_POSITIONAL:
            type_ = INTS if p.name in TYPES else "Tensor | Sequence[Tensor]" if p.name == "tensors" else "Any"
        elif p.kind is Parameter.VAR_KEYWORD:
            type_ = "Any"
        elif p.name == "tensors":
            type_ = "Sequence[Tensor]"
        elif p.name in tensors and p.default in (EMPTY, None):
            number = NUMBER + " | " if p.name in ("other", "value") else ""
            type_ = f"{number}Tensor" + (" | None" if p.default is None else "")
        else:
            type_ = option_type(p.name, p)
        if p.annotation is object:
            type_ = "Any"
        shown.append(p.replace(annotation=type_))
    return shown


def creation_parameters(creation):
    parameters = list(signature(creation.function).parameters.values())[2 if creation.random else 1:]
    first = []
    if creation.like:
        del parameters[0]
        first = [Parameter("input", Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor")]
    named = [keyword("dtype", "_dtype | None"), keyword("layout", "Any"), keyword("device", "_device | _str | _int | None"),
             keyword("pin_memory", "_bool", False), keyword("requires_grad", "_bool", False)]
    if creation.random:
        named.insert(0, keyword("generator", "_Generator | None"))
    named.append(keyword("memory_format", "Any") if creation.like else keyword("out", "Tensor | None"))
    last = [p for p in parameters if p.kind is Parameter.VAR_KEYWORD]
    given = [p.replace(annotation=creation_type(p)) for p in parameters if p.name != "dtype" and p not in last]
    return first + given + named + [p.replace(annotation="Any") for p in last]


def creation_type(parameter):
    """The type of what a constructor is given: sizes are whole, bounds are any numbers."""
    if parameter.kind is Parameter.VAR_POSITIONAL:
        return BOUND if parameter.name == "bounds" else INTS
    if parameter.name in ("start", "end", "step"):
        return BOUND + (" | None" if parameter.default is None else "")
    return option_type(parameter.name, parameter)


def option_type(name, parameter):
    """The type of a plain value, from its annotation, its name or its default."""
    default = parameter.default
    if parameter.annotation in KINDS:
        return KINDS[parameter.annotation] + (" | None" if default is None else "")
    if isinstance(default, float):
        return NUMBER
    if name in TYPES:
        return TYPES[name] + (" | None" if default is None else "")
    if isinstance(default, bool):
        return "_bool"
    if isinstance(default, int):
        return NUMBER
    if isinstance(default, str):
        return f"{NUMBER} | _str" if name == "p" else "_str"        # the order of a norm: 2, or "fro"
    return "Any"


# --- results ---------------------------------------------------------------------------------------------------------

def result_of(declared):
    outputs = getattr(declared, "outputs", ())
    if outputs == ("*",):
        return "tuple[Tensor, ...]"
    if len(outputs) > 1:
        return "_" + "".join(name.title().replace("_", "") for name in outputs)
    return composite_result(declared) if isinstance(declared, Composite) else "Tensor"


#: What a composite's ``->`` may say, for users. Without it a composite returns one Tensor; ``object``: it depends.
RESULTS = {bool: "_bool", tuple: "tuple[Tensor, ...]", object: "Tensor | Any"}


def composite_result(composite):
    annotations = composite.function.__annotations__
    return RESULTS[annotations["return"]] if "return" in annotations else "Tensor"


def result_classes():
    """The named tuples that ops return: ``{class name: field names}``."""
    return {result_of(declared): declared.outputs for declared in registry.values()
            if len(getattr(declared, "outputs", ())) > 1}
