"""Gradient checks: what backward and forward mode say, compared with finite differences."""
from __future__ import annotations

import functools
import sys
import types
from typing import Any, TYPE_CHECKING

from leafward.core.history import connect
from leafward.core.node import Node
from leafward.core.from_array import alias_of
from leafward.derive.functions import fns
from leafward.errors import warn
from leafward.autograd.jacobians import (
    Differences, as_tuple, backward_jacobians, forward_jacobians, is_wanted, pulled_back, pushed_forward,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from leafward.tensor.tensor import Tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """Two ways to compute a derivative disagree, or a backward breaks a promise."""


NONDETERMINISM = """
NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected. Pass `nondet_tol=<tol>` to gradcheck or gradgradcheck to allow it.
"""


def gradcheck(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor], *, eps: float = 1e-6, atol: float = 1e-5,
              rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
              check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
              check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False,
              masked: bool | None = None) -> bool:
    """Compare the gradients of ``func`` at ``inputs`` with finite differences; True, or :class:`GradcheckError`.

    ``fast_mode`` compares one random projection of each Jacobian instead of all of it.

    >>> import leafward as lw
    >>> x = lw.tensor([0.5, 2.0], dtype=lw.float64, requires_grad=True)
    >>> lw.autograd.gradcheck(lw.log, (x,))
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    inputs = as_tuple(inputs)
    check = Check(eps, atol, rtol, nondet_tol, fast_mode)
    try:
        check_inputs(inputs)
        outputs = as_tuple(func(*inputs))
        places = [k for k, o in enumerate(outputs) if o.requires_grad]
        if not places:
            check.expect_zeros(func, inputs, outputs)
            return True
        if check_backward_ad:
            check.backward_of_parts(func, inputs, outputs, places)
        if check_forward_ad:
            check.forward_of_parts(func, inputs, outputs, places)
        if check_batched_forward_grad:
            check_batched_forward(func, inputs, places)
        if not check_backward_ad:
            return True
        wanted = [x for x in inputs if is_wanted(x)]
        if check_batched_grad:
            for position, k in enumerate(places):
                check_batched(wanted, outputs[k], position)
        check_proportional([outputs[k] for k in places], wanted)
        if check_undefined_grad:
            check_undefined(func, inputs, places, wanted)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor],
                  grad_outputs: Tensor | Sequence[Tensor | None] | None = None, *, eps: float = 1e-6, atol: float = 1e-5,
                  rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False, raise_exception: bool = True,
                  nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
                  check_batched_grad: bool = False, check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True,
                  fast_mode: bool = False, masked: bool = False) -> bool:
    """:func:`gradcheck` of the gradients of ``func``, by its inputs and by ``grad_outputs`` (random, if None)."""
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    from leafward.autograd import grad
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        outputs = [o for o in as_tuple(func(*inputs)) if o.requires_grad]
        grads = tuple([random_like(o, gen_non_contig_grad_outputs) for o in outputs])
    else:
        grads = as_tuple(grad_outputs)

    def gradients(*args):
        args, grads_now = args[:len(inputs)], args[len(inputs):]
        outputs = [o for o in as_tuple(func(*args)) if o.requires_grad]
        wanted = [x for x in args if is_wanted(x)]
        found = grad(outputs, wanted, grads_now, create_graph=True, allow_unused=True)
        return tuple([g for g in found if g is not None])

    return gradcheck(gradients, inputs + grads, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
                     check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad, fast_mode=fast_mode,
                     check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, masked=masked)


def random_like(output, strided):
    """Values between -1 and 1 that require grad, in every second place of their memory if ``strided``."""
    dtype = output.dtype if output.dtype.is_floating_point or output.dtype.is_complex else None
    shape = tuple(output.shape)
    drawn = fns.rand((*shape, 2) if strided else shape, dtype=dtype) * 2 - 1
    return (drawn[..., 0] if strided else drawn).detach().requires_grad_()


def check_inputs(inputs):
    """Refuse what finite differences cannot be taken of, and warn of too few digits."""
    found = False
    for k, x in enumerate(inputs):
        if not is_wanted(x):
            continue
        found = True
        if x.dtype.name not in ("float64", "complex128"):
            warn(f"Input #{k} requires gradient and is not a double precision floating point or complex. This "
                 "check will likely fail if all the inputs are not of double precision floating point or "
                 "complex. ")
        if any(step == 0 and size > 1 for size, step in zip(x.shape, x.stride(), strict=True)):
            raise RuntimeError(f"The {k}th input has a dimension with stride 0. gradcheck only supports inputs that "
                               "are non-overlapping to be able to compute the numerical gradients correctly. You "
                               "should call .contiguous on the input before passing it to gradcheck.")
        x.retain_grad()
    if not found:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of them have "
                         "requires_grad=True.")


class Check:
    """One comparison: how large a step, how close, and whether whole Jacobians or one projection of each."""

    def __init__(self, eps, atol, rtol, nondet_tol, fast):
        from leafward.tensor.random import Generator
        self.eps, self.atol, self.rtol, self.nondet_tol, self.fast = eps, atol, rtol, nondet_tol, fast
        self.draws = Generator()                # its own: the user's goes on as if nothing had been drawn

    def expect_zeros(self, func, inputs, outputs):
        """Outputs without a gradient must not move with the inputs, but for integers, which may jump."""
        differences = Differences(func, inputs, self.eps)
        places = [k for k, out in enumerate(outputs) if out.is_floating_point() or out.is_complex()]
        for x in inputs:
            if is_wanted(x):
                for jacobian in differences.jacobians(x, places):
                    if (jacobian != 0).any():
                        raise GradcheckError("Numerical gradient for function expected to be zero")

    # -- backward: complex outputs are checked by their parts -----------------------------------------------------

    def backward_of_parts(self, func, inputs, outputs, places):
        is_complex = [k for k in places if outputs[k].is_complex()]
        if not is_complex:
            self.backward(func, inputs, outputs, places, lambda k: "")
            return
        for part, word in ("imag", "imaginary"), ("real", "real"):
            def taken(*args, part=part):
                return tuple([getattr(o, part) if k in is_complex else o for k, o in enumerate(as_tuple(func(*args)))])

            def told(k, word=word):
                return f"While considering the {word} part of complex outputs only, " if k in is_complex else ""
            self.backward(taken, inputs, taken(*inputs), [k for k in places if part == "real" or k in is_complex], told)

    def backward(self, func, inputs, outputs, places, told):
        """Compare the two Jacobians of each output by each input."""
        differences = Differences(func, inputs, self.eps)
        at = [k for k, x in enumerate(inputs) if is_wanted(x)]
        wanted = [inputs[k] for k in at]
        if self.fast:
            self.fast_backward(differences, at, outputs, places, told)
            return
        numerical = [differences.jacobians(x, places) for x in wanted]
        for position, k in enumerate(places):
            analytical = backward_jacobians(outputs[k], wanted)
            self.expect_same_twice(analytical, backward_jacobians(outputs[k], wanted))
            for i, (ours, theirs) in enumerate(zip(analytical, numerical, strict=True)):
                if not close(ours, theirs[position], self.rtol, self.atol):
                    raise GradcheckError(told(k) + mismatch(position, at[i], theirs[position], ours))

    def expect_same_twice(self, first, second):
        for a, b in zip(first, second, strict=True):
            if a.numel() and (a - b).abs().max() > self.nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient.The tolerance for "
                    f"nondeterminism was {self.nondet_tol}.\n{NONDETERMINISM}")

    def fast_backward(self, differences, at, outputs, places, told):
        """The same of ``v . J . u`` with random unit vectors ``u`` (two, for a complex input) and ``v``."""
        inputs = differences.inputs
        for position, k in enumerate(places):
            v = unit_vector(outputs[k], self.draws)
            wanted = [inputs[i] for i in at]
            pulled = pulled_back(outputs[k], wanted, v)
            self.expect_same_twice(pulled, pulled_back(outputs[k], wanted, v))
            for i, g in zip(at, pulled, strict=True):
                u = unit_vector(inputs[i], self.draws)
                real = differences.along(inputs[i], u._array, [k])[0]
                theirs, ours = dot(v, real), dot(g.real if g.is_complex() else g, u)
                scale = float(u.sum())
                if g.is_complex():
                    turned = unit_vector(inputs[i], self.draws)
                    theirs = theirs + 1j * dot(v, differences.along(inputs[i], 1j * turned._array, [k])[0])
                    ours = ours + 1j * dot(g.imag, turned)
                    scale = abs(complex(scale, float(turned.sum())))
                if not close(ours, theirs, self.rtol, self.atol * scale * float(v.sum())):
                    whole = (differences.jacobians(inputs[i], [k])[0], backward_jacobians(outputs[k], [inputs[i]])[0])
                    raise GradcheckError(told(k) + mismatch(position, i, theirs.item(), ours.item()) + in_full(*whole))

    # -- forward: complex inputs are checked by their parts ---------------------------------------------------------

    def forward_of_parts(self, func, inputs, outputs, places):
        is_complex = [k for k, x in enumerate(inputs) if is_wanted(x) and x.is_complex()]
        if not is_complex:
            self.forward(func, inputs, places, range(len(inputs)), lambda k: "")
            return
        for part, word in ("imag", "imaginary"), ("real", "real"):
            def moved(*args, part=part):
                whole = list(args)
                for k in is_complex:
                    other = inputs[k].detach()
                    whole[k] = fns.complex(other.real, args[k]) if part == "imag" else fns.complex(args[k], other.imag)
                return func(*whole)

            def told(k, word=word):
                return f"While considering the {word} part of complex inputs only, " if k in is_complex else ""
            parts = [getattr(x.detach(), part).clone().requires_grad_() if k in is_complex else x
                     for k, x in enumerate(inputs)]
            self.forward(moved, parts, places, range(len(inputs)) if part == "real" else is_complex, told)

    def forward(self, func, inputs, places, at, told):
        """Compare the two Jacobians of each output by each input, the analytical one from forward mode."""
        differences = Differences(func, inputs, self.eps)
        for i in at:
            if not is_wanted(inputs[i]):
                continue
            if self.fast:
                u = unit_vector(inputs[i], self.draws)
                theirs = differences.along(inputs[i], u._array, places)
                ours = pushed_forward(func, inputs, i, u, places)
            else:
                theirs, ours = differences.jacobians(inputs[i], places), forward_jacobians(func, inputs, i, places)
            for position, (a, n) in enumerate(zip(ours, theirs, strict=True)):
                if not close(a, n, self.rtol, self.atol):
                    text = told(i) + mismatch(position, i, n, a, "computed with forward mode ")
                    if self.fast:
                        text += in_full(differences.jacobians(inputs[i], places)[position],
                                        forward_jacobians(func, inputs, i, places)[position])
                    raise GradcheckError(text)


def close(a, b, rtol, atol):
    """Whether two derivatives agree; NaN with nothing."""
    if not a.numel() and not b.numel():                  # by an empty input: its shape says nothing of the output
        return True
    return bool(((a - b).abs() <= atol + rtol * b.abs()).all())


def unit_vector(x, generator):
    """Random non-negative numbers of norm 1, in the shape of ``x``; real, also for complex ``x``."""
    drawn = fns.rand(tuple(x.shape), dtype=x.real.dtype if x.is_complex() else x.dtype, generator=generator)
    return drawn / drawn.norm() if drawn.numel() else drawn


def dot(a, b):
    return (a * b).sum()


def mismatch(output, position, numerical, analytical, how=""):
    return (f"Jacobian {how}mismatch for output {output} with respect to input {position},\n"
            f"numerical:{numerical}\nanalytical:{analytical}\n")


def in_full(numerical, analytical):
    """What is added to the message of a fast check: the whole matrices."""
    return f"""
The above quantities relating the numerical and analytical jacobians are computed \n\
in fast mode. See: https://github.com/pytorch/pytorch/issues/53876 for more background \n\
about fast mode. Below, we recompute numerical and analytical jacobians in slow mode:

Numerical:
 {numerical}
Analytical:
{analytical}

The max per-element difference (slow mode) is: {(numerical - analytical).abs().max().item()}.
"""


# -- what a backward promises ------------------------------------------------------------------------------------


def check_proportional(outputs, wanted):
    """No gradient in, no gradient out."""
    from leafward.autograd import grad
    for g in grad(outputs, wanted, [fns.zeros_like(o) for o in outputs], retain_graph=True, allow_unused=True):
        if g is not None and not (g == 0).all():
            raise GradcheckError("backward not multiplied by grad_output")


class Undefined(Node):
    """Sends no gradient at all to what is behind it."""

    def pull_back(self, grads, recorded, wanted):
        return [None]


def without_gradient(output):
    """``output`` behind a node that lets no gradient through."""
    node = Undefined()
    connect(node, [output])
    node._shape, node._dtype = output._array.shape, output._dtype
    result = alias_of(output, output._array, "view")
    result._node = node
    return result


def check_undefined(func, inputs, places, wanted):
    """Outputs without a gradient, all of them and one at a time, count as zeros."""
    from leafward.autograd import grad
    chosen = [places] if len(places) == 1 else [places, *[[k] for k in places]]
    for missing in chosen:
        outputs = as_tuple(func(*inputs))
        outputs = [without_gradient(outputs[k]) if k in missing else outputs[k] for k in places]
        try:
            grads = grad(outputs, wanted, [fns.zeros_like(o) for o in outputs], allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError("Expected backward function to handle undefined output grads. Please look at \"Notes "
                                 "about undefined output gradients\" in \"tools/autograd/derivatives.yaml\"") from error
        for g in grads:
            if g is not None and not (g == 0).all():
                raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are "
                                     "undefined or zero. Please look at \"Notes about undefined output gradients\" in "
                                     "\"tools/autograd/derivatives.yaml\"")


# -- vmap over a derivative is the derivative, stacked -------------------------------------------------------------


def check_batched(wanted, output, position):
    """Compare ``vmap`` of backward with a loop."""
    from leafward.autograd import grad

    def pull(v):
        grads = grad(output, wanted, v, retain_graph=True, allow_unused=True)
        return tuple([fns.zeros_like(x) if g is None else g for g, x in zip(grads, wanted, strict=True)])

    several = fns.stack([fns.randn(tuple(output.shape), dtype=output.dtype) for _ in range(2)])
    retained = [x.grad if x.retains_grad else None for x in wanted]
    try:
        compare_batched(pull, several, lambda k: (position, k), "gradients")
    finally:
        for x, before in zip(wanted, retained, strict=True):
            if x.retains_grad:
                x.grad = before             # not what vmap added: it means nothing outside of it


def check_batched_forward(func, inputs, places):
    """Compare ``vmap`` of forward mode with a loop."""
    for i, x in enumerate(inputs):
        if is_wanted(x):
            several = fns.stack([fns.randn(tuple(x.shape), dtype=x.dtype) for _ in range(2)])
            push = functools.partial(pushed_forward, func, inputs, i, places=places)
            compare_batched(lambda v, push=push: tuple(push(v)), several, lambda k, i=i: (k, i), "forward gradients")


def compare_batched(function, several, where, what):
    from leafward.autograd.batching import vmap
    expected = [fns.stack(list(parts)) for parts in zip(*[function(v) for v in several], strict=True)]
    try:
        found = vmap(function)(several)
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\ngradcheck or gradgradcheck failed "
                             "while testing batched gradient computation.") from error
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        if not close(a, b, 1e-5, 1e-8):
            output, position = where(k)
            raise GradcheckError(f"For output {output} and input {position}:\n\ngradcheck or gradgradcheck failed "
                                 f"while testing batched {what}.\n\nGot:\n{a}\n\nExpected:\n{b}\n")


class Front(types.ModuleType):
    """This module is a function too: ``torch.autograd.gradcheck`` is both."""

    def __call__(self, *args, **kwargs):
        return gradcheck(*args, **kwargs)


sys.modules[__name__].__class__ = Front
