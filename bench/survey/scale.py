"""Samples grown to a size: a few rules about shapes, none about ops.

The largest input gets the size: ``3 4`` becomes rows x columns, a vector as many elements, and of ``2 3 5 5`` all
dims but the first grow by one factor. The other inputs follow: an extent that the largest input has too grows as it
does there, a multiple of one as its multiple, any other in proportion. Where PyTorch does not take the result, or it
is far larger than the input, the next variant is tried: fewer indices, indices as they are, numbers among the options
that grow as well, dims that stay.
"""
import copy
import itertools
import math
import re

import numpy as np

from tests.samples import Sample

#: Options of ops that look through a window: of their weights only the channels grow.
WINDOWS = {"kernel_size", "stride", "padding", "dilation"}
#: Options that say how large a result is.
SIZE_NAMES = {"size", "shape", "sizes"}
#: Options that count dims, or say how something is done: never grown.
DIMS = re.compile(r"dim|axis|axes|ord|^p$|correction|groups|num_layers|source|destination|^k$|^n$")

#: How the largest input grows, by its rank (from 3 on alike).
SHAPES = {1: ("as long as all elements", "as long as a row"),
          2: ("rows x columns", "by one factor", "last dim stays", "first dim stays"),
          3: ("all but the first dim", "all but the first and the last dim")}
OTHERS = "in proportion", "a row of indices", "as they are"
OPTIONS = "sizes grow", "as they are", "numbers grow"


def grown(shape, rows, columns, how):
    """The shape of the largest input at a size; nothing becomes smaller than in the sample."""
    if len(shape) == 1:
        free, new = (0,), (columns if how == "as long as a row" else rows * columns,)
    elif how == "rows x columns":
        side = math.isqrt(rows * columns)
        new = (side, side) if shape[0] == shape[1] else (rows, columns) if 1 not in shape else 2 * (rows * columns,)
        free = (0, 1)
    else:
        stay = {"last dim stays": (1,), "first dim stays": (0,), "all but the first dim": (0,),
                "all but the first and the last dim": (0, len(shape) - 1)}.get(how, ())
        free = [k for k, length in enumerate(shape) if k not in stay and length > 1]
        factor = (rows * columns / math.prod(shape)) ** (1 / max(len(free), 1))
        new = [length * max(1, round(factor)) for length in shape]
    return tuple(max(old, new[k]) if k in free and old > 1 else old for k, old in enumerate(shape))


class Growth:
    """How extents grow when the largest input does."""

    def __init__(self, shape, rows, columns, how, others, windowed):
        self.old, self.new = shape, grown(shape, rows, columns, how)
        self.rows, self.others, self.windowed = rows, others, windowed
        self.extents = dict(zip(self.old, self.new))        # of equal ones the last
        self.by_one_factor = how == "by one factor"
        self.factor = max(new / old for old, new in zip(self.old, self.new))

    def extent(self, old, at):
        """What an extent of another input becomes; ``at`` counts from the end."""
        if at < len(self.old) and self.old[-1 - at] == old:
            return self.new[-1 - at]
        if old in self.extents or old == 1:
            return self.extents.get(old, 1)
        multiples = [known for known in self.extents if known > 1 and old % known == 0 and self.extents[known] > known]
        if multiples and len(self.old) > 1:
            self.extents[old] = old // max(multiples) * self.extents[max(multiples)]
        elif self.others == "as they are":
            return old
        elif len(self.old) == 2 and at < 2 and not self.by_one_factor:
            self.extents[old] = max(old, round(old * self.new[-1 - at] / self.old[-1 - at]))
        else:
            self.extents[old] = round(old * self.factor)
        return self.extents[old]

    def shape(self, shape, indices=False):
        """The shape of an input."""
        if indices and self.others == "a row of indices" and not set(shape) <= {*self.extents, 1}:
            return (*shape[:-1], max(shape[-1], self.rows // math.prod(shape[:-1])))
        if (len(shape) in (1, len(self.old)) and shape != self.old and math.prod(shape) == math.prod(self.old)
                and not set(shape) <= {*self.extents, 1}):
            return (*shape[:-1], math.prod(self.new) // math.prod(shape[:-1]))       # the same elements in another shape
        stays = range(2, len(shape)) if self.windowed and shape != self.old and len(shape) > 2 else ()
        return tuple(old if k in stays else self.extent(old, len(shape) - 1 - k) for k, old in enumerate(shape))

    def spec(self, spec):
        """An input of a sample, grown."""
        new = copy.copy(spec)
        if spec.kind == "list":
            new.items = [self.spec(item) for item in spec.items]
        elif spec.shape is not None:
            indices = spec.kind.startswith("int")
            new.shape = self.shape(spec.shape, indices)
            if indices:
                bound = int(spec.kind[3:])
                new.kind = f"int{self.extents.get(bound, bound)}"
            elif spec.kind == "values":
                new.values = np.resize(spec.values, new.shape).tolist()
        return new

    def number(self, value):
        """A number among the options: an extent, or a multiple of one."""
        return self.extent(value, len(self.old)) if type(value) is int and value > 1 else value

    def sizes(self, value):
        """Sizes among the options: ``(4, 3)`` beside ``3 4``, ``(12,)``, or what is as large in any other way."""
        if isinstance(value, int):
            return math.prod(self.new) if value == math.prod(self.old) else self.number(value)
        if all(length in (*self.extents, 1, -1) for length in value) or math.prod(value) != math.prod(self.old):
            return type(value)(map(self.number, value))
        return type(value)((*value[:-1], math.prod(self.new) // math.prod(value[:-1])))


class Scaled(Sample):
    """A sample at a size."""

    def __init__(self, sample, growth, options):
        super().__init__(sample.op, sample.text, sample.at)
        self.original = sample
        self.growth, self.grown_options = growth, options
        self.specs = [growth.spec(spec) for spec in sample.specs]

    def options(self, t):
        given = super().options(t)
        for name, value in given.items():
            several = isinstance(value, (list, tuple)) and value and all(type(item) is int for item in value)
            if not (several or type(value) is int) or DIMS.search(name):
                continue
            if self.grown_options == "sizes grow" and name in SIZE_NAMES | {self.op_varargs()}:
                given[name] = self.growth.sizes(value)
            elif self.grown_options == "numbers grow":
                given[name] = self.growth.sizes(value) if several else self.growth.number(value)
        return given

    def op_varargs(self):
        return getattr(self.op, "varargs", None)

    @property
    def constants(self):
        return self.original.constants


def tensors_of(specs):
    for spec in specs:
        yield from tensors_of(spec.items) if spec.kind == "list" else [spec] if spec.shape is not None else []


def choices(sample):
    """The ways in which a sample might grow, the best first; none where nothing in it can."""
    largest = largest_shape(sample)
    if math.prod(largest) < 2:
        return []
    return list(itertools.product(SHAPES[min(len(largest), 3)], OTHERS, OPTIONS))


def largest_shape(sample):
    """Of the inputs; where there is none, the largest number among the options stands for a length."""
    shapes = [spec.shape for spec in tensors_of(sample.specs)]
    if shapes:
        return max(shapes, key=math.prod)
    numbers = [value for value in sample.options(np).values() if type(value) is int and value > 1]
    return (max(numbers),) if numbers else ()


def scaled(sample, choice, rows, columns):
    """The sample at a size."""
    how, others, options = choice
    windowed = bool(WINDOWS & {parameter.name for parameter in sample.parameters})
    return Scaled(sample, Growth(largest_shape(sample), rows, columns, how, others, windowed), options)
