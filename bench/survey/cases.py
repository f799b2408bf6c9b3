"""What there is to time, from the declarations: each op and composite as users call it, its samples for inputs."""
import ast
import contextlib
import functools
import math
import operator
import warnings

import leafward
import torch
from bench.survey import MODES, SIZES
from bench.survey.measure import Timed
from bench.survey.scale import choices, scaled
from leafward.ops.creation import creations
from tests.ops.test_variants import in_place_names, self_first
from tests.samples import Sample, declared_ops, is_tensor, resolve

BOTH = (leafward, torch)
#: How many times more elements than its largest input an output may have, for a sample to count as of a size.
OUTPUT_LIMIT = 8
#: For what declares no samples: its values cannot be compared.
UNDECLARED = "unit: 3 4"


class CannotBeTimed(Exception):
    """Why there is no number for a cell."""


class Problem:
    """A call with its arguments at one size: ``make(t, requires_grad)`` makes them, ``text`` says how they are used."""

    def __init__(self, make, function=None, method=None, writes=False):
        self.make, self.function, self.method, self.writes = make, function, method, writes

    def text(self, args, kwargs):
        """The call as a statement, and what its names stand for."""
        names = {f"a{k}": value for k, value in enumerate(args)} | {f"k_{name}": value for name, value in kwargs.items()}
        words = [f"a{k}" for k in range(len(args))]
        options = [f"{name}=k_{name}" for name in kwargs]
        if self.method is not None:
            return f"a0.{self.method}({', '.join([*words[1:], *options])})", names
        return f"f({', '.join([*words, *options])})", {**names, "f": None}

    def finished(self, text):
        """The statement with its result under the name ``o``."""
        return f"o = {text}"

    def timed(self, t, mode):
        """Ready to be timed in the namespace ``t``."""
        args, kwargs = self.make(t, mode != "plain")
        text, names = self.text(args, kwargs)
        if "f" in names:
            names["f"] = self.function(t)
        if mode == "trained":
            return self.trained(t, text, names)
        around = t.no_grad if mode == "no_grad" else contextlib.nullcontext
        reset = None
        if self.writes:
            target = args[0]
            start = target.detach().clone()

            def reset():
                with t.no_grad():
                    target.copy_(start)
        return Timed(text, names, around, reset)

    def leaves(self, names):
        return [value for value in flat(list(names.values()))[0] if value.is_leaf and value.requires_grad]

    def trained(self, t, text, names):
        """The call and the backward pass of all its outputs; gradients are dropped, as between steps."""
        leaves = self.leaves(names)
        text = f"y = a0.clone(); {self.finished(text).replace('a0', 'y')}" if self.writes else self.finished(text)
        space = dict(names)
        exec(text, space)                                                                # noqa: S102  our own text
        tensors, paths = flat(space["o"], "o")
        wanted = [(value, path) for value, path in zip(tensors, paths) if value.requires_grad]
        if not wanted or not leaves:
            raise CannotBeTimed("has no gradient")
        gradients = [t.ones_like(value) for value, _ in wanted]
        if len(wanted) == 1:
            text += f"; {wanted[0][1]}.backward(g)"
            names = {**names, "g": gradients[0]}
        else:
            text += f"; backward(({', '.join(path for _, path in wanted)}), g)"
            names = {**names, "g": gradients, "backward": t.autograd.backward}
        return Timed(f"{text}\n        for p in leaves: p.grad = None", {**names, "leaves": leaves})


def flat(value, path=""):
    """The tensors in an argument or a result, and the expressions that lead to them."""
    if is_tensor(value):
        return [value], [path]
    if isinstance(value, (list, tuple)):
        found = [flat(item, f"{path}[{k}]") for k, item in enumerate(value)]
        return [x for tensors, _ in found for x in tensors], [p for _, paths in found for p in paths]
    return [], []


class Case:
    """One call in one form, at any size."""

    def __init__(self, family, name, form, at, sizes=tuple(SIZES), modes=MODES):
        self.family, self.name, self.form, self.at = family, name, form, at
        self.sizes, self.modes = sizes, modes

    def cells(self):
        return [(size, mode) for size in self.sizes for mode in self.modes]


def elements(value):
    return sum(x.numel() for x in flat(value)[0])


@functools.cache
def found_choice(op):
    """``(number of the sample, variant)``: what grows so that PyTorch takes it; None, and the last refusal."""
    texts = [text for text in op.samples if isinstance(text, str)] or [UNDECLARED]
    refusal = "no sample has an input that can grow"
    for number, text in enumerate(texts):
        sample = Sample(op, text)
        for choice in choices(sample):
            try:
                for size in (SIZES["4x8"], SIZES["64x64"]):
                    grown = scaled(sample, choice, *size)
                    args, kwargs = grown.make(torch, "float32")
                    if grown.specs and elements(args) + elements(list(kwargs.values())) < math.prod(size) / 4:
                        raise CannotBeTimed("its inputs do not grow")
                    made = elements(as_called(op, torch)(*args, **kwargs))
                    if made > OUTPUT_LIMIT * max(math.prod(size), elements(args)):
                        raise CannotBeTimed(f"its result is {made} elements large for {'x'.join(map(str, size))}")
            except Exception as error:  # noqa: BLE001  the next variant may be taken
                refusal = told(error)
                continue
            return (number, choice), None
    return None, refusal


def public_path(op):
    """The path that users know: a function's, if there is one."""
    paths = [path for path in op.paths if not path.rpartition(".")[2].startswith("_")]
    return next((path for path in paths if not path.startswith("Tensor.")), paths[0]) if paths else None


def as_called(op, t):
    """The function that users call in the namespace ``t``."""
    path = public_path(op)
    if t is torch and op.reference is not None:
        if callable(op.reference):
            return functools.partial(op.reference, torch)
        path = op.reference
    found = resolve(t, path)
    if found is None:
        raise CannotBeTimed(f"{'PyTorch' if t is torch else 'leafward'} has no {path}")
    return found


def sample_maker(op, size):
    """``make(t, requires_grad)`` of the chosen sample at a size: the same values on both sides, drawn once."""
    found, refusal = found_choice(op)
    if found is None:
        raise CannotBeTimed(refusal)
    number, choice = found
    texts = [text for text in op.samples if isinstance(text, str)] or [UNDECLARED]
    sample = scaled(Sample(op, texts[number]), choice, *SIZES[size])
    drawn = sample.draw("float32")
    return lambda t, requires_grad: sample.build(t, drawn, "contiguous", requires_grad)


def op_call(op, size):
    path = public_path(op)
    if path.startswith("Tensor.") and not callable(op.reference):
        return op_method(op, path.removeprefix("Tensor."), size, writes=op.name.endswith("_"))
    return Problem(sample_maker(op, size), functools.partial(as_called, op), writes=op.name.endswith("_"))


def op_method(op, name, size, writes=False):
    make = sample_maker(op, size)

    args, kwargs = make(torch, False)
    try:
        args = self_first(op, args)
        getattr(args[0], name)(*args[1:], **kwargs)
        by_position = False
    except TypeError:                       # some methods of PyTorch's do not know their own functions' keywords
        by_position = True

    def with_self_first(t, requires_grad):
        args, kwargs = make(t, requires_grad)
        args = self_first(op, args)
        return ([*args, *kwargs.values()], {}) if by_position else (args, kwargs)
    return Problem(with_self_first, method=name, writes=writes)


def op_in_place(op, name, size):
    make = sample_maker(op, size)
    args, kwargs = make(torch, False)
    if not args or not is_tensor(args[0]):
        raise CannotBeTimed("the sample's first input is no tensor to write into")
    before = args[0].shape
    if getattr(args[0], name)(*args[1:], **kwargs).shape != before:
        raise CannotBeTimed("changes the shape of what it is called on: the next call has another input")
    return Problem(make, method=name, writes=True)


def op_operator(op, name, size):
    return Problem(sample_maker(op, size), lambda t: getattr(operator, name if hasattr(operator, name) else f"{name}_"))


def op_cases():
    for op in declared_ops():
        path = public_path(op)
        if path is None or op.name.endswith("_backward"):
            continue
        family = (op.function if hasattr(op, "function") else op.forward).__module__.rpartition(".")[2]
        form = "in place" if op.name.endswith("_") else "call"
        yield Case(family, path.removeprefix("torch.").removeprefix("Tensor."), form, functools.partial(op_call, op))
        if "." not in path and not path.startswith("_") and hasattr(torch.Tensor, path) and form == "call":
            yield Case(family, path, "method", functools.partial(op_method, op, path), ("4x8",))
        for python in op.operator:
            if hasattr(operator, python) or hasattr(operator, f"{python}_"):
                yield Case(family, python, "operator", functools.partial(op_operator, op, python), ("4x8",))
        for name in in_place_names(op)[:1] if getattr(op, "public_inplace", None) is not None else ():
            yield Case(family, name, "in place", functools.partial(op_in_place, op, name))


# --- creations: their samples are argument lists in Python -------------------------------------------------------------

class Grow(ast.NodeTransformer):
    """``t.ones(2, 3)`` and ``(2, 3)`` become rows x columns, ``(3,)`` as many elements."""

    def __init__(self, rows, columns):
        self.rows, self.columns, self.done = rows, columns, False

    def lengths(self, nodes):
        whole = [k for k, node in enumerate(nodes) if isinstance(node, ast.Constant) and type(node.value) is int]
        if len(whole) == len(nodes) and 1 <= len(nodes) <= 2:
            self.done = True
            new = (self.rows, self.columns) if len(nodes) == 2 else (self.rows * self.columns,)
            return [ast.Constant(length) for length in new]
        return nodes

    def visit_Tuple(self, node):
        node.elts = self.lengths(node.elts)
        return node

    visit_List = visit_Tuple

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute):
            node.args = self.lengths(node.args)
        else:
            self.generic_visit(node)
        return node


def grown_arguments(text, rows, columns, numbers):
    """The argument list of a creation at a size; ``numbers``: what one number that says how many becomes."""
    tree = ast.parse(f"f({text})", mode="eval")
    grow = Grow(rows, columns)
    grow.visit(tree)
    call = tree.body
    if not grow.done:
        given = [*call.args, *[word.value for word in call.keywords]]
        if len(given) == 2 and all(isinstance(node, ast.Constant) and node.value not in (0, 1) for node in given):
            given[0].value, given[1].value = rows, columns
        elif given and type(given[-1]) is ast.Constant and type(given[-1].value) is int and given[-1].value > 1:
            given[-1].value = numbers
        else:
            return None
    return ast.unparse(ast.fix_missing_locations(tree))


@functools.cache
def creation_text(name, samples, function, size):
    """The first sample that grows to about the size."""
    rows, columns = SIZES[size]
    refusal = "no sample has a size that can grow"
    for text in [s for s in samples if "dtype" not in s]:
        for numbers in (rows * columns, columns):
            grown = grown_arguments(text, rows, columns, numbers)
            if grown is None:
                continue
            try:
                made = elements(eval(grown, {"f": function(torch), "t": torch}))          # noqa: S307  our own tables
            except Exception as error:  # noqa: BLE001  the next sample may be taken
                refusal = told(error)
                continue
            if rows * columns / 4 <= made <= OUTPUT_LIMIT * rows * columns:
                return grown
            refusal = f"its result is {made} elements large"
    raise CannotBeTimed(refusal)


def creation_problem(declared, method, size):
    def function(t):
        if method:
            x = t.ones(2)
            return getattr(x, "new_" + declared.name)
        return getattr(t, declared.name)
    text = creation_text(declared.name + "_new" * method, tuple(declared.samples), function, size)

    def make(t, requires_grad):
        found = {}

        def take(*args, **kwargs):
            found.update(args=args, kwargs=kwargs)
        eval(text, {"f": take, "t": t})                                                  # noqa: S307
        return list(found["args"]), found["kwargs"]
    return Problem(make, function)


def creation_cases():
    for declared in creations:
        yield Case("creation", declared.name, "call", functools.partial(creation_problem, declared, False))
        if declared.new:
            yield Case("creation", "new_" + declared.name, "call", functools.partial(creation_problem, declared, True))


def told(error):
    """An exception's class and first line."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


@functools.lru_cache(maxsize=1)
def problem_at(case, size):
    """The same inputs for every mode."""
    return case.at(size)


def ready(case, size, mode):
    """``[leafward's, PyTorch's]`` statement of a cell, run once."""
    problem = problem_at(case, size)
    prepared = []
    for t, name in ((torch, "PyTorch"), (leafward, "leafward")):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                timed = problem.timed(t, mode)
                timed.seconds(1)
        except CannotBeTimed:
            raise
        except Exception as error:
            raise CannotBeTimed(f"{name}: {told(error)}") from error
        prepared.insert(0, timed)
    return prepared
