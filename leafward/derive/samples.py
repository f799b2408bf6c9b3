"""The sample notation of ``docs/design/0001-notation.md``, read: what is given to which parameter of an op.

    "3 4 | 1 4 ; dim=1"      two tensors and an option
    "-90 +90"                a 1-D tensor of these values
    "int3: 2 4 | = 2.5"      indices below 3, and a Python scalar
    "[3 4, 2 4]"             a list of two tensors

The tests draw values for it; the reference writes small ones out.
"""
import functools
import re
from inspect import Parameter

VALUE = re.compile(r"^[+-]|\.")
PREFIX = re.compile(r"^(int\d+|bool|pos|unit|away|distinct|complex|sym|spd|lower|upper)\s*:")


class Spec:
    """One input of a sample, before it has a dtype."""

    def __init__(self, kind, shape=None, values=None, items=None):
        self.kind = kind          # "normal", "pos", ..., "values", "scalar", "none", "list"
        self.shape = shape
        self.values = values
        self.items = items

    @property
    def is_edge(self):
        """Values written out by hand: often a kink or a pole, where finite differences do not apply."""
        return self.kind == "values"

    @property
    def follows_dtype(self):
        if self.kind == "list":
            return any(s.follows_dtype for s in self.items)
        return self.kind not in ("scalar", "none", "bool", "complex") and not self.kind.startswith("int")


def split_outside_brackets(text, separator):
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == separator and not depth:
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]]


def parse_input(text, domain=None, spec=Spec):
    """One input of a sample string.

    >>> parse_input("3 4").shape, parse_input("-90 +90").values, parse_input("= 2.5").values
    ((3, 4), [-90.0, 90.0], 2.5)
    """
    text = text.strip()
    if text == "None":
        return spec("none")
    if text.startswith("="):
        names = {"inf": float("inf"), "nan": float("nan"), "True": True, "False": False}
        return spec("scalar", values=eval(text[1:].strip(), {"__builtins__": {}}, names))  # noqa: S307  our own tables
    if text.startswith("["):
        inner = text[1:-1].strip()
        items = [parse_input(part, domain, spec) for part in split_outside_brackets(inner, ",")] if inner else []
        return spec("list", items=items)
    kind = domain or "normal"
    if found := PREFIX.match(text):
        kind, text = found[1], text[found.end():].strip()
    tokens = text.split()
    if tokens and all(VALUE.search(token) for token in tokens):
        return spec("values", values=[float(token) for token in tokens], shape=(len(tokens),))
    return spec(kind, shape=tuple(int(token) for token in tokens))


class ReadSample:
    """One sample of one op or composite: its inputs, its options, and where they go."""

    spec = Spec

    def __init__(self, op, text):
        self.op = op
        self.text = text
        inputs, _, options = text.partition(";")
        self.options_text = options.strip()
        self.parameters = declared_parameters(op)
        given = re.findall(r"(\w+)\s*=(?!=)", strip_nested(self.options_text))
        self.receivers = [p for p in input_parameters(op, self.parameters) if p.name not in given]
        if not inputs.strip() and self.takes_nothing(given):
            self.specs = []
        else:
            self.specs = [parse_input(part, op.domain, self.spec) for part in split_outside_brackets(inputs, "|")]

    def takes_nothing(self, given):
        """A blank before ``;`` is a 0-dim tensor, unless the op has no tensor to put it in."""
        return not self.receivers or (is_composite(self.op) and self.parameters[0].name in given)

    @property
    def is_edge(self):
        return any(s.is_edge or (s.kind == "list" and any(i.is_edge for i in s.items)) for s in self.specs)

    @property
    def follows_dtype(self):
        return any(s.follows_dtype for s in self.specs)

    def __str__(self):
        return f"{self.op.name}-{self.text.strip() or 'scalar'}"

    def options(self, t):
        names = Names(t)
        return eval(f"dict({self.options_text})", {}, names)  # noqa: S307  our own tables

    def bind(self, values, options):
        """Positional as far as the last tensor reaches, then by PyTorch's names."""
        given = dict(options)
        rest = list(values)
        for parameter in self.receivers:
            if not rest:
                break
            if parameter.kind is Parameter.VAR_POSITIONAL:
                given[parameter.name] = tuple(rest[0] if isinstance(rest[0], list) else rest)
                rest = []
            else:
                given[parameter.name] = rest.pop(0)
        assert not rest, f"{self}: more inputs than {[p.name for p in self.receivers]}"
        receiving = {p.name for p in self.receivers}
        varargs = getattr(self.op, "varargs", None)
        placed = [k for k, p in enumerate(self.parameters)
                  if p.name in given and (p.name in receiving or p.name == varargs or p.kind is Parameter.VAR_POSITIONAL)]
        args, kwargs = [], {}
        positional = True
        for k, parameter in enumerate(self.parameters):
            positional = positional and parameter.name in given and parameter.kind is not Parameter.KEYWORD_ONLY
            if parameter.name not in given:
                continue
            value = given.pop(parameter.name)
            if parameter.kind is Parameter.VAR_POSITIONAL:
                args.extend(value if isinstance(value, (list, tuple)) else (value,))
            elif positional and placed and k <= placed[-1]:
                args.append(value)
            else:
                kwargs[public_name(self.op, parameter.name)] = value
        return args, {**kwargs, **given}


class Names(dict):
    """What an option's text may name: dtypes and the namespace itself."""

    def __init__(self, t):
        super().__init__({"torch": t, "lw": t, "t": t, "inf": float("inf"), "nan": float("nan"), "None_": None})
        self.t = t

    def __missing__(self, name):
        try:
            return getattr(self.t, name)
        except AttributeError:
            raise KeyError(name) from None


def strip_nested(text):
    """``text`` without strings and without what stands in brackets."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "''", text)
    while (shorter := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", text)) != text:
        text = shorter
    return text


def is_composite(op):
    return hasattr(op, "function")


@functools.cache
def declared_parameters(op):
    if not is_composite(op):
        return op.parameters
    return [p for p in op.parameters if p.kind is not Parameter.VAR_KEYWORD]


def input_parameters(op, parameters):
    if is_composite(op):
        return parameters
    return [p for p in parameters if p.name in op.inputs]


def public_name(op, name):
    """The notation's ``x``, ``y`` and ``from_`` are ``input``, ``other`` and ``from`` to users."""
    return name if is_composite(op) else {"x": "input", "y": "other", "from_": "from"}.get(name, name)
