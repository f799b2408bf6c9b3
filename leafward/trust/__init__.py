"""Gradient trust: what leafward says when a gradient would be wrong. See ``docs/trust.md``.

Nothing of this is imported before something went wrong, or one of its switches is asked for.
"""
from importlib import import_module

from leafward import errors
from leafward.trust import cuts, silent, stories
from leafward.trust.audit import audit
from leafward.trust.cuts import tell_restarted  # noqa: F401
from leafward.trust.functions import tell_lost_derivative, tell_stash, tell_unmarked  # noqa: F401
from leafward.trust.explain import explain, explain_node  # noqa: F401
from leafward.trust.growth import tell_growth  # noqa: F401
from leafward.trust.kept import keep_saved, set_saved_policy
from leafward.trust.leaves import about_no_leaf  # noqa: F401
from leafward.trust.memory import aliases, freeze_, who_holds
from leafward.trust.met import tell_met, tell_overwritten, tell_repeated  # noqa: F401
from leafward.trust.permission import can_write, protect, unsafe_write  # noqa: F401
from leafward.trust.paired import paired_before  # noqa: F401
from leafward.trust.packed import tell_repacked  # noqa: F401
from leafward.trust.nonfinite import birth_of_nonfinite, nan_origin, tell_nonfinite, tell_nonfinite_loss  # noqa: F401
from leafward.trust.returned import about_returned  # noqa: F401
from leafward.trust.steps import tell_plain_list, tell_twins, tell_unlimited, watch_step, why_none  # noqa: F401
from leafward.trust.switches import hide_frames, strict
from leafward.trust.trace import trace_backward
from leafward.trust.verify import verify_grads

__all__ = ["aliases", "audit", "can_write", "explain", "freeze_", "graph", "hide_frames", "keep_saved", "memory_report",
           "nan_origin", "save_page", "set_saved_policy", "show", "strict", "trace_backward", "unsafe_write", "verify_grads",
           "who_holds", "why_none"]
#: What draws a graph, and is not needed to tell a story.
PICTURES = ("graph", "memory_report", "save_page", "show")

errors.stories.update({
    errors.InplaceGradientError: stories.inplace_gradient,
    errors.GraphFreedError: stories.graph_freed,
    errors.LeafOverwriteError: stories.leaf_overwrite,
    errors.NoHistoryError: cuts.no_history,
    errors.ReadOnlyTensorError: stories.read_only,
    errors.SilentGradientWarning: silent.silent_gradient,
})


def __getattr__(name):
    if name in PICTURES:
        return getattr(import_module("leafward.trust.pictures"), name)
    raise AttributeError(f"module 'leafward.trust' has no attribute {name!r}")
