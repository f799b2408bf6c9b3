"""Learning to learn, and what an earlier turn left."""
import copy

from tests.trust.training.common import data, mlp, program, sgd, steps, weights


@program
def maml(t):
    net, (x, y) = mlp(t), data(t)
    params = dict(net.named_parameters())
    inner = ((t.func.functional_call(net, params, (x,)) - y) ** 2).mean()
    grads = t.autograd.grad(inner, tuple(params.values()), create_graph=True)
    fast = {name: p - 0.1 * g for (name, p), g in zip(params.items(), grads, strict=True)}
    ((t.func.functional_call(net, fast, (x,)) - y * 0.5) ** 2).mean().backward()
    return [p.grad for p in net.parameters()]


@program
def first_order_maml(t):
    net, (x, y) = mlp(t), data(t)
    fast = copy.deepcopy(net)
    opt = sgd(t, fast)
    steps(t, fast, opt, 2)
    opt.zero_grad()
    ((fast(x) - y * 0.5) ** 2).mean().backward()
    for p, f in zip(net.parameters(), fast.parameters(), strict=True):
        p.grad = f.grad.clone()
    sgd(t, net).step()
    return weights(net)


@program
def reptile(t):
    net = mlp(t)
    fast = copy.deepcopy(net)
    steps(t, fast, sgd(t, fast), 2)
    with t.no_grad():
        for p, f in zip(net.parameters(), fast.parameters(), strict=True):
            p += 0.5 * (f - p)
    return weights(net)


@program
def learned_rate(t):
    rate, w = t.tensor(0.1, requires_grad=True), t.ones(3, requires_grad=True)
    inner = w
    for _ in range(2):
        (g,) = t.autograd.grad((inner ** 2).sum(), inner, create_graph=True)
        inner = inner - rate * g
    (inner ** 2).sum().backward()
    return [rate.grad, w.grad]


@program
def hessian_vector(t):
    w = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (g,) = t.autograd.grad((w ** 3).sum(), w, create_graph=True)
    (hv,) = t.autograd.grad(g @ t.tensor([1.0, 0.0, 2.0]), w)
    return [hv]


@program
def gradient_matching(t):
    net, (x, y) = mlp(t), data(t)
    fake = (x * 0.5).requires_grad_()
    real = t.autograd.grad(((net(x) - y) ** 2).mean(), list(net.parameters()))
    ours = t.autograd.grad(((net(fake) - y) ** 2).mean(), list(net.parameters()), create_graph=True)
    sum(((a - b) ** 2).sum() for a, b in zip(ours, real, strict=True)).backward()
    return [fake.grad]


@program
def truncated_bptt(t):
    t.manual_seed(0)
    cell, h = t.nn.GRUCell(3, 4), t.zeros(2, 4)
    opt, x = sgd(t, cell), data(t, 2)[0]
    for _ in range(3):
        h = h.detach()
        for _ in range(2):
            h = cell(x, h)
        opt.zero_grad()
        h.pow(2).mean().backward()
        opt.step()
    return weights(cell)


@program
def lstm_states_detached(t):
    t.manual_seed(0)
    lstm, state = t.nn.LSTM(3, 4), None
    opt, x = sgd(t, lstm), data(t)[0].reshape(3, 2, 3)
    for _ in range(2):
        out, state = lstm(x, state)
        state = tuple(s.detach() for s in state)
        opt.zero_grad()
        out.pow(2).mean().backward()
        opt.step()
    return weights(lstm)


@program
def state_in_a_buffer(t):
    class Leaky(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("v", t.zeros(6, 3))
            self.w = t.nn.Parameter(t.ones(3))

        def forward(self, x):
            v = 0.5 * self.v + x * self.w
            self.v = v.detach()
            return v
    net = Leaky()
    opt = sgd(t, net)
    for _ in range(3):
        opt.zero_grad()
        net(data(t)[0]).pow(2).mean().backward()
        opt.step()
    return weights(net) + [net.v]


@program
def running_statistics(t):
    class Scaled(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", t.zeros(3))
            self.w = t.nn.Parameter(t.ones(3))

        def forward(self, x):
            y = x * self.w
            self.mean.mul_(0.9).add_(y.detach().mean(0), alpha=0.1)
            return y - self.mean.clone()
    net = Scaled()
    steps(t, net, sgd(t, net), loss=lambda net, x, y: net(x).pow(2).mean())
    return weights(net) + [net.mean]


@program
def running_loss(t):
    net, total = mlp(t), 0.0
    opt = sgd(t, net)
    for _ in range(3):
        loss = (net(data(t)[0]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return [t.tensor(total)]


@program
def replay_buffer(t):
    net, buffer = mlp(t), t.zeros(8, 3)
    opt = sgd(t, net)
    for turn in range(3):
        buffer[turn * 2:turn * 2 + 2] = data(t)[0][:2] + turn
        opt.zero_grad()
        net(buffer[:turn * 2 + 2].clone()).pow(2).mean().backward()
        opt.step()
    return weights(net)


@program
def rows_filled_in_a_loop(t):
    w, out = t.ones(3, requires_grad=True), t.zeros(4, 3)
    for i in range(4):
        out[i] = w * (i + 1)
    out.sum().backward()
    return [w.grad]


@program
def kv_cache(t):
    t.manual_seed(0)
    w, cache, seen = t.nn.Linear(3, 3), [], 0.0
    for row in data(t)[0]:
        cache.append(w(row))
        keys = t.stack(cache)
        seen = seen + (t.softmax(keys @ keys[-1], 0) @ keys).sum()
    seen.backward()
    return [p.grad for p in w.parameters()]


@program
def memory_bank(t):
    net, bank = mlp(t, 2), t.nn.functional.normalize(t.ones(6, 2), dim=1)
    opt, index = sgd(t, net), t.tensor([0, 2, 4])
    for _ in range(2):
        f = t.nn.functional.normalize(net(data(t)[0][:3]), dim=1)
        opt.zero_grad()
        t.nn.functional.cross_entropy(f @ bank.clone().t() / 0.5, index).backward()
        opt.step()
        with t.no_grad():
            bank[index] = t.nn.functional.normalize(0.5 * bank[index] + 0.5 * f, dim=1)
    return weights(net) + [bank]
