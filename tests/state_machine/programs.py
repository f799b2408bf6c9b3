"""Random programs over a pool of tensors: operations, views, writes, cuts, hooks and gradients.

A program is a list of steps ``(kind, which, i, j, quiet)`` of plain numbers. What they mean depends on the pool as it
is then, so every list is a program, and a failing one stays a program when steps are left out.
"""
from contextlib import nullcontext

import numpy as np

from tests.both import builtin_type
from tests.oracle import Outcome, first_sentence, to_numpy

OPERATIONS = [
    lambda t, a, b: a * b, lambda t, a, b: a + b, lambda t, a, b: a - b, lambda t, a, b: t.sigmoid(a), lambda t, a, b: t.sin(a),
    lambda t, a, b: a**2, lambda t, a, b: t.tanh(a) * b, lambda t, a, b: a / (b * b + 1), lambda t, a, b: t.relu(a),
    lambda t, a, b: a.sum(0) if a.ndim else a * 2, lambda t, a, b: t.where(a > b, a, b * 3), lambda t, a, b: t.exp(-a * a),
    lambda t, a, b: t.cat([a.flatten(), b.flatten()]), lambda t, a, b: a.clone(), lambda t, a, b: t.stack([a, a.cos()]),
]

VIEWS = [
    lambda a: a[0], lambda a: a[..., 1:], lambda a: a.t(), lambda a: a.view(-1), lambda a: a.unsqueeze(0),
    lambda a: a[..., ::2], lambda a: a.select(-1, 1), lambda a: a[:1].expand(2, *a.shape[1:]), lambda a: a.diagonal(),
    lambda a: a.narrow(0, 0, 1), lambda a: a.view_as(a), lambda a: a.unbind(0)[0], lambda a: a[1:],
]


def write(name, value=None):
    """An in-place method and the function of which it stores the result."""
    return (lambda t, a, b: getattr(a, f"{name}_")(*([] if value is None else [value(b)])),
            lambda t, a, b: getattr(t, name)(a, *([] if value is None else [value(b)])))


def assigned(a, b):
    """What ``a[...] = b`` stores: leading dims of size one may be too many in ``b``."""
    while b.ndim > a.ndim and b.shape[0] == 1:
        b = b[0]
    return b.expand_as(a).clone()


WRITES = [
    write("mul", lambda b: b), write("add", lambda b: b), write("sigmoid"), write("sin"), write("tanh"), write("relu"),
    write("mul", lambda b: 2.0), write("pow", lambda b: 2), write("div", lambda b: b * b + 1), write("clamp", lambda b: 0.1),
    (lambda t, a, b: a.copy_(b), lambda t, a, b: b.expand_as(a).clone()),
    (lambda t, a, b: a.zero_(), lambda t, a, b: t.zeros_like(a)),
    (lambda t, a, b: a.fill_(0.7), lambda t, a, b: t.full_like(a, 0.7)),
    (lambda t, a, b: a.__setitem__(Ellipsis, b), lambda t, a, b: assigned(a, b)),
]

KINDS = ["operation"] * 6 + ["view"] * 5 + ["write"] * 7 + ["detach"] * 3 + ["gradient"]
SOMETIMES = {"data": 0.35, "hook": 0.15, "require": 0.15}   # in what share of the programs they occur


def random_program(rng):
    """Three to sixteen steps; one in six runs under ``no_grad``."""
    kinds = KINDS + [kind for kind, share in SOMETIMES.items() if rng.random() < share for _ in "123"]
    return [(rng.choice(kinds), rng.randrange(15), rng.randrange(10), rng.randrange(10), rng.random() < 1 / 6)
            for _ in range(rng.randint(3, 16))]


def shortest(program, fails):
    """``program`` without the steps that its failure does not need."""
    at = 0
    while at < len(program):
        shorter = program[:at] + program[at + 1:]
        if fails(shorter):
            program, at = shorter, 0
        else:
            at += 1
    return program


class Pool:
    """The tensors of a running program in the namespace ``t``; 0 and 1 are the leaves that gradients are asked for."""

    def __init__(self, t):
        self.t = t
        self.leaves = [t.tensor([[0.3, -1.2, 0.8], [1.5, 0.4, -0.6]], dtype=t.float64, requires_grad=True),
                       t.tensor([0.9, -0.5, 1.1], dtype=t.float64, requires_grad=True)]
        x, y = self.leaves
        h = x * y
        self.tensors = [x, y, t.tensor([[1.0, 0.5, -1.0], [0.2, -0.7, 2.0]], dtype=t.float64), h, h.sigmoid()]

    def at(self, i):
        return self.tensors[-1 - i % len(self.tensors)]  # counted from the end: 0 is the newest

    def run(self, step):
        """Carry out one step; its :class:`Outcome`."""
        kind, which, i, j, quiet = step
        with self.t.no_grad() if quiet and kind != "gradient" else nullcontext():
            return Outcome(getattr(self, kind), (which, i, j))

    def keep(self, tensor):
        self.tensors.append(tensor)
        return tensor

    def operation(self, which, i, j):
        return self.keep(OPERATIONS[which % len(OPERATIONS)](self.t, self.at(i), self.at(j)))

    def view(self, which, i, j):
        return self.keep(VIEWS[which % len(VIEWS)](self.at(i)))

    def write(self, which, i, j):
        target, other = self.at(i), self.at(j)
        if other is not target and np.shares_memory(to_numpy(other), to_numpy(target)):
            other = other.clone()   # what a partial overlap gives is undefined where PyTorch does not refuse it
        WRITES[which % len(WRITES)][0](self.t, target, other)
        return target

    def detach(self, which, i, j):
        return self.keep(self.at(i).detach())

    def data(self, which, i, j):
        return self.keep(self.at(i).data)

    def require(self, which, i, j):
        return self.at(i).requires_grad_()

    def hook(self, which, i, j):
        tensor = self.at(i)
        # PyTorch 2.13 crashes in register_hook on a view whose base was written since, unless grad_fn was read first.
        assert tensor.grad_fn is not None or tensor.is_leaf
        tensor.register_hook(lambda g: g * 2)

    def gradient(self, which, i, j):
        loss = (self.at(i) * self.at(j)).sum() if which % 2 else self.at(i).sum()
        return self.t.autograd.grad(loss, self.leaves, retain_graph=True, allow_unused=True)


def visible(tensor):
    """What a user sees of a tensor without its values: it is the same on both sides."""
    def look():
        node = tensor.grad_fn
        # A view whose base was written since has a new node: AsStrided in PyTorch, the view's own in leafward.
        return tensor.requires_grad, tensor.is_leaf, node and not tensor._is_view() and type(node).__name__

    looked = Outcome(look)
    found = looked.value if looked.error is None else (builtin_type(looked.error), first_sentence(looked.error))
    return found, tensor._version, tuple(tensor.shape), *placement(tensor)


def placement(tensor):
    """Where the elements lie: the strides that lead from one to another, and the offset of the first."""
    if tensor.numel() == 0:
        return ()
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1], tensor.storage_offset()


def values(tensors):
    return [None if x is None else to_numpy(x) for x in tensors]
