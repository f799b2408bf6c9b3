"""Programs with overwritten values and graphs that were freed, and what was meant by each."""
from tests.trust.programs import BETWEEN, BUFFER

#: name -> (the program, what makes it the program that was meant: pairs of text and its replacement, or several such lists).
PROGRAMS = {
    "a saved output, overwritten": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x.exp()
        y.mul_(2)
        y.sum().backward()
        """, [("y.mul_(2)", "y = y.mul(2)")]),
    "an augmented assignment": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x.sigmoid()
        y *= 3
        y.sum().backward()
        """, [("y *= 3", "y = y * 3")]),
    "a saved input, overwritten": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x * 2
        z = y ** 2
        y += 5
        (z.sum() + y.sum()).backward()
        """, [("y += 5", "y = y + 5")]),
    "both operands": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        h = x * 2
        z = h * h
        h.mul_(3)
        (z.sum() + h.sum()).backward()
        """, [("h.mul_(3)", "h = h * 3")]),
    "several that kept it": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        h = x * 2
        a = h.sin()
        b = h.cos()
        with lw.no_grad():
            h.zero_()
        (a + 2 * b).sum().backward()
        """, [("h.zero_()", "pass")]),
    "under no_grad": ("""
        x = lw.tensor([0.1, 1.5], requires_grad=True)
        y = x.exp()
        with lw.no_grad():
            y.clamp_(max=2.0)
        ((y - 1) ** 2).sum().backward()
        """, [("    y.clamp_(max=2.0)", "    c = y.clamp(max=2.0) - y"), ("((y - 1)", "y = y + c\n((y - 1)")]),
    "a decorated function": ("""
        @lw.no_grad()
        def limit(t):
            t.clamp_(max=2.0)
        x = lw.tensor([0.1, 1.5], requires_grad=True)
        y = x.exp()
        limit(y)
        ((y - 1) ** 2).sum().backward()
        """, [("limit(y)", "y = y + (y.clamp(max=2.0) - y).detach()")]),
    "a function's parameter": ("""
        def double(t):
            t.mul_(2)
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x.exp()
        double(y)
        y.sum().backward()
        """, [("double(y)", "y = y * 2")]),
    "a function's parameter, augmented": ("""
        def halve(t):
            t *= 0.5
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x.exp()
        z = y.sin()
        halve(y)
        (z + y).sum().backward()
        """, [("halve(y)", "y = y * 0.5")]),
    "a function on one line": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x.exp()
        def double(t): t.mul_(2)
        double(y)
        y.sum().backward()
        """, [("double(y)", "y = y * 2")]),
    "a loop's variable": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        ys = [(x * k).exp() for k in (1.0, 2.0)]
        for y in ys:
            y.mul_(2)
        sum(y.sum() for y in ys).backward()
        """, [("    y.mul_(2)", "    pass"), ("sum(y.sum()", "sum(2 * y.sum()")]),
    "another name for it": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x.exp()
        seen = [y]
        y.mul_(2)
        seen[0].sum().backward()
        """, [("y.mul_(2)", "seen = [y * 2]")]),
    "a detach() without a name": ("""
        x = lw.tensor([0.1, 1.5], requires_grad=True)
        y = x.exp()
        y.detach().clamp_(max=2.0)
        ((y - 1) ** 2).sum().backward()
        """, [("y.detach().clamp_(max=2.0)", "y = y + (y.clamp(max=2.0) - y).detach()")]),
    "a detach() with a name": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        y = x.exp()
        s = y.detach()
        s -= s.mean()
        y.sum().backward()
        """, [("y.detach()", "y.detach().clone()")]),
    "a view with a name": ("""
        x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        h = x * 3
        score = (h ** 2).sum()
        head = h[:2]
        head.zero_()
        (score + h.sum()).backward()
        """, [("head = h[:2]\nhead.zero_()", "h = lw.cat([lw.zeros(2), h[2:]])")]),
    "an element": ("""
        x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        p = lw.softmax(x, 0)
        p[0] = 0
        (p * lw.tensor([1.0, 5.0, 7.0])).sum().backward()
        """, [("p[0] = 0", "p = lw.cat([lw.zeros(1), p[1:]])")]),
    "the result of a layer": ("""
        att = nn.Softmax(dim=0)
        x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        p = att(x)
        p[0] = 0
        (p * lw.tensor([1.0, 5.0, 7.0])).sum().backward()
        """, [("p[0] = 0", "p = lw.cat([lw.zeros(1), p[1:]])")]),
    "the input of a layer": ("""
        bn = nn.BatchNorm1d(2)
        x = lw.tensor([[1.0, 2.0], [2.0, 5.0], [4.0, 3.0]], requires_grad=True)
        h = x * 1
        y = bn(h)
        h.mul_(2)
        (y ** 2 * h).sum().backward()
        """, [("h.mul_(2)", "h = h * 2")]),
    "an index": ("""
        emb = nn.Embedding(4, 3)
        ids = lw.tensor([0, 1])
        y = emb(ids)
        ids.fill_(3)
        y.sum().backward()
        grad = emb.weight.grad
        """, [("ids.fill_(3)", "")]),
    "a product": ("""
        a = lw.tensor([1.0, 2.0], requires_grad=True)
        x = a * 1
        m = lw.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        w = m * 1
        y = x @ w
        w.mul_(2)
        y.sum().backward()
        """, [("w.mul_(2)", "")]),
    "out=": ("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        buf = lw.empty(2)
        total = 0
        for x in (lw.tensor([1.0, 1.0]), lw.tensor([5.0, 7.0])):
            lw.add(x, lw.ones(2), out=buf)
            total = total + (buf * w).sum()
        total.backward()
        """, [("lw.add(x, lw.ones(2), out=buf)", "buf = lw.add(x, lw.ones(2))")]),
    "a method": ("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(lw.tensor([1.0, 2.0]))
            def forward(self, x):
                h = lw.tanh(self.w * x)
                h += 1
                return h
        net = Net()
        net(lw.tensor([0.5, 1.0])).sum().backward()
        grad = net.w.grad
        """, [("h += 1", "h = h + 1")]),
    "an in-place layer": ("""
        lw.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU(inplace=True))
        nn.init.ones_(net[0].weight)
        out = net(lw.ones(1, 2))
        out.sum().backward()
        grad = net[0].weight.grad
        """, [("ReLU(inplace=True)", "ReLU()")]),
    ".data": ("""
        x = lw.tensor([3.0, -3.0], requires_grad=True)
        p = x.sigmoid()
        p.data.clamp_(0.2, 0.8)
        p.log().sum().backward()
        """, [("p.data.clamp_(0.2, 0.8)", "p = p + (p.clamp(0.2, 0.8) - p).detach()")]),
    ".data with a name": ("""
        x = lw.tensor([3.0, -3.0], requires_grad=True)
        p = x.sigmoid()
        q = p.data
        q.sub_(1)
        p.sum().backward()
        """, [("p.data", "p.data.clone()")]),
    "out= into .data": ("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        lw.zeros(2, out=y.data)
        y.sum().backward()
        """, [("lw.zeros(2, out=y.data)", "")]),
    "a mask by .data": ("""
        x = lw.tensor([[0.5, 1.0, 2.0], [1.0, 3.0, 0.0]], requires_grad=True)
        p = x.softmax(-1)
        p.data[:, 1:] = 0.0
        (p @ lw.tensor([1.0, 2.0, 3.0])).sum().backward()
        """, [("p.data[:, 1:] = 0.0", "p = p * lw.tensor([1.0, 0.0, 0.0])")]),
    "a factor by .data": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        p = x.sigmoid()
        p.data *= lw.tensor([0.0, 2.0])
        p.sum().backward()
        """, [("p.data *= lw.tensor([0.0, 2.0])", "p = p * lw.tensor([0.0, 2.0])")]),
    "a mask by detach()": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        p = x.exp()
        p.detach().masked_fill_(lw.tensor([True, False]), 0.0)
        p.sum().backward()
        """, [("p.detach().masked_fill_(lw.tensor([True, False]), 0.0)", "p = p * lw.tensor([0.0, 1.0])")]),
    "a parameter updated through NumPy": ("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        x = lw.tensor([3.0, 4.0], requires_grad=True)
        y = (w * x).sum()
        a = w.detach().numpy()
        a -= 0.5
        y.backward()
        grad = [x.grad, w.detach()]
        """, [("a -= 0.5", "b = a - 0.5"), ("y.backward()", "y.backward()\na[:] = b")]),
    "a data set that is shuffled in each turn": ("""
        import numpy as np
        data = np.arange(8.0, dtype=np.float32).reshape(4, 2)
        x = lw.from_numpy(data)
        w = lw.ones(2, requires_grad=True)
        losses = []
        for turn in range(2):
            losses.append(((x @ w) * lw.arange(4.0)).sum())
            data[:] = data[::-1].copy()
        sum(losses).backward()
        """, [("x @ w", "x.clone() @ w")]),
    "a buffer that is read again": ("""
        import numpy as np
        data = np.ones(2, dtype=np.float32)
        x = lw.from_numpy(data)
        w = lw.ones(2, requires_grad=True)
        first = (x * w).sum()
        data *= 3
        (first + (x * w).sum()).backward()
        """, [("first = (x * w)", "first = (x.clone() * w)")]),
    "NumPy": ("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        a = y.detach().numpy()
        a *= 100
        y.sum().backward()
        """, [("numpy()", "numpy().copy()")]),
    "asarray": ("""
        import numpy as np
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        a = np.asarray(y.detach())
        a *= 100
        y.sum().backward()
        """, [("np.asarray(y.detach())", "np.array(y.detach())")]),
    "a buffer of NumPy's": (BUFFER, [("lw.from_numpy(buf)", "lw.tensor(buf)")]),
    "the step between, of a GAN": ("""
        lw.manual_seed(0)
        G = nn.Linear(2, 2)
        D = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        opt_D = lw.optim.SGD(D.parameters(), lr=0.1)
        fake = G(lw.ones(4, 2))
        d_loss = D(fake.detach()).mean()
        d_loss.backward()
        g_loss = -D(fake).mean()
        opt_D.step()
        g_loss.backward()
        grad = [G.weight.grad, D[0].weight]
        """, [("g_loss = -D(fake).mean()\nopt_D.step()", "opt_D.step()\ng_loss = -D(fake).mean()")]),
    "the step between two losses": ("""
        lw.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        out = net(lw.ones(4, 2))
        l1 = out.mean()
        l2 = (out ** 2).mean()
        opt.zero_grad()
        l1.backward(retain_graph=True)
        opt.step()
        opt.zero_grad()
        l2.backward()
        grad = [net[0].weight.grad, net[0].weight]
        """, [("opt.step()\n", "opt.step()\nl2 = (net(lw.ones(4, 2)) ** 2).mean()\n")]),
    "an epoch over one graph": ("""
        lw.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        out = net(lw.ones(4, 2))
        for epoch in range(3):
            loss = (out ** 2).mean()
            opt.zero_grad()
            loss.backward(retain_graph=True)
            opt.step()
        grad = net[0].weight
        """, [("loss = (out ** 2)", "loss = (net(lw.ones(4, 2)) ** 2)")]),
    "a state carried over a step": ("""
        lw.manual_seed(0)
        cell = nn.RNNCell(1, 2)
        opt = lw.optim.SGD(cell.parameters(), lr=0.1)
        h = lw.zeros(1, 2)
        for x in (0.5, -1.0, 2.0):
            h = cell(lw.tensor([[x]]), h)
            loss = (h ** 2).sum()
            opt.zero_grad()
            loss.backward(retain_graph=True)
            opt.step()
        grad = cell.weight_hh
        """, [("h = cell(lw.tensor([[x]]), h)", "h = cell(lw.tensor([[x]]), h.detach())")]),
    "an update for other inputs": (
        BETWEEN, [("w.data -= 0.1 * w.grad\n", "")], [("w.data -= 0.1 * w.grad\n", "w.data -= 0.1 * w.grad\nout = w * x\n")]),
    "weights scaled in a loop": ("""
        lw.manual_seed(0)
        lin = nn.Linear(2, 2)
        out = lin(lw.ones(3, 2)).tanh()
        out2 = lin(out)
        with lw.no_grad():
            for p in lin.parameters():
                p.mul_(0.9)
        out2.sum().backward()
        grad = lin.weight.grad
        """, [("out2.sum()", "lin(lin(lw.ones(3, 2)).tanh()).sum()")]),
    "statistics of another batch": ("""
        bn = nn.BatchNorm1d(2)
        x = lw.tensor([[1.0, 2.0], [2.0, 5.0]], requires_grad=True)
        bn.eval()
        y = bn(x)
        bn.train()
        bn(x.detach())
        (y ** 2).sum().backward()
        """, [("bn(x.detach())\n(y ** 2).sum().backward()", "(y ** 2).sum().backward()")]),
    "gradients that a loss uses": ("""
        p = lw.ones(2, requires_grad=True)
        optimizer = lw.optim.SGD([p], lr=1.0)
        p.sum().backward()
        w = lw.ones(2, requires_grad=True)
        loss = (p.grad * w).sum()
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        grad = w.grad
        """, [("loss = (p.grad * w)", "loss = (p.grad.clone() * w)")]),
    "two losses on one trunk": ("""
        lw.manual_seed(0)
        trunk, a, b = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)
        h = trunk(lw.ones(3, 2)).tanh()
        la = a(h).mean()
        lb = b(h).mean()
        la.backward()
        lb.backward()
        grad = trunk.weight.grad
        """, [("la.backward()\nlb.backward()", "(la + lb).backward()")]),
    "a list of losses": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        h = x.exp()
        losses = [(h * k).sum() for k in (1.0, 2.0)]
        for loss in losses:
            loss.backward()
        """, [("for loss in losses:\n    loss.backward()", "sum(losses).backward()")]),
    "a part built before the loop": ("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        xs = lw.exp(w * 0.5)
        for step in range(3):
            loss = (xs * w).sum()
            loss.backward()
        """, [("    loss = (xs", "    xs = lw.exp(w * 0.5)\n    loss = (xs")],
        [("lw.exp(w * 0.5)", "lw.exp(w * 0.5).detach()")]),
    "a state carried from turn to turn": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        h = lw.ones(2)
        for step in range(3):
            h = lw.sin(h * x)
            h.sum().backward()
        """, [("h = lw.sin(h * x)", "h = lw.sin(h.detach() * x)")]),
    "a state carried from turn to turn, that begins as None": ("""
        lw.manual_seed(0)
        cell = nn.LSTM(1, 2)
        state = None
        for x in (0.5, -1.0, 2.0):
            out, state = cell(lw.full((3, 1, 1), x), state)
            out.sum().backward()
        grad = cell.weight_hh_l0.grad
        """, [("x), state)", "x), None if state is None else [s.detach() for s in state])")]),
    "a state that begins as None in a network": ("""
        lw.manual_seed(0)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.cell, self.h = nn.RNNCell(1, 2), None
                self.h = None
            def forward(self, x):
                self.h = self.cell(x, self.h)
                return self.h
        net = Net()
        for x in (0.5, -1.0, 2.0):
            net(lw.full((1, 1), x)).sum().backward()
        grad = net.cell.weight_hh.grad
        """, [("self.cell(x, self.h)", "self.cell(x, None if self.h is None else self.h.detach())")]),
    "one loss for a loop": ("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        loss = (x * x).sum()
        for step in range(3):
            loss.backward()
        """, [("    loss.backward()", "    (x * x).sum().backward()")]),
    "one loss twice": ("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        loss = (x * x).sum()
        loss.backward()
        loss.backward()
        """, [("loss.backward()\nloss", "(x * x).sum().backward()\nloss")]),
    "a leaf": ("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        w.mul_(3)
        loss = (w * w).sum()
        loss.backward()
        grad = loss
        """, [("w.mul_(3)", "w = w * 3")]),
    "a leaf, in a function on one line": ("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        def scale(t): t.mul_(3)
        scale(w)
        (w * w).sum().backward()
        """, [("scale(w)", "with lw.no_grad(): w.mul_(3)")]),
    "a leaf, augmented": ("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        v = lw.ones(2); w += v
        loss = (w * w).sum()
        loss.backward()
        grad = loss
        """, [("w += v", "w = w + v")]),
    "a leaf's element": ("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        w[0] = 5.0
        (w * w).sum().backward()
        """, [("w[0] = 5.0", "with lw.no_grad(): w[0] = 5.0")]),
    "a leaf bound anew": ("""
        w = lw.tensor(0.0, requires_grad=True)
        for step in range(2):
            w.grad = None
            loss = (w - 3.0) ** 2
            loss.backward()
            with lw.no_grad():
                w = w - 0.1 * w.grad
        """, [("w = w - 0.1", "w -= 0.1"), ("w -= 0.1 * w.grad", "w -= 0.1 * w.grad")]),
    "an update that shares its line": ("""
        w = lw.tensor([3.0, 4.0], requires_grad=True)
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        out = w * x
        out.sum().backward(retain_graph=True, inputs=[w]); w.data -= 0.1 * w.grad; k = 1
        out.sum().backward(inputs=[x])
        """, [("w.data -= 0.1 * w.grad; k = 1", "k = 1")]),
    "statistics that share their line": ("""
        bn = nn.BatchNorm1d(2).eval()
        x = lw.tensor([[0.5, 1.0], [2.0, 3.0]], requires_grad=True)
        y = bn(x * 2); bn.running_mean.add_(1); k = 3
        y.sum().backward()
        """, [("bn.running_mean.add_(1); ", "")]),
    "a leaf's write that shares its line": ("""
        w = lw.tensor([0.5, 1.0], requires_grad=True); w.mul_(2); k = 2
        (w * w).sum().backward()
        """, [("w.mul_(2); ", "w.data.mul_(2); ")], [("w.mul_(2); ", "w = w.mul(2); ")]),
    "a saved output, all on one line": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True); y = x.exp(); y.mul_(2); y.sum().backward()
        """, [("y.mul_(2)", "y = y.mul(2)")]),
    "a state handed on in a shared line": ("""
        x = lw.tensor([0.5, 1.0], requires_grad=True)
        box = [lw.ones(2)]
        for step in range(2):
            h = (box[0] * x).sin()
            k = step; box[0] = h; j = 1
            h.sum().backward()
        """, [("box[0] = h", "box[0] = h.detach()")]),
}
