"""Twenty steps of training, on one process and on several with equal parts of the batch, under leafward and under PyTorch."""
import sys
from importlib import import_module

import numpy as np

STEPS, BATCH = 20, 24
CASES = {}


def training(function):
    CASES[function.__name__] = function
    return function


def draws(dtype, *shape, seed=0):
    """Data that is the same on both sides: normals differ from PyTorch's in their last bit, NumPy's do not."""
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def mlp(torch):
    nn = torch.nn
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))


def filled(torch, model, dtype):
    """The model with weights that are the same on both sides."""
    model = model.to(getattr(torch, dtype))
    with torch.no_grad():
        for number, p in enumerate(model.parameters()):
            p.copy_(torch.from_numpy(draws(dtype, *p.shape, seed=100 + number) * 0.3))
    return model


def train(torch, model, dtype, rank, size, step=None, optimizer=None):
    """The losses of twenty steps, over the whole batch."""
    x, y = torch.from_numpy(draws(dtype, BATCH, 6)), torch.from_numpy(draws(dtype, BATCH, 3, seed=1))
    part = slice(rank * BATCH // size, (rank + 1) * BATCH // size)
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for number in range(STEPS):
        optimizer.zero_grad()
        if step is not None:
            loss = step(model, x[part], y[part], number)
        else:
            loss = ((model(x[part]) - y[part]) ** 2).mean()
            loss.backward()
        optimizer.step()
        whole = loss.detach().clone()
        if size > 1:
            torch.distributed.all_reduce(whole)
        losses.append(whole.item() / size)
    return losses


def wrapped(torch, model, size, **options):
    return torch.nn.parallel.DistributedDataParallel(model, **options) if size > 1 else model


@training
def plain(torch, rank, size, dtype):
    return train(torch, wrapped(torch, filled(torch, mlp(torch), dtype), size), dtype, rank, size)


@training
def small_buckets(torch, rank, size, dtype):
    return train(torch, wrapped(torch, filled(torch, mlp(torch), dtype), size, bucket_cap_mb=0.0005), dtype, rank, size)


@training
def views_of_buckets(torch, rank, size, dtype):
    """Gradients lie in the buckets, also where they add up before they are reduced, and where they are set to zero in place."""
    model = wrapped(torch, filled(torch, mlp(torch), dtype), size, gradient_as_bucket_view=True, bucket_cap_mb=0.0005)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    zero = optimizer.zero_grad
    optimizer.zero_grad = lambda: zero(set_to_none=optimizer.state == {})
    return train(torch, model, dtype, rank, size, halves(size), optimizer)


@training
def accumulation(torch, rank, size, dtype):
    return train(torch, wrapped(torch, filled(torch, mlp(torch), dtype), size), dtype, rank, size, halves(size))


def halves(size):
    """Two backwards a step, the first without synchronization."""
    def step(model, x, y, number):
        half, total = len(x) // 2, 0
        for k, part in enumerate((slice(0, half), slice(half, None))):
            if k == 0 and size > 1:
                with model.no_sync():
                    loss = ((model(x[part]) - y[part]) ** 2).mean() / 2
                    loss.backward()
            else:
                loss = ((model(x[part]) - y[part]) ** 2).mean() / 2
                loss.backward()
            total = total + loss.detach()
        return total
    return step


def two_ways(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.left, self.right = (torch.nn.Linear(a, b) for a, b in ((6, 8), (8, 3), (8, 3)))
            self.never, self.number = torch.nn.Linear(2, 2), 0

        def forward(self, x):
            self.number += 1
            return (self.left if self.number % 3 else self.right)(self.first(x).tanh())
    return Model()


@training
def unused_parameters(torch, rank, size, dtype):
    model = filled(torch, two_ways(torch), dtype)
    losses = train(torch, wrapped(torch, model, size, find_unused_parameters=True), dtype, rank, size)
    return losses, model.never.weight.grad is None, model.right.weight.grad is None


def twice(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.again, self.last = torch.nn.Linear(6, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 3)
            self.never = torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.last(self.again(self.again(self.first(x).tanh()).tanh()))
    return Model()


@training
def a_static_graph(torch, rank, size, dtype):
    """What is never used is found without looking for it, and a layer may be used twice."""
    model = filled(torch, twice(torch), dtype)
    losses = train(torch, wrapped(torch, model, size, static_graph=True), dtype, rank, size)
    return losses, model.never.weight.grad is None


def buffered(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(6, 3)
            self.register_buffer("count", torch.zeros(1))

        def forward(self, x):
            return self.linear(x) + self.count * 0.01
    return Model()


@training
def buffers_of_the_first_rank(torch, rank, size, dtype):
    model = filled(torch, buffered(torch), dtype)

    def step(wrapped_model, x, y, number):
        model.count += 1 + rank
        loss = ((wrapped_model(x) - y) ** 2).mean()
        loss.backward()
        return loss
    return train(torch, wrapped(torch, model, size), dtype, rank, size, step)


@training
def a_hook(torch, rank, size, dtype):
    model = wrapped(torch, filled(torch, mlp(torch), dtype), size)
    if size > 1:
        def mean(state, bucket):
            work = torch.distributed.all_reduce(bucket.buffer(), async_op=True)
            return work.get_future().then(lambda future: future.value()[0] / state)
        model.register_comm_hook(size, mean)
    return train(torch, model, dtype, rank, size)


@training
def starts_of_other_ranks_do_not_matter(torch, rank, size, dtype):
    model = filled(torch, mlp(torch), dtype)
    if rank:
        with torch.no_grad():
            for p in model.parameters():
                p.add_(rank)
    return train(torch, wrapped(torch, model, size), dtype, rank, size)


@training
def zero_redundancy(torch, rank, size, dtype):
    model = wrapped(torch, filled(torch, mlp(torch), dtype), size)
    if size > 1:
        optim = import_module(f"{torch.__name__}.distributed.optim")
        optimizer = optim.ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return train(torch, model, dtype, rank, size, optimizer=optimizer)


def run(torch, rank, size):
    return {(name, dtype): case(torch, rank, size, dtype) for name, case in CASES.items() for dtype in ("float32", "float64")}


if __name__ == "__main__":
    from tests.distributed import gloo
    gloo.main(run, sys.argv)
