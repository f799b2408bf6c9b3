"""What all default checks cost a training step, in instructions: ``make bench-checks``.

    python -m bench.checks      a step of a small MLP and one of a small GPT, with the checks and with LEAFWARD_CHECKS=0

Counted are 64 steps one after another, after those in which each line is new: among them is the one in which every node is
asked for NaN and inf (see docs/trust.md). It takes some minutes.
"""
import argparse
import gc
import sys

from bench.instructions import Absent, switch, under_valgrind

#: How many steps are counted: the dearest check comes once in so many. How many come before, in which each line is new.
CYCLE, BEFORE = 64, 4

MLP = """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU(),
                            torch.nn.Linear(16, 2))
optimizer, loss_function = torch.optim.SGD(model.parameters(), lr=0.01), torch.nn.MSELoss()
x, target = torch.randn(1, 4), torch.randn(1, 2)
def step():
    optimizer.zero_grad()
    loss_function(model(x), target).backward()
    optimizer.step()
"""
GPT = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.first, self.second = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.first(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.mlp(self.second(x))
class GPT(nn.Module):
    def __init__(self, tokens=65, length=32, width=64, heads=4, layers=3):
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens)
    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tokens(ids) + self.places.weight)))
model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
ids = torch.randint(0, 65, (4, 33))
def step():
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
MODELS = {"a step of a small MLP": MLP, "a step of a small GPT": GPT}


def counted(name, checks):
    """Instructions of one step of a model, from a process of its own under valgrind."""
    return under_valgrind("bench.checks", [name], LEAFWARD_CHECKS=checks)[name] / CYCLE


def run_counted(library, name):
    """In the process under valgrind: a cycle of steps, with counting on."""
    import leafward
    counter = switch(library)
    gc.disable()
    space = {"torch": leafward}
    exec(MODELS[name], space)                               # noqa: S102  our own table
    for _ in range(BEFORE):
        space["step"]()
    gc.collect()
    counter.start()
    for _ in range(CYCLE):
        space["step"]()
    counter.stop(name.encode())


def main(arguments=None):
    """Count with and without, and print both."""
    parser = argparse.ArgumentParser(prog="python -m bench.checks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counted-by", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.counted_by:
        return run_counted(chosen.counted_by, *chosen.names)
    print(f"{'':<24}{'with checks':>14}{'without':>14}{'cost':>8}   instructions of one step, of {CYCLE} in a row")
    for name in MODELS:
        try:
            ours, plain = counted(name, ""), counted(name, "0")
        except Absent as reason:
            print(f"bench-checks: {reason}", file=sys.stderr)
            return 2
        print(f"{name:<24}{ours:>14,.0f}{plain:>14,.0f}{ours / plain - 1:>8.1%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
