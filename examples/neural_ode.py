"""A neural ordinary differential equation (Chen et al. 2018) that learns a spiral; its gradient comes by the adjoint.

    leafward run examples/neural_ode.py [steps]
"""
import sys

import torch
from torch import nn


def rk4(f, y, t, step):
    """One step of Runge and Kutta's: ``y(t + step)`` for ``dy/dt = f(t, y)``, to the fourth order."""
    k1 = f(t, y)
    k2 = f(t + step / 2, y + step / 2 * k1)
    k3 = f(t + step / 2, y + step / 2 * k2)
    k4 = f(t + step, y + step * k3)
    return y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


class Adjoint(torch.autograd.Function):
    """``y(t)`` at all ``times``. Backward solves ``da/dt = -a df/dy`` back in time and keeps no step's graph."""

    @staticmethod
    def forward(ctx, field, y, times, *parameters):
        ctx.field, ctx.count = field, len(parameters)
        path = [y]
        for t, following in zip(times[:-1], times[1:]):
            path.append(rk4(field, path[-1], t, following - t))
        path = torch.stack(path)
        ctx.save_for_backward(path, times, *parameters)
        return path

    @staticmethod
    def backward(ctx, g):
        path, times, *parameters = ctx.saved_tensors
        a, sums = g[-1], [torch.zeros_like(p) for p in parameters]
        for i in range(len(times) - 1, 0, -1):
            with torch.enable_grad():
                y = path[i - 1].detach().requires_grad_()
                following = rk4(ctx.field, y, times[i - 1], times[i] - times[i - 1])
            dy, *parts = torch.autograd.grad(following, (y, *parameters), a)
            sums = [total + part for total, part in zip(sums, parts)]
            a = dy + g[i - 1]
        return None, a, None, *sums


class Field(nn.Module):
    """``f(t, y)``, a velocity at every place."""

    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 2))
        for module in self.net:
            if isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=0.1)
                nn.init.zeros_(module.bias)

    def forward(self, t, y):
        return self.net(y**3)


def main(steps):
    torch.manual_seed(0)
    times = torch.linspace(0, 12, 121)
    matrix = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    with torch.no_grad():
        path = [torch.tensor([2.0, 0.0])]
        for t, following in zip(times[:-1], times[1:]):
            path.append(rk4(lambda t, y: y**3 @ matrix, path[-1], t, following - t))
    truth = torch.stack(path)                                                       # 121 2
    field = Field()
    optimizer = torch.optim.RMSprop(field.parameters(), lr=1e-3)
    window = 8
    for step in range(1, steps + 1):
        starts = torch.randperm(len(truth) - window)[:16]
        solved = Adjoint.apply(field, truth[starts], times[:window], *field.parameters())        # window 16 2
        wanted = torch.stack([truth[starts + i] for i in range(window)])
        loss = torch.mean(torch.abs(solved - wanted))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step:3}  loss {loss.item():.6f}")
    with torch.no_grad():
        whole = Adjoint.apply(field, truth[0], times, *field.parameters())
        print(f"mean distance along the whole spiral: {(whole - truth).norm(dim=1).mean().item():.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
