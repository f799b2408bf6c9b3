"""The reference and ``help()``: every op is there, with a definition, what each parameter means, an example, shapes, its dtype
rule, what it keeps, its variants and both derivatives."""
import inspect
import pydoc
import sys

import pytest

import leafward
from leafward.core.op import registry
from leafward.derive.docstrings import Docstring, docstring_of, file_docstring, forward_of, meanings
from leafward.derive.documentation import is_public
from leafward.derive.help import help_text, texts
from leafward.derive.objects import entry as object_entry, markdown, members, object_pages, paths_of_ops, shown_signature
from leafward.derive.reference import documentation, entry, pages
from leafward.derive.signatures import parameters_of
from leafward.ops import options
from leafward.ops.creation import creations
from tests.samples import declared_ops, name_of
from tests.test_documented import OBJECTS, explained


FACTS = ["* called", "* dtype", "* backward", "* forward mode"]
DECLARED = [*declared_ops(), *creations]
PUBLIC = [declared for declared in DECLARED if is_public(declared)]


@pytest.mark.parametrize("declared", PUBLIC, ids=name_of)
def test_help_is_whole(declared):
    written = documentation(declared)
    assert docstring_of(declared).definition.rstrip().endswith((".", ":", "``"))
    unexplained = [p.name for p, text in written.arguments if not text]
    assert not unexplained, (f"{declared.name}: say what {unexplained} mean: in Args: in its docstring, in its file's, or in "
                             "leafward/ops/options.py")
    assert ">>> " in written.example, f"{declared.name}: none of its samples makes an example: write one in its docstring"
    assert written.shapes
    text = "\n".join(help_text(declared))
    for part in (written.signature, *written.paragraphs, written.example.split("\n")[0], "\nShapes: ", "\nDtype: "):
        assert part in text
    assert all(f"    {p.name}: {meant}\n" in text for p, meant in written.arguments)
    assert all(sentence in text for _, sentence, _ in written.refusals)


def test_help_of_every_public_op():
    assert set(texts) == {declared.name for declared in PUBLIC}


def names_of(declared):
    return {p.name.lstrip("*") for p in parameters_of(declared)} | {p.name.removesuffix("_") for p in parameters_of(declared)}


def test_what_is_explained_exists():
    """No meaning is left behind of a parameter that went, and none is misspelt."""
    used, in_files = set(), {}
    for declared in DECLARED:
        unknown = set(docstring_of(declared).meanings) - names_of(declared)
        assert not unknown, f"{declared.name}: has no parameters {unknown}"
        in_files.setdefault(forward_of(declared).__module__, set()).update(names_of(declared))
        used.update(text for _, text in meanings(declared, parameters_of(declared)))
    for module, names in in_files.items():
        unknown = set(Docstring(sys.modules[module].__doc__).meanings) - names
        assert not unknown, f"{module}: no op of the file has parameters {unknown}"
    unused = [name for name, text in options.MEANINGS.items() if text not in used]
    assert not unused, f"leafward/ops/options.py: nobody needs {unused}"


def test_the_nearest_meaning_wins():
    def told(name, parameter):
        found = meanings(registry[name], parameters_of(registry[name]))
        return next(text for p, text in found if p.name == parameter)
    assert told("sum", "dim") == options.MEANINGS["dim", None]
    assert told("cumsum", "dim") == file_docstring(registry["cumsum"]).meanings["dim"]
    assert told("prod", "dim") == docstring_of(registry["prod"]).meanings["dim"]


def test_docstring_in_its_parts():
    read = Docstring("""Define: ``out = x``.

    More words,
    in two lines.

    Args:
        x: one thing: and
            a second line
        y_: another
    Source: somebody,
        somewhere
    >>> 1
    1
    """)
    assert read.definition == "Define: ``out = x``."
    assert read.paragraphs[1:] == ["More words,\nin two lines."]
    assert read.meanings == {"x": "one thing: and a second line", "y_": "another"}
    assert read.source == "somebody, somewhere"
    assert read.example == ">>> 1\n1"


@pytest.mark.parametrize("function", [leafward.sum, leafward.Tensor.sum, leafward.Tensor.mul_, leafward.zeros,
                                      leafward.nn.functional.relu, leafward.Tensor.where, leafward.linalg.norm])
def test_help_shows_it(function):
    shown = pydoc.plain(pydoc.render_doc(function))
    assert "Args:" in shown and "Example:" in shown and ">>> " in shown


@pytest.mark.parametrize("declared", DECLARED, ids=name_of)
def test_entry_says_everything(declared):
    lines = entry(declared).split("\n")
    labels = [line.partition(":")[0] for line in lines if line.startswith("* ")]
    assert labels[0] == "* shapes"
    assert [label for label in labels if label in FACTS] == FACTS
    assert all(line.partition(": ")[2] for line in lines if line.startswith("* "))


def test_every_declaration_has_one_entry():
    text = "".join(text for path, text in pages().items() if path.parent.name == "reference")
    assert text.count("\n### ") == len(registry) + len(creations)


@pytest.mark.parametrize(("name", "expected"), [
    ("mul", """
* called: `torch.mul` `Tensor.mul` `torch.multiply` `Tensor.multiply`; in place `Tensor.mul_` `Tensor.multiply_`; into `out=`
* dtype: the common type of the inputs
* backward: `input` keeps `other`; `other` keeps `input`; node `MulBackward0`
* forward mode: the backward rule, given the tangent
* kernel: a derived loop for the forward, the gradient of `input`, the gradient of `other`
"""), ("argmax", """
* called: `torch.argmax` `Tensor.argmax`; into `out=`
* dtype: inputs as they come
* backward: none for `input`: integer result
* forward mode: none, for the same reason
"""), ("igamma", """
* called: `torch.igamma` `Tensor.igamma` `special.gammainc`; in place `Tensor.igamma_`; into `out=`
* dtype: the common type of the inputs
* backward: `other` keeps `input`, `other`; none for `input`: not differentiable in PyTorch; node `IgammaBackward0`
* forward mode: the backward rule, given the tangent; for `other` only
* kernel: a derived loop for the forward, the gradient of `other`
"""), ("polar", """
* called: `torch.polar`; into `out=`
* dtype: inputs as they come
* backward: `abs` keeps `out`; `angle` keeps `out`; node `PolarBackward0`
* forward mode: the backward rule, given the tangent
* kernel: a derived loop for the gradient of `abs`; the forward on NumPy: it asks for a shape; the gradient of `angle` on \
NumPy: a complex is among its operands
"""), ("cat", """
* called: `torch.cat` `torch.concat` `torch.concatenate`; into `out=`
* dtype: the common type of the inputs
* backward: `tensors` keeps the shape of `tensors`; node `CatBackward0`
* forward mode: linear: the op itself, of the tangents
"""), ("transpose", """
* called: `torch.transpose` `Tensor.transpose` `torch.swapdims` `Tensor.swapdims`
* dtype: inputs as they come
* backward: `input` keeps nothing; node `TransposeBackward0`
* forward mode: the same view of the tangent
* memory: a view of `input`
"""), ("allclose", """
* called: `torch.allclose` `Tensor.allclose`
* dtype: that of the ops it calls
* backward: none: integer result
* forward mode: none: integer result
""")])
def test_entries(name, expected):
    assert entry(registry[name]).endswith(expected)


# --- layers, optimizers, distributions and all else that is no op ---------------------------------------------------------

SHOWN = {path: value for _, objects in object_pages().values() for path, value in objects}


def test_every_public_name_has_an_entry():
    """What ``tests/test_documented.py`` asks arguments and examples of, and every function and class of the package itself."""
    values = set(map(id, SHOWN.values()))
    assert not [name for name, value in OBJECTS.items() if id(value) not in values]
    ops = paths_of_ops()
    assert not [name for name in dir(leafward) if not name.startswith("_") and f"torch.{name}" not in ops
                and inspect.isroutine(value := getattr(leafward, name)) and value.__doc__ and id(value) not in values]
    assert {"Tensor.backward", "Tensor.detach", "Tensor.data"} <= {path for path, _ in members()[0]}
    assert {"trust.why_none", "optim.AdamW", "optim.lr_scheduler.OneCycleLR", "func.hessian", "utils.data.DataLoader",
            "distributions.Normal", "autograd.Function", "load", "manual_seed"} <= SHOWN.keys()


@pytest.mark.parametrize("path", SHOWN)
def test_entry_of_an_object_is_whole(path):
    text = object_entry(path, SHOWN[path])
    assert text.startswith(f"### `{path}") and " at 0x" not in text
    if path in {name for name, value in OBJECTS.items() if value is SHOWN[path]}:
        assert text.count("```") >= 2 and text.count("```") % 2 == 0
        for name in explained(inspect.cleandoc(SHOWN[path].__doc__)):
            assert f"`{name}`" in text


def test_a_docstring_becomes_markdown():
    assert markdown("""Define ``out = x``: (*) -> (*).

    More words on :class:`Linear`.

    first, second: what they mean,
        on a second line
    third: another
    Raises: ValueError where ``x < 0``

    >>> 1 < 2
    True
    """) == """Define `out = x`: (\\*) -> (\\*).

More words on `Linear`.

- `first`, `second`: what they mean, on a second line
- `third`: another
- raises: ValueError where `x < 0`

```python
>>> 1 < 2
True
```"""


def test_a_signature_has_no_addresses():
    def f(self, first, second=None, *, third=OBJECTS, _inner=None, fourth=print): pass
    assert shown_signature("f", f) == "f(first, second=None, *, third=..., fourth=...)"
