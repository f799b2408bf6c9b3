"""Which outputs of one recurrent call depend on which, and that all of them may be overwritten."""
import itertools
import warnings

import pytest

from tests.both import both

OPTIONS = [{}, {"num_layers": 2}, {"bidirectional": True}, {"batch_first": True}]
MAKERS = [(name, options) for name in ("RNN", "GRU", "LSTM") for options in OPTIONS] + [("LSTM", {"proj_size": 2})]


def tensors_of(output, states):
    h, c = states if isinstance(states, tuple) else (states, None)
    return [x for x in (getattr(output, "data", output) if hasattr(output, "batch_sizes") else output, h, c) if x is not None]


def ran(t, name, options, packed, length):
    t.manual_seed(0)
    layer = getattr(t.nn, name)(3, 4, dtype=t.float64, **options)
    x = t.randn(length, length, 3, dtype=t.float64)
    if packed:
        lengths = t.tensor([3, 2, 1][:length])
        x = t.nn.utils.rnn.pack_padded_sequence(x, lengths.clamp(max=length), batch_first="batch_first" in options)
    return tensors_of(*layer(x))


@pytest.mark.parametrize("packed", [False, True], ids=["equal", "packed"])
@pytest.mark.parametrize("name, options", MAKERS, ids=lambda part: str(part))
def test_outputs_of_a_layer(name, options, packed):
    @both
    def scenario(t, see):
        for length in 1, 3:
            outputs = ran(t, name, options, packed, length)
            for of, by in itertools.permutations(outputs, 2):
                see.raises(lambda: t.autograd.grad(of.sum(), by, retain_graph=True))  # noqa: B023
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")              # PyTorch's, about oneDNN
        scenario()


@pytest.mark.parametrize("packed", [False, True], ids=["equal", "packed"])
@pytest.mark.parametrize("name", ["RNN", "GRU", "LSTM"])
def test_outputs_may_be_overwritten(name, packed):
    @both
    def scenario(t, see):
        for which in range(3 if name == "LSTM" else 2):
            t.manual_seed(0)
            layer = getattr(t.nn, name)(3, 4, dtype=t.float64)
            x = t.randn(3, 3, 3, dtype=t.float64)
            if packed:
                x = t.nn.utils.rnn.pack_padded_sequence(x, t.tensor([3, 2, 1]))
            out, states = layer(x)
            outputs = [out.data if packed else out, *(states if name == "LSTM" else [states])]
            outputs[which].mul_(2)
            sum(y.sum() for y in outputs).backward()
            see([p.grad for p in layer.parameters()])
    scenario()


@both
def test_the_cell_state_is_on_the_way_to_h(t, see):
    for batch in (2,), ():
        t.manual_seed(0)
        cell = t.nn.LSTMCell(3, 4, dtype=t.float64)
        x = t.randn(*batch, 3, dtype=t.float64, requires_grad=True)
        states = t.randn(2, *batch, 4, dtype=t.float64).unbind()
        h, c = cell(x, states)
        c.retain_grad()
        see.raises(lambda: t.autograd.grad(h.sum(), c, retain_graph=True))  # noqa: B023
        see.raises(lambda: t.autograd.grad(c.sum(), h, retain_graph=True))  # noqa: B023
        (h.sum() + c.pow(2).sum()).backward()
        see(c.grad, x.grad, [p.grad for p in cell.parameters()])
        h, c = cell(x, states)
        dx, = t.autograd.grad(h.sum(), x, create_graph=True)
        see(t.autograd.grad(dx.pow(2).sum(), cell.weight_hh), type(h.grad_fn).__name__ if batch else None)


@both
def test_a_hook_on_the_cell_state_changes_all_gradients(t, see):
    t.manual_seed(0)
    cell = t.nn.LSTMCell(3, 4, dtype=t.float64)
    h, c = cell(t.randn(2, 3, dtype=t.float64))
    c.register_hook(lambda g: 2 * g)
    for _ in range(2):
        h, c = cell(t.randn(2, 3, dtype=t.float64), (h, c))
    h.sum().backward()
    see([p.grad for p in cell.parameters()])
