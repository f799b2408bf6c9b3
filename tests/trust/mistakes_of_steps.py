"""Mistakes of who trains what: two losses in one gradient, frozen layers that move, checkpoints of data, modes."""

#: name -> (the program, the line of the mistake, what is said of it), as in ``mistakes.py``.
STEPS = {
    "two optimizers of one network": ("""
net = nn.Linear(3, 1)
first, second = torch.optim.SGD(net.parameters(), lr=0.1), torch.optim.Adam(net.parameters())
for i in range(4):
    first.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    first.step()
    second.step()
""", 7, "step with the same gradients"),
    "gradients clipped before they are there": ("""
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    loss = net(torch.randn(4, 3)).pow(2).mean()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    loss.backward()
    opt.step()
""", 6, "not clipped"),
    "gradients limited before they are there, in a trainer": ("""
class Trainer:
    def __init__(self):
        self.net = nn.Linear(3, 1)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
    def turn(self, x):
        loss = self.net(x).pow(2).mean()
        self.opt.zero_grad()
        nn.utils.clip_grad_value_(self.net.parameters(), 0.5)
        loss.backward()
        self.opt.step()
trainer = Trainer()
for i in range(3):
    trainer.turn(torch.randn(4, 3))
""", 8, "not clipped"),
    "a generator's optimizer zeroed twice": ("""
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(3):
    fake = G(torch.randn(4, 2))
    og.zero_grad()
    d = F.softplus(-D(torch.randn(4, 3))).mean() + F.softplus(D(fake.detach())).mean()
    d.backward()
    od.step()
    og.zero_grad()
    g = F.softplus(-D(fake)).mean()
    g.backward()
    og.step()
""", 7, "zero_grad() is missing"),
    "a discriminator's step below the generator's backward": ("""
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
og, od = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(3):
    fake = G(torch.randn(4, 2))
    od.zero_grad()
    og.zero_grad()
    d_loss = D(fake.detach()).mean() - D(torch.randn(4, 3)).mean()
    d_loss.backward()
    g_loss = -D(fake).mean()
    g_loss.backward()
    od.step()
    og.step()
""", 10, "a step uses the gradient of another optimizer's loss too"),
    "a discriminator zeroed after its step": ("""
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(3):
    fake = G(torch.randn(4, 2))
    og.zero_grad()
    F.softplus(-D(fake)).mean().backward()
    og.step()
    F.softplus(-D(torch.randn(4, 3))).mean().backward()
    F.softplus(D(fake.detach())).mean().backward()
    od.step()
    od.zero_grad()
""", 6, "a step uses the gradient of another optimizer's loss too"),
    "a frozen layer that momentum moves on": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(3):
    if epoch == 1:
        for p in net[0].parameters():
            p.requires_grad = False
    opt.zero_grad(set_to_none=False)
    net(torch.ones(2, 3)).pow(2).mean().backward()
    opt.step()
""", 9, "the optimizer's memory of older gradients moves it on"),
    "a frozen embedding that weight decay moves on": ("""
emb, head = nn.Embedding(4, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*emb.parameters(), *head.parameters()], lr=0.1, weight_decay=0.1)
head(emb.weight).pow(2).mean().backward()
emb.requires_grad_(False)
for i in range(3):
    opt.zero_grad(set_to_none=False)
    head(emb.weight).pow(2).mean().backward()
    opt.step()
""", 8, "weight decay moves it on"),
    "a frozen layer with its old gradient": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(2, 3)).pow(2).mean().backward()
net[0].weight.requires_grad_(False)
for i in range(2):
    opt.step()
    net[1].zero_grad()
    net[0].bias.grad = None
    net(torch.ones(2, 3)).pow(2).mean().backward()
""", 6, "its old gradient is still there"),
    "a checkpoint as one node, of data": ("""
from torch.utils.checkpoint import checkpoint
body, head = nn.Linear(2, 2), nn.Linear(2, 1)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for i in range(2):
    h = checkpoint(body, torch.ones(3, 2), use_reentrant=True)
    loss = head(h).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
""", 5, "checkpoint(use_reentrant=True) got no input that requires grad"),
    "a checkpoint as one node, in forward": ("""
from torch.utils.checkpoint import checkpoint_sequential
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Tanh())
        self.head = nn.Linear(3, 1)
    def forward(self, x):
        x = checkpoint_sequential(self.blocks, 2, x, use_reentrant=True)
        return self.head(x)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()
""", 8, "checkpoint(use_reentrant=True) got no input that requires grad"),
    "a validation that leaves evaluation on": ("""
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def validate():
    net.eval()
    with torch.no_grad():
        return net(torch.randn(8, 3)).mean().item()
for epoch in range(3):
    for _ in range(2):
        opt.zero_grad()
        net(torch.randn(8, 3)).pow(2).mean().backward()
        opt.step()
    validate()
""", 4, "training goes on in evaluation mode"),
    "a trainer whose network stays in evaluation": ("""
class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Linear(4, 1))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)
    def train_epoch(self):
        for _ in range(2):
            self.opt.zero_grad()
            self.model(torch.randn(8, 3)).pow(2).mean().backward()
            self.opt.step()
    @torch.no_grad()
    def validate(self, model):
        model.eval()
        return model(torch.randn(8, 3)).mean().item()
trainer = Trainer()
for epoch in range(2):
    trainer.train_epoch()
    trainer.validate(trainer.model)
""", 12, "training goes on in evaluation mode"),
}
