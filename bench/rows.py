"""The timed rows: what a PyTorch program would write, run under both modules by the name ``torch``."""
from typing import NamedTuple


class Row(NamedTuple):
    name: str
    setup: str
    statement: str
    per: int = 1            # what the statement does this often, and the time is given for one


ONE = "x = torch.ones(1); y = torch.ones(1)"
ONE_GRAD = "x = torch.ones(1, requires_grad=True); y = torch.ones(1, requires_grad=True)"
IMAGE = "x = torch.ones(4, 8)"

CHAIN = """
z = x
for _ in range({length}):
    z = z * y
z.backward()
"""

MLP = """
torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_function = torch.nn.MSELoss()
x, target = torch.randn(1, 4), torch.randn(1, 2)
"""

MLP_STEP = """
optimizer.zero_grad()
loss = loss_function(model(x), target)
loss.backward()
optimizer.step()
"""

ROWS = (
    Row("add, 1 element, no gradient", ONE, "x + y"),
    Row("mul, 1 element, with gradient", ONE_GRAD, "x * y"),
    Row("100 muls forward and backward, per op", ONE_GRAD, CHAIN.format(length=100), per=100),
    Row("nn.Linear(4, 4) call", "layer = torch.nn.Linear(4, 4); x = torch.ones(1, 4)", "layer(x)"),
    Row("MLP 4-16-16-2, batch 1, SGD step", MLP, MLP_STEP),
    Row("x.view(-1)", IMAGE, "x.view(-1)"),
    Row("x.transpose(0, 1)", IMAGE, "x.transpose(0, 1)"),
    Row("x[1:3]", IMAGE, "x[1:3]"),
    Row("x[0, 1]", IMAGE, "x[0, 1]"),
)

#: What trains: where leafward's checks for stale values cost something.
TRAINING = tuple([row for row in ROWS if ".backward()" in row.statement])

#: A long chain and a short one, with the collector on, which timing turns off: an op of either should cost the same.
CHAINS = tuple([Row(f"{length} muls forward and backward, per op", f"import gc; gc.enable(); {ONE_GRAD}",
                    CHAIN.format(length=length), per=length) for length in (100_000, 100)])
