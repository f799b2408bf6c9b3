"""Fresh programs of all kinds: the line that is marked with ``#!`` is named, and right programs are left alone."""
import textwrap

import pytest

from tests.trust.programs import lines_of, run

WRONG = {
    "ema teacher shares memory": """
        student = nn.Linear(2, 2); teacher = nn.Linear(2, 2)
        teacher.weight.data = student.weight.data
        x = lw.ones(3, 2, requires_grad=True)
        loss = teacher(x).pow(2).sum()
        student.weight.data.mul_(0.9)  #!
        loss.backward()
        """,
    "normalised in place through view": """
        x = lw.rand(4, 3).requires_grad_()
        p = x.softmax(1)
        best = p.detach().t()[0]
        best.clamp_(max=0.1)  #!
        p.log().sum().backward()
        """,
    "running mean buffer in a dict": """
        w = lw.ones(2, requires_grad=True)
        stats = {"mean": lw.zeros(2)}
        loss = 0
        for i in range(2):
            stats["mean"].data.add_(1)  #!
            loss = loss + (w * stats["mean"]).sum()
        loss.backward()
        """,
    "replay buffer row reused by numpy": """
        import numpy as np
        ring = np.zeros((2, 3), np.float32)
        w = lw.ones(3, requires_grad=True)
        losses = []
        for i in range(3):
            ring[i % 2] = i + 1  #!
            losses.append((lw.from_numpy(ring[i % 2]) * w).sum())
        sum(losses).backward()
        """,
    "memoryview write in a helper": """
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        def poke(m):
            m[0] = 5.0
        poke(memoryview(y.detach().numpy()))
        y.sum().backward()
        """,
    "array module reused": """
        import array
        buf = array.array("f", [1, 2])
        w = lw.ones(2, requires_grad=True)
        t = lw.frombuffer(buf, dtype=lw.float32)
        loss = (t * w).sum()
        buf[0] = 7  #!
        loss.backward()
        """,
    "dlpack alias": """
        import numpy as np
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.sigmoid()
        alias = lw.from_dlpack(y.detach())
        alias.mul_(2)  #!
        y.sum().backward()
        """,
    "scatter dup": """
        v = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        out = lw.zeros(2)
        for part, at in ((v[:2] * 1, lw.tensor([0, 0])), (v[2:] * 1, lw.tensor([1]))):
            out = out.scatter(0, at, part)  #!
        out.sum().backward()
        """,
    "masked dup by float to long": """
        v = lw.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
        grid = lw.zeros(4, 1)
        where = lw.tensor([0.2, 0.9, 2.5]).long()
        grid[where] = v * 2  #!
        (grid ** 2).sum().backward()
        """,
    "nested dup in function": """
        def put(m, i, v):
            m[i, i] = v  #!
            return m
        v = lw.tensor([1.0, 2.0], requires_grad=True)
        put(lw.zeros(3, 3), [1, 1], v * 1).sum().backward()
        """,
    "checkpoint with counter": """
        from leafward.utils.checkpoint import checkpoint
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = nn.Linear(2, 2); self.calls = 0
            def forward(self, x):
                self.calls += 1
                return self.l(x) * self.calls
        net = Net(); x = lw.ones(1, 2, requires_grad=True)
        y = checkpoint(net, x, use_reentrant=True)  #!
        y.sum().backward()
        """,
    "checkpoint weights changed by data": """
        from leafward.utils.checkpoint import checkpoint
        lin = nn.Linear(2, 2); x = lw.ones(1, 2, requires_grad=True)
        y = checkpoint(lambda v: lin(v).tanh(), x, use_reentrant=True)
        lin.weight.data.mul_(3)  #!
        y.sum().backward()
        """,
    "checkpoint argument data": """
        from leafward.utils.checkpoint import checkpoint
        x = lw.ones(2, requires_grad=True); h = x * 2
        y = checkpoint(lw.exp, h, use_reentrant=False)
        h.data.zero_()  #!
        y.sum().backward()
        """,
    "two leaves": """
        a = nn.Linear(2, 2, bias=False); b = nn.Linear(2, 2, bias=False)
        b.weight = nn.Parameter(a.weight.detach())  #!
        opt = lw.optim.SGD([*a.parameters(), *b.parameters()], 0.1)
        b(a(lw.ones(1, 2))).sum().backward(); opt.step()
        """,
    "ctx input kept and changed": """
        class Sq(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.x = x
                return x * x
            @staticmethod
            def backward(ctx, g):
                return 2 * g * ctx.x
        x = lw.ones(2, requires_grad=True); h = x * 3
        y = Sq.apply(h)
        h.detach().zero_()  #!
        y.sum().backward()
        """,
    "ctx list kept": """
        class Sq(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.kept = [x.detach()]
                return x * x
            @staticmethod
            def backward(ctx, g):
                return 2 * g * ctx.kept[0]
        x = lw.ones(2, requires_grad=True); h = x * 3
        y = Sq.apply(h)
        h.detach().zero_()  #!
        y.sum().backward()
        """,
    "no mark_dirty": """
        class Double(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.mul_(2)  #!
                return x.clone()
            @staticmethod
            def backward(ctx, g):
                return g * 2
        x = lw.ones(2, requires_grad=True); h = x * 3
        z = h.exp()
        y = Double.apply(h)
        (y.sum() + z.sum()).backward()
        """,
    "pack into deque ring": """
        from collections import deque
        ring = {}
        def pack(t):
            k = len(ring) % 1
            ring[k] = t.detach().clone()
            return k
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        with lw.autograd.graph.saved_tensors_hooks(pack, lambda k: ring[k]):
            a = x.exp(); b = (x * 1).cos()
        (a.sum() + b.sum()).backward()
        """,
    "pack numpy bank overwritten": """
        import numpy as np
        bank = np.zeros((8, 2), np.float32); used = [0]
        def pack(t):
            bank[used[0]] = t.detach().numpy(); used[0] += 1
            return used[0] - 1
        def unpack(i):
            return lw.from_numpy(bank[i])
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        with lw.autograd.graph.saved_tensors_hooks(pack, unpack):
            a = x.exp()
        bank.fill(0)  #!
        a.sum().backward()
        """,
    "storage fill": """
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.tanh()
        y.untyped_storage().fill_(0)  #!
        y.sum().backward()
        """,
    "step then second loss": """
        net = nn.Linear(2, 1); opt = lw.optim.Adam(net.parameters())
        x = lw.ones(1, 2, requires_grad=True)
        h = net(x)
        h.sum().backward(retain_graph=True)
        opt.step()  #!
        (h * h).sum().backward()
        """,
    "swap by numpy then backward": """
        import numpy as np
        x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x.exp()
        a = np.asarray(y.detach())
        a[[0, 2]] = a[[2, 0]]  #!
        y.sum().backward()
        """,
}

RIGHT = {
    "ema copy": """
        s, t = nn.Linear(2, 2), nn.Linear(2, 2)
        t.load_state_dict(s.state_dict())
        loss = t(lw.ones(1, 2)).pow(2).sum() + s(lw.ones(1, 2)).pow(2).sum()
        loss.backward()
        with lw.no_grad():
            for a, b in zip(t.parameters(), s.parameters()): a.mul_(0.9).add_(b, alpha=0.1)
        """,
    "numpy logging": """
        import numpy as np
        x = lw.tensor([1.0, 2.0], requires_grad=True); y = x.exp()
        log = y.detach().numpy(); m = log.mean(); s = np.sort(log)
        y.sum().backward()
        """,
    "buffer filled, cloned": """
        import numpy as np
        buf = np.zeros(2, np.float32); w = lw.ones(2, requires_grad=True); ls = []
        for i in range(3):
            buf[:] = i; ls.append((lw.from_numpy(buf).clone() * w).sum())
        sum(ls).backward()
        """,
    "lw.tensor copies": """
        import numpy as np
        buf = np.zeros(2, np.float32); w = lw.ones(2, requires_grad=True); ls = []
        for i in range(3):
            buf[:] = i; ls.append((lw.tensor(buf) * w).sum())
        sum(ls).backward()
        """,
    "hook returns new": """
        a = lw.ones(2, requires_grad=True); p = a * 2
        p.register_hook(lambda g: g.clamp(-0.1, 0.1)); (p * 3).sum().backward()
        """,
    "unique scatter": """
        v = lw.ones(3, requires_grad=True); lw.zeros(3).scatter(0, lw.tensor([2, 0, 1]), v * 2).sum().backward()
        """,
    "checkpoint module twice": """
        from leafward.utils.checkpoint import checkpoint
        lin = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout(0.5)); opt = lw.optim.SGD(lin.parameters(), 0.1)
        for i in range(3):
            x = lw.ones(4, 2, requires_grad=True) * (i + 1)
            opt.zero_grad(); checkpoint(lin, x, use_reentrant=i % 2 == 0).sum().backward(); opt.step()
        """,
    "checkpoint autocast": """
        from leafward.utils.checkpoint import checkpoint
        l = nn.Linear(4, 4); x = lw.ones(2, 4, requires_grad=True)
        for r in (True, False):
            with lw.autocast("cpu", dtype=lw.bfloat16):
                y = checkpoint(l, x, use_reentrant=r)
            y.float().sum().backward()
        """,
    "expanded read": """
        b = lw.zeros(3, requires_grad=True); rows = (b + 1).expand(4, 3); (rows * 2).sum().backward()
        """,
    "tied": """
        e, h = nn.Embedding(4, 2), nn.Linear(2, 4, bias=False); h.weight = e.weight
        opt = lw.optim.SGD(e.parameters(), 0.1); h(e(lw.tensor([1, 1]))).sum().backward(); opt.step()
        """,
    "ctx number": """
        class F(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x, k):
                ctx.k = k; ctx.shape = x.shape; ctx.save_for_backward(x)
                return x * k
            @staticmethod
            def backward(ctx, g):
                return g * ctx.k, None
        x = lw.ones(2, requires_grad=True); F.apply(x * 2, 3.0).sum().backward()
        """,
    "save on cpu": """
        x = lw.ones(2, requires_grad=True)
        with lw.autograd.graph.save_on_cpu():
            y = x.exp()
        y.detach().zero_(); y.sum().backward()
        """,
    "offload to file": """
        import tempfile, os
        d = tempfile.mkdtemp(); n = [0]
        def pack(t):
            n[0] += 1; p = os.path.join(d, str(n[0])); lw.save(t.detach(), p); return p
        x = lw.ones(2, requires_grad=True)
        with lw.autograd.graph.saved_tensors_hooks(pack, lambda p: lw.load(p)):
            y = x.exp(); z = (y * x).sin()
        y.detach().zero_(); z.sum().backward()
        """,
    "quantised": """
        def pack(t):
            s = t.abs().max().clamp(min=1e-8) / 7; return (t / s).round().to(lw.int8), s
        x = lw.rand(50, requires_grad=True); opt = lw.optim.SGD([x], 0.1)
        for i in range(3):
            with lw.autograd.graph.saved_tensors_hooks(pack, lambda p: p[0] * p[1]):
                y = (x.exp() * 2).sin()
            opt.zero_grad(); y.sum().backward(); opt.step()
        """,
    "weights swapped in and out": """
        import numpy as np
        w = lw.ones(2, requires_grad=True); l = (w * w).sum(); keep = w.detach().clone()
        w.data.copy_(lw.zeros(2)); w.data.copy_(keep); l.backward()
        """,
}


@pytest.mark.parametrize("name", WRONG)
def test_the_marked_line_is_named(name):
    program = textwrap.dedent(WRONG[name]).strip("\n")
    outcome = run(program)
    told = [str(outcome.error)] if outcome.error is not None else [str(warned) for warned in outcome.warned]
    assert told
    named = {line for text in told for lines in lines_of(text).values() for line in lines}
    assert {number for number, line in enumerate(program.splitlines(), 1) if "#!" in line} <= named


@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_are_left_alone(name):
    outcome = run(RIGHT[name])
    assert outcome.error is None
    assert outcome.warned == []
