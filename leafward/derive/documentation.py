"""What users read about an op, put together from its declaration: ``help(lw.sum)``, the reference pages, the stubs.

A declaration says each thing once: its docstring the definition, ``leafward.ops.options`` what an option means, ``samples``
what goes in, ``errors`` what is refused. ``leafward.derive.reference`` writes the whole into ``help.txt``, which is read when
leafward is imported, so that ``__doc__`` is plain text and costs a millisecond for all ops together.
"""
from inspect import Parameter

from leafward.core.op import Composite, Op
from leafward.derive import examples
from leafward.derive.docstrings import docstring_of, meanings, source

DTYPES = {
    "promote": "the common type of the inputs",
    "floating": "the common type of the inputs, the default float type for integers",
    "bool": "the inputs in their common type; gives bool",
    None: "inputs as they come",
}


def is_public_path(path):
    return not path.rpartition(".")[2].startswith("_")


def is_public(declared):
    """For users: no half of an overload, and no backward kernel."""
    return not isinstance(declared, (Op, Composite)) or (
        any(map(is_public_path, declared.paths)) and not declared.name.endswith("_backward"))


def paths_of(declared):
    """Where users find it, in full: ``torch.mul``, ``Tensor.mul``."""
    if not isinstance(declared, (Op, Composite)):
        return [f"torch.{declared.name}", *([f"Tensor.new_{declared.name}"] if declared.new else [])]
    found = []
    for path in declared.paths:
        found += [path] if "." in path else [f"torch.{path}", f"Tensor.{path}"]
    return [path for path in found if is_public_path(path)] or found


def plain(text):
    """Names as Markdown marks them, which reads well anywhere."""
    return text.replace(":func:", "").replace("``", "`")


def shown_signature(declared, parameters):
    """``mul(input, other, *, out=None)``."""
    name = paths_of(declared)[0].rpartition(".")[2]
    parts, kind = [], None
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            parts.append("*")
        parts.append(str(p.replace(annotation=Parameter.empty)))
        kind = p.kind
    return f"{name}({', '.join(parts)})"


class Documentation:
    """What is said about one declaration, in parts. ``parameters`` are those that users see."""

    def __init__(self, declared, parameters):
        path = paths_of(declared)[0]
        docstring = docstring_of(declared)
        self.signature = shown_signature(declared, parameters)
        self.paragraphs = [plain(text) for text in docstring.paragraphs]
        self.arguments = [(p, plain(text) if text else "") for p, text in meanings(declared, parameters)]
        self.source = plain(source(declared))
        self.example = examples.example(declared, path)
        self.shapes = shapes(declared, path)
        self.dtypes = dtypes(declared, path)
        self.refusals = list(examples.refusals(declared, path))

    def help(self, facts):
        """The whole as text. ``facts`` are pairs of a label and what is said."""
        parts = [self.signature, *self.paragraphs]
        if self.arguments:
            parts.append("Args:\n" + "\n".join(f"    {p.name}: {text}" for p, text in self.arguments))
        parts.append("\n".join([*self.said(facts), *([f"Source: {self.source}"] if self.source else [])]))
        if self.refusals:
            parts.append("Raises:\n" + "\n".join(f"    {kind}: {sentence}\n        for {given}"
                                                 for kind, sentence, given in self.refusals))
        parts.append("Example:\n" + "\n".join(f"    {line}".rstrip() for line in self.example.split("\n")))
        return "\n\n".join(parts) + "\n"

    def said(self, facts):
        """The lines behind labels."""
        yield f"Shapes: {'; '.join(self.shapes)}"
        for label, text in facts:
            yield f"{label.capitalize()}: {text}" + (f" ({', '.join(self.dtypes)})" if label == "dtype" and self.dtypes else "")

    def page(self, facts):
        """The whole in Markdown."""
        parts = [f"### `{self.signature}`", *self.paragraphs]
        if self.arguments:
            parts.append("\n".join(f"- `{p.name}`: {text}" for p, text in self.arguments))
        parts.append(f"```python\n{self.example}\n```")
        if self.refusals:
            parts.append("Raises\n\n" + "\n".join(f"- {kind}, \"{sentence}\", for `{given}`"
                                                  for kind, sentence, given in self.refusals))
            parts.append("<!-- -->")                                # or the list below would go on with this one
        lines = [f"* shapes: {'; '.join(f'`{text}`' if '->' in text else text for text in self.shapes)}"]
        if self.dtypes:
            lines.append(f"* takes: {', '.join(f'`{text}`' for text in self.dtypes)}")
        if self.source:
            lines.append(f"* source: {self.source}")
        return "\n\n".join([*parts, "\n".join([*lines, *(f"* {label}: {text}" for label, text in facts)])]) + "\n"


def shapes(declared, path):
    """What shapes go in and come out."""
    if isinstance(declared, Op) and declared.elementwise:
        return ["as `input`" if len(declared.inputs) == 1 else "the inputs are broadcast together"]
    if not isinstance(declared, (Op, Composite)):
        return ["as `input`" if declared.like else "as the arguments say"]
    # What has no samples is random or in place, of its input's shape; a sample that is a program has no shape to show.
    return examples.shapes(declared, path) or ["see the example" if declared.samples else "as `input`"]


def dtypes(declared, path):
    return examples.dtypes(declared, path)


def brief(declared, parameters):
    """What an editor shows beside the signature: the definition and what each parameter means."""
    docstring = docstring_of(declared)
    parts = [plain(text) for text in docstring.paragraphs]
    said = [f"    {p.name}: {plain(text)}" for p, text in meanings(declared, parameters) if text]
    return "\n\n".join([*parts, *(["Args:\n" + "\n".join(said)] if said else [])])
