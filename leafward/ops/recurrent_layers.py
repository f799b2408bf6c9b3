"""Recurrent layers stacked and run in both directions, and single steps: ``torch.lstm`` and its kin.

The input of a layer is projected for all time steps at once; ``recurrent.py`` then visits the steps.

Args:
    hx: the state before the first step: `(layers * directions, n, hidden)`; of an LSTM the pair of it and the cell state; of
        a cell `(n, hidden)`
    params: weights and biases of all layers and directions, as the layer's `_flat_weights`
    has_biases: True: `params` holds biases
    num_layers: how many layers are stacked
    dropout: the probability with which outputs between layers are zeroed in training
    train: True: as in training
    bidirectional: True: a second pass from the end to the start
    batch_first: True: `(n, t, features)`. False: `(t, n, features)`
    w_ih: the weights of the input, `(gates * hidden, features)`
    w_hh: the weights of the state, `(gates * hidden, hidden)`
    b_ih: the bias of the input; None: 0
    b_hh: the bias of the state; None: 0
    input: the sequence `(t, n, features)`, or of a cell one step `(n, features)`
"""
from leafward import dtypes
from leafward.core.op import composite, recorded

from leafward.ops.dims import size_at

# --- one layer, one direction ----------------------------------------------------------------------------------------
# Each takes (rows, features), the first states (n, h), its weights, and gives (rows, h) and the states of every row.

def total(bias_ih, bias_hh):
    return None if bias_ih is None else bias_ih + bias_hh


def misfit(found, wanted, dim):
    return RuntimeError(f"The size of tensor a ({found}) must match the size of tensor b ({wanted}) at non-singleton dimension "
                        f"{dim}")


def in_dtype_of(state, projected):
    """The projection of the input as it is added to that of the state, in place in PyTorch: in the dtype of that."""
    wanted = state.dtype
    if projected.dtype is wanted:
        return projected
    if wanted is dtypes.bool:
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")
    found = dtypes.promote_types(projected.dtype, wanted)
    if not dtypes.can_cast(found, wanted):
        raise RuntimeError(f"result type {dtypes.scalar_name(found)} can't be cast to the desired output type "
                           f"{dtypes.scalar_name(wanted)}")
    return projected.to(wanted)


def projection(fns, rows, weights, apart=False):
    """The input's part of the gates of all steps, with both biases, or with its own alone if ``apart``.

    As broadcasting has it, one column may stand for all; and of weights ``apart`` one for those of each of three gates.
    """
    weight_ih, weight_hh, bias_ih, bias_hh = weights[:4]
    if apart or bias_hh is None or weight_ih.dtype is not weight_hh.dtype:
        found = in_dtype_of(weight_hh, fns.linear(rows, weight_ih, bias_ih))
        if not apart and bias_hh is not None:
            found = found + bias_hh
    else:
        found = fns.linear(rows, weight_ih, total(bias_ih, bias_hh))
    width, gates = weight_hh.shape[0], 3 if apart else 1
    if found.shape[1] == width:
        return found
    if found.shape[1] != gates:
        raise misfit(found.shape[1], width, 1)
    return found.unsqueeze(2).expand(rows.shape[0], gates, width // gates).reshape(rows.shape[0], width)


def rnn_layer(relu):
    def layer(fns, rows, first, weights, sizes, reverse):
        out = fns._rnn_scan(projection(fns, rows, weights), first[0], weights[1], sizes, reverse, relu)
        return out, [out]
    return layer


def lstm_layer(fns, rows, first, weights, sizes, reverse):
    out, cells, _ = fns._lstm_scan(projection(fns, rows, weights), *first, weights[1], weights[4], sizes=sizes, reverse=reverse)
    return out, [out, cells]


def gru_layer(fns, rows, first, weights, sizes, reverse):
    if dtypes.promote_types(rows.dtype, weights[1].dtype) is not weights[1].dtype and len(sizes) > 1:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {rows.dtype} != {weights[1].dtype}")
    projected = projection(fns, rows, weights, apart=True)
    out, _, _ = fns._gru_scan(projected, first[0], weights[1], weights[3], sizes=sizes, reverse=reverse)
    return out, [out]


def to_give_away(x):
    """What users may overwrite: the scans of RNN and GRU keep their outputs for backward, and LSTM its cells."""
    return x.clone() if recorded(x) else x


# --- stacks ----------------------------------------------------------------------------------------------------------

def weights_of(params, has_biases, directions):
    """``params`` by layer and direction: (weight_ih, weight_hh, bias_ih, bias_hh, weight_hr), None where absent."""
    count = max(len(params) // directions, 1)
    groups = []
    for start in range(0, len(params), count):
        group = list(params[start:start + count])
        if len(group) not in ((4, 5) if has_biases else (2, 3)):
            raise RuntimeError("got an incorrect number of RNN parameters")
        projection = group.pop() if len(group) in (3, 5) else None
        groups.append((*group, *([] if has_biases else [None, None]), projection))
    return groups


def check_types(rows, first, groups):
    for weight_ih, weight_hh, *biases in groups:
        bias_ih, bias_hh = biases[:2] or (None, None)
        for x, weight, bias in ((rows, weight_ih, bias_ih), *((state, weight_hh, bias_hh) for state in first)):
            if x.dtype is not weight.dtype:
                raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {dtypes.scalar_name(x.dtype)} and "
                                   f"{dtypes.scalar_name(weight.dtype)}")
            if bias is not None and bias.dtype is not weight.dtype:
                raise RuntimeError(f"self and mat2 must have the same dtype, but got {dtypes.scalar_name(bias.dtype)} and "
                                   f"{dtypes.scalar_name(weight.dtype)}")


def check_shapes(rows, first, groups, layers, count, gates):
    """What every layer asks of its weights and of the states of ``count`` sequences; the products find the rest."""
    if rows.ndim != 2:
        raise RuntimeError(f"input must have 2 dimensions, got {rows.ndim}")
    if any(state.ndim != 3 or state.shape[0] != layers for state in first):
        raise RuntimeError("Expected more hidden states in stacked_rnn" if first[0].ndim == 3 else
                           f"Expected hidden state of 3 dimensions, got {first[0].ndim}")
    for state in first:
        if state.shape[1] != count:
            raise misfit(state.shape[1], count, 0)
    for weight_ih, weight_hh, _, bias_hh, _ in groups:
        if weight_ih.ndim != 2 or weight_ih.shape[1:] != rows.shape[1:] and groups[0][0] is weight_ih:
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows.shape[0]}x{rows.shape[1]} and "
                               f"{'x'.join(map(str, weight_ih.shape[::-1]))})")
        if weight_hh.ndim != 2:
            raise RuntimeError(f"mat2 must be a matrix, got {weight_hh.ndim}-D tensor")
        height, n = weight_hh.shape[0], 0 if bias_hh is None else bias_hh.shape[-1] if bias_hh.ndim else 1
        if n > 1 and n != height:
            raise RuntimeError(f"The expanded size of the tensor ({height}) must match the existing size ({n}) at "
                               f"non-singleton dimension 1.  Target sizes: [{count}, {height}].  Tensor sizes: [{n}]")
        if height != gates * first[-1].shape[2]:
            raise misfit(height, gates * first[-1].shape[2], 1)


def last_states(fns, states, sizes, reverse):
    """The state after each sequence's last step (its first one in reverse)."""
    if reverse:
        return states[:sizes[0]]
    if sizes[0] == sizes[-1]:
        return states[-sizes[0]:]
    starts, ends = 0, []
    for size, following in zip(sizes, [*sizes[1:], 0]):
        ends.insert(0, fns.arange(starts + following, starts + size))
        starts += size
    return states.index_select(0, fns.cat(ends))


def stacked(fns, layer, rows, first, params, sizes, has_biases, num_layers, dropout, train, bidirectional):
    """Every layer on the outputs of the one below; the last states of all layers and directions, stacked."""
    directions, (layer, gates) = 2 if bidirectional else 1, layer
    if num_layers * directions <= 0:
        raise RuntimeError("Expected more hidden states in stacked_rnn")
    groups = weights_of(params, has_biases, num_layers * directions)
    check_types(rows, first, groups)
    check_shapes(rows, first, groups, len(groups), sizes[0], gates)
    finals = [[] for _ in first]
    for depth in range(num_layers):
        outputs = []
        for direction in range(directions):
            k = depth * directions + direction
            reverse = direction == 1
            out, states = layer(fns, rows, [state[k] for state in first], groups[k], sizes, reverse)
            outputs.append(out)
            for found, state in zip(finals, states):
                found.append(last_states(fns, state, sizes, reverse))
        rows = fns.cat(outputs, 1) if bidirectional else outputs[0]
        if dropout and train and depth < num_layers - 1:
            rows = fns.dropout(rows, dropout, True)
    return to_give_away(rows), [fns.stack(found) for found in finals]


def look_up_dims(hx, pair):
    """Raise if states lack the dims that PyTorch asks of them before anything else."""
    if pair:
        if len(hx) != 2:
            raise RuntimeError("lstm expects two hidden states")
        for state in reversed(hx):
            size_at(state, 2)
    else:
        size_at(hx, 0)


def run(fns, layer, arguments, pair=False):
    """The stack on equally long sequences, ``(input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first)``, or on packed rows, ``(data, batch_sizes, hx, params, has_biases, ...)``.
    """
    if isinstance(arguments[3], (list, tuple)):
        data, batch_sizes, hx, params, *options = arguments
        look_up_dims(hx, pair)
        return stacked(fns, layer, data, hx if pair else [hx], params, tuple(batch_sizes.tolist()), *options)
    input, hx, params, *options, batch_first = arguments
    look_up_dims(hx, pair)
    if pair and params[0].dtype in (dtypes.float32, dtypes.bfloat16) and any(w.dtype is not params[0].dtype for w in params):
        raise RuntimeError("get_mkldnn_dtype: unsupported data type")
    if batch_first:
        input = input.transpose(0, 1)
    if input.ndim == 2 and layer[1] == 1:
        input = input.unsqueeze(1)
    elif input.ndim == 2 and layer[1] == 3:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    if input.ndim != 3:
        raise RuntimeError(f"input must have 3 dimensions, got {input.ndim}")
    state = hx[0] if pair else hx
    if input.shape[1] == 1 and state.ndim == 3 and state.shape[1] > 1:
        input = input.expand(input.shape[0], state.shape[1], input.shape[2])    # one sequence from many states
    steps, n, features = input.shape
    if steps == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    rows, finals = stacked(fns, layer, input.reshape(steps * n, features), hx if pair else [hx], params, (n,) * steps,
                           *options)
    output = fns._unsafe_view(rows, (steps, n, rows.shape[1]))          # no view: its history can be cut off in place
    if batch_first:
        output = output.transpose(0, 1) if pair else output.transpose_(0, 1)    # of `lstm` it is a view in PyTorch, too
    return output, finals


OPTIONS = "has_biases={}, num_layers={}, dropout=0.0, train=False, bidirectional={}, batch_first={}"
ONE = OPTIONS.format(True, 1, False, False)
TWO_WAYS = OPTIONS.format(False, 2, True, True)


@composite("torch.lstm", autocast="low", samples=[f"3 2 3 | [1 2 2, 1 2 2] | [8 3, 8 2, 8, 8] ; {ONE}",
                                  "2 2 3 | [2 2 2, 2 2 2] | [8 3, 8 2, 8 3, 8 2] ; "
                                  + OPTIONS.format(False, 1, True, True)])
def lstm(fns, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> tuple:
    """Outputs of the last layer, and the last states h and c of every layer: see ``nn.LSTM``.

    Source: Hochreiter and Schmidhuber, 1997, Neural Computation 9
    """
    out, (h, c) = run(fns, (lstm_layer, 4), (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
                                        batch_first), pair=True)
    return out, h, c


@composite("torch.gru", autocast="closed", samples=[f"3 2 3 | 1 2 2 | [6 3, 6 2, 6, 6] ; {ONE}",
                                 "2 2 3 | 4 2 2 | [6 3, 6 2, 6 3, 6 2, 6 4, 6 2, 6 4, 6 2] ; " + TWO_WAYS])
def gru(fns, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> tuple:
    """Outputs of the last layer, and the last states of every layer: see ``nn.GRU``.

    Source: Cho et al., 2014, arXiv:1406.1078
    """
    out, (h,) = run(fns, (gru_layer, 3), (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
                                     batch_first))
    return out, h


@composite("torch.rnn_tanh", autocast="low", samples=[f"3 2 3 | 1 2 2 | [2 3, 2 2, 2, 2] ; {ONE}",
                                      "2 2 3 | 4 2 2 | [2 3, 2 2, 2 3, 2 2, 2 4, 2 2, 2 4, 2 2] ; " + TWO_WAYS])
def rnn_tanh(fns, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> tuple:
    """Outputs of the last layer, and the last states of every layer: see ``nn.RNN``.

    Source: Elman, 1990, Cognitive Science 14
    """
    out, (h,) = run(fns, (rnn_layer(False), 1), (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
                                            batch_first))
    return out, h


@composite("torch.rnn_relu", autocast="low", samples=[f"3 2 3 | 1 2 2 | [2 3, 2 2, 2, 2] ; {ONE}"])
def rnn_relu(fns, input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first) -> tuple:
    """Outputs of the last layer, and the last states of every layer: see ``nn.RNN``."""
    out, (h,) = run(fns, (rnn_layer(True), 1), (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
                                           batch_first))
    return out, h


# --- single steps ----------------------------------------------------------------------------------------------------

def check_cell(input, states, weight_ih, weight_hh, gates):
    hidden = size_at(weight_hh, 1)
    if size_at(input, 1) != size_at(weight_ih, 1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {weight_ih.shape[1]}")
    for k, hx in enumerate(states):
        if input.shape[0] != size_at(hx, 0):
            raise RuntimeError(f"Input batch size {input.shape[0]} doesn't match hidden{k} batch size {hx.shape[0]}")
        if size_at(hx, 1) != hidden:
            raise RuntimeError(f"hidden{k} has inconsistent hidden_size: got {hx.shape[1]}, expected {hidden}")
    for name, weight in ("weight_ih", weight_ih), ("weight_hh", weight_hh):
        if size_at(weight, 0) != gates * hidden:
            raise RuntimeError(f"{name} first dim must be {gates} * hidden_size = {gates * hidden}, but got {weight.shape[0]}")


def check_step(gates, input, states, w_ih, w_hh, *biases):
    check_cell(input, states, w_ih, w_hh, gates)
    check_types(input, states, [(w_ih, w_hh, *biases)])


def gates_of_step(fns, input, hx, w_ih, w_hh, b_ih, b_hh):
    own = fns.linear(hx, w_hh, b_hh)
    return in_dtype_of(own, fns.linear(input, w_ih, b_ih)) + own


@composite("torch.lstm_cell", autocast="closed",
           samples=["2 3 | [2 4, 2 4] | 16 3 | 16 4 | 16 | 16", "2 3 | [2 4, 2 4] | 16 3 | 16 4"])
def lstm_cell(fns, input, hx, w_ih, w_hh, b_ih=None, b_hh=None) -> tuple:
    """One step of an LSTM: (n, features) and the states (h, c) -> the next h and c.

    Source: Hochreiter and Schmidhuber, 1997, Neural Computation 9
    """
    check_cell(input, hx, w_ih, w_hh, 4)
    if hx[1].dtype is not hx[0].dtype or w_ih.dtype is not w_hh.dtype:      # c is in no product: it may have a dtype of its own
        check_types(input, hx[:1], [(w_ih, w_hh, b_ih, b_hh)])
        if not (w_hh.dtype.is_floating_point or w_hh.dtype.is_complex):
            raise RuntimeError(f"result type Float can't be cast to the desired output type {dtypes.scalar_name(w_hh.dtype)}")
        i, f, g, o = gates_of_step(fns, input, hx[0], w_ih, w_hh, b_ih, b_hh).chunk(4, 1)
        c = f.sigmoid() * hx[1] + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c
    check_types(input, hx, [(w_ih, w_hh, b_ih, b_hh)])
    projected = fns.linear(input, w_ih, total(b_ih, b_hh))
    _, c, gates = fns._lstm_scan(projected, *hx, w_hh, sizes=(input.shape[0],))
    c = to_give_away(c)
    size = c.shape[1]
    return fns.narrow(gates, 1, 3 * size, size) * c.tanh(), c            # made of c, so that its gradient goes through c


@composite("torch.gru_cell", autocast="closed", samples=["2 3 | 2 4 | 12 3 | 12 4 | 12 | 12", "2 3 | 2 4 | 12 3 | 12 4"])
def gru_cell(fns, input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a GRU: (n, features) and the state (n, h) -> the next state.

    Source: Cho et al., 2014, arXiv:1406.1078
    """
    check_step(3, input, [hx], w_ih, w_hh, b_ih, b_hh)
    if w_ih.dtype is not w_hh.dtype:                                # the new state is in the dtype of both
        of_input, own = fns.linear(input, w_ih, b_ih).chunk(3, 1), fns.linear(hx, w_hh, b_hh).chunk(3, 1)
        r, z = ((in_dtype_of(hx, a) + b).sigmoid() for a, b in zip(of_input[:2], own[:2], strict=True))
        new = (of_input[2] + r * own[2]).tanh()
        return (hx - new) * z + new
    return to_give_away(gru_layer(fns, input, [hx], (w_ih, w_hh, b_ih, b_hh, None), (input.shape[0],), False)[0])


@composite("torch.rnn_tanh_cell", autocast="low", samples=["2 3 | 2 4 | 4 3 | 4 4 | 4 | 4", "2 3 | 2 4 | 4 3 | 4 4"])
def rnn_tanh_cell(fns, input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an RNN: ``tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``."""
    check_step(1, input, [hx], w_ih, w_hh, b_ih, b_hh)
    return gates_of_step(fns, input, hx, w_ih, w_hh, b_ih, b_hh).tanh()


@composite("torch.rnn_relu_cell", autocast="low", samples=["2 3 | 2 4 | 4 3 | 4 4 | 4 | 4", "2 3 | 2 4 | 4 3 | 4 4"])
def rnn_relu_cell(fns, input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an RNN: ``relu(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``."""
    check_step(1, input, [hx], w_ih, w_hh, b_ih, b_hh)
    return gates_of_step(fns, input, hx, w_ih, w_hh, b_ih, b_hh).relu()
