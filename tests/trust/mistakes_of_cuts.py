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
