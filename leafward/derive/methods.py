"""Methods and operators from the derived functions."""
from leafward.core.callables import make_inplace_operator, make_operator, make_own_reflected, make_reflected
from leafward.core.op import Composite, registry
from leafward.derive.functions import public


def operators():
    """``{Python's name of an operator: the declaration that it runs}``, without reflected forms such as ``radd``."""
    return {python: declared for declared in registry.values() for python in declared.operator
            if not (python.startswith("r") and python[1:] in declared.operator)}


def is_unary(declared):
    """Whether an operator stands before its only operand."""
    if isinstance(declared, Composite):
        return declared.function.__code__.co_argcount == 2      # beside the namespace
    return declared.positional == 1


def is_comparison(declared):
    """Whether an operator compares: then Python has no reflected form of it, nor one that writes."""
    return not isinstance(declared, Composite) and declared.dtype == "bool"


def attach(cls):
    """Put every derived method and operator on ``cls``; what ``cls`` defines itself stays."""
    for name, function in public.get("Tensor", {}).items():
        if name not in cls.__dict__:
            setattr(cls, name, function)
    for python, declared in operators().items():
        function = declared.public_function
        if is_unary(declared):
            setattr(cls, f"__{python}__", function)
            continue
        setattr(cls, f"__{python}__", make_operator(declared, function, f"__{python}__"))
        if is_comparison(declared):
            continue
        own = public["Tensor"].get(f"__r{python}__")            # some reflected forms are ops of their own
        if own is not None:
            reflected = make_own_reflected(own, f"__r{python}__")
        elif f"r{python}" in declared.operator:                 # `2 * x` is `x * 2`, down to the order of its edges
            reflected = make_operator(declared, function, f"__r{python}__")
        else:
            reflected = make_reflected(function)
        setattr(cls, f"__r{python}__", reflected)
        if declared.public_inplace is not None:
            setattr(cls, f"__i{python}__", make_inplace_operator(declared.public_inplace))
    cls.__hash__ = object.__hash__
