"""What the gradient of a program is: the program again, but every write makes a new value.

A tensor is a place (indices into some memory) and a history. Memory is shared by views, ``detach`` and ``data``;
a history is shared by a tensor and its views alone. Reading gives the value in memory with the history's gradient,
so a write without history (through ``detach``, ``data`` or under ``no_grad``) changes values and no gradient path.
"""
import torch

from tests.state_machine.programs import OPERATIONS, VIEWS, WRITES, Pool


class Read(torch.autograd.Function):
    """The value in memory; its gradient goes to the history."""

    @staticmethod
    def forward(ctx, history, value):
        return value.clone()

    @staticmethod
    def backward(ctx, g):
        return g, None


class Family:
    """A tensor and its views: one flat history over the whole memory, or None."""

    def __init__(self, history=None):
        self.history = history
        self.has_blind_views = False


class Place:
    """One tensor: where its elements lie in ``memory``, and whose history it shares."""

    def __init__(self, memory, indices, family, *, blind=False):
        self.memory = memory
        self.indices = indices
        self.family = family
        self.blind = blind          # a view made under no_grad: it shares memory and version, but no history

    @property
    def requires_grad(self):
        return self.family.history is not None and not self.blind

    def read(self):
        value = self.memory[self.indices]
        return Read.apply(self.family.history[self.indices], value) if self.requires_grad else value

    def write(self, value, *, recorded):
        value = value.expand(self.indices.shape)
        if recorded:
            history = self.family.history
            history = self.memory.clone() if history is None else history
            self.family.history = history.index_put((self.indices.flatten(),), value.flatten())
        self.memory[self.indices] = value.detach()


def fresh(value):
    """A tensor with memory of its own."""
    history = value.flatten() if value.requires_grad else None
    return Place(value.detach().flatten().clone(), torch.arange(value.numel()).reshape(value.shape), Family(history))


class Replay(Pool):
    """The same steps as :class:`Pool`, on places. ``is_sure`` is False once a step has left this simple model."""

    def __init__(self):
        super().__init__(torch)
        self.tensors = [fresh(x) for x in self.tensors]
        self.is_sure = True

    def operation(self, which, i, j):
        return self.keep(fresh(OPERATIONS[which % len(OPERATIONS)](torch, self.at(i).read(), self.at(j).read())))

    def view(self, which, i, j):
        source = self.at(i)
        blind = source.blind or not torch.is_grad_enabled()
        source.family.has_blind_views |= blind
        return self.keep(Place(source.memory, VIEWS[which % len(VIEWS)](source.indices), source.family, blind=blind))

    def write(self, which, i, j):
        target, other = self.at(i), self.at(j)
        value = WRITES[which % len(WRITES)][1](torch, target.read(), other.read())
        recorded = torch.is_grad_enabled() and (target.requires_grad or value.requires_grad)
        if recorded and target.family.has_blind_views:
            self.is_sure = False
        target.write(value, recorded=recorded)

    def detach(self, which, i, j):
        source = self.at(i)
        return self.keep(Place(source.memory, source.indices, Family()))

    data = detach

    def require(self, which, i, j):
        self.is_sure = self.is_sure and self.at(i).requires_grad

    def hook(self, which, i, j):
        self.is_sure = False        # a hook acts on what was recorded before it, too

    def gradient(self, which, i, j):
        loss = (self.at(i).read() * self.at(j).read()).sum() if which % 2 else self.at(i).read().sum()
        return torch.autograd.grad(loss, self.leaves, retain_graph=True, allow_unused=True)
