"""What leafward does not have, or leaves to a subclass, it refuses with words: what is missing, and what to do instead."""
import ast
from pathlib import Path

import pytest

import leafward as lw

PACKAGE = Path(lw.__file__).parent


def refusals(path):
    """The line and the exception of every ``raise NotImplementedError`` in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and node.exc is not None:
            name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(name, ast.Name) and name.id == "NotImplementedError":
                yield node.lineno, node.exc


def test_no_refusal_is_without_words():
    found = [(path, line, raised) for path in sorted(PACKAGE.rglob("*.py")) for line, raised in refusals(path)]
    assert len(found) > 10
    assert not [f"{path.relative_to(PACKAGE)}:{line}" for path, line, raised in found
                if not (isinstance(raised, ast.Call) and raised.args)]


def half_made(base, **members):
    """An instance of a subclass that defines too little."""
    return type("HalfMade", (base,), members)()


def in_half_a_mode():
    with half_made(lw.overrides.TorchFunctionMode):
        lw.ones(1) + 1


d = lw.distributions
#: What is asked of a class that leaves it out -> what the refusal says.
LEFT_OUT = {
    **{f"Distribution.{name}": (lambda name=name: getattr(half_made(d.Distribution, arg_constraints={}), name),
                                f"HalfMade does not define {name}") for name in ("support", "mean", "variance")},
    **{f"Distribution.{name}": (lambda name=name: getattr(half_made(d.Distribution, arg_constraints={}), name)(0.5),
                                f"HalfMade does not define {name}") for name in ("log_prob", "cdf", "icdf")},
    "parameters": (lambda: d.Distribution(validate_args=False).arg_constraints, "Distribution does not define"),
    "a discrete rsample": (lambda: d.Poisson(1.0).rsample(), "Poisson does not define rsample: .* `sample` draws them"),
    "an unknown entropy": (lambda: d.Distribution.entropy(d.Poisson(1.0)), "estimates it"),
    "a continuous support": (lambda: d.Normal(0.0, 1.0).enumerate_support(), "Normal does not define enumerate_support"),
    "natural parameters": (lambda: half_made(d.ExponentialFamily, arg_constraints={}, _mean_carrier_measure=0).entropy(),
                           "define it, or `entropy` itself"),
    "a transform": (lambda: half_made(d.Transform)(lw.ones(1)), "HalfMade does not define _call"),
    "a transform's sign": (lambda: d.SoftmaxTransform().sign, r"say `sign = \+1`"),
    "a constraint": (lambda: half_made(d.constraints.Constraint).check(1), "HalfMade does not define check"),
    "divergences of other transforms": (lambda: d.kl_divergence(
        d.LogNormal(0.0, 1.0), d.TransformedDistribution(d.Normal(0.0, 1.0), [])), "estimate it"),
    "divergences of other dimensions": (lambda: d.kl_divergence(
        d.Independent(d.Normal(lw.zeros(2, 2), 1.0), 1), d.Independent(d.Normal(lw.zeros(2, 2), 1.0), 2)), "not 1 and 2"),
    "an optimizer": (lambda: lw.optim.Optimizer([lw.ones(1)], {}).step(), "Optimizer does not define step"),
    "a scheduler": (lambda: lw.optim.lr_scheduler.LRScheduler(lw.optim.SGD([lw.ones(1)])), "does not define get_lr"),
    "a sampler": (lambda: iter(half_made(lw.utils.data.Sampler)), "HalfMade does not define __iter__"),
    "a mode": (in_half_a_mode, "does not define __torch_function__"),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_a_subclass_leaves_out(name):
    call, text = LEFT_OUT[name]
    with pytest.raises(NotImplementedError, match=text):
        call()
