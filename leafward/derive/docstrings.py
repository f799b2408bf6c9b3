"""The docstrings of declarations, read: a definition, paragraphs, the meaning of each parameter, examples, sources.

What a parameter means is looked up in three places, the nearest first: ``Args:`` in the op's own docstring, ``Args:`` in
the docstring of its file, and ``leafward.ops.options``, where each meaning that many ops share stands once.

    <definition>                     one sentence, with the formula where there is one

    <paragraphs>
    Args:
        dim: <meaning>               may go on in lines that are indented further
    Source: <paper, or section>
    <examples, as at the prompt>
"""
import inspect
import re
import sys

from leafward.core.op import Composite, Op
from leafward.ops.options import MEANINGS

SECTION = re.compile(r"^(Args|Source):\s*(.*)$")
ARGUMENT = re.compile(r"^    (\*{0,2}\w+): (.*)$")


class Docstring:
    """A docstring in its parts."""

    def __init__(self, text):
        self.paragraphs, self.meanings, self.source, self.example = [], {}, "", ""
        block, inside, name = [], None, None
        for line in [*inspect.cleandoc(text or "").split("\n"), ""]:
            section = SECTION.match(line)
            if section:
                self.add(block)
                block, inside = [], section[1]
                if inside == "Source":
                    self.source = section[2]
            elif inside == "Args" and (found := ARGUMENT.match(line)):
                name = found[1].lstrip("*")
                self.meanings[name] = found[2]
            elif inside and line.startswith("  "):
                if inside == "Args":
                    self.meanings[name] += " " + line.strip()
                else:
                    self.source += " " + line.strip()
            elif line.strip():
                inside = None
                if line.startswith(">>>") and block and not block[0].startswith(">>>"):
                    self.add(block)
                    block = []
                block.append(line)
            else:
                self.add(block)
                block, inside = [], None

    def add(self, block):
        if block and block[0].startswith(">>>"):
            self.example += ("\n\n" if self.example else "") + "\n".join(block)
        elif block:
            self.paragraphs.append("\n".join(block))

    @property
    def definition(self):
        return self.paragraphs[0] if self.paragraphs else ""


def forward_of(declared):
    return declared.forward if isinstance(declared, Op) else declared.function


def docstring_of(declared):
    return Docstring(declared.doc)


def file_docstring(declared):
    """The docstring of the file that an op is declared in."""
    return Docstring(sys.modules[forward_of(declared).__module__].__doc__)


def default_key(default):
    """What a meaning for one default is looked up by: ``("dim", None)``."""
    return default if default is None or isinstance(default, (bool, int, float, str, tuple)) else ...


def meaning(declared, parameter, own=None, file=None):
    """What ``parameter`` of ``declared`` means, or None where nobody says it."""
    name = parameter.name.lstrip("*").removesuffix("_")
    for said in (own or docstring_of(declared)).meanings, (file or file_docstring(declared)).meanings:
        if name in said:
            return said[name]
    return MEANINGS.get((name, default_key(parameter.default)), MEANINGS.get(name))


def meanings(declared, parameters):
    """``(parameter, text)`` for each of ``parameters``."""
    own, file = docstring_of(declared), file_docstring(declared)
    return [(p, meaning(declared, p, own, file)) for p in parameters]


def source(declared):
    """Where its formula or algorithm is from: its own source, or that of its file; empty where neither names one."""
    return docstring_of(declared).source or file_docstring(declared).source


def is_made_of_ops(declared):
    return isinstance(declared, Composite)
