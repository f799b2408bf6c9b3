"""``torch.return_types``: the named tuples that functions with several results return.

>>> values, indices = lw.sort(lw.tensor([2, 1]))
>>> type(lw.sort(lw.tensor([2, 1]))) is lw.return_types.sort
True
"""
from leafward.core.op import registry
from leafward.derive.functions import has_named_results, result_classes
from leafward.tensor.missing import names_missing_from

_made = [result_classes[name] for name, declared in list(registry.items()) if has_named_results(declared)]
globals().update({cls.__name__: cls for cls in _made})
__all__ = [cls.__name__ for cls in _made]

__getattr__ = names_missing_from("torch.return_types", globals())
