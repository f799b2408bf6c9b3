"""A whole sequence through one recurrent layer, in one direction, as one op.

The rows of all time steps stand one after another: step ``t`` owns ``sizes[t]`` rows, those of the sequences that are
still running. So equally long sequences and packed ones take the same path. What depends on the input alone has been
projected before, for all steps in one product; a scan adds what depends on the previous step.

A scan returns its gates too, as outputs with gradients: backward then needs nothing twice, and its rule, which runs on
Tensors as on arrays, has the right derivative itself.
"""
from leafward.core.op import Meta, op

from leafward.ops.checks import scalar_name

# --- steps -----------------------------------------------------------------------------------------------------------

def spans(sizes, reverse):
    """``(start, stop)`` of every step's rows, in the order in which a scan visits them."""
    found, start = [], 0
    for size in sizes:
        found.append((start, start + size))
        start += size
    return found[::-1] if reverse else found


def state_for(xp, state, first, size):
    """The state for a step of ``size`` rows: sequences that ended are dropped, those that begin here join."""
    held = state.shape[0]
    if held == size:
        return state
    return state[:size] if held > size else xp.concat([state, first[held:size]])


def previous_states(xp, states, first, sizes, reverse):
    """The state that each step started from, for all steps: ``first``, and the states one step earlier."""
    if sizes[0] == sizes[-1]:
        n = sizes[0]
        return xp.concat([states[n:], first] if reverse else [first, states[:-n]])
    found, state = [], first
    for start, stop in spans(sizes, reverse):
        found.append(state_for(xp, state, first, stop - start))
        state = states[start:stop]
    return xp.concat(found[::-1] if reverse else found)


class Carried:
    """The gradient of the state, on its way back through the steps."""

    def __init__(self, xp, rows_at_the_start):
        self.xp = xp
        self.rows = None
        self.begun = []                    # what left for `first` where sequences began, the last rows first
        self.count = rows_at_the_start

    def add_to(self, g):
        """``g`` of a step's states, and what later steps want of them."""
        rows = self.rows
        if rows is None:
            return g
        held, size = rows.shape[0], g.shape[0]
        if held > size:
            self.begun.append(rows[size:])
            rows = rows[:size]
        return g + rows if held >= size else self.xp.concat([g[:held] + rows, g[held:]])

    def at_the_start(self):
        """The gradient of the first state."""
        return self.xp.concat([self.rows, *self.begun[::-1]]) if self.begun else self.rows


def in_order(xp, pieces, reverse):
    """What the steps gave backward, in the order of the rows."""
    return xp.concat(pieces if reverse else pieces[::-1])


def conjugated(xp, *values):
    """What a rule multiplies with: every derivative below is a polynomial in the values, or their tanh."""
    return [None if value is None else xp.conj(value) for value in values]


def check_floating(x):
    if x.dtype.kind in "biu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {scalar_name(x)}")


def columns(x, count):
    """``x`` cut into ``count`` equal groups of columns."""
    width = x.shape[1] // count
    return [x[:, k * width:(k + 1) * width] for k in range(count)]


# --- RNN -------------------------------------------------------------------------------------------------------------

@op("torch._rnn_scan", samples=["6 3 | 2 3 | 3 3 ; sizes=(2, 2, 2)", "6 3 | 3 3 | 3 3 ; sizes=(3, 2, 1), relu=True",
                                "6 3 | 3 3 | 3 3 ; sizes=(3, 2, 1), reverse=True"])
def rnn_scan(xp, x, h0, weight_hh, sizes, reverse=False, relu=False):
    """``h[t] = tanh(x[t] + h[t-1] @ weight_hh.T)``, or ``relu`` of it; x (rows, h) -> (rows, h)."""
    if relu and x.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if not relu:
        check_floating(x)
    out, h = xp.empty_like(x), h0
    weight = xp.ascontiguousarray(xp.matrix_transpose(weight_hh))
    for start, stop in spans(sizes, reverse):
        inner = xp.kernels.matmul(state_for(xp, h, h0, stop - start), weight)
        inner += x[start:stop]
        h = out[start:stop]
        if relu:
            xp.maximum(inner, 0, out=h)
        else:
            xp.tanh(inner, out=h)
    return out


@rnn_scan.onnx
def rnn_scan_onnx(onnx, x, h0, weight_hh, sizes, reverse, relu):
    activation = "Relu" if relu else "Tanh"
    found = layer_onnx(onnx, "RNN", x, [h0], weight_hh, None, sizes, reverse, (0,), activations=[activation])
    return found and found[0]


def layer_onnx(onnx, kind, x, first, weight_hh, bias_hh, sizes, reverse, order, **facts):
    """What ONNX's layer ``kind`` gives: the states of all rows, and those after the last step; None where lengths differ.

    It projects its input itself: with the weights that projected ``x``, where a product did. ``order`` is that of its gates.
    """
    n, hidden = sizes[0], weight_hh.shape[0] // len(order)
    if n != sizes[-1] or weight_hh.shape[1] != hidden:
        return None
    maker, given = onnx.maker(x)
    if maker == "Gemm":
        rows, weight_ih, bias_ih = [*given, None][:3]
    else:
        rows, weight_ih, bias_ih = x, onnx.eye(x.shape[1], dtype=x.dtype), None

    def gates(values):
        parts = [onnx.cut(values, 0, k * hidden, (k + 1) * hidden, 1) for k in order]
        return onnx.expand_dims(onnx.concat(parts, 0), 0)
    nothing = onnx.zeros((len(order) * hidden,), x.dtype)
    biases = [gates(nothing if bias is None else bias) for bias in (bias_ih, bias_hh)]
    out, *last = onnx.operator(kind, (
        onnx.reshape(rows, (-1, n, rows.shape[1])), gates(weight_ih), gates(weight_hh), onnx.concat(biases, 1), None,
        *[onnx.expand_dims(state, 0) for state in first]), 1 + len(first), {
            "hidden_size": hidden, "direction": "reverse" if reverse else "forward", **facts})
    return onnx.Reshape(out, (-1, hidden)), [onnx.Reshape(onnx.Expand(state, onnx.Shape(out)), (-1, hidden)) for state in last]


@rnn_scan.vjp("x, h0, weight_hh")
def rnn_scan_dx(xp, g, h0, weight_hh, out, sizes, reverse, relu, wanted):
    h0, weight_hh, out = conjugated(xp, h0, weight_hh, out)
    slope = None if relu else 1 - out * out
    carried, pieces = Carried(xp, sizes[0]), []
    for start, stop in spans(sizes, not reverse):
        piece = carried.add_to(g[start:stop])
        pieces.append(xp.where(out[start:stop] <= 0, 0, piece) if relu else piece * slope[start:stop])
        carried.rows = xp.matmul(pieces[-1], weight_hh)
    dx = in_order(xp, pieces, reverse)
    dweight = None
    if wanted[2]:
        dweight = xp.matmul(xp.matrix_transpose(dx), previous_states(xp, out, h0, sizes, reverse))
    return dx, carried.at_the_start(), dweight


# --- LSTM ------------------------------------------------------------------------------------------------------------

def squash(xp, gates, scale):
    """The gates i, f, o become their sigmoids and g its tanh, in place; ``scale`` is 1 for g, 1/2 for the others."""
    if xp.is_half(gates.dtype):
        for k, gate in enumerate(columns(gates, 4)):
            (xp.tanh if k == 2 else xp.sigmoid)(gate, out=gate)
        return
    # One tanh for all four: sigmoid(x) = (1 + tanh(x / 2)) / 2. Half types would lose small gates to rounding.
    gates *= scale
    xp.tanh(gates, out=gates)
    gates *= scale
    gates += 1 - scale


@op("torch._lstm_scan", outputs="out, cells, gates",
    samples=["6 12 | 2 3 | 2 3 | 12 3 ; sizes=(2, 2, 2)", "6 12 | 3 3 | 3 3 | 12 3 ; sizes=(3, 2, 1)",
             "6 12 | 3 3 | 3 3 | 12 3 ; sizes=(3, 2, 1), reverse=True",
             "4 12 | 2 2 | 2 3 | 12 2 | 2 3 ; sizes=(2, 2)"])
def lstm_scan(xp, x, h0, c0, weight_hh, weight_hr=None, *, sizes, reverse=False):
    """``c[t] = f * c[t-1] + i * g``, ``h[t] = o * tanh(c[t])``, the gates from ``x[t] + h[t-1] @ weight_hh.T``.

    x (rows, 4 h) -> h (rows, h or p), c (rows, h), gates i f g o (rows, 4 h). ``weight_hr``, (p, h), projects h.
    """
    check_floating(x)
    found = xp.kernels.lstm_steps(x, h0, c0, weight_hh, weight_hr, sizes, reverse)
    if found is not None:
        return found
    hidden = c0.shape[1]
    gates = xp.empty_like(x)
    out, cells = (xp.empty((x.shape[0], state.shape[1]), x.dtype) for state in (h0, c0))
    weight = xp.ascontiguousarray(xp.matrix_transpose(weight_hh))
    scale = xp.full((4 * hidden,), 0.5, dtype=xp.dtype_of(x))
    scale[2 * hidden:3 * hidden] = 1
    h, c = h0, c0
    for start, stop in spans(sizes, reverse):
        h, c = state_for(xp, h, h0, stop - start), state_for(xp, c, c0, stop - start)
        inner = xp.kernels.matmul(h, weight, out=gates[start:stop])
        inner += x[start:stop]
        squash(xp, inner, scale)
        i, f, g, o = columns(inner, 4)
        c = xp.multiply(f, c, out=cells[start:stop])
        c += i * g
        h = out[start:stop]
        if weight_hr is None:
            xp.multiply(o, xp.tanh(c), out=h)
        else:
            xp.kernels.matmul(o * xp.tanh(c), xp.matrix_transpose(weight_hr), out=h)
    return out, cells, gates


@lstm_scan.onnx
def lstm_scan_onnx(onnx, x, h0, c0, weight_hh, weight_hr, sizes, reverse):
    if weight_hr is not None:
        return None
    if len(sizes) == 1:                             # a cell, which asks for its gates
        i, f, g, o = columns(x + onnx.matmul(h0, weight_hh.T), 4)
        i, f, g, o = gates = [onnx.sigmoid(i), onnx.sigmoid(f), onnx.tanh(g), onnx.sigmoid(o)]
        c = f * c0 + i * g
        return o * onnx.tanh(c), c, onnx.concat(gates, 1)
    found = layer_onnx(onnx, "LSTM", x, [h0, c0], weight_hh, None, sizes, reverse, (0, 3, 1, 2))
    return found and (found[0], found[1][1], None)   # of the cells only those after the last step are asked for: all are these


@lstm_scan.vjp("x, h0, c0, weight_hh, weight_hr")
def lstm_scan_dx(xp, g_out, g_cells, g_gates, h0, c0, weight_hh, weight_hr, cells, gates, sizes, reverse, wanted):
    found = xp.kernels.lstm_steps_backward(g_out, g_cells, g_gates, c0, weight_hh, weight_hr, cells, gates, sizes, reverse)
    if found is not None:
        dx, dh0, dc0, out = found
        earlier = previous_states(xp, out, h0, sizes, reverse) if wanted[3] else None
        return dx, dh0, dc0, xp.matmul(xp.matrix_transpose(dx), earlier) if wanted[3] else None, None
    h0, c0, weight_hh, weight_hr, cells, gates = conjugated(xp, h0, c0, weight_hh, weight_hr, cells, gates)
    rows, hidden = cells.shape
    i, f, g, o = columns(gates, 4)
    curved = xp.tanh(cells)
    through_o = o * (1 - curved * curved)
    slopes = xp.concat([i * (1 - i), f * (1 - f), 1 - g * g, o * (1 - o)], axis=1)
    # What a gradient of the cell makes of the gates i, f and g.
    of_cell = xp.concat([g, previous_states(xp, cells, c0, sizes, reverse), i], axis=1) * slopes[:, :3 * hidden]
    of_cell = of_cell.reshape((rows, 3, hidden))
    of_out = curved * slopes[:, 3 * hidden:]
    asked = g_gates * slopes
    carried, carried_cell, pieces, arrived = Carried(xp, sizes[0]), Carried(xp, sizes[0]), [], []
    for start, stop in spans(sizes, not reverse):
        dh = carried.add_to(g_out[start:stop])
        if weight_hr is not None:
            arrived.append(dh)
            dh = xp.matmul(dh, weight_hr)
        dc = carried_cell.add_to(g_cells[start:stop]) + dh * through_o[start:stop]
        of_three = (xp.expand_dims(dc, axis=1) * of_cell[start:stop]).reshape((stop - start, 3 * hidden))
        pieces.append(xp.concat([of_three, dh * of_out[start:stop]], axis=1) + asked[start:stop])
        carried.rows = xp.matmul(pieces[-1], weight_hh)
        carried_cell.rows = dc * f[start:stop]
    dx = in_order(xp, pieces, reverse)
    dweight_hh = dweight_hr = None
    out = o * curved                       # computed again, so that users may overwrite theirs
    if weight_hr is not None:
        if wanted[4]:
            dweight_hr = xp.matmul(xp.matrix_transpose(in_order(xp, arrived, reverse)), out)
        out = xp.matmul(out, xp.matrix_transpose(weight_hr))
    if wanted[3]:
        dweight_hh = xp.matmul(xp.matrix_transpose(dx), previous_states(xp, out, h0, sizes, reverse))
    return dx, carried.at_the_start(), carried_cell.at_the_start(), dweight_hh, dweight_hr


# --- GRU -------------------------------------------------------------------------------------------------------------

@op("torch._gru_scan", outputs="out, gates, inner",
    samples=["6 9 | 2 3 | 9 3 | 9 ; sizes=(2, 2, 2)", "6 9 | 3 3 | 9 3 ; sizes=(3, 2, 1)",
             "6 9 | 3 3 | 9 3 | 9 ; sizes=(3, 2, 1), reverse=True"])
def gru_scan(xp, x, h0, weight_hh, bias_hh=None, *, sizes, reverse=False):
    """``h[t] = n + z * (h[t-1] - n)`` with ``n = tanh(x_n[t] + r * inner)``; r, z and inner from h[t-1].

    x (rows, 3 h) -> h (rows, h), gates r z n (rows, 3 h), inner (rows, h).
    """
    check_floating(x)
    found = xp.kernels.gru_steps(x, h0, weight_hh, bias_hh, sizes, reverse)
    if found is not None:
        return found
    hidden = h0.shape[1]
    gates = xp.empty_like(x)
    out, inner = (xp.empty((x.shape[0], hidden), x.dtype) for _ in range(2))
    weight = xp.ascontiguousarray(xp.matrix_transpose(weight_hh))
    h = h0
    for start, stop in spans(sizes, reverse):
        h, given, made = state_for(xp, h, h0, stop - start), x[start:stop], gates[start:stop]
        own = xp.kernels.matmul(h, weight)
        if bias_hh is not None:
            own += bias_hh
        inner[start:stop] = own[:, 2 * hidden:]
        both = xp.add(given[:, :2 * hidden], own[:, :2 * hidden], out=made[:, :2 * hidden])
        xp.sigmoid(both, out=both)
        r, z, n = columns(made, 3)
        xp.multiply(r, inner[start:stop], out=n)
        n += given[:, 2 * hidden:]
        xp.tanh(n, out=n)
        h = xp.subtract(h, n, out=out[start:stop])
        h *= z
        h += n
    return out, gates, inner


@gru_scan.onnx
def gru_scan_onnx(onnx, x, h0, weight_hh, bias_hh, sizes, reverse):
    found = layer_onnx(onnx, "GRU", x, [h0], weight_hh, bias_hh, sizes, reverse, (1, 0, 2), linear_before_reset=1)
    return found and (found[0], None, None)


@gru_scan.vjp("x, h0, weight_hh, bias_hh")
def gru_scan_dx(xp, g_out, g_gates, g_inner, h0, weight_hh, bias_hh: Meta, out, gates, inner, sizes, reverse, wanted):
    found = xp.kernels.gru_steps_backward(g_out, g_gates, g_inner, h0, weight_hh, out, gates, inner, sizes, reverse)
    if found is not None:
        dx, own, dh0 = found
        earlier = previous_states(xp, out, h0, sizes, reverse) if wanted[2] else None
        return (dx, dh0, xp.matmul(xp.matrix_transpose(own), earlier) if wanted[2] else None,
                xp.sum(own, axis=0) if wanted[3] else None)
    h0, weight_hh, out, gates, inner = conjugated(xp, h0, weight_hh, out, gates, inner)
    rows, hidden = out.shape
    r, z, n = columns(gates, 3)
    earlier = previous_states(xp, out, h0, sizes, reverse)
    slope_r, slope_z, slope_n = r * (1 - r), z * (1 - z), 1 - n * n
    # What a gradient of the state makes of n, r, z and inner; and what the gates' own gradients make of them.
    of_n = (1 - z) * slope_n
    asked_r, asked_z, asked_n = columns(g_gates, 3)
    asked_n = asked_n * slope_n
    of_state = xp.concat([of_n * inner * slope_r, (earlier - n) * slope_z, of_n, of_n * r], axis=1)
    of_state = of_state.reshape((rows, 4, hidden))
    asked = [(asked_r + asked_n * inner) * slope_r, asked_z * slope_z, asked_n, asked_n * r + g_inner]
    asked = xp.concat(asked, axis=1)
    carried, pieces = Carried(xp, sizes[0]), []
    for start, stop in spans(sizes, not reverse):
        dh = carried.add_to(g_out[start:stop])
        d = (xp.expand_dims(dh, axis=1) * of_state[start:stop]).reshape((stop - start, 4 * hidden)) + asked[start:stop]
        pieces.append(d)
        own = xp.concat([d[:, :2 * hidden], d[:, 3 * hidden:]], axis=1)
        carried.rows = dh * z[start:stop] + xp.matmul(own, weight_hh)
    d = in_order(xp, pieces, reverse)                                                               # rows 4h
    own = xp.concat([d[:, :2 * hidden], d[:, 3 * hidden:]], axis=1)
    dweight = dbias = None
    if wanted[2]:
        dweight = xp.matmul(xp.matrix_transpose(own), earlier)
    if wanted[3]:
        dbias = xp.sum(own, axis=0)
    return d[:, :3 * hidden], carried.at_the_start(), dweight, dbias
