"""Custom functions compared with differences of their forward, and hooks looked at, now and then, while a program trains."""
from __future__ import annotations

import random
from typing import TYPE_CHECKING, Self

from leafward import autograd
from leafward.autograd import function
from leafward.autograd.function import Function
from leafward.autograd.observer import Observer
from leafward.core.native import call_site
from leafward.core.node import behind
from leafward.errors import GradientWarning
from leafward.trust.differences import MEANT, CannotBeTried, told, tried
from leafward.trust.layout import Row, fixes, list_of
from leafward.trust.source import place
from leafward.trust.tell import tell

if TYPE_CHECKING:
    from collections.abc import Iterable


class verify_grads(Observer):
    """Inside, calls of custom functions are tried by differences of their forward, along random directions.

    A backward that does not fit is told once, with its line, both numbers and what it returns (``GradientWarning``; under
    :class:`strict` an error). Nothing is excused: a gradient that is reversed or scaled, and one that trains through something
    flat, are told too, unless their functions are named in ``meant``. Your random numbers are not touched. Hooks on tensors
    are looked at while ``backward()`` runs them: one that makes NaN or inf of a finite gradient, or that gives one without a
    history where ``create_graph=True`` records it, is told as well. ``wrong`` lists what was told, ``untried`` the functions
    of which no differences can be taken: they take no float64, or give other values each time.

    p: which part of the calls is tried; the first call of each function always is. A trial costs about 20 forwards in float64
    meant: functions whose backward is not the derivative of their forward on purpose, such as straight-through estimators

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

    def __init__(self, p: float = 0.01, meant: Iterable[type[Function]] = ()) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p must be between 0 and 1, but got {p}")
        self.p, self.meant, self.tried, self.wrong, self.untried = p, tuple(meant), 0, [], []
        for cls in self.meant:
            if not (isinstance(cls, type) and issubclass(cls, Function)):
                raise TypeError(f"meant takes classes derived from autograd.Function, but got {cls!r}")
        self.seen, self.busy, self.dice = set(), False, random.Random(0)
        self.wrapped = []               # (the hooks of a tensor, the key of one, the hook itself) while a backward runs

    def __enter__(self) -> Self:
        function.observers.append(self)
        autograd.observers.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        function.observers.remove(self)
        autograd.observers.remove(self)
        self.after_backward()

    def applied(self, cls, args, kwargs):
        """A custom function is called: perhaps try it."""
        if self.busy or kwargs or cls in self.wrong or cls in self.meant or (
                cls in self.seen and self.dice.random() >= self.p):
            return
        self.busy = True
        self.seen.add(cls)
        try:
            verdict = tried(cls, args)
        except CannotBeTried:
            if cls not in self.untried:
                self.untried.append(cls)
            return
        finally:
            self.busy = False
        self.tried += 1
        if verdict is not None:
            self.wrong.append(cls)
            site = call_site()
            tell(GradientWarning, [site], lambda: story(cls, verdict, site), always=True)

    def before_backward(self, roots):
        """Put a look around hooks of the tensors behind ``roots``: around each the first time, and sometimes afterwards."""
        self.after_backward()
        for end in list(behind(roots)):
            hooks = getattr(end, "_hooks", None)
            for of_one in () if hooks is None else hooks.tensor.values():
                for key, hook in list(of_one.items()):
                    code = code_of(hook)
                    if code not in self.wrong and (code not in self.seen or self.dice.random() < self.p):
                        self.seen.add(code)
                        self.wrapped.append((of_one, key, hook))
                        of_one[key] = self.looked_at(hook, code)

    def after_backward(self):
        """Take the looks away again."""
        for of_one, key, hook in self.wrapped:
            if key in of_one:
                of_one[key] = hook
        self.wrapped = []

    def looked_at(self, hook, code):
        """``hook`` with a look at what it makes of a gradient."""
        def look(grad):
            was_finite, recorded = bool(grad.isfinite().all()), grad.requires_grad
            answer = hook(grad)
            given = grad if answer is None else answer
            self.tried += 1
            verdict = None
            if was_finite and not bool(given.isfinite().all()):
                verdict = "gives NaN or inf for a finite gradient", "keep it finite: a small eps in what it divides by, say"
            elif recorded and not given.requires_grad and bool(given.any()):
                verdict = ("gives a gradient without a history, where create_graph=True records it: second derivatives miss it",
                           "leave out detach(), .data and item() in it")
            if verdict is not None and code not in self.wrong:
                self.wrong.append(code)
                tell(GradientWarning, [call_site()], lambda: story_of_hook(hook, code, *verdict), always=True)
            return answer
        return look

    def returned(self, cls, ctx, output):
        """Its result is there: nothing more to look at."""


def code_of(hook):
    """The code of a hook, or of the class that it is called by."""
    return getattr(hook, "__code__", None) or getattr(type(hook).__call__, "__code__", type(hook))


def story_of_hook(hook, code, verdict, repair):
    """The hook, where it ran, and what to type instead."""
    at = place((code, -1)) if hasattr(code, "co_code") else None
    rows = [Row("hook", at, verdict, None if at is not None else repr(hook)), Row("called in", place(call_site()))]
    return f"a hook {verdict.partition(',')[0].partition(':')[0]}.\n{list_of(rows)}\n" + fixes([
        ("" if at is None else at.where(), repair, "")])


def story(cls, verdict, site):
    """The backward, what it gives and should give, and what it returns."""
    rows, choices = told(cls, verdict)
    if verdict.shape is not None:
        rows.append(Row("perhaps", None, text=f"it is meant: {MEANT[verdict.shape]}"))
        choices.append(("", f"verify_grads(meant=[{cls.__name__}])", "if it is meant"))
    rows.insert(1, Row("called in", place(site)))
    return f"the gradient of {cls.__name__}.backward is not that of {cls.__name__}.forward.\n{list_of(rows)}\n{fixes(choices)}"
