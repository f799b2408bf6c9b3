"""The declaration of an op: what it computes, what its derivative asks for, and what it promises.

A declaration is read once, at import, and refused there if it is incomplete. Nothing in this file but :func:`recorded`
runs while a program computes; the call path is in ``call.py``, and what a call saves is in ``plan.py``.
"""
from leafward.core import modes


class REQUIRED:
    """Where a default value would stand: the parameter has none."""


#: Every declared op by its canonical name, in order of declaration.
registry = {}
#: What ops are in ONNX, where that is not what their forward computes step by step; by name.
onnx_rules = {}


class DeclarationError(TypeError):
    """An op was declared incompletely or inconsistently: the message says what is missing."""


class Meta:
    """Shape and dtype of a tensor whose data was not kept. As an annotation in a rule: "keep only these"."""

    def __init__(self, shape, dtype):
        self.shape = shape
        self.dtype = dtype

    @property
    def ndim(self):
        return len(self.shape)

    def key(self):
        """All that it says, for what looks it up among others."""
        return self.shape, self.dtype

    def __repr__(self):
        return f"Meta({self.shape}, {self.dtype})"


class Rule:
    """One vector-Jacobian product: which inputs it serves and what it asks for, by name."""

    def __init__(self, function, serves, asks, metas, kernel, refuses):
        self.function = function
        self.refuses = refuses        # it only says, in PyTorch's words, that there is no derivative
        self.kernel = kernel          # name of a compiled equivalent for small arrays, or None
        self.serves = serves          # input names, several for a joint rule
        self.asks = asks              # parameter names, in order
        self.metas = metas            # those of `asks` that want shape and dtype only


class Op:
    """One declared operation. Built by :func:`op`; the fields are facts, fixed once it is complete."""

    def __init__(self, forward, paths, facts):
        self.forward = forward
        self.paths = paths                                # "mul", "nn.functional.relu", "Tensor.view"
        self.name = canonical_name(paths[0])
        self.doc = forward.__doc__ or ""
        take_common_facts(self, facts)
        self.elementwise = facts.pop("elementwise", False)
        self.linear = facts.pop("linear", False)
        self.alias = facts.pop("alias", None)             # the input that the outputs are views of
        self.untracked = facts.pop("untracked", False)    # ... unknown to autograd: they count their own versions
        self.retypes = facts.pop("retypes", False)        # ... or no views, where its options ask for another dtype
        self.writes = facts.pop("writes", None)
        self.keeps_format = names(facts.pop("keeps_format", ""))          # inputs that hand channels_last on to the outputs
        self.residuals = names(facts.pop("residuals", ""))
        self.outputs = names(facts.pop("outputs", ""))    # empty: one output, called `out`; ("*",): a list
        self.no_grad_outputs = names(facts.pop("no_grad_outputs", ""))  # outputs without a gradient
        self.takes_none = facts.pop("takes_none", False)  # its rules: None, not zeros, for outputs that got no gradient
        self.nondifferentiable = names(facts.pop("nondifferentiable", ""))
        self.dtype = facts.pop("dtype", "promote" if self.elementwise else None)
        self.gives_bools = self.dtype == "bool"           # then only its in-place form can have a gradient
        self.promote = facts.pop("promote", None)
        self.exact = facts.pop("exact", None)             # an input that, 0-dim beside half types, keeps float32's digits
        self.rounds = names(facts.pop("rounds", ""))      # options that are rounded to the inputs' half type
        self.whole = facts.pop("whole", None)             # beside "floating": an option that, given, keeps integers integers
        self.numbers = facts.pop("numbers", None)         # inputs that may be Python numbers; None: all but the first
        self.variadic = facts.pop("variadic", None)       # the input that is a sequence of tensors
        self.varargs = facts.pop("varargs", None)         # the option that may be spread: x.view(2, 3)
        self.legacy = names(facts.pop("legacy", ""))      # options that old programs give as numbers among the operands
        self.self_name = facts.pop("self_name", None)     # the input that a method is called on
        self.casts_out = facts.pop("casts_out", self.elementwise or self.random)     # into an `out` of another dtype
        self.no_overlap = names(facts.pop("no_overlap", ""))  # inputs that may share no memory with what is written
        self.memory_first = facts.pop("memory_first", False)  # in place: PyTorch looks at the memory before the arguments
        self.writes_repeated = facts.pop("writes_repeated", False)   # in place, also where elements share their memory
        self.overwrites = facts.pop("overwrites", None)   # (input written to places, option that combines, op that adds up)
        self.repeats = facts.pop("repeats", False)        # a view in which one element of memory may stand at many places
        self.rereads = facts.pop("rereads", False)        # ... whose elements are not those of its source, but made of these
        self.node = facts.pop("node", None)               # grad_fn name, or options -> name
        self.ends_history_as = facts.pop("ends_history_as", self.name if self.node == "NotImplemented" else None)
        #   what PyTorch calls its form for `out=`, which has no derivative there
        self.basic_index = facts.pop("basic_index", None)  # the basic index it stands for: "int", "= number", ...
        self.batch_rule = facts.pop("batch", "elementwise" if self.elementwise else "leading" if self.random else None)
        self.row_major = facts.pop("row_major", False)    # so is the result, in whatever order the inputs lie
        self.kernel_name = facts.pop("kernel", None)      # a compiled equivalent for small arrays
        self.kernel = None                                # the kernel itself, once prepared; None where there is none
        self.tapes = self.out_tapes = None                # what its forward came to, and that with `out`; None: always run
        self.calls = self.write_calls = None              # what its calls came to, see known_calls.py; None: not compiled
        if facts:
            raise DeclarationError(f"{self.name}: unknown facts {sorted(facts)}")
        self.rules = {}
        self.jvp_rule = None
        self.parts = None                                 # the op put together from others, for transforms
        self.precondition = None
        self.plans = {}
        self.chosen = {}                                  # classes of nodes, by what a call looks like
        self.public_function = self.public_inplace = None   # set by derive
        self.is_complete = False
        self.read_signature()

    def read_signature(self):
        first, *parameters = parameter_names(self.forward) or [None]
        if first != "xp":
            raise DeclarationError(f"{self.name}: the forward's first parameter must be `xp`, the array namespace")
        self.takes_out = "out" in parameters
        self.takes_saving = "saving" in parameters
        self.names = tuple([n for n in parameters if n not in INTERNAL])
        code, ends, keywords = self.forward.__code__, self.forward.__defaults__ or (), self.forward.__kwdefaults__ or {}
        named = dict(zip(code.co_varnames[code.co_argcount - len(ends):code.co_argcount], ends, strict=True))
        named.update(keywords)
        self.defaults = tuple([named.get(n, REQUIRED) for n in self.names])
        self.positional = sum([n not in INTERNAL for n in code.co_varnames[1:code.co_argcount]])
        if self.inplace is None:
            self.inplace = ("method",) if self.elementwise and self.takes_out else ()

    @property
    def parameters(self):
        """What users can pass, as the standard library describes parameters; for stubs, documentation and tests."""
        return [p for p in described(self.forward)[1:] if p.name not in INTERNAL]

    def vjp(self, serves, kernel=None, refuses=False):
        """Declare the vector-Jacobian product for the inputs named in ``serves``."""
        def declare(function):
            metas = {n for n, annotation in function.__annotations__.items() if annotation is Meta}
            rule = Rule(function, names(serves), parameter_names(function), metas, kernel, refuses)
            for name in rule.serves:
                if name in self.rules:
                    raise DeclarationError(f"{self.name}: two rules for input `{name}`")
                self.rules[name] = rule
            return function
        return declare

    def check(self, function):
        """Declare what to refuse before the inputs are cast to a common dtype: ``function`` gets them as they came.

        Behind the inputs it may ask for options, by name.
        """
        self.precondition = function
        return function

    def jvp(self, function):
        """Declare the Jacobian-vector product, where it is not what follows from the vjp.

        The function asks by name as a rule does, and for ``t_weight``, the tangent of the input ``weight`` (or None).
        """
        self.jvp_rule = function
        return function

    def batch(self, function):
        """Declare what the op does to a batch of inputs, where no word for ``batch=`` says it.

        The function gets ``lw``, all derived functions, and the call (``autograd/batch_calls.py``). It returns the outputs
        with the batch as their first dim, or None for what it has no answer to: then each example is computed by itself.
        """
        self.batch_rule = function
        return function

    def decomposition(self, function):
        """Declare the op as a composite is: a function of tensors, for batches and tangents of which no one node can tell."""
        self.parts = function
        return function

    def onnx(self, function):
        """Declare the op in ONNX's own words, for where its forward calls a kernel, or ONNX has the op as a whole.

        The function gets ``onnx``, the namespace that a forward runs in for an export, with ONNX's operators beside it
        (``onnx.Softmax(x, axis=-1)``), and asks for inputs and options by name. It returns the outputs, without residuals.
        """
        onnx_rules[self.name] = function
        return function

    def complete(self):
        """Check that the declaration holds together; raise :class:`DeclarationError` if not."""
        if self.is_complete:
            return
        for name in [*self.rules, *self.nondifferentiable, *self.argument_aliases.values()]:
            if name not in self.names:
                raise DeclarationError(f"{self.name}: `{name}` is not a parameter of its forward{self.names}")
        if both := [name for name in self.nondifferentiable if name in self.rules]:
            raise DeclarationError(f"{self.name}: {sorted(both)} cannot be nondifferentiable and have a rule")
        self.inputs = tuple([n for n in self.names if n in self.rules or n in self.nondifferentiable])
        self.options = tuple([n for n in self.names if n not in self.inputs])
        self.input_at = tuple([self.names.index(n) for n in self.inputs])
        self.option_at = tuple([self.names.index(n) for n in self.options])
        self.arity = len(self.names)
        asked = parameter_names(self.precondition)[len(self.inputs):] if self.precondition is not None else ()
        self.precondition_at = tuple([self.names.index(n) for n in asked])      # the options that it asks for
        self.rounded_at = tuple([self.names.index(n) for n in self.rounds])
        self.variadic_at = self.inputs.index(self.variadic) if self.variadic else -1
        self.exact_at = self.inputs.index(self.exact) if self.exact else -1
        self.whole_at = self.names.index(self.whole) if self.whole else -1
        if self.promote is None:
            wanted = [n for n in self.inputs if n not in self.nondifferentiable] or list(self.inputs)
        else:
            wanted = names(self.promote)
        self.promoted = tuple([n in wanted for n in self.inputs])
        numbers = self.inputs if self.numbers == "all" else self.inputs[1:] if self.numbers is None else names(self.numbers)
        self.takes_number = tuple([n in numbers for n in self.inputs])
        self.format_at = tuple([self.inputs.index(n) for n in self.keeps_format])
        self.check_sample_counts()
        self.check_batch_rule()
        for rule in self.rules.values():
            self.check_rule(rule)
        if self.alias is not None and self.alias not in self.inputs:
            raise DeclarationError(f"{self.name}: alias={self.alias!r} is not one of its inputs {self.inputs}")
        self.is_complete = True

    def check_sample_counts(self):
        # An input with neither rule nor `nondifferentiable` would silently become an option: the samples tell them apart.
        if not self.samples and not self.random:
            raise DeclarationError(f"{self.name}: no samples, so nothing could check it")
        for sample in self.samples:
            if not isinstance(sample, str):
                continue
            if sample.count("|") < len(self.inputs):        # what stands behind the `;` can have some, too
                continue
            count = len(sample.split(";")[0].split("|"))
            if count > len(self.inputs):
                missing = [n for n in self.names if n not in self.inputs]
                raise DeclarationError(
                    f"{self.name}: the sample {sample!r} has {count} inputs, but only {self.inputs} have a rule; "
                    f"give {missing[:count - len(self.inputs)]} a vjp, or declare them nondifferentiable")

    def check_batch_rule(self):
        rule = self.batch_rule
        if rule is not None and not callable(rule) and rule not in BATCH_WORDS:
            raise DeclarationError(f"{self.name}: batch={rule!r} is none of {BATCH_WORDS}, and no function")
        needed = {"dims": DIMS, "new dim": DIMS, "loss": ("reduction",)}.get(rule)
        if needed is not None and not any(n in needed for n in self.options):
            raise DeclarationError(f"{self.name}: batch={rule!r}, but none of its options {self.options} is one of {needed}")

    def check_rule(self, rule):
        known = ["xp", "wanted", *self.names, *self.residuals]
        known += self.outputs if self.outputs and self.outputs != ("*",) else ["out"]
        known += ["g"] if len(self.outputs) < 2 else [f"g_{n}" for n in self.outputs]
        for name in rule.asks:
            if name not in known:
                raise DeclarationError(
                    f"{self.name}: the rule for {rule.serves} asks for `{name}`, which is none of {sorted(set(known))}")

    def __repr__(self):
        return f"<op {self.name}>"


#: Parameters of a forward that no user passes: the destination, and whether a gradient will be asked for.
INTERNAL = ("out", "saving")
#: The options that name dims, as numbers or tuples of them.
DIMS = ("dim", "dims", "dim0", "dim1", "dim2", "dimension")
#: What ``batch`` may say; ``docs/design/0001-notation.md`` tells what each means.
BATCH_WORDS = ("elementwise", "leading", "dims", "new dim", "solve", "loss", "mask")
#: What ``inplace`` may say: where ``name_`` is to be found, and whether it gives its tensor the shape of the result.
INPLACE_WORDS = ("method", "function", "nn.functional", "resizes")
#: What ``autocast`` may say.
AUTOCAST_WORDS = ("low", "float32", "closed")


def take_common_facts(declared, facts):
    """The facts that ops and composites have in common."""
    declared.argument_aliases = facts.pop("argument_aliases", {})  # other names by which a parameter may be given
    declared.random = facts.pop("random", False)
    declared.samples = facts.pop("samples", ())
    declared.errors = facts.pop("errors", ())
    declared.domain = facts.pop("domain", None)
    declared.reference = facts.pop("reference", None)       # PyTorch's name, where ours differs
    declared.tolerance = facts.pop("tolerance", None)
    declared.autocast = facts.pop("autocast", None)         # what it computes in there; or a function of the arguments
    listed = facts.pop("foreach", False)                    # names of its forms for lists of tensors
    declared.foreach = (declared.name,) if listed is True else names(listed or "")
    declared.operator = names(facts.pop("operator", ""))    # Python's operators that run it
    declared.array_api = names(facts.pop("array_api", ""))  # its names in the Array API standard, where they are others
    forms = facts.pop("inplace", None)                      # that write into the first input, and as what
    declared.inplace = names(forms) if isinstance(forms, str) else ("method",) if forms else None if forms is None else ()
    if declared.inplace and not set(declared.inplace) <= set(INPLACE_WORDS):
        raise DeclarationError(f"{declared.name}: inplace={forms!r} names none of {INPLACE_WORDS}")
    if declared.autocast not in (None, *AUTOCAST_WORDS) and not callable(declared.autocast):
        raise DeclarationError(f"{declared.name}: autocast={declared.autocast!r} is none of {AUTOCAST_WORDS}, and no function")


def parameter_names(function):
    """The names of the parameters, in order. Read off the code: ``inspect.signature`` would double the import time."""
    code = function.__code__
    return code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def described(function):
    """The parameters as ``inspect`` describes them."""
    from inspect import signature
    return list(signature(function).parameters.values())


def names(text):
    """``"a, b"`` -> ``("a", "b")``."""
    if not isinstance(text, str):
        return tuple(text)
    if "," not in text:
        text = text.strip()
        return (text,) if text else ()
    return tuple([name for part in text.split(",") if (name := part.strip())])


def canonical_name(path):
    """``"nn.functional.linear"`` -> ``"linear"``; ``"linalg.norm"`` -> ``"linalg_norm"``; ``"Tensor.view"`` -> ``"view"``."""
    if "." in path:
        for prefix in ("nn.functional.", "Tensor.", "torch."):
            path = path.removeprefix(prefix)
        path = path.replace(".", "_")
    return path


def op(*paths, **facts):
    """Declare an op: the decorated function is its forward. ``docs/design/0001-notation.md`` lists the facts."""
    def declare(forward):
        declared = Op(forward, paths, facts)
        if declared.name in registry:
            raise DeclarationError(f"{declared.name}: declared twice")
        registry[declared.name] = declared
        return declared
    return declare


class Composite:
    """A function written in terms of other ops: differentiable because they are."""

    def __init__(self, function, paths, facts):
        self.function = function
        self.public_function = self.public_inplace = None   # set by derive
        self.calls = None                                   # what its calls came to (known_composites.py); the same
        self.option_kinds = None                            # ``option_kinds.py``, once it is called
        self.paths = paths
        self.name = canonical_name(paths[0])
        self.doc = function.__doc__ or ""
        take_common_facts(self, facts)
        self.differentiable = facts.pop("differentiable", True)
        self.outputs = names(facts.pop("outputs", ""))    # the fields of the named tuple ``fns.<name>_result``
        self.views = facts.pop("views", False)              # it comes to one view op of its first argument, or a copy: by
        #   layout and numbers alone (True), by the "shapes" of other tensors, or by the "storage" that it lies in
        self.row_major_itself = facts.pop("row_major_itself", False)    # a row-major tensor, given alone, is the result
        self.records_out = facts.pop("records_out", False)  # `out=` is recorded (or when): PyTorch's own is a composite; or
        #   the name of what has no derivative there
        self.like = facts.pop("like", None)                 # an op whose parameters it takes, and `inplace` after them
        if facts:
            raise DeclarationError(f"{self.name}: unknown facts {sorted(facts)}")

    @property
    def parameters(self):
        """What users can pass, as the standard library describes parameters; for stubs, documentation and tests."""
        own = described(self.function)[1:]
        if self.like is None:
            return own
        taken = self.like.parameters
        return [own[0], *taken[1:], next(p for p in own if p.name == "inplace").replace(kind=taken[0].kind)]

    def complete(self):
        if not self.samples and not self.random:
            raise DeclarationError(f"{self.name}: no samples, so nothing could check it")


def composite(*paths, **facts):
    """Declare a function of other ops: its first parameter ``fns`` is the namespace of all derived functions."""
    def declare(function):
        declared = Composite(function, paths, facts)
        if declared.name in registry:
            raise DeclarationError(f"{declared.name}: declared twice")
        registry[declared.name] = declared
        return declared
    return declare


def recorded(x):
    """Whether what a composite computes of ``x`` is recorded: not where gradients are off, nor while the composite is noted."""
    return modes.grad_enabled() and (x.asked_if_recorded() if hasattr(type(x), "noted") else x.requires_grad)
