"""Each kind of mistake in other shapes: in modules, loops, comprehensions, closures. The line is named."""
import re

import pytest

import leafward
from tests.trust.programs import run

#: Programs of which the line that is marked has to be named.
SHAPES = {
    "a cut in a module": """
class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
    def forward(self, x):
        h = self.a(x).tanh()
        self.last = h = h.detach()  # BUG
        return self.b(h)
net = Enc()
opt = lw.optim.Adam(net.parameters())
for x in lw.randn(3, 4, 3):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
""",
    "a cut in a comprehension": """
towers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
head = nn.Linear(6, 1)
opt = lw.optim.SGD([*towers.parameters(), *head.parameters()], lr=0.1)
feats = [t(lw.ones(4, 2)).data if i == 1 else t(lw.ones(4, 2)) for i, t in enumerate(towers)]  # BUG
head(lw.cat(feats, 1)).mean().backward()
opt.step()
""",
    "a cut inside of a context of the user's own": """
class Frozen:
    def __enter__(self):
        self.was = lw.is_grad_enabled()
        lw.set_grad_enabled(False)
    def __exit__(self, *a):
        lw.set_grad_enabled(self.was)
emb = nn.Embedding(5, 3); out = nn.Linear(3, 2)
opt = lw.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
with Frozen():
    v = emb(lw.tensor([1, 2]))  # BUG
nn.functional.cross_entropy(out(v), lw.tensor([0, 1])).backward()
opt.step()
""",
    "a cut by a decorator": """
@lw.no_grad()
def encode(net, x):
    return net(x)  # BUG
a, b = nn.Linear(2, 2), nn.Linear(2, 1)
opt = lw.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
loss = b(encode(a, lw.ones(3, 2))).sum()
loss.backward()
opt.step()
""",
    "a cut in a lambda": """
ws = [nn.Parameter(lw.ones(2)) for _ in range(3)]
opt = lw.optim.SGD(ws, lr=0.1)
parts = list(map(lambda w: lw.tensor(w.sum().item(), requires_grad=True), ws))  # BUG
loss = sum(parts)
loss.backward()
opt.step()
""",
    "nan in a module": """
class Dist(nn.Module):
    def forward(self, x):
        d = x[:, None] - x[None]
        return lw.sqrt((d ** 2).sum(-1))  # BUG
net = nn.Linear(3, 2)
Dist()(net(lw.randn(4, 3))).mean().backward()
""",
    "nan in a comprehension": """
p = nn.Parameter(lw.tensor([[0.0, 1.0], [0.5, 0.5]]))
ent = [-(row * row.log()).sum() for row in p]  # BUG
lw.stack(ent).nan_to_num().sum().backward()
""",
    "nan in a function that is handed on": """
def unit(v):
    return v / v.pow(2).sum().sqrt()  # BUG
def loss(f, v): return f(v).sum()
v = lw.zeros(3, requires_grad=True)
loss(unit, v).backward()
""",
    "nan in a loop": """
x = lw.tensor([0.0, 2.0], requires_grad=True)
h = x
for i in range(3):
    h = h.abs() ** 0.5  # BUG
h.sum().backward()
""",
    "nan at the end of a domain": """
def angle(a, b):
    c = (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))
    return lw.acos(c)  # BUG
a = lw.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
angle(a, lw.tensor([[1.0, 0.0], [1.0, 0.0]])).sum().backward()
""",
    "memory written by an object": """
import numpy as np
class Log:
    def __init__(self): self.kept = None
    def __call__(self, t):
        self.kept = t.detach().numpy()
    def clear(self):
        self.kept.fill(0)  # BUG
log = Log()
net = nn.Sequential(nn.Linear(2, 3), nn.Sigmoid(), nn.Linear(3, 1))
h = net[1](net[0](lw.ones(4, 2))); log(h)
loss = net[2](h).sum()
log.clear()
loss.backward()
""",
    "memory of arrays in a list": """
import numpy as np
bufs = [np.ones(2, np.float32) for _ in range(3)]
w = lw.ones(2, requires_grad=True)
ts = [lw.from_numpy(b) for b in bufs]
loss = sum((t * w).sum() for t in ts)
for b in bufs:
    b *= 0  # BUG
loss.backward()
""",
    "memory filled by a closure": """
import numpy as np
def loader():
    buf = np.zeros((2, 2), np.float32)
    def get(i):
        buf[:] = i + 1  # BUG
        return lw.as_tensor(buf)
    return get
get = loader()
w = lw.ones(2, requires_grad=True)
losses = []
for i in range(3):
    losses.append((get(i) * w).exp().sum())
lw.stack(losses).sum().backward()
""",
    "memory of an array.array": """
import array
a = array.array("f", [1.0, 2.0])
t = lw.frombuffer(a, dtype=lw.float32)
w = lw.ones(2, requires_grad=True)
y = (t * w).sum()
a[0] = 9.0  # BUG
y.backward()
""",
    "memory that went there and back": """
import numpy as np
x = lw.ones(3, requires_grad=True)
y = x.sigmoid()
z = lw.from_dlpack(np.from_dlpack(y.detach()))
z += 1  # BUG
y.sum().backward()
""",
    "a hook on each of a list": """
ts = [lw.ones(2, requires_grad=True) for _ in range(3)]
hs = [t * 1.0 for t in ts]
for h in hs:
    h.register_hook(lambda g: g.clamp_(max=0.1))  # BUG
((hs[0] + hs[1] + hs[2]) * 3).sum().backward()
""",
    "duplicate indices in a module": """
class Mem(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(2, 2)
        self.register_buffer("m", lw.zeros(4, 2))
    def forward(self, i, x):
        m = self.m.clone()
        m[i] = self.w(x)  # BUG
        return m
Mem()(lw.tensor([0, 0, 1]), lw.randn(3, 2)).sum().backward()
""",
    "duplicate indices in a comprehension": """
xs = [lw.tensor([1.0, 2.0], requires_grad=True) for _ in range(2)]
out = [lw.zeros(3).scatter(0, lw.tensor([1, 1]), x * 2) for x in xs]  # BUG
lw.stack(out).sum().backward()
""",
    "duplicate indices in a closure": """
def writer(n):
    t = lw.zeros(n, 2)
    def put(rows, v):
        t.index_copy_(0, rows, v)  # BUG
        return t
    return put
v = lw.rand(2, 2, requires_grad=True)
writer(3)(lw.tensor([2, 2]), v * 3).sum().backward()
""",
    "duplicate pairs of indices": """
g = lw.zeros(3, 3)
v = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
g[lw.tensor([0, 0, 1]), lw.tensor([1, 1, 2])] = v.exp()  # BUG
g.sum().backward()
""",
    "duplicate places of put_": """
g = lw.zeros(4)
v = lw.tensor([1.0, 2.0], requires_grad=True)
g.put_(lw.tensor([3, 3]), v.exp())  # BUG
g.sum().backward()
""",
    "a column against a row in a module": """
class Loss(nn.Module):
    def forward(self, p, t):
        e = p - t  # BUG
        return e.pow(2).mean()
net = nn.Linear(3, 1)
Loss()(net(lw.randn(5, 3)), lw.randn(5)).backward()
""",
    "a column against a row in a comprehension": """
heads = nn.ModuleList(nn.Linear(3, 1) for _ in range(2))
y = [lw.randn(5), lw.randn(5)]
x = lw.randn(5, 3)
losses = [(h(x) - t).abs().mean() for h, t in zip(heads, y)]  # BUG
sum(losses).backward()
""",
    "a column against a row in a closure": """
def huber(delta):
    def loss(a, b):
        d = (a - b).abs()  # BUG
        return lw.where(d < delta, d * d / 2, delta * (d - delta / 2)).mean()
    return loss
huber(1.0)(nn.Linear(3, 1)(lw.randn(5, 3)), lw.randn(5)).backward()
""",
    "weights as a row": """
w = lw.rand(5)
per = (nn.Linear(3, 1)(lw.randn(5, 3)) - lw.randn(5, 1)) ** 2
loss = (w * per).mean()  # BUG
loss.backward()
""",
    "an expanded tensor written in a loop": """
base = lw.ones(3, requires_grad=True) * 1.0
rows = base.expand(4, 3)
for i in range(4):
    rows[i] = i  # BUG
rows.sum().backward()
""",
    "an expanded tensor written by a closure": """
def adder(t):
    def add(i, v):
        t[i].add_(v)  # BUG
    return add
t = (lw.ones(1, 2, requires_grad=True) * 2).expand(3, 2)
adder(t)(1, 5.0)
t.sum().backward()
""",
    "an expanded tensor written under no_grad": """
b = (lw.ones(2, requires_grad=True) * 2).expand(3, 2)
with lw.no_grad():
    b[0] = 5.0  # BUG
(b * lw.ones(3, 2)).sum().backward()
""",
    "a checkpointed module that counts": """
from leafward.utils.checkpoint import checkpoint
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.calls = nn.Linear(2, 2), 0
    def forward(self, x):
        self.calls += 1  # BUG
        return (self.w(x) * self.calls).exp()
b = Block()
checkpoint(b, lw.ones(3, 2), use_reentrant=False).sum().backward()
""",
    "a checkpointed lambda that draws": """
from leafward.utils.checkpoint import checkpoint
import random
w = nn.Parameter(lw.ones(2))
outs = [checkpoint(lambda x: (w * x * random.random()).exp(), lw.ones(2), use_reentrant=False) for _ in range(2)]  # BUG
lw.stack(outs).sum().backward()
""",
    "a checkpointed closure over a dict": """
from leafward.utils.checkpoint import checkpoint
def make(state):
    def f(x):
        return (x * state["gain"]) ** 2
    return f
state = {"gain": lw.ones(2)}
x = lw.ones(2, requires_grad=True)
y = checkpoint(make(state), x, use_reentrant=True)
state["gain"].mul_(3)  # BUG
y.sum().backward()
""",
    "a checkpointed function over an array": """
from leafward.utils.checkpoint import checkpoint
import numpy as np
mask = np.ones(4, np.float32)
w = nn.Parameter(lw.ones(4))
def f(x): return (x * w * lw.from_numpy(mask)).exp()
y = checkpoint(f, lw.ones(4), use_reentrant=False)
mask[:] = 0  # BUG
y.sum().backward()
""",
    "a norm of .data": """
v = nn.Parameter(lw.ones(3)); u = nn.Parameter(lw.ones(3))
opt = lw.optim.SGD([v, u], lr=0.1)
loss = (u * 2).sum() + v.data.norm()  # BUG
loss.backward()
opt.step()
""",
    "clipping before backward": """
net = nn.Linear(3, 1)
opt = lw.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    loss = net(lw.randn(4, 3)).pow(2).mean()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # BUG
    loss.backward()
    opt.step()
""",
    "a divergence of logarithms": """
net = nn.Linear(3, 4); t = nn.Linear(3, 4)
x = lw.randn(8, 3)
opt = lw.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    with lw.no_grad():
        goal = t(x).log_softmax(1)
    loss = nn.functional.kl_div(net(x).log_softmax(1), goal, reduction="batchmean")  # BUG
    opt.zero_grad(); loss.backward(); opt.step()
""",
    "a broadcast tensor": """
b = (lw.ones(2, requires_grad=True) * 2).broadcast_to((3, 2))
b[0].mul_(3)  # BUG
b.sum().backward()
""",
    "a column of an expanded tensor": """
b = (lw.ones(2, requires_grad=True) * 2).expand_as(lw.ones(3, 2))
b.select(0, 1).fill_(3)  # BUG
b.sum().backward()
""",
    "a checkpointed module that counts, as one node": """
from leafward.utils.checkpoint import checkpoint
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.calls = nn.Linear(2, 2), 0
    def forward(self, x):
        self.calls += 1  # BUG
        return (self.w(x) * self.calls)
b = Block()
checkpoint(b, lw.ones(3, 2, requires_grad=True), use_reentrant=True).sum().backward()
""",
    "a hook that is a method": """
class Scale(nn.Module):
    def forward(self, x):
        y = x * 1.0
        y.register_hook(self.shrink)
        return y
    def shrink(self, g):
        g *= 0.5  # BUG
a, b = lw.ones(2, requires_grad=True), lw.ones(2, requires_grad=True)
other = b * 1.0
((Scale()(a) + other) * 3).sum().backward()
""",
    "a hook that writes by out=": """
def clip(g):
    lw.clamp(g, -0.1, 0.1, out=g)  # BUG
a, b = lw.ones(2, requires_grad=True), lw.ones(2, requires_grad=True)
other, hooked = b * 1.0, a * 1.0
hooked.register_hook(clip)
((hooked + other) * 3).sum().backward()
""",
    "a hook that writes through .data": """
def halved(g):
    g.data *= 0.5  # BUG
a, b = lw.ones(2, requires_grad=True), lw.ones(2, requires_grad=True)
other, hooked = b * 1.0, a * 1.0
hooked.register_hook(halved)
((hooked + other) * 3).sum().backward()
""",
    "a hook of a module, before its backward": """
def doubled(module, grads):
    grads[0].mul_(2)  # BUG
a, b = lw.ones(1, 2, requires_grad=True), lw.ones(1, 2, requires_grad=True)
layer, other = nn.Linear(2, 2), b * 1.0
layer.register_full_backward_pre_hook(doubled)
((layer(a * 1.0) + other) * 3).sum().backward()
""",
    "a hook of a node": """
a, b = lw.ones(2, requires_grad=True), lw.ones(2, requires_grad=True)
other, hooked = b * 1.0, a * 1.0
def zeroed(grads):
    grads[0].zero_()  # BUG
hooked.grad_fn.register_prehook(zeroed)
((hooked + other) * 3).sum().backward()
""",
    "a hook that writes through NumPy": """
a, b = lw.ones(2, requires_grad=True), lw.ones(2, requires_grad=True)
other, hooked = b * 1.0, a * 1.0
def zeroed(g):
    g.numpy()[:] = 0  # BUG
hooked.register_hook(zeroed)
((hooked + other) * 3).sum().backward()
""",
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_line_is_named(name):
    source = SHAPES[name].lstrip("\n")
    line = next(number for number, text in enumerate(source.splitlines(), 1) if text.endswith("# BUG"))
    leafward.manual_seed(0)
    outcome = run(source.replace("  # BUG", ""))
    told = [*([str(outcome.error)] if outcome.error is not None else []), *map(str, outcome.warned)]
    assert any(re.search(rf"train\.py:{line}\b", text) for text in told), told
