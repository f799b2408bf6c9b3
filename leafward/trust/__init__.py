"""Gradient trust: what leafward says when a gradient would be wrong. See ``docs/trust.md``.

Nothing of this is imported before something went wrong, or one of its switches is asked for.
"""
from leafward import errors
from leafward.trust import silent, stories
from leafward.trust.switches import hide_frames, strict

__all__ = ["hide_frames", "strict"]

errors.stories.update({
    errors.InplaceGradientError: stories.inplace_gradient,
    errors.GraphFreedError: stories.graph_freed,
    errors.LeafOverwriteError: stories.leaf_overwrite,
    errors.NoHistoryError: stories.no_history,
    errors.SilentGradientWarning: silent.silent_gradient,
})
