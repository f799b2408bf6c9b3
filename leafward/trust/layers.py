"""What an error inside a layer is told to say besides: which layer it was, what came in, and what to type instead."""
import ast
import re

from leafward.core.native import call_site
from leafward.core.tensor import TensorBase
from leafward.core.tracebacks import is_raised_here, leave
from leafward.errors import GradientError, trial
from leafward.trust.facts import short_type
from leafward.trust.layer_repairs import repair
from leafward.trust.layout import NARROW, Row, is_notebook, list_of, wrapped
from leafward.trust.source import function_around, place
from leafward.trust.trials import by_trial

#: The errors of shapes, dtypes and places. Others, a missing file say, are no business of the layer's.
ABOUT_TENSORS = (RuntimeError, ValueError, IndexError, AssertionError)
#: Where an error keeps the layer that it came from, and its note.
LAYER, NOTE = "_leafward_layer", "_leafward_note"


def leave_layer(error, module, args, kwargs):
    """Note at ``error`` where in ``module`` it arose, and take leafward's frames out of its traceback."""
    if isinstance(error, ABOUT_TENSORS) and not isinstance(error, GradientError) and not trial.going_on:
        kept = vars(error)
        if LAYER not in kept and is_raised_here(error):
            kept[LAYER] = (id(module), one_line(module), told(module, args, kwargs))
        if LAYER in kept:
            write_note(error, module, *kept[LAYER])
    leave(error)


def write_note(error, outer, layer, shown, rest):
    """Put the note in place: the path grows with each module that the error leaves."""
    kept = vars(error)
    if kept.get(NOTE) in getattr(error, "__notes__", ()):
        error.__notes__.remove(kept[NOTE])
    path = next((name for name, module in outer.named_modules() if id(module) == layer), "")
    if path and (renamed := as_given(outer, path.partition(".")[0], rest)) != rest:
        rest = renamed
        kept[LAYER] = layer, shown, rest
    parts = [part for part in (path, shown) if part]
    where = "   " + "\n".join("\n".join(wrapped(part, "    ", NARROW)) for part in parts).strip() if is_notebook() else (
        "    " + ": ".join(parts))
    kept[NOTE] = note = f"  in layer{where}{rest}"
    error.add_note(note)


#: What a repair says of how a layer is made.
MADE_WITH = re.compile(r"\bwith (\w+)=")


def as_given(outer, name, rest):
    """``rest`` with what the part ``name`` is to be made with in the words of ``outer``: ``d_model`` for ``embed_dim``.

    The constructor of ``outer`` shows which of its own parameters it hands on.
    """
    found = MADE_WITH.search(rest)
    if found is None or not type(outer).__module__.startswith("leafward.nn."):
        return rest
    init, part = type(outer).__init__, getattr(outer, name, None)
    tree = function_around(place((init.__code__, -1))) if hasattr(init, "__code__") else None
    parameters = () if tree is None else init.__code__.co_varnames[1:init.__code__.co_argcount]
    for call in ast.walk(tree) if parameters else ():
        if isinstance(call, ast.Call) and getattr(call.func, "id", None) == type(part).__name__:
            inner = type(part).__init__.__code__.co_varnames[1:]
            given = {**dict(zip(inner, call.args, strict=False)), **{k.arg: k.value for k in call.keywords}}.get(found[1])
            if isinstance(given, ast.Name) and given.id in parameters:
                return rest[:found.start(1)] + given.id + rest[found.end(1):]
    return rest


def told(layer, args, kwargs):
    """The lines after the first: came in, called at, repair."""
    rows = []
    tensors = [t for a in args for t in (a if isinstance(a, (tuple, list)) else (a,)) if isinstance(t, TensorBase)]
    named = {name: value for name, value in kwargs.items() if isinstance(value, TensorBase)}
    if tensors or named:
        shown = [*(described(t) for t in tensors), *(f"{name}: {described(t)}" for name, t in named.items())]
        rows.append(Row("came in", None, text=", ".join(shown)))
    site = call_site()
    if site is not None:
        rows.append(Row("called at", place(site)))
    advice = repair(layer, tensors) or by_trial(layer, args, kwargs)
    if advice:
        rows.append(Row("repair", None, text=advice))
    if is_notebook():
        return f"\n{list_of(rows)}"
    width = len("called at") + 3
    return "".join(f"\n  {row.label:<{width}}{row.text}{'   ' + row.where + row.function if row.where else ''}" for row in rows)


def described(tensor):
    return f"{short_type(tensor._dtype)}{list(tensor._array.shape)}"


def one_line(layer):
    text = repr(layer)
    return text if "\n" not in text else f"{type(layer).__name__}(...)"
