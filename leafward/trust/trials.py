"""What a layer that refused its inputs would take, found by trying: another dtype, a dim more or less, another order or size.

The trials run on a copy of the layer and of its inputs, with random numbers of their own, and say nothing. What comes out is
told only where no rule of ``layer_repairs.py`` knows better.
"""
import copy
import itertools
import time
import warnings

from leafward.autograd.grad_mode import no_grad
from leafward.core.from_array import tensor_from_array
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.errors import trial
from leafward.tensor.random import fork_rng

#: How many elements a layer and its inputs may have to be copied, and how long trials may take: in one error, and in all.
ELEMENTS, SECONDS, ALTOGETHER = 1_000_000, 0.2, 3.0
#: How far from the size that it has another size of a dim is looked for, and how many shapes of a tensor are tried.
REACH, SHAPES = 40, 200
#: The methods that convert to a dtype, in the order in which they are tried.
CONVERTS = ("float", "long", "double", "half", "bool")


class Trials:
    """Calls of one layer with changed inputs, as long as there is time."""

    spent = 0.0                                             # seconds, of all trials of this process

    def __init__(self, layer, args, kwargs):
        self.layer, self.args, self.kwargs = layer, args, kwargs
        self.slots = list(slots(args, kwargs, type(layer).forward))
        self.until = time.monotonic() + min(SECONDS, ALTOGETHER - Trials.spent)

    def fits(self, changed):
        """Whether the layer takes its inputs with those of some slots changed: ``{number: tensor}``."""
        if time.monotonic() > self.until:
            raise TimeoutError
        given = [changed.get(number, value) for number, (_, value) in enumerate(self.slots)]
        given = [tensor_from_array(value._array.copy()) for value in given]
        args, kwargs = rebuilt((self.args, self.kwargs), iter(given))
        try:
            copy.deepcopy(self.layer).forward(*args, **kwargs)
        except TimeoutError:
            raise
        except Exception:       # noqa: BLE001  refused again, in whatever way
            return False
        return True


def by_trial(layer, args, kwargs):
    """The repair in words; nothing where none is found, or too much would have to be copied."""
    if trial.going_on or not type(layer).__module__.startswith("leafward.nn."):
        return ""
    trials = Trials(layer, args, kwargs)
    tensors = [value for _, value in trials.slots]
    if not tensors or any(type(getattr(t, "_array", None)) is not runtime.ndarray for t in tensors):
        return ""
    if sum(t._array.size for t in (*tensors, *layer.parameters())) > ELEMENTS:
        return ""
    begun, trial.going_on = time.monotonic(), True
    try:
        with no_grad(), fork_rng(), warnings.catch_warnings():
            warnings.simplefilter("error")
            if trials.fits({}):                         # what was refused is not the inputs
                return ""
            return next(filter(None, (look(trials) for look in (converted, moved, resized))), "")
    except TimeoutError:
        return ""
    finally:
        trial.going_on = False
        Trials.spent += time.monotonic() - begun


def slots(args, kwargs, forward):
    """``(what the layer calls it, the tensor)`` of the tensors among arguments, those in tuples and lists among them."""
    code = forward.__code__
    names = itertools.chain(code.co_varnames[1:code.co_argcount], itertools.repeat("the input"))
    for name, value in (*zip(names, args, strict=False), *kwargs.items()):
        for number, part in enumerate(value if isinstance(value, (tuple, list)) else [value]):
            if isinstance(part, TensorBase):
                yield (f"{name}[{number}]" if part is not value else name), part


def rebuilt(value, tensors):
    """``value`` with its tensors, in their order, taken from ``tensors``."""
    if isinstance(value, TensorBase):
        return next(tensors)
    if type(value) in (tuple, list):
        return type(value)([rebuilt(part, tensors) for part in value])
    if type(value) is dict:
        return {name: rebuilt(part, tensors) for name, part in value.items()}
    return value


def shape_of(tensor):
    return tuple(tensor._array.shape)


def converted(trials):
    """Another dtype for one of the inputs, or one for all of them."""
    wanted = [value._dtype for value in (*trials.layer.parameters(), *(t for _, t in trials.slots))]
    order = sorted(CONVERTS, key=lambda method: wanted_by(method) not in wanted)
    for method in order:
        for number, (name, tensor) in enumerate(trials.slots):
            if tensor._dtype is not wanted_by(method) and trials.fits({number: getattr(plain(tensor), method)()}):
                return f"pass {name}.{method}()"
    for method in order:
        if len(trials.slots) > 1 and trials.fits({n: getattr(plain(t), method)() for n, (_, t) in enumerate(trials.slots)}):
            return f"one dtype for all: pass {', '.join(f'{name}.{method}()' for name, _ in trials.slots)}"
    return ""


def wanted_by(method):
    return getattr(plain_one(), method)()._dtype


def plain_one():
    return tensor_from_array(runtime.xp.ones(1, dtype=runtime.float32))


def plain(tensor):
    """The values of a tensor, without a history, and unknown to the records of aliases."""
    return tensor_from_array(tensor._array)


def moved(trials):
    """A dim taken out of one of the inputs, put in, moved, or two made one; or of all in a tuple."""
    pairs = len(trials.slots) > 1 and not any(True for _ in trials.layer.parameters())
    for number, (name, tensor) in enumerate(trials.slots):
        shape = shape_of(tensor)
        others = {shape_of(t) for n, (_, t) in enumerate(trials.slots) if n != number}
        whole = name.partition("[")
        alike = [n for n, (other, t) in enumerate(trials.slots)
                 if whole[1] and other.startswith(f"{whole[0]}[") and shape_of(t) == shape]
        for ours in ([number], alike)[:1 + (len(alike) > 1)]:
            for method, *at in calls(shape):
                anew = {n: getattr(plain(trials.slots[n][1]), method)(*at) for n in ours}
                if method == "unsqueeze" and pairs and shape_of(anew[number]) not in others:
                    continue                                # it would meet all of the others, each with each
                if trials.fits(anew):
                    told = ", ".join(f"{trials.slots[n][0]}.{method}({', '.join(map(str, at))})" for n in ours)
                    return f"pass {told}, of shape {list(shape_of(anew[number]))}"
    return ""


def calls(shape):
    """The calls that lay out a shape anew, those first that most often do."""
    rank = len(shape)
    yield from (("squeeze", dim) for dim in reversed(range(rank)) if shape[dim] == 1)
    yield from (("unsqueeze", dim) for dim in (0, 1, -1)[:rank + 1])
    if rank > 1:
        yield from (("movedim", -1, 1), ("transpose", 0, 1), ("transpose", -2, -1))[0 if rank > 2 else 1:]
        yield from (("flatten", dim, dim + 1) for dim in range(rank - 1))
        yield ("flatten", 1)


def resized(trials):
    """Other sizes of the dims of one input: near to what it has where it is alone, else those that the others have."""
    alone, held = len(trials.slots) == 1, [t for t in (*trials.layer.parameters(), *trials.layer.buffers()) if t is not None]
    met = {n for t in (*(t for _, t in trials.slots), *held) for n in shape_of(t)} - {1}
    for number, (name, tensor) in enumerate(trials.slots):
        shape, whose = shape_of(tensor), "the input" if alone else name
        for dim, has in enumerate(shape):
            near = {*range(max(has - REACH, 1), has + REACH), *met} if alone else met
            fit = (n for n in sorted(near - {has}, key=lambda n: abs(n - has))
                   if trials.fits({number: zeros(tensor, (*shape[:dim], n, *shape[dim + 1:]))}))
            if found := list(itertools.islice(fit, 2)):
                sizes = " or ".join(map(str, sorted(found)))
                return f"dim {dim} of {whose} has {has} elements: {sizes} would do"
        heads = {shape_of(t)[:rank] for n, (_, t) in enumerate(trials.slots) if n != number for rank in range(7)}
        others = (heads | {(*head, *shape[-1:]) for head in heads}) - {shape}
        like = sorted(others, key=lambda s: -len(s)) or [(n,) for n in sorted(met)] if shape == () or others else []
        same = itertools.product(sorted(met), repeat=len(shape)) if not alone and shape else ()
        for anew in itertools.islice(itertools.chain(like, same), SHAPES):
            if trials.fits({number: zeros(tensor, anew)}):
                return f"{whose} has the shape {list(shape)}: {list(anew)} would do"
    return ""


def zeros(tensor, shape):
    return tensor_from_array(runtime.xp.zeros(shape, dtype=tensor._dtype))
