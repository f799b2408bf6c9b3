"""Custom functions compared with differences of their forward, from time to time, while a program trains."""
from __future__ import annotations

import random
from typing import Self

from leafward.autograd import function
from leafward.core.native import call_site
from leafward.errors import GradientWarning
from leafward.trust.differences import told, tried
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.source import place
from leafward.trust.tell import tell


class verify_grads:
    """Inside, calls of custom functions are tried by differences of their forward, along random directions.

    A backward that does not fit is told once, with its line, both numbers and what it returns (``GradientWarning``; under
    :class:`strict` an error). What is a multiple of the true gradient, or trains through something flat on purpose, is left
    alone: reversed gradients and straight-through estimators are meant so. Your random numbers are not touched.

    p: which part of the calls is tried; the first call of each function always is. A trial costs about 20 forwards in float64

    >>> import leafward as lw
    >>> class Square(lw.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         x, = ctx.saved_tensors
    ...         return g * 2 * x
    >>> with lw.verify_grads(p=1.0) as verified:
    ...     Square.apply(lw.ones(2, requires_grad=True)).sum().backward()
    >>> verified.tried, verified.wrong
    (1, [])
    """

    def __init__(self, p: float = 0.01) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p must be between 0 and 1, but got {p}")
        self.p, self.tried, self.wrong = p, 0, []
        self.seen, self.busy, self.dice = set(), False, random.Random(0)

    def __enter__(self) -> Self:
        function.observers.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        function.observers.remove(self)

    def applied(self, cls, args, kwargs):
        """A custom function is called: perhaps try it."""
        if self.busy or kwargs or cls in self.wrong or (cls in self.seen and self.dice.random() >= self.p):
            return
        self.busy = True
        self.seen.add(cls)
        try:
            verdict = tried(cls, args)
        finally:
            self.busy = False
        self.tried += 1
        if verdict is not None:
            self.wrong.append(cls)
            site = call_site()
            tell(GradientWarning, [site], lambda: story(cls, verdict, site), always=True)

    def returned(self, cls, ctx, output):
        """Its result is there: nothing more to look at."""


def story(cls, verdict, site):
    """The backward, what it gives and should give, and what it returns."""
    rows, choices = told(cls, verdict)
    rows.insert(1, Row("called in", place(site)))
    return f"the gradient of {cls.__name__}.backward is not that of {cls.__name__}.forward.\n{list_of(rows)}\n{fixes(choices)}"
