"""A network fitted to a line: layers, a loss, an optimizer, evaluation."""
import leafward as torch
import leafward.nn as nn
import leafward.nn.functional as F
from leafward import Tensor


def accuracy(output: Tensor, target: Tensor) -> float:
    return (output.argmax(dim=1) == target).float().mean().item()


def evaluate(model: nn.Module, x: Tensor, y: Tensor) -> tuple[float, float]:
    model.eval()
    with torch.no_grad():
        output = model(x)
        loss = F.cross_entropy(output, y)
    return loss.item(), accuracy(output, y)


@torch.no_grad()
def norm_of(model: nn.Module) -> float:
    return sum(float(p.pow(2).sum()) for p in model.parameters()) ** 0.5


@torch.no_grad
def distance(a: Tensor, b: Tensor) -> Tensor:
    return (a - b).norm()


@torch.inference_mode()
def largest(a: Tensor, b: Tensor) -> Tensor:
    return torch.maximum(a, b).amax()


def main() -> float:
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 4, device=device)
    y = (x.sum(dim=1) > 0).long()
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(p=0.1), nn.Linear(16, 2)).to(device)
    model.apply(lambda m: nn.init.zeros_(m.bias) if isinstance(m, nn.Linear) else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    history: list[float] = []
    for epoch in range(20):
        model.train()
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(model(x), y)
        loss.backward()
        total = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        history.append(loss.item())
        if epoch % 10 == 0:
            print(f"{epoch}: {loss.item():.4f}, gradient {float(total):.3f}, norm {norm_of(model):.3f}")
    with torch.enable_grad():
        again = criterion(model(x), y)
    assert again.requires_grad
    print(distance(x, 2 * x).item(), largest(x, -x).item())
    _, right = evaluate(model, x, y)
    with torch.set_grad_enabled(False), torch.inference_mode():
        hidden = model[0](x)
    print(hidden.shape, len(model), min(history))
    return right


if __name__ == "__main__":
    assert main() > 0.8
