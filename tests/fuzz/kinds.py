"""The kinds of difference, the gravest first."""

GRAVE = ("crash", "hang", "broke", "value", "gradient", "accepts", "refuses", "dtype", "shape", "requires_grad", "is_leaf",
         "exception", "python")
#: What a program rarely depends on: few steps may differ so.
LIGHT = ("mirror", "view", "stride", "version")
KINDS = (*GRAVE, *LIGHT, "sentence")
