"""The reference pages: every op is there, with what it keeps, its dtype rule, its variants and both derivatives."""
import pytest

from leafward.core.op import registry
from leafward.derive.reference import entry, pages
from leafward.ops.creation import creations
from tests.samples import declared_ops, name_of


@pytest.mark.parametrize("declared", [*declared_ops(), *creations], ids=name_of)
def test_entry_says_everything(declared):
    lines = entry(declared).split("\n")
    labels = [line.partition(":")[0] for line in lines if line.startswith("* ")]
    assert labels[:4] == ["* called", "* dtype", "* backward", "* forward mode"]
    assert all(line.partition(": ")[2] for line in lines if line.startswith("* "))


def test_every_declaration_has_one_entry():
    text = "".join(pages().values())
    assert text.count("\n### ") == len(registry) + len(creations)


@pytest.mark.parametrize(("name", "expected"), [
    ("mul", """
* called: `torch.mul` `Tensor.mul` `torch.multiply` `Tensor.multiply`; in place `Tensor.mul_` `Tensor.multiply_`; into `out=`
* dtype: the common type of the inputs
* backward: `input` keeps `other`; `other` keeps `input`; node `MulBackward0`
* forward mode: the backward rule, given the tangent
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
