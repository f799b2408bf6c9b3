"""Mistakes in the styles of many hands: methods, closures, decorators, comprehensions, several statements on a line.

The line to be named ends in ``#!``.
"""

STYLES = {
    "method comprehension detach": """
        import leafward as torch
        from leafward import nn
        class Enc(nn.Module):
            def __init__(self):
                super().__init__()
                self.parts = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
            def encode(self, xs):
                return torch.stack([part(x).detach() for part, x in zip(self.parts, xs)]) #!
            def forward(self, xs):
                return self.encode(xs).sum(0)
        enc, head = Enc(), nn.Linear(3, 1)
        opt = torch.optim.Adam([*enc.parameters(), *head.parameters()])
        loss = head(enc([torch.ones(2, 3)] * 3)).pow(2).mean()
        loss.backward()
        opt.step()
        """,
    "decorated step": """
        import leafward as torch, functools
        def logged(f):
            @functools.wraps(f)
            def g(*a):
                with torch.no_grad(): #!
                    return f(*a)
            return g
        w = torch.nn.Parameter(torch.ones(3))
        class T:
            @logged
            def features(self, x):
                return (x * w).tanh()
        v = torch.nn.Parameter(torch.ones(3))
        opt = torch.optim.SGD([w, v], 0.1)
        t = T()
        loss = (t.features(torch.ones(3)) * v).sum()
        loss.backward(); opt.step()
        """,
    "lambda inplace": """
        import leafward as torch
        act = lambda z: z.sigmoid()
        scale = lambda t: t.mul_(0.5) #!
        x = torch.randn(4, requires_grad=True)
        y = act(x); z = scale(y)
        z.sum().backward()
        """,
    "class attribute buffer": """
        import leafward as torch
        class Cache:
            buf = torch.zeros(4)
            @classmethod
            def put(cls, v):
                cls.buf.copy_(v) #!
                return cls.buf
        w = torch.ones(4, requires_grad=True)
        total = 0
        for i in range(2):
            total = total + (Cache.put(torch.full((4,), float(i + 1))) * w).sum()
        total.backward()
        """,
    "dataloader buffer": """
        import leafward as torch, numpy as np
        from leafward.utils.data import Dataset, DataLoader
        class D(Dataset):
            scratch = np.zeros(3, dtype=np.float32)
            def __len__(self): return 4
            def __getitem__(self, i):
                self.scratch[:] = i + 1 #!
                return torch.from_numpy(self.scratch)
        w = torch.ones(3, requires_grad=True)
        loss = 0.0
        for b in DataLoader(D(), batch_size=None):
            loss = loss + (b * w).pow(2).sum()
        loss.backward()
        """,
    "semicolons": """
        import leafward as torch
        a = torch.ones(3, requires_grad=True); b = a.exp(); c = b.detach(); c.add_(1); (b * 2).sum().backward() #!
        """,
    "out kw in dictcomp": """
        import leafward as torch
        x = torch.ones(3, requires_grad=True)
        buf = torch.empty(3)
        hs = {k: torch.sin(x * k).exp() for k in (1, 2)}
        tmp = {k: torch.mul(h.detach(), 2, out=h.data) for k, h in hs.items()} #!
        sum(hs.values()).sum().backward()
        """,
    "optimizer two losses": """
        import leafward as torch
        from leafward import nn
        class Trainer:
            def __init__(self):
                self.net = nn.Linear(3, 3); self.a = nn.Linear(3, 1); self.b = nn.Linear(3, 1)
                self.oa = torch.optim.SGD([*self.net.parameters(), *self.a.parameters()], 0.1)
                self.ob = torch.optim.SGD([*self.net.parameters(), *self.b.parameters()], 0.1)
            def step(self, x):
                h = self.net(self.net(x).relu())
                la, lb = self.a(h).mean(), self.b(h).mean()
                self.oa.zero_grad(); la.backward(retain_graph=True); self.oa.step() #!
                self.ob.zero_grad(); lb.backward(); self.ob.step()
        Trainer().step(torch.ones(2, 3))
        """,
    "numpy loss lambda": """
        import leafward as torch, numpy as np
        w = torch.nn.Parameter(torch.ones(3))
        opt = torch.optim.SGD([w], 0.1)
        mse = lambda p, t: torch.as_tensor(np.mean((p.detach().numpy() - t) ** 2)) #!
        loss = mse(w * 2, np.zeros(3, dtype=np.float32)).requires_grad_()
        loss.backward(); opt.step()
        """,
    "argmax policy": """
        import leafward as torch
        from leafward import nn
        class Policy(nn.Module):
            def __init__(self):
                super().__init__(); self.l = nn.Linear(2, 4)
            def act(self, s): return self.l(s).argmax(-1) #!
        p = Policy()
        loss = (p.act(torch.ones(5, 2)).float() - 1.0).pow(2).mean()
        loss.backward()
        """,
    "nan norm in property": """
        import leafward as torch
        class Emb:
            def __init__(self): self.w = torch.zeros(2, 3, requires_grad=True)
            @property
            def lengths(self): return [r.norm().sqrt() if 0 else (r ** 2).sum().sqrt() for r in self.w] #!
        e = Emb()
        sum(e.lengths).backward()
        """,
    "checkpoint lambda state": """
        import leafward as torch
        from leafward.utils.checkpoint import checkpoint
        state = {"s": torch.ones(1)}
        w = torch.ones(3, requires_grad=True)
        y = checkpoint(lambda t: (t * state["s"] * w).sin(), torch.ones(3), use_reentrant=False)
        state["s"].mul_(3) #!
        y.sum().backward()
        """,
    "loss list append item": """
        import leafward as torch
        w = torch.nn.Parameter(torch.ones(3))
        opt = torch.optim.Adam([w])
        losses = []
        for i in range(3): losses.append((w * i).sum().item()) #!
        torch.tensor(losses, requires_grad=True).mean().backward(); opt.step()
        """,
    "walrus inplace": """
        import leafward as torch
        x = torch.ones(3, requires_grad=True)
        if (y := x.exp()).sum() > 0:
            y += 1 #!
        y.sum().backward()
        """,
    "generator gan": """
        import leafward as torch
        from leafward import nn
        def batches():
            for _ in range(2): yield torch.randn(4, 2)
        G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
        og, od = (torch.optim.SGD(m.parameters(), 0.1) for m in (G, D))
        for z in batches():
            fake = G(z); score = D(fake)
            od.zero_grad(); score.mean().backward(retain_graph=True); od.step() #!
            og.zero_grad(); (-score.mean()).backward(); og.step()
        """,
    "star expr list": """
        import leafward as torch
        xs = [torch.ones(2, requires_grad=True) for _ in range(3)]
        a, *rest = [x.tanh() for x in xs]
        [r.zero_() for r in rest] #!
        (a + sum(rest)).sum().backward()
        """,
    "try finally": """
        import leafward as torch
        w = torch.ones(2, requires_grad=True)
        y = w.exp().log1p().exp()
        try:
            z = y * 2
        finally:
            y.clamp_(max=1.0) #!
        (z + y).sum().backward()
        """,
    "set grad enabled flag": """
        import leafward as torch
        from leafward import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__(); self.body = nn.Linear(2, 2); self.head = nn.Linear(2, 1)
            def forward(self, x, train=False):
                with torch.set_grad_enabled(train): #!
                    h = self.body(x)
                return self.head(h)
        n = Net(); opt = torch.optim.SGD(n.parameters(), 0.1)
        n(torch.ones(3, 2)).mean().backward(); opt.step()
        """,
    "index array changed": """
        import leafward as torch
        w = torch.ones(5, requires_grad=True)
        idx = torch.tensor([0, 1])
        y = (w[idx] * 2)
        idx.add_(2) #!
        y.sum().backward()
        """,
    "where log class": """
        import leafward as torch
        class Ent(torch.nn.Module):
            def forward(self, p): return -torch.where(p > 0, p * p.log(), torch.zeros_like(p)).sum() #!
        p = torch.nn.Parameter(torch.tensor([0.0, 0.5, 0.5]))
        opt = torch.optim.SGD([p], 0.1)
        Ent()(p).backward(); opt.step()
        """,
    "lazy property cache": """
        import leafward as torch
        from leafward import nn
        from functools import cached_property
        class M(nn.Module):
            def __init__(self):
                super().__init__(); self.a = nn.Parameter(torch.ones(3)); self.b = nn.Parameter(torch.ones(3))
            @cached_property
            def kernel(self): return (self.a ** 2).exp() #!
            def forward(self, x): return (self.kernel * x * self.b).sum()
        m = M()
        opt = torch.optim.SGD(m.parameters(), 0.1)
        for _ in range(2):
            opt.zero_grad(); m(torch.ones(3)).backward(); opt.step()
        """,
    "replay buffer keeps graph": """
        import leafward as torch
        from leafward import nn
        net = nn.Linear(2, 2); opt = torch.optim.SGD(net.parameters(), 0.1)
        buf = []
        for i in range(3):
            a = net(torch.ones(2)).tanh() #!
            buf.append(a)
            loss = torch.stack(buf).pow(2).mean()
            opt.zero_grad(); loss.backward(); opt.step()
        """,
    "ema before backward": """
        import leafward as torch
        from leafward import nn
        net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1)); ema = [p.detach() for p in net.parameters()]
        loss = net(torch.ones(3, 2)).mean()
        with torch.no_grad():
            for e, p in zip(ema, net.parameters()): e.mul_(0.9).add_(p, alpha=0.2) #!
        loss.backward()
        """,
    "mask inplace attention": """
        import leafward as torch
        import leafward.nn.functional as F
        q = torch.randn(2, 4, requires_grad=True)
        att = F.softmax(q @ q.T, -1)
        att.masked_fill_(torch.eye(2).bool(), 0) #!
        (att @ q).sum().backward()
        """,
    "dataclass state": """
        import leafward as torch, dataclasses
        @dataclasses.dataclass
        class S:
            h: torch.Tensor
            def bump(self): self.h += 1 #!
        x = torch.ones(2, requires_grad=True)
        s = S(x.sqrt()); t = s.h * 2; s.bump()
        (t + s.h).sum().backward()
        """,
    "zip star map": """
        import leafward as torch
        ws = [torch.ones(2, requires_grad=True) for _ in range(2)]
        hs = list(map(torch.Tensor.exp, ws))
        for h in map(torch.Tensor.detach, hs): torch.nn.functional.relu(h.sub_(2), inplace=True) #!
        sum(h.sum() for h in hs).backward()
        """,
    "partial out": """
        import leafward as torch, functools
        y = (x := torch.ones(3, requires_grad=True)).tanh()
        write = functools.partial(torch.add, out=y.data)
        write(torch.ones(3), 1) #!
        y.sum().backward()
        """,
    "context class grad off": """
        import leafward as torch
        class quiet:
            def __enter__(self): self.was = torch.is_grad_enabled(); torch.set_grad_enabled(False)
            def __exit__(self, *e): torch.set_grad_enabled(self.was)
        w = torch.nn.Parameter(torch.ones(2)); v = torch.nn.Parameter(torch.ones(2))
        opt = torch.optim.SGD([w, v], 0.1)
        with quiet():
            f = w * 2 #!
        (f * v).sum().backward(); opt.step()
        """,
    "async await": """
        import leafward as torch, asyncio
        async def fwd(w): await asyncio.sleep(0); return (w * 2).sigmoid()
        async def main():
            w = torch.ones(3, requires_grad=True)
            h = await fwd(w)
            h.mul_(2) #!
            h.sum().backward()
        asyncio.run(main())
        """,
    "sorted key lambda": """
        import leafward as torch
        w = torch.nn.Parameter(torch.randn(4)); opt = torch.optim.SGD([w], 0.1)
        best = max((w * i for i in range(3)), key=lambda t: t.sum().item())
        loss = torch.tensor(float(best.sum()), requires_grad=True) #!
        loss.backward(); opt.step()
        """,
    "nested ctx stash": """
        import leafward as torch
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.cache = {"x": x, "w": w}
                return x * w
            @staticmethod
            def backward(ctx, g):
                return g * ctx.cache["w"], g * ctx.cache["x"]
        x = torch.ones(2, requires_grad=True); w = torch.ones(2, requires_grad=True)
        y = F.apply(x, w)
        with torch.no_grad(): w.mul_(5) #!
        y.sum().backward()
        """,
    "hook lambda returns other device": """
        import leafward as torch
        a = torch.ones(3, requires_grad=True)
        b = torch.ones(3, requires_grad=True)
        s = [p * 1 for p in (b, a)]
        s[1].register_hook(lambda g: g.clamp_(max=0.1)) #!
        (s[0] + s[1]).mul(torch.tensor([1., 2., 3.])).sum().backward()
        """,
    "rnn bptt class": """
        import leafward as torch
        from leafward import nn
        class R(nn.Module):
            def __init__(self):
                super().__init__(); self.c = nn.GRUCell(2, 3); self.state = torch.zeros(1, 3)
            def forward(self, x):
                self.state = self.c(x, self.state) #!
                return self.state.sum()
        r = R(); opt = torch.optim.Adam(r.parameters())
        for _ in range(3):
            opt.zero_grad(); r(torch.ones(1, 2)).backward(); opt.step()
        """,
    "broadcast method loss": """
        import leafward as torch
        from leafward import nn
        class Reg(nn.Module):
            def __init__(self): super().__init__(); self.l = nn.Linear(2, 1)
            def loss(self, x, y): return torch.mean(torch.square(self.l(x) - y)) #!
        r = Reg(); opt = torch.optim.SGD(r.parameters(), 0.1)
        r.loss(torch.ones(8, 2), torch.ones(8)).backward(); opt.step()
        """,
    "frozen then unfrozen": """
        import leafward as torch
        from leafward import nn
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)).requires_grad_(False) #!
        opt = torch.optim.SGD([p for p in net.parameters()], 0.1)
        out = net(torch.ones(1, 2))
        for p in net.parameters(): p.requires_grad = True
        out.sum().backward(); opt.step()
        """,
    "tensor of tensors in dict": """
        import leafward as torch
        w = torch.nn.Parameter(torch.ones(3)); opt = torch.optim.SGD([w], 0.1)
        parts = {"a": (w ** 2).sum(), "b": w.sum()}
        loss = torch.tensor([*parts.values()]).sum().requires_grad_() #!
        loss.backward(); opt.step()
        """,
    "numpy ufunc where": """
        import leafward as torch, numpy as np
        x = torch.ones(4, requires_grad=True); y = x.cos().exp()
        v = y.detach().numpy().view(); np.add.at(v, [0, 1], 1) #!
        y.sum().backward()
        """,
}
