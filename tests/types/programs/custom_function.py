"""An autograd function of one's own, checked by finite differences, and double backward."""
from typing import Any

import leafward as torch
from leafward import Tensor
from leafward.autograd import Function, gradcheck, gradgradcheck
from leafward.autograd.function import FunctionCtx, once_differentiable


class Exp(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (result,) = ctx.saved_tensors
        return grad_output * result


class Scale(Function):
    @staticmethod
    def forward(x: Tensor, factor: float) -> Tensor:
        return x * factor

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.factor = inputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad * ctx.factor, None


def hessian_vector(f: Any, x: Tensor, v: Tensor) -> Tensor:
    (grad,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad((grad * v).sum(), x)[0]


def main() -> None:
    x = torch.rand(3, dtype=torch.double, requires_grad=True)
    y: Tensor = Exp.apply(x)
    y.sum().backward()
    assert x.grad is not None
    print(torch.allclose(x.grad, y), x.is_leaf, y.grad_fn)
    assert gradcheck(Exp.apply, (x,), eps=1e-6, atol=1e-4) and gradgradcheck(Exp.apply, (x,))
    print(Scale.apply(x, 2.0).sum().item())
    print(hessian_vector(lambda t: t.pow(3).sum(), x, torch.ones_like(x)))
    with torch.autograd.set_detect_anomaly(True):
        (x * 2).sum().backward()
    x.grad = None
    z = x.detach().clone().requires_grad_(True)
    z.retain_grad()
    torch.autograd.backward([z.sum()], grad_tensors=[torch.tensor(2.0, dtype=torch.double)])
    print(z.grad, torch.autograd.functional.jacobian(lambda t: t * 2, x).shape)


if __name__ == "__main__":
    main()
