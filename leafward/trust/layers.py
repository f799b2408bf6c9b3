"""What an error inside a layer is told to say besides: which layer it was, what came in, and what to type instead."""
from leafward.core.native import call_site
from leafward.core.tensor import TensorBase
from leafward.core.tracebacks import is_raised_here, leave
from leafward.errors import GradientError
from leafward.trust.facts import short_type
from leafward.trust.layout import Row
from leafward.trust.source import place

#: The errors of shapes, dtypes and places. Others, a missing file say, are no business of the layer's.
ABOUT_TENSORS = (RuntimeError, ValueError, IndexError)
#: Where an error keeps the layer that it came from, and its note.
LAYER, NOTE = "_leafward_layer", "_leafward_note"

#: Sizes that layers are made with: (attribute, which dim of the input it is the size of, whether a batch may be missing).
SIZES = (("in_features", -1), ("input_size", -1), ("embed_dim", -1), ("in_channels", 1), ("num_features", 1),
         ("num_channels", 1))


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
    tensors = [a for a in args if isinstance(a, TensorBase)]
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


def repair(layer, tensors):
    """What would fit; nothing where that is not clear."""
    if not tensors:
        return ""
    given = tensors[0]
    return wrong_dtype(layer, given) or wrong_size(layer, given) or wrong_places(layer, given) or unlike(tensors)


def wrong_dtype(layer, given):
    """Weights of one type, an input of another."""
    weight = next((p for p in layer.parameters(recurse=False) if p is not None), None)
    if hasattr(layer, "num_embeddings"):
        return "" if not given._dtype.is_floating_point else "indices are integers: pass x.long()"
    if weight is None or weight._dtype is given._dtype:
        return ""
    plain = {"float32": "float", "float64": "double", "float16": "half", "bfloat16": "bfloat16"}.get(weight._dtype.name)
    if plain is None:
        return ""
    other = {"float64": "double", "float16": "half", "bfloat16": "bfloat16"}.get(given._dtype.name)
    or_else = f"; or convert the layer: layer.{other}()" if other else ""
    return f"the layer's weights are {short_type(weight._dtype)}: pass x.{plain}(){or_else}"


def wrong_size(layer, given):
    """A dim that has another size than the layer was made for, or a missing one."""
    shape = given._array.shape
    for name, dim in SIZES:
        size = getattr(layer, name, None)
        if not isinstance(size, int) or isinstance(size, bool):
            continue
        spatial = len(getattr(layer, "kernel_size", None) or ()) if dim == 1 and name == "in_channels" else 0
        if spatial:
            return wrong_channels(layer, name, size, shape, spatial)
        if len(shape) < 2 and dim == 1:
            return f"a batch is missing: x.unsqueeze(0) has shape {[1, *shape]}"
        if len(shape) > 0 and shape[dim] != size:
            which = "the last dim" if dim == -1 else f"dim {dim}"
            return f"{which} of the input has {shape[dim]} elements, not {size}: {either(name, shape[dim], size)}"
    wanted = getattr(layer, "normalized_shape", None)
    if isinstance(wanted, tuple) and tuple(shape[len(shape) - len(wanted):]) != wanted:
        given = list(shape[len(shape) - len(wanted):])
        return f"the layer was made for {list(wanted)}, the input ends in {given}: make it with normalized_shape={given}"
    return ""


def either(name, given, size):
    """The two ways out where a layer was made for another size."""
    return f"make the layer with {name}={given}, or give it {size}"


def wrong_channels(layer, name, size, shape, spatial):
    """The channels of a convolution: missing, at the end, or another number."""
    if len(shape) == spatial + 1 and shape[0] != size:
        if size == 1:
            return f"the channels are missing: x.unsqueeze(1) has shape {[shape[0], 1, *shape[1:]]}"
        if shape[-1] == size:
            return f"the channels come first: pass x.permute({', '.join(map(str, (spatial, *range(spatial))))})"
        return f"dim 0 of an input without a batch is its channels: {shape[0]}, not {size}"
    if len(shape) == spatial:
        return f"the channels are missing: x.unsqueeze(0) has shape {[1, *shape]}"
    if len(shape) == spatial + 2 and shape[1] != size:
        if shape[-1] == size:
            order = ", ".join(map(str, (0, spatial + 1, *range(1, spatial + 1))))
            return f"the channels come right after the batch: pass x.permute({order})"
        return f"dim 1 of the input has {shape[1]} channels, not {size}: {either(name, shape[1], size)}"
    if len(shape) not in (spatial + 1, spatial + 2):
        return f"it takes {spatial + 2} dims, a batch of channels of {spatial} dims: this input has {len(shape)}"
    return ""


def wrong_places(layer, given):
    """Indices beyond the rows of an embedding."""
    rows = getattr(layer, "num_embeddings", None)
    if rows is None or given._dtype.is_floating_point or not given._array.size:
        return ""
    low, high = int(given._array.min()), int(given._array.max())
    if high >= rows:
        return f"index {high} is beyond the {rows} rows: make the layer with num_embeddings={high + 1}"
    return f"index {low} is negative: rows are counted from 0" if low < 0 else ""


def unlike(tensors):
    """Two inputs that should have one shape: predictions and targets."""
    if len(tensors) < 2:
        return ""
    first, second = (t._array.shape for t in tensors[:2])
    if len(first) == len(second) + 1 and first[-1] == 1 and first[:-1] == second:
        return f"pass x.squeeze(-1) as the first: it then has the shape of the second, {list(second)}"
    if len(second) == len(first) + 1 and second[-1] == 1 and second[:-1] == first:
        return f"pass y.squeeze(-1) as the second: it then has the shape of the first, {list(first)}"
    return ""
