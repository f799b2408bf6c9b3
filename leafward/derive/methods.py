"""Methods and operators from the derived functions."""
from leafward.core.callables import make_operator, make_reflected
from leafward.core.op import registry
from leafward.derive.functions import public

#: Python's operator -> op. This is Python's table, not ours; "div" is Python 2's, whose names PyTorch keeps.
OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "div": "div", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}
#: What does not ask for an order: ``2 * x`` is ``x * 2``, down to the order of its edges.
COMMUTATIVE = ("add", "mul", "and", "or", "xor")
COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
UNARY = {"neg": "neg", "pos": "positive", "abs": "abs", "invert": "bitwise_not"}


def attach(cls):
    """Put every derived method and operator on ``cls``; what ``cls`` defines itself stays."""
    for name, function in public.get("Tensor", {}).items():
        if name not in cls.__dict__:
            setattr(cls, name, function)
    for python, name in (*OPERATORS.items(), *COMPARISONS.items()):
        if name in registry:
            setattr(cls, f"__{python}__", make_operator(registry[name], registry[name].public_function, f"__{python}__"))
    for python, name in OPERATORS.items():
        if name in registry:
            op = registry[name]
            own = public["Tensor"].get(f"__r{python}__")        # some reflected forms are ops of their own
            if own is not None:
                reflected = make_operator(None, own, f"__r{python}__")
            elif python in COMMUTATIVE:
                reflected = make_operator(op, op.public_function, f"__r{python}__")
            else:
                reflected = make_reflected(op.public_function)
            setattr(cls, f"__r{python}__", reflected)
            if op.public_inplace is not None:
                setattr(cls, f"__i{python}__", op.public_inplace)
    for python, name in UNARY.items():
        if name in registry:
            setattr(cls, f"__{python}__", registry[name].public_function)
    cls.__hash__ = object.__hash__
