"""Eight threads that draw, run forward and backward, save and load, all at once: ``make stress MINUTES=5``.

Every thread knows what it must get: its own generator's numbers, the gradient of one thread alone, what it saved. What
they share are the default generator, one weight that all of them read, and one leaf to which all of them send gradients.
"""
import faulthandler
import io
import sys
import threading
import time
import traceback

import leafward as lw

THREADS = 8


def net(seed):
    generator = lw.Generator().manual_seed(seed)
    w = lw.randn(17, 8, generator=generator).requires_grad_()
    v = lw.randn(8, 1, generator=generator).requires_grad_()
    return w, v, lw.randn(32, 17, generator=generator)


def gradients(w, v, x):
    h = lw.tanh(x @ w).relu() + lw.nn.functional.softmax(x[:, :8], 1)
    h.mul_(2)
    return lw.autograd.grad((h[:, 1:].sum(1, keepdim=True) * (h @ v)).mean(), (w, v))


class Worker(threading.Thread):
    """One of them; ``rounds`` counts what it did, ``error`` says what went wrong."""

    def __init__(self, seed, shared, until):
        super().__init__(daemon=True)
        self.seed, self.shared, self.until = seed, shared, until
        self.rounds, self.error = 0, None
        self.parts = net(seed)
        self.expected = gradients(*self.parts)

    def run(self):
        try:
            while time.monotonic() < self.until:
                self.draw()
                self.differentiate()
                self.train()
                self.save()
                self.rounds += 1
        except BaseException:
            self.error = traceback.format_exc()
            self.until = 0

    def draw(self):
        drawn = lw.nn.functional.dropout(lw.ones(40_000), 0.5)
        assert set(drawn.unique().tolist()) <= {0, 2}
        assert 0 <= lw.rand(3000).min() and lw.randn(1001).isfinite().all()
        assert sorted(lw.randperm(50).tolist()) == list(range(50))
        lw._standard_gamma(lw.full((20,), 2.0))
        mine = lw.Generator().manual_seed(self.seed)
        assert lw.equal(lw.rand(5000, generator=mine), lw.rand(5000, generator=lw.Generator().manual_seed(self.seed)))

    def differentiate(self):
        assert all(lw.equal(*pair) for pair in zip(gradients(*self.parts), self.expected, strict=True))
        with lw.no_grad():
            assert not (self.shared * 2).requires_grad
        lw.zeros(64).add(self.shared).sum().backward()              # a one for each element, from each thread

    def train(self):
        model = lw.nn.Sequential(lw.nn.Linear(8, 16), lw.nn.ReLU(), lw.nn.Dropout(0.1), lw.nn.Linear(16, 1))
        optimizer = lw.optim.Adam(model.parameters())
        for _ in range(3):
            optimizer.zero_grad()
            model(lw.rand(16, 8)).square().mean().backward()
            optimizer.step()
        assert all(p.isfinite().all() for p in model.parameters())

    def save(self):
        file = io.BytesIO()
        lw.save({"parts": self.parts, "view": self.parts[0].detach()[1:]}, file)
        file.seek(0)
        back = lw.load(file)
        assert all(lw.equal(*pair) for pair in zip(back["parts"], self.parts, strict=True))


def stress(seconds, threads=THREADS):
    """Run for so long; how many rounds they did together. Raises what went wrong."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        shared = lw.zeros(64, requires_grad=True)
        until = time.monotonic() + seconds
        workers = [Worker(seed, shared, until) for seed in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(seconds + 120)
            assert worker.error is None, worker.error
            assert not worker.is_alive(), "a thread hangs"
        rounds = sum(worker.rounds for worker in workers)
        assert (shared.grad == rounds).all(), f"{shared.grad} after {rounds} rounds"
        return rounds
    finally:
        sys.setswitchinterval(interval)


def main(minutes):
    faulthandler.enable()
    print(f"{THREADS} threads, {minutes:g} minutes, {'compiled' if lw.core.compiled() else 'interpreted'} ...", flush=True)
    print(f"{stress(60 * minutes)} rounds: no crash, every gradient exact")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5)
