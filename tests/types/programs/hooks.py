"""Hooks on modules and tensors; checkpointing; parametrizations; the profiler's names."""
from typing import Any

import leafward as torch
from leafward import Tensor, nn
from leafward.utils.checkpoint import checkpoint
from leafward.utils.hooks import RemovableHandle


class Recorder:
    def __init__(self, model: nn.Module) -> None:
        self.activations: dict[str, Tensor] = {}
        self.handles: list[RemovableHandle] = []
        for name, module in model.named_modules():
            if isinstance(module, (nn.Linear, nn.ReLU)):
                self.handles.append(module.register_forward_hook(self.hook_for(name)))

    def hook_for(self, name: str):
        def hook(module: nn.Module, args: tuple[Any, ...], output: Tensor) -> None:
            self.activations[name] = output.detach()
        return hook

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def double_input(module: nn.Module, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(2 * a for a in args)


def show_gradients(module: nn.Module, grad_input: tuple[Tensor, ...], grad_output: tuple[Tensor, ...]) -> None:
    print(type(module).__name__, [g.shape for g in grad_output])


def main() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    recorder = Recorder(model)
    model.register_forward_pre_hook(double_input)
    model[0].register_full_backward_hook(show_gradients)
    x = torch.rand(2, 3, requires_grad=True)
    handle = x.register_hook(lambda grad: grad * 0.5)
    model(x).sum().backward()
    handle.remove()
    recorder.remove()
    print(sorted(recorder.activations), x.grad is not None)
    with model[2].register_forward_hook(lambda module, args, output: output + 1):
        print(model(x).shape)
    block = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    out: Tensor = checkpoint(block, x, use_reentrant=False)
    out.sum().backward()
    for p in model.parameters():
        p.register_hook(lambda grad: grad.clamp(-1, 1))
    saved: list[Tensor] = []

    def pack(tensor: Tensor) -> int:
        saved.append(tensor)
        return len(saved) - 1
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda position: saved[position]):
        (x * x).sum().backward()
    spectral = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3))
    print(spectral(x).shape, len(saved), model.get_submodule("0"), list(dict(model.named_buffers())))


if __name__ == "__main__":
    main()
