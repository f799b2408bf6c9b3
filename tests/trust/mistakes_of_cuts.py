"""Mistakes by which a part of a gradient, or all of it, is lost on the way: as ``mistakes.py``."""

#: name -> (the program, the line of the mistake, what is said of it).
LOST = {
    "a temperature as a number, with a penalty on it": ("""
net = nn.Linear(3, 1)
temp = nn.Parameter(torch.tensor(2.0))
opt = torch.optim.SGD([*net.parameters(), temp], lr=0.1)
for _ in range(2):
    logits = net(torch.ones(2, 3)) / temp.item()
    loss = logits.pow(2).mean() + 0.01 * temp ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 5, "lacks a part"),
    "a number with a name, made of a parameter that is trained besides": ("""
w = nn.Parameter(torch.ones(3))
temp = nn.Parameter(torch.tensor(2.0))
opt = torch.optim.SGD([w, temp], lr=0.1)
for _ in range(2):
    scale = 1.0 / temp.item()
    loss = (w * scale).pow(2).sum() + 0.01 * temp ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 5, "lacks a part"),
    "float() of a deviation in a likelihood": ("""
import math
log_sigma, w = nn.Parameter(torch.tensor(0.3)), nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([w, log_sigma], lr=0.1)
def nll(r):
    s = math.exp(float(log_sigma))
    return (r / s).pow(2).mean() + log_sigma
loss = nll(w - 2)
loss.backward()
opt.step()
""", 5, "lacks a part"),
    "a divergence as a number, in a function that returns the loss": ("""
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
def elbo(x):
    mu, logvar = enc(x).chunk(2, -1)
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean().item()
    return F.mse_loss(dec(mu), x) + 0.1 * kl
for _ in range(2):
    opt.zero_grad()
    elbo(torch.ones(3, 6)).backward()
    opt.step()
""", 6, "a term of the loss trains nothing"),
    "a forecast that is scaled back by NumPy": ("""
class Scaler:
    def __init__(self, x):
        self.mean, self.spread = float(x.mean()), float(x.std())
    def inverse(self, y):
        return torch.tensor(y.detach().numpy() * self.spread + self.mean)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
scaler = Scaler(torch.randn(8, 1))
loss = F.l1_loss(scaler.inverse(net(torch.ones(8, 4))), torch.ones(8, 1))
loss.backward()
opt.step()
""", 5, "it was cut on the way"),
    "a low-rank factor that is no leaf": ("""
class LoRA(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.A = torch.randn(2, 4, requires_grad=True) * 0.01
        self.B = nn.Parameter(torch.randn(3, 2))
    def forward(self, x):
        return self.base(x) + x @ self.A.t() @ self.B.t()
m = LoRA(nn.Linear(4, 3).requires_grad_(False))
opt = torch.optim.SGD([p for p in m.parameters() if p.requires_grad], 0.1)
for _ in range(3):
    opt.zero_grad()
    m(torch.ones(5, 4)).square().mean().backward(retain_graph=True)
    opt.step()
""", 5, "`m.A` requires grad, and nobody uses the gradient"),
    "log-probs of old weights, from a function": ("""
pi = nn.Linear(6, 3)
opt = torch.optim.SGD(pi.parameters(), lr=0.1)
obs, act, adv = torch.randn(4, 6), torch.tensor([[0], [2], [1], [1]]), torch.ones(4)
def logp():
    return torch.log_softmax(pi(obs), -1).gather(1, act)[:, 0]
new = logp()
old = new.detach()
for k in range(3):
    ratio = (new - old).exp()
    loss = -(ratio * adv).mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
""", 5, "a loss is made of values from before an optimizer's step"),
    "a running mean of losses with their graphs": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
running = 0.0
for i in range(10):
    opt.zero_grad()
    loss = net(torch.ones(4, 3)).square().mean()
    loss.backward()
    opt.step()
    running = 0.9 * running + 0.1 * loss
""", 9, "the history of `running` grows in every turn"),
    "a slope of a network, taken as a constant": ("""
u = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(u.parameters(), 0.1)
t = torch.ones(3, 1, requires_grad=True)
y = u(t)
(dy,) = torch.autograd.grad(y, t, torch.ones_like(y))
loss = ((dy + y) ** 2).mean()
opt.zero_grad()
loss.backward()
opt.step()
""", 5, "its gradient was taken first, and is a part of the loss"),
    "codes that are rounded": ("""
enc, dec = nn.Linear(3, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
for _ in range(2):
    code = torch.round(torch.sigmoid(enc(torch.ones(2, 3))))
    loss = dec(code).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 4, "round is flat everywhere"),
    "codes that are signs": ("""
enc, dec = nn.Linear(3, 4), nn.Linear(4, 3)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
for _ in range(3):
    x = torch.rand(5, 3)
    h = enc(x)
    loss = (dec(h.sign()) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 6, "sign is flat everywhere"),
    "codes in steps, in a module": ("""
class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(3, 4), nn.Linear(4, 3)
    def forward(self, x):
        code = torch.floor(self.enc(x) * 8) / 8
        return self.dec(code)
m = AE()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for _ in range(4):
    x = torch.rand(6, 3)
    loss = F.mse_loss(m(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 6, "floor is flat everywhere"),
    "the nearest code, without a way around it": ("""
enc, dec = nn.Linear(4, 2), nn.Linear(2, 4)
codebook = nn.Parameter(torch.randn(5, 2))
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), codebook])
x = torch.randn(6, 4)
z = enc(x)
idx = torch.cdist(z, codebook).argmin(1)
zq = codebook[idx]
loss = (dec(zq) - x).pow(2).mean()
loss.backward()
opt.step()
""", 6, "straight through"),
    "a deviation of zero, in a logarithm and below": ("""
net = nn.Linear(2, 2)
nn.init.zeros_(net.weight); nn.init.zeros_(net.bias)
mu, std = net(torch.ones(1, 2)).chunk(2, -1)
std = torch.relu(std)
y = torch.ones(1, 1)
loss = (std.log() + (y - mu) ** 2 / (2 * std ** 2)).mean()
loss.backward()
""", 4, "keeps it off zero: it is divided by, too"),
    "a row that is masked as a whole": ("""
x = torch.randn(2, 3, requires_grad=True)
mask = torch.tensor([[True, True, False], [False, False, False]])
scores = x.masked_fill(~mask, float("-inf"))
attn = torch.softmax(scores, -1)
loss = (attn * torch.arange(3.)).sum(-1).mean()
loss.backward()
""", 3, "the row at [1] is all -inf"),
}

#: The same written rightly, and what looks like it.
RIGHT_CUTS = {
    "a temperature that is printed, and kept for a plot": """
net = nn.Linear(3, 1)
temp = nn.Parameter(torch.tensor(2.0))
opt = torch.optim.SGD([*net.parameters(), temp], lr=0.1)
seen = []
for _ in range(3):
    loss = (net(torch.ones(2, 3)) / temp).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    seen.append(temp.item() * 100)
    value = temp.item()
    line = torch.linspace(0, 1, 3) * value
    text = f"{value / 2:.3f} {temp.item():.2f}"
""",
    "a coefficient that two losses see differently": """
actor = nn.Linear(2, 1)
log_alpha = nn.Parameter(torch.tensor(0.0))
opt, opt_alpha = torch.optim.Adam(actor.parameters()), torch.optim.Adam([log_alpha])
for _ in range(3):
    logp = actor(torch.randn(4, 2)).tanh()
    alpha = log_alpha.exp().item()
    opt.zero_grad()
    (alpha * logp).mean().backward()
    opt.step()
    opt_alpha.zero_grad()
    (-log_alpha * (logp.detach() + 1)).mean().backward()
    opt_alpha.step()
""",
    "rounded straight through, with a step that is a number": """
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    step = net.weight.detach().abs().max().item() / 7
    w = net.weight / step
    w = (w + (w.round() - w).detach()) * step
    loss = F.linear(torch.ones(4, 3), w, net.bias).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a rounded part beside a smooth one": """
net, head = nn.Linear(3, 2), nn.Linear(4, 1)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
for _ in range(3):
    h = net(torch.randn(4, 3))
    loss = head(torch.cat([h, torch.floor(h)], 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a rounded part, and a second loss before the step": """
enc, dec = nn.Linear(3, 2), nn.Linear(2, 3)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
for _ in range(3):
    x = torch.rand(4, 3)
    h = enc(x)
    opt.zero_grad()
    (dec(h.round()) - x).pow(2).mean().backward(retain_graph=True)
    (h ** 2).mean().backward()
    opt.step()
""",
}
