"""What a function reads besides its arguments: by its own names, and inside what these hold."""
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType

#: How many values of one container, and how many in all, are looked at; a variable that has no value yet.
MOST, IN_ALL, EMPTY = 64, 1024, CellType()


def read_by(function, is_found):
    """The values that ``function`` may read for which ``is_found`` is true: in lists, dicts, objects and functions it calls."""
    values, seen, found, names = [function], set(), [], set()
    while values and len(seen) < IN_ALL:
        value = values.pop(0)
        if id(value) in seen or isinstance(value, (type, ModuleType)):
            continue
        seen.add(id(value))
        if is_found(value):
            found.append(value)
        else:
            values += parts_read(value, names)[:MOST]
    return found


def parts_read(value, names):
    """What a function, a method, a container or a user's object leads to. ``names``: all that the functions so far read."""
    if type(value) is partial:
        return [value.func, *value.args, *value.keywords.values()]
    if getattr(value, "__self__", None) is not None and not isinstance(value.__self__, ModuleType):
        return [*([value.__func__] if type(value) is MethodType else []), value.__self__]
    if type(value) is FunctionType:
        read = names_in(value.__code__)
        names.update(read)
        cells = [cell.cell_contents for cell in value.__closure__ or () if cell != EMPTY]
        return [*cells, *[value.__globals__[n] for n in read if n in value.__globals__], *(value.__defaults__ or ())]
    if isinstance(value, (dict, list, tuple)):
        return list(value.values() if isinstance(value, dict) else value)
    call = [type(value).__call__] if type(getattr(type(value), "__call__", None)) is FunctionType else []   # noqa: B004
    for function in call:
        names.update(names_in(function.__code__))
    fields = getattr(value, "__dict__", None)
    return [*call, *([fields[name] for name in fields if name in names] if type(fields) is dict else ())]


def names_in(code):
    """The names that a function's code reads, those of functions inside it as well."""
    inner = [constant for constant in code.co_consts if type(constant) is CodeType]
    return [*code.co_names, *[name for one in inner for name in names_in(one)]]
