"""The functions behind the layers: everything declared under ``nn.functional``."""
from leafward.derive.functions import public

globals().update(public.get("nn.functional", {}))
