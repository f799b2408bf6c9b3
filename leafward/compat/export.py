"""``torch.export``: programs traced ahead of time. There are none here; the names are for annotations."""
from leafward.tensor.missing import names_missing_from

NO_TRACE = ("programs are not traced here: save weights with torch.save(model.state_dict(), path), and load them into the same "
            "class")


class ExportedProgram:
    """A traced program: cannot be made."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(f"leafward does not have torch.export.ExportedProgram: {NO_TRACE}")


class Dim:
    """The name of a size that may vary in a traced program: has no effect."""

    AUTO = DYNAMIC = STATIC = None

    def __init__(self, name, *, min=None, max=None):
        self.__name__, self.min, self.max = name, min, max


def export(mod, args, kwargs=None, **options):
    """Refused: programs are not traced."""
    raise NotImplementedError(f"leafward does not have torch.export.export: {NO_TRACE}")


__getattr__ = names_missing_from("torch.export", globals())
