"""The examples on ranks: the losses of one rank on the whole batch, and PyTorch's over gloo."""
import os
import re
import subprocess
import sys

import pytest

import leafward as lw
from tests.distributed.gloo import ROOT, gloo_again
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)

GPT = ROOT / "examples" / "gpt_on_ranks.py"
STEPS = 8
#: Ranks that are threads of one process: what each printed is what the first did.
ON_THREADS = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import gpt_on_ranks
torch.set_num_threads(1)
found = torch.distributed.run_ranks(gpt_on_ranks.train, int(sys.argv[2]), int(sys.argv[3]))
assert found.count(found[0]) == len(found)
"""


def printed(*arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    losses = re.findall(r"^step +(\d+)  loss (\d\.\d{6})$", done.stdout, re.MULTILINE)
    assert [int(number) for number, _ in losses] == list(range(1, STEPS + 1)) and len(done.stdout.splitlines()) == STEPS
    return [float(loss) for _, loss in losses]


def test_the_gpt_has_pytorchs_losses_on_any_number_of_ranks(pytorchs_answer):
    program = GPT.read_text(), GPT.with_name("gpt.py").read_text(), STEPS
    theirs = pytorchs_answer("gpt_on_ranks", program, lambda: gloo_again(lambda: printed(GPT, STEPS, 2)))
    for size in 1, 4:
        ours = printed("-m", "leafward", "run", "-c", ON_THREADS, GPT.parent, size, STEPS)
        assert ours == pytest.approx(theirs, rel=0, abs=1e-4), size
    assert theirs[-1] < theirs[0] - 0.2


def test_the_digits_are_read_by_two_ranks():
    from sklearn.datasets import load_digits
    digits = load_digits()
    images = lw.tensor(digits.data / 16, dtype=lw.float32)
    labels = lw.tensor(digits.target)
    order = lw.randperm(len(labels), generator=lw.Generator().manual_seed(0))
    learned, held_out = order[360:], order[:360]
    start = lw.nn.Sequential(lw.nn.Linear(64, 64), lw.nn.ReLU(), lw.nn.Linear(64, 10)).state_dict()

    def train(rank, epochs=8):
        plain = lw.nn.Sequential(lw.nn.Linear(64, 64), lw.nn.ReLU(), lw.nn.Linear(64, 10))
        plain.load_state_dict(start)
        model = lw.nn.parallel.DistributedDataParallel(plain)
        data = lw.utils.data.TensorDataset(images[learned], labels[learned])
        sampler = lw.utils.data.DistributedSampler(data)
        loader = lw.utils.data.DataLoader(data, batch_size=32, sampler=sampler)
        optimizer, seen = lw.optim.Adam(model.parameters(), lr=3e-3), []
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                seen.append(len(y))
                optimizer.zero_grad()
                lw.nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
        with lw.no_grad():
            right = (model(images[held_out]).argmax(dim=1) == labels[held_out]).float().mean().item()
        return right, sum(seen), [p.tolist() for p in model.parameters()]
    (right, seen, parameters), other = lw.distributed.run_ranks(train, 2)
    assert right > 0.93 and seen == 8 * -(-len(learned) // 2)
    assert (right, seen, parameters) == other
