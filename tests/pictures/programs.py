"""Programs whose graphs are drawn, as users would write them."""
import linecache
import textwrap

NETWORK = """
import leafward as torch
from leafward import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))

class Net(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.blocks = nn.ModuleList([Block(8) for _ in range(count)])
        self.side, self.head = nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x):
        h = x
        for block in self.blocks:
            h = block(h)
        gate = torch.sigmoid(h)
        seen = gate.detach()
        seen.mul_(0.5)
        extra = self.side(x).detach()
        return self.head(gate * h + extra)

net = Net(2)
x = torch.ones(4, 8)
loss = net(x).square().mean()
"""

NAN = """
import leafward as torch
x = torch.tensor([0.0, 4.0], requires_grad=True)
scaled = x * 2
root = torch.sqrt(scaled)
loss = (root * torch.tensor([0.0, 1.0])).sum()
"""

LONG = """
import leafward as torch
w = torch.ones(3, requires_grad=True)
x = w
for _ in range(2500):
    x = (x * 1.0001).sin()
loss = x.sum()
"""

HOSTILE = '''
import leafward as torch
x = torch.tensor([1.0], requires_grad=True)
evil = {"</script><script>document.title='owned'</script>": x}   # <img src=x onerror="document.title='owned'"> \\u2028 ${1}
y = evil["</script><script>document.title='owned'</script>"].exp()
globals()["<b onclick=1>loss</b>"] = y
loss = y.sum()  # <!-- <script> ]]> --> </style> &lt;
'''


def run(program, name="train.py"):
    """The variables of a program that was run as the file ``name``."""
    program = textwrap.dedent(program).lstrip("\n")
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    variables = {"__name__": "train"}
    exec(compile(program, name, "exec"), variables)
    return variables


def picture(variables, ends=None):
    """The picture of a program's loss, drawn where its variables can be seen."""
    from leafward.trust.pictures import picture as made
    scope = {**variables, "Picture": made.Picture, "ends": ends if ends is not None else variables["loss"]}
    exec(compile("drawn = Picture(ends).look()", "train.py", "exec"), scope)
    return scope["drawn"]
