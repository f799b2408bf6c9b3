"""Whole training steps of networks as people build them, each with an optimizer."""
import functools


def training(torch, model, loss_of, optimizer, **options):
    """``step()``: gradients dropped, forward, backward, update."""
    optimizer = getattr(torch.optim, optimizer)(model.parameters(), **options)

    def step():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def mlp(torch, optimizer):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    x, y = torch.randn(64, 784), torch.randint(0, 10, (64,))
    return training(torch, model, lambda m: nn.functional.cross_entropy(m(x), y), optimizer, lr=1e-3)


def cnn(torch, optimizer):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 49, 10))
    x, y = torch.randn(32, 1, 28, 28), torch.randint(0, 10, (32,))
    return training(torch, model, lambda m: nn.functional.cross_entropy(m(x), y), optimizer, lr=1e-3)


def resnet18(torch, optimizer):
    torch.manual_seed(0)
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, before, after, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(after)
            self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(after)
            self.short = nn.Sequential()
            if stride != 1 or before != after:
                self.short = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

        def forward(self, x):
            out = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
            return (out + self.short(x)).relu()

    layers, before = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()], 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(before, width, stride), Block(width, width, 1)]
        before = width
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
    x, y = torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,))
    return training(torch, model, lambda m: nn.functional.cross_entropy(m(x), y), optimizer, lr=1e-3)


def gpt(torch, optimizer):
    """Decoder blocks as small GPTs are written, with attention spelled out."""
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    letters, length, width, heads, batch = 65, 64, 96, 4, 8

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.register_buffer("bias", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

        def forward(self, x):
            b, t, c = x.size()
            q, k, v = [part.view(b, t, heads, c // heads).transpose(1, 2) for part in self.c_attn(x).split(width, dim=2)]
            att = (q @ k.transpose(-2, -1)) * (1.0 / (c // heads) ** 0.5)
            att = F.softmax(att.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf")), dim=-1)
            return self.c_proj((att @ v).transpose(1, 2).contiguous().view(b, t, c))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), Attention(), nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(letters, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block() for _ in range(3)])
            self.ln_f, self.head = nn.LayerNorm(width), nn.Linear(width, letters, bias=False)

        def forward(self, x):
            x = self.wte(x) + self.wpe(torch.arange(x.shape[1]).unsqueeze(0))
            return self.head(self.ln_f(self.blocks(x)))

    x = torch.randint(0, letters, (batch, length))
    y = torch.roll(x, -1, 1)
    return training(torch, GPT(), lambda m: F.cross_entropy(m(x).view(-1, letters), y.view(-1)), optimizer, lr=1e-3)


def lstm(torch, optimizer):
    torch.manual_seed(0)
    nn = torch.nn
    layer, head = nn.LSTM(32, 64, batch_first=True), nn.Linear(64, 10)
    x, y = torch.randn(16, 32, 32), torch.randint(0, 10, (16,))
    return training(torch, nn.ModuleList([layer, head]),
                    lambda m: nn.functional.cross_entropy(head(layer(x)[0][:, -1]), y), optimizer, lr=1e-3)


def vae(torch, optimizer):
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional
    encoder, mean, spread = nn.Linear(784, 400), nn.Linear(400, 20), nn.Linear(400, 20)
    decoder = nn.Sequential(nn.Linear(20, 400), nn.ReLU(), nn.Linear(400, 784), nn.Sigmoid())
    x = torch.rand(64, 784)

    def loss_of(model):
        h = F.relu(encoder(x))
        mu, log_var = mean(h), spread(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * log_var)
        return F.binary_cross_entropy(decoder(z), x, reduction="sum") - 0.5 * torch.sum(1 + log_var - mu.pow(2) - log_var.exp())
    return training(torch, nn.ModuleList([encoder, mean, spread, decoder]), loss_of, optimizer, lr=1e-4)


NETWORKS, OPTIMIZERS = (mlp, cnn, resnet18, gpt, lstm, vae), ("SGD", "Adam", "AdamW")
PROGRAMS = {f"{network.__name__}, {optimizer}": functools.partial(network, optimizer=optimizer)
            for network in NETWORKS for optimizer in OPTIMIZERS}
