"""What ``help()`` shows, as ``leafward.derive.reference`` wrote it: one file, read when leafward is imported.

A text begins with how the function is called, ``softmax(input, dim, dtype=None, *, out=None)``.
"""
from inspect import Parameter, Signature, signature
import os
import sys

HELP = os.path.join(os.path.dirname(__file__), "help.txt")
SEPARATOR = "\f\n"


def joined(texts):
    """``{name: text}`` as one file."""
    return SEPARATOR.join(f"{name}\n{text}" for name, text in sorted(texts.items()))


def read():
    """``{name: text}``; nothing while there is no file yet."""
    try:
        with open(HELP, encoding="utf-8", newline="") as file:
            return dict([text.split("\n", 1) for text in file.read().split(SEPARATOR)])
    except FileNotFoundError:
        return {}


texts = read()


class WrittenSignature(Signature):
    """A signature that is parsed from its text when somebody asks for it, as few ever do for a thousand functions.

    ``receiver``: the position of the parameter that a method is called on.
    """

    __slots__ = ("text", "receiver")

    def __init__(self, text, receiver=0):
        self.text = text
        self.receiver = receiver

    @property
    def _parameters(self):
        inside = self.text.partition("(")[2].rpartition(")")[0]
        # Defaults are plain values, or names of leafward's own: `torch.preserve_format`.
        parameters = list(signature(eval(f"lambda {inside}: None", {"torch": sys.modules["leafward"]})).parameters.values())
        parameters.insert(0, parameters.pop(self.receiver))
        return {p.name: p for p in parameters}

    @property
    def _return_annotation(self):
        return Parameter.empty

    def __reduce__(self):
        return WrittenSignature, (self.text, self.receiver)


def help_text(declared):
    """``(how it is called, what else is said)``; for what was declared after the text was made, its docstring alone."""
    head, _, body = texts.get(declared.name, "").partition("\n\n")
    return (head, body) if head else ("", declared.doc)


def without_out(head, body):
    """The parameters in ``head``, and ``body``, without ``out``."""
    parameters = head.partition("(")[2].rpartition(")")[0].removesuffix(", out=None").removesuffix(", *")
    before, out, after = body.partition("\n    out: ")
    return parameters, before + "\n" + after.partition("\n")[2] if out else body


def inplace_text(declared, name):
    """The same for ``name``, the form that writes into its first input."""
    head, body = help_text(declared)
    if not head:
        return head, body
    parameters, body = without_out(head, body)
    target = parameters.partition(",")[0]
    return f"{name}({parameters})", f"`{declared.name}`, written into `{target}`, which is returned.\n\n{body}"


def new_text(declared):
    """The same for the method that creates a tensor of the dtype of its own."""
    head, body = help_text(declared)
    if not head:
        return head, body
    parameters, body = without_out(head, body)
    return f"new_{declared.name}(self, {parameters})", f"`{declared.name}` of the dtype of `self`.\n\n{body}"


def explain(function, head, body, receiver=0):
    """Let ``help(function)`` begin with ``head``, with the parameter at ``receiver`` as the first, and go on with ``body``."""
    function.__doc__ = body
    if head:
        function.__signature__ = WrittenSignature(head, receiver)
