"""Losses and layers that write in place, and are right."""
from tests.trust.training.common import data, mlp, program, sgd, steps, weights


@program
def relu_in_place(t):
    net = mlp(t, act=lambda: t.nn.ReLU(inplace=True))
    steps(t, net, sgd(t, net))
    return weights(net)


@program
def residual_in_place(t):
    t.manual_seed(0)
    layer = t.nn.Linear(3, 3)

    def loss(net, x, y):
        h = net(x)
        h += x
        return h.pow(2).mean()
    steps(t, layer, sgd(t, layer), loss=loss)
    return weights(layer)


@program
def masked_logits(t):
    t.manual_seed(0)
    layer, mask = t.nn.Linear(3, 3), t.tensor([[False, True, False]])
    steps(t, layer, sgd(t, layer), loss=lambda net, x, y: t.softmax(net(x).masked_fill_(mask, -1e9), 1).pow(2).mean())
    return weights(layer)


@program
def causal_attention(t):
    t.manual_seed(0)
    qkv, x = t.nn.Linear(3, 9), data(t)[0]
    mask = t.triu(t.ones(6, 6, dtype=t.bool), 1)
    q, k, v = qkv(x).chunk(3, 1)
    scores = (q @ k.t()).masked_fill(mask, float("-inf"))
    (t.softmax(scores, 1) @ v).pow(2).sum().backward()
    return [p.grad for p in qkv.parameters()]


@program
def safe_where(t):
    x = t.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    safe = t.where(x > 0, x, t.ones(()))
    t.where(x > 0, safe.sqrt(), t.zeros(())).sum().backward()
    return [x.grad]


@program
def log_sum_exp_with_a_detached_shift(t):
    x = t.tensor([1.0, 200.0, 3.0], requires_grad=True)
    m = x.max().detach()
    (m + (x - m).exp().sum().log()).backward()
    return [x.grad]


@program
def all_pairs(t):
    x = t.tensor([1.0, 2.0, 4.0], requires_grad=True)
    (x[:, None] - x[None]).abs().sum().backward()
    (x.unsqueeze(1) - t.tensor([0.0, 1.0])).pow(2).sum().backward()
    return [x.grad]


@program
def batch_norm(t):
    t.manual_seed(0)
    net = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4), t.nn.ReLU(), t.nn.Linear(4, 1))
    opt, seen = sgd(t, net), []
    for _ in range(2):
        net.train()
        steps(t, net, opt, 1)
        net.eval()
        with t.no_grad():
            seen.append(net(data(t)[0]))
    return weights(net) + seen


@program
def batch_norm_twice_in_one_loss(t):
    t.manual_seed(0)
    net, x = t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4)), data(t)[0]
    (net(x).pow(3).mean() + net(x * 2).pow(3).mean()).backward()
    return [p.grad for p in net.parameters()]


@program
def mixup(t):
    net = mlp(t)
    order = t.tensor([5, 4, 3, 2, 1, 0])
    steps(t, net, sgd(t, net), loss=lambda net, x, y: (
        (net(0.7 * x + 0.3 * x[order]) - 0.7 * y - 0.3 * y[order]) ** 2).mean())
    return weights(net)


@program
def label_smoothing(t):
    net, ids = mlp(t, 3), t.tensor([0, 1, 2, 0, 1, 2])
    steps(t, net, sgd(t, net), loss=lambda net, x, y: t.nn.functional.cross_entropy(net(x), ids, label_smoothing=0.1))
    return weights(net)


@program
def weighted_losses(t):
    net, logs = mlp(t, 2), t.zeros(2, requires_grad=True)
    opt = t.optim.SGD([*net.parameters(), logs], lr=0.1)
    for _ in range(2):
        parts = net(data(t)[0]).pow(2).mean(0)
        opt.zero_grad()
        ((-logs).exp() * parts + logs).sum().backward()
        opt.step()
    return [*weights(net), logs.detach()]


@program
def loss_scaled_by_its_own_size(t):
    net, (x, y) = mlp(t), data(t)
    loss = ((net(x) - y) ** 2).mean()
    (loss / loss.detach()).backward()
    return [p.grad for p in net.parameters()]


@program
def hard_examples(t):
    net, (x, y) = mlp(t), data(t)
    errors = ((net(x) - y) ** 2).squeeze(1)
    worst = errors.detach().topk(3).indices
    errors[worst].mean().backward()
    return [p.grad for p in net.parameters()]


@program
def focal_weights(t):
    net, ids = mlp(t, 3), t.tensor([0, 1, 2, 0, 1, 2])
    logp = t.nn.functional.log_softmax(net(data(t)[0]), 1).gather(1, ids[:, None])
    (-((1 - logp.exp()) ** 2).detach() * logp).mean().backward()
    return [p.grad for p in net.parameters()]


@program
def center_loss(t):
    net, centers, ids = mlp(t, 2), t.zeros(3, 2), t.tensor([0, 1, 2, 0, 1, 2])
    opt = sgd(t, net)
    for _ in range(2):
        f = net(data(t)[0])
        opt.zero_grad()
        ((f - centers[ids]) ** 2).mean().backward()
        opt.step()
        centers.index_add_(0, ids, 0.1 * (f.detach() - centers[ids]))
    return [*weights(net), centers]


@program
def scattered_sums(t):
    x, ids = t.ones(5, 2, requires_grad=True), t.tensor([0, 0, 1, 2, 1])
    out = t.zeros(3, 2).index_add(0, ids, x * 2)
    out = out + t.zeros(3, 2).scatter_add(0, ids[:, None].expand(5, 2), x)
    out.pow(2).sum().backward()
    return [x.grad]


@program
def experts_by_index(t):
    t.manual_seed(0)
    experts, (x, _) = t.nn.ModuleList([t.nn.Linear(3, 2) for _ in range(2)]), data(t)
    out, which = t.zeros(6, 2), t.tensor([0, 1, 1, 0, 1, 0])
    for k, expert in enumerate(experts):
        out[which == k] = expert(x[which == k])
    out.pow(2).sum().backward()
    return [p.grad for p in experts.parameters()]


@program
def graph_network(t):
    t.manual_seed(0)
    layer, (x, _) = t.nn.Linear(3, 3), data(t)
    source, target = t.tensor([0, 1, 2, 3, 4]), t.tensor([1, 2, 3, 4, 0])
    h = t.zeros(6, 3).index_add(0, target, layer(x)[source])
    h.relu().sum().backward()
    return [p.grad for p in layer.parameters()]
