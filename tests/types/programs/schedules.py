"""Optimizers, parameter groups, schedulers, closures, averaged weights, automatic mixed precision."""
import leafward as torch
from leafward import nn, optim
from leafward.optim import AdamW, Optimizer
from leafward.optim.lr_scheduler import (
    CosineAnnealingLR, LambdaLR, LinearLR, LRScheduler, OneCycleLR, ReduceLROnPlateau, SequentialLR,
)
from leafward.optim.swa_utils import AveragedModel


class SignDescent(Optimizer):
    def __init__(self, params, lr: float = 0.01) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad.sign(), alpha=-group["lr"])
                    self.state[p]["steps"] = self.state[p].get("steps", 0) + 1
        return loss


def schedule_for(optimizer: Optimizer, steps: int) -> LRScheduler:
    warmup = LinearLR(optimizer, start_factor=0.1, total_iters=2)
    cosine = CosineAnnealingLR(optimizer, T_max=steps - 2, eta_min=1e-5)
    return SequentialLR(optimizer, schedulers=[warmup, cosine], milestones=[2])


def main() -> None:
    model = nn.Linear(3, 1)
    optimizer = AdamW([{"params": [model.weight], "weight_decay": 0.1}, {"params": [model.bias], "weight_decay": 0.0}],
                      lr=1e-2, betas=(0.9, 0.95))
    scheduler = schedule_for(optimizer, 10)
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    for _ in range(5):
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        optimizer.zero_grad()
    print(scheduler.get_last_lr()[0], optimizer.param_groups[0]["lr"])

    lbfgs = optim.LBFGS(model.parameters(), lr=1, max_iter=5, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        lbfgs.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        return loss
    lbfgs.step(closure)

    plateau = ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=2)
    plateau.step(closure().item())
    one_cycle = OneCycleLR(SignDescent(model.parameters()), max_lr=0.1, total_steps=10, cycle_momentum=False)
    one_cycle.optimizer.step()
    one_cycle.step()
    decay = LambdaLR(optim.SGD(model.parameters(), lr=0.1), lr_lambda=lambda epoch: 0.95 ** epoch)
    decay.load_state_dict(decay.state_dict())
    averaged = AveragedModel(model)
    averaged.update_parameters(model)
    state = optimizer.state_dict()
    optimizer.load_state_dict(state)
    print(sorted(state), averaged(x).shape)


if __name__ == "__main__":
    main()
