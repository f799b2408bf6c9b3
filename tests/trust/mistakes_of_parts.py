"""Mistakes of what belongs to whom: parameters made anew, memory of two, gradients for no input, places written twice."""

#: name -> (the program, the line of the mistake, what is said of it), as in ``mistakes.py``.
PARTS = {
    "a discriminator's loss in the generator's gradient": ("""
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(3):
    fake = G(torch.randn(4, 2))
    od.zero_grad()
    d_loss = F.softplus(-D(torch.randn(4, 3))).mean() + F.softplus(D(fake)).mean()
    d_loss.backward()
    od.step()
    g_loss = F.softplus(-D(G(torch.randn(4, 2)))).mean()
    g_loss.backward()
    og.step()
""", 10, "zero_grad() is missing"),
    "a network made anew by a function": ("""
def build(width):
    return nn.Sequential(nn.Linear(3, width), nn.ReLU(), nn.Linear(width, 1))
model = build(4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
model = build(8)
for i in range(2):
    opt.zero_grad()
    model(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
""", 4, "SGD.step() has nothing to do"),
    "a head of another size after the optimizer": ("""
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
net[2] = nn.Linear(8, 2)
for i in range(2):
    opt.zero_grad()
    F.cross_entropy(net(torch.randn(6, 4)), torch.randint(0, 2, (6,))).backward()
    opt.step()
""", 3, "2 parameters of the loss are in no optimizer"),
    "a weight that is tied by a second Parameter": ("""
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(6, 4), nn.Linear(4, 6, bias=False)
        self.out.weight = nn.Parameter(self.emb.weight)
    def forward(self, ids):
        return self.out(self.emb(ids))
lm = LM()
opt = torch.optim.SGD(lm.parameters(), lr=0.1, momentum=0.9)
for i in range(3):
    ids = torch.randint(0, 6, (8,))
    opt.zero_grad()
    F.cross_entropy(lm(ids), ids).backward()
    opt.step()
""", 5, "one memory is trained as two parameters"),
    "a weight that is tied by its data": ("""
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(6, 4), nn.Linear(4, 6, bias=False)
        self.out.weight.data = self.emb.weight.data
    def forward(self, ids):
        return self.out(self.emb(ids))
lm = LM()
opt = torch.optim.SGD(lm.parameters(), lr=0.1, momentum=0.9)
for i in range(3):
    ids = torch.randint(0, 6, (8,))
    opt.zero_grad()
    F.cross_entropy(lm(ids), ids).backward()
    opt.step()
""", 5, "one memory is trained as two parameters"),
    "one gradient for two inputs": ("""
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor
net = nn.Linear(3, 2)
Scale.apply(net(torch.ones(4, 3)), 0.5).sum().backward()
""", 8, "returned an incorrect number of gradients (expected 2, got 1)"),
    "a gradient for what is no tensor": ("""
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, limit, x):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return x.clamp(-limit, limit)
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = (x.abs() < ctx.limit) * g
        return inside.sum(), inside
net = nn.Linear(3, 2)
Clip.apply(0.5, net(torch.ones(4, 3))).sum().backward()
""", 11, "returned a gradient different than None at position 1"),
    "a saved tensor that backward scales in place": ("""
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return x.mul_(2).mul(g)
w = torch.randn(3, requires_grad=True)
h = w.exp()
Square.apply(h).sum().backward()
""", 9, "`h` was overwritten"),
    "an activation of NumPy's between two layers": ("""
import numpy as np
first, second = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
h = first(torch.randn(3, 4))
h = torch.from_numpy(np.tanh(h.detach().numpy()))
second(h).pow(2).mean().backward()
opt.step()
""", 5, "cannot train 2 of its 4 parameters"),
    "rows that are written twice with equal values": ("""
h = torch.randn(3, 2, requires_grad=True)
i = torch.tensor([0, 2, 2])
out = torch.zeros(3, 2)
out[i] = h[i]
out.pow(2).sum().backward()
""", 4, "the gradient counts them twice"),
}

#: Programs like these that are right.
RIGHT_PARTS = {
    "places that are written twice, and not used": """
h = torch.randn(4, 2, requires_grad=True)
kept = torch.tensor([True, False, True, False])
slot = torch.where(kept, kept.cumsum(0) - 1, torch.tensor(3))
out = torch.zeros(4, 2)
out[slot] = h
out[:3].pow(2).sum().backward()
""",
    "unique rows, written and read by one index": """
h = torch.randn(4, 2, requires_grad=True)
i = torch.tensor([2, 0, 3])
out = torch.zeros(4, 2)
out[i] = h[i] * 2
rest = torch.zeros(4).scatter(0, torch.tensor([1, 3]), h[:2, 0])
table = torch.zeros(4, 2).index_copy(0, i, h[1:])
(out.sum() + rest.sum() + table.sum()).backward()
""",
    "windows that do not overlap, and all of one value": """
x = torch.randn(8, requires_grad=True)
y = x * 1
y.unfold(0, 2, 2).mul_(torch.tensor([0.5, 2.0]))
z = x * 1
z.unfold(0, 3, 1)[0].mul_(2)
z.as_strided((2, 4), (4, 1)).mul_(2)
z.unfold(0, 2, 1).fill_(0)
(y.sum() + z.sum()).backward()
""",
    "two losses of one encoder, with an optimizer each": """
enc, a, b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1)
oe, oa, ob = (torch.optim.SGD(part.parameters(), lr=0.1) for part in (enc, a, b))
for i in range(3):
    oe.zero_grad()
    oa.zero_grad()
    a(enc(torch.randn(4, 3))).pow(2).mean().backward()
    oa.step()
    ob.zero_grad()
    b(enc(torch.randn(4, 3))).abs().mean().backward()
    ob.step()
    oe.step()
""",
    "a custom function of a tensor, a number and a list": """
class Mix(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, sizes, y):
        ctx.factor = factor
        return x * factor + y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None, None, g
net = nn.Linear(3, 2)
Mix.apply(net(torch.ones(4, 3)), 0.5, [1, 2], net.bias).sum().backward()
""",
    "a weight that is tied, copied and loaded": """
import copy
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(6, 4), nn.Linear(4, 6, bias=False)
        self.out.weight = self.emb.weight
    def forward(self, ids):
        return self.out(self.emb(ids))
lm = copy.deepcopy(LM())
lm.load_state_dict(LM().state_dict())
opt = torch.optim.Adam(lm.parameters())
for i in range(3):
    ids = torch.randint(0, 6, (8,))
    opt.zero_grad()
    F.cross_entropy(lm(ids), ids).backward()
    opt.step()
""",
    "an online network, its target, and a variance of each feature": """
import copy
online = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
predictor, target = nn.Linear(4, 4), copy.deepcopy(online).requires_grad_(False)
opt = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.05)
for i in range(3):
    x = torch.randn(8, 4)
    with torch.no_grad():
        t = F.normalize(target(x + 0.1 * torch.randn_like(x)), dim=-1)
    z = online(x)
    loss = 2 - 2 * (F.normalize(predictor(z), dim=-1) * t).sum(-1).mean() + F.relu(1 - (z.var(0) + 1e-4).sqrt()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for a, b in zip(target.parameters(), online.parameters()):
        a.data = 0.99 * a.data + 0.01 * b.data
""",
    "a discriminator that is frozen for the generator's turn": """
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for i in range(3):
    fake = G(torch.randn(6, 2))
    od.zero_grad()
    (F.softplus(-D(torch.randn(6, 3))) + F.softplus(D(fake.detach()))).mean().backward()
    od.step()
    D.requires_grad_(False)
    og.zero_grad()
    F.softplus(-D(fake)).mean().backward()
    og.step()
    D.requires_grad_(True)
""",
}
