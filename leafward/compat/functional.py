"""``torch.functional``: the functions of ``torch``, some of which PyTorch also keeps under this name."""
from leafward.derive.functions import public
from leafward.tensor.missing import names_missing_from
from leafward.tensor.predicates import broadcast_shapes  # noqa: F401

globals().update(public["torch"])

__getattr__ = names_missing_from("torch.functional", globals())
