"""Modules against PyTorch's, scenario by scenario."""
import pytest

import leafward
from tests.both import assert_told_alike
from tests.nn import container_scenarios, hook_scenarios, scenarios, state_scenarios, utils_scenarios

ALL = {**scenarios.scenarios, **hook_scenarios.scenarios, **state_scenarios.scenarios, **container_scenarios.scenarios,
       **utils_scenarios.scenarios}


@pytest.mark.parametrize("name", ALL)
def test_story(name):
    assert_told_alike(ALL[name], rtol=1e-4, atol=2e-5, draws=False)


def test_the_first_hook_is_what_makes_a_call_look_for_hooks(monkeypatch):
    monkeypatch.setattr(leafward.nn.modules.hooks.Hooks, "_may_have_hooks", False)
    m = leafward.nn.Identity()
    assert not m._may_have_hooks
    m.register_forward_hook(lambda *args: None)
    assert m._may_have_hooks
    assert not leafward.nn.Identity()._may_have_hooks
    leafward.nn.modules.module.register_module_forward_hook(lambda *args: None).remove()
    assert leafward.nn.Identity()._may_have_hooks
