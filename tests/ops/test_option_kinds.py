"""What is no bool, int, number, string or dtype is refused where PyTorch refuses it, by ops and composites alike."""
import warnings

import numpy as np
import pytest

import leafward
from leafward.core.option_kinds import composite_kinds
from tests.oracle import Outcome, torch
from tests.samples import every_op, is_composite, is_public, name_of, resolve, samples_of

WRONG = {"True": True, "int": 2, "float": 1.5, "str": "a", "complex": 1j, "list": [1], "np.bool_": np.True_,
         "np.float64": np.float64(1.5)}
#: What is refused, or taken, for what it means there and not for what it is.
ELSEWHERE = {
    ("rrelu", "inplace"): "torch.rrelu has none",
    **{(name, "keepdim"): "PyTorch has it beside a dim alone" for name in "sum mean prod max min median nanmedian".split()},
    ("gaussian_nll_loss", "eps"): "the comparison with it refuses complex numbers",
    ("stft", "onesided"): "PyTorch looks at the size of the signal first",
}


def options_of(op):
    """``(position, name)`` of the options that not anything can be."""
    if is_composite(op):
        return [(position, name) for position, name, *_ in composite_kinds(op)]
    return [(position if position < op.positional else op.arity, op.shown_names[position]) for position, _ in op.option_kinds]


def compared_with(op):
    """What of PyTorch is called in the same way; None where there is nothing."""
    return None if callable(op.reference) else resolve(torch, op.reference or op.paths[0])


def outcome(function, args, kwargs):
    """The type of the exception, as a class of Python's; None: the arguments are taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = Outcome(function, args, kwargs).error
    return None if error is None else next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")


def with_option(sample, t, position, name, value):
    args, kwargs = sample.make(t, "float32")
    if position < len(args):
        return (*args[:position], value, *args[position + 1:]), kwargs
    return args, {**kwargs, name: value}


def taken(op, theirs):
    """The first sample that PyTorch takes; None where there is none."""
    for sample in samples_of(op):
        if outcome(theirs, *sample.make(torch, "float32")) is None:
            return sample
    return None


@pytest.mark.parametrize("op", every_op(lambda op: is_public(op) and compared_with(op) is not None), ids=name_of)
def test_options_of_other_kinds(op):
    theirs, ours = compared_with(op), resolve(leafward, op.paths[0])
    sample = taken(op, theirs)
    found = {}
    for position, name in options_of(op) if sample is not None and ours is not None else ():
        for kind, value in WRONG.items():
            both = [outcome(f, *with_option(sample, t, position, name, value)) for f, t in ((ours, leafward), (theirs, torch))]
            if both[0] != both[1] and (op.name, name) not in ELSEWHERE:
                found[f"{name}={kind}"] = both
    assert not found
