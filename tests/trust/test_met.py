"""What backward comes by and is hardly meant, told in the line that did it: and its look-alikes, where it is meant."""
import pytest

import leafward
from tests.trust.programs import lines_of, run

TOLD = {
    "a penalty that is a constant": ("""
        w = lw.tensor([3.0, 4.0], requires_grad=True)
        x = lw.eye(2).requires_grad_()
        (g,) = lw.autograd.grad((x @ w).sum(), x)
        loss = (x @ w).mean() + (g.norm() - 1) ** 2
        loss.backward()
        """, "term", 4, "lw.autograd.grad((x @ w).sum(), x, create_graph=True)"),
    "a column less a row": ("""
        w = lw.tensor([[1.0]], requires_grad=True)
        x = lw.ones(3, 1)
        y = lw.ones(3)
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        """, "pairs up", 4, "loss = (((x @ w).squeeze(1) - y) ** 2).mean()"),
    "a row less a column": ("""
        w = lw.tensor([[1.0]], requires_grad=True)
        pred = lw.ones(3, 1) @ w
        loss = (lw.ones(3) - pred).abs().mean()
        loss.backward()
        """, "pairs up", 3, "pred.squeeze(1)"),
    "a column less a row, by a call": ("""
        w = lw.tensor([[1.0]], requires_grad=True)
        loss = nn.functional.softplus(lw.sub(lw.ones(3, 1) @ w, lw.ones(3))).sum() / 3 + w.abs().sum()
        loss.backward()
        """, "pairs up", 2, "lw.sub((lw.ones(3, 1) @ w).squeeze(1), lw.ones(3))"),
    "a dim of one in the middle": ("""
        pred = lw.ones(2, 4, requires_grad=True) * 1
        target = lw.ones(2, 1, 4)
        loss = ((pred - target) ** 2).mean()
        loss.backward()
        """, "pairs up", 3, "((pred - target.squeeze(1)) ** 2).mean()"),
    "a dim of one too many": ("""
        pred = lw.ones(3, 1, 1, requires_grad=True) * 1
        losses = [((y - pred) ** 2).sum(1).mean() for y in [lw.ones(3, 1), lw.ones(3, 1)]]
        lw.stack(losses).mean().backward()
        """, "pairs up", 2, "((y - pred.squeeze(2)) ** 2)"),
    "dims of one too many": ("""
        pred = lw.ones(3, 1, 1, requires_grad=True) * 1
        target = lw.ones(3)
        difference = pred - target
        (difference * difference).mean().backward()
        """, "pairs up", 3, "difference = pred.reshape(target.shape) - target"),
    "weights of another shape": ("""
        scores = lw.ones(3, 1, requires_grad=True) * 1
        advantages = lw.ones(3)
        loss = -(scores * advantages).mean() + 0.1
        loss.backward()
        """, "pairs up", 3, "loss = -(scores.squeeze(1) * advantages).mean() + 0.1"),
    "a margin of a column and of labels": ("""
        lw.manual_seed(0)
        net, y = nn.Linear(3, 1), lw.tensor([1.0, -1.0, 1.0, 1.0])
        loss = lw.clamp(1 - y * net(lw.randn(4, 3)), min=0).mean()
        loss.backward()
        """, "pairs up", 3, "loss = lw.clamp(1 - y * net(lw.randn(4, 3)).squeeze(1), min=0).mean()"),
    "a target of a column and a row, computed without a history": ("""
        lw.manual_seed(0)
        q, reward, done = nn.Linear(4, 2), lw.randn(5), lw.zeros(5)
        now = q(lw.randn(5, 4)).gather(1, lw.zeros(5, 1).long())
        with lw.no_grad():
            target = reward + 0.9 * (1 - done) * q(lw.randn(5, 4)).max(1, keepdim=True)[0]
        loss = (now - target).pow(2).mean()
        loss.backward()
        """, "used in", 6, "loss = (now.squeeze(1) - target).pow(2).mean()"),
    "a target of a column and a row, cut off": ("""
        lw.manual_seed(0)
        q, reward = nn.Linear(4, 2), lw.randn(5)
        now = q(lw.randn(5, 4)).gather(1, lw.zeros(5, 1).long()).squeeze(1)
        target = (reward + 0.9 * q(lw.randn(5, 4)).max(1, keepdim=True)[0]).detach()
        loss = ((now - target) ** 2).mean()
        loss.backward()
        """, "pairs up", 4, "target = (reward + (0.9 * q(lw.randn(5, 4)).max(1, keepdim=True)[0]).squeeze(1)).detach()"),
    "a target of a frozen network": ("""
        import copy
        lw.manual_seed(0)
        q, reward = nn.Linear(4, 2), lw.randn(5)
        old = copy.deepcopy(q).requires_grad_(False)
        now = q(lw.randn(5, 4)).gather(1, lw.zeros(5, 1).long()).squeeze(1)
        target = reward + 0.9 * old(lw.randn(5, 4)).max(1, keepdim=True)[0]
        loss = ((now - target) ** 2).mean()
        loss.backward()
        """, "pairs up", 6, ".max(1, keepdim=True)[0]).squeeze(1)"),
    "advantages of a column and a row": ("""
        lw.manual_seed(0)
        policy, critic, x = nn.Linear(4, 2), nn.Linear(4, 1), lw.randn(5, 4)
        with lw.no_grad():
            advantage = lw.randn(5) - critic(x)
        chosen = policy(x).log_softmax(1)[:, 0]
        loss = -(chosen * advantage).mean()
        loss.backward()
        """, "pairs up", 4, "advantage = lw.randn(5) - critic(x).squeeze(1)"),
    "a target with a dim put in, and predictions with one taken out": ("""
        lw.manual_seed(0)
        net, x = nn.Linear(3, 1), lw.randn(4, 3)
        y = lw.randn(4).unsqueeze(1)
        pred = net(x).squeeze(1)
        loss = ((pred - y) ** 2).mean()
        loss.backward()
        """, "pairs up", 5, "loss = ((pred - y.squeeze(1)) ** 2).mean()"),
    "values written twice": ("""
        values = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        memory = lw.zeros(3)
        memory[lw.tensor([0, 0, 1])] = values * 1
        memory.sum().backward()
        """, "written in", 3, "memory.index_put_((lw.tensor([0, 0, 1]),), values * 1, accumulate=True)"),
    "values scattered to one place": ("""
        v = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        m = lw.zeros(3).scatter(0, lw.tensor([0, 0, 1]), v * 1)
        m.sum().backward()
        """, "written in", 2, "m = lw.zeros(3).scatter_add(0, lw.tensor([0, 0, 1]), v * 1)"),
    "rows copied to one place": ("""
        v = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        m = lw.zeros(3)
        m.index_copy_(0, lw.tensor([0, 0, 1]), v * 1)
        m.sum().backward()
        """, "written in", 3, "m.index_add_(0, lw.tensor([0, 0, 1]), v * 1)"),
    "values put to one place": ("""
        v = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        m = lw.zeros(3).index_put((lw.tensor([0, 0, 1]),), v)
        m.sum().backward()
        """, "written in", 2, "m = lw.zeros(3).index_put((lw.tensor([0, 0, 1]),), v, accumulate=True)"),
    "a row of an expanded tensor": ("""
        a = lw.ones(3, requires_grad=True)
        b = (a * 1).expand(2, 3)
        b[0].mul_(2)
        b.sum().backward()
        """, "written in", 3, "b = (a * 1).expand(2, 3).clone()"),
    "values written into an expanded tensor": ("""
        a = lw.ones(3, requires_grad=True)
        b = lw.zeros(3).expand(2, 3)
        b[1] = a
        b.sum().backward()
        """, "expanded in", 2, "b = lw.zeros(3).expand(2, 3).clone()"),
    "a row of an expanded tensor, under no_grad": ("""
        a = lw.ones(3, requires_grad=True)
        b = (a * 1).expand(2, 3)
        with lw.no_grad():
            b[0] = 2.0
        (b * lw.ones(2, 3)).sum().backward()
        """, "written in", 4, "(a * 1).expand(2, 3).clone()"),
    "a row of an expanded tensor, scaled in a closure under no_grad": ("""
        def scaler(rows):
            @lw.no_grad()
            def scale(i, by):
                rows[i].mul_(by)
            return scale
        rows = (lw.ones(1, 3, requires_grad=True) * 2).expand(2, 3)
        scaler(rows)(1, 3.0)
        rows.sum().backward()
        """, "written in", 4, ".expand(2, 3).clone()"),
    "windows that overlap, scaled": ("""
        x = lw.ones(4, requires_grad=True)
        y = x * 1
        rows = y.unfold(0, 2, 1)
        rows.mul_(2)
        y.sum().backward()
        """, "written in", 4, "windows that do not overlap"),
    "values written into windows that overlap": ("""
        x = lw.ones(2, 2, requires_grad=True)
        out = lw.zeros(3)
        out.as_strided((2, 2), (1, 1)).copy_(x * 2)
        out.sum().backward()
        """, "view of", 3, "fold() or index_add()"),
    "two parameters over one memory, in two optimizers": ("""
        emb, head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
        head.weight = nn.Parameter(emb.weight.data)
        opts = [lw.optim.SGD(part.parameters(), lr=0.1) for part in (emb, head)]
        for turn in range(2):
            emb(lw.tensor([0, 1])).sum().backward()
            head(lw.ones(1, 2)).sum().backward()
            [opt.step() for opt in opts]
        """, "made in", 2, "head.weight = emb.weight"),
    "two parameters over one memory, and no optimizer": ("""
        emb, head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
        head.weight = nn.Parameter(emb.weight.data)
        for turn in range(2):
            head(emb(lw.tensor([0, 1]))).sum().backward()
            with lw.no_grad():
                for p in [*emb.parameters(), *head.parameters()]:
                    p -= 0.1 * p.grad
        """, "made in", 2, "head.weight = emb.weight"),
    "two parameters over one memory": ("""
        emb, head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
        head.weight = nn.Parameter(emb.weight.data)
        opt = lw.optim.SGD([*emb.parameters(), *head.parameters()], lr=0.1)
        head(emb(lw.tensor([0, 1]))).sum().backward()
        opt.step()
        """, "made in", 2, "head.weight = emb.weight"),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told(name):
    program, label, line, repair = TOLD[name]
    outcome = run(program)
    assert outcome.error is None
    (warned,) = outcome.warned
    assert isinstance(warned, leafward.GradientWarning)
    assert lines_of(str(warned))[label] == [line]
    assert repair in str(warned)
    assert run(program, checks=False).warned == []


def test_both_products_of_a_cross_entropy_by_hand_are_told():
    program = """
        p = (lw.ones(3, 1, requires_grad=True) * 1).sigmoid()
        y = lw.ones(3)
        loss = -(y * p.log() + (1 - y) * (1 - p).log()).mean()
        loss.backward()
        """
    told = "\n".join(str(warned) for warned in run(program).warned)
    assert lines_of(told)["pairs up"] == [3, 3]
    assert "p.log().squeeze(1)" in told and "(1 - p).log().squeeze(1)" in told
    assert run(program.replace("log()", "log().squeeze(1)")).warned == []


LAYERS = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.head = nn.Linear(2, 1)
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)
net = Net()
opt = lw.optim.SGD(net.parameters(), lr=0.1)
net(lw.ones(1, 2)).sum().backward()
opt.step()
"""


def test_layers_in_a_plain_list():
    outcome = run(LAYERS)
    (warned,) = outcome.warned
    assert "leaves out 4 parameters that backward() reached" in str(warned)
    assert lines_of(str(warned))["kept in"] == [4]
    assert "self.layers = lw.nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])" in str(warned)
    assert "net.layers[0].weight" in str(warned)
    fixed = LAYERS.replace("[nn.Linear(2, 2), nn.Linear(2, 2)]", "nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])")
    assert run(fixed).warned == []


def test_a_list_that_is_filled_later_and_a_dict_of_parameters():
    later = LAYERS.replace("[nn.Linear(2, 2), nn.Linear(2, 2)]", "[]; self.layers.append(nn.Linear(2, 2))")
    assert "self.layers" in str(run(later).warned[0])
    program = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.scales = {"a": nn.Parameter(lw.ones(2))}
                self.head = nn.Linear(2, 1)
            def forward(self, x):
                return self.head(x * self.scales["a"])
        net = Net()
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        net(lw.ones(1, 2)).sum().backward()
        opt.step()
        """
    (warned,) = run(program).warned
    assert "nn.ParameterDict({'a': nn.Parameter(lw.ones(2))})" in str(warned)


CORRECT = {
    "all pairs": """
        s = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = lw.ones(3)
        ((s[:, None] - s) ** 2).sum().backward()
        ((s.unsqueeze(1) - y) ** 2).sum().backward()
        ((s.view(-1, 1) - y) ** 2).sum().backward()
        """,
    "rows made to sum to one": """
        x = lw.rand(3, 3).requires_grad_()
        (x - x.mean(1, keepdim=True)).pow(2).sum().backward()
        """,
    "an outer product": """
        a = lw.ones(3, 1, requires_grad=True) + 0
        (a * lw.ones(3)).exp().sum().backward()
        ((a * lw.ones(3)) @ lw.ones(3)).sum().backward()
        """,
    "outer products in a sum that is bent": """
        a, b = lw.ones(3, 1, requires_grad=True), lw.ones(3, requires_grad=True)
        ((a.exp() * lw.ones(3) + b) ** 2).mean().backward()
        (a.exp() * lw.ones(3) + b).logsumexp(1).sum().backward()
        """,
    "as many examples as centers": """
        lw.manual_seed(0)
        c, scale = nn.Parameter(lw.randn(5, 1)), nn.Parameter(lw.zeros(5, 1))
        d = (lw.randn(5) - c) ** 2
        (lw.softmax(-d, 0).detach() * d).sum(0).mean().backward()
        (((lw.randn(5) - c) / scale.exp()) ** 2).sum(0).mean().backward()
        """,
    "as many examples as places in time": """
        lw.manual_seed(0)
        rate = nn.functional.softplus(nn.Linear(3, 1)(lw.randn(6, 3)))
        (-rate * lw.linspace(0, 1, 6)).exp().mean().backward()
        """,
    "all pairs without a history, of which means are taken": """
        lw.manual_seed(0)
        net, x = nn.Linear(2, 1), lw.randn(5, 2)
        with lw.no_grad():
            near = (-(net(x) - lw.randn(5)) ** 2).exp()
        ((net(x) - near.mean(1, keepdim=True)) ** 2).mean().backward()
        ((net(x) - near @ lw.randn(5, 1)) ** 2).mean().backward()
        """,
    "one factor for each row of all pairs": """
        lw.manual_seed(0)
        net, x = nn.Linear(2, 1), lw.randn(5, 2)
        with lw.no_grad():
            near = (-(net(x) - net(x).T) ** 2).exp()
        ((net(x) - net(x).T) ** 2 * near).mean().backward()
        (near * net(x)).sum(0).pow(2).mean().backward()
        """,
    "the nearest of all": """
        a = lw.ones(3, 1, requires_grad=True) + 0
        (a - lw.ones(3)).abs().min(1).values.mean().backward()
        (-(a - lw.ones(3)) ** 2).softmax(1).log().mean().backward()
        """,
    "means of differences are differences of means": """
        real, fake = lw.ones(3, 1, requires_grad=True) * 1, lw.ones(3, requires_grad=True) * 2
        (real - fake).mean().backward()
        """,
    "all pairs of one tensor": """
        s = lw.ones(3, 1, requires_grad=True) + 0
        ((s - s.squeeze(1)) ** 2).mean().backward()
        ((s - s.T) ** 2).mean().backward()
        ((s - s.detach().flatten()) ** 2).mean().backward()
        """,
    "one value for all, and a batch of one": """
        w = lw.ones(1, 1, requires_grad=True)
        ((lw.ones(1, 1) @ w - lw.ones(1)) ** 2).mean().backward()
        ((w - lw.ones(3)) ** 2).mean().backward()
        """,
    "a penalty that trains": """
        w = lw.tensor([3.0, 4.0], requires_grad=True)
        x = lw.eye(2).requires_grad_()
        (g,) = lw.autograd.grad((x @ w).sum(), x, create_graph=True)
        ((x @ w).mean() + (g.norm() - 1) ** 2).backward()
        """,
    "a step of first order in one number": """
        w = lw.tensor(3.0, requires_grad=True)
        (g,) = lw.autograd.grad(w * w, w)
        fast = w - 0.1 * g
        (fast * fast).backward()
        """,
    "places named once": """
        values = lw.tensor([1.0, 2.0], requires_grad=True)
        memory = lw.zeros(3)
        memory[lw.tensor([2, 0])] = values * 1
        memory.sum().backward()
        """,
    "one value for places named once": """
        value = lw.tensor([[2.0]], requires_grad=True)
        memory = lw.zeros(3)
        memory[lw.tensor([0, 2])] = (value * 1)[0, 0]
        memory.sum().backward()
        """,
    "places named twice, of which nothing is used": """
        values = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        slots = lw.zeros(3)
        slots[lw.tensor([0, 2, 2])] = values * 1
        slots[:2].sum().backward()
        """,
    "added up": """
        import warnings
        warnings.filterwarnings("ignore", "The reduce argument of torch.scatter")
        v = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        i = lw.tensor([0, 0, 1])
        a = lw.zeros(3).index_put((i,), v, accumulate=True) + lw.zeros(3).scatter_add(0, i, v)
        (a + lw.zeros(3).scatter(0, i, v, reduce="add") + lw.zeros(3).index_add(0, i, v)).sum().backward()
        """,
    "a source longer than the places": """
        v = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        lw.zeros(2).scatter(0, lw.tensor([1]), v).sum().backward()
        """,
    "a constant that is expanded and written, and all of an expanded tensor": """
        c = lw.zeros(3).expand(2, 3)
        c[0] = 2.0
        b = (lw.ones(3, requires_grad=True) * 1).expand(2, 3)
        with lw.no_grad():
            b.zero_()
            c.fill_(1.0)
        """,
    "an expanded tensor of one row": """
        a = lw.ones(3, requires_grad=True)
        b = (a * 1).expand(1, 3)
        b[0].mul_(2)
        b.sum().backward()
        """,
    "a copy of an expanded tensor": """
        a = lw.ones(3, requires_grad=True)
        b = (a * 1).expand(2, 3).clone()
        b[0].mul_(2)
        b.sum().backward()
        """,
    "one parameter under two names": """
        emb, head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
        head.weight = emb.weight
        opt = lw.optim.SGD({*emb.parameters(), *head.parameters()}, lr=0.1)
        head(emb(lw.tensor([0, 1]))).sum().backward()
        opt.step()
        """,
    "gradients by role, of tensors over one memory": """
        x = lw.ones(3)
        first, second = x.detach().requires_grad_(), x.detach().requires_grad_()
        (first * second ** 2).sum().backward()
        """,
    "a frozen network over the same memory": """
        net, target = nn.Linear(2, 2), nn.Linear(2, 2)
        target.weight = nn.Parameter(net.weight.data, requires_grad=False)
        opt = lw.optim.SGD(net.parameters(), 0.1)
        ((net(lw.ones(1, 2)) - target(lw.ones(1, 2))) ** 2).sum().backward()
        opt.step()
        """,
    "two parts of one memory": """
        flat = lw.ones(4)
        a, b = nn.Parameter(flat[:2]), nn.Parameter(flat[2:])
        opt = lw.optim.SGD([a, b], lr=0.1)
        (a * b).sum().backward()
        opt.step()
        """,
    "a teacher hidden in a list": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(2, 1)
                self.teacher = [nn.Linear(2, 1).requires_grad_(False)]
        net = Net()
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        ((net.head(lw.ones(1, 2)) - net.teacher[0](lw.ones(1, 2))) ** 2).sum().backward()
        opt.step()
        """,
    "a list of what is registered anyway": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 1)
                self.order = [self.a, self.b]
        net = Net()
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        net.b(net.a(lw.ones(1, 2))).sum().backward()
        opt.step()
        """,
    "another optimizer for them": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(2, 1)
                self.others = [nn.Linear(2, 2)]
        net = Net()
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        other = lw.optim.SGD(net.others[0].parameters(), lr=0.1)
        net.head(net.others[0](lw.ones(1, 2))).sum().backward()
        opt.step()
        other.step()
        """,
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_look_alikes(name):
    outcome = run(CORRECT[name])
    assert outcome.error is None
    assert outcome.warned == []
