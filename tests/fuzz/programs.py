"""Random programs: creation, calls, views, writes, backward, hooks, modes; statement by statement, as source text."""
import random

from tests.fuzz.calls import Caller
from tests.fuzz.comparing import Difference, leafness
from tests.fuzz.stepping import Stepper, unwatched
from tests.fuzz.values import (COMPLEX, FLOATING, INTEGERS, MAIN_DTYPES, any_dtype, any_shape, broadcastable, elements,
                               literal, written)
from tests.oracle import torch

#: What is said to a tensor beside the declared ops.
SAYINGS = (
    "{x}.detach()", "{x}.data", "{x}.clone()", "{x}.contiguous()", "{x}.to(t.{d})", "{x}.{s}()", "{x}.type(t.{d})",
    "{x}.type_as({y})", "{x}.to({y})", "{x}.contiguous(memory_format=t.channels_last)",
    "{x}.to(memory_format=t.channels_last)", "{x}.clone(memory_format=t.contiguous_format)", "{x}.item()",
    "{x}.tolist()", "bool({x})", "len({x})", "int({x})", "float({x})", "{x}.new_zeros(2, 3)", "{x}.new_full((2,), 3)",
    "{x}.new_tensor([1, 2])", "t.zeros_like({x})", "t.full_like({x}, 2.5)", "t.ones_like({x}, dtype=t.{d})", "{x}.T",
    "{x}.mT", "{x}.H", "{x}.real", "{x}.imag", "list({x})", "{x}.is_contiguous()", "{x}.shape", "{x}.numel()",
    "{x}.element_size()", "{x}.is_leaf", "{x}.grad", "t.is_tensor({x})", "t.as_tensor({x})",
    "t.as_tensor({x}, dtype=t.{d})", "t.result_type({x}, {y})", "t.can_cast({x}.dtype, t.{d})", "{x}.view(t.{d})",
    "{x}.view(-1)", "{x}.reshape(-1)", "t.equal({x}, {y})", "{x}.is_nonzero()", "{x}.dtype", "{x}.dim()",
    "{x}.is_set_to({y})", "{x}.expand_as({y})", "{x}.view_as({y})", "{x}.reshape_as({y})", "{x}.storage_offset()",
    "{x} in {y}", "{x}.to({y}.dtype, copy=True)", "t.tensor({x}.tolist())", "{x}.resolve_conj()", "{x}.resolve_neg()",
    "{x}.conj()", "{x}.requires_grad", "{x}.output_nr", "t.nn.Parameter({x})", "{x}.cpu()", "{x}.nbytes",
    "{x}.is_floating_point()", "{x}.abs().sum()",
)

ORDERS = (
    "{x}.requires_grad_()", "{x}.requires_grad_()", "{x}.requires_grad_(False)", "{x}.retain_grad()", "{x}.detach_()",
    "{x}.requires_grad = True", "{x}.grad = None", "{x}.grad = t.ones_like({x})", "{x}.data = {y}",
    "{x}.data = {x}.data * 2", "{x}.data.mul_(2)", "{x}.detach().add_(1)", "{x}.zero_()", "{x}.copy_({y})",
    "{x}.fill_(2)", "{x}.fill_({y})", "{x}.register_hook(lambda g: g * 2)", "{x}.register_hook(lambda g: None)",
    "{x}.t_()", "{x}.squeeze_()", "{x}.unsqueeze_(0)", "{x}.transpose_(0, -1)", "{x}.swapdims_(0, 1)", "{x}.set_({y})",
    "{x}.resize_(0)", "{x}.grad.zero_()", "{x}.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2))",
    "{x}.squeeze_(0)", "{x}.as_strided_((2,), (1,))", "{x}.grad_fn.register_hook(lambda gi, go: None)",
    "{x}.grad_fn.register_prehook(lambda g: tuple(None if h is None else h * 2 for h in g))",
)

INDICES = (
    "0", "-1", "...", "None", ":", "1:", ":-1", "::2", "..., 0", ":, 0", ":, 1:", "None, ...", "0, ..., None",
    "[0, 0]", "[[0], [1]]", "t.tensor([0, 1, 0])", "t.tensor(0)", "t.tensor([True, False])", "True", "False", "{m}",
    "..., [0, 1]", "[0, 1], :, [0, 1]", "5", "()", "t.tensor([], dtype=t.int64)", ":, None, [0]", "0:0", "1:0", "-3:",
    "t.tensor([[0, 1], [1, 0]])", ":, {m}", "1.5", "'a'", "slice(0, 2)", "[True, False, True]",
    "t.tensor([2, 1], dtype=t.uint8)", "t.tensor([0, -1], dtype=t.int32)", "..., ::3",
)

CASTS = ("half", "float", "double", "int", "long", "bool", "bfloat16", "byte", "char", "short", "cfloat", "cdouble")

MODES = ("t.no_grad()", "t.no_grad()", "t.enable_grad()", "t.inference_mode()", "t.set_grad_enabled(False)",
         "t.autocast('cpu', dtype=t.bfloat16)")


class Program:
    """One program as it grows. ``lines`` is its text; both sides run each line as it comes."""

    def __init__(self, seed, watch=unwatched):
        self.rng = random.Random(f"leafward {seed}")
        self.seed = seed
        self.stepper = Stepper(watch)
        self.lines = self.stepper.lines
        self.counter = 0
        self.main = self.rng.choices(list(MAIN_DTYPES), MAIN_DTYPES.values())[0]
        self.edges = self.rng.choice((0, 0, 0, 0.05, 0.3))
        self.caller = Caller(self.rng, self)

    # --- what there is -----------------------------------------------------------------------------------------------

    def variables(self):
        return [name for name, value in self.stepper.theirs.variables().items() if isinstance(value, torch.Tensor)]

    def any_variable(self):
        """The younger, the more often."""
        names = self.variables()
        return names[max(self.rng.randrange(len(names)), self.rng.randrange(len(names)))] if names else None

    def shape(self, name):
        value = self.stepper.theirs.get(name)
        return tuple(value.shape) if isinstance(value, torch.Tensor) else None

    def of_shape(self, shape):
        return [name for name in self.variables() if self.shape(name) == tuple(shape)]

    def dtype(self):
        return any_dtype(self.rng, self.main)

    # --- what is said ------------------------------------------------------------------------------------------------

    def fresh(self):
        self.counter += 1
        return f"v{self.counter}"

    def new(self, expression, dtype=None):
        name = self.fresh()
        self.step(f"{name} = {expression}")
        return name

    def new_tensor(self, shape, dtype, kind="normal"):
        name = self.new(written(self.rng, shape, dtype, kind, self.edges))
        if (dtype in FLOATING or dtype in COMPLEX) and self.rng.random() < 0.6:
            self.step(f"{name}.requires_grad_()")
        return name

    def step(self, line):
        self.stepper.step(line)

    def start(self):
        for _ in range(self.rng.randrange(1, 4)):
            self.new_tensor(any_shape(self.rng), self.dtype())

    def run(self):
        """The first difference, or None."""
        try:
            self.start()
            for _ in range(self.rng.randrange(3, 13)):
                self.statement()
            self.backward()
        except Difference as difference:
            return difference
        return None

    def statement(self):
        roll = self.rng.random()
        if roll < 0.62:
            self.call()
        elif roll < 0.70:
            self.read()
        elif roll < 0.75:
            self.write()
        elif roll < 0.82:
            self.backward()
        elif roll < 0.87:
            self.order()
        elif roll < 0.97:
            self.saying()
        else:
            self.new_tensor(any_shape(self.rng), self.dtype())

    def bind(self, expression):
        line = f"{self.fresh()} = {expression}"
        self.step(self.in_mode(line))

    def in_mode(self, line):
        return f"with {self.rng.choice(MODES)}: {line}" if self.rng.random() < 0.06 else line

    def call(self):
        expression, is_statement, is_random = self.caller.call()
        seed = f"t.manual_seed({self.rng.randrange(9)}); " if is_random else ""
        if is_statement:
            self.step(seed + self.in_mode(expression))
        else:
            line = f"{self.fresh()} = {expression}"
            self.step(seed + line if seed else self.in_mode(line))

    def place(self, x):
        text = self.rng.choice(INDICES)
        if "{m}" in text:
            shape = self.shape(x)
            if text != "{m}":
                shape = shape[1:2]
            elif self.rng.random() < 0.3:
                shape = shape[:1]
            text = text.replace("{m}", literal(self.rng, shape, "bool"))
        return text

    def read(self):
        if x := self.any_variable():
            self.bind(f"{x}[{self.place(x)}]")

    def write(self):
        x, y = self.any_variable(), self.any_variable()
        if not x:
            return
        value = y if self.rng.random() < 0.4 else self.rng.choice(("2", "0.5", "True", "t.tensor(1.5)", "float('nan')", "1j"))
        self.step(self.in_mode(f"{x}[{self.place(x)}] {self.rng.choice(('=', '=', '=', '+=', '*='))} {value}"))

    def saying(self):
        if x := self.any_variable():
            text = self.rng.choice(SAYINGS)
            self.bind(self.filled(text, x))

    def order(self):
        if x := self.any_variable():
            self.step(self.in_mode(self.filled(self.rng.choice(ORDERS), x)))

    def filled(self, text, x):
        return text.format(x=x, y=self.any_variable(), d=self.rng.choice((*FLOATING, *COMPLEX, *INTEGERS, "bool")),
                           s=self.rng.choice(CASTS))

    def backward(self):
        rng, theirs = self.rng, self.stepper.theirs
        wanting = [n for n in self.variables() if theirs[n].requires_grad]
        outputs = [n for n in wanting if leafness(theirs[n]) is False]
        if not outputs and rng.random() < 0.9:
            return
        x = rng.choice((outputs or self.variables() or [None])[-4:])
        if x is None:
            return
        shape, dtype = tuple(theirs[x].shape), str(theirs[x].dtype).removeprefix("torch.")
        if shape == () and rng.random() < 0.5 and dtype not in COMPLEX:
            weight = ""
        elif 0 in shape:
            weight = f"t.zeros({shape}, dtype=t.{dtype})"
        elif rng.random() < 0.05:
            weight = literal(rng, broadcastable(rng, shape), rng.choice((dtype, "float32")))
        elif theirs[x].numel() > 64:
            weight = f"t.ones_like({x})"
        else:
            weight = f"t.tensor({elements(rng, shape, dtype)!r}, dtype=t.{dtype})"
        flags = []
        if rng.random() < 0.4:
            flags.append(rng.choice(("retain_graph=True", "create_graph=True", "create_graph=True")))
        if rng.random() < 0.5:
            self.step(f"{x}.backward({', '.join([weight, *flags] if weight else flags)})")
            return
        targets = rng.sample(wanting, min(len(wanting), rng.randrange(1, 4))) or self.variables()[:1]
        if rng.random() < 0.9:
            flags.append("allow_unused=True")
        if rng.random() < 0.1:
            flags.append("materialize_grads=True")
        given = [x, f"[{', '.join(targets)}]"] + ([weight] if weight else [])
        name = self.fresh()
        self.step(f"{name} = t.autograd.grad({', '.join([*given, *flags])})")
        for k in range(len(targets)):
            if isinstance(theirs.get(name), tuple) and isinstance(theirs[name][k], torch.Tensor) and rng.random() < 0.6:
                self.bind(f"{name}[{k}]")
