"""Gradient trust: what leafward says when a gradient would be wrong. See ``docs/trust.md``.

Nothing of this is imported before something went wrong, or one of its switches is asked for.
"""
from leafward import errors
from leafward.trust import cuts, silent, stories
from leafward.trust.cuts import tell_restarted  # noqa: F401
from leafward.trust.functions import tell_lost_derivative, tell_stash, tell_unmarked  # noqa: F401
from leafward.trust.met import tell_met, tell_overwritten, tell_repeated  # noqa: F401
from leafward.trust.nonfinite import birth_of_nonfinite, nan_origin, tell_nonfinite, tell_nonfinite_loss  # noqa: F401
from leafward.trust.steps import tell_plain_list, tell_twins, watch_step, why_none  # noqa: F401
from leafward.trust.switches import hide_frames, strict

__all__ = ["hide_frames", "nan_origin", "strict", "why_none"]

errors.stories.update({
    errors.InplaceGradientError: stories.inplace_gradient,
    errors.GraphFreedError: stories.graph_freed,
    errors.LeafOverwriteError: stories.leaf_overwrite,
    errors.NoHistoryError: cuts.no_history,
    errors.SilentGradientWarning: silent.silent_gradient,
})
