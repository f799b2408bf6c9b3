"""Calls of declared ops as source text: any sample, on other tensors, in any form, with other options."""
import functools

from leafward.derive import samples as notation
from tests.fuzz.values import any_dtype, broadcastable, written
from tests.oracle import torch
from tests.samples import declared_ops, is_internal, resolve

OPERATORS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
             "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
             "eq": "==", "ne": "!="}

#: Ops of which no two runs are alike, or whose results are fixed up to a sign, a phase or an order; and what they are.
UNCOMPARED = {
    "empty_permuted": "uninitialised memory", "empty_like": "uninitialised memory", "new_empty": "uninitialised memory",
    "new_empty_strided": "uninitialised memory", "resize_": "uninitialised memory beyond the old elements",
    "resize_as_": "as resize_",
    "linalg_eigh": "a sign or phase", "linalg_eig": "a sign or phase, an order", "linalg_eigvals": "an order",
    "linalg_svd": "a sign or phase", "svd": "a sign or phase", "svd_lowrank": "a sign", "pca_lowrank": "a sign",
    "linalg_qr": "signs", "qr": "signs", "lobpcg": "an iteration that ends somewhere", "matrix_exp": "another algorithm",
    "geqrf": "signs", "linalg_householder_product": "as geqrf", "ormqr": "as geqrf", "orgqr": "as geqrf",
    "linalg_ldl_factor": "pivots", "linalg_ldl_factor_ex": "pivots", "linalg_ldl_solve": "pivots",
    "normal": "normals within 3e-7", "normal_": "normals within 3e-7", "log_normal_": "normals within 3e-7",
    "_standard_gamma": "normals within 3e-7", "_sample_dirichlet": "as _standard_gamma",
}


class Text:
    """An expression: its ``repr`` is its source."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text

    def __getattr__(self, name):
        if name.startswith("__") or self.text == "t" and not hasattr(torch, name):
            raise AttributeError(name)
        return Text(f"{self.text}.{name}")

    def __call__(self, *args, **kwargs):
        return Text(f"{self.text}({arguments(args, kwargs)})")


def arguments(args, kwargs):
    # `from` is a keyword: such an option can only be given so.
    plain = [f"{name}={value!r}" for name, value in kwargs.items() if name != "from"]
    odd = [f"**{{'from': {value!r}}}" for name, value in kwargs.items() if name == "from"]
    return ", ".join([*map(repr, args), *plain, *odd])


class Callable_:
    """What of PyTorch a declared op is called as, in all forms."""

    def __init__(self, op):
        self.op = op
        self.functions, self.methods = [], []
        paths = [op.reference] if is_internal(op) else list(op.paths)
        for path in paths:
            namespace, _, name = path.rpartition(".")
            full = path.removeprefix("torch.")
            if namespace != "Tensor" and resolve_function(full):
                self.functions.append(f"t.{full}")
            if namespace in ("", "Tensor") and hasattr(torch.Tensor, name) and not name.startswith("__"):   # no options
                self.methods.append(name)
        self.inplace = [name for name in {p.rpartition(".")[2] for p in paths}
                        if hasattr(torch.Tensor, name + "_") and not name.startswith("_")]
        self.samples = [Read(op, text) for text in op.samples if isinstance(text, str)]
        errors = [Read(op, text) for text, *_ in getattr(op, "errors", ()) if isinstance(text, str)]
        self.errors = [s for s in errors if s.specs]
        names = {p.name for p in notation.declared_parameters(op)}
        self.has_out = "out" in names or getattr(op, "takes_out", False)
        self.operators = [OPERATORS[name] for name in op.operator or () if name in OPERATORS]

    def __bool__(self):
        return bool(self.samples and (self.functions or self.methods))


def resolve_function(path):
    found = torch
    for part in path.split("."):
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


class Read(notation.ReadSample):
    """A sample whose options are source text."""


@functools.cache
def callables():
    found = []
    for op in declared_ops():
        if op.name in UNCOMPARED or is_internal(op) and not isinstance(op.reference, str):
            continue
        if (op.reference if isinstance(op.reference, str) else op.paths[0]).rpartition(".")[2].startswith("_") and (
                not op.paths[0].startswith("Tensor.__")):
            continue                    # PyTorch's own business
        if callable(op.reference) and not any(resolve(torch, p) for p in op.paths):
            continue
        made = Callable_(op)
        if made:
            found.append(made)
    return found


@functools.cache
def option_values():
    """Option name -> the texts of all values that any sample gives it."""
    found = {}
    for op in declared_ops():
        for text in op.samples:
            if isinstance(text, str) and ";" in text:
                for name, value in options_of(Read(op, text)).items():
                    found.setdefault(name, {})[repr(value)] = None
    return {name: list(values) for name, values in found.items()}


def options_of(sample):
    try:
        return sample.options(Text("t"))
    except Exception:       # computes with what it names: that one stays with the tests
        return {}


class Caller:
    """Writes calls for one program; ``program`` says which variables there are and takes new ones."""

    def __init__(self, rng, program):
        self.rng, self.program = rng, program

    def call(self):
        """``(expression, is it a statement, is it random)`` of a call of some op."""
        rng = self.rng
        for _ in range(20):
            target = rng.choice(callables())
            pool = target.errors if target.errors and rng.random() < 0.05 else target.samples
            sample = rng.choice(pool)
            made = self.written(target, sample)
            if made is not None:
                return made
        return "t.zeros(3)", False, False

    def written(self, target, sample):
        rng, op = self.rng, target.op
        if sample.options_text and not options_of(sample):
            return None
        values = self.operands(target, sample)
        options = self.options(op, sample, values)
        try:
            args, kwargs = sample.bind(values, options)
        except AssertionError:
            return None
        random = bool(op.random)
        operands = [a for a in args[:1] if isinstance(a, Text)]
        form = rng.random()
        if target.operators and len(values) == 2 and form < 0.3:
            symbol = rng.choice(target.operators)
            if rng.random() < 0.3 and isinstance(values[0], Text):
                return f"{values[0]!r} {symbol}= {values[1]!r}", symbol not in ("<", ">", "<=", ">=", "==", "!="), random
            return f"{values[0]!r} {symbol} {values[1]!r}", False, random
        if target.inplace and operands and form < 0.55 and (form < 0.35 or op.name.endswith("_")):
            name = rng.choice(target.inplace)
            return f"{operands[0]!r}.{name}_({arguments(args[1:], kwargs)})", False, random
        if target.functions and target.has_out and form > 0.93:
            kwargs = {**kwargs, "out": self.out()}
            return f"{rng.choice(target.functions)}({arguments(args, kwargs)})", False, random
        if target.methods and operands and (rng.random() < 0.5 or not target.functions):
            return f"{operands[0]!r}.{rng.choice(target.methods)}({arguments(args[1:], kwargs)})", False, random
        if not target.functions:
            return None
        return f"{rng.choice(target.functions)}({arguments(args, kwargs)})", False, random

    def out(self):
        if self.rng.random() < 0.5 and (name := self.program.any_variable()):
            return Text(name)
        return Text(self.program.new(written(self.rng, self.rng.choice(((), (0,), (3,), (2, 3))), self.program.dtype())))

    # --- operands ------------------------------------------------------------------------------------------------

    def operands(self, target, sample):
        elementwise = getattr(target.op, "elementwise", False)
        if elementwise and self.rng.random() < 0.6 or self.is_free(sample) and self.rng.random() < 0.5:
            return self.free_operands(sample)
        return [self.operand(spec) for spec in sample.specs]

    @staticmethod
    def is_free(sample):
        """One tensor of any shape, nothing else: any variable will do."""
        return len(sample.specs) == 1 and sample.specs[0].kind in ("normal", "pos", "away", "unit") and not sample.options_text

    def free_operands(self, sample):
        """Any variable first, then such that broadcast against it, or numbers where a sample has one."""
        rng, found, shape = self.rng, [], None
        for spec in sample.specs:
            if spec.kind == "list" or spec.kind == "none":
                found.append(self.operand(spec))
            elif spec.kind == "scalar" or (found and rng.random() < 0.15):
                found.append(self.number(spec))
            elif shape is None and (name := self.program.any_variable()):
                shape = self.program.shape(name)
                found.append(Text(name))
            else:
                other = broadcastable(rng, shape) if shape is not None else spec.shape or ()
                found.append(self.tensor(other, spec.kind))
        return found

    def operand(self, spec):
        if spec.kind == "list":
            return [self.operand(item) for item in spec.items]
        if spec.kind == "none":
            return None
        if spec.kind == "scalar":
            return self.number(spec) if self.rng.random() < 0.3 else Text(repr(spec.values))
        if spec.kind == "values":
            return self.values(spec)
        return self.tensor(spec.shape, spec.kind)

    def tensor(self, shape, kind):
        """A variable of this shape, or a new one."""
        rng = self.rng
        if rng.random() < 0.03 and (name := self.program.any_variable()):
            return Text(name)
        fits = kind in ("normal", "pos", "away", "distinct", "unit") and self.program.of_shape(shape)
        if fits and rng.random() < 0.55:
            return Text(rng.choice(fits))
        if rng.random() < 0.06:         # another size in one dim
            shape = tuple(rng.choice((0, 1, n + 1)) if rng.random() < 0.4 else n for n in shape)
        if kind.startswith("int"):
            dtype = rng.choice(("int64",) * 8 + ("int32", "uint8"))
        elif kind == "bool":
            dtype = "bool" if rng.random() < 0.9 else "uint8"
        else:
            dtype = any_dtype(rng, self.program.main)
            if kind == "complex" and rng.random() < 0.8:
                dtype = rng.choice(("complex64", "complex128"))
        return Text(self.program.new_tensor(shape, dtype, kind))

    def values(self, spec):
        dtype = any_dtype(self.rng, self.program.main)
        values = spec.values
        if dtype not in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
            low = 0 if dtype in ("uint8", "bool") else -100
            values = [int(min(max(v, low), 100)) if v == v else 0 for v in values]
        return Text(self.program.new(f"t.tensor({values!r}, dtype=t.{dtype})", dtype))

    def number(self, spec=None):
        pool = [2, 0.5, -1, 3, 0, True, 1.5, 2.0, -0.0, float("inf"), float("nan"), 1 + 2j, 300, 0.1, -7]
        if spec is not None and spec.kind == "scalar":
            pool += [spec.values] * 10
        return Text(repr(self.rng.choice(pool)))

    # --- options -------------------------------------------------------------------------------------------------

    def options(self, op, sample, values):
        rng = self.rng
        options = dict(options_of(sample))
        inputs = {p.name for p in sample.receivers[:len(sample.specs)]}
        free = [p for p in notation.declared_parameters(op) if p.name not in inputs and p.name not in ("out", "generator")
                and p.default is not p.empty]
        for parameter in free:
            if rng.random() < 0.12:
                options[parameter.name] = self.option(parameter, values)
        for name in list(options):
            if rng.random() < 0.12:
                parameter = next((p for p in free if p.name == name), None)
                if parameter is not None:
                    options[name] = self.option(parameter, values)
        return options

    def dim(self, rank):
        """One of ``rank``, sometimes one beyond."""
        beyond = self.rng.random() < 0.1
        return self.rng.randrange(-rank - beyond, rank + beyond) if rank else self.rng.choice((0, -1))

    def option(self, parameter, values):
        rng, name, default = self.rng, parameter.name, parameter.default
        roll = rng.random()
        if roll < 0.03:
            return Text(rng.choice(("None", "'a'", "1.5", "(1, 2)", "True", "[]", "t.float32", "-3", "10")))
        if name in ("dim", "dims", "dim0", "dim1", "dim2", "axis") and roll < 0.8:
            rank = next((len(self.program.shape(repr(v))) for v in values
                         if isinstance(v, Text) and self.program.shape(repr(v)) is not None), 2)
            if rng.random() < 0.15 and name in ("dim", "dims"):
                return tuple(self.dim(rank) for _ in range(rng.randrange(3)))
            return self.dim(rank)
        if name == "dtype":
            return Text("t." + rng.choice(("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool",
                                           "complex64", "complex128")))
        if isinstance(default, bool):
            return rng.random() < 0.5
        pool = option_values().get(name, ())
        if pool and roll < 0.8:
            return Text(rng.choice(pool))
        if isinstance(default, int):
            return rng.choice((0, 1, 2, 3, -1, -2, default))
        if isinstance(default, float):
            return rng.choice((0.0, 0.5, 1.0, 2.0, -1.0, float("inf"), default))
        return Text(repr(default)) if isinstance(default, (str, type(None))) else Text(rng.choice(pool)) if pool else default
