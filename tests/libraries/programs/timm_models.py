"""Three networks of timm: outputs, gradients, features, and steps with its optimizer, schedule and mixed labels."""
import numpy as np
import timm
import torch
from timm.data import Mixup
from timm.loss import SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3


def main():
    found = {}
    for name, options in (("resnet18", {}), ("mobilenetv3_small_050", {}), ("efficientnet_b0", {}),
                          ("vit_tiny_patch16_224", {"img_size": 64}), ("convnext_atto", {})):
        torch.manual_seed(0)
        model = timm.create_model(name, num_classes=5, **options).eval()
        x = torch.linspace(-9, 9, 2 * 3 * 64 * 64).sin().reshape(2, 3, 64, 64)
        out = model(x)
        out.logsumexp(1).sum().backward()
        norms = [p.grad.norm().item() for p in model.parameters()]
        found[name] = {"out": out.tolist(), "gradients": norms[:3] + norms[-3:],
                       "features": list(model.forward_features(x).shape),
                       "parameters": sum(p.numel() for p in model.parameters())}
    torch.manual_seed(1), np.random.seed(1)
    model = timm.create_model("resnet10t", num_classes=4)
    average = ModelEmaV3(model, decay=0.9)
    optimizer = create_optimizer_v2(model, opt="lamb", lr=0.01, weight_decay=0.02)
    schedule = CosineLRScheduler(optimizer, t_initial=4, warmup_t=1, warmup_lr_init=1e-4)
    mix = Mixup(num_classes=4, label_smoothing=0.1, mixup_alpha=0.2, cutmix_alpha=0.0)
    losses = []
    for step in range(4):
        x, y = mix(torch.randn(4, 3, 32, 32), torch.randint(4, (4,)))
        loss = SoftTargetCrossEntropy()(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step(step)
        average.update(model, step)
        losses.append(loss.item())
    return {**found, "losses": losses, "rates": [group["lr"] for group in optimizer.param_groups],
            "average": average.module.fc.weight.sum().item()}
