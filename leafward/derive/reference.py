"""The reference from the declarations: ``docs/reference``, a page for each file of ``leafward/ops``, and what ``help()`` shows;
and, from their docstrings, pages of layers and of packages.

    python -m leafward.derive.reference            write them
    python -m leafward.derive.reference --check    say which are stale, and exit with 1 if any is
"""
import os
import sys
from functools import cache
from pathlib import Path

from leafward.core.bind import user_names
from leafward.core.op import Composite, Op, registry
from leafward.core.recording import default_node_name
from leafward.ops.creation import creations
from leafward.derive.docstrings import Docstring, forward_of
from leafward.derive.documentation import DTYPES, Documentation, is_public, paths_of
from leafward.derive.functions import inplace_paths
from leafward.derive import help as written
from leafward.derive.kernels.deriving import derivable, derive_all
from leafward.derive.objects import index as index_of_objects, page_texts
from leafward.derive.signatures import parameters_of
from leafward.derive.stubs import write_or_check

HELP = Path(written.HELP)
FOLDER = Path(__file__).parents[2] / "docs" / "reference"
COMMAND = "python -m leafward.derive.reference"
NOTE = f"<!-- Generated from the declarations by `{COMMAND}`: edit those. -->\n\n"

INTRODUCTION = """\
# Reference

What every op is called and computes, what its parameters mean, an example, what it refuses, shapes, dtypes, what it keeps for
which gradient, and what gives its tangent in forward mode. `help()` shows the same. Second derivatives are those of the
backward rules. In a formula `x` is `input` and `y` is `other`; `lw` is `import leafward as lw`. Examples are run by the tests;
shapes, dtypes and most examples are what the declared samples gave when these pages were made: under "takes" other float
dtypes are as float32, other integers as int64, and a name in front says whose dtype it is, where that isn't the first input.

Below the ops are [layers](#layers) and [all else](#packages), from their docstrings.

## Ops

"""


def has_inner_name(declared):
    """Half of an overload, or a backward kernel."""
    return declared.name.startswith("_") or declared.name.endswith("_backward")


# --- one entry -------------------------------------------------------------------------------------------------------

def code(words):
    return " ".join(f"`{word}`" for word in words)


INTEGER_INPUT, INTEGER_RESULT, RANDOM, AS_THERE = "integer input", "integer result", "random", "not differentiable in PyTorch"
NEW = "a new tensor"


def why_none(op, name):
    """Why there is no derivative for the input ``name``, or None where there is one; ``tests/autograd`` checks each reason."""
    if name in op.rules:
        return AS_THERE if op.rules[name].refuses else None
    if op.random:
        return RANDOM
    if not op.rules:
        return AS_THERE if op.no_grad_outputs else INTEGER_RESULT
    return AS_THERE if has_inner_name(op) else INTEGER_INPUT


def composite_reason(composite):
    """The same for a composite that is declared not to be differentiable."""
    first, *others = parameters_of(composite)
    reads = "Tensor" in first.annotation or any(parameter.name == "input" for parameter in others)
    return INTEGER_RESULT if reads else NEW


def backward(op):
    """Each input's rule and what it keeps, or that there is none, and why."""
    shown = dict(zip(op.names, user_names(op.names), strict=True))
    said, without = [], {}
    for rule in dict.fromkeys(op.rules.values()):
        if rule.refuses:
            continue
        kept = [f"the shape of `{shown.get(name, name)}`" if name in rule.metas else f"`{shown.get(name, name)}`"
                for name in rule.asks
                if name in op.inputs or name in (*op.outputs, *op.residuals, "out")]
        said.append(f"{code(shown[n] for n in rule.serves)} keeps {', '.join(kept) or 'nothing'}")
    for name in op.inputs:
        if reason := why_none(op, name):
            without.setdefault(reason, []).append(shown[name])
    said += [f"none for {code(inputs)}: {reason}" for reason, inputs in without.items()]
    return "; ".join(said) or "none: there is no input"


def forward_mode(op):
    """What gives the tangent, in the order in which ``autograd/dual.py`` asks."""
    if all(why_none(op, name) for name in op.inputs):
        return "none, for the same reason"
    if op.writes is not None:
        return "zero: what is written is drawn" if op.random else "the same, written into the tangent"
    if op.alias is not None:
        return "the same view of the tangent"
    if op.linear:
        return "linear: the op itself, of the tangents"
    if op.jvp_rule is not None:
        return "a rule of its own"
    how = "given the tangent" if op.elementwise else "differentiated by its gradient"
    served = [name for name in op.rules if not op.rules[name].refuses]
    return f"the backward rule, {how}" + ("" if len(served) == len(op.rules) else f"; for {code(user_names(served))} only")


derivation = cache(derive_all)


def kernels(op):
    """What of an elementwise op runs as a loop that is derived from it, and why the rest does not."""
    found, parts = derivation(), []
    served = dict.fromkeys([form.serves for form in found.forms if form.op is op])
    if served:
        parts.append("a derived loop for " + ", ".join([paragraph(serves) for serves in served]))
    return "; ".join(parts + [f"{paragraph(serves)} on NumPy: {reason}" for (name, serves), reason in found.reasons.items()
                              if name == op.name])


def paragraph(serves):
    return f"the gradient of {code(user_names(serves.split(', ')))}" if serves else "the forward"


def variants(declared):
    """In place and into a given tensor, where there is either."""
    if not isinstance(declared, (Op, Composite)):
        return []
    found = [f"in place {code(inplace_paths(declared))}"] if declared.inplace and inplace_paths(declared) else []
    return found + (["into `out=`"] if any(p.name == "out" for p in parameters_of(declared)) else [])


def facts(declared):
    """``(label, text)`` pairs."""
    yield "called", "; ".join([code(paths_of(declared)), *variants(declared)])
    if isinstance(declared, Composite):
        yield "dtype", "that of the ops it calls"
        for mode in "backward", "forward mode":
            yield mode, "through the ops it calls" if declared.differentiable else f"none: {composite_reason(declared)}"
        return
    if not isinstance(declared, Op):
        yield "dtype", "`dtype`, or that of what is given, or the default"
        for mode in "backward", "forward mode":
            yield mode, f"none: {NEW}"
        return
    yield "dtype", DTYPES[declared.dtype]
    node = declared.node if declared.node is not None else default_node_name(declared.name)
    named = any(not rule.refuses for rule in declared.rules.values()) and not callable(node)
    yield "backward", backward(declared) + (f"; node `{node}`" if named else "")
    yield "forward mode", forward_mode(declared)
    if derivable(declared) and (said := kernels(declared)):
        yield "kernel", said
    if declared.alias is not None:
        unknown = "unknown to autograd, " if declared.untracked else ""
        yield "memory", f"{unknown}a view of `{user_names((declared.alias,))[0]}`"
    if declared.writes is not None:
        yield "memory", f"written into `{user_names((declared.writes,))[0]}`"
    if declared.random:
        yield "random", "draws from the generator"


@cache
def documentation(declared):
    if isinstance(declared, Op):
        declared.complete()
    return Documentation(declared, parameters_of(declared))


def entry(declared):
    return documentation(declared).page(list(facts(declared)))


# --- the pages -------------------------------------------------------------------------------------------------------

def shown_name(declared):
    """The name that an index shows: halves of overloads are found under their public names."""
    return declared.name.removeprefix("_functional_").lstrip("_")


def pages():
    """``{path: text}`` of every page."""
    found = {}
    for declared in (*registry.values(), *creations):
        if isinstance(declared, Op):
            declared.complete()
        found.setdefault(forward_of(declared).__module__, []).append(declared)
    texts, index = {}, [NOTE, INTRODUCTION]
    for module, group in sorted(found.items()):
        name = module.rpartition(".")[2]
        public = sorted((d for d in group if is_public(d)), key=shown_name)
        inner = sorted((d for d in group if not is_public(d)), key=lambda d: d.name)
        about = Docstring(sys.modules[module].__doc__).definition.replace("``", "`")
        parts = [NOTE, f"# {name}\n\n{about}\n\n", "\n".join(entry(d) for d in public)]
        if inner:
            parts += ["\n## Parts of the above\n\n", "\n".join(entry(d) for d in inner)]
        texts[FOLDER / f"{name}.md"] = "".join(parts)
        index.append(f"* [{name}]({name}.md): {', '.join(shown_name(d) for d in public) or 'parts of other ops'}\n")
    of_objects = page_texts()
    texts |= {FOLDER / f"{page}.md": NOTE + text for page, text in of_objects.items()}
    texts[FOLDER / "README.md"] = "".join([*index, *index_of_objects(of_objects)])
    texts[HELP] = written.joined({d.name: documentation(d).help(list(facts(d))) for d in (*registry.values(), *creations)
                          if is_public(d)})
    return texts


if __name__ == "__main__":
    texts = pages()
    check = "--check" in sys.argv[1:]
    if not check and texts[HELP] != HELP.read_text(encoding="utf-8"):
        HELP.write_text(texts[HELP], encoding="utf-8")
        os.execv(sys.executable, [sys.executable, "-m", "leafward.derive.reference"])       # other pages show what stands there
    left = sorted(set(FOLDER.rglob("*.md")) - set(texts))          # pages of files that are gone
    for path in left:
        print(f"{path} describes nothing: run `{COMMAND}`" if check else f"removed {path}")
        if not check:
            path.unlink()
    sys.exit(write_or_check(texts, COMMAND, check) or (1 if check and left else 0))
