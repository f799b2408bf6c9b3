"""What the training programs share: where they are listed, data, a small network, some steps."""

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def data(t, rows=6):
    x = t.linspace(-1, 1, rows * 3).reshape(rows, 3)
    return x, (x.sum(1, keepdim=True) * 2).sin()


def mlp(t, out=1, seed=0, act=None):
    t.manual_seed(seed)
    return t.nn.Sequential(t.nn.Linear(3, 4), (act or t.nn.Tanh)(), t.nn.Linear(4, out))


def sgd(t, net, lr=0.1, **options):
    return t.optim.SGD(net.parameters(), lr=lr, **options)


def weights(*nets):
    return [p.detach() for net in nets for p in net.parameters()]


def steps(t, net, opt, n=3, loss=None):
    x, y = data(t)
    for _ in range(n):
        opt.zero_grad()
        (((net(x) - y) ** 2).mean() if loss is None else loss(net, x, y)).backward()
        opt.step()
