"""Each compiled kernel computes what the forward or the rule does that names it, on samples, on shapes and at edges."""
import itertools

import numpy as np
import pytest

import leafward
from leafward.arrays import cpu
from leafward.core.op import Op
from leafward.core.runtime import runtime
from leafward.tensor.indexing import take_apart
from tests.kernels.matrices import NEAR, matrices
from tests.samples import declared_ops, samples_of

#: What names a kernel: an op for its forward, or an op and the input that a rule serves. Uncompiled there is none.
USES = [(op, served) for op in declared_ops() if isinstance(op, Op) and runtime.kernels
        for served in [*([None] if op.kernel_name else []), *[name for name, rule in op.rules.items() if rule.kernel]]]
#: How many units in the last place apart the two may be, by kernel: arithmetic is the same bit by bit, functions of C's library
#: and of NumPy's vector loops are each within a few units of the truth.
ULP = {"exp": 3, "log": 3, "tanh": 5, "sigmoid": 5, "sin": 3, "cos": 3, "sigmoid_grad": 3, "tanh_grad": 3}
#: Those for arrays of any size are compared with what the declaration computes in a higher precision.
ROWS = {name for name, kernel in runtime.kernels.items() if kernel.__module__.rpartition(".")[2].startswith("rows_")}
#: Of these the steps are the declaration's, one by one, or the elements are moved.
RUNNING = {name for name in ROWS if name.startswith(("running_", "pad_"))}
#: These give the declaration's own bits.
EXACT = RUNNING - {"running_logarithm"}
#: Whose declaration takes no type that PyTorch does not have.
OF_OUR_TYPES = {"ctc_losses", "ctc_losses_grad", "edges_around"}
#: Sums run in another order: their units are those of the summands' sizes, one for each summand.
PRODUCTS = ("product", "product_turned", "product_with_turned", "affine", "added_product")
EDGES = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 87.0, -87.0, 0.5]
LARGE = [(1000,), (40_000,), (70, 3), (5, 130, 3), (2, 3, 65, 9), (40, 1030), (700, 70), (2, 1, 300), (3, 1, 1, 2)]
NORMS = ("normalize", "normalize_with_moments")
#: For norms: the shape of x, `view`, `grid` and `affine`. By rows, by channels, by several channels; rows that are channels.
GROUPS = [((70, 33), (1, 70, 33), (1, 70, 33), (1, 1, 33)), ((3, 1000), (1, 3, 1000), (1, 3, 1000), (1, 1, 1000)),
          ((2000, 12), (1, 2000, 12), (1, 2000, 12), (1, 1, 12)), ((6, 5, 70), (6, 5, 70), (6, 5, 70), (1, 5, 1)),
          ((300, 70), (300, 70, 1), (300, 70, 1), (1, 70, 1)), ((7, 6, 45), (1, 21, 90), (7, 6, 45), (1, 6, 1)),
          ((40, 24), (1, 80, 12), (40, 24, 1), (1, 24, 1)), ((1, 4, 900), (1, 4, 900), (1, 4, 900), (1, 4, 1))]
SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 4), (0,), (2, 0), (1024,), (32, 32), (1025,)]
FACTORS = [(1, 1, 1), (3, 4, 5), (8, 16, 8), (4, 0, 3), (0, 3, 2), (5, 3, 1), (1, 31, 2), (32, 33, 1)]


def inputs_for(op, dtype):
    """Lists of what the op's forward takes, as arrays, numbers and options."""
    rng = np.random.default_rng(5)
    first = None
    for sample in samples_of(op):
        args, kwargs = sample.make(leafward, dtype)
        given = dict(zip([p.name for p in sample.parameters], args)) | kwargs
        given = {{"input": "x", "other": "y"}.get(name, name): value for name, value in given.items()}
        values = [given.get(name, default) for name, default in zip(op.names, op.defaults)]
        first = first or values
        # A kernel of an elementwise op knows no options.
        if not op.elementwise or all(values[k] == op.defaults[k] for k in op.option_at):
            yield values

    def normal(*shape):
        return (2 * rng.standard_normal(shape)).astype(dtype)
    if op.elementwise:
        count = len(op.inputs)
        edges = np.array(list(itertools.product(EDGES, repeat=count)), dtype)
        edges = [np.ascontiguousarray(column) for column in edges.T]
        for arrays in edges, *[[normal(*shape) for _ in op.inputs] for shape in SHAPES]:
            yield [*arrays, *op.defaults[count:]]
            if count == 2:
                for other in np.array(1.5, dtype), 0.3, 2, True:
                    yield [arrays[0], other, *op.defaults[count:]]
                yield [np.array(-0.5, dtype), arrays[0], *op.defaults[count:]]
    if op.kernel_name in NORMS:
        options = [value for value in values[3:] if not isinstance(value, (tuple, float))]
        for shape, view, grid, affine in GROUPS:
            size = affine[1] * affine[2]
            for x, weight, bias in ((normal(*shape), normal(size), normal(size)), (normal(*shape) + 3, None, None),
                                    (np.asarray(normal(*shape), order="F"), normal(size), None)):
                yield [x, weight, bias, view, grid, affine, 1e-5, *options]
    if op.kernel_name == "nll":
        for shape, reduction, weight in itertools.product(((90, 7), (3, 5, 40), (1, 2)), ("none", "mean", "sum"), (None, 1)):
            target = rng.integers(0, shape[1], (shape[0], *shape[2:]))
            for ignored in -100, 1:
                yield [normal(*shape), target, weight and abs(normal(shape[1])), reduction, ignored]
    if op.kernel_name == "bag_sums":
        for total, rows, width, count in (40, 9, 5, 6), (0, 3, 2, 4), (300, 50, 100, 90), (70, 4, 600, 3), (9, 9, 0, 2):
            indices = rng.integers(0, rows, total)
            bags = np.sort(rng.integers(0, count, total))
            for factors, sizes in (None, None), (normal(total), None), (None, abs(normal(count)).astype("float32") + 1):
                yield [normal(rows, width), factors, sizes, indices, bags.astype("int32"), count, False]
                turned, spread = np.asarray(normal(rows, width), order="F"), np.repeat(indices, 2)[::2]
                yield [turned, factors, sizes, spread, bags, count, False]
    if op.kernel_name in ("rows_of_table", "table_of_rows"):
        for total, rows, width in (40, 9, 5), (300, 70, 300), (6, 3, 700), (9, 9, 1), (90, 64, 256):
            given = [normal(rows, width), rng.integers(0, rows, total), -1, False]
            yield given if op.kernel_name == "rows_of_table" else [normal(total, width), given[1], rows, -1, False]
    if op.kernel_name == "bag_maxima":
        for total, rows, width, count in (40, 9, 5, 6), (300, 50, 100, 90), (70, 4, 600, 3), (0, 3, 2, 4):
            weight, bags = np.round(normal(rows, width)), np.sort(rng.integers(0, count, total))
            weight[0], weight[-1, :2] = np.nan, -np.inf
            yield from ([w, rng.integers(0, rows, total), bags, count] for w in (weight, np.asarray(weight, order="F")))
    if op.kernel_name in ("lower_triangle", "upper_triangle"):
        shapes = (3, 4), (50, 3), (5, 700), (2, 1, 90, 200), (300, 300)
        for shape, diagonal in itertools.product(shapes, (0, 1, -2, 400, -400)):
            yield from ([x, diagonal] for x in (normal(*shape), np.asarray(normal(*shape), order="F")))
    if op.kernel_name in ROWS and "dim" in op.options:
        for shape in LARGE:
            x = normal(*shape)
            if op.kernel_name == "product_along":           # neither too large for float32 nor too small
                x = np.exp(x / 200)
            whole = [] if "softmax" in op.name or op.kernel_name in RUNNING else [None]
            for dim in (*whole, *range(-1, len(shape) - 1)):
                for laid_out in x, np.asarray(x, order="F"), np.repeat(x, 2, -1)[..., ::-2]:
                    yield [{"x": laid_out, "dim": dim}.get(name, value) for name, value in zip(op.names, first)]
    if op.kernel_name in ROWS and len(op.names) == 1:
        for shape in LARGE:
            for x in normal(*shape), np.asarray(normal(*shape), order="F"):
                yield [x]
                x.flat[-1] = np.nan
                yield [x]
    if op.kernel_name == "label_margin_loss":
        for shape, reduction in itertools.product(((5, 7), (1, 3), (40,)), ("none", "mean", "sum")):
            yield [normal(*shape), rng.integers(-1, shape[-1], shape), reduction]
    if op.kernel_name == "class_margin_loss":
        for shape, reduction, power in itertools.product(((5, 7), (1, 3), (90, 300)), ("none", "mean", "sum"), (1, 2)):
            target = rng.integers(0, shape[1], shape[0])
            for weight in None, abs(normal(shape[1])):
                yield from ([x, target, weight, power, margin, reduction] for margin in (1.0, 0.25)
                            for x in (normal(*shape), np.asarray(normal(*shape), order="F")))
    if op.kernel_name == "counts_of_numbers":
        for n, largest in (9, 3), (500, 40), (1, 1):
            numbers = rng.integers(0, largest, 2 * n)
            yield from ([numbers[::2], weights, least] for weights in (None, normal(n)) for least in (0, 50))
    if op.kernel_name == "counts_in_bins":
        for x in normal(40), normal(30, 50).T, np.ones((3,), dtype):
            yield from ([x, bins, low, high] for bins in (1, 7, 100) for low, high in ((0, 0), (-1, 2.5), (-9, -8)))
    if op.kernel_name in ("true_rows", "chosen_by_mask"):
        for shape in (7,), (8,), (100,), (3, 4, 5), (60, 50), (2, 0), (1, 1, 9):
            for share in 0, 0.05, 0.5, 1:
                mask, x = rng.random(shape) < share, normal(*shape)
                yield from ([mask], [mask.T], [x * mask]) if len(op.inputs) == 1 else (
                    [x, mask], [x.T, mask.T], [x[::-1], mask])
    if op.kernel_name in ("filled_by_mask", "put_by_mask", "all_are_equal"):
        for shape in (), (7,), (100,), (3, 4, 5), (60, 50), (2, 0), (1, 1, 9):
            for share in 0, 0.05, 0.5, 1:
                mask, x, y = rng.random(shape) < share, normal(*shape), normal(*shape, 2)
                if op.kernel_name == "all_are_equal":
                    yield from ([x, z] for z in (x, x.copy(), np.where(mask, -1, x).astype(dtype), x * np.nan))
                    yield [x > 0, (x > 0) ^ mask]
                    yield [x.astype("int16"), x.astype("int16") + mask.astype("int16")]
                else:
                    others = [y] if op.kernel_name == "put_by_mask" else [-np.inf, 3, np.asarray(y.sum()).astype(dtype)]
                    pairs = (x, mask), (x.T, mask.T), (x[::-1] if shape else x, mask)
                    yield from ([z, m, other] for other in others for z, m in pairs)
    if op.kernel_name in ("gather_elements", "put_elements", "add_elements", "reduce_elements"):
        for shape, dim, count in ((9,), 0, 30), ((4, 6), 1, 3), ((4, 6), -2, 9), ((3, 70, 5), 1, 200), ((300, 90), 0, 400):
            places = list(shape)
            places[dim] = count
            index, src = rng.integers(0, shape[dim], places), normal(*places)
            for x in normal(*shape), np.asarray(normal(*shape), order="F"):
                for places in index, index.astype("int32"), np.asarray(index, order="F"), np.where(index == 3, -1, index):
                    given = {"x": x, "dim": dim, "index": places, "src": src, "reduce": first[op.names.index("reduce")]
                             if op.kernel_name == "reduce_elements" else None}
                    if places.min() >= 0:
                        yield [given.get(name, default) for name, default in zip(op.names, op.defaults)]
                        for way in ("prod", "amax", "amin") if op.kernel_name == "reduce_elements" else ():
                            yield [{**given, "reduce": way}.get(name, default) for name, default in zip(op.names, op.defaults)]
                        for number in (2, -0.5, np.inf) if op.kernel_name == "put_elements" else ():
                            yield from ([x, dim, places, number, None, way] for way in (None, "add"))
                    else:
                        assert op.kernel(*[v for name in op.names if (v := given.get(name)) is not None]) is None, "outside"
    if op.kernel_name == "pad_with":
        for shape, pad in (((5,), (2, 1)), ((3, 4), (0, 2)), ((3, 4), (1, 0, 2, 3)), ((2, 3, 4), (0, 0, 1, 2, 3, 0)),
                           ((0, 3), (1, 1)), ((3, 4), (-1, 2, 1, -2)), ((3, 4), (-2, -2)), ((2, 5), (3, -5, -2, 1)),
                           ((40, 30, 50), (2, 0, -1, 4))):
            yield from ([normal(*shape), pad, number] for number in (0, -0.0, 1.5, -np.inf, 3))
    if op.kernel_name in ("pad_from_places", "add_at_shown_places"):
        for shape, widths in (((5,), [(2, 1)]), ((3, 4), [(0, 3)]), ((2, 3, 4), [(2, 1), (0, 2)]), ((3, 4), [(2, -3)]),
                              ((2, 4, 5, 6), [(1, 2), (0, 0), (3, 1)]), ((2, 5, 5), [(-2, 4), (3, -1)]), ((0, 3), [(1, 1)]),
                              ((2, 200), [(150, 90)]), ((40, 30, 50), [(5, 2), (1, 9)])):
            longer = (*shape[:-len(widths)], *[n + sum(w) for n, w in zip(shape[-len(widths):], widths)])
            for mode in "reflect", "replicate", "circular":
                forward = op.kernel_name == "pad_from_places"
                yield [normal(*shape), mode, widths] if forward else [normal(*longer), shape, mode, widths]
    if op.kernel_name in ("distances_of_rows", "distances_of_pairs"):
        for n, m, d in (2, 1, 3), (1, 2, 1), (9, 5, 300), (40, 70, 33), (3, 2, 1000), (0, 3, 2), (130, 150, 7):
            for power in 1, 2.0, np.inf:
                # Of few digits, so that differences are exact: some are as far apart as others.
                x, y, *many = [np.round(8 * normal(*shape)) / 8 for shape in ((n, d), (m, d), (2, n, d), (2, m, d))]
                y[:1] = x[:1] if n else 0                   # at one place
                if n > 1 and m > 1:
                    x[1], y[1] = np.nan, np.inf
                yield from ([v, power] for v in (x, np.asarray(x, order="F"))) if len(op.inputs) == 1 else (
                    [x, y, power, False], [*many, power, False], [np.asarray(x, order="F"), y[::-1], power, False])
    if op.kernel_name == "ctc_losses":
        for steps, n, classes, longest in ((7, 3, 5, 3), (1, 2, 4, 1), (60, 9, 30, 20), (5, 4, 3, 0), (40, 2, 1100, 10),
                                           (3, 1, 4, 4)):
            x = normal(steps, n, classes)
            x -= np.log(np.exp(x).sum(2, keepdims=True))
            targets, lengths = rng.integers(1, classes, (n, longest)), tuple(rng.integers(0, longest + 1, n).tolist())
            for infinite in False, True:
                yield [x, targets, (steps,) * n, lengths, 0, infinite]
                yield [np.asarray(x, order="F"), targets, tuple(rng.integers(0, steps + 1, n).tolist()), lengths, 0, infinite]
    if op.kernel_name == "reduce_slices":
        for shape, dim, count in ((9,), 0, 30), ((4, 6), 1, 3), ((40, 60), -2, 90), ((3, 70, 5), 1, 200):
            sizes, index = list(shape), rng.integers(0, shape[dim] - 1, count)
            sizes[dim] = count
            for way, included in itertools.product(("prod", "mean", "amax", "amin"), (True, False)):
                for x, src in (normal(*shape), normal(*sizes)), (np.asarray(normal(*shape), order="F"), normal(*sizes[::-1]).T):
                    yield [x, dim, index, src, way, included]
                    yield [(9 * x).astype("int32"), dim, index.astype("int32"), (9 * src).astype("int32"), way, included]
    if op.kernel_name == "fill_slices":
        for shape, dim in ((9,), 0), ((4, 6), -1), ((3, 70, 5), 1), ((40, 30), 0), ((3, 2000), 0):
            index = rng.integers(0, shape[dim], 3)
            yield from ([x, dim, index, value] for x in (normal(*shape), normal(*shape)) for value in (0, 2.5, -np.inf))
            assert all(op.kernel(normal(*shape), dim, index + far, 1) is None for far in (-90, 90))
    if op.kernel_name in ("joined", "stacked"):
        for shape, dim in ((9,), 0), ((4, 6), -1), ((4, 6), 0), ((3, 70, 5), 1), ((3, 4, 5), 2), ((6000,), -1):
            yield from ([[normal(*shape) for _ in range(count)], dim] for count in (1, 2, 5))
            yield [[normal(*shape).astype("int32"), normal(*shape).astype("int32")], dim]
        assert op.kernel([normal(3, 4), normal(4, 3)], 0) is None and op.kernel([normal(3), normal(3)], 2) is None
        assert op.kernel([normal(3), normal(3).astype("int32")], 0) is None
    if op.kernel_name == "joined":
        yield from ([[normal(2, n, 5) for n in sizes], 1] for sizes in ((1, 2, 3), (40, 1)))
    if op.kernel_name == "stacked":
        yield from ([[np.array(normal()), np.array(normal())], dim] for dim in (0, -1))
    if op.kernel_name == "one_at_number":
        for shape in (), (1,), (7,), (3, 4), (90, 2):
            x = rng.integers(0, 5, shape)
            yield from ([x, count] for count in (-1, 5, 9))
            assert op.kernel(x, 0) is None and op.kernel(x - 9, 9) is None and op.kernel(x - 9, -1) is None
    if op.kernel_name == "runs_of_equals":
        for shape in (1,), (7,), (30, 4):
            x = rng.integers(0, 2, shape)
            for kind in "?bhilqfd" + np.dtype(dtype).char:
                yield from ([v.astype(kind), None] for v in (x, x.T, np.repeat(x, 2)))
            yield [np.where(x == 1, np.nan, x).astype(dtype), None]
    if op.kernel_name in ("taken", "put_flat"):
        for shape, places in ((9,), (3,)), ((4, 6), (2, 5)), ((3, 70, 5), (200,)):
            x, index, src = normal(*shape), rng.integers(-9, 9, places), normal(*places)
            whole = (9 * x).astype("int64"), index, (9 * src).astype("int64"), True
            yield from ([x, index], [x.T.copy().T, index]) if op.kernel_name == "taken" else (
                [x, index, src, False], [x, index, src, True], [*whole])
            assert op.kernel(*[x, index + 2000, src][:len(op.inputs)]) is None
    if op.kernel_name == "put_places":
        for shape, at, values in ((9,), (0,), (20,)), ((4, 6), (0,), (20, 6)), ((3, 70, 5), (0, 2), (20, 70)):
            indices = [rng.integers(-shape[d], shape[d], 20) for d in at]
            yield normal(*shape), indices, np.asarray(normal(*values)), at, True
            yield normal(*shape), [rng.permutation(shape[at[0]])[:1]] * len(at), np.asarray(normal()), at, False
    if op.kernel_name in ("picked_slices", "copied_slices", "added_slices"):
        for shape, dim, count in ((9,), 0, 30), ((4, 6), -1, 3), ((40, 60), -2, 90), ((3, 70, 5), 1, 200):
            sizes, index = list(shape), rng.integers(0, shape[dim], count)
            sizes[dim] = count
            for kind in dtype, "int32":
                x, src = (9 * normal(*shape)).astype(kind), (9 * normal(*sizes)).astype(kind)
                given = {"x": x, "dim": dim, "index": index, "source": src}
                yield [given.get(name, default) for name, default in zip(op.names, op.defaults)]
                assert op.kernel(*[{**given, "index": index - 90}[name] for name in op.names if name in given]) is None
    if op.kernel_name == "renormalized":
        for shape, dim, power in itertools.product(((4, 6), (70, 33), (9, 300)), (0, 1, -1), (1, 2)):
            yield from ([normal(*shape), power, dim, limit] for limit in (1e-3, 2.5, 1e9, 0))
    if op.kernel_name == "among":
        for count, sought in (40, 3), (7, 1), (300, 90):
            x, y = np.round(normal(count)), np.round(normal(sought))
            yield from ([z, y, False, invert] for z in (x, np.where(x == 1, np.nan, x)) for invert in (False, True))
    if op.kernel_name in ("repeated", "flipped"):
        for shape in (7,), (3, 4), (2, 90, 33), (0, 3):
            for x in normal(*shape), (9 * normal(*shape)).astype("int16"):
                yield [x, (2,) * x.ndim if op.kernel_name == "repeated" else tuple(range(x.ndim))]
    if op.kernel_name == "places_in_sorted":
        for count, sought in (40, 3), (7, 100), (1, 9), (300, 4):
            x, y = np.sort(np.round(normal(count))), np.round(normal(sought))
            yield from ([x, y, None, right, False] for right in (True, False))
    if op.kernel_name == "edges_around":
        yield from ([x, bins, 0] for x in (normal(40), np.ones(3, dtype), normal(5, 90)) for bins in (1, 7, 100))
    if op.kernel_name == "repeated_numbers":
        yield from ([counts] for counts in (rng.integers(0, 5, 40), np.array([0]), np.array([0, 7, 0]), np.zeros(3, "int64"),
                                            np.arange(300)))
        assert op.kernel(np.array([1, -1])) is None
    if op.kernel_name == "rolled":
        for shape in (7,), (3, 4), (5, 1, 30):
            for shift in 0, 1, -2, 100:
                yield from ([normal(*shape), given, dims] for given in (shift, (shift,)) for dims in ((), 0, (-1,)))
    if op.kernel_name == "counts_of_points":
        for n, bins in (40, (3, 4)), (500, (7,)), (0, (2,)), (90, (5, 1, 6)):
            points = normal(n, len(bins))
            points[:1] = np.nan
            edges = [np.linspace(-2, 2, k + 1).astype(dtype) for k in bins]
            points[n // 2:] = np.round(points[n // 2:])
            uneven = [np.sort(np.round(4 * edge * rng.random(len(edge)).astype(dtype)) / 4) for edge in edges]
            for given, weight in itertools.product((edges, uneven), (None, normal(n))):
                yield from ([points, given, weight], [np.asarray(points, order="F"), given, weight])
    yield from matrices(op, normal)
    if op.writes is not None:
        for shape in SHAPES:
            x, number = np.array(normal(*shape)), -3 if shape else 1e30
            given = {"x": x, "src": np.array(normal(*shape)), "value": number}
            values = [given.get(name, default) for name, default in zip(op.names, op.defaults)]
            yield from (values, [v.T if isinstance(v, np.ndarray) else v for v in values])
    for n, k, m in FACTORS:
        if op.name == "mm":
            yield [normal(n, k), normal(k, m)]
        if op.kernel_name == "added_product":
            shapes = {"addmm": ((n, m), (n, k), (k, m)), "baddbmm": ((2, n, m), (2, n, k), (2, k, m))}[op.name]
            for beta, alpha in ((1, 1), (0.5, 2)):
                yield [*[normal(*shape) for shape in shapes], beta, alpha]
        if op.name == "trace":
            yield from ([normal(n, k)], [normal(k, n).T])
        if op.name == "linalg_cross":
            yield [normal(n, 3, k), normal(n, 3, k), 1]
        if op.name == "linear":
            yield from ([normal(n, k), normal(m, k), bias] for bias in (None, normal(m)))
        if op.name == "view":
            yield from ([normal(n, k, m), size, None] for size in ((n * k, m), (m, n, k), (n, k, m, 1), (n * k * m,)))


def as_arrays(values):
    return [v.numpy() if isinstance(v, leafward.Tensor) else as_arrays(v) if isinstance(v, list) else v for v in values]


def answers(op, served, values):
    """``(what the kernel is given, what it answers, what the declaration computes)``."""
    named = dict(zip(op.names, values))
    if served is None:
        operands = [v for v, name in zip(values, op.names) if name in op.inputs or not op.elementwise]
        copies = [v.copy(order="K") if isinstance(v, np.ndarray) and op.writes is not None else v for v in operands]
        given = op.kernel(*copies)
        return operands, given, None if given is None else op.forward(cpu, **precise(named, op.kernel_name))
    rule = op.rules[served]
    out = op.forward(cpu, **named)
    results = out if op.outputs or op.residuals else (out,)
    named |= dict(zip([*(op.outputs or ("out",)), *op.residuals], results), xp=cpu)
    for name, result in zip(op.outputs or ("out",), results):
        g = np.random.default_rng(6).standard_normal(result.shape).astype(result.dtype)
        named |= {f"g_{name}": g, "g": g}
    operands = [named[name] for name in rule.asks if name != "xp"]
    given, named = runtime.kernels[rule.kernel](*operands), precise(named, rule.kernel)
    return operands, given, None if given is None else rule.function(*[named[name] for name in rule.asks])


def precise(named, kernel):
    """What a row kernel is compared with is computed with more digits, where NumPy has more."""
    if kernel not in ROWS - EXACT:
        return named
    most = "float64" if kernel in OF_OUR_TYPES else "longdouble"
    return {name: v.astype("float64" if v.dtype == "float32" else most) if is_floating(v) else v for name, v in named.items()}


def is_floating(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def assert_close(given, expected, operands, case):
    """Each of the results within some units in the last place of itself, or of the largest number that went in."""
    if isinstance(expected, tuple):
        assert len(given) == len(expected), case
        for one, other in zip(given, expected):
            assert_close(one, other, operands, case)
        return
    if expected is None:
        assert given is None, case
        return
    assert type(given) is np.ndarray and given.shape == expected.shape, case
    if given.dtype.kind != "f":
        assert given.dtype == expected.dtype and np.array_equal(given, expected), case
        return
    if case[0] == "product_along":                          # each product rounds: by chance up as often as down
        operands, eps = operands[:1], np.finfo(given.dtype).eps * 2 * (operands[0].size / max(given.size, 1))**0.5
        assert np.all((np.abs(given - expected) <= (16 * np.finfo(given.dtype).eps + eps) * np.abs(expected))), case
        return
    every = [part for v in operands for part in (v if isinstance(v, list) else [v])]
    numbers = np.concatenate([np.abs(v[np.isfinite(v)]).ravel() for v in every if is_floating(v)])
    largest = min(numbers.max(initial=0), 100)
    units = 1000 if case[0] in OF_OUR_TYPES and given.dtype == "float64" else 16        # the declaration's own logarithms
    with np.errstate(invalid="ignore"):
        within = np.abs(given - expected) <= units * np.finfo(given.dtype).eps * (np.abs(expected) + largest)
    same = (given == expected) | (np.isnan(given) & np.isnan(expected)) | within
    assert same.all(), f"{case}: {given[~same][0]} instead of {expected[~same][0]}, for {operands}"


def assert_within(given, expected, operands, name, case):
    assert type(given) is np.ndarray and given.dtype == expected.dtype, case
    assert given.shape == expected.shape and (name != "view" or given.strides == expected.strides), case
    if given.dtype == bool:
        assert np.array_equal(given, expected), case
        return
    spacing = np.spacing(np.abs(np.where(np.isfinite(expected), expected, 1)))
    if name == "added_product":
        x, left, right, beta, alpha = [np.abs(value).astype("float64") for value in operands]
        bound = (left.shape[-1] + 3) * np.finfo(given.dtype).eps * (beta * x + alpha * (left @ right))
    elif name == "sum_of_diagonal":
        bound = 16 * np.finfo(given.dtype).eps * np.abs(np.diagonal(operands[0])).sum()
    elif name in PRODUCTS:
        x, y = (np.abs(a).astype("float64") for a in operands[:2])
        x, y = x.T if name == "product_turned" else x, y.T if name in ("product_with_turned", "affine") else y
        sizes = x @ y if len(operands) < 3 or operands[2] is None else x @ y + np.abs(operands[2])
        bound = (x.shape[1] + 1) * np.finfo(given.dtype).eps * sizes
    else:
        # Below the smallest normal number functions lose their digits in other places: sigmoid(-90.) is 8e-40, or 1 / inf.
        bound = ULP[name] * spacing + np.finfo(given.dtype).tiny if name in ULP else 0
    with np.errstate(invalid="ignore"):
        same = (given == expected) | (np.isnan(given) & np.isnan(expected)) | (np.abs(given - expected) <= bound)
    assert same.all(), f"{case}: {given[~same][0]} instead of {expected[~same][0]}, for {[a for a in operands]}"
    if name not in ULP and name not in PRODUCTS and name != "sum_of_diagonal":
        assert np.all((np.signbit(given) == np.signbit(expected)) | np.isnan(given)), f"{case}: another sign of zero"


if runtime.kernels:
    @pytest.mark.parametrize("dtype", ("float32", "float64"))
    @pytest.mark.parametrize(("op", "served"), USES, ids=[f"{op.name}-{served or 'forward'}" for op, served in USES])
    def test_kernel_is_forward(op, served, dtype):
        name = op.kernel_name if served is None else op.rules[served].kernel
        answered = 0
        for values in inputs_for(op, dtype):
            with np.errstate(all="ignore"):
                operands, given, expected = answers(op, served, as_arrays(values))
            if given is not None:
                answered += 1
                case = [getattr(v, "shape", v) for v in operands]
                if name in EXACT or isinstance(given, tuple) and name not in ROWS:
                    for one, other in zip(*[v if isinstance(v, tuple) else (v,) for v in (given, expected)], strict=True):
                        assert one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True), case
                elif name in ROWS or name in NEAR:
                    assert_close(given, expected, operands, [name, *case])
                else:
                    assert_within(given, expected, operands, name, case)
        assert answered >= 5, f"the kernel {name!r} answers None to everything but {answered}: it does not serve {op.name}"

    @pytest.mark.parametrize("dtype", ("float32", "float64"))
    def test_kernels_of_the_engine(dtype):
        """Sums over leading dims, and the sum of two gradients, in place or not."""
        rng = np.random.default_rng(7)
        for shape, to in ((3, 4), (4,)), ((2, 3, 4), (4,)), ((2, 3, 4), (3, 4)), ((5,), ()), ((0, 3), (3,)), ((3, 0), (0,)):
            x = rng.standard_normal(shape).astype(dtype)
            total, axes = runtime.kernels["sum_to"](x, to), tuple(range(len(shape) - len(to)))
            assert total.shape == to and total.dtype == x.dtype
            bound = np.abs(x).sum(axes) * x.size * np.finfo(dtype).eps
            assert np.all(np.abs(total - x.sum(axes, dtype="float64")) <= bound)
        assert runtime.kernels["sum_to"](x, (3, 0)) is None
        for shape in SHAPES[:-1]:
            x, y = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape).astype(dtype)
            expected = x + y
            assert runtime.kernels["add_into"](x, y) is True
            assert np.array_equal(x, expected)
        x = rng.standard_normal(8).astype(dtype)
        assert runtime.kernels["add_into"](x[1:], x[:-1]) is None, "they share memory"

    @pytest.mark.parametrize(("op", "served"), [use for use in USES if (use[0].kernel_name if use[1] is None else
                                                use[0].rules[use[1]].kernel) in ROWS], ids=lambda v: getattr(v, "name", v))
    def test_threads_change_no_bit(op, served):
        before, seen = leafward.get_num_threads(), []
        try:
            for number in 1, 2, 3:
                leafward.set_num_threads(number)
                with np.errstate(all="ignore"):
                    seen.append([answers(op, served, as_arrays(values))[1] for values in inputs_for(op, "float32")])
        finally:
            leafward.set_num_threads(before)
        for several in zip(*seen):
            one, two, three = (v if isinstance(v, tuple) else (v,) for v in several)
            for a, b, c in zip(one, two, three):
                assert (a is None) == (b is None) == (c is None)
                assert a is None or a.tobytes() == b.tobytes() == c.tobytes()

    def test_every_kernel_is_compared():
        named = {op.kernel_name if served is None else op.rules[served].kernel for op, served in USES}
        of_the_core = {"sum_to", "add_into", "basic_index", "strided", "same_or_apart", "element_strides", "address",
                       "in_order"}
        elsewhere = {name for name, f in runtime.kernels.items() if f.__module__.endswith(".places_entry")} - named
        assert (named | of_the_core) == set(runtime.kernels) - elsewhere, "tests/kernels/places.py compares the others"

    @pytest.mark.parametrize("dtype", ("float32", "bool", "complex128"))
    def test_a_basic_index_is_its_steps(dtype):
        """Shape, strides, place and memory are those that the views of its parts have one after the other."""
        kernel, rng, answered = runtime.kernels["basic_index"], np.random.default_rng(3), 0
        parts = (0, -1, 2, None, slice(None), slice(1, 3), slice(0, None, 2), slice(3, 1), slice(-2, None), slice(9, 20))
        base = np.arange(5 * 6 * 7).astype(dtype).reshape(5, 6, 7)
        for x in base, base.T, base[::2, 1:, ::3], base[:0], base[1, 2], base[1, 2, 3, ...]:
            for _ in range(300):
                index = [parts[k] for k in rng.integers(0, len(parts), rng.integers(0, 5))]
                if rng.random() < 0.3:
                    index.insert(rng.integers(0, len(index) + 1), Ellipsis)
                view = kernel(x, tuple(index))
                tensor = leafward.from_numpy(x)
                try:
                    expected, indices = take_apart(tensor, tuple(index))
                except IndexError:
                    assert view is None, index
                    continue
                answered += 1
                assert not indices and view.shape == expected.shape and view.strides == expected._array.strides, index
                assert view.dtype == x.dtype and np.array_equal(view, expected._array) and view.flags.writeable
                assert not view.size or np.shares_memory(view, base)
        assert answered > 500
        assert kernel(base, ([0],)) is None and kernel(base, (True,)) is None and kernel(base, slice(None, None, -1)) is None
        assert kernel(base, (Ellipsis, Ellipsis)) is None and kernel(base, 5) is None and kernel(base[0], 2**70) is None
        base.flags.writeable = False
        assert not kernel(base, 0).flags.writeable

    def test_what_cannot_be_written_is_left_alone():
        fill, copy, x = runtime.kernels["fill_into"], runtime.kernels["copy_into"], np.zeros((2, 3), "float32")
        assert fill(x, 1e39) is None and fill(x, 2**60 + 1) is None and fill(x, True) is None and fill(x.astype(int), 1) is None
        assert copy(x, np.ones(3, "float32")) is None and copy(x, np.ones((2, 3))) is None
        repeated = np.lib.stride_tricks.as_strided(x, (4, 3), (0, 4))
        assert fill(repeated, 1.0) is None and copy(repeated, np.ones((4, 3), "float32")) is None
        x.flags.writeable = False
        assert fill(x, 1.0) is None and copy(x, np.ones((2, 3), "float32")) is None and not x.any()

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_many_elements_are_written_as_few_are(dtype):
        fill, zero, copy = (runtime.kernels[name] for name in ("fill_into", "zero_into", "copy_into"))
        x, y = np.zeros((300, 250), dtype), np.arange(75_000, dtype=dtype)
        assert fill(x, 2.5) is x and (x == 2.5).all() and zero(x) is x and not x.any()
        assert all(copy(x, given) is x and np.array_equal(x, given) for given in (y.reshape(300, 250), y.reshape(250, 300).T))


def test_kernels_are_there_where_the_core_is_compiled():
    from leafward.core import call
    assert bool(runtime.kernels) == (not call.__file__.endswith(".py"))
