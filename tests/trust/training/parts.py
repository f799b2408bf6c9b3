"""Parts frozen, tied, pruned and quantized."""
from importlib import import_module

from tests.trust.training.common import data, mlp, program, sgd, steps, weights


@program
def frozen_body(t):
    net = mlp(t)
    net[0].requires_grad_(False)
    steps(t, net, t.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1))
    return weights(net)


@program
def frozen_in_the_optimizer(t):
    net = mlp(t)
    net[0].requires_grad_(False)
    steps(t, net, sgd(t, net))
    return weights(net)


@program
def features_without_gradient(t):
    body, head = mlp(t, 2), t.nn.Linear(2, 1)
    opt = sgd(t, head)
    for _ in range(2):
        with t.no_grad():
            h = body(data(t)[0])
        opt.zero_grad()
        head(h).pow(2).mean().backward()
        opt.step()
    return weights(head)


@program
def thawed_later(t):
    net = mlp(t)
    net[0].requires_grad_(False)
    opt = sgd(t, net)
    steps(t, net, opt, 2)
    net[0].requires_grad_(True)
    steps(t, net, opt, 2)
    return weights(net)


@program
def head_replaced_first(t):
    net = mlp(t)
    net[2] = t.nn.Linear(4, 1)
    steps(t, net, sgd(t, net))
    return weights(net)


@program
def lora(t):
    class Lora(t.nn.Module):
        def __init__(self, base):
            super().__init__()
            self.base = base.requires_grad_(False)
            self.a, self.b = t.nn.Parameter(t.ones(2, 3) * 0.1), t.nn.Parameter(t.zeros(4, 2))

        def forward(self, x):
            return self.base(x) + x @ self.a.t() @ self.b.t()
    net = mlp(t)
    net[0] = Lora(net[0])
    steps(t, net, t.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1))
    with t.no_grad():
        net[0].base.weight += net[0].b @ net[0].a
    return weights(net)


@program
def tied_weights(t):
    t.manual_seed(0)
    emb, head = t.nn.Embedding(5, 4), t.nn.Linear(4, 5, bias=False)
    head.weight = emb.weight
    opt, ids = sgd(t, emb), t.tensor([0, 1, 1, 3])
    for _ in range(2):
        opt.zero_grad()
        t.nn.functional.cross_entropy(head(emb(ids)), ids).backward()
        opt.step()
    return weights(emb)


@program
def shared_layer_twice(t):
    t.manual_seed(0)
    layer = t.nn.Linear(3, 3)
    steps(t, layer, sgd(t, layer), loss=lambda net, x, y: net(net(x).tanh()).pow(2).mean())
    return weights(layer)


@program
def pruned_by_mask(t):
    net = mlp(t)
    opt, mask = sgd(t, net), (net[0].weight.detach().abs() > 0.3).float()
    for _ in range(2):
        steps(t, net, opt, 1)
        net[0].weight.data.mul_(mask)
    return weights(net)


@program
def pruned_gradients(t):
    net = mlp(t)
    mask = (net[0].weight.detach().abs() > 0.3).float()
    net[0].weight.register_hook(lambda g: g * mask)
    steps(t, net, sgd(t, net))
    return weights(net)


@program
def pruning_module(t):
    net = mlp(t)
    prune = import_module(t.__name__ + ".nn.utils.prune")
    prune.l1_unstructured(net[0], "weight", 0.5)
    steps(t, net, sgd(t, net))
    prune.remove(net[0], "weight")
    return weights(net)


@program
def straight_through(t):
    w = t.tensor([0.3, -0.7, 1.2], requires_grad=True)
    hard = w.round()
    ((w + (hard - w).detach()) ** 2).sum().backward()
    return [w.grad]


@program
def binary_weights(t):
    class Sign(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sign()

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * (x.abs() <= 1)
    w = t.tensor([[0.3, -0.7, 1.2]], requires_grad=True)
    opt = t.optim.SGD([w], lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        (data(t)[0] @ Sign.apply(w).t()).pow(2).mean().backward()
        opt.step()
        w.data.clamp_(-1, 1)
    return [w.detach()]


@program
def fake_quantized(t):
    net = mlp(t)

    def rounded(p):
        return p + ((p * 8).round() / 8 - p).detach()
    steps(t, net, sgd(t, net), loss=lambda net, x, y: (t.nn.functional.linear(x, rounded(net[0].weight)) ** 2).mean() + (
        net(x) ** 2).mean())
    return weights(net)


@program
def vq_vae(t):
    enc, dec, codes = mlp(t, 2), t.nn.Linear(2, 3), t.nn.Embedding(4, 2)
    opt, x = t.optim.SGD([*enc.parameters(), *dec.parameters(), *codes.parameters()], lr=0.1), data(t)[0]
    for _ in range(2):
        z = enc(x)
        nearest = ((z[:, None] - codes.weight[None]) ** 2).sum(-1).argmin(1)
        q = codes(nearest)
        loss = ((q - z.detach()) ** 2).mean() + 0.25 * ((z - q.detach()) ** 2).mean()
        loss = loss + ((dec(z + (q - z).detach()) - x) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return weights(enc, dec, codes)


@program
def vq_ema(t):
    enc, codes, x = mlp(t, 2), t.linspace(-1, 1, 8).reshape(4, 2).clone(), data(t)[0]
    opt = sgd(t, enc)
    for _ in range(2):
        z = enc(x)
        near = t.cdist(z.detach(), codes).argmin(1)
        opt.zero_grad()
        ((z - codes[near]) ** 2).mean().backward()
        opt.step()
        with t.no_grad():
            for k in near.unique():
                codes[k] = 0.9 * codes[k] + 0.1 * z[near == k].mean(0)
    return weights(enc) + [codes]


@program
def gumbel_hard(t):
    t.manual_seed(0)
    logits = t.zeros(4, 3, requires_grad=True)
    (t.nn.functional.gumbel_softmax(logits, hard=True) * t.arange(3.0)).sum().backward()
    return [logits.grad]


@program
def vae(t):
    net, x = mlp(t, 4), data(t)[0]
    dec, opt = t.nn.Linear(2, 3), None
    opt = t.optim.Adam([*net.parameters(), *dec.parameters()])
    mean, logvar = net(x).chunk(2, 1)
    z = mean + (0.5 * logvar).exp() * t.randn_like(mean)
    kl = -0.5 * (1 + logvar - mean ** 2 - logvar.exp()).sum(1).mean()
    (((dec(z) - x) ** 2).mean() + kl).backward()
    opt.step()
    return weights(net, dec)


@program
def spectral_norm(t):
    t.manual_seed(0)
    layer = t.nn.utils.parametrizations.spectral_norm(t.nn.Linear(3, 3))
    steps(t, layer, sgd(t, layer), 2, loss=lambda net, x, y: net(x).pow(2).mean())
    return weights(layer)


@program
def power_iteration_by_hand(t):
    w, u = t.ones(3, 3, requires_grad=True), t.tensor([1.0, 0.0, 0.5])
    for _ in range(2):
        with t.no_grad():
            v = t.nn.functional.normalize(w.t() @ u, dim=0)
            u.copy_(t.nn.functional.normalize(w @ v, dim=0))
        (w / (u.clone() @ w @ v)).sum().backward()
    return [w.grad]


@program
def weight_norm(t):
    t.manual_seed(0)
    layer = t.nn.utils.parametrizations.weight_norm(t.nn.Linear(3, 2))
    steps(t, layer, sgd(t, layer), 2, loss=lambda net, x, y: net(x).pow(2).mean())
    return weights(layer)


@program
def unit_rows_after_the_step(t):
    w = t.nn.Parameter(t.eye(3) + 0.5)
    opt = t.optim.SGD([w], lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        (data(t)[0] @ w).pow(2).mean().backward()
        opt.step()
        w.data = t.nn.functional.normalize(w.data, dim=1)
    return [w.detach()]
