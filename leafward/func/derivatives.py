"""Derivatives of functions of tensors and containers of them."""
from __future__ import annotations

import functools
from typing import Any, TYPE_CHECKING

from leafward.autograd import grad as gradients
from leafward.autograd.batching import vmap
from leafward.autograd.dual import DualLevel, recorded_outside, wanted_outside
from leafward.autograd.forward_ad import dual, unpacked
from leafward.autograd.function import FunctionNode
from leafward.autograd.grad_mode import enable_grad
from leafward.autograd.trees import flatten, tree_map, unflatten
from leafward.core import modes
from leafward.core.history import connect, wants_grad
from leafward.core.node import DifferentiatedInput, Node, behind
from leafward.core.recording import OpNode
from leafward.core.saved import without_history
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns

if TYPE_CHECKING:
    from collections.abc import Callable


# -- one level of backward -----------------------------------------------------------------------------------------


def entered(x):
    """``x`` behind a :class:`DifferentiatedInput`."""
    if not isinstance(x, TensorBase):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    node = DifferentiatedInput()
    connect(node, (x,))
    node._shape, node._dtype = x._array.shape, x._dtype
    inside = without_history(x)
    inside._node = node
    return inside


def close(inside):
    for x in inside:
        x._node.closed = True


def leads_elsewhere(outputs, inside):
    """Whether ``outputs`` depend on something that wants a gradient beside what was ``entered`` here."""
    own = {x._node for x in inside}
    for end in behind([y._node if y._node is not None else y for y in outputs if wants_grad(y)]):
        if not isinstance(end, Node):
            return True
        if type(end) is DifferentiatedInput and end not in own and end._targets == (None,) and not end.closed:
            return True                                     # the input of a level around this one
    return False


def outside(value, inside, was):
    """Outputs as they leave: with the history that leads out of the level, or without any."""
    def leave(x):
        if not isinstance(x, TensorBase) or not (wants_grad(x) or recorded_outside(x)):
            return x
        if was and leads_elsewhere([x], inside):
            return x
        return forgetful(x) if was and wanted_outside(x) else x.detach()
    return tree_map(leave, value)


def forgetful(x):
    """A batched ``x`` without the history that it has inside of its ``vmap``: that of its values, outside, it keeps."""
    return x if x._batch is None else without_history(x)


def chosen(args, argnums):
    """The arguments to differentiate by."""
    if not isinstance(argnums, int) and not (isinstance(argnums, tuple) and all(isinstance(a, int) for a in argnums)):
        kind = type(argnums)
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {kind}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not numbers:
        raise RuntimeError(f"argnums must be a non-empty tuple, got {argnums}")
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise RuntimeError(f"Got argnum={number}, but only {len(args)} positional inputs")
    numbers = tuple([n % len(args) for n in numbers])
    if len(set(numbers)) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return numbers


def replace_arguments(args, numbers, values):
    args = list(args)
    for number, value in zip(numbers, values, strict=True):
        args[number] = value
    return args


def with_aux(result, has_aux, name):
    """``(output, aux)``."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def grad_and_value(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns ``(gradient of func, its value)``; with ``has_aux``, ``(gradient, (value, aux))``."""
    @functools.wraps(func)
    def both(*args, **kwargs):
        numbers = chosen(args, argnums)
        was = modes.grad_enabled()
        with enable_grad():
            leaves, spec = flatten([args[n] for n in numbers])
            inside = [entered(x) for x in leaves]
            result = func(*replace_arguments(args, numbers, unflatten(inside, spec)), **kwargs)
            output, aux = with_aux(result, has_aux, "grad_and_value(f)(*args)")
            if not isinstance(output, TensorBase):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
            if output.ndim:
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                                   f"{output.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
            grads = pulled([output], inside, None, was)
        grads = unflatten(grads, spec)
        grads = grads[0] if isinstance(argnums, int) else tuple(grads)
        value, aux = outside(output, inside, was), outside(aux, inside, was)
        close(inside)
        return grads, ((value, aux) if has_aux else value)
    return both


def pulled(outputs, inside, cotangents, was, retain=None):
    """The gradients by what was entered, zeros where there is none; with a history if one leads out."""
    pairs = [(y, None if cotangents is None else c) for y, c in
             zip(outputs, cotangents or [None] * len(outputs), strict=True) if wants_grad(y)]
    if not pairs:
        return [fns.zeros_like(x) for x in inside]
    ends = [y for y, _ in pairs]
    given = None if cotangents is None else [c for _, c in pairs]
    leads = was and leads_elsewhere([*ends, *(given or ())], inside)
    record = leads or (was and any(map(wanted_outside, [*ends, *(given or ())])))
    grads = gradients(ends, inside, given, retain_graph=retain, create_graph=record, allow_unused=True)
    return [fns.zeros_like(x) if g is None else g if leads else forgetful(g) for g, x in zip(grads, inside, strict=True)]


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func``, which returns one number, by the arguments ``argnums``.

    >>> import leafward as lw
    >>> lw.func.grad(lw.func.grad(lw.sin))(lw.tensor(1.0))
    tensor(-0.8415)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args, **kwargs):
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads
    return gradient


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """``(func(*primals), pull)`` where ``pull(v)`` is a tuple of gradients of ``<v, func>``, one for each primal.

    >>> import leafward as lw
    >>> value, pull = lw.func.vjp(lw.sin, lw.zeros(2))
    >>> pull(lw.tensor([1.0, 2.0]))
    (tensor([1., 2.]),)
    """
    was = modes.grad_enabled()
    with enable_grad():
        leaves, spec = flatten(primals)
        inside = [entered(x) for x in leaves]
        output, aux = with_aux(func(*unflatten(inside, spec)), has_aux, "vjp(f, *primals)")
        ends, out_spec = flatten(output)
        refuse_others(ends, "vjp")

    def pull(cotangents, retain_graph=True, create_graph=None):
        given, given_spec = flatten(cotangents)
        if given_spec != out_spec:
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                               f"function. cotangents: {given_spec}, primal output: {out_spec}")
        grads = pulled(ends, inside, given, modes.grad_enabled() if create_graph is None else create_graph, retain_graph)
        return unflatten(grads, spec)
    value, aux = outside(output, inside, was), outside(aux, inside, was)
    close(inside)
    return (value, pull, aux) if has_aux else (value, pull)


def refuse_others(ends, name):
    args = "*primals" if name == "vjp" else "primals, tangents"
    for end in ends:
        if not isinstance(end, TensorBase):
            raise RuntimeError(f"{name}(f, {args}): expected f(*primals) to return only tensors, got unsupported type "
                               f"{type(end)}")


# -- forward mode ----------------------------------------------------------------------------------------------------


def jvp(func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], *, strict: bool = False,
        has_aux: bool = False) -> Any:
    """``(func(*primals), the derivative along tangents)``, both in one forward run.

    >>> import leafward as lw
    >>> lw.func.jvp(lw.sin, (lw.zeros(2),), (lw.tensor([1.0, 2.0]),))
    (tensor([0., 0.]), tensor([1., 2.]))
    """
    for what, value in ("primals", primals), ("tangents", tangents):
        if not isinstance(value, tuple):
            raise RuntimeError(f"jvp(f, primals, tangents): Expected {what} to be a tuple. E.g. it should be valid to call "
                               "f(*primals).")
    points, spec = flatten(primals)
    directions, given = flatten(tangents)
    if spec != given:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For "
                           "example, if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
                           f"{spec} and tangents with structure {given}")
    with DualLevel() as level:
        moved = [dual(x, t, level) for x, t in zip(points, directions, strict=True)]
        output, aux = with_aux(func(*unflatten(moved, spec)), has_aux, "jvp(f, primals, tangents)")
        ends, out_spec = flatten(output)
        refuse_others(ends, "jvp")
        pairs = [unpacked(end, level) for end in ends]
        if strict and any(t is None for _, t in pairs):
            raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is "
                               "not allowed with strict=True.")
        aux = tree_map(lambda x: unpacked(x, level)[0] if isinstance(x, TensorBase) else x, aux)
    values = unflatten([p for p, _ in pairs], out_spec)
    pushed = unflatten([fns.zeros_like(p) if t is None else t for p, t in pairs], out_spec)
    return (values, pushed, aux) if has_aux else (values, pushed)


def linearize(func: Callable[..., Any], *primals: Any) -> Any:
    """``(func(*primals), push)`` where ``push(*tangents)`` is the derivative along them; ``func`` runs once.

    >>> import leafward as lw
    >>> value, push = lw.func.linearize(lw.sin, lw.zeros(2))
    >>> push(lw.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    was = modes.grad_enabled()
    with enable_grad():
        points, spec = flatten(primals)
        inside = [entered(x) for x in points]
        output = func(*unflatten(inside, spec))
        ends, out_spec = flatten(output)
        tensors = [end for end in ends if isinstance(end, TensorBase)]
        has_own = has_forward_rule(tensors)
        if not has_own:
            # Backward is linear in the cotangents: its own backward is the derivative along tangents.
            cotangents = [entered(fns.zeros_like(end)) for end in tensors]
            pulled_back = transposable(tensors, cotangents, inside)

    def push(*tangents):
        directions = along(tangents, points, spec)
        if has_own:
            pushed = iter(flatten(jvp(lambda *x: [end for end in flatten(func(*x))[0] if isinstance(end, TensorBase)],
                                      primals, unflatten(directions, spec))[1])[0])
        else:
            pairs = [(back, t) for back, t in zip(pulled_back, directions, strict=True) if back is not None]
            used = [x for pair in pairs for x in pair]
            leads = modes.grad_enabled() and leads_elsewhere(used, [*inside, *cotangents])
            record = leads or (modes.grad_enabled() and any(map(wanted_outside, used)))
            pushed = iter([t if leads else forgetful(t) for t in transposed(pairs, cotangents, record)])
        return unflatten([next(pushed) if isinstance(end, TensorBase) else end for end in ends], out_spec)
    value = outside(output, inside, was)
    return value, push


def transposable(ends, cotangents, inside):
    """The gradients by ``inside`` as functions of ``cotangents``; None where there is none."""
    pairs = [(end, c) for end, c in zip(ends, cotangents, strict=True) if wants_grad(end)]
    if not pairs:
        return [None] * len(inside)
    grads = gradients([end for end, _ in pairs], inside, [c for _, c in pairs], create_graph=True, allow_unused=True)
    return [g if g is not None and wants_grad(g) else None for g in grads]


def transposed(pairs, cotangents, record):
    """The gradients by ``cotangents`` of the first of each pair, along the second."""
    if not pairs:
        return [fns.zeros_like(c).detach() for c in cotangents]
    found = gradients([back for back, _ in pairs], cotangents, [t for _, t in pairs], retain_graph=True, create_graph=record,
                      allow_unused=True)
    return [fns.zeros_like(c).detach() if g is None else g for g, c in zip(found, cotangents, strict=True)]


def has_forward_rule(ends):
    """Whether behind ``ends`` is a node whose tangent is said by a rule of its own, not by its backward."""
    return any(isinstance(node, FunctionNode) or (isinstance(node, OpNode) and node._plan.op.jvp_rule is not None)
               for node in behind([end._node for end in ends]))


def along(tangents, points, spec):
    """The tangents of ``points``, one by one."""
    directions, given = flatten(tangents)
    if given != spec:
        raise RuntimeError(f"Expected the tangents {given} to have the same argspec as the primals {spec}")
    for k, (t, x) in enumerate(zip(directions, points, strict=True)):
        for what in "shape", "dtype":
            if getattr(t, what) != getattr(x, what):
                raise RuntimeError(f"tangent:{k} with {what} {getattr(t, what)} in flattened pytree doesn't match the {what} "
                                   f"{getattr(x, what)} of the corresponding primal.")
    return directions


# -- whole Jacobians -------------------------------------------------------------------------------------------------


def basis(x):
    """The unit vectors of the space of ``x``: of shape ``(elements, *x.shape)``."""
    return fns.eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)


def jacrev(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, has_aux: bool = False,
           chunk_size: int | None = None, _preallocate_and_copy: bool = False) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func`` by its arguments ``argnums``, by batched backward.

    Of the structure of the outputs, then of the arguments; each of shape ``output.shape + argument.shape``.

    >>> import leafward as lw
    >>> lw.func.jacrev(lw.sin)(lw.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args, **kwargs):
        points, spec, of_chosen = by_chosen(func, args, argnums, kwargs)
        output, pull, *aux = vjp(of_chosen, *points, has_aux=has_aux)
        ends, out_spec = flatten(output)
        rows = []
        for k, end in enumerate(ends):
            def one(v, k=k):
                return pull(unflatten([v if j == k else fns.zeros_like(e) for j, e in enumerate(ends)], out_spec))
            grads = vmap(one, chunk_size=chunk_size)(basis(end))
            parts = [g.reshape(*end.shape, *x.shape) for g, x in zip(grads, points, strict=True)]
            rows.append(by_argument(unflatten(parts, spec), argnums))
        found = unflatten(rows, out_spec)
        return (found, aux[0]) if has_aux else found
    return jacobian


def by_chosen(func, args, argnums, kwargs):
    """The tensors in the arguments ``argnums``, their structure, and ``func`` as a function of these tensors alone."""
    numbers = chosen(args, argnums)
    points, spec = flatten([args[n] for n in numbers])

    def of_chosen(*points):
        return func(*replace_arguments(args, numbers, unflatten(points, spec)), **kwargs)
    return points, spec, of_chosen


def by_argument(values, argnums):
    return values[0] if isinstance(argnums, int) else tuple(values)


def jacfwd(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False, *,
           randomness: str = "error") -> Callable[..., Any]:
    """The same by batched forward mode: cheaper where there are fewer inputs than outputs.

    >>> import leafward as lw
    >>> lw.func.jacfwd(lw.sin)(lw.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    @functools.wraps(func)
    def jacobian(*args, **kwargs):
        points, spec, of_chosen = by_chosen(func, args, argnums, kwargs)
        columns, aux = [], None
        for k, point in enumerate(points):
            def one(v, k=k):
                directions = tuple([v if j == k else fns.zeros_like(x) for j, x in enumerate(points)])
                value, pushed, *rest = jvp(of_chosen, tuple(points), directions, has_aux=has_aux)
                return pushed, rest
            pushed, rest = vmap(one, randomness=randomness)(basis(point))
            parts, out_spec = flatten(pushed)
            # (elements of the point, *output) -> (*output, *point)
            columns.append([fns.movedim(p, 0, -1).reshape(*p.shape[1:], *point.shape) for p in parts])
            aux = [tree_map(lambda x: x[0] if isinstance(x, TensorBase) else x, r) for r in rest]
        rows = [by_argument(unflatten(list(row), spec), argnums) for row in zip(*columns, strict=True)]
        found = unflatten(rows, out_spec)
        return (found, aux[0]) if has_aux else found
    return jacobian


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that returns the second derivatives of ``func``: forward mode over backward.

    >>> import leafward as lw
    >>> lw.func.hessian(lambda x: (x ** 3).sum())(lw.ones(2))
    tensor([[6., 0.],
            [0., 6.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
