"""What the namespace can do, for programs that ask."""
from leafward import dtypes
from leafward.devices import check_device, get_default_device
from leafward.array_api.data_types import KINDS, STANDARD


class Info:
    """What ``__array_namespace_info__()`` gives.

    >>> Info().default_dtypes()["real floating"]
    torch.float32
    """

    def capabilities(self):
        """Which optional behaviour there is: all of it. NumPy's arrays have up to 64 dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """The device of arrays made without ``device=``."""
        return get_default_device()

    def default_dtypes(self, *, device=None):
        """The dtypes of arrays made from Python numbers; the floating ones follow ``set_default_dtype``."""
        check_device(device)
        real = dtypes.get_default_dtype()
        return {"real floating": real, "complex floating": real.to_complex(), "integral": dtypes.int64,
                "indexing": dtypes.int64}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes by name: all, or those of a ``kind`` or of one of a tuple of kinds."""
        check_device(device)
        kinds = tuple(KINDS) if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for wanted in kinds:
            if wanted not in KINDS:
                raise ValueError(f"unknown kind of dtype {wanted!r}: the standard has {', '.join(map(repr, KINDS))}")
        return {name: d for name, d in STANDARD.items() if any(KINDS[wanted](d) for wanted in kinds)}

    def devices(self):
        """Every device."""
        return [get_default_device()]
