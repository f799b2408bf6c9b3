"""What would fit a layer that refused its input: from how it was made, and what came in. Nothing where that is not clear."""
import re

from leafward.trust.facts import short_type

#: Sizes that layers are made with: (attribute, which dim of an input it is the size of, which input).
SIZES = (("in_features", -1, 0), ("input_size", -1, 0), ("embed_dim", -1, 0), ("d_model", -1, 0),
         ("kdim", -1, 1), ("vdim", -1, 2),
         ("in1_features", -1, 0), ("in2_features", -1, 1), ("in_channels", 1, 0), ("num_features", 1, 0),
         ("num_channels", 1, 0), ("num_parameters", 1, 0))
#: What the dims of an input are after its batch and its channels.
SPACE = {1: "length", 2: "height, width", 3: "depth, height, width"}


def repair(layer, tensors):
    """The first thing that does not fit, in words."""
    if not tensors:
        return ""
    for look in (wrong_dtype, wrong_dims, wrong_size, wrong_batch, wrong_places, wrong_targets, wrong_values, unlike):
        found = look(layer, tensors)
        if found:
            return found
    return ""


def shape_of(tensor):
    return tuple(tensor._array.shape)


def wrong_dtype(layer, tensors):
    """Weights of one type, an input of another."""
    given = tensors[0]
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


def wrong_dims(layer, tensors):
    """Another number of dims than a layer for images, or for sequences, takes."""
    shape = shape_of(tensors[0])
    if hasattr(layer, "batch_first") and len(shape) not in (2, 3):
        first = "batch and sequence" if layer.batch_first else "sequence and batch"
        return f"it takes 3 dims, {first} first, or 2 without a batch: this input has {len(shape)}"
    name, kind, space = family(layer)
    if name is None or len(shape) < 2 or hasattr(layer, "in_channels") or len(shape) in (space + 1, space + 2) and space == 1:
        return ""
    channels = getattr(layer, "num_features", None)
    if len(shape) == space + 1 and channels in (None, shape[0]):
        return f"a batch is missing: x.unsqueeze(0) has shape {[1, *shape]}" if channels is not None else ""
    if len(shape) == space + 2 or channels is not None and len(shape) == space + 1 and channels != shape[1]:
        return ""
    told = f"{name} takes {space + 2} dims: batch, channels, {SPACE[space]}"
    other = max(len(shape) - 2, 1)
    if other != space and other in SPACE:
        return f"{told}; for an input of {len(shape)} there is {kind}{other}d"
    return told


def family(layer):
    """``("BatchNorm2d", "BatchNorm", 2)`` for a layer with siblings for other numbers of dims."""
    for cls in type(layer).__mro__:
        if cls.__module__.startswith("leafward") and (found := re.fullmatch(r"([A-Z]\w*?)([123])d", cls.__name__)):
            return cls.__name__, found[1], int(found[2])
    return None, None, None


def wrong_size(layer, tensors):
    """A dim that has another size than the layer was made for, or a missing one."""
    for name, dim, number in SIZES:
        size = getattr(layer, name, None)
        if type(size) is not int or number >= len(tensors) or name == "num_parameters" and size == 1:
            continue
        shape = shape_of(tensors[number])
        spatial = len(getattr(layer, "kernel_size", None) or ()) if dim == 1 and name == "in_channels" else 0
        if spatial:
            return wrong_channels(layer, name, size, shape, spatial)
        if len(shape) < 2 and dim == 1:
            return f"a batch is missing: x.unsqueeze(0) has shape {[1, *shape]}"
        if len(shape) > 0 and shape[dim] != size:
            which = "the last dim" if dim == -1 else f"dim {dim}"
            whose = ("the input", "the second input", "the third input")[number]
            return f"{which} of {whose} has {shape[dim]} elements, not {size}: {either(name, shape[dim], size)}"
    wanted, shape = getattr(layer, "normalized_shape", None), shape_of(tensors[0])
    if isinstance(wanted, tuple) and shape[len(shape) - len(wanted):] != wanted:
        given = list(shape[len(shape) - len(wanted):])
        return f"the layer was made for {list(wanted)}, the input ends in {given}: make it with normalized_shape={given}"
    return ""


def either(name, given, size):
    """The two ways out where a layer was made for another size."""
    return f"make the layer with {name}={given}, or give it {size}"


def wrong_channels(layer, name, size, shape, spatial):
    """The channels of a convolution: missing, at the end, or another number; or an image smaller than the kernel."""
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
    small = [(has, kernel) for has, kernel in zip(shape[-spatial:], layer.kernel_size, strict=True) if has < kernel]
    if small and not getattr(layer, "transposed", False):
        has, kernel = small[0]
        return f"{has} places are fewer than the kernel's {kernel}: give it larger inputs, pad them, or make the kernel smaller"
    return ""


def wrong_batch(layer, tensors):
    """Sequences whose batches differ, and which of the first two dims the batch is; a batch of one in training."""
    shapes = [shape_of(t) for t in tensors if len(shape_of(t)) == 3]
    if hasattr(layer, "batch_first") and len(shapes) > 1:
        batch, other = (0, 1) if layer.batch_first else (1, 0)
        unlike = next((s for s in shapes if s[batch] != shapes[0][batch]), None)
        if unlike is not None:
            swapped = all(s[other] == shapes[0][other] for s in shapes)
            sizes = f"{shapes[0][batch]} here, {unlike[batch]} there"
            told = f"dim {batch} is the batch, as batch_first={layer.batch_first}: {sizes}"
            return f"{told}; if dim {other} is, make the layer with batch_first={not layer.batch_first}" if swapped else told
        if len(shapes) > 2 and shapes[1][other] != shapes[2][other]:
            return f"keys and values go together: {shapes[1][other]} keys, {shapes[2][other]} values"
    shape = shape_of(tensors[0])
    if hasattr(layer, "track_running_stats") and layer.training and len(shape) > 1:
        count = 1
        for size in (shape[0], *shape[2:]):
            count *= size
        if count == 1:
            return "training needs several values of each channel: a larger batch (drop_last=True in the DataLoader), or eval()"
    return ""


def wrong_places(layer, tensors):
    """Indices beyond the rows of an embedding."""
    given, rows = tensors[0], getattr(layer, "num_embeddings", None)
    if rows is None or given._dtype.is_floating_point or not given._array.size:
        return ""
    low, high = int(given._array.min()), int(given._array.max())
    if high >= rows:
        return f"index {high} is beyond the {rows} rows: make the layer with num_embeddings={high + 1}"
    return f"index {low} is negative: rows are counted from 0" if low < 0 else ""


def wrong_targets(layer, tensors):
    """Numbers of classes that do not go with the scores: another type or shape, another batch, a class that there is not."""
    if not hasattr(layer, "ignore_index") or hasattr(layer, "num_classes") or len(tensors) < 2:
        return ""
    scores, target = shape_of(tensors[0]), shape_of(tensors[1])
    if not scores:
        return ""
    wanted, dtype = (scores[:1] + scores[2:] if len(scores) > 1 else ()), tensors[1]._dtype
    if target == scores and target != wanted:
        if not dtype.is_floating_point:
            return "one number for each example is wanted, not one of 0 and 1 for each class: pass y.argmax(1)"
        return "class numbers are wanted, not probabilities: pass y.argmax(1)"
    if target != wanted and len(scores) > 2 and target == scores[:-1]:
        moved = [scores[0], scores[-1], *scores[1:-1]]
        return f"the classes come right after the batch: pass x.movedim(-1, 1), of shape {moved}"
    if target != wanted and len(target) > 1 and 1 in target:
        dim = next(d for d in reversed(range(len(target))) if target[d] == 1)
        if target[:dim] + target[dim + 1:] == wanted:
            whole = ".long()" if dtype.is_floating_point else ""
            return f"pass y.squeeze({dim}){whole} as the second, class numbers of shape {list(wanted)}"
    if target != wanted:
        either = f", or probabilities {list(scores)}" if hasattr(layer, "label_smoothing") else ""
        told = f"scores {list(scores)} want class numbers {list(wanted)}, one for each example{either}"
        return f"{told}: these are {list(target)}"
    if dtype.is_floating_point or dtype.is_complex:
        return "class numbers are integers: pass y.long()"
    classes, numbers = scores[1] if len(scores) > 1 else scores[0], tensors[1]._array
    numbers = numbers[numbers != layer.ignore_index]
    if numbers.size and (numbers.max() >= classes or numbers.min() < 0):
        low, high = int(numbers.min()), int(numbers.max())
        if low < 0:
            return f"class {low} is negative: ignore_index={low} leaves such targets out"
        shifted = "; if they are counted from 1, pass y - 1" if high == classes and low > 0 else ""
        beyond = f"class {high} is beyond the {classes} scores, which are counted from 0"
        return f"{beyond}: make the last layer with {high + 1} outputs{shifted}"
    return ""


def wrong_values(layer, tensors):
    """Scores where probabilities are wanted."""
    array = tensors[0]._array
    if type(layer).__name__ == "BCELoss" and array.size and (array.min() < 0 or array.max() > 1):
        return "it takes probabilities: pass x.sigmoid(), or use BCEWithLogitsLoss, which does so by itself"
    return ""


def unlike(layer, tensors):
    """Two inputs that should have one shape: predictions and targets."""
    if len(tensors) < 2:
        return ""
    first, second = (shape_of(t) for t in tensors[:2])
    if len(first) == len(second) + 1 and first[-1] == 1 and first[:-1] == second:
        return f"pass x.squeeze(-1) as the first: it then has the shape of the second, {list(second)}"
    if len(second) == len(first) + 1 and second[-1] == 1 and second[:-1] == first:
        return f"pass y.squeeze(-1) as the second: it then has the shape of the first, {list(first)}"
    if first != second and len(first) == len(second) and type(layer).__name__.endswith("Loss"):
        return f"its inputs go together element by element: {list(first)} and {list(second)} differ"
    return ""
