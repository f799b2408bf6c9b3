"""The reference pages from the declarations: ``docs/reference``, a page for each file of ``leafward/ops``.

    python -m leafward.derive.reference            write them
    python -m leafward.derive.reference --check    say which are stale, and exit with 1 if any is
"""
import inspect
import sys
from pathlib import Path

from ..core.bind import user_names
from ..core.op import Composite, Op, registry
from ..core.prepare import default_node_name
from ..ops.creation import creations
from .functions import inplace_paths
from .signatures import parameters_of
from .stubs import write_or_check

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
COMMAND = "python -m leafward.derive.reference"
NOTE = f"<!-- Generated from the declarations by `{COMMAND}`: edit those. -->\n\n"

DTYPES = {
    "promote": "the common type of the inputs",
    "floating": "the common type of the inputs, the default float type for integers",
    "bool": "the inputs in their common type; gives bool",
    None: "inputs as they come",
}


def forward_of(declared):
    return declared.forward if isinstance(declared, Op) else declared.function


def is_inner(declared):
    """Not for users: half of an overload, or a backward kernel."""
    return declared.name.startswith("_") or declared.name.endswith("_backward")


# --- one entry -------------------------------------------------------------------------------------------------------

def code(words):
    return " ".join(f"`{word}`" for word in words)


def shown_signature(declared):
    """``mul(input, other, *, out=None)``."""
    name = paths_of(declared)[0].rpartition(".")[2]
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters_of(declared)]
    parts, kind = [], None
    for p in bare:
        if p.kind is p.KEYWORD_ONLY and kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            parts.append("*")
        parts.append(str(p))
        kind = p.kind
    return f"{name}({', '.join(parts)})"


def paths_of(declared):
    """Where it is found, in full: ``torch.mul``, ``Tensor.mul``, ``Tensor.mul_``."""
    if not isinstance(declared, (Op, Composite)):
        return [f"torch.{declared.name}", *([f"Tensor.new_{declared.name}"] if declared.new else [])]
    found = []
    for path in declared.paths:
        found += [path] if "." in path else [f"torch.{path}", f"Tensor.{path}"]
    if isinstance(declared, Op) and declared.inplace:
        found += inplace_paths(declared.paths)
    return found


def derivative(op):
    """Each input's rule and what it keeps, or that there is none."""
    if op.node == "NotImplemented":
        return "none, as in PyTorch"
    shown = dict(zip(op.names, user_names(op.names), strict=True))
    said = []
    for rule in dict.fromkeys(op.rules.values()):
        kept = [f"the shape of `{shown.get(name, name)}`" if name in rule.metas else f"`{shown.get(name, name)}`"
                for name in rule.asks
                if name in op.inputs or name in (*op.outputs, *op.residuals, "out")]
        said.append(f"{code(shown[n] for n in rule.serves)} keeps {', '.join(kept) or 'nothing'}")
    if op.constant and op.rules:
        said.append(f"none for {code(shown[n] for n in op.constant)}")
    return "; ".join(said) or "none"


def facts(declared):
    """``(label, text)`` pairs."""
    if isinstance(declared, Composite):
        yield "derivative", "through the ops it calls" if declared.differentiable else "none"
        return
    if not isinstance(declared, Op):
        yield "derivative", "none: a new tensor"
        return
    yield "dtype", DTYPES[declared.dtype]
    yield "derivative", derivative(declared)
    if declared.rules and not callable(declared.node) and declared.node != "NotImplemented":
        yield "node", f"`{declared.node or default_node_name(declared.name)}`"
    if declared.alias is not None:
        yield "memory", f"a view of `{user_names((declared.alias,))[0]}`"
    if declared.writes is not None:
        yield "memory", f"written into `{user_names((declared.writes,))[0]}`"
    if declared.random:
        yield "random", "draws from the generator"


def entry(declared):
    summary = inspect.cleandoc(declared.doc).split("\n\n")[0].replace("\n", " ").replace("``", "`")
    told = "; ".join(f"**{label}** {text}" for label, text in facts(declared))
    return f"### `{shown_signature(declared)}`\n\n{summary}\n{code(paths_of(declared))} \u2014 {told}.\n"


# --- the pages -------------------------------------------------------------------------------------------------------

def pages():
    """``{path: text}`` of every page."""
    found = {}
    for declared in (*registry.values(), *creations):
        if isinstance(declared, Op):
            declared.complete()
        found.setdefault(forward_of(declared).__module__, []).append(declared)
    texts, index = {}, [NOTE, "# Reference\n\nWhat every op is called and computes, its dtype rule, and what its "
                        "derivative keeps. In a summary `x` is `input` and `y` is `other`.\n\n"]
    for module, group in sorted(found.items()):
        name = module.rpartition(".")[2]
        public = sorted((d for d in group if not is_inner(d)), key=lambda d: d.name)
        inner = sorted((d for d in group if is_inner(d)), key=lambda d: d.name)
        about = inspect.cleandoc(sys.modules[module].__doc__).split("\n\n")[0].replace("``", "`")
        parts = [NOTE, f"# {name}\n\n{about}\n\n", "\n".join(entry(d) for d in public)]
        if inner:
            parts += ["\n## Parts of the above\n\n", "\n".join(entry(d) for d in inner)]
        texts[FOLDER / f"{name}.md"] = "".join(parts)
        index.append(f"* [{name}]({name}.md): {', '.join(d.name for d in public) or 'parts of other ops'}\n")
    texts[FOLDER / "README.md"] = "".join(index)
    return texts


if __name__ == "__main__":
    texts = pages()
    check = "--check" in sys.argv[1:]
    left = sorted(set(FOLDER.glob("*.md")) - set(texts))          # pages of files that are gone
    for path in left:
        print(f"{path} describes nothing: run `{COMMAND}`" if check else f"removed {path}")
        if not check:
            path.unlink()
    sys.exit(write_or_check(texts, COMMAND, check) or (1 if check and left else 0))
