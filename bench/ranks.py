"""One rank of what ``bench.scaling`` measures: the same programs for leafward and for PyTorch.

    python -m bench.ranks LIBRARY RANK SIZE STORE WHAT [ARGUMENT]       prints what it found as JSON
"""
import json
import sys
import time

#: For each model: rows, images or windows for each rank, steps in a block, and blocks.
BLOCKS = {"mlp": (64, 10, 15), "mlp, large batch": (2048, 2, 9), "resnet18": (32, 1, 9), "gpt": (16, 1, 9),
          "one try": (4, 1, 3)}
#: Bytes of a short and of a long all_reduce, and how often each is measured.
SHORT, LONG, TIMES = 1 << 10, 1 << 22, 20
WIDTH, DEPTH = 512, 4


def mlp(torch):
    """Layers of 512: nearly all of a step is products of matrices."""
    layers = [layer for _ in range(DEPTH) for layer in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())]
    return torch.nn.Sequential(*layers), lambda rows: torch.ones(rows, WIDTH)


def resnet18(torch):
    """He et al. 2015, 11.7 million parameters, on images of 64 x 64."""
    nn = torch.nn

    class Residual(nn.Module):
        def __init__(self, channels, out, stride):
            super().__init__()
            self.f = nn.Sequential(
                nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(),
                nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
            self.shortcut = nn.Identity() if stride == 1 else nn.Sequential(
                nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

        def forward(self, x):
            return torch.relu(self.f(x) + self.shortcut(x))
    blocks = [Residual(64, 64, 1), Residual(64, 64, 1)]
    for channels in 64, 128, 256:
        blocks += [Residual(channels, 2 * channels, 2), Residual(2 * channels, 2 * channels, 1)]
    model = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))
    return model, lambda images: torch.randn(images, 3, 64, 64)


def gpt(torch):
    """Radford et al. 2019, small: 4 blocks of width 256, 128 places, 256 symbols; 3.3 million parameters."""
    nn, width, heads, places, symbols = torch.nn, 256, 4, 128, 256

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.qkv, self.out = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            n, t, _ = x.shape
            parts = self.qkv(self.norm(x)).split(width, dim=-1)
            q, k, v = [part.reshape(n, t, heads, -1).transpose(1, 2) for part in parts]
            seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(n, t, width))
            return x + self.mlp(x)

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.symbols, self.places = nn.Embedding(symbols, width), nn.Embedding(places, width)
            self.blocks, self.scores = nn.Sequential(*[Block() for _ in range(4)]), nn.Linear(width, symbols)

        def forward(self, windows):
            return self.scores(self.blocks(self.symbols(windows) + self.places.weight))
    return GPT(), lambda windows: torch.randint(symbols, (windows, places))


MODELS = {"mlp": mlp, "mlp, large batch": mlp, "resnet18": resnet18, "gpt": gpt, "one try": mlp}


def stepping(torch, model, x):
    """A function that takes one step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    return step


def steps(torch, rank, size, name):
    """Blocks of steps in turn: without a connection on all ranks at once, with DDP, and by the first rank alone on all data.

    For each block, the seconds of a step and its processor seconds; and the bytes of the gradients.
    """
    dist, (batch, count, rounds) = torch.distributed, BLOCKS[name]

    model, data = MODELS[name](torch)
    x = data(batch)
    ways = {"alone": stepping(torch, model, x), "whole": stepping(torch, model, data(size * batch)),
            "ddp": stepping(torch, torch.nn.parallel.DistributedDataParallel(MODELS[name](torch)[0]), x)}
    gradients = sum([p.numel() * p.element_size() for p in model.parameters()])
    found = {way: [] for way in ways}
    for number in range(rounds + 1):
        for way, step in ways.items():
            dist.barrier()
            wall, used = time.perf_counter(), time.process_time()
            if way != "whole" or rank == 0:
                for _ in range(count):
                    step()
            if number:
                found[way].append([(time.perf_counter() - wall) / count, (time.process_time() - used) / count])
    return {"gradients": gradients, **found}


def reductions(torch, rank, size, name):
    """The seconds, and the processor seconds, of an all_reduce of few bytes and of many; and whether the ranks read and write
    each other's memory for the latter."""
    found = []
    for length in SHORT, LONG:
        many = torch.zeros(length // 4)
        rows = []
        for _ in range(TIMES):
            torch.distributed.barrier()
            wall, used = time.perf_counter(), time.process_time()
            torch.distributed.all_reduce(many)
            rows.append((time.perf_counter() - wall, time.process_time() - used))
        found.append([sorted(column)[TIMES // 2] for column in zip(*rows, strict=True)])
    return {"near": torch.distributed.group.WORLD.reduces_in_place("float32"), "rows": found}


def main(library, rank, size, store, what, name=None):
    torch = __import__(library)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=int(rank), world_size=int(size))
    print(json.dumps({"steps": steps, "reductions": reductions}[what](torch, int(rank), int(size), name)))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
