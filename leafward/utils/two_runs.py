"""Why a checkpointed function gave other values when it ran again: the write in between, its own, or random numbers."""
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType

from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.errors import other_values
from leafward.tensor.random import get_rng_state

#: How many values are looked at to find the tensors that a function reads; a variable that has no value yet.
MOST, EMPTY = 64, CellType()


def samples(tensor):
    """Some of the values, to know them again; None where checks are off."""
    return runtime.xp.some_of(tensor._array) if runtime.checks and tensor._batch is None else None


class TwoRuns:
    """When a function ran first, and when it ran again: what was written before, in between, and by itself."""

    def __init__(self, function, tensors, preserve):
        self.function, self.tensors, self.preserve = function, tensors, preserve
        self.site = call_site()
        self.began = self.ended = self.again = runtime.written
        self.random = None

    def ran(self):
        """The first run is over."""
        self.ended = runtime.written

    def runs_again(self):
        """The second begins."""
        self.again = runtime.written
        self.random = None if self.preserve or not runtime.checks else get_rng_state()

    def tell_if_different(self, pairs):
        """Tell if of ``(samples of the first run, tensor of the second)`` one pair is of two values."""
        pairs = [(was, samples(tensor)) for was, tensor in pairs if was is not None]
        pairs = [(was, now) for was, now in pairs if now is not None and was.shape == now.shape]
        if all([was.tobytes() == now.tobytes() for was, now in pairs]):
            return
        between = self.first_write(self.ended, self.again)
        # What a known write changed is told whatever it comes to; else rounding may have been another.
        if between is None and all([runtime.xp.same_numbers(was, now) for was, now in pairs]):
            return
        own = self.first_write(self.began, self.ended) if between is None else None
        draws = between is own is None and self.random is not None and not bool((self.random == get_rng_state()).all())
        other_values(self.site, between, own, draws)

    def first_write(self, since, until):
        """The first write between two counts to a tensor that the function reads; None if none is remembered."""
        writes = [write for tensor in [*self.tensors, *read_by(self.function)] for write in tensor._storage.log or ()
                  if since <= write.number < until]
        return min(writes, key=lambda write: write.number, default=None)


def read_by(function):
    """Tensors that a function reads besides its arguments: by its own names, and inside lists, dicts, objects and modules."""
    values, seen, found, names = [function], set(), [], set()
    while values and len(seen) < MOST * 16:
        value = values.pop(0)
        if id(value) in seen or isinstance(value, (type, ModuleType)):
            continue
        seen.add(id(value))
        if isinstance(value, runtime.tensor):
            found.append(value)
        elif hasattr(type(value), "named_parameters"):
            found += [*value.parameters(), *value.buffers()]
        else:
            values += parts_read(value, names)[:MOST]
    return found


def parts_read(value, names):
    """What a function, a method, a container or a user's object leads to. ``names``: all that the functions so far read."""
    if type(value) is partial:
        return [value.func, *value.args, *value.keywords.values()]
    if type(value) is MethodType:
        return [value.__func__, value.__self__]
    if type(value) is FunctionType:
        read = names_in(value.__code__)
        names.update(read)
        cells = [cell.cell_contents for cell in value.__closure__ or () if cell != EMPTY]
        return [*cells, *[value.__globals__[n] for n in read if n in value.__globals__], *(value.__defaults__ or ())]
    if isinstance(value, (dict, list, tuple)):
        return list(value.values() if isinstance(value, dict) else value)
    call = [type(value).__call__] if type(getattr(type(value), "__call__", None)) is FunctionType else []   # noqa: B004
    fields = getattr(value, "__dict__", None)
    for function in call:
        names.update(names_in(function.__code__))
    return [*call, *([fields[name] for name in fields if name in names] if type(fields) is dict else ())]


def names_in(code):
    """The names that a function's code reads, those of functions inside it as well."""
    inner = [constant for constant in code.co_consts if type(constant) is CodeType]
    return [*code.co_names, *[name for one in inner for name in names_in(one)]]
