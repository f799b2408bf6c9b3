"""``torch.export``: programs traced ahead of time. There are none here; the names are for annotations."""
from leafward.tensor.missing import names_missing_from

NO_TRACE = ("programs are not traced here: save weights with torch.save(model.state_dict(), path), and load them into the same "
            "class")


class ExportedProgram:
    """A traced program: cannot be made."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"leafward does not have torch.export.ExportedProgram: {NO_TRACE}")


class Dim:
    """The name of a size that may vary in an exported program, for ``torch.onnx.export(..., dynamic_shapes=...)``.

    min, max: its bounds
    """

    def __init__(self, name, *, min=None, max=None):
        self.__name__, self.min, self.max = name, min, max


#: Sizes that may vary, under a name that is found for them, and those that may not.
Dim.AUTO = Dim.DYNAMIC = Dim("")
Dim.STATIC = None


def dims(*names, min=None, max=None):
    """Several :class:`Dim` at once."""
    return tuple([Dim(name, min=min, max=max) for name in names])


def export(mod, args, kwargs=None, **options):
    """Refused: programs are not traced."""
    raise NotImplementedError(f"leafward does not have torch.export.export: {NO_TRACE}")


__getattr__ = names_missing_from("torch.export", globals())
