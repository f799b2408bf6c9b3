"""From declarations to loops: the forward and the rules of each elementwise op are run on symbols, once for each sample.

A paragraph is run, not parsed, so helpers, refusals and branches on dtype need no treatment: they are Python, and decide as
they would for arrays. Strings, None, bools and default ints are the key of a form: it serves calls that give the same. Other
numbers stay symbols; where a paragraph branches on one, the form serves the calls for which the branch goes the same way.
What cannot be written in C has no kernel, and a reason.
"""
from collections import Counter

from leafward import dtypes
from leafward.core.op import INTERNAL, REQUIRED, Op, registry
from leafward.derive.kernels.symbols import TOTALS, Run, Untranslatable
from leafward.derive.kernels.whole import WHOLE, WholeRun
from leafward.derive.kernels.writing import LETTERS, Loop
from leafward.derive.samples import ReadSample

FLOATS = (dtypes.float32, dtypes.float64)
#: In the order of the tables in ``loops.h``.
DTYPES = (*FLOATS, *WHOLE)
#: The kinds of values that samples ask for which are none of floats; and of bools or integers.
OTHER_KINDS, OTHER_WHOLE_KINDS = ("int", "complex", "list"), ("complex", "list")
#: What stands for numbers where a sample gives none.
A_NUMBER = 1.5
ELEMENT, TRUTH = "element", "truth"


class Parameter:
    """One argument of a call: what it has to be, whether it may be left out, and what a sample gives for it."""

    def __init__(self, name, example, letter, number=0.0, optional=False):
        self.name, self.example, self.letter, self.number, self.optional = name, example, letter, number, optional

    def text(self):
        word = self.example if self.letter == "s" else ""
        return f"{{'{self.letter}', {int(self.optional)}, \"{word}\", {self.number!r}}}"


class Form:
    """One way to call a kernel: its parameters, a guard of the numbers among them, and the loop that serves it."""

    def __init__(self, op, serves, dtype, parameters, loop):
        self.op, self.serves, self.dtype, self.parameters, self.loop = op, serves, dtype, parameters, loop
        self.name = None

    def identity(self):
        return (self.op.name, self.serves, self.dtype.name, self.loop.guard, *[p.text() for p in self.parameters])


class Derivation:
    """Every form, and why the other paragraphs have none: ``reasons`` by the op's name and what the rule serves."""

    def __init__(self, ops):
        self.forms, self.reasons, self.plain = [], {}, set()
        for op in ops:
            op.complete()
            for serves, function in paragraphs(op):
                for dtype in DTYPES if not serves and takes_whole(op) else FLOATS:
                    self.derive(op, serves, function, dtype)
        found = {(form.op.name, form.serves) for form in self.forms}
        self.plain -= found
        self.reasons = {at: reason for at, reason in self.reasons.items() if at not in found and at not in self.plain}

    def derive(self, op, serves, function, dtype):
        """The forms of one paragraph, one for each sample that calls it otherwise than those before."""
        seen, at = set(), (op.name, serves)
        for given in variants(op) if dtype in FLOATS else whole_variants(op):
            try:
                form = form_of(op, serves, function, dtype, given)
            except Untranslatable as reason:
                self.reasons.setdefault(at, str(reason))
                continue
            if not form.loop.computes:
                if dtype in FLOATS:
                    self.plain.add(at)
            elif form.identity() not in seen:
                seen.add(form.identity())
                self.forms.append(form)
        if not seen:
            self.reasons.setdefault(at, "no sample of floats calls it")


def derivable(op):
    """Whether kernels are derived for ``op`` at all: it computes element by element, or a loss, which may then add up."""
    return (isinstance(op, Op) and (op.elementwise or op.batch_rule == "loss") and not op.random and op.writes is None
            and op.alias is None)


def takes_whole(op):
    """Whether the forward of ``op`` is given integers and bools as they are."""
    return op.elementwise and op.dtype != "floating"


def paragraphs(op):
    """``(what it serves, function)`` of the forward, which serves nothing, and of each rule that computes."""
    yield "", op.forward
    for rule in dict.fromkeys(op.rules.values()):
        if not rule.refuses:
            yield ", ".join(rule.serves), rule.function


def derive_all():
    """The derivation of all that is declared."""
    return Derivation([op for op in registry.values() if derivable(op)])


def given_by(op, text, others=OTHER_KINDS):
    """What the sample ``text`` gives each parameter of the forward: "element", "truth" or a value; None for ``others``."""
    sample = ReadSample(op, text)
    given = dict(zip(op.names, op.defaults, strict=True))
    given.update(sample.options(dtypes))
    for parameter, spec in zip(sample.receivers, sample.specs, strict=False):
        if spec.kind.startswith(others):
            return None
        given[parameter.name] = {"none": None, "scalar": spec.values, "bool": TRUTH}.get(spec.kind, ELEMENT)
    return None if REQUIRED in given.values() or not set(given) <= set(op.names) else given


def variants(op):
    """What the samples of floats give, and the same with a number for each input in turn that may be one."""
    found = [given for text in op.samples if (given := given_by(op, text)) is not None]
    if op.batch_rule == "loss":
        found += [{**given, "reduction": way} for given in found for way in ("none", *TOTALS)]
    numbers = [name for name, takes in zip(op.inputs[1:], op.takes_number[1:], strict=True) if takes and op.elementwise]
    return [*found, *[{**given, name: A_NUMBER} for given in found for name in numbers if given[name] == ELEMENT]]


def whole_variants(op):
    """What the samples of any real numbers give, if these were whole: a number arrives as an array of the dtype."""
    found = [given for text in op.samples if (given := given_by(op, text, OTHER_WHOLE_KINDS)) is not None]
    return [{name: ELEMENT if name in op.inputs and isinstance(value, (bool, int, float)) else value
             for name, value in given.items()} for given in found]


def asked_by(op, serves, function, given):
    """The same for what a paragraph asks for, in its order, without the namespace."""
    rule = op.rules[serves.split(",")[0]] if serves else None
    for name in function.__code__.co_varnames[:function.__code__.co_argcount + function.__code__.co_kwonlyargcount]:
        if name == "xp" or rule is None and name in INTERNAL:
            continue
        if rule is not None and name in rule.metas:
            raise Untranslatable("it asks for a shape")
        if name in given:
            yield name, given[name]
        elif name in ("g", "out", *op.outputs) or name.startswith("g_"):
            if op.gives_bools:
                raise Untranslatable("only the form in place has one")
            yield name, ELEMENT
        else:
            raise Untranslatable(f"it asks for {name}")


def form_of(op, serves, function, dtype, given):
    """Run ``function``, the forward or a rule of ``op``, on symbols in place of what is ``given``."""
    run = (Run if dtype in FLOATS else WholeRun)(op, dtype, serves)
    values, parameters, arrays, numbers = {}, [], [], []
    defaults = {} if serves else dict(zip(op.names, op.defaults, strict=True))
    for name, value in asked_by(op, serves, function, given):
        default = defaults.get(name, REQUIRED)
        if name in op.inputs and value in (ELEMENT, TRUTH) or name not in op.names:
            symbol = run.given(name, value)
            arrays.append(symbol.node)
            parameters.append(Parameter(name, value, LETTERS[symbol.node.kind]))
        elif is_symbolic(value, default):
            symbol = run.given(name, "number", value)
            numbers.append(name)
            known = type(default) in (int, float)
            parameters.append(Parameter(name, value, "n", float(default) if known else 0.0, known))
        else:
            symbol = value
            parameters.append(fixed(name, value, default))
        values[name] = symbol
    if dtype is not dtypes.bool and not any(node.kind == ELEMENT for node in arrays):
        raise Untranslatable(f"no {'floats' if dtype in FLOATS else 'integers'} are among its inputs")
    results = call(run, function, values)
    return Form(op, serves, dtype, parameters, Loop(run, results, arrays, numbers))


def is_symbolic(value, default):
    """Whether a number stays a symbol: all floats, and ints that are not what the parameter has unless given."""
    return type(value) is float or type(value) is int and not (type(default) is int and value == default)


def fixed(name, value, default):
    """The parameter that has to be ``value``."""
    letters = {type(None): "-", bool: "t" if value else "f", str: "s", int: "i"}
    if type(value) not in letters:
        raise Untranslatable(f"a {type(value).__name__} is among its options")
    optional = default is not REQUIRED and type(default) is type(value) and default == value
    return Parameter(name, value, letters[type(value)], float(value) if type(value) is int else 0.0, optional)


def call(run, function, values):
    """What ``function`` gives on symbols, as a tuple."""
    names = function.__code__.co_varnames[:function.__code__.co_argcount + function.__code__.co_kwonlyargcount]
    try:
        results = function(*([run] if "xp" in names else []), **values)
    except Untranslatable:
        raise
    except Exception as error:          # it refuses such arguments, or does with them what symbols cannot
        raise Untranslatable(f"on symbols it raises {type(error).__name__}: {str(error)[:80]}") from None
    results = results if isinstance(results, tuple) else (results,)
    if any(result is None for result in results):
        raise Untranslatable("it leaves a result out")
    return results


def title(form):
    """What a form serves: ``celu, gradient of x, from g, x, alpha (numbers), where !(alpha == 0.0)``."""
    role = f", gradient of {form.serves}" if form.serves else ""
    given = ", ".join([f"{p.name}={p.example!r}" if p.letter in "sitf-" else p.name for p in form.parameters])
    of = "" if form.dtype in FLOATS else f" of {form.dtype.name}" if form.dtype is dtypes.bool else " of integers"
    return f"{form.op.name}{of}{role}: {given}" + (f", where {form.loop.guard}" if form.loop.guard else "")


# --- the C file ------------------------------------------------------------------------------------------------------

HEAD = "/* Derived from the paragraphs in leafward/ops by `python -m leafward.derive.kernels`: change those. */\n"


class Sources:
    """Loops, guards and forms as C text, each loop once for all that share it."""

    def __init__(self, derivation):
        self.functions, self.names, self.counts = {}, {}, Counter()
        self.tables = {dtype: [] for dtype in DTYPES}
        for form in derivation.forms:
            loop = form.loop
            head = "static void K(NAME)(char **data, ptrdiff_t count, const double *numbers)\n"
            form.name = self.named(form, (loop.alone(), loop.inputs, loop.outputs), head + loop.body, "")
            others = [f"K({self.named(form, text, head + text, suffix)})" if text else "0"
                      for text, suffix in ((loop.demand, "_demand"), (loop.as_numbers, "_as_numbers"))]
            guard = f"F({self.named(form, loop.guard_function(), loop.guard_function(), '_guard')})" if loop.guard else "0"
            total = f"'{loop.total}'" if loop.total else "0"
            asks = ", ".join([p.text() for p in form.parameters])
            self.tables[form.dtype].append(
                f'    {{"{form.op.name}", "{form.serves}", {len(form.parameters)}, (const struct parameter[]){{{asks}}}, '
                f'"{loop.inputs}", "{loop.outputs}", {int(loop.is_sized)}, {total}, {int(loop.moves)}, {guard}, '
                f'{", ".join(others)}, K({form.name})}},')

    def named(self, form, key, text, suffix):
        """The name of a function, new or shared, which is noted to be of use for the form's dtype."""
        if key not in self.names:
            base = form.op.name.strip("_") + "".join([f"_d{name.strip()}" for name in form.serves.split(",") if name]) + suffix
            self.counts[base] += 1
            number = self.counts[base]
            name = self.names[key] = f"{base}_{number}" if number > 1 else base
            self.functions[name] = [text.replace("NAME", name, 1), set()]
        self.functions[self.names[key]][1].add(form.dtype)
        return self.names[key]

    def text(self):
        parts = [HEAD]
        for text, wanted in self.functions.values():
            mask = sum([1 << number for number, dtype in enumerate(DTYPES) if dtype in wanted])
            parts.append(f"#if {mask:#x} >> KIND & 1\n{text}\n#endif\n")
        for number, dtype in enumerate(DTYPES):
            parts += [f"#if KIND == {number}", "static const struct form F(forms)[] = {", *self.tables[dtype], "    {0}", "};",
                      "#endif"]
        return "\n".join([*parts, ""])
