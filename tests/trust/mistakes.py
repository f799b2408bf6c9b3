"""Programs as people write them for ``leafward check``: mistakes, each with the line to be named, and right ones like them."""
from tests.trust.mistakes_of_parts import PARTS
from tests.trust.mistakes_of_steps import STEPS

#: What most of them begin with.
START = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
"""

#: name -> (the program, the line of the mistake, counted from 1 after START, what is said of it).
MISTAKES = STEPS | PARTS | {
    "zero_grad forgotten in a function": ("""
def train(net, opt, data):
    for x, y in data:
        loss = F.mse_loss(net(x), y)
        loss.backward()
        opt.step()
net = nn.Linear(3, 1)
train(net, torch.optim.Adam(net.parameters()), [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(4)])
""", 4, "zero_grad() is missing"),
    "zero_grad forgotten, with a step now and then": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(8):
    loss = net(torch.randn(4, 3)).pow(2).mean() / 2
    loss.backward()
    if i % 2:
        opt.step()
""", 5, "zero_grad() is missing"),
    "a discriminator that trains with the generator's gradients": ("""
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
opt_d.zero_grad()
for i in range(3):
    fake = G(torch.randn(4, 2))
    (D(fake.detach()).mean() - D(torch.randn(4, 2)).mean()).backward()
    opt_d.step()
    opt_g.zero_grad()
    (-D(fake).mean()).backward()
    opt_g.step()
""", 9, "zero_grad() is missing"),
    "an update by hand without zeroing": ("""
w = torch.randn(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for step in range(4):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
""", 6, "zero_grad() is missing"),
    "an update of a network by hand without zeroing": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
for step in range(4):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
    for p in net.parameters():
        p.data.add_(p.grad, alpha=-0.1)
""", 4, "zero_grad() is missing"),
    "an update by hand that replaces the data": ("""
w = torch.randn(3, 1, requires_grad=True)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for step in range(4):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    w.data = w.data - 0.1 * w.grad
""", 5, "zero_grad() is missing"),
    "a parameter made in forward": ("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
    def forward(self, x):
        self.scale = nn.Parameter(torch.ones(2))
        return self.fc(x) * self.scale
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
""", 6, "made anew in each turn"),
    "a layer made in forward": ("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
    def forward(self, x):
        head = nn.Linear(2, 1)
        return head(self.fc(x))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
""", 6, "made anew in each turn"),
    "a parameter made at the first call": ("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.scale = nn.Linear(3, 2), None
    def forward(self, x):
        if self.scale is None:
            self.scale = nn.Parameter(torch.ones(2))
        return self.fc(x) * self.scale
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
""", 7, "a parameter of the loss is in no optimizer"),
    "an encoder that the optimizer lacks": ("""
enc, head = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.Adam(head.parameters())
for i in range(4):
    opt.zero_grad()
    loss = head(torch.tanh(enc(torch.randn(8, 3)))).pow(2).mean()
    loss.backward()
    opt.step()
""", 2, "2 parameters of the loss are in no optimizer"),
    "half of a network in the optimizer": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net[2].parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(8, 3)).pow(2).mean().backward()
    opt.step()
""", 2, "2 parameters of the loss are in no optimizer"),
    "zero_grad forgotten, with sparse gradients": ("""
emb = nn.Embedding(6, 3, sparse=True)
opt = torch.optim.SGD(emb.parameters(), lr=0.1)
for i in range(4):
    emb(torch.tensor([1, 2])).pow(2).mean().backward()
    opt.step()
""", 4, "zero_grad() is missing"),
    "an update by hand without zeroing, of sparse gradients": ("""
emb = nn.Embedding(6, 3, sparse=True)
for i in range(4):
    emb(torch.tensor([1, 2])).pow(2).mean().backward()
    with torch.no_grad():
        emb.weight -= 0.1 * emb.weight.grad.to_dense()
""", 3, "zero_grad() is missing"),
    "a bias that the optimizer lacks": ("""
w = torch.randn(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    opt.zero_grad()
    (torch.randn(8, 3) @ w + b).pow(2).mean().backward()
    opt.step()
""", 3, "`b` requires grad, and nobody uses the gradient"),
    "accuracy in the loss": ("""
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
y = torch.tensor([0, 1, 2, 3])
for i in range(3):
    out = net(torch.randn(4, 3))
    wrong = (out.argmax(1) != y).float().mean()
    loss = F.cross_entropy(out, y) + 0.5 * wrong
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 7, "a term of the loss trains nothing"),
    "a penalty as a number": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    penalty = sum(p.abs().sum() for p in net.parameters()).item()
    loss = loss + 0.01 * penalty
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 6, "a term of the loss trains nothing"),
    "a penalty of .data": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    loss = loss + 0.01 * net.weight.data.norm()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 5, "a term of the loss trains nothing"),
    "a second loss under no_grad": ("""
enc, dec = nn.Linear(3, 2), nn.Linear(2, 3)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
for i in range(3):
    x = torch.randn(4, 3)
    z = enc(x)
    loss = F.mse_loss(dec(z), x)
    with torch.no_grad():
        kl = z.pow(2).mean()
    loss += kl
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 8, "a term of the loss trains nothing"),
    "several losses of which one is cut": ("""
a, b = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
for i in range(3):
    x = torch.randn(4, 3)
    losses = [a(x).pow(2).mean(), b(x).pow(2).mean(), (a(x) - b(x)).abs().mean().detach()]
    total = torch.stack(losses).sum()
    opt.zero_grad()
    total.backward()
    opt.step()
""", 5, "a term of the loss trains nothing"),
    "a temperature as a number": ("""
net, log_t = nn.Linear(3, 4), nn.Parameter(torch.zeros(()))
opt = torch.optim.Adam([*net.parameters(), log_t])
for i in range(4):
    out = net(torch.randn(6, 3)) / log_t.exp().item()
    loss = F.cross_entropy(out, torch.tensor([0, 1, 2, 3, 0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 4, "it went into the loss as a number"),
    "a rounded prediction in the loss": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    p, y = torch.sigmoid(net(torch.randn(6, 3))), torch.ones(6, 1)
    loss = F.binary_cross_entropy(p, y) + (p.round() - y).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 5, "a term of the loss trains nothing"),
    "an argmax that is also an index": ("""
cell, out, emb = nn.GRUCell(4, 8), nn.Linear(8, 5), nn.Embedding(5, 4)
opt = torch.optim.Adam([*cell.parameters(), *out.parameters(), *emb.parameters()])
for i in range(3):
    h, word, length, loss = torch.zeros(2, 8), torch.zeros(2, dtype=torch.long), torch.zeros(2), 0
    for t in range(3):
        h = cell(emb(word), h)
        scores = out(h)
        loss = loss + F.cross_entropy(scores, torch.tensor([1, 2]))
        word = scores.argmax(1)
        length = length + (word != 0).float()
    loss = loss + 0.1 * length.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 11, "a term of the loss trains nothing"),
    "a number of NumPy's in the loss": ("""
import numpy as np
enc, dec = nn.Linear(3, 4), nn.Linear(4, 3)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()])
for i in range(3):
    x = torch.randn(6, 3)
    z = enc(x)
    size = 0.5 * np.mean(z.detach().numpy() ** 2)
    loss = F.mse_loss(dec(z), x) + float(size)
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 7, "a term of the loss trains nothing"),
    "positions that are no parameter": ("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(10, 4), nn.Linear(4, 10)
        self.pos = torch.randn(5, 4, requires_grad=True)
    def forward(self, ids):
        return self.out(self.emb(ids) + self.pos)
net = Net()
opt = torch.optim.Adam(net.parameters())
for i in range(4):
    ids = torch.randint(0, 10, (2, 5))
    opt.zero_grad()
    F.cross_entropy(net(ids).flatten(0, 1), ids.flatten()).backward()
    opt.step()
""", 9, "`net.pos` requires grad, and nobody uses the gradient"),
    "three layers made in forward": ("""
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 2)
    def forward(self, x):
        q, k, v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        return self.out(F.softmax(q(x) @ k(x).transpose(1, 2), -1) @ v(x))
net = Attention()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(2, 3, 4)).pow(2).mean().backward()
    opt.step()
""", 6, "6 parameters are made anew in each turn"),
    "step() before backward()": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    opt.step()
    loss.backward()
""", 7, "SGD.step() has nothing to do"),
    "an update with momentum by hand": ("""
w, v = torch.zeros(3, requires_grad=True), torch.zeros(3)
x, y = torch.randn(20, 3), torch.randn(20)
for t in range(4):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    v = 0.9 * v + w.grad
    with torch.no_grad():
        w -= 0.01 * v
""", 5, "zero_grad() is missing"),
    "log-probs of old weights": ("""
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, a, adv = torch.randn(6, 3), torch.tensor([0, 1, 0, 1, 1, 0]), torch.randn(6)
logp = F.log_softmax(net(x), 1).gather(1, a[:, None]).squeeze(1)
for epoch in range(3):
    loss = -(logp * adv).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
""", 4, "values from before an optimizer's step"),
    "features of old weights, updated by hand": ("""
w = torch.randn(3, 2, requires_grad=True)
x = torch.randn(6, 3)
h = x @ w
for epoch in range(3):
    loss = h.pow(2).mean()
    w.grad = None
    loss.backward(retain_graph=True)
    w.data -= 0.1 * w.grad
""", 3, "values from before an optimizer's step"),
    "step() forgotten": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    loss.backward()
""", 6, "step() is never called"),
    "backward() forgotten": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(5):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    opt.step()
""", 6, "backward() is never called"),
    "zero_grad between backward and step": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = net(torch.randn(4, 3)).pow(2).mean()
    loss.backward()
    opt.zero_grad()
    opt.step()
""", 6, "SGD.step() has nothing to do"),
    "evaluation mode in the second epoch": ("""
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net.train()
for epoch in range(3):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        print(net(torch.randn(4, 3)).mean().item() < 1e9)
""", 7, "training goes on in evaluation mode"),
    "a total that keeps every graph": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
total = 0
for i in range(10):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    loss.backward()
    opt.step()
    total += loss
""", 9, "the history of `total` grows"),
    "a generator behind a detach": ("""
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(2):
    opt_d.zero_grad()
    (D(G(torch.randn(4, 2)).detach()).mean() - D(torch.randn(4, 2)).mean()).backward()
    opt_d.step()
    fake = G(torch.randn(4, 2)).detach()
    opt_g.zero_grad()
    loss = -D(fake).mean()
    loss.backward()
    opt_g.step()
""", 7, "SGD.step() has nothing to do"),
    "a custom function with half the gradient": ("""
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x
net = nn.Linear(3, 2)
Square.apply(net(torch.randn(4, 3))).mean().backward()
""", 9, "gives 0.5 times what differences of forward give"),
    "the standard deviation of one": ("""
w = torch.randn(1, 4, requires_grad=True)
spread = (w * 2).std(0)
(spread.sum() + w.sum()).backward()
""", 2, "the loss is nan"),
    "a distance of nothing": ("""
net = nn.Linear(3, 2)
x = torch.randn(4, 3)
y = torch.cat([x[:1], torch.randn(3, 3)])
d = (net(x) - net(y)).pow(2).sum(1).sqrt()
d.mean().backward()
""", 4, "a gradient became"),
    "a column against a row": ("""
net = nn.Linear(3, 1)
x, y = torch.randn(5, 3), torch.randn(5)
loss = (net(x) - y).abs().mean()
loss.backward()
""", 3, "the shapes do not line up"),
}
