"""Slips of the pen, gradients that are cleared or changed at the wrong time, rates: as ``mistakes.py``."""

#: name -> (the program, the line of the mistake, what is said of it).
SLIPS = {
    "a step without parentheses": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)
for i in range(4):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step
""", 7, "named, and not called"),
    "clearing without parentheses": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)
for i in range(4):
    opt.zero_grad
    net(x).pow(2).mean().backward()
    opt.step()
""", 5, "named, and not called"),
    "a switch that is misspelt": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
for p in net[0].parameters():
    p.require_grad = False
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)
for i in range(2):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
""", 3, "nothing that a tensor knows"),
    "a method that is set": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
for p in net[0].parameters():
    p.requires_grad_ = False
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)
for i in range(2):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
""", 3, "is a method"),
    "a switch of a whole network": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
body = net[0]
body.requires_grad = False
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)
for i in range(2):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
""", 3, "a network has no `requires_grad`"),
    "a switch that is compared": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
for p in net[0].parameters():
    p.requires_grad == False
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 3)
for i in range(2):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
""", 3, "compared, and not set"),
    "parameters that a loop's name leaves": ("""
import copy
net, x = nn.Linear(3, 1), torch.randn(4, 3)
for task in range(2):
    fast = copy.deepcopy(net)
    opt = torch.optim.SGD(fast.parameters(), lr=0.1)
    fast(x).pow(2).mean().backward()
    opt.step()
    for p, q in zip(net.parameters(), fast.parameters()):
        p = p + 0.5 * (q - p)
""", 9, "left as they were"),
    "a hook that returns nothing": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def clip(g):
    g = g.clamp(-0.01, 0.01)
for p in net.parameters():
    p.register_hook(clip)
net(x).pow(2).mean().backward()
opt.step()
""", 4, "returns nothing"),
    "a function that drops in evaluation": ("""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 8), nn.Linear(8, 1)
    def forward(self, x):
        return self.b(F.dropout(self.a(x), 0.5))
net, x = Net(), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(x).pow(2).mean().backward()
opt.step()
net.eval()
with torch.no_grad():
    seen = net(x)
""", 6, "goes on in evaluation"),
    "clearing before each part of a step": ("""
net, x = nn.Linear(3, 1), torch.randn(8, 4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(8):
    opt.zero_grad()
    loss = net(x[i]).pow(2).mean() / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
""", 4, "cleared before a step has used them"),
    "clipping after the step": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = net(x).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
""", 8, "changed after the step"),
    "clipping what is scaled": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt, scaler = torch.optim.SGD(net.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
for i in range(3):
    loss = net(x).pow(2).sum()
    opt.zero_grad()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    scaler.step(opt)
    scaler.update()
""", 7, "while they are scaled"),
    "a plain step of what is scaled": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt, scaler = torch.optim.SGD(net.parameters(), lr=1e-3), torch.amp.GradScaler("cpu", init_scale=64.0)
for i in range(3):
    loss = net(x).pow(2).sum()
    opt.zero_grad()
    scaler.scale(loss).backward()
    opt.step()
    scaler.update(64.0)
""", 7, "a step uses gradients that are scaled"),
    "a best state that goes on": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt, best, least = torch.optim.SGD(net.parameters(), lr=0.5), None, float("inf")
for i in range(4):
    loss = net(x).pow(2).mean() if i < 2 else (net(x) - 9).pow(2).mean()
    if loss.item() < least:
        best, least = net.state_dict(), loss.item()
    opt.zero_grad()
    loss.backward()
    opt.step()
net.load_state_dict(best)
""", 6, "a network loads its own tensors"),
    "a teacher that is its student": ("""
student = nn.Linear(3, 2)
teacher = student
opt, x = torch.optim.SGD(student.parameters(), lr=0.1), torch.randn(4, 3)
for i in range(3):
    loss = F.mse_loss(student(x), teacher(x + 1).detach())
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.lerp_(s, 0.1)
""", 2, "are one network"),
    "a generator that is used up": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
params = net.parameters()
opt = torch.optim.SGD(params, lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(x).pow(2).sum().backward()
    nn.utils.clip_grad_norm_(params, 0.1)
    opt.step()
""", 2, "not clipped"),
    "a warm-up in whole numbers": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1, step // 1000))
for i in range(4):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
""", 3, "the learning rate is 0"),
    "a scheduler of the optimizer before": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
decay = torch.optim.lr_scheduler.StepLR(opt, 1, 0.1)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for i in range(3):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    decay.step()
""", 3, "an optimizer that trains nothing"),
    "a scheduler before the step": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
decay = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
for i in range(3):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    decay.step()
    opt.step()
""", 8, "the first learning rate is never used"),
    "a bootstrapped target with a history": ("""
q = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.SGD(q.parameters(), lr=0.1)
s, s2, a, r, done = torch.randn(6, 4), torch.randn(6, 4), torch.zeros(6, 1).long(), torch.randn(6), torch.zeros(6)
for i in range(3):
    now = q(s).gather(1, a)[:, 0]
    goal = r + 0.9 * (1 - done) * q(s2).max(1).values
    opt.zero_grad()
    F.smooth_l1_loss(now, goal).backward()
    opt.step()
""", 6, "a target has a history"),
    "a target of the difference in time": ("""
v = nn.Linear(4, 1)
opt = torch.optim.SGD(v.parameters(), lr=0.1)
s, s2, r = torch.randn(6, 4), torch.randn(6, 4), torch.randn(6, 1)
for i in range(3):
    goal = r + 0.9 * v(s2)
    delta = goal - v(s)
    opt.zero_grad()
    delta.pow(2).mean().backward()
    opt.step()
""", 5, "a target has a history"),
    "an inner step of a copy": ("""
w = torch.tensor([[0.5], [-1.0], [2.0]], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
x, y = torch.randn(5, 3), torch.randn(5, 1)
for i in range(2):
    fast = w.clone()
    for k in range(2):
        g, = torch.autograd.grad(F.mse_loss(x @ fast, y), fast)
        fast = fast - 0.1 * g
    opt.zero_grad()
    F.mse_loss(x @ fast, y).backward()
    opt.step()
""", 7, "a constant to the outer gradient"),
    "an average that keeps graphs": ("""
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
shadow = {k: v.clone().detach() for k, v in net.named_parameters()}
for i in range(12):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
    for k, v in net.named_parameters():
        shadow[k] = 0.9 * shadow[k] + 0.1 * v
""", 9, "grows in every turn"),
    "an actor that samples": ("""
actor, critic = nn.Linear(3, 2), nn.Linear(4, 1)
opt, other = torch.optim.SGD(actor.parameters(), lr=0.1), torch.optim.SGD(critic.parameters(), lr=0.1)
for i in range(3):
    obs = torch.randn(5, 3)
    other.zero_grad()
    critic(torch.cat([obs, torch.randn(5, 1)], 1)).pow(2).mean().backward()
    other.step()
    mu, log_std = actor(obs).chunk(2, dim=-1)
    dist = torch.distributions.Normal(mu, log_std.exp())
    act = dist.sample()
    loss = (0.1 * dist.log_prob(act) - critic(torch.cat([obs, act], 1))).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 10, "sample() cuts it off"),
}

#: Right programs that look like them.
RIGHT_SLIPS = {
    "states that are copied, taken back at once, and given to others": """
import copy
net, other, x = nn.Linear(3, 1), nn.Linear(3, 1), torch.randn(4, 3)
opt, best = torch.optim.SGD(net.parameters(), lr=0.1), None
for i in range(3):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    best = copy.deepcopy(net.state_dict())
    other.load_state_dict(net.state_dict())
state = net.state_dict()
net.load_state_dict(state)
net.load_state_dict(best)
""",
    "gradients whose scale is taken out by hand": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt, scaler = torch.optim.SGD(net.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
for i in range(2):
    opt.zero_grad()
    scaler.scale(net(x).pow(2).mean()).backward()
    for p in net.parameters():
        p.grad.div_(scaler.get_scale())
    opt.step()
for i in range(2):
    opt.zero_grad()
    scaler.scale(net(x).pow(2).mean()).backward()
    scaler.step(opt)
    scaler.update()
""",
    "a rate that warms up from zero": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, step / 1000))
for i in range(5):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
""",
    "gradients that are gathered by hand": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    kept = []
    for row in x:
        opt.zero_grad()
        net(row).pow(2).sum().backward()
        kept.append([p.grad.clone().clamp(-1, 1) for p in net.parameters()])
    for p, *parts in zip(net.parameters(), *kept):
        p.grad = torch.stack(parts).mean(0)
    opt.step()
""",
    "a sharpness-aware step": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def closure():
    opt.zero_grad()
    net(x).pow(2).mean().backward()
for i in range(3):
    closure()
    with torch.no_grad():
        climbed = [0.05 * p.grad / (p.grad.norm() + 1e-8) for p in net.parameters()]
        for p, e in zip(net.parameters(), climbed):
            p.add_(e)
    closure()
    with torch.no_grad():
        for p, e in zip(net.parameters(), climbed):
            p.sub_(e)
    opt.step()
""",
    "two phases with an optimizer and a scheduler each": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
decay = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)
for i in range(2):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
    decay.step()
opt = torch.optim.Adam(net.parameters(), lr=0.01)
decay = torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)
for i in range(2):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
    decay.step()
""",
    "a hook that only looks, and one that returns": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
norms = []
def look(g):
    size = g.norm()
    norms.append(size.item())
def clip(g):
    g = g.clamp(-0.1, 0.1)
    return g
for p in net.parameters():
    p.register_hook(look)
    p.register_hook(clip)
for i in range(2):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
""",
    "an attribute of one's own on a parameter": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
for p in net.parameters():
    p.no_decay = True
    q = p.detach().abs()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(x).pow(2).mean().backward()
opt.step()
""",
    "dropping in evaluation on purpose": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 8), nn.Linear(8, 1)
    def forward(self, x):
        x = F.dropout(self.a(x), 0.5, self.training)
        return self.b(F.dropout(x, p=0.1, training=True))
net, x = Net(), torch.randn(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(x).pow(2).mean().backward()
opt.step()
net.eval()
with torch.no_grad():
    seen = [net(x) for i in range(3)]
""",
    "views of one network that are compared": """
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    a, b = net(torch.randn(6, 4)), net(torch.randn(6, 4))
    loss = F.mse_loss(a, b) + F.mse_loss(0.5 * a, b) + (a - b).pow(2).mean()
    h = net(torch.randn(6, 4))
    loss = loss + (h - (torch.ones(3) + 0.5 * h)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "scaled gradients that are clipped": """
net, x = nn.Linear(3, 1), torch.randn(4, 3)
opt, scaler = torch.optim.SGD(net.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
for i in range(3):
    opt.zero_grad()
    scaler.scale(net(x).pow(2).sum()).backward()
    scaler.unscale_(opt)
    nn.utils.clip_grad_norm_(net.parameters(), 0.1)
    scaler.step(opt)
    scaler.update()
""",
    "a policy's samples that a model is trained with": """
policy, model = nn.Linear(3, 2), nn.Linear(4, 1)
opt = torch.optim.SGD([*policy.parameters(), *model.parameters()], lr=0.1)
for i in range(3):
    obs = torch.randn(5, 3)
    mu, log_std = policy(obs).chunk(2, dim=-1)
    dist = torch.distributions.Normal(mu, log_std.exp())
    act = dist.sample()
    loss = model(torch.cat([obs, act], 1)).pow(2).mean() - dist.log_prob(act).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "an actor and its critic, with samples that move": """
actor, critic = nn.Linear(3, 2), nn.Linear(4, 1)
opt, other = torch.optim.SGD(actor.parameters(), lr=0.1), torch.optim.SGD(critic.parameters(), lr=0.1)
for i in range(3):
    obs = torch.randn(5, 3)
    mu, log_std = actor(obs).chunk(2, dim=-1)
    dist = torch.distributions.Normal(mu, log_std.exp())
    drawn, act = dist.sample(), dist.rsample()
    other.zero_grad()
    critic(torch.cat([obs, drawn], 1)).pow(2).mean().backward()
    other.step()
    loss = (0.1 * dist.log_prob(act) - critic(torch.cat([obs, act], 1))).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a policy and a model, each with an optimizer, of one loss": """
policy, model = nn.Linear(3, 2), nn.Linear(4, 1)
opt, other = torch.optim.SGD(policy.parameters(), lr=0.1), torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(3):
    obs = torch.randn(5, 3)
    mu, log_std = policy(obs).chunk(2, dim=-1)
    dist = torch.distributions.Normal(mu, log_std.exp())
    act = dist.sample()
    loss = model(torch.cat([obs, act], 1)).pow(2).mean() - dist.log_prob(act).mean()
    opt.zero_grad()
    other.zero_grad()
    loss.backward()
    opt.step()
    other.step()
""",
}
