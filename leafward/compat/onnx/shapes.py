"""The part of the namespace that arranges, reduces and makes arrays."""
from leafward import dtypes
from leafward.core.runtime import runtime
from leafward.ops.dims import contiguous_strides
from leafward.compat.onnx.sizes import TracedSize, is_traced, second_of
from leafward.compat.onnx.symbols import FAR, Symbol, Untranslatable, array_of, is_symbolic, second_array_of

#: How ScatterElements calls what values that meet at one place are combined by.
COMBINATIONS = {None: "none", "add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}
REDUCTIONS = {"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin", "prod": "ReduceProd"}


class Shapes:
    """Functions of arrays under the names that ``xp`` has them by."""

    # -- arranging ------------------------------------------------------------------------------------------------------------

    def reshape(self, x, shape):
        shape = tuple(shape)
        empty = {"allowzero": 1} if 0 in [int(n) for n in shape] else {}
        return self.shaped(x, shape, second_of(shape),
                           lambda: self.graph.node("Reshape", [x.name, self.wanted(shape, x)], **empty))

    def wanted(self, shape, x):
        """The shape that Reshape is given: a 0 in it would mean "as it was", and one unknown size follows from the others."""
        traced = [d for d, size in enumerate(shape) if isinstance(size, TracedSize)]
        if len(traced) == 1 and -1 not in shape and 0 not in shape:
            shape = (*shape[:traced[0]], -1, *shape[traced[0] + 1:])
        return self.graph.sizes(shape)

    def shaped(self, x, shape, second, make):
        return Symbol(self, make(), x.array.reshape([int(n) for n in shape]), x.second.reshape(second))

    def in_format_of(self, sources, result):
        return result

    def broadcast_arrays(self, *arrays):
        found = arrays[0]
        for array in arrays[1:]:
            found = self.add(self.zeros_like(found), self.zeros_like(array))
        return [self.broadcast_to(array, found.shape) for array in arrays]

    def expand_dims(self, x, axis):
        axes = [axis] if isinstance(axis, int) else list(axis)
        rank = x.ndim + len(axes)
        axes = [a % rank for a in axes]
        return self.run("expand_dims", lambda array: runtime.xp.expand_dims(array, tuple(axes)), [x],
                        lambda first: self.graph.node("Unsqueeze", [x.name, self.graph.sizes(axes)]))

    def squeeze(self, x, axis=None):
        axes = [d for d in range(x.ndim) if x.array.shape[d] == x.second.shape[d] == 1] if axis is None else \
            [axis] if isinstance(axis, int) else list(axis)
        if not axes:
            return x
        return self.run("squeeze", lambda array: runtime.xp.squeeze(array, tuple(axes)), [x],
                        lambda first: self.graph.node("Squeeze", [x.name, self.graph.sizes([a % x.ndim for a in axes])]))

    def permute_dims(self, x, axes):
        axes = [a % x.ndim for a in axes]
        if axes == sorted(axes):
            return x
        return self.run("permute_dims", lambda array: array.transpose(axes), [x],
                        lambda first: self.graph.node("Transpose", [x.name], perm=axes))

    def swapaxes(self, x, axis1, axis2):
        axes = list(range(x.ndim))
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
        return self.permute_dims(x, axes)

    def matrix_transpose(self, x):
        return self.swapaxes(x, -2, -1)

    def moveaxis(self, x, source, destination):
        order = runtime.xp.moveaxis(runtime.xp.empty(tuple(range(x.ndim)), dtypes.bool), source, destination).shape
        return self.permute_dims(x, order)

    def broadcast_to(self, x, shape):
        shape = tuple(shape)
        if not isinstance(x, Symbol):
            return runtime.xp.broadcast_to(x, shape) if not is_traced(shape) else self.broadcast_to(self.symbol(x, None), shape)
        first, second = [int(n) for n in shape], second_of(shape)
        if list(x.array.shape) == first and x.second.shape == second:
            return x
        return Symbol(self, self.graph.node("Expand", [x.name, self.graph.sizes(shape)]),
                      runtime.xp.broadcast_to(x.array, first), runtime.xp.broadcast_to(x.second, second))

    def concat(self, arrays, axis=0):
        arrays = [self.symbol(a, None) for a in arrays]
        dtype = runtime.xp.result_type(*[a.array for a in arrays])
        arrays = [self.astype(a, dtype) for a in arrays]
        return self.run("concat", lambda *parts: runtime.xp.concat(parts, axis=axis), arrays,
                        lambda first: self.graph.node("Concat", [a.name for a in arrays], axis=axis))

    def stack(self, arrays, axis=0):
        return self.concat([self.expand_dims(self.symbol(a, None), axis) for a in arrays], axis)

    def flip(self, x, axis=None):
        for a in range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis:
            x = self.cut(x, a % x.ndim, -1, -FAR, -1)
        return x

    def roll(self, x, shift, axis=None):
        if axis is None:
            return self.roll(x.reshape(-1), shift, 0).reshape(x.shape)
        shifts, axes = [(v,) if isinstance(v, int) else v for v in (shift, axis)]
        for n, a in zip(shifts, axes, strict=True):
            at = -n % x.shape[a % x.ndim]
            x = self.concat([self.cut(x, a % x.ndim, at, FAR, 1), self.cut(x, a % x.ndim, 0, at, 1)], a % x.ndim)
        return x

    def tile(self, x, repeats):
        rank = max(x.ndim, len(repeats))
        x = self.reshape(x, (*[1] * (rank - x.ndim), *x.shape))
        repeats = (*[1] * (rank - len(repeats)), *repeats)
        return Symbol(self, self.graph.node("Tile", [x.name, self.graph.sizes(repeats)]),
                      runtime.xp.tile(x.array, [int(n) for n in repeats]), runtime.xp.tile(x.second, second_of(repeats)))

    def tril(self, x, k=0):
        return self.triangle("tril", x, k, 0)

    def triu(self, x, k=0):
        return self.triangle("triu", x, k, 1)

    def triangle(self, name, x, k, upper):
        function, whole = getattr(runtime.xp, name), x
        if x.dtype.kind == "b":                             # of bools not all that run ONNX have it
            whole = self.astype(x, dtypes.int64)
        scalar = self.graph.constant(runtime.xp.asarray(int(k), dtypes.int64))
        found = self.run(name, lambda array: function(array, int(k)), [whole],
                         lambda first: self.graph.node("Trilu", [whole.name, scalar], upper=upper))
        return self.astype(found, x.dtype)

    # -- parts ----------------------------------------------------------------------------------------------------------------

    def indexed(self, x, index):
        items = list(index) if isinstance(index, tuple) else [index]
        named = sum(item is not None and item is not Ellipsis for item in items)
        if Ellipsis in [i for i in items if not isinstance(i, Symbol)]:
            at = next(k for k, item in enumerate(items) if item is Ellipsis)
            items[at:at + 1] = [slice(None)] * (x.ndim - named)
        dim = 0
        for item in items:
            if item is None:
                x = self.expand_dims(x, dim)
                dim += 1
            elif isinstance(item, slice):
                if item != slice(None):
                    step = 1 if item.step is None else item.step
                    start, end = (0, FAR) if step > 0 else (-1, -FAR)
                    start, end = start if item.start is None else item.start, end if item.stop is None else item.stop
                    x = self.cut(x, dim, start, end, step)
                dim += 1
            elif isinstance(item, int) and not isinstance(item, bool):
                x = self.picked(x, item, dim)
            elif isinstance(item, Symbol) and item.dtype.kind == "i" and len(items) == 1:
                return self.take(x, item, 0)
            else:
                raise Untranslatable(f"it looks up a {type(item).__name__} in an array")
        return x

    def cut(self, x, dim, start, end, step):
        """The places ``start:end:step`` along ``dim``."""
        front = (slice(None),) * dim

        def part(array, start, end):
            return array[(*front, slice(start, None if abs(end) == FAR else end, step))]
        names = [self.graph.size(value) for value in (start, end, dim, step)]
        return Symbol(self, self.graph.node("Slice", [x.name, *names]), part(x.array, int(start), int(end)),
                      part(x.second, second_of(start), second_of(end)))

    def picked(self, x, position, dim):
        """The part at ``position`` along ``dim``, which is gone."""
        front = (slice(None),) * dim
        scalar = self.graph.node("Squeeze", [position.name()]) if isinstance(position, TracedSize) else \
            self.graph.constant(runtime.xp.asarray(int(position), dtypes.int64))
        return Symbol(self, self.graph.node("Gather", [x.name, scalar], axis=dim),
                      x.array[(*front, int(position), ...)], x.second[(*front, second_of(position), ...)])

    def take(self, x, indices, axis):
        x, indices = self.symbol(x, None), self.symbol(indices, None)
        return self.run("take", lambda a, i: runtime.xp.take(a, i, axis), [x, indices],
                        lambda first: self.graph.node("Gather", [x.name, indices.name], axis=axis % max(x.ndim, 1)))

    def pick_rows(self, x, indices, axis=0):
        return self.take(x, indices, axis)

    def take_along_axis(self, x, indices, axis=-1):
        axis %= x.ndim
        indices = self.symbol(indices, None)
        return self.run("take_along_axis", lambda a, i: runtime.xp.take_along_axis(a, i, axis), [x, indices],
                        lambda first: self.graph.node("GatherElements", [x.name, indices.name], axis=axis))

    def look_up(self, x, index):
        items = list(index) if isinstance(index, tuple) else [index]
        at = [d for d, item in enumerate(items) if isinstance(item, Symbol)]
        others = [item for item in items if not isinstance(item, Symbol)]
        if len(at) != 1 or items[at[0]].dtype.kind != "i" or others != [slice(None)] * len(others):
            raise Untranslatable("it looks up several indices at once")
        return self.take(x, items[at[0]], at[0])

    def argsort(self, x, axis=-1, descending=False):
        axis %= x.ndim
        inputs = [x.name, self.graph.sizes((x.shape[axis],))]
        return self.run("argsort", lambda array: runtime.xp.argsort(array, axis, descending), [x],
                        lambda first: self.graph.node("TopK", inputs, 2, axis=axis, largest=int(descending))[1])

    def assign(self, target, source):
        target[...] = source

    def written_at(self, x, index, value):
        """``x`` with ``value`` at a basic index."""
        places = self.indexed(self.reshape(self.arange(0, x.size), x.shape), index)
        value = self.broadcast_to(value, places.shape)
        found = self.graph.node("ScatterElements", [self.reshape(part, (-1,)).name for part in (x, places, value)], axis=0)
        found = self.graph.node("Reshape", [found, self.graph.sizes(x.shape)])
        arrays = []
        for side, at, given in (x.array, index, value.array), (x.second, second_of(index), value.second):
            side = side.copy()
            side[at] = given
            arrays.append(side)
        return Symbol(self, found, *arrays)

    def pad(self, x, widths):
        """Zeros around ``x``: ``widths[d]`` before and behind it along ``d``."""
        ends = [width for side in zip(*widths, strict=True) for width in side]
        return self.run("pad", lambda array: runtime.xp.pad(array, widths), [x],
                        lambda first: self.graph.node("Pad", [x.name, self.graph.sizes(ends)]))

    def in_view(self, x, part, value):
        """``x`` with ``value`` in the view that ``part`` takes of it."""
        places = part(self.reshape(self.arange(0, x.size), x.shape))
        value = self.broadcast_to(self.astype(self.symbol(value, x.dtype), x.dtype), places.shape)
        flat = self.ScatterElements(*[self.reshape(each, (-1,)) for each in (x, places, value)], axis=0)
        return self.Reshape(flat, x.shape)

    def scatter_into(self, out, dim, index, values, combine=None):
        """``out``, memory of the forward's own, then stands for what has the values at their places."""
        if not out.is_own:
            raise Untranslatable("it writes through a view of an array")
        values = self.astype(self.symbol(values, out.dtype), out.dtype)
        if values.ndim:
            for d, (n, m) in enumerate(zip(values.shape, index.shape, strict=True)):
                values = values if n == m else self.cut(values, d, 0, m, 1)
        values = self.broadcast_to(values, index.shape)
        names = [each.name for each in (out, index, values)]
        arrays = [runtime.xp.scatter_into(of(out).copy(), dim, of(index), of(values), combine)
                  for of in (array_of, second_array_of)]
        out.name = self.graph.node("ScatterElements", names, axis=dim, reduction=COMBINATIONS[combine])
        out.array, out.second = arrays
        return out

    def rows_into(self, out, dim, places, rows, combine=None):
        places = self.reshape(places, (-1,))
        shape = (*out.shape[:dim], places.shape[0], *out.shape[dim + 1:])
        index = self.broadcast_to(self.reshape(places, (-1,) + (1,) * (out.ndim - dim - 1)), shape)
        if getattr(rows, "ndim", 0):
            rows = self.reshape(rows, shape)
        return self.scatter_into(out, dim, index, rows, combine)

    def add_rows(self, out, dim, places, rows):
        return self.rows_into(out, dim, places, rows, "add")

    def put_at_places(self, out, index, values, combine=None):
        """Of one index among slices of everything."""
        at = [d for d, item in enumerate(index) if isinstance(item, Symbol)]
        others = [item for item in index if not isinstance(item, Symbol)]
        if len(at) != 1 or index[at[0]].dtype.kind != "i" or others != [slice(None)] * len(others):
            raise Untranslatable("it writes at several indices at once")
        return self.rows_into(out, at[0], index[at[0]], values, combine)

    def add_at_places(self, out, index, values):
        return self.put_at_places(out, index, values, "add")

    def strides_of(self, x):
        return contiguous_strides(x.shape)

    def strided(self, x, shape, strides, offset=0):
        """Elements by their places in memory, in which values of a graph lie in order."""
        places = self.full((), offset, dtypes.int64)
        for dim, (size, step) in enumerate(zip(shape, strides, strict=True)):
            along = self.arange(0, size, 1, dtypes.int64) * step
            places = places + self.reshape(self.symbol(along, None), (*[1] * dim, size, *[1] * (len(shape) - dim - 1)))
        return self.take(self.reshape(x, (-1,)), self.symbol(places, None), 0)

    # -- reducing -------------------------------------------------------------------------------------------------------------

    def reduction(self, name, x, axis, keepdims, dtype=None):
        if not isinstance(x, Symbol):
            options = {} if dtype is None else {"dtype": dtype}
            return getattr(runtime.xp, name)(x, axis=axis, keepdims=keepdims, **options)
        if dtype is not None:
            x = self.astype(x, dtype)
        was = x.dtype
        if was.kind == "b":
            x = self.astype(x, dtypes.int64)
        axes = list(range(x.ndim)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
        if not axes:
            return x
        axes = [a % x.ndim for a in axes] if x.ndim else []
        found = self.run(name, lambda array: getattr(runtime.xp, name)(array, axis=tuple(axes), keepdims=keepdims), [x],
                         lambda first: self.graph.node(REDUCTIONS[name], [x.name, self.graph.sizes(axes)],
                                                       keepdims=int(bool(keepdims))))
        return self.astype(found, bool) if was.kind == "b" and name in ("max", "min") else found

    def sum(self, x, axis=None, dtype=None, keepdims=False):
        return self.reduction("sum", x, axis, keepdims, dtype)

    def mean(self, x, axis=None, dtype=None, keepdims=False):
        return self.reduction("mean", x, axis, keepdims, dtype)

    def prod(self, x, axis=None, dtype=None, keepdims=False):
        return self.reduction("prod", x, axis, keepdims, dtype)

    def max(self, x, axis=None, keepdims=False):
        return self.reduction("max", x, axis, keepdims)

    def min(self, x, axis=None, keepdims=False):
        return self.reduction("min", x, axis, keepdims)

    def any(self, x, axis=None, keepdims=False):
        return self.max(self.truth(x), axis, keepdims)

    def all(self, x, axis=None, keepdims=False):
        return self.min(self.truth(x), axis, keepdims)

    def var(self, x, axis=None, correction=0.0, keepdims=False):
        distance = x - self.mean(x, axis, keepdims=True)
        count = 1
        for a in range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis:
            count = x.shape[a] * count
        return self.sum(distance * distance, axis, keepdims=keepdims) / self.symbol(count - correction, x.dtype)

    def std(self, x, axis=None, correction=0.0, keepdims=False):
        return self.sqrt(self.var(x, axis, correction, keepdims))

    def argmax(self, x, axis=None, keepdims=False):
        return self.arg("argmax", "ArgMax", x, axis, keepdims)

    def argmin(self, x, axis=None, keepdims=False):
        return self.arg("argmin", "ArgMin", x, axis, keepdims)

    def arg(self, name, kind, x, axis, keepdims):
        if axis is None:
            found = self.arg(name, kind, self.reshape(x, (-1,)), 0, False)
            return self.reshape(found, (1,) * x.ndim) if keepdims else found
        x = self.astype(x, dtypes.int64) if x.dtype.kind == "b" else x
        return self.run(name, lambda array: getattr(runtime.xp, name)(array, axis, keepdims=keepdims), [x],
                        lambda first: self.graph.node(kind, [x.name], axis=axis % x.ndim, keepdims=int(bool(keepdims))))

    def cumulative_sum(self, x, axis=0, dtype=None):
        x = x if dtype is None else self.astype(x, dtype)
        return self.run("cumulative_sum", lambda array: runtime.xp.cumulative_sum(array, axis), [x],
                        lambda first: self.graph.node("CumSum", [x.name, self.graph.constant(
                            runtime.xp.asarray(axis % x.ndim, dtypes.int64))]))

    def cumulative_prod(self, x, axis=0, dtype=None):
        return self.accumulated(x if dtype is None else self.astype(x, dtype), axis, self.multiply)

    def accumulated(self, x, axis, combine):
        """What ``combine`` makes of all elements up to each one along ``axis``: of twice as many with each step."""
        axis, step = axis % x.ndim, 1
        size = x.shape[axis]
        if isinstance(size, TracedSize):
            raise Untranslatable("it runs along a dim whose size varies")
        while step < size:
            later = combine(self.cut(x, axis, step, FAR, 1), self.cut(x, axis, 0, size - step, 1))
            x = self.concat([self.cut(x, axis, 0, step, 1), later], axis)
            step *= 2
        return x

    def count_nonzero(self, x, axis=None):
        return self.sum(self.truth(x), axis, dtypes.int64)

    def isin(self, x, among, assume_unique=False, invert=False):
        x, among = self.asarray(x), self.asarray(among)
        found = self.any(self.equal(self.expand_dims(x, -1), self.reshape(among, (-1,))), axis=-1)
        return self.logical_not(found) if invert else found

    # -- making ---------------------------------------------------------------------------------------------------------------

    def full(self, shape, fill_value, dtype=None):
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        value = self.symbol(fill_value, runtime.xp.numpy_dtype(dtype))
        value = value if dtype is None else self.astype(value, dtype)
        return self.copy(self.broadcast_to(value, shape))       # memory of its own

    def zeros(self, shape, dtype=None):
        return self.full(shape, 0, dtype)

    def ones(self, shape, dtype=None):
        return self.full(shape, 1, dtype)

    empty = zeros

    def full_like(self, x, fill_value, dtype=None):
        return self.full(x.shape, fill_value, x.dtype if dtype is None else dtype)

    def zeros_like(self, x, dtype=None):
        return self.full_like(x, 0, dtype)

    def ones_like(self, x, dtype=None):
        return self.full_like(x, 1, dtype)

    empty_like = empty_in_order = zeros_like

    def asarray(self, x, dtype=None, copy=None):
        x = self.symbol(x, runtime.xp.numpy_dtype(dtype) if dtype is not None else None)
        return x if dtype is None else self.astype(x, dtype)

    def arange(self, start, stop=None, step=1, dtype=None):
        start, stop = (0, start) if stop is None else (start, stop)
        if not is_symbolic((start, stop, step)):
            array = runtime.xp.creation.arange(start, stop, step, dtype or dtypes.int64)
            return Symbol(self, self.graph.constant(array), array, array)
        ends = [self.symbol(v, runtime.xp.numpy_dtype(dtypes.int64)) for v in (start, stop, step)]
        found = Symbol(self, self.graph.node("Range", [e.name for e in ends]), *[
            runtime.xp.arange(*[side(v) for v in (start, stop, step)], dtype=dtypes.int64) for side in (int, second_of)])
        return found if dtype is None else self.astype(found, dtype)

    def eye(self, rows, columns=None, k=0, *, dtype):
        columns = rows if columns is None else columns
        row = self.reshape(self.arange(0, rows), (rows, 1))
        return self.astype(self.equal(row + k, self.reshape(self.arange(0, columns), (1, columns))), dtype)
