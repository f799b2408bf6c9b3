"""Mistakes in what a loss is given, and in what is taken for a leaf: as ``mistakes.py``."""

#: name -> (the program, the line of the mistake, what is said of it).
LOSSES = {
    "probabilities for a cross entropy": ("""
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
for i in range(3):
    p = F.softmax(net(x), dim=1)
    loss = F.cross_entropy(p, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 5, "given probabilities"),
    "probabilities where logarithms are wanted": ("""
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    p = net(torch.randn(6, 3)).softmax(1)  # one for each class
    opt.zero_grad()
    F.nll_loss(p, torch.tensor([0, 1, 2, 3, 0, 1])).backward()
    opt.step()
""", 4, "given probabilities"),
    "log-probabilities over the batch": ("""
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    logp = F.log_softmax(net(torch.randn(6, 3)), dim=0)
    loss = F.nll_loss(logp, torch.tensor([0, 1, 2, 3, 0, 1]))
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 4, "over the examples"),
    "probabilities over the batch, of which one of each row is taken": ("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(3, 4)
    def forward(self, x):
        return self.scores(x).softmax(0)
net, y = Net(), torch.tensor([0, 1, 2, 3, 0, 1])
loss = -net(torch.randn(6, 3))[range(6), y].log().mean()
loss.backward()
""", 6, "over the examples"),
    "probabilities over the batch, of which the chosen are gathered": ("""
policy = nn.Linear(3, 4)
actions, rewards = torch.tensor([[0], [1], [2], [3], [0], [1]]), torch.randn(6, 1)
logs = torch.log(torch.softmax(policy(torch.randn(6, 3)), 0))
loss = -(logs.gather(1, actions) * rewards).mean()
loss.backward()
""", 3, "over the examples"),
    "probabilities for a divergence": ("""
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    q = torch.rand(6, 4).softmax(1)
    p = net(torch.randn(6, 3)).softmax(1)
    opt.zero_grad()
    F.kl_div(p, q, reduction="batchmean").backward()
    opt.step()
""", 5, "logarithms of probabilities"),
    "probabilities for a divergence's layer": ("""
teacher, student = nn.Linear(3, 4).requires_grad_(False), nn.Linear(3, 4)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
divergence = nn.KLDivLoss(reduction="batchmean")
for i in range(3):
    x = torch.randn(6, 3)
    own = F.softmax(student(x) / 2, dim=1)
    loss = divergence(own, F.softmax(teacher(x) / 2, dim=1))
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 6, "logarithms of probabilities"),
    "a sigmoid before a loss that applies one": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.BCEWithLogitsLoss()
for i in range(3):
    opt.zero_grad()
    criterion(torch.sigmoid(net(torch.randn(6, 3))), torch.ones(6, 1)).backward()
    opt.step()
""", 6, "given probabilities"),
    "an advantage with a history": ("""
policy, critic = nn.Linear(3, 4), nn.Linear(3, 1)
opt = torch.optim.SGD([*policy.parameters(), *critic.parameters()], lr=0.1)
for i in range(3):
    x, returns = torch.randn(6, 3), torch.randn(6)
    dist = torch.distributions.Categorical(logits=policy(x))
    action = dist.sample()
    advantage = returns - critic(x).squeeze(1)
    loss = -(dist.log_prob(action) * advantage).mean() + advantage.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 8, "the advantage is not detached"),
    "a baseline with a history": ("""
policy, baseline = nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opts = [torch.optim.SGD(part.parameters(), lr=0.1) for part in (policy, baseline)]
for i in range(3):
    x, a, returns = torch.randn(6, 3), torch.tensor([[0], [1]] * 3), torch.randn(6)
    chosen = F.log_softmax(policy(x), dim=1).gather(1, a).squeeze(1)
    value = baseline(x)[:, 0]
    loss = (-(returns - value) * chosen).mean() + F.mse_loss(value, returns)
    [opt.zero_grad() for opt in opts]
    loss.backward()
    [opt.step() for opt in opts]
""", 7, "the advantage is not detached"),
    "a normalised advantage with a history": ("""
policy, critic = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.SGD([*policy.parameters(), *critic.parameters()], lr=0.1)
for i in range(3):
    x, returns = torch.randn(6, 3), torch.randn(6)
    dist = torch.distributions.Categorical(logits=policy(x))
    action, value = dist.sample(), critic(x)[:, 0]
    advantage = returns - value
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    loss = -(dist.log_prob(action) * advantage).mean() + (value - returns).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 9, "the advantage is not detached"),
    "margins of a column and labels": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.tensor([1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
for i in range(3):
    loss = torch.clamp(1 - y * net(x), min=0).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 5, "the shapes do not line up"),
    "a loss function of a column and a row": ("""
net = nn.Linear(3, 1)
criterion = nn.SmoothL1Loss()
x, y = torch.randn(6, 3), torch.randn(6)
criterion(net(x), y).backward()
""", 4, "predictions of shape [6, 1] with targets of shape [6]: 36 pairs, not 6"),
    "a loss function of a row and a column": ("""
def loss_of(net, batch):
    x, y = batch
    return F.mse_loss(net(x)[:, 0], y, reduction="sum")
net = nn.Linear(3, 1)
loss_of(net, (torch.randn(6, 3), torch.randn(6, 1))).backward()
""", 3, "predictions of shape [6] with targets of shape [6, 1]: 36 pairs, not 6"),
    "targets of a column and a row": ("""
q, old = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.SGD(q.parameters(), lr=0.1)
for i in range(3):
    s, s2, a, r, done = torch.randn(5, 4), torch.randn(5, 4), torch.zeros(5, 1).long(), torch.randn(5), torch.zeros(5)
    now = q(s).gather(1, a)
    with torch.no_grad():
        goal = r + 0.99 * (1 - done) * old(s2).max(1, keepdim=True)[0]
    loss = (now - goal).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 7, "the shapes do not line up"),
    "an optimizer of what is no leaf": ("""
w = torch.randn(3, requires_grad=True).to(torch.float64)
opt = torch.optim.SGD([w], lr=0.1)
""", 1, "non-leaf"),
    "an attack whose second step has no gradient": ("""
net = nn.Linear(3, 1).requires_grad_(False)
adv = torch.randn(2, 3).requires_grad_()
for i in range(3):
    net(adv).sum().backward()
    adv = adv + 0.1 * adv.grad.sign()
""", 5, "no leaf"),
    "requires_grad after the forward": ("""
net, img = nn.Linear(3, 1), torch.rand(2, 3)
out = net(img).sum()
img.requires_grad_()
out.backward()
saliency = img.grad.abs()
""", 3, "no path led"),
    "an optimizer of copies": ("""
net = nn.Linear(2, 1)
copies = [p.detach().clone().requires_grad_() for p in net.parameters()]
opt = torch.optim.SGD(copies, lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(torch.ones(3, 2)).mean().backward()
    opt.step()
""", 3, "has nothing to do"),
}

#: The same written rightly, and what looks like it.
RIGHT_LOSSES = {
    "probabilities over a dim that is not that of classes": """
scores = nn.Linear(3, 4)
x, y = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
attention = scores(x).softmax(0)
pooled = attention.T @ x
loss = pooled.pow(2).mean() + attention[torch.tensor([2, 0]), torch.tensor([1, 1])].sum()
loss = loss + attention.gather(0, y[:4, None]).sum() + F.nll_loss(F.log_softmax(scores(x).T, 0).T, y)
loss = loss + F.nll_loss(scores(x)[0].log_softmax(0), y[0])
loss.backward()
""",
    "an optimizer that steps by means of another, and one after the other": """
class Twice(torch.optim.Optimizer):
    def __init__(self, params, inner):
        super().__init__(params, {})
        self.inner = inner(self.param_groups, lr=0.1)
    def step(self, closure=None):
        self.inner.step()
net = nn.Linear(3, 1)
opt, last = Twice(net.parameters(), torch.optim.SGD), torch.optim.Adam(net.parameters())
for i in range(4):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    (opt if i < 2 else last).step()
""",
    "a divergence of logarithms, with both ways to write one": """
net, other = nn.Linear(3, 4), nn.Linear(3, 4)
opt = torch.optim.SGD([*net.parameters(), *other.parameters()], lr=0.1)
divergence = nn.KLDivLoss(reduction="batchmean")
for i in range(3):
    x = torch.randn(6, 3)
    p, q = net(x).softmax(1), other(x).softmax(1)
    loss = divergence(p.log(), q.detach()) + F.kl_div(q.log(), p.detach().log(), reduction="sum", log_target=True)
    loss = loss + (p * q.detach()).sum() * 0.1 + F.kl_div(net(x).log_softmax(1), q.detach(), reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "probabilities beside the scores": """
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    scores = net(torch.randn(6, 3))
    y = torch.tensor([0, 1, 2, 3, 0, 1])
    p = scores.softmax(1)
    loss = F.cross_entropy(scores, y) + F.nll_loss(p.log(), y) + F.binary_cross_entropy(p[:, 0], torch.ones(6))
    loss = loss + F.kl_div(F.log_softmax(scores / 2, 1), p.detach(), reduction="batchmean") - (p * p.log()).sum(1).mean() * 0.1
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "mixtures of experts": """
gate, experts = nn.Linear(3, 2), nn.ModuleList(nn.Linear(3, 4) for _ in range(2))
opt = torch.optim.SGD([*gate.parameters(), *experts.parameters()], lr=0.1)
for i in range(3):
    x = torch.randn(6, 3)
    g = gate(x).softmax(-1)
    scores = sum(g[:, i:i + 1] * expert(x) for i, expert in enumerate(experts))
    opt.zero_grad()
    F.cross_entropy(scores, torch.tensor([0, 1, 2, 3, 0, 1])).backward()
    opt.step()
""",
    "a focal loss": """
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    logp = F.log_softmax(net(torch.randn(6, 3)), 1).gather(1, torch.tensor([[0], [1], [2], [3], [0], [1]])).squeeze(1)
    loss = -((torch.ones(6) - logp.exp()) * logp).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "an actor and its critic": """
body, actor, critic = nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(4, 1)
opt = torch.optim.SGD([*body.parameters(), *actor.parameters(), *critic.parameters()], lr=0.1)
for i in range(3):
    h, returns = body(torch.randn(6, 3)).tanh(), torch.randn(6)
    dist = torch.distributions.Categorical(logits=actor(h))
    action, value = dist.sample(), critic(h).squeeze(1)
    advantage = returns - value
    weight = (advantage - advantage.mean()).detach()
    loss = -(dist.log_prob(action) * weight).mean() + advantage.pow(2).mean() - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "soft clusters, as many as examples": """
c = nn.Parameter(torch.randn(5, 1))
opt = torch.optim.SGD([c], lr=0.1)
for i in range(3):
    d = (torch.randn(5) - c) ** 2
    loss = (torch.softmax(-d, 0).detach() * d).sum(0).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a density on as many places as there are values": """
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters())
grid = torch.linspace(-2, 2, 6).view(-1, 1)
for i in range(3):
    x = net(torch.randn(6, 2)).squeeze(1)
    p = torch.exp(-(grid - x) ** 2).mean(1)
    opt.zero_grad()
    ((p - 0.2) ** 2).sum().backward()
    opt.step()
""",
    "the gradient of an activation": """
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    h = net(torch.randn(4, 3))
    h.retain_grad()
    opt.zero_grad()
    h.pow(2).mean().backward()
    print(h.grad.norm() > 0)
    opt.step()
""",
    "an optimizer of copies that are trained": """
net = nn.Linear(2, 1)
fast = [p.detach().clone().requires_grad_() for p in net.parameters()]
opt = torch.optim.SGD(fast, lr=0.1)
for i in range(3):
    opt.zero_grad()
    F.linear(torch.ones(3, 2), *fast).mean().backward()
    opt.step()
""",
}
