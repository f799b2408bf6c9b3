"""Optimizers, schedules and steps by hand."""
import copy

from tests.trust.training.common import PROGRAMS, data, mlp, program, sgd, steps, weights


for _name, _options in {"sgd": {}, "momentum": {"momentum": 0.9}, "nesterov": {"momentum": 0.9, "nesterov": True},
                        "decay": {"weight_decay": 0.1}, "maximize": {"maximize": True}}.items():
    def _run(t, options=_options):
        net = mlp(t)
        steps(t, net, sgd(t, net, **options))
        return weights(net)
    PROGRAMS["sgd_" + _name] = _run
for _name in ("Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD"):
    def _run(t, name=_name):
        net = mlp(t)
        steps(t, net, getattr(t.optim, name)(net.parameters(), lr=0.05))
        return weights(net)
    PROGRAMS["with_" + _name] = _run
for _name, _make in {
        "step": lambda t, o: t.optim.lr_scheduler.StepLR(o, 1, 0.5),
        "cosine": lambda t, o: t.optim.lr_scheduler.CosineAnnealingLR(o, 3),
        "exponential": lambda t, o: t.optim.lr_scheduler.ExponentialLR(o, 0.5),
        "lambda": lambda t, o: t.optim.lr_scheduler.LambdaLR(o, lambda e: 0.9 ** e),
        "one_cycle": lambda t, o: t.optim.lr_scheduler.OneCycleLR(o, 0.2, total_steps=5)}.items():
    def _run(t, make=_make):
        net = mlp(t)
        opt = sgd(t, net)
        schedule = make(t, opt)
        for _ in range(3):
            steps(t, net, opt, 1)
            schedule.step()
        return weights(net)
    PROGRAMS["schedule_" + _name] = _run


@program
def lbfgs(t):
    net, (x, y) = mlp(t), data(t)
    opt = t.optim.LBFGS(net.parameters(), lr=0.5, max_iter=3)

    def closure():
        opt.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        return loss
    opt.step(closure)
    return weights(net)


@program
def accumulation(t):
    net, (x, y) = mlp(t), data(t)
    opt = sgd(t, net)
    for _ in range(2):
        for part in range(3):
            (((net(x[part * 2:part * 2 + 2]) - y[part * 2:part * 2 + 2]) ** 2).mean() / 3).backward()
        opt.step()
        opt.zero_grad()
    return weights(net)


@program
def clipped_norm(t):
    net = mlp(t)
    opt = sgd(t, net)
    for _ in range(2):
        (net(data(t)[0]) ** 2).sum().backward()
        t.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        opt.step()
        opt.zero_grad()
    return weights(net)


@program
def clipped_value(t):
    net = mlp(t)
    (net(data(t)[0]) ** 2).sum().backward()
    t.nn.utils.clip_grad_value_(net.parameters(), 0.05)
    sgd(t, net).step()
    return weights(net)


@program
def by_hand_no_grad(t):
    w, (x, y) = t.zeros(3, 1, requires_grad=True), data(t)
    for _ in range(3):
        ((x @ w - y) ** 2).mean().backward()
        with t.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return [w.detach()]


@program
def by_hand_data(t):
    w, (x, y) = t.zeros(3, 1, requires_grad=True), data(t)
    for _ in range(3):
        ((x @ w - y) ** 2).mean().backward()
        w.data -= 0.1 * w.grad
        w.grad.zero_()
    return [w.detach()]


@program
def by_hand_rebound(t):
    w, (x, y) = t.zeros(3, 1, requires_grad=True), data(t)
    for _ in range(3):
        (g,) = t.autograd.grad(((x @ w - y) ** 2).mean(), w)
        w = (w - 0.1 * g).detach().requires_grad_()
    return [w.detach()]


@program
def two_groups(t):
    net = mlp(t)
    steps(t, net, t.optim.SGD([{"params": net[0].parameters(), "lr": 0.01}, {"params": net[2].parameters()}], lr=0.1))
    return weights(net)


@program
def two_optimizers(t):
    net, (x, y) = mlp(t), data(t)
    a, b = sgd(t, net[0]), t.optim.Adam(net[2].parameters(), lr=0.01)
    for _ in range(2):
        a.zero_grad(), b.zero_grad()
        ((net(x) - y) ** 2).mean().backward()
        a.step(), b.step()
    return weights(net)


@program
def step_in_hooks(t):
    net = mlp(t)
    opts = {p: t.optim.SGD([p], lr=0.1) for p in net.parameters()}

    def update(p):
        opts[p].step()
        opts[p].zero_grad()
    for p in net.parameters():
        p.register_post_accumulate_grad_hook(update)
    for _ in range(2):
        (net(data(t)[0]) ** 2).mean().backward()
    return weights(net)


@program
def zero_to_zeros(t):
    net = mlp(t)
    opt = sgd(t, net)
    for _ in range(2):
        opt.zero_grad(set_to_none=False)
        (net(data(t)[0]) ** 2).mean().backward()
        opt.step()
    return weights(net)


@program
def resumed(t):
    net = mlp(t)
    opt = t.optim.Adam(net.parameters())
    steps(t, net, opt, 2)
    saved = copy.deepcopy((net.state_dict(), opt.state_dict()))
    other = mlp(t, seed=1)
    again = t.optim.Adam(other.parameters())
    other.load_state_dict(saved[0])
    again.load_state_dict(saved[1])
    steps(t, other, again, 2)
    return weights(other)


@program
def best_kept(t):
    net, best = mlp(t), None
    opt = sgd(t, net)
    for _ in range(2):
        steps(t, net, opt, 1)
        best = {name: value.clone() for name, value in net.state_dict().items()}
    net.load_state_dict(best)
    return weights(net)
