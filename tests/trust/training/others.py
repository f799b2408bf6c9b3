"""Hooks, checkpoints, custom functions, and whole methods."""
import copy
from importlib import import_module

from tests.trust.training.common import data, mlp, program, sgd, steps, weights


@program
def hooks_that_scale(t):
    net = mlp(t)
    for p in net.parameters():
        p.register_hook(lambda g: g.clamp(-0.1, 0.1))
    steps(t, net, sgd(t, net))
    return weights(net)


@program
def activations_looked_at(t):
    net, seen = mlp(t), []
    net[0].register_forward_hook(lambda module, args, out: seen.append(out.detach().clone()))
    steps(t, net, sgd(t, net), 2)
    return weights(net) + seen


@program
def grad_cam(t):
    net, x = mlp(t, 2), data(t)[0]
    h = net[0](x)
    h.retain_grad()
    net[2](net[1](h))[:, 0].sum().backward()
    return [(h.detach() * h.grad).relu()]


@program
def checkpointed(t):
    checkpoint = import_module(t.__name__ + ".utils.checkpoint").checkpoint
    net = mlp(t)
    steps(t, net, sgd(t, net), loss=lambda net, x, y: (net[2](checkpoint(net[:2], x, use_reentrant=False)) - y).pow(2).mean())
    return weights(net)


@program
def custom_exp(t):
    class Exp(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y
    x = t.tensor([0.5, 1.0], requires_grad=True)
    (Exp.apply(x) * Exp.apply(-x)).sum().backward()
    return [x.grad]


@program
def custom_in_place(t):
    class Double(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            return g * 2
    x = t.ones(3, requires_grad=True)
    Double.apply(x * 1).sum().backward()
    return [x.grad]


@program
def two_losses_one_graph(t):
    net, (x, y) = mlp(t), data(t)
    out = net(x)
    out.pow(2).mean().backward(retain_graph=True)
    (out - y).abs().mean().backward()
    sgd(t, net).step()
    return weights(net)


@program
def mixed_precision(t):
    net, (x, y) = mlp(t), data(t)
    opt = sgd(t, net)
    for _ in range(2):
        opt.zero_grad()
        with t.autocast("cpu", dtype=t.bfloat16):
            out = net(x)
        ((out.float() - y) ** 2).mean().backward()
        opt.step()
    return weights(net)


@program
def evaluated_between(t):
    net, seen = mlp(t), []
    opt = sgd(t, net)
    for _ in range(2):
        steps(t, net, opt, 1)
        with t.inference_mode():
            seen.append(float(net(data(t)[0]).mean()))
    return weights(net) + [t.tensor(seen)]


@program
def from_numpy_batches(t):
    import numpy as np
    net, rows = mlp(t), np.linspace(-1, 1, 18, dtype=np.float32).reshape(6, 3)
    opt = sgd(t, net)
    for part in range(3):
        opt.zero_grad()
        net(t.from_numpy(rows[part * 2:part * 2 + 2])).pow(2).mean().backward()
        opt.step()
    return weights(net)


@program
def numpy_reads(t):
    net = mlp(t)
    opt, history = sgd(t, net), []
    for _ in range(2):
        steps(t, net, opt, 1)
        history.append(net[0].weight.detach().numpy().copy().sum())
    return weights(net)


@program
def neural_style(t):
    net, image = mlp(t, 2), t.ones(6, 3, requires_grad=True)
    opt = t.optim.Adam([image], lr=0.1)
    target = net(data(t)[0]).detach()
    for p in net.parameters():
        p.requires_grad_(False)
    for _ in range(3):
        opt.zero_grad()
        ((net(image) - target) ** 2).mean().backward()
        opt.step()
        with t.no_grad():
            image.clamp_(0, 1)
    return [image.detach()]


@program
def langevin(t):
    net, x = mlp(t), t.ones(4, 3)
    for _ in range(3):
        x.requires_grad_(True)
        (g,) = t.autograd.grad(net(x).sum(), x)
        x = (x - 0.1 * g + 0.01).detach()
    return [x]


@program
def diffusion(t):
    net, (x, _) = mlp(t, 3), data(t)
    opt, mean = sgd(t, net), copy.deepcopy(net)
    for level in (0.1, 0.5):
        noise = x.cos()
        opt.zero_grad()
        ((net((1 - level) * x + level * noise) - noise) ** 2).mean().backward()
        opt.step()
        for a, p in zip(mean.parameters(), net.parameters(), strict=True):
            a.data.mul_(0.9).add_(p.data, alpha=0.1)
    return weights(net, mean)


@program
def physics_informed(t):
    net, x = mlp(t), data(t)[0].clone().requires_grad_()
    u = net(x)
    (du,) = t.autograd.grad(u.sum(), x, create_graph=True)
    (ddu,) = t.autograd.grad(du[:, 0].sum(), x, create_graph=True)
    ((ddu[:, :1] + u) ** 2).mean().backward()
    return [p.grad for p in net.parameters()]


@program
def elastic_weight_consolidation(t):
    net, (x, y) = mlp(t), data(t)
    net(x).pow(2).mean().backward()
    fisher = [p.grad.detach().clone() ** 2 for p in net.parameters()]
    old = [p.detach().clone() for p in net.parameters()]
    opt = sgd(t, net)
    for _ in range(2):
        opt.zero_grad()
        penalty = sum((f * (p - o) ** 2).sum() for f, p, o in zip(fisher, net.parameters(), old, strict=True))
        (((net(x) - y) ** 2).mean() + penalty).backward()
        opt.step()
    return weights(net)


@program
def gradient_surgery(t):
    net, (x, y) = mlp(t), data(t)
    params = list(net.parameters())
    out = net(x)
    g1 = t.autograd.grad(out.pow(2).mean(), params, retain_graph=True)
    g2 = t.autograd.grad((out - y).pow(2).mean(), params)
    for p, a, b in zip(params, g1, g2, strict=True):
        dot = (a * b).sum()
        p.grad = a + b - (dot / (b * b).sum() * b if dot < 0 else 0)
    sgd(t, net).step()
    return weights(net)


@program
def deep_equilibrium(t):
    t.manual_seed(0)
    cell, x = t.nn.Linear(3, 3), data(t)[0]
    with t.no_grad():
        z = t.zeros(6, 3)
        for _ in range(5):
            z = (0.3 * cell(z) + x).tanh()
    z = (0.3 * cell(z) + x).tanh()
    z.pow(2).mean().backward()
    return [p.grad for p in cell.parameters()]


@program
def swapped_and_swapped_back(t):
    net, (x, y) = mlp(t), data(t)
    out = net(x)
    kept = net[2].weight.detach().clone()
    with t.no_grad():
        net[2].weight.data.zero_()
        net[2].weight.data.copy_(kept)
    ((out - y) ** 2).mean().backward()
    return [p.grad for p in net.parameters()]
