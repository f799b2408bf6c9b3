"""What the arguments mean that many optimizers and schedules share: filled into their docstrings where these say ``{name}``."""
from leafward.utils.docstrings import explain_shared_arguments

SHARED = {
    # optimizers
    "params": ("tensors, ``(name, tensor)`` pairs, or dicts that each describe a group: its ``params`` and the options in\n"
               "    which it differs from the others"),
    "lr": "step size",
    "betas": "how much of the old averages of g and of g**2 is kept in each step",
    "eps": "added to the denominator, so that nothing is divided by zero",
    "weight_decay": "``weight_decay * p`` is added to the gradient (an L2 penalty); 0: nothing",
    "decoupled_weight_decay": "whether ``p *= 1 - lr * weight_decay`` decays the parameters instead, as AdamW does",
    "amsgrad": "whether the largest v so far takes the place of v (Reddi et al., 2018)",
    "maximize": "whether to go up the gradient rather than down",
    "foreach": "how PyTorch loops over parameters; here the result is the same for None, True and False",
    "fused": "whether PyTorch does it in one kernel; here it always is one",
    "capturable": "whether PyTorch could capture the step in a CUDA graph; without effect here",
    "differentiable": "whether the step is recorded, so that gradients flow through it",
    # schedules
    "optimizer": "whose ``lr`` to set, in each of its parameter groups",
    "last_epoch": "epochs done before; -1: none, and the present rates become ``initial_lr``",
    "cycle_momentum": "whether momentum (or ``betas[0]``) moves too, against the rate",
    "base_momentum": "its lower end, reached where the rate is highest; a number, or one per group",
    "max_momentum": "its upper end, reached where the rate is lowest; a number, or one per group",
}


def explain_arguments(classes):
    explain_shared_arguments(SHARED, classes)
