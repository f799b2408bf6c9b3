"""Generators, critics and attacks."""
from tests.trust.training.common import data, mlp, program, sgd, steps, weights


def gan(t, generator_loss, clamp=False, penalty=False):
    g, d, z = mlp(t, 3), mlp(t, seed=1), data(t)[0]
    opt_g, opt_d, real = sgd(t, g), sgd(t, d), data(t)[0] * 2
    for _ in range(2):
        fake = g(z).detach()
        opt_d.zero_grad()
        loss = d(fake).mean() - d(real).mean()
        if penalty:
            mixed = (real * 0.3 + fake * 0.7).requires_grad_()
            (slope,) = t.autograd.grad(d(mixed).sum(), mixed, create_graph=True)
            loss = loss + ((slope.norm(2, dim=1) - 1) ** 2).mean()
        loss.backward()
        opt_d.step()
        if clamp:
            for p in d.parameters():
                p.data.clamp_(-0.2, 0.2)
        opt_g.zero_grad()
        generator_loss(d(g(z))).backward()
        opt_g.step()
    return weights(g, d)


@program
def wgan_clamp(t):
    return gan(t, lambda score: -score.mean(), clamp=True)


@program
def wgan_gp(t):
    return gan(t, lambda score: -score.mean(), penalty=True)


@program
def gan_softplus(t):
    return gan(t, lambda score: t.nn.functional.softplus(-score).mean())


@program
def r1_penalty(t):
    d, real = mlp(t), data(t)[0].clone().requires_grad_()
    opt, score = sgd(t, d), None
    score = d(real).sum()
    (slope,) = t.autograd.grad(score, real, create_graph=True)
    (t.nn.functional.softplus(-score) + slope.pow(2).sum()).backward()
    opt.step()
    return weights(d)


@program
def fgsm(t):
    net, (x, y) = mlp(t), data(t)
    x = x.clone().requires_grad_()
    ((net(x) - y) ** 2).mean().backward()
    return [(x + 0.1 * x.grad.sign()).detach()]


@program
def pgd(t):
    net, (x, y) = mlp(t), data(t)
    delta = t.zeros(6, 3, requires_grad=True)
    for _ in range(3):
        ((net(x + delta) - y) ** 2).mean().backward()
        delta.data = (delta + 0.1 * delta.grad.detach().sign()).clamp(-0.2, 0.2)
        delta.grad.zero_()
    return [delta.detach()]


@program
def free_adversarial(t):
    net, (x, y) = mlp(t), data(t)
    opt, delta = sgd(t, net), t.zeros(6, 3)
    for _ in range(3):
        noise = delta.clone().requires_grad_()
        opt.zero_grad()
        ((net(x + noise) - y) ** 2).mean().backward()
        delta += 0.05 * noise.grad.sign()
        delta.clamp_(-0.1, 0.1)
        opt.step()
    return [*weights(net), delta]


@program
def virtual_adversarial(t):
    net, x = mlp(t), data(t)[0]
    d = t.nn.functional.normalize(x.cos(), dim=1).requires_grad_()
    with t.no_grad():
        clean = net(x)
    (g,) = t.autograd.grad(((net(x + 0.1 * d) - clean) ** 2).mean(), d)
    ((net(x + 0.1 * t.nn.functional.normalize(g, dim=1)) - clean) ** 2).mean().backward()
    return [p.grad for p in net.parameters()]


@program
def domain_adversarial(t):
    class Reverse(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.scale = scale
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return -ctx.scale * g, None
    body, head, domain, x = mlp(t, 2), t.nn.Linear(2, 1), t.nn.Linear(2, 1), data(t)[0]
    h = body(x)
    (head(h).pow(2).mean() + domain(Reverse.apply(h, 0.5)).pow(2).mean()).backward()
    return [p.grad for net in (body, head, domain) for p in net.parameters()]


@program
def sam(t):
    net, (x, y) = mlp(t), data(t)
    opt = sgd(t, net)
    for _ in range(2):
        ((net(x) - y) ** 2).mean().backward()
        moved = [0.05 * p.grad for p in net.parameters()]
        with t.no_grad():
            for p, e in zip(net.parameters(), moved, strict=True):
                p.add_(e)
        opt.zero_grad()
        ((net(x) - y) ** 2).mean().backward()
        with t.no_grad():
            for p, e in zip(net.parameters(), moved, strict=True):
                p.sub_(e)
        opt.step()
        opt.zero_grad()
    return weights(net)


@program
def lookahead(t):
    net = mlp(t)
    opt, slow = sgd(t, net), [p.detach().clone() for p in net.parameters()]
    for _ in range(2):
        steps(t, net, opt, 2)
        for s, p in zip(slow, net.parameters(), strict=True):
            s += 0.5 * (p.detach() - s)
            p.data.copy_(s)
    return weights(net)
