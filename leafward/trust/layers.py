"""What an error inside a layer is told to say besides: which layer it was, what came in, and what to type instead."""
from leafward.core.native import call_site
from leafward.core.tensor import TensorBase
from leafward.core.tracebacks import is_raised_here, leave
from leafward.errors import GradientError
from leafward.trust.facts import short_type
from leafward.trust.layer_repairs import repair
from leafward.trust.layout import Row
from leafward.trust.source import place

#: The errors of shapes, dtypes and places. Others, a missing file say, are no business of the layer's.
ABOUT_TENSORS = (RuntimeError, ValueError, IndexError, AssertionError)
#: Where an error keeps the layer that it came from, and its note.
LAYER, NOTE = "_leafward_layer", "_leafward_note"


def leave_layer(error, module, args):
    """Note at ``error`` where in ``module`` it arose, and take leafward's frames out of its traceback."""
    if isinstance(error, ABOUT_TENSORS) and not isinstance(error, GradientError):
        kept = vars(error)
        if LAYER not in kept and is_raised_here(error):
            kept[LAYER] = (id(module), one_line(module), told(module, args))
        if LAYER in kept:
            write_note(error, module, *kept[LAYER])
    leave(error)


def write_note(error, outer, layer, shown, rest):
    """Put the note in place: the path grows with each module that the error leaves."""
    kept = vars(error)
    if kept.get(NOTE) in getattr(error, "__notes__", ()):
        error.__notes__.remove(kept[NOTE])
    path = next((name for name, module in outer.named_modules() if id(module) == layer), "")
    kept[NOTE] = note = f"  in layer    {path}: {shown}{rest}" if path else f"  in layer    {shown}{rest}"
    error.add_note(note)


def told(layer, args):
    """The lines after the first: came in, called at, repair."""
    rows = []
    tensors = [t for a in args for t in (a if isinstance(a, (tuple, list)) else (a,)) if isinstance(t, TensorBase)]
    if tensors:
        rows.append(Row("came in", None, text=", ".join(f"{short_type(t._dtype)}{list(t._array.shape)}" for t in tensors)))
    site = call_site()
    if site is not None:
        rows.append(Row("called at", place(site)))
    advice = repair(layer, tensors)
    if advice:
        rows.append(Row("repair", None, text=advice))
    width = len("called at") + 3
    return "".join(f"\n  {row.label:<{width}}{row.text}{'   ' + row.where + row.function if row.where else ''}" for row in rows)


def one_line(layer):
    text = repr(layer)
    return text if "\n" not in text else f"{type(layer).__name__}(...)"
