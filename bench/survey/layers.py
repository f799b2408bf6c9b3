"""Layers, made and called as in the tests' table or else in their docstring, and grown to a size. Optimizers."""
import contextlib
import doctest
import functools
import inspect
import math
import re
import warnings

import leafward
import numpy as np
import torch
from bench.survey import SIZES
from bench.survey.cases import OUTPUT_LIMIT, CannotBeTimed, Case, Problem, elements, flat, told
from bench.survey.measure import Timed
from bench.survey.scale import OTHERS, SHAPES, WINDOWS, Growth
from leafward.nn import modules
from tests.nn.layers import LAYERS, RANDOM, tensors
from tests.samples import is_tensor

#: Arguments of constructors that count features: they grow with the inputs.
FEATURES = re.compile(r"features|channels|num_classes|normalized_shape|num_embeddings|embedding_dim|num_parameters|cutoffs"
                      r"|^dim_feedforward$|^(input|hidden|proj)_size$|embed_dim|kdim|vdim|d_model|n_classes|output_size"
                      r"|^size$|unflattened_size")
INPUTS = {**LAYERS, **RANDOM}
#: An optimizer has this many parameters of the size.
PARAMETERS = 4


class Captured(Exception):
    """Ends an example once the layer has been called."""


def recording(cls, made):
    """``cls.__init__`` that notes what each layer was made with."""
    init = cls.__init__

    @functools.wraps(init)
    def recorded(self, *args, **kwargs):
        if type(self) is cls:
            made.setdefault(id(self), (self, args, kwargs))
        init(self, *args, **kwargs)
    return recorded


def layer_classes():
    found = [getattr(modules, name) for name in modules.__all__]
    return [cls for cls in found if inspect.isclass(cls) and issubclass(cls, modules.Module) and cls is not modules.Module]


def example_sources(cls):
    """Programs that call a ``cls``."""
    for expression, inputs in INPUTS.items():
        if expression.startswith(cls.__name__ + "("):
            return [f"leafward.nn.{expression}(*inputs({inputs!r}))"]
    return [step.source for step in doctest.DocTestParser().get_examples(inspect.getdoc(cls))]


def example(cls):
    """What layers were made with in the example of ``cls``, by their ids; and the first call of a ``cls`` in there."""
    made, called, own = {}, [], {}

    def recording_forward(self, *args, **kwargs):
        if type(self) is cls and id(self) in made:
            called.append((made[id(self)][1:], (args, kwargs)))
            raise Captured
        return forward(self, *args, **kwargs)
    forward = cls.forward
    for each in layer_classes():
        own[each] = "__init__" in vars(each), each.__init__
    for each in own:
        each.__init__ = recording(each, made)
    cls.forward, had_forward = recording_forward, "forward" in vars(cls)
    space = {"leafward": leafward, "lw": leafward, "t": leafward, "nn": leafward.nn}
    space["inputs"] = functools.partial(tensors, leafward)
    try:
        for source in example_sources(cls):
            exec(source, space)                                                          # noqa: S102  our own texts
    except Captured:
        return made, called[0]
    finally:
        for each, (had, init) in own.items():
            if had:
                each.__init__ = init
            else:
                del each.__init__
        if had_forward:
            cls.forward = forward
        else:
            del cls.forward
    raise CannotBeTimed("the example in its docstring calls none that stays of this class")


class Grown:
    """A captured example at a size, for either library."""

    def __init__(self, cls, captured, size, how, others, features):
        self.all_made, (self.made, self.called) = captured
        self.cls, self.size, self.features = cls, size, features
        given = flat(self.called[0])[0] + flat(list(self.called[1].values()))[0]
        largest = max((tuple(x.shape) for x in given), key=math.prod)
        windowed = bool(WINDOWS & set(inspect.signature(cls.__init__).parameters))
        self.growth = Growth(largest, *SIZES[size], how, others, windowed)
        self.arrays = {id(x): self.array(x) for x in given}

    def array(self, x):
        """Values as in the example, or from 0.05 to 0.95 where those are all alike; more of them."""
        shape = self.growth.shape(tuple(x.shape), not x.dtype.is_floating_point)
        values = x.detach().numpy()
        random = np.random.default_rng(7)
        if x.dtype.is_floating_point:
            if values.size and (values != values.flat[0]).any():
                return random.choice(values.ravel(), shape).astype(values.dtype)
            return random.uniform(0.05, 0.95, shape).astype(values.dtype)
        bound = int(values.max()) + 1 if values.size else 1
        at_least = [new for old, new in sorted(self.growth.extents.items()) if old >= bound]
        if self.features == "grow, indices too" and values.dtype != bool and at_least:
            return random.integers(0, at_least[0], shape)
        return np.resize(values, shape)

    def feature(self, value):
        if type(value) is int and value > 1:
            return self.growth.extent(value, len(self.growth.old))
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.feature, value))
        return value

    def layer(self, t):
        """The layer in the namespace ``t``, with the features that the size asks for."""
        t.manual_seed(0)
        return self.made_like(t, self.cls, *self.made)

    def made_like(self, t, cls, args, kwargs):
        given = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        for name, value in list(given.arguments.items()):
            if self.features != "as they are" and FEATURES.search(name):
                given.arguments[name] = self.feature(value)
        if "args" in given.arguments and self.features != "as they are":            # of the recurrent layers
            given.arguments["args"] = tuple(map(self.feature, given.arguments["args"][:2])) + given.arguments["args"][2:]
        return getattr(t.nn, cls.__name__)(*[self.on(t, a) for a in given.args[1:]],
                                                **{k: self.on(t, v) for k, v in given.kwargs.items()})

    def on(self, t, value, requires_grad=False):
        """An argument in the namespace ``t``."""
        if is_tensor(value):
            made = t.from_numpy(self.arrays[id(value)].copy() if id(value) in self.arrays else value.detach().numpy().copy())
            return made.requires_grad_() if requires_grad and made.dtype.is_floating_point else made
        if isinstance(value, (list, tuple)):
            return type(value)([self.on(t, item, requires_grad) for item in value])
        if isinstance(value, modules.Module):
            return self.made_like(t, type(value), *self.all_made[id(value)][1:])
        if callable(value) and getattr(value, "__module__", "").startswith("leafward"):
            return getattr(t.nn.functional, value.__name__, None) or getattr(t, value.__name__)
        return value

    def arguments(self, t, requires_grad):
        """What the layer is called with; the first input wants a gradient, the others may be targets."""
        args, kwargs = self.called
        return ([self.on(t, a, requires_grad and k == 0) for k, a in enumerate(args)],
                {name: self.on(t, value) for name, value in kwargs.items()})


class LayerProblem(Problem):
    """A layer that is called; its parameters want gradients in every mode."""

    def __init__(self, grown):
        super().__init__(grown.arguments, grown.layer)

    def leaves(self, names):
        parameters = [p for p in names["f"].parameters() if p.requires_grad]
        return [*parameters, *super().leaves({k: v for k, v in names.items() if k != "f"})]


@functools.cache
def found_choice(cls):
    """What grows so that PyTorch's layer takes it; and its example."""
    captured = example(cls)
    args, kwargs = captured[1][1]
    shapes = [tuple(x.shape) for x in flat(args)[0] + flat(list(kwargs.values()))[0]]
    rank = len(max(shapes, key=math.prod, default=()))
    refusal = "its docstring's example has no tensor that can grow"
    for features in ("grow, indices too", "grow", "as they are"):
        for how in SHAPES.get(min(rank, 3), ()):
            for others in OTHERS:
                try:
                    for size in ("4x8", "64x64"):
                        grown = Grown(cls, captured, size, how, others, features)
                        args, kwargs = grown.arguments(torch, False)
                        if elements(args) + elements(list(kwargs.values())) < math.prod(SIZES[size]) / 4:
                            raise CannotBeTimed("its inputs do not grow")
                        made = elements(grown.layer(torch)(*args, **kwargs))
                        if made > OUTPUT_LIMIT * max(math.prod(SIZES[size]), elements(args)):
                            raise CannotBeTimed(f"its result is {made} elements large for {size}")
                except Exception as error:  # noqa: BLE001  the next variant may be taken
                    refusal = told(error)
                else:
                    return captured, (how, others, features)
    raise CannotBeTimed(refusal)


def layer_problem(cls, size):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        captured, choice = found_choice(cls)
        return LayerProblem(Grown(cls, captured, size, *choice))


def layer_cases():
    for cls in layer_classes():
        if cls.forward is not modules.Module.forward:
            family = "nn." + cls.__module__.rpartition(".")[2]
            yield Case(family, cls.__name__, "layer", functools.partial(layer_problem, cls))


class OptimizerProblem:
    """``optimizer.step()`` of a few parameters of the size whose gradients are there."""

    def __init__(self, cls, size):
        self.cls = cls
        rng = np.random.default_rng(7)
        self.arrays = [rng.standard_normal(SIZES[size]).astype("float32") for _ in range(2 * PARAMETERS)]

    def timed(self, t, mode):
        parameters = [t.nn.Parameter(t.from_numpy(a.copy())) for a in self.arrays[:PARAMETERS]]
        for parameter, gradient in zip(parameters, self.arrays[PARAMETERS:]):
            parameter.grad = t.from_numpy(gradient.copy())
        step = getattr(t.optim, self.cls.__name__)(parameters, lr=1e-3).step
        try:
            step()
        except TypeError:
            raise CannotBeTimed("its step calls the user's program") from None
        return Timed("step()", {"step": step}, contextlib.nullcontext)


def optimizer_cases():
    for name in leafward.optim.__all__:
        cls = getattr(leafward.optim, name)
        if inspect.isclass(cls) and cls is not leafward.optim.Optimizer:
            yield Case("optim", name, "optimizer", functools.partial(OptimizerProblem, cls), modes=("plain",))
