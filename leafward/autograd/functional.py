"""Derivatives of functions: Jacobians and Hessians, whole or multiplied by a vector."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.core.runtime import runtime
from leafward.derive.functions import fns
from leafward.autograd import grad
from leafward.autograd.grad_mode import enable_grad

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from leafward.tensor.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

NOT_ALLOWED = "This is not allowed in strict mode"


def jacobian(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor], create_graph: bool = False, strict: bool = False,
             vectorize: bool = False, strategy: str = "reverse-mode") -> Any:
    """Every derivative of every output by every input: of shape ``output.shape + input.shape``.

    For tuples of inputs or outputs, tuples of them: ``jacobian[output][input]``. ``vectorize`` batches the backwards.

    >>> import leafward as lw
    >>> lw.autograd.functional.jacobian(lambda x: x ** 2, lw.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function '
                             'has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
                             'prefer to use "reverse-mode".')
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError('torch.autograd.functional.jacobian: `create_graph=True` and '
                                      '`strategy="forward-mode"` are not supported together (yet). Please either set '
                                      '`create_graph=False` or `strategy="reverse-mode"`.')
        return forward_jacobian(func, inputs, strict, vectorize)
    with enable_grad():
        single_input, inputs = checked_tuple(inputs, "inputs", "jacobian")
        inputs = prepared(inputs, create_graph)
        single_output, outputs = checked_tuple(func(*inputs), "outputs of the user-provided function", "jacobian")
        refuse_constant_outputs(outputs, strict)
        if vectorize:
            if strict:
                raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                                   "supported together. Please either set `strict=False` or `vectorize=False`.")
            rows = [batched_rows(output, inputs, create_graph) for output in outputs]
        else:
            rows = [rows_of(k, output, inputs, create_graph, strict) for k, output in enumerate(outputs)]
        found = finished(tuple([finished(row, create_graph) for row in rows]), True)
    found = tuple([row[0] for row in found]) if single_input else found
    return found[0] if single_output else found


def rows_of(number, output, inputs, create_graph, strict):
    """The derivatives of one output by every input, one backward for each of its elements."""
    rows = [[] for _ in inputs]
    for element in output.reshape(-1):
        grads = gradients((element,), inputs, None, create_graph, True)
        for k, (g, x) in enumerate(zip(grads, inputs, strict=True)):
            if g is None:
                if strict:
                    raise RuntimeError(f"Output {number} of the user-provided function is independent of input {k}. "
                                       f"{NOT_ALLOWED}.")
                g = fns.zeros_like(x)
            elif strict and create_graph and not g.requires_grad:
                raise RuntimeError(f"The jacobian of the user-provided function is independent of input {k}. "
                                   f"{NOT_ALLOWED} when create_graph=True.")
            rows[k].append(g)
    shape = tuple(output.shape)
    return tuple([(fns.stack(row) if row else x.new_zeros(0)).reshape(shape + tuple(x.shape))
                  for row, x in zip(rows, inputs, strict=True)])


def basis(x):
    """The unit vectors of the space of ``x``: of shape ``(elements, *x.shape)``."""
    return fns.eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)


def batched_rows(output, inputs, create_graph):
    """The same from one batched backward."""
    grads = (None,) * len(inputs)
    if output.requires_grad:
        grads = grad((output,), inputs, (basis(output),), retain_graph=True, create_graph=create_graph,
                     allow_unused=True, is_grads_batched=True)
    shape = tuple(output.shape)
    return tuple([x.new_zeros(shape + tuple(x.shape)) if g is None else g.reshape(shape + tuple(x.shape))
                  for g, x in zip(grads, inputs, strict=True)])


def forward_jacobian(func, inputs, strict, vectorize):
    """The Jacobian from one batched forward run in dual numbers."""
    if strict:
        raise RuntimeError('torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not '
                           'supported together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.')
    if not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly "
                                  "implemented for `vectorize=True`.")
    from leafward.autograd import forward_ad
    from leafward.autograd.batching import vmap
    single_input, inputs = checked_tuple(inputs, "inputs", "jacobian")
    single_output, columns = True, []
    for at, x in enumerate(inputs):
        def pushed(direction, at=at):
            nonlocal single_output
            with forward_ad.dual_level():
                moved = [forward_ad.make_dual(x, direction) if k == at else x for k, x in enumerate(inputs)]
                single_output, outputs = checked_tuple(func(*moved), "outputs", None)
                parts = [forward_ad.unpack_dual(output) for output in outputs]
                return tuple([fns.zeros_like(primal) if tangent is None else tangent for primal, tangent in parts])
        # (elements of x, *output) -> (*output, *x)
        columns.append([fns.movedim(c, 0, -1).reshape(*c.shape[1:], *x.shape) for c in vmap(pushed)(basis(x))])
    found = tuple([tuple(row) for row in zip(*columns, strict=True)])
    found = tuple([row[0] for row in found]) if single_input else found
    return found[0] if single_output else found


def hessian(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor], create_graph: bool = False, strict: bool = False,
            vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The second derivatives of a scalar ``func``: of shape ``input.shape + input.shape``; for tuples ``[i][j]``.

    >>> import leafward as lw
    >>> lw.autograd.functional.hessian(lambda x: (x ** 3).sum(), lw.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    single_input, inputs = checked_tuple(inputs, "inputs", "hessian")

    def scalar(*inputs):
        return the_scalar(func(*inputs), "hessian", strict)[0]

    def gradient(*inputs):
        if outer_jacobian_strategy == "forward-mode":
            inputs = tuple([x if x.requires_grad else x.view_as(x).requires_grad_() for x in inputs])
        found = jacobian(scalar, inputs, create_graph=True)
        refuse_constant(found, strict, CONSTANT_JACOBIAN)
        return found
    found = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found[0][0] if single_input else found


def vjp(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor], v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(outputs, v . jacobian)``; ``v`` has the shape of the outputs, and may be left out for one number.

    >>> import leafward as lw
    >>> lw.autograd.functional.vjp(lambda x: x ** 2, lw.tensor([1.0, 2.0]), lw.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        single_input, inputs = checked_tuple(inputs, "inputs", "vjp")
        inputs = prepared(inputs, create_graph)
        single_output, outputs = checked_tuple(func(*inputs), "outputs of the user-provided function", "vjp")
        refuse_constant_outputs(outputs, strict)
        v = checked(v, outputs, single_output, "vjp", create_graph, "The vector v can only be None if the "
                    "user-provided function returns a single Tensor with a single element.")
        grads = gradients(outputs, inputs, v, create_graph)
        found = filled(grads, inputs, strict, create_graph, "back")
    return result(outputs, single_output, create_graph), result(found, single_input, create_graph)


def jvp(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor], v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(outputs, jacobian . v)``, by two backwards; ``v`` has the shape of the inputs.

    >>> import leafward as lw
    >>> lw.autograd.functional.jvp(lambda x: x ** 2, lw.tensor([1.0, 2.0]), lw.tensor([1.0, 0.0]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with enable_grad():
        single_input, inputs = checked_tuple(inputs, "inputs", "jvp")
        inputs = prepared(inputs, create_graph)
        v = checked(v, inputs, single_input, "jvp", create_graph, OF_ONE_NUMBER)
        single_output, outputs = checked_tuple(func(*inputs), "outputs of the user-provided function", "jvp")
        refuse_constant_outputs(outputs, strict)
        zeros = tuple([fns.zeros_like(o, requires_grad=True) for o in outputs])
        pulled = gradients(outputs, inputs, zeros, True)       # linear in `zeros`: its derivative by them is the answer
        refuse_constant(pulled, strict, "The gradient with respect to input {k} is independent of the inputs of the "
                        "user-provided function. {no}.")
        grads = gradients(pulled, zeros, v, create_graph)
        found = filled(grads, outputs, strict, create_graph, "back_trick")
    return result(outputs, single_output, create_graph), result(found, single_output, create_graph)


def with_gradient(func, inputs, v, create_graph, strict, name):
    """What both products begin with: the inputs and ``v``, checked, the scalar output and its recorded gradient."""
    single_input, inputs = checked_tuple(inputs, "inputs", name)
    inputs = prepared(inputs, create_graph)
    v = checked(v, inputs, single_input, name, create_graph, OF_ONE_NUMBER)
    single_output, outputs = the_scalar(func(*inputs), name, strict)
    gradient = gradients(outputs, inputs, None, True)
    refuse_constant(gradient, strict, CONSTANT_JACOBIAN)
    return single_input, inputs, v, single_output, outputs, gradient


def vhp(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor], v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(output, v . hessian)`` of a scalar ``func``; ``v`` has the shape of the inputs."""
    with enable_grad():
        single_input, inputs, v, single_output, outputs, gradient = with_gradient(func, inputs, v, create_graph, strict, "vhp")
        grads = gradients(gradient, inputs, v, create_graph)
        found = filled(grads, inputs, strict, create_graph, "double_back")
    return result(outputs, single_output, create_graph), result(found, single_input, create_graph)


def hvp(func: Callable[..., Any], inputs: Tensor | Sequence[Tensor], v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(output, hessian . v)`` of a scalar ``func``, by three backwards; ``v`` has the shape of the inputs."""
    with enable_grad():
        single_input, inputs, v, single_output, outputs, gradient = with_gradient(func, inputs, v, create_graph, strict, "hvp")
        zeros = tuple([fns.zeros_like(x, requires_grad=True) for x in inputs])
        twice = gradients(gradient, inputs, zeros, True)
        refuse_constant(twice, strict, "The hessian of the user-provided function with respect to input {k} is "
                        "independent of the input. {no}. You should ensure that your function is thrice differentiable "
                        "and that the hessian depends on the inputs.")
        grads = gradients(twice, zeros, v, create_graph)
        found = filled(grads, inputs, strict, create_graph, "double_back_trick")
    return result(outputs, single_output, create_graph), result(found, single_input, create_graph)


# -- arguments ---------------------------------------------------------------------------------------------------

OF_ONE_NUMBER = ("The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                 "single element.")


def checked_tuple(value, what, name):
    """``(whether it was a single tensor, the tensors)``."""
    single = not isinstance(value, tuple)
    values = (value,) if single else value
    for k, x in enumerate(values):
        if not isinstance(x, runtime.tensor):
            but = f"given {what} has" if single else f"value at index {k} has"
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {but} "
                            f"type {type(x)}.")
    return single, values


def prepared(inputs, create_graph):
    """The points to differentiate at: with their history, where the result is to have one."""
    if create_graph:
        return tuple([x.view_as(x) if x.requires_grad else x.detach().requires_grad_() for x in inputs])
    return tuple([x.detach().requires_grad_() for x in inputs])


def checked(v, like, single, name, create_graph, why_needed):
    """The vector ``v``, of the shapes of ``like``."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(why_needed)
        return None if name == "vjp" else (fns.ones_like(like[0]),)
    _, v = checked_tuple(v, "v", name)
    if len(v) != len(like):
        raise RuntimeError("The given v should contain a single Tensor." if single else
                           f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for k, (a, b) in enumerate(zip(v, like, strict=True)):
        if a.shape != b.shape:
            entry = "" if single else f"Entry {k} in "
            raise RuntimeError(f"{entry}v has invalid size: should be {b.size()} but got {a.size()}.")
    return tuple([x.view_as(x) if create_graph else x.detach() for x in v])


def the_scalar(value, name, strict=False):
    """The one number that a function with a Hessian returns."""
    single, outputs = checked_tuple(value, "outputs of the user-provided function", name)
    refuse_constant_outputs(outputs, strict)
    if name == "hessian" and not single or len(outputs) != 1:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return (outputs[0].squeeze(), outputs) if name == "hessian" else (single, outputs)


# -- answers -----------------------------------------------------------------------------------------------------


def gradients(outputs, inputs, vectors, create_graph, retain_graph=None):
    """The gradients by ``inputs``, None where there is none; outputs without a history add nothing."""
    kept = [k for k, output in enumerate(outputs) if output is not None and output.requires_grad]
    if not kept:
        return (None,) * len(inputs)
    chosen = None if vectors is None else [vectors[k] for k in kept]
    return grad([outputs[k] for k in kept], inputs, chosen, retain_graph=retain_graph, create_graph=create_graph,
                allow_unused=True)


ABSENT = {
    "back": "The output of the user-provided function is independent of input {k}. {no}.",
    "back_trick": "The gradient with respect to the input is independent of entry {k} in the grad_outputs when using "
                  "the double backward trick to compute forward mode gradients. {no}.",
    "double_back": "The jacobian of the user-provided function is independent of input {k}. {no}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {k} in the grad_jacobian. "
                         "{no} as it prevents from using the double backward trick to replace forward mode AD.",
}


def filled(grads, like, strict, create_graph, stage):
    """Zeros for gradients that there are none of; in strict mode an error."""
    found = []
    for k, (g, x) in enumerate(zip(grads, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(ABSENT[stage].format(k=k, no=NOT_ALLOWED))
            g = fns.zeros_like(x)
        elif strict and create_graph and not g.requires_grad:
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(f"The {what} of the user-provided function is independent of input {k}. {NOT_ALLOWED} "
                               "when create_graph=True.")
        found.append(g)
    return tuple(found)


def refuse_constant_outputs(outputs, strict):
    if strict:
        for k, output in enumerate(outputs):
            if not output.requires_grad:
                raise RuntimeError(f"Output {k} of the user-provided function does not require gradients. The outputs "
                                   "must be computed in a differentiable manner from the input when running in strict "
                                   "mode.")


CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {k} is "
    "independent of the input. {no}. You should ensure that your function is twice differentiable and that the "
    "jacobian depends on the inputs (this would be violated by a linear function for example).")


def refuse_constant(found, strict, text):
    """In strict mode, raise for a gradient that is absent or that does not depend on anything."""
    if not strict:
        return
    for k, g in enumerate(found):
        if g is None:
            text = ABSENT["back"]
        if g is None or not g.requires_grad:
            raise RuntimeError(text.format(k=k, no=NOT_ALLOWED))


def finished(values, create_graph):
    return values if create_graph else tuple([x.detach() for x in values])


def result(values, single, create_graph):
    """As the caller gets it: alone if it came alone, without a history unless asked for."""
    values = finished(values, create_graph)
    return values[0] if single else values
