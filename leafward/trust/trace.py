"""A backward, step by step: which node ran in which order, from which line, and what it gave."""
from __future__ import annotations

from typing import Self

from leafward import autograd
from leafward.autograd.observer import Observer
from leafward.core.node import Node, behind
from leafward.trust.facts import op_of, short_type
from leafward.trust.layout import Row, list_of
from leafward.trust.memory import names_in_reach
from leafward.trust.scene import Scene
from leafward.trust.source import place


class trace_backward(Observer):
    """Inside, each ``backward()`` is written down: nodes in the order they ran, users' hooks, and leaves as gradients come.

    Print it afterwards, or read ``steps``: ``(what, where, note)`` for each step.

    >>> import leafward as lw
    >>> x = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> with lw.trace_backward() as trace:
    ...     (x * 3).sum().backward()
    >>> print(trace)                                     # doctest: +ELLIPSIS
      1   sum ...   gradient f32[], largest 1
      2   mul ...   gradient f32[2], largest 1
      3   x ....grad is there: f32[2], largest 3
    """

    def __init__(self) -> None:
        self.steps = []
        self.handles = []

    def __enter__(self) -> Self:
        autograd.observers.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        autograd.observers.remove(self)
        self.after_backward()

    def before_backward(self, roots):
        """Watch every node and every leaf behind the roots."""
        names = names_in_reach(Scene())
        for end in list(behind(roots)):
            if isinstance(end, Node):
                hooks = end._hooks
                count = 0 if hooks is None else sum(len(h) for h in hooks.tensor.values()) + len(hooks.pre) + len(hooks.post)
                self.handles.append(end.register_prehook(self.noting(end, count)))
            elif hasattr(end, "register_post_accumulate_grad_hook"):
                name = names.get(id(end), "a leaf")
                self.handles.append(end.register_post_accumulate_grad_hook(self.noting_leaf(name)))

    def after_backward(self):
        """Take the watchers off again."""
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def noting(self, node, hooks):
        def note(grads):
            text = "; ".join("none" if g is None else f"gradient {described(g)}" for g in grads)
            if hooks:
                text += f", after {hooks} hook{'s' if hooks > 1 else ''} of yours"
            what = op_of(node)
            self.steps.append((what, place(node._site), text))
        return note

    def noting_leaf(self, name):
        def note(leaf):
            self.steps.append((name, None, f".grad is there: {described(leaf.grad)}"))
        return note

    def __str__(self) -> str:
        rows = []
        for number, (what, where, note) in enumerate(self.steps, 1):
            row = Row(str(number), where, note)
            row.text = f"{what:<8}{row.text}" if row.text else what
            rows.append(row)
        return list_of(rows) if rows else "no backward() came to its end in here"


def described(grad):
    """``f32[2, 3], largest 0.5``."""
    array = grad.detach()
    largest = float(array.abs().max()) if array.numel() else 0.0
    return f"{short_type(grad.dtype)}{list(grad.shape)}, largest {largest:.3g}"
