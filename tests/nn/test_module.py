"""Modules against PyTorch's, scenario by scenario."""
import pytest

import leafward
from tests.nn import container_scenarios, hook_scenarios, scenarios, state_scenarios, utils_scenarios
from tests.oracle import torch

ALL = {**scenarios.scenarios, **hook_scenarios.scenarios, **state_scenarios.scenarios, **container_scenarios.scenarios,
       **utils_scenarios.scenarios}


@pytest.mark.parametrize("name", ALL)
def test_story(name):
    (ours, our_warnings), (theirs, their_warnings) = (scenarios.outcome(t, ALL[name]) for t in (leafward, torch))
    assert not list(differences(named_alike(ours), theirs))
    # What PyTorch's C++ warns about is itself: which kernels and prototypes it runs.
    assert named_alike(our_warnings) == [w for w in their_warnings if "Triggered internally" not in w[1]]


def differences(ours, theirs, where="story"):
    """The places where two outcomes differ, numbers by more than rounding."""
    if isinstance(theirs, float) and isinstance(ours, float):
        if ours != theirs and not abs(ours - theirs) <= 2e-5 + 1e-4 * abs(theirs):
            yield where, ours, theirs
    elif type(ours) is not type(theirs):
        yield where, ours, theirs
    elif isinstance(theirs, dict) and list(ours) == list(theirs):
        for key, value in theirs.items():
            yield from differences(ours[key], value, f"{where}[{key!r}]")
    elif isinstance(theirs, (list, tuple)) and len(ours) == len(theirs):
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(a, b, f"{where}[{k}]")
    elif ours != theirs:
        yield where, ours, theirs


def named_alike(value):
    """leafward's class names as PyTorch has them in its texts."""
    if isinstance(value, str):
        return value.replace("<class 'leafward.tensor.", "<class 'torch.").replace("'leafward.nn.", "'torch.nn.")
    if isinstance(value, dict):
        return {k: named_alike(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(named_alike(v) for v in value)
    return value


def test_the_first_hook_is_what_makes_a_call_look_for_hooks(monkeypatch):
    monkeypatch.setattr(leafward.nn.modules.hooks.Hooks, "_may_have_hooks", False)
    m = leafward.nn.Identity()
    assert not m._may_have_hooks
    m.register_forward_hook(lambda *args: None)
    assert m._may_have_hooks
    assert not leafward.nn.Identity()._may_have_hooks
    leafward.nn.modules.module.register_module_forward_hook(lambda *args: None).remove()
    assert leafward.nn.Identity()._may_have_hooks
