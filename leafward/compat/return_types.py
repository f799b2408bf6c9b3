"""``torch.return_types``: the named tuples that functions with several results return.

>>> values, indices = lw.sort(lw.tensor([2, 1]))
>>> type(lw.sort(lw.tensor([2, 1]))) is lw.return_types.sort
True
"""
from leafward.derive.functions import result_classes
from leafward.tensor.missing import names_missing_from

globals().update({cls.__name__: cls for cls in result_classes.values()})
__all__ = [cls.__name__ for cls in result_classes.values()]

__getattr__ = names_missing_from("torch.return_types", globals())
