"""Methods of papers, written rightly, some of which look like mistakes: nothing may be said of them."""

METHODS = {
    "a GAN with two optimizers": """
G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(), nn.Linear(4, 1))
opt_g, opt_d = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for i in range(4):
    real, fake = torch.randn(4, 2), G(torch.randn(4, 2))
    opt_d.zero_grad()
    d_loss = F.softplus(-D(real)).mean() + F.softplus(D(fake.detach())).mean()
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    g_loss = F.softplus(-D(fake)).mean()
    g_loss.backward()
    opt_g.step()
    print(d_loss.item() + g_loss.item() > 0)
""",
    "a gradient penalty on leaves of its own": """
D = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(D.parameters(), lr=0.1)
mixed = torch.randn(4, 2, requires_grad=True)
for i in range(3):
    (slopes,) = torch.autograd.grad(D(mixed).sum(), mixed, create_graph=True)
    loss = D(torch.randn(4, 2)).mean() + 10 * (slopes.norm(dim=1) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "DQN with a target network": """
import copy
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
target = copy.deepcopy(net)
opt = torch.optim.Adam(net.parameters())
for i in range(6):
    s, s2, a, r = torch.randn(5, 4), torch.randn(5, 4), torch.tensor([0, 1, 1, 0, 1]), torch.randn(5)
    with torch.no_grad():
        goal = r + 0.99 * target(s2).max(1).values
    q = net(s).gather(1, a[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(q, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 3 == 2:
        target.load_state_dict(net.state_dict())
""",
    "temporal differences, one state at a time": """
value = nn.Linear(3, 1)
opt = torch.optim.SGD(value.parameters(), lr=0.1)
for i in range(4):
    now, then, reward = torch.randn(3), torch.randn(3), 1.0
    delta = reward + 0.9 * value(then).squeeze().detach() - value(now).squeeze()
    opt.zero_grad()
    (delta ** 2).backward()
    opt.step()
""",
    "the gradient of the Bellman residual, said on purpose": """
value = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(value.parameters(), lr=0.1)
for i in range(4):
    now, then, reward = torch.randn(5, 3), torch.randn(5, 3), torch.rand(5, 1)
    target = reward + 0.9 * value(then)
    assert target.requires_grad
    loss = F.mse_loss(value(now), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "PPO with old log-probs": """
actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=0.01)
s, a, returns = torch.randn(8, 3), torch.tensor([0, 1] * 4), torch.randn(8)
with torch.no_grad():
    old = F.log_softmax(actor(s), 1).gather(1, a[:, None]).squeeze(1)
    advantage = returns - critic(s).squeeze(1)
for epoch in range(4):
    logp = F.log_softmax(actor(s), 1)
    ratio = (logp.gather(1, a[:, None]).squeeze(1) - old).exp()
    policy = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
    value = F.mse_loss(critic(s).squeeze(1), returns)
    entropy = -(logp.exp() * logp).sum(1).mean()
    loss = policy + 0.5 * value - 0.01 * entropy
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
    opt.step()
    kl = (old - logp.gather(1, a[:, None]).squeeze(1)).mean().item()
""",
    "REINFORCE with a baseline": """
policy = nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
baseline = 0.0
for episode in range(4):
    logps, rewards = [], []
    for t in range(3):
        p = torch.distributions.Categorical(logits=policy(torch.randn(3)))
        a = p.sample()
        logps.append(p.log_prob(a))
        rewards.append(float(a.item()))
    total = sum(rewards)
    loss = -(torch.stack(logps) * (total - baseline)).sum()
    baseline = 0.9 * baseline + 0.1 * total
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "MAML": """
w = torch.randn(3, 1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for task in range(3):
    x, y = torch.randn(6, 3), torch.randn(6, 1)
    (g,) = torch.autograd.grad(F.mse_loss(x @ w, y), w, create_graph=True)
    fast = w - 0.1 * g
    opt.zero_grad()
    F.mse_loss(x @ fast, y).backward()
    opt.step()
""",
    "Reptile": """
import copy
net = nn.Linear(3, 1)
for task in range(3):
    fast = copy.deepcopy(net)
    inner = torch.optim.SGD(fast.parameters(), lr=0.1)
    for step in range(3):
        inner.zero_grad()
        fast(torch.randn(6, 3)).pow(2).mean().backward()
        inner.step()
    with torch.no_grad():
        for p, q in zip(net.parameters(), fast.parameters()):
            p += 0.5 * (q - p)
""",
    "distillation": """
teacher, student = nn.Linear(3, 4).eval(), nn.Linear(3, 4)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
for i in range(3):
    x, y = torch.randn(6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
    soft = F.softmax(teacher(x) / 2, 1)
    out = student(x)
    loss = F.kl_div(F.log_softmax(out / 2, 1), soft, reduction="batchmean") * 4 + F.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    accuracy = (out.argmax(1) == y).float().mean().item()
""",
    "a teacher that is an average": """
import copy
net = nn.Linear(3, 2)
mean = copy.deepcopy(net)
for p in mean.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    x = torch.randn(6, 3)
    loss = F.mse_loss(net(x), mean(x + 0.1 * torch.randn(6, 3))) + net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(mean.parameters(), net.parameters()):
            p.mul_(0.99).add_(q, alpha=0.01)
""",
    "experts with a gate": """
experts, gate = nn.ModuleList(nn.Linear(3, 2) for _ in range(4)), nn.Linear(3, 4)
opt = torch.optim.Adam([*experts.parameters(), *gate.parameters()], lr=0.01)
for i in range(4):
    x = torch.randn(16, 3)
    probs = F.softmax(gate(x), 1)
    weight, chosen = probs.max(1)
    out = torch.zeros(16, 2)
    for k, expert in enumerate(experts):
        mine = chosen == k
        if mine.any():
            out[mine] = expert(x[mine]) * weight[mine, None]
    share = F.one_hot(chosen, 4).float().mean(0)
    loss = (out - x[:, :2]).pow(2).mean() + 0.01 * 4 * (share * probs.mean(0)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "vector quantization": """
enc, dec, book = nn.Linear(3, 2), nn.Linear(2, 3), nn.Embedding(8, 2)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters(), *book.parameters()], lr=0.01)
for i in range(4):
    x = torch.randn(16, 3)
    z = enc(x)
    nearest = torch.cdist(z, book.weight).argmin(1)
    q = book(nearest)
    straight = z + (q - z).detach()
    loss = F.mse_loss(dec(straight), x) + F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(z, q.detach())
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a straight-through sum": """
scores = nn.Parameter(torch.randn(6))
opt = torch.optim.SGD([scores], lr=0.1)
cost = torch.randn(6)
for i in range(3):
    soft = torch.sigmoid(scores)
    hard = (soft > 0.5).float()
    gates = hard - soft.detach() + soft
    opt.zero_grad()
    ((gates * cost).sum() + gates.sum()).backward()
    opt.step()
""",
    "a contrast with a stopped gradient": """
net, head = nn.Linear(3, 4), nn.Linear(4, 4)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
for i in range(3):
    z1, z2 = net(torch.randn(6, 3)), net(torch.randn(6, 3))
    p1, p2 = head(z1), head(z2)
    loss = -(F.cosine_similarity(p1, z2.detach()).mean() + F.cosine_similarity(p2, z1.detach()).mean()) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a queue of negatives": """
import copy
q_net = nn.Linear(3, 4)
k_net = copy.deepcopy(q_net)
opt = torch.optim.SGD(q_net.parameters(), lr=0.1)
queue = F.normalize(torch.randn(8, 4), dim=1)
for i in range(3):
    x = torch.randn(4, 3)
    q = F.normalize(q_net(x), dim=1)
    with torch.no_grad():
        for p, k in zip(q_net.parameters(), k_net.parameters()):
            k.data = 0.9 * k.data + 0.1 * p.data
        k = F.normalize(k_net(x), dim=1)
    logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue.t()], 1) / 0.1
    loss = F.cross_entropy(logits, torch.zeros(4, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue = torch.cat([queue, k])[-8:]
""",
    "truncated backpropagation through time": """
cell, out = nn.GRUCell(2, 4), nn.Linear(4, 1)
opt = torch.optim.Adam([*cell.parameters(), *out.parameters()])
h = torch.zeros(3, 4)
for chunk in range(4):
    loss = 0
    for t in range(3):
        h = cell(torch.randn(3, 2), h)
        loss = loss + out(h).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    h = h.detach()
""",
    "diffusion": """
net = nn.Sequential(nn.Linear(4, 16), nn.SiLU(), nn.Linear(16, 3))
opt = torch.optim.AdamW(net.parameters(), lr=0.001)
betas = torch.linspace(1e-4, 0.02, 10)
kept = (1 - betas).cumprod(0)
running = 0.0
for i in range(4):
    x, noise, t = torch.randn(8, 3), torch.randn(8, 3), torch.randint(0, 10, (8,))
    a = kept[t][:, None]
    noisy = a.sqrt() * x + (1 - a).sqrt() * noise
    loss = F.mse_loss(net(torch.cat([noisy, t[:, None] / 10], 1)), noise)
    opt.zero_grad(set_to_none=False)
    loss.backward()
    opt.step()
    running = 0.9 * running + 0.1 * loss.item()
""",
    "adversarial training": """
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 3), torch.tensor([0, 1, 0, 1, 0, 1])
for i in range(4):
    x.requires_grad_(True)
    F.cross_entropy(net(x), y).backward()
    near = (x + 0.1 * x.grad.sign()).detach()
    x.grad = None
    opt.zero_grad()
    F.cross_entropy(net(near), y).backward()
    opt.step()
""",
    "physics at fixed points": """
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
t = torch.linspace(0, 1, 10, requires_grad=True)[:, None].detach().requires_grad_()
for i in range(4):
    u = net(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    loss = (du + u).pow(2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "clients that train a server": """
import copy
server = nn.Linear(3, 1)
opt = torch.optim.SGD(server.parameters(), lr=0.1)
client = copy.deepcopy(server)
for turn in range(3):
    client.load_state_dict(server.state_dict())
    client.zero_grad()
    client(torch.randn(8, 3)).pow(2).mean().backward()
    for p, q in zip(server.parameters(), client.parameters()):
        p.grad = q.grad.clone()
    opt.step()
""",
    "soft actor and critic": """
import copy
pi, q = (nn.Linear(3, 2), nn.Linear(4, 1))
qt = copy.deepcopy(q)
log_a = torch.zeros((), requires_grad=True)
o1, o2, o3 = (torch.optim.Adam(pi.parameters()), torch.optim.Adam(q.parameters()), torch.optim.Adam([log_a]))
for i in range(5):
    s, s2, r = (torch.randn(6, 3), torch.randn(6, 3), torch.randn(6, 1))

    def act(s):
        m, ls = pi(s).chunk(2, 1)
        d = torch.distributions.Normal(m, ls.exp())
        a = d.rsample()
        return (a, d.log_prob(a))
    with torch.no_grad():
        a2, lp2 = act(s2)
        y = r + 0.9 * (qt(torch.cat([s2, a2], 1)) - log_a.exp() * lp2)
    a, _ = act(s)
    ql = F.mse_loss(q(torch.cat([s, a.detach()], 1)), y)
    o2.zero_grad()
    ql.backward()
    o2.step()
    a, lp = act(s)
    pl = (log_a.exp().detach() * lp - q(torch.cat([s, a], 1))).mean()
    o1.zero_grad()
    pl.backward()
    o1.step()
    al = -(log_a * (lp + 1).detach()).mean()
    o3.zero_grad()
    al.backward()
    o3.step()
    for p, t in zip(q.parameters(), qt.parameters()):
        t.data.mul_(0.99).add_(0.01 * p.data)
""",
    "sharpness by hand": """
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    x = torch.randn(6, 3)
    net(x).pow(2).mean().backward()
    with torch.no_grad():
        n = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
        e = [p.grad * 0.05 / n for p in net.parameters()]
        for p, d in zip(net.parameters(), e):
            p.add_(d)
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    with torch.no_grad():
        for p, d in zip(net.parameters(), e):
            p.sub_(d)
    opt.step()
    opt.zero_grad()
""",
    "preferences against a copy": """
import copy
pi = nn.Linear(3, 5)
ref = copy.deepcopy(pi).eval()
opt = torch.optim.AdamW(pi.parameters())
for i in range(4):
    x, w, l = (torch.randn(6, 3), torch.randint(0, 5, (6, 1)), torch.randint(0, 5, (6, 1)))
    lp = F.log_softmax(pi(x), 1)
    with torch.no_grad():
        lr = F.log_softmax(ref(x), 1)
    m = lp.gather(1, w) - lr.gather(1, w) - (lp.gather(1, l) - lr.gather(1, l))
    loss = -F.logsigmoid(0.1 * m).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    acc = (m > 0).float().mean().item()
""",
}
