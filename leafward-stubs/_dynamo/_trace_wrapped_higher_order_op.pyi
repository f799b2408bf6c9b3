# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from leafward.compat._dynamo._trace_wrapped_higher_order_op import *
