"""Layers and parameters in plain lists and dicts, which ``parameters()`` does not see: noted, so that an optimizer can tell."""
import weakref

from leafward.core.native import call_site
from leafward.tensor.tensor import Tensor

#: What a module does not look into.
PLAIN = (list, tuple, dict)
#: id(module) -> (the module, weakly; {attribute: where it was assigned}). Modules may be equal to others: by id.
noted = {}


def note_plain(module, name, value):
    """Note the attribute ``name``, if ``value`` holds layers or parameters, or nothing yet."""
    first = next(iter(value.values() if type(value) is dict else value), None)
    nothing_yet = first is None and type(value) is not tuple
    if nothing_yet or isinstance(first, Tensor) or "_parameters" in getattr(first, "__dict__", ()):
        key = id(module)
        if key not in noted:
            noted[key] = weakref.ref(module, lambda _: noted.pop(key, None)), {}
        noted[key][1][name] = call_site()


def noted_modules():
    """``(module, {attribute: where it was assigned})`` for those that are still there."""
    return [(module, names) for module, names in ((reference(), names) for reference, names in list(noted.values()))
            if module is not None]


def hidden_in(module, name):
    """The parameters that the list or dict ``name`` of ``module`` holds now: ``(path, parameter)``."""
    value = module.__dict__.get(name)
    if type(value) not in PLAIN:
        return []
    found = []
    for key, part in value.items() if type(value) is dict else enumerate(value):
        if isinstance(part, Tensor):
            found.append((f"{name}[{key!r}]", part))
        elif "_parameters" in getattr(part, "__dict__", ()):
            found += [(f"{name}[{key!r}].{path}", p) for path, p in part.named_parameters()]
    return found
