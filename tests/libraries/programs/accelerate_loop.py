"""``Accelerator``: a loop with accumulated and clipped gradients, a schedule, and a state that is saved and read again."""
import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn


def main():
    set_seed(0)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 20)
    data = torch.utils.data.TensorDataset(torch.randn(96, 8), torch.randint(3, (96,)))
    loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    losses, norms = [], []
    with tempfile.TemporaryDirectory() as folder:
        for epoch in range(3):
            for x, y in loader:
                with accelerator.accumulate(model):
                    loss = nn.functional.cross_entropy(model(x), y)
                    accelerator.backward(loss)
                    if accelerator.sync_gradients:
                        norms.append(float(accelerator.clip_grad_norm_(model.parameters(), 0.5)))
                    optimizer.step()
                    schedule.step()
                    optimizer.zero_grad()
                losses.append(accelerator.gather_for_metrics(loss.detach()).mean().item())
            if epoch == 1:
                accelerator.save_state(folder)
        last = [p.sum().item() for p in accelerator.unwrap_model(model).parameters()]
        accelerator.load_state(folder)
    return {"losses": losses, "norms": norms, "last": last, "rate": schedule.get_last_lr(),
            "back": [p.sum().item() for p in model.parameters()]}
