"""Tensors: constructors, indexing, shapes, reductions, in-place writes, linear algebra, transforms of signals."""
import math

import leafward as torch
import leafward.fft
import leafward.linalg
from leafward import Generator, Size, Tensor, device, dtype
from leafward.linalg import svd


def one_hot(labels: Tensor, classes: int, kind: dtype = torch.float32, where: device | str = "cpu") -> Tensor:
    out = torch.zeros(*labels.shape, classes, dtype=kind, device=where)
    out[torch.arange(len(labels)), labels] = 1.0
    return out


def sinusoids(length: int, dim: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    scale = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    table = torch.zeros(length, dim)
    table[:, 0::2] = torch.sin(position * scale)
    table[:, 1::2] = torch.cos(position * scale)
    return table


def main() -> None:
    g = Generator().manual_seed(3)
    x = torch.rand(4, 5, generator=g)
    steps = torch.arange(0.0, 1.0, 0.25) + torch.arange(1.5, 5.5) + torch.linspace(0, 1, steps=4)
    rows, columns = x.shape
    shape: Size = x.size()
    print(x[0], x[0, 1:3], x[..., -1], x[None], x[x > 0.5], x[[0, 2]], x[:, torch.tensor([1, 2])], x[1, 2].item() + 1)
    x[x < 0.1] = 0
    x[0] = torch.zeros(5)
    x[1, :2] += 1
    x[:, 0] *= 2
    values, indices = x.max(dim=1)
    top = x.topk(2, dim=-1, largest=True)
    print(values + indices, top.values, top.indices, x.sort(dim=0, descending=True)[1], steps)
    print(1 - x, 2 / (x + 1), -x, 2**x, x // 2, x % 2, ~(x > 1), (x > 0) & (x < 1), x @ x.T, x == 1, x != x, 3 * x**2)
    y = x.view(-1).reshape(5, 4).permute(1, 0).contiguous().transpose(0, 1).unsqueeze(0).squeeze().flatten()
    y = torch.cat([y, y[:3]]).repeat(2).expand(2, -1)
    z = torch.stack((x, x), dim=0).sum(dim=(0, 1), keepdim=True)
    print(y.shape[0], z.ndim, x.mean().item(), x.std(dim=0), x.var(), torch.where(x > 0.5, x, 0.0).numel(), rows * columns)
    left, right = torch.split(x, [2, 3], dim=1)
    a, b = x.chunk(2)
    print(left.shape, right.shape, (a - b).abs().amax().item(), torch.einsum("ij,kj->ik", x, x).trace(), shape.numel())
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    print(torch.linalg.norm(x), (u * s) @ vh, svd(x).S, leafward.linalg.inv(torch.eye(2)), leafward.fft.fft(x).abs())
    x.add_(1).mul_(2).clamp_(min=0, max=10).fill_(3.0).zero_()
    print(x.to(torch.float64).dtype, x.to("cpu"), x.type(torch.int32), x.int(), x.tolist(), len(x), bool(x.any()),
          float(x.sum()))
    print(sinusoids(3, 4), one_hot(torch.tensor([0, 2]), 3), [row.sum().item() for row in x], torch.full((2,), 7), torch.pi)
    print(torch.zeros(2, 3), torch.ones((2, 3)), torch.empty(2).fill_(1), torch.randint(10, (2,)), torch.randn([2, 2]),
          torch.eye(3))
    print(torch.tensor(1.5), torch.tensor([[1, 2], [3, 4]], dtype=torch.long), torch.full_like(x, 2), x.new_zeros(2),
          x.new_tensor([1]))
    print(torch.scatter(torch.zeros(2, 3), 1, torch.tensor([[0], [1]]), 1.0), x.gather(1, torch.zeros(4, 1, dtype=torch.long)))
    print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")[0], x.unbind(0)[0], x.cumsum(0), torch.clamp(x, 0, 1))
    print(torch.finfo(torch.float32).eps, torch.iinfo(torch.int64).max, torch.get_default_dtype(), torch.special.expit(x),
          x.dtype)
    print(torch.allclose(x, x), torch.equal(x, x), torch.is_tensor(x), torch.unique(x, return_counts=True), x.norm(p=2),
          x.device)
    if x.sum() > 0 and x.dim() == 2:
        print("positive")


if __name__ == "__main__":
    main()
