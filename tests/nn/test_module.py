"""Modules against PyTorch's, story by story."""
import pytest

import leafward
from tests.nn import container_stories, stories
from tests.oracle import torch

ALL = {**stories.stories, **container_stories.stories}


@pytest.mark.parametrize("name", ALL)
def test_story(name):
    ours, theirs = (stories.outcome(t, ALL[name]) for t in (leafward, torch))
    assert named_alike(ours) == theirs


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
