"""Short programs over ``nn.utils``, sequences and attention: see ``tests/both.py``."""
import copy

import torch.nn.utils.prune  # noqa: F401  (PyTorch loads it only when asked)

from tests.both import Scenarios, tried

scenario = scenarios = Scenarios()


def seeded(t, make, *args, **kwargs):
    t.manual_seed(0)
    return make(*args, **kwargs)


def trained(t, module, *inputs, steps=3):
    """The losses of a few steps of gradient descent."""
    losses = []
    for _ in range(steps):
        loss = (module(*inputs) ** 2).sum()
        module.zero_grad()
        loss.backward()
        with t.no_grad():
            for p in module.parameters():
                p -= 0.01 * p.grad
        losses.append(loss)
    return losses


def input_for(t, *shape):
    return t.linspace(-1, 1, t.ones(shape).numel()).reshape(shape)


# --- parametrizations ------------------------------------------------------------------------------------------------

def parametrized(name, sizes=((4, 4), (3, 5), (5, 3)), **options):
    def run(t):
        found = []
        for rows, columns in sizes:
            layer = getattr(t.nn.utils.parametrizations, name)(seeded(t, t.nn.Linear, columns, rows), **options)
            found += [layer, layer.state_dict(), layer.weight, *trained(t, layer, input_for(t, 2, columns)),
                      layer.weight]
            clone = copy.deepcopy(layer)
            found += [clone.weight, type(clone).__name__]
            t.nn.utils.parametrize.remove_parametrizations(layer, "weight")
            found += [layer, layer.state_dict(), type(layer).__name__, tried(lambda: clone.weight)]   # noqa: B023
        return found
    return run


scenarios["orthogonal by matrix exponential"] = parametrized("orthogonal", sizes=[(4, 4)], orthogonal_map="matrix_exp")
scenarios["orthogonal by cayley"] = parametrized("orthogonal", orthogonal_map="cayley", use_trivialization=True)
scenarios["orthogonal by householder"] = parametrized("orthogonal", orthogonal_map="householder")
scenarios["orthogonal by plain householder"] = parametrized("orthogonal", orthogonal_map="householder",
                                                          use_trivialization=False)
scenarios["weight norm"] = parametrized("weight_norm")
scenarios["weight norm of columns"] = parametrized("weight_norm", dim=1)
scenarios["weight norm of all"] = parametrized("weight_norm", dim=None)
scenarios["spectral norm"] = parametrized("spectral_norm")
scenarios["spectral norm of columns"] = parametrized("spectral_norm", dim=1, n_power_iterations=3)


@scenario
def assigning_to_a_parametrized_weight(t):
    layer = t.nn.utils.parametrizations.orthogonal(seeded(t, t.nn.Linear, 3, 3))
    layer.weight = t.eye(3)
    normed = t.nn.utils.parametrizations.weight_norm(seeded(t, t.nn.Linear, 3, 3))
    normed.weight = 2 * t.eye(3)
    return [layer.weight, normed.state_dict(), normed.weight, tried(setattr, layer, "weight", t.ones(2, 2))]


def symmetric(t):
    class Symmetric(t.nn.Module):
        def forward(self, X):
            return X.triu() + X.triu(1).mT

        def right_inverse(self, A):
            return A.triu()
    return Symmetric()


@scenario
def parametrizing_by_hand(t):
    parametrize = t.nn.utils.parametrize
    layer = seeded(t, t.nn.Linear, 3, 3)
    weight = layer.weight
    parametrize.register_parametrization(layer, "weight", symmetric(t))
    with parametrize.cached():
        same = layer.weight is layer.weight
    parametrize.register_parametrization(layer, "weight", t.nn.Tanh())
    log = [layer, list(layer.state_dict()), same, layer.weight is layer.weight, layer.weight,
           layer.parametrizations.weight.original is weight, parametrize.is_parametrized(layer),
           parametrize.is_parametrized(layer, "bias"), parametrize.type_before_parametrizations(layer).__name__,
           tried(layer.__getstate__), tried(setattr, layer, "weight", t.ones(3, 3))]
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    return [*log, layer.weight is weight, type(layer).__name__, layer.weight]


@scenario
def refused_parametrizations(t):
    parametrize = t.nn.utils.parametrize

    class Other(t.nn.Module):
        def __init__(self, change):
            super().__init__()
            self.forward = change
    made = []
    for change in (lambda X: X[:1], lambda X: X.double(), lambda X: 3):
        layer = seeded(t, t.nn.Linear, 3, 3)
        made += [tried(parametrize.register_parametrization, layer, "weight", Other(change)), type(layer).__name__,
                 list(layer.state_dict())]
        parametrize.register_parametrization(layer, "weight", t.nn.Tanh())
        made.append(tried(parametrize.register_parametrization, layer, "weight", Other(change)))
    return [*made, tried(parametrize.register_parametrization, layer, "x", t.nn.Tanh()),
            tried(parametrize.remove_parametrizations, layer, "bias"),
            tried(t.nn.utils.parametrizations.orthogonal, layer, "bias"),
            tried(t.nn.utils.parametrizations.orthogonal, layer, "bia"),
            tried(t.nn.utils.parametrizations.spectral_norm, layer, "bia"),
            tried(t.nn.utils.parametrizations.orthogonal, layer, orthogonal_map="x")]


@scenario
def transferring_parametrizations(t):
    parametrize = t.nn.utils.parametrize
    source, target = seeded(t, t.nn.Linear, 3, 3), t.nn.Linear(3, 3)
    parametrize.register_parametrization(source, "weight", symmetric(t))
    parametrize.transfer_parametrizations_and_params(source, target)
    return [target, target.weight, source.parametrizations.weight.original is target.parametrizations.weight.original]


@scenario
def older_norms(t):
    found = []
    for name in ("weight_norm", "spectral_norm"):
        layer = getattr(t.nn.utils, name)(seeded(t, t.nn.Linear, 3, 4))
        found += [layer, layer.state_dict(), trained(t, layer, input_for(t, 2, 3)), layer.weight,
                  tried(getattr(t.nn.utils, name), layer)]
        getattr(t.nn.utils, f"remove_{name}")(layer)
        found += [layer.state_dict(), layer.weight, tried(getattr(t.nn.utils, f"remove_{name}"), layer),
                  layer(input_for(t, 2, 3))]
    new = t.nn.utils.parametrizations.weight_norm(t.nn.Linear(3, 4))
    old = t.nn.utils.weight_norm(seeded(t, t.nn.Linear, 3, 4))
    new.load_state_dict(old.state_dict())
    return [*found, new.weight]


# --- pruning, fusion, stateless calls --------------------------------------------------------------------------------

@scenario
def pruning(t):
    prune = t.nn.utils.prune
    made = []
    for method, options in (
            (prune.identity, {}), (prune.random_unstructured, {"amount": 3}), (prune.l1_unstructured, {"amount": 0.4}),
            (prune.random_structured, {"amount": 1, "dim": 0}), (prune.ln_structured, {"amount": 2, "n": 2, "dim": 1}),
            (prune.custom_from_mask, {"mask": t.tensor([[1, 0, 1], [0, 0, 1.0], [1, 1, 1], [0, 1, 0]])})):
        layer = method(seeded(t, t.nn.Linear, 3, 4), "weight", **options)
        made += [layer, layer.state_dict(), layer.weight, prune.is_pruned(layer)]
        prune.l1_unstructured(layer, "weight", amount=2)
        made += [layer.weight_mask, len(layer._forward_pre_hooks), trained(t, layer, input_for(t, 2, 3))]
        prune.remove(layer, "weight")
        made += [layer.state_dict(), prune.is_pruned(layer), layer(input_for(t, 2, 3))]
    return made


@scenario
def pruning_all_at_once(t):
    net = seeded(t, lambda: t.nn.Sequential(t.nn.Linear(2, 3), t.nn.Linear(3, 2)))
    t.nn.utils.prune.global_unstructured([(net[0], "weight"), (net[1], "weight")],
                                         pruning_method=t.nn.utils.prune.L1Unstructured, amount=5)
    return net.state_dict()


@scenario
def refused_pruning(t):
    prune, layer = t.nn.utils.prune, seeded(t, t.nn.Linear, 3, 4)
    return [tried(prune.l1_unstructured, layer, "weight", amount=a) for a in (-1, 1.5, "x", 100)] + [
        tried(prune.ln_structured, layer, "bias", 1, 2, 0), tried(prune.ln_structured, layer, "weight", 1, 2, 5),
        tried(prune.remove, layer, "weight"), sorted(layer.state_dict()), type(layer.weight).__name__]


@scenario
def fusing(t):
    made = []
    for make, norm, x in ((lambda: t.nn.Conv2d(2, 3, 2), t.nn.BatchNorm2d(3), (1, 2, 4, 4)),
                          (lambda: t.nn.Conv1d(2, 3, 2, bias=False), t.nn.BatchNorm1d(3, affine=False), (1, 2, 4)),
                          (lambda: t.nn.Linear(2, 3), t.nn.BatchNorm1d(3), (4, 2))):
        layer = seeded(t, make).eval()
        norm.running_mean += 0.3
        norm.running_var *= 2
        fuse = t.nn.utils.fuse_linear_bn_eval if len(x) == 2 else t.nn.utils.fuse_conv_bn_eval
        made += [tried(fuse, layer, norm.train()), fuse(layer, norm.eval())(input_for(t, *x)),
                 fuse(layer, norm).state_dict()]
    return made


@scenario
def skipping_initialization(t):
    t.manual_seed(3)
    layer = t.nn.utils.skip_init(t.nn.Linear, 2, 3)
    return [layer, layer.weight.shape, t.rand(2), tried(t.nn.utils.skip_init, int),
            tried(t.nn.utils.skip_init, t.nn.ReLU)]


@scenario
def calling_with_other_parameters(t):
    layer = seeded(t, t.nn.Linear, 2, 2)
    call = t.nn.utils.stateless._functional_call
    x, weight = t.ones(1, 2), t.ones(2, 2, requires_grad=True)
    call(layer, {"weight": weight}, x).sum().backward()
    shared = copy.deepcopy(layer)
    tied = t.nn.Sequential(shared, shared)
    norm = t.nn.BatchNorm1d(2)
    running = {"running_mean": t.ones(2)}
    call(norm, running, (t.tensor([[1.0, 2], [3, 5]]),))
    return [weight.grad, layer.weight.grad, layer.weight, call(tied, {"0.weight": weight}, x), running,
            norm.running_mean, [tried(call, layer, given, x) for given in (
                {"foo": x}, {"a.b": x}, {"weight": 3}, {"in_features": x})],
            tried(call, layer, {"weight": weight}, x, strict=True),
            tried(call, layer, {"weight": weight, "bias": x[0], "x": x}, x, strict=True),
            tried(call, tied, {"0.weight": weight, "1.weight": t.zeros(2, 2)}, x),
            tried(t.nn.utils.stateless.functional_call, layer, {}, x)]


@scenario
def gradients_of_convolutions(t):
    x, w, g = input_for(t, 1, 2, 5, 4), input_for(t, 3, 2, 2, 2), input_for(t, 1, 3, 4, 3)
    return [t.nn.grad.conv2d_input(x.shape, w, g), t.nn.grad.conv2d_weight(x, w.shape, g)]


# --- sequences -------------------------------------------------------------------------------------------------------

@scenario
def packing(t):
    rnn = t.nn.utils.rnn
    x = input_for(t, 4, 3, 2)
    made = []
    for options in ({"lengths": [4, 2, 1]}, {"lengths": t.tensor([2, 4, 1]), "enforce_sorted": False},
                    {"lengths": [3, 2, 2, 1], "batch_first": True}):
        packed = rnn.pack_padded_sequence(x, **options)
        made += [packed, rnn.pad_packed_sequence(packed, padding_value=-7.0),
                 rnn.pad_packed_sequence(packed, batch_first=True, total_length=6), rnn.unpack_sequence(packed),
                 packed.double().data, packed.to(t.float64) is packed, packed.cpu() is packed]
    ragged = [t.ones(2, 3), 2 * t.ones(4, 3), t.zeros(1, 3)]
    return [*made, rnn.pad_sequence(ragged, padding_side="left", padding_value=9), rnn.pack_sequence(ragged, False),
            rnn.unpad_sequence(rnn.pad_sequence(ragged), t.tensor([2, 4, 1])), [
                tried(rnn.pack_padded_sequence, x, lengths) for lengths in ([1, 2, 3], [4, 2], [4, 2, 0])],
            tried(rnn.pad_sequence, []), tried(rnn.pad_sequence, 3),
            tried(rnn.pad_packed_sequence, packed, total_length=2), tried(rnn.pad_sequence, ragged, padding_side="x")]


def sequence_stories(name, **options):
    def run(t):
        layer = seeded(t, getattr(t.nn, name), 3, 4, **options)
        x = input_for(t, 5, 2, 3).requires_grad_()
        packed = t.nn.utils.rnn.pack_padded_sequence(x, [2, 5], enforce_sorted=False)
        found = []
        for given in (x, packed, x[0]):
            t.manual_seed(1)
            output, states = layer(given)
            flat = output if given is not packed else output.data
            layer.zero_grad()
            x.grad = None
            (flat * input_for(t, *flat.shape)).sum().backward(retain_graph=True)
            found += [output, states, x.grad, {n: p.grad for n, p in layer.named_parameters()}]
        again, _ = layer(x, states if given.dim() == 3 else None)
        wrong = t.ones(2, 2)
        return [layer, [n for n, _ in layer.named_parameters()], *found, again, tried(layer, t.ones(1, 2, 3, 3)),
                tried(layer, t.ones(1, 2, 2)), tried(layer, x.double()), tried(layer, x, (wrong, wrong))
                if name == "LSTM" else tried(layer, x, wrong)]
    return run


for _name, _options in (("RNN", {}), ("RNN", {"nonlinearity": "relu", "bidirectional": True}),
                        ("LSTM", {"num_layers": 2, "bidirectional": True, "dropout": 0.5}),
                        ("LSTM", {"proj_size": 2, "bias": False}), ("GRU", {"num_layers": 2, "dropout": 0.3}),
                        ("GRU", {"bidirectional": True, "bias": False})):
    scenarios[f"{_name} {_options}"] = sequence_stories(_name, **_options)


@scenario
def refused_recurrent_layers(t):
    return [tried(t.nn.LSTM, 3, 4, **options) for options in (
        {"dropout": 2}, {"dropout": True}, {"bias": 1}, {"batch_first": 0}, {"num_layers": 0}, {"proj_size": -1},
        {"proj_size": 4}, {"dropout": 0.5})] + [
        tried(t.nn.RNN, 3, 4, nonlinearity="x"), tried(t.nn.GRU, 3, 4, proj_size=2), tried(t.nn.GRU, 0, 4),
        tried(t.nn.GRU, "x", 4), tried(t.nn.GRUCell(2, 3), t.ones(1, 1, 2)), tried(t.nn.LSTMCell(2, 3), t.ones(1, 3))]


# --- attention -------------------------------------------------------------------------------------------------------

@scenario
def refused_attention(t):
    layer = t.nn.MultiheadAttention(4, 2)
    x, y = t.ones(3, 2, 4), t.ones(5, 2, 4)
    return [tried(layer, *args, **options) for args, options in (
        ((x, x[0], x[0]), {}), ((x, x, y), {}), ((x[None], x, x), {}), ((t.ones(3, 2, 6),) * 3, {}),
        ((x, y, y), {"attn_mask": t.ones(3, 3)}), ((x, y, y), {"attn_mask": t.ones(4, 3, 3)}),
        ((x, y, y), {"attn_mask": t.ones(3, 5, dtype=t.long)}), ((x, y, y), {"is_causal": True}),
        ((x, y, y), {"key_padding_mask": t.ones(5, 2, dtype=t.bool)}), ((x, y, y), {"key_padding_mask": t.ones(2)}),
    )] + [tried(t.nn.MultiheadAttention, 5, 2), tried(t.nn.MultiheadAttention, 0, 2)]


@scenario
def padding_in_evaluation(t):
    """PyTorch drops padded positions there: zeros come out, but only where nothing wants a gradient."""
    layer = t.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    encoder = seeded(t, t.nn.TransformerEncoder, layer, 2)
    for p in encoder.parameters():
        with t.no_grad():
            p.copy_(input_for(t, *p.shape))
    x = input_for(t, 2, 3, 4)
    padding = t.tensor([[False, False, True], [False, True, True]])
    encoder.eval()
    found = [encoder(x, src_key_padding_mask=padding)]
    with t.no_grad():
        found += [encoder(x, src_key_padding_mask=padding), encoder(x, src_key_padding_mask=padding.flip(1)),
                  encoder(x), encoder(x, mask=t.nn.Transformer.generate_square_subsequent_mask(3))]
    return found


@scenario
def causal_masks(t):
    model = seeded(t, t.nn.Transformer, 4, 2, 1, 1, 8, 0.0, batch_first=True)
    mask = model.generate_square_subsequent_mask(3)
    src, tgt = input_for(t, 2, 5, 4), input_for(t, 2, 3, 4)
    return [mask, model(src, tgt, tgt_mask=mask), model(src, tgt, tgt_mask=mask, tgt_is_causal=True),
            model(src, tgt, tgt_mask=mask == float("-inf")), tried(model, src, tgt[:1]),
            tried(model, src, src[..., :3]),
            tried(t.nn.TransformerEncoderLayer, 4, 2, activation="x")]


@scenario
def lazy_modules(t):
    made = []
    for make, shape in ((lambda: t.nn.LazyLinear(4), (2, 3)), (t.nn.LazyBatchNorm1d, (2, 3)),
                        (lambda: t.nn.LazyInstanceNorm2d(affine=True, track_running_stats=True), (2, 3, 4, 4)),
                        (lambda: t.nn.LazyConv2d(4, 3, padding=1, bias=False), (2, 3, 4, 4)),
                        (lambda: t.nn.LazyConvTranspose1d(4, 3, 2), (2, 3, 4))):
        module = seeded(t, make)
        made += [module, list(map(str, module.state_dict().values())), tried(getattr, module.weight, "shape"),
                 module(input_for(t, *shape)), module, module.state_dict()]
        loaded = make()
        loaded.load_state_dict(module.state_dict())
        made += [loaded, tried(loaded, input_for(t, *shape)), loaded]
    return [*made, tried(t.nn.LazyConv2d(4, 3), t.ones(3, 3))]


@scenario
def adaptive_softmax(t):
    layer = seeded(t, t.nn.AdaptiveLogSoftmaxWithLoss, 8, 12, [3, 7], 2.0)
    x, target = input_for(t, 5, 8), t.tensor([0, 11, 4, 2, 8])
    return [layer, layer(x, target), layer(x[0], target[0]), layer.log_prob(x), layer.predict(x), layer.predict(5 * x),
            tried(layer, x, target + 9), tried(layer, x, target[:2]), tried(layer, x[0], target),
            tried(layer, x, target.unsqueeze(1)),
            *(tried(t.nn.AdaptiveLogSoftmaxWithLoss, 8, 12, c) for c in ([], [0, 3], [5, 3], [3, 12], [2.5]))]


@scenario
def synchronized_batch_norm(t):
    net = seeded(t, lambda: t.nn.Sequential(t.nn.Linear(3, 3), t.nn.BatchNorm1d(3)))
    converted = t.nn.SyncBatchNorm.convert_sync_batchnorm(net)
    return [converted, converted(input_for(t, 4, 3)), converted.state_dict(), tried(t.nn.SyncBatchNorm(3), t.ones(3))]


@scenario
def linear_cross_entropy(t):
    layer = seeded(t, t.nn.LinearCrossEntropyLoss, 3, 4, bias=True, reduction="sum", label_smoothing=0.1)
    return [layer, layer(input_for(t, 2, 3), t.tensor([1, 3])), tried(layer, t.ones(2, 4), t.tensor([1, 3])),
            tried(t.nn.LinearCrossEntropyLoss, 3, 4, weight=t.ones(3)), t.nn.LinearCrossEntropyOptions()]


@scenario
def data_parallel(t):
    model = t.nn.DataParallel(seeded(t, t.nn.Linear, 2, 2))
    return [model, list(model.state_dict()), model(t.ones(1, 2))]
