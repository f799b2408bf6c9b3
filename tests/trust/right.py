"""Training written rightly that looks like a mistake: nothing may be said of it. See ``mistakes.py``."""
from tests.trust.right_methods import METHODS

RIGHT = METHODS | {
    "checkpoints as one node that train": """
from torch.utils.checkpoint import checkpoint
frozen, body, head = nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 2), nn.Linear(2, 1)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for i in range(3):
    x = torch.ones(3, 2)
    h = checkpoint(body, checkpoint(frozen, x, use_reentrant=True).requires_grad_(), use_reentrant=True)
    with torch.no_grad():
        checkpoint(body, x, use_reentrant=True)
    opt.zero_grad()
    head(h).pow(2).mean().backward()
    opt.step()
""",
    "a frozen layer whose gradient is filled with zeros": """
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    if epoch == 1:
        net[0].requires_grad_(False)
    opt.zero_grad(set_to_none=False)
    net(torch.ones(2, 3)).pow(2).mean().backward()
    opt.step()
""",
    "a trunk that two heads' losses train at once": """
trunk, a, b = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 2)
ot, oa, ob = (torch.optim.SGD(part.parameters(), lr=0.1) for part in (trunk, a, b))
for i in range(4):
    for opt in (ot, oa, ob):
        opt.zero_grad()
    x = torch.randn(8, 3)
    a(trunk(x)).pow(2).mean().backward()
    oa.step()
    b(trunk(x)).pow(2).mean().backward()
    ob.step()
    ot.step()
""",
    "an encoder with a loss of its own beside the decoder's": """
enc, dec = nn.Linear(3, 2), nn.Linear(2, 3)
oe, od = torch.optim.SGD(enc.parameters(), lr=0.1), torch.optim.SGD(dec.parameters(), lr=0.1)
for i in range(4):
    oe.zero_grad()
    od.zero_grad()
    x = torch.randn(8, 3)
    enc(x).pow(2).mean().backward()
    (dec(enc(x)) - x).pow(2).mean().backward()
    oe.step()
    od.step()
""",
    "sparse gradients, and a network that is not built yet": """
class Half(nn.Module):
    def __init__(self):
        pass
half = Half()
emb, head = nn.Embedding(6, 3, sparse=True), nn.Linear(3, 1)
first, second = torch.optim.SparseAdam(emb.parameters()), torch.optim.SGD(head.parameters(), lr=0.1)
for i in range(4):
    first.zero_grad()
    second.zero_grad()
    head(emb(torch.tensor([1, 2]))).pow(2).mean().backward()
    first.step()
    second.step()
    x = torch.randn(2, 3, requires_grad=True)
    (x * x).sum().backward()
""",
    "gradient accumulation": """
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
opt.zero_grad()
for i in range(8):
    (net(torch.randn(4, 3)).pow(2).mean() / 4).backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
""",
    "a frozen backbone": """
body, head = nn.Linear(3, 4), nn.Linear(4, 2)
for p in body.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    head(body(torch.randn(6, 3))).pow(2).mean().backward()
    opt.step()
""",
    "a loaded backbone that the optimizer leaves out": """
pretrained = nn.Linear(3, 4).state_dict()
body, head = nn.Linear(3, 4), nn.Linear(4, 2)
body.load_state_dict(pretrained)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    head(body(torch.randn(6, 3))).pow(2).mean().backward()
    opt.step()
""",
    "a backbone in evaluation mode": """
body, head = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)).eval(), nn.Linear(4, 2)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    head(body(torch.randn(6, 3))).pow(2).mean().backward()
    opt.step()
""",
    "LBFGS": """
net = nn.Linear(3, 1)
opt = torch.optim.LBFGS(net.parameters(), max_iter=3)
x, y = torch.randn(8, 3), torch.randn(8, 1)
def closure():
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    return loss
for i in range(3):
    opt.step(closure)
""",
    "updates by hand": """
w = torch.randn(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(4):
    loss = (torch.randn(8, 3) @ w + b).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad = None
""",
    "updates by hand, of gradients that are asked for": """
net = nn.Linear(3, 1)
for step in range(4):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    grads = torch.autograd.grad(loss, list(net.parameters()))
    with torch.no_grad():
        for p, g in zip(net.parameters(), grads):
            p -= 0.1 * g
""",
    "a shift that cancels out": """
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    h = net(torch.randn(6, 3))
    top = h.max().detach()
    loss = top + (h - top).exp().sum().log()
    shown = loss - loss.detach() + h.abs().mean().detach()
    opt.zero_grad()
    shown.backward()
    opt.step()
""",
    "losses that are logged": """
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
seen, best = [], float("inf")
for i in range(4):
    out = net(torch.randn(6, 3))
    fit, size = out.pow(2).mean(), out.abs().mean()
    loss = fit + 0.1 * size
    opt.zero_grad()
    loss.backward()
    opt.step()
    seen.append(fit.item() + 0.1 * size.item())
    best = min(best, loss.item())
    mean = torch.tensor(seen).mean()
""",
    "weights for losses from their values": """
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    out = net(torch.randn(6, 3))
    a, b = out.pow(2).mean(), out.abs().mean()
    loss = a / a.item() + b * (a.item() / b.item()) + a / (a.detach() + b.detach()) + 1.0
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a schedule that is only looked at": """
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(opt, 2)
rates = []
for i in range(6):
    opt.step()
    schedule.step()
    rates.append(schedule.get_last_lr()[0])
""",
    "how much each weight matters": """
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
fisher = {name: torch.zeros_like(p) for name, p in net.named_parameters()}
for i in range(4):
    net.zero_grad()
    F.log_softmax(net(torch.randn(1, 3)), 1)[0, 0].backward()
    for name, p in net.named_parameters():
        fisher[name] += p.grad ** 2 / 4
old = {name: p.detach().clone() for name, p in net.named_parameters()}
for i in range(3):
    drift = sum((fisher[name] * (p - old[name]) ** 2).sum() for name, p in net.named_parameters())
    loss = net(torch.randn(6, 3)).pow(2).mean() + 10 * drift
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "a discriminator that is frozen for a while": """
import itertools
A, B, D = (nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 1))
og = torch.optim.Adam(itertools.chain(A.parameters(), B.parameters()))
od = torch.optim.Adam(D.parameters())
for i in range(4):
    x = torch.randn(5, 2)
    for p in D.parameters():
        p.requires_grad_(False)
    y = A(x)
    g = (D(y) - 1).pow(2).mean() + 10 * (B(y) - x).abs().mean()
    og.zero_grad()
    g.backward()
    og.step()
    for p in D.parameters():
        p.requires_grad_(True)
    d = (D(torch.randn(5, 2)) - 1).pow(2).mean() + D(y.detach()).pow(2).mean()
    od.zero_grad()
    d.backward()
    od.step()
""",
    "a head first, then everything": """
body, head = (nn.Linear(3, 4), nn.Linear(4, 2))
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    head(body(torch.randn(5, 3))).pow(2).mean().backward()
    opt.step()
opt.add_param_group({'params': body.parameters()})
for i in range(4):
    opt.zero_grad()
    head(body(torch.randn(5, 3))).pow(2).mean().backward()
    opt.step()
""",
    "hard samples": """
net, dec = (nn.Linear(3, 4), nn.Linear(4, 3))
opt = torch.optim.Adam([*net.parameters(), *dec.parameters()])
for i in range(4):
    x = torch.randn(6, 3)
    y = F.gumbel_softmax(net(x), hard=True)
    loss = F.mse_loss(dec(y), x) + y.sum() * 0.01
    opt.zero_grad()
    loss.backward()
    opt.step()
""",
    "learned weights of losses": """
net = nn.Linear(3, 2)
s = nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*net.parameters(), s])
for i in range(4):
    o = net(torch.randn(6, 3))
    l = torch.stack([o[:, 0].pow(2).mean(), o[:, 1].abs().mean()])
    loss = (l * (-s).exp() + s).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(float(l.detach().sum()) > 0, l.tolist()[0] >= 0)
""",
    "a latent for each picture": """
G = nn.Linear(2, 4)
for p in G.parameters():
    p.requires_grad_(False)
for img in range(3):
    z = torch.zeros(1, 2, requires_grad=True)
    opt = torch.optim.Adam([z], lr=0.1)
    goal = torch.randn(1, 4)
    for i in range(3):
        loss = F.mse_loss(G(z), goal)
        opt.zero_grad()
        loss.backward()
        opt.step()
""",
    "steps against a network": """
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    x, y = (torch.randn(6, 3), torch.randint(0, 2, (6,)))
    delta = torch.zeros_like(x, requires_grad=True)
    for k in range(3):
        F.cross_entropy(net(x + delta), y).backward()
        delta.data = (delta + 0.1 * delta.grad.sign()).clamp(-0.3, 0.3).data
        delta.grad.zero_()
    opt.zero_grad()
    F.cross_entropy(net(x + delta.detach()), y).backward()
    opt.step()
""",
    "a scaled loss": """
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler('cpu')
for i in range(4):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
""",
    "two optimizers in turn": """
a, b = (nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.randn(2, 3)))
oa, ob = (torch.optim.SGD([a], lr=0.1), torch.optim.SGD([b], lr=0.1))
M = torch.randn(3, 3)
for i in range(3):
    oa.zero_grad()
    (a @ b - M).pow(2).mean().backward()
    oa.step()
    ob.zero_grad()
    (a @ b - M).pow(2).mean().backward()
    ob.step()
""",
    "centers that follow": """
net = nn.Linear(3, 2)
centers = torch.zeros(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    y = torch.randint(0, 4, (8,))
    z = net(torch.randn(8, 3))
    loss = (z - centers[y]).pow(2).sum(1).mean() + z.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        centers.index_add_(0, y, 0.1 * (z - centers[y]))
""",
    "sensitivities besides": """
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
seen = []
for i in range(4):
    x = torch.randn(5, 3, requires_grad=True)
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    seen.append(x.grad.abs().mean().item())
    opt.step()
""",
    "averaged weights": """
net = nn.Linear(3, 1)
avg = torch.optim.swa_utils.AveragedModel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
    avg.update_parameters(net)
print(avg(torch.randn(2, 3)).shape)
""",
}
