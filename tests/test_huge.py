"""Options that size a loop or an array: a huge one is computed or refused within a second, and in PyTorch's way."""
import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

import leafward as lw

#: In a process of its own: what never ends is killed, and so is what takes all memory.
PROGRAM = """
import faulthandler, resource, sys, time
import leafward as torch
x, row = torch.ones(2, 3), torch.ones(1, 2, 3)
F = torch.nn.functional
F.pad(torch.rand(1, 3), (1, 1)).exp().mvlgamma(1)        # what is imported late is not timed
with open("/proc/self/statm") as file:
    now = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + (1 << 30),) * 2)
for expression in sys.stdin.read().splitlines():
    faulthandler.dump_traceback_later(30, exit=True)
    start = time.process_time()
    try:
        said = str(eval(expression))
    except Exception as error:
        said = f"{'RuntimeError' if isinstance(error, RuntimeError) else type(error).__name__}: {error}"
    print(time.process_time() - start, said.splitlines()[0], sep="|", flush=True)
"""

ALLOCATES = "RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to allocate "
OVERFLOWS = "RuntimeError: Storage size calculation overflowed"

HUGE = {
    "F.pad(x, (0, 2**61))": OVERFLOWS,
    "F.pad(x, (2**61, 2**61))": OVERFLOWS,
    "F.pad(x, (0, 2**40))": ALLOCATES + "8796093022232",
    "F.pad(row, (2**61, 0), mode='replicate')": OVERFLOWS,
    "F.pad(row, (0, 2**40), mode='replicate')": ALLOCATES,
    "torch.tensor_split(x, 2**40)": "RuntimeError: std::bad_alloc",
    "torch.zeros(0).hsplit(2**40)": "RuntimeError: std::bad_alloc",
    "torch.polygamma(2**31, x)": "tensor([[-inf, -inf, -inf],",
    "torch.polygamma(2**31 - 1, x)": "tensor([[inf, inf, inf],",
    "torch.polygamma(3, x.double() - 1e9 - 0.5)": "tensor([[194.8182,",
    "torch.polygamma(3, x.double() - 1e17)": "tensor([[inf, inf, inf],",
    "torch.mvlgamma(x + 2**17, 2**10)": "tensor(",
    "torch.mvlgamma(x, 2**40)": "RuntimeError: mvlgamma adds up p terms",
    "torch.mvlgamma(torch.full((100,), 2.**21), 2**20)": "RuntimeError: mvlgamma adds up p terms",
    "torch.special.laguerre_polynomial_l(x / 2, 2**31)": "RuntimeError: a polynomial of degree 2147483648",
    "torch.special.legendre_polynomial_p(x / 2, 2**31)": "RuntimeError: a polynomial of degree 2147483648",
    "torch.svd_lowrank(x, q=2, niter=2**31)": "RuntimeError: niter=2147483648",
    "torch.round(x, decimals=2**31)": "tensor([[nan, nan, nan],",
    "x.random_(2**63)": "ValueError: Overflow when unpacking long long",
    "torch.ones(4).unfold(0, 1, 2**61)": "tensor([[1.]])",
    "F.max_pool1d(row, 2**40, padding=2**39)": "RuntimeError: value cannot be converted to type int without overflow",
    "F.avg_pool2d(row[None], 2**40, ceil_mode=True)": "RuntimeError: value cannot be converted to type int without overflow",
    "F.max_pool2d(row[None], 2, 2**40)": "RuntimeError: value cannot be converted to type int without overflow",
    "torch.zeros(2**61)": OVERFLOWS,
    "torch.zeros(2**40)": ALLOCATES + "4398046511104 bytes",
    "x.new_zeros(2**40)": ALLOCATES,
    "torch.arange(2**40)": ALLOCATES,
    "torch.rand(2**40)": ALLOCATES,
    "torch.eye(2**40)": OVERFLOWS,
    "torch.linspace(0, 1, 2**40)": ALLOCATES,
    "torch.tril_indices(2**40, 3)": ALLOCATES,
    "torch.hann_window(2**40)": ALLOCATES,
    "x.repeat(2**40, 1)": ALLOCATES,
    "torch.fft.fft(x, 2**40)": ALLOCATES,
    "torch.histc(x, 2**40)": ALLOCATES,
    "torch.diff(x, 2**40)": "tensor([], size=(2, 0))",
    "F.one_hot(torch.tensor([1]), 2**40)": ALLOCATES,
    "torch.matrix_power(torch.eye(2), 2**61)": "tensor(",
    "torch.rot90(x, 2**61)": "tensor(",
    "x.roll(2**61, 0)": "tensor(",
    "F.interpolate(row, 2**40)": ALLOCATES,
    "torch.bincount(torch.tensor([1]), minlength=2**40)": ALLOCATES,
    "torch.bartlett_window(2**61)": OVERFLOWS,
    "torch.logspace(0, 1, 2**40)": ALLOCATES,
    "torch.randperm(2**40)": ALLOCATES,
    "torch.full((2**40, 2), 1)": ALLOCATES,
    "torch.empty(2**61)": OVERFLOWS,
    "torch.nn.Linear(2**40, 2)": ALLOCATES,
    "x.expand(2**40, 2, 3) + 1": ALLOCATES,
    "x.expand(2**40, 2, 3).exp()": ALLOCATES,
    "torch.ones(1).repeat_interleave(2**40)": ALLOCATES,
}


@functools.cache
def outcomes():
    done = subprocess.run([sys.executable, "-c", PROGRAM], input="\n".join(HUGE), capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": str(Path(lw.__file__).parent.parent)})
    lines = [line.partition("|")[::2] for line in done.stdout.splitlines()]
    assert len(lines) == len(HUGE), f"{list(HUGE)[len(lines)]} does not end: {done.stderr}"
    return dict(zip(HUGE, lines, strict=True))


@pytest.mark.parametrize("expression", HUGE)
def test_it_ends_within_a_second(expression):
    seconds, said = outcomes()[expression]
    assert said.startswith(HUGE[expression]) and float(seconds) < 1


def test_what_memory_cannot_hold_is_both_errors():
    with pytest.raises(RuntimeError) as caught:
        lw.zeros(2**50)
    assert isinstance(caught.value, MemoryError)


def test_a_sampler_with_replacement_draws_as_it_goes():
    torch = pytest.importorskip("torch")
    taken = []
    for t in (torch, lw):
        generator = t.Generator().manual_seed(5)
        sampler = t.utils.data.RandomSampler(range(100), replacement=True, num_samples=10**12, generator=generator)
        indices = iter(sampler)
        taken.append([next(indices) for _ in range(100)])
        assert len(sampler) == 10**12
    assert taken[0] == taken[1]
