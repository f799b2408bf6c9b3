"""Functions of functions: per-sample gradients, Jacobians, batches, a functional call."""
import leafward as torch
from leafward import Tensor, nn, vmap
from leafward.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp


def loss_of(weights: dict[str, Tensor], model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    output = functional_call(model, weights, (x.unsqueeze(0),))
    return nn.functional.mse_loss(output.squeeze(0), y)


def main() -> None:
    model = nn.Linear(3, 1)
    weights = {name: p.detach() for name, p in model.named_parameters()}
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    per_sample = vmap(grad(loss_of), in_dims=(None, None, 0, 0))(weights, model, x, y)
    print(per_sample["weight"].shape)
    f = torch.sin
    print(jacrev(f)(x[0]).shape, jacfwd(f)(x[0]) - jacrev(f)(x[0]), hessian(lambda t: t.pow(3).sum())(x[0]).diagonal())
    value, pull = vjp(f, x[0])
    print(value, pull(torch.ones(3))[0])
    out, tangent = jvp(f, (x[0],), (torch.ones(3),))
    print(out - tangent)
    gradient, result = grad_and_value(lambda t: (t**2).sum())(x[0])
    print(gradient, result.item(), vmap(torch.dot)(x, x).sum())
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        print(torch.autograd.forward_ad.unpack_dual(dual.exp()).tangent)


if __name__ == "__main__":
    main()
