"""The first steps of an optimizer: whether the gradients that should have come by then did, and are what was asked for."""
import weakref

from leafward.core import modes
from leafward.errors import trust
from leafward.core.runtime import runtime
from leafward.nn.plain_lists import hidden_in, noted, noted_modules
from leafward.nn.utils import clip_grad

#: All that there are: what one does not hold, another may.
optimizers = weakref.WeakSet()
#: How many of its first steps an optimizer looks whether gradients arrive.
WATCHED = 3


def all_optimizers():
    """Those that there are; looked through again where another thread made one meanwhile."""
    while True:
        try:
            return list(optimizers)
        except RuntimeError:
            continue


def watch_step(optimizer):
    """Have it told if gradients that should have come by now did not, for want of a history."""
    reached = modes.current().reached
    if reached is None or reached is optimizer.__dict__.get("_reached_before"):
        return                                              # no backward since it was made: nothing to expect
    optimizer._steps_watched = optimizer.__dict__.get("_steps_watched", 0) + 1
    if optimizer._steps_watched == 1:
        watch_twins(optimizer)
    if noted:
        watch_plain_lists(optimizer, reached)
    watch_limits(optimizer, reached)
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p._grad is None and (p._requires_grad or p._cut is not None):
                trust("watch_step")(optimizer, reached)
                return


def watch_twins(optimizer):
    """Have it told if parameters, its own or another's, are leaves over one memory: each gets a part of the gradient."""
    seen = {}
    for one in [optimizer, *(other for other in all_optimizers() if other is not optimizer)]:
        for p in [p for group in one.__dict__.get("param_groups", ()) for p in group["params"]]:
            other = seen.setdefault(p._storage, p) if one is optimizer else seen.get(p._storage, p)
            if other is not p and p._grad is not None and other._grad is not None and runtime.overlap(p._array, other._array):
                trust("tell_twins")(other, p)
                return


def watch_limits(optimizer, reached):
    """Have it told if gradients were to be clipped before backward() had made them: this step uses them as they are."""
    if clip_grad.found_nothing is None:
        return
    site, asked, before = clip_grad.found_nothing
    if before is not reached and any(id(p) in asked and p._grad is not None
                                     for group in optimizer.param_groups for p in group["params"]):
        trust("tell_unlimited")(optimizer, reached, site)


def watch_plain_lists(optimizer, reached):
    """Have it told if backward reached parameters in a plain list of a module whose other parameters the optimizer has."""
    held = {id(p) for other in all_optimizers() for group in other.param_groups for p in group["params"]}
    ours = {id(p) for group in optimizer.param_groups for p in group["params"]}
    for module, names in noted_modules():
        for name, site in names.items():
            hidden = [(path, p) for path, p in hidden_in(module, name)
                      if p._grad is not None and p._requires_grad and id(p) not in held]
            if hidden and any(id(p) in ours for p in module.parameters()):
                trust("tell_plain_list")(optimizer, reached, module, name, site, hidden)
