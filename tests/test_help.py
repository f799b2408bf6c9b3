"""``help()`` of what is derived: how it is called, in the form that was asked for, and nothing that it does not take."""
import inspect
import pickle
import pydoc

import pytest

import leafward
from leafward.derive.functions import public
from leafward.derive.help import texts

FORMS = {f"{namespace}.{name}": function for namespace, functions in public.items() for name, function in functions.items()
         if not name.startswith("_") and texts.get(function.__name__.removesuffix("_"))}


@pytest.mark.parametrize("form", sorted(FORMS))
def test_signature_is_the_declared_one(form):
    function = FORMS[form]
    shown = inspect.signature(function)
    assert not any(line.startswith("    out: ") for line in function.__doc__.splitlines()) or "out" in shown.parameters
    assert {p.kind for p in shown.parameters.values()} != {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    assert pickle.loads(pickle.dumps(shown)) == shown


@pytest.mark.parametrize("function, head", [
    (leafward.softmax, "softmax(input, dim, dtype=None, *, out=None)"),
    (leafward.Tensor.add_, "add_(input, other, *, alpha=1)"),
    (leafward.Tensor.where, "where(input, condition, other, *, out=None)"),
    (leafward.Tensor.new_full, "new_full(self, size, fill_value, *, dtype=None"),
    (leafward.clone, "clone(input, *, memory_format=torch.preserve_format, out=None)"),
], ids=lambda value: "" if isinstance(value, str) else value.__qualname__)
def test_help_begins_with_how_it_is_called(function, head):
    shown = pydoc.plain(pydoc.render_doc(function)).split("\n", 2)[2]
    shown = " ".join(shown.split()).replace("( ", "(")          # from Python 3.13 on, a long one has a line for each parameter
    assert shown.startswith(head), shown


def test_arguments_bind_to_it():
    bound = inspect.signature(leafward.add).bind(leafward.ones(2), 1, alpha=2)
    assert list(bound.arguments) == ["input", "other", "alpha"]
    with pytest.raises(TypeError):
        inspect.signature(leafward.add).bind(1)
