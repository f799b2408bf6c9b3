"""Gradients: ``backward`` and ``grad``, modes, custom functions, hooks."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

from leafward import dtypes
from leafward.core import modes
from leafward.core.cuts import AT_FIRST, NOTES, cut_result, cuts_of
from leafward.core.engine import ALWAYS, FROM_TIME_TO_TIME, NEVER, run_backward
from leafward.core.native import call_site
from leafward.core.node import behind
from leafward.core.runtime import runtime
from leafward.core.shown import spread_anew
from leafward.core.tensor import TensorBase, array_of
from leafward.core.tracebacks import leave
from leafward.core.history import wants_grad
from leafward.core.from_array import new_tensor, tensor_from_array
from leafward.errors import NoHistoryError, trust, warn, warn_once
from leafward.autograd import graph
from leafward.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from leafward.core.introspection import SavedTensor  # noqa: F401
from leafward.autograd.function import Function, NestedIOFunction
from leafward.autograd.grad_mode import (  # noqa: F401
    _unsafe_preserve_version_counter, enable_grad, enforce_grad_layout_policy, inference_mode,
    is_multithreading_enabled, no_grad, set_grad_enabled, set_multithreading_enabled,
)
from leafward.autograd.turns import BETWEEN, note_turn
from leafward.autograd.variable import Variable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    # What __getattr__ gives.
    from leafward.autograd import forward_ad as forward_ad, functional as functional, profiler as profiler
    from leafward.autograd.gradcheck import gradcheck as gradcheck, gradgradcheck as gradgradcheck
    from leafward.core.introspection import GradientEdge
    from leafward.tensor.tensor import Tensor

__all__ = ["Function", "NestedIOFunction", "Variable", "backward", "detect_anomaly", "enable_grad",
           "enforce_grad_layout_policy", "grad", "graph", "inference_mode", "no_grad", "set_detect_anomaly",
           "set_grad_enabled", "set_multithreading_enabled"]


def backward(tensors: Tensor | Sequence[Tensor] | GradientEdge | Sequence[GradientEdge],
             grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
             retain_graph: bool | None = None, create_graph: bool = False, grad_variables: Any = None,
             inputs: Tensor | Iterable[Tensor] | Mapping[Any, Tensor] | None = None) -> None:
    """Send gradients from ``tensors`` to every leaf that they depend on, and add them to its ``.grad``.

    >>> import leafward as lw
    >>> x = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> lw.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    backward_from(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)


def tell_met(met, roots):
    """Tell of what backward came by that is hardly meant: see ``core.cuts.note_at``."""
    for record in met:
        for cut in cuts_of(record):
            if cut.kind in NOTES and cut.count < AT_FIRST:
                cut.count += 1
                trust("tell_met")(cut, roots)


def look_back(roots):
    """Look at what a backward came by, and the first one from each line at which parameters it came to."""
    state = modes.current()
    call, met = state.reached
    for root in roots:
        if isinstance(root, TensorBase) and root._cut is not None:
            met = [*(met or ()), root._cut]                 # a loss whose history was cut: steps ask for that cut
            state.reached = call, met
    if met is not None:
        tell_met(met, roots)
    if call.number % BETWEEN == 0 and call.number and not observers:
        note_turn(call, roots)
    if call.number == 1:
        seen = {}                                           # (other leaves may share memory: for gradients by role)
        for leaf in behind(roots):
            if isinstance(leaf, runtime.parameter):
                other = seen.setdefault(leaf._storage, leaf)
                if other is not leaf and runtime.overlap(leaf._array, other._array):
                    trust("tell_twins")(other, leaf)
                    return


#: Who looks at every backward: each an :class:`~leafward.autograd.observer.Observer`.
observers = []


def backward_from(tensors, grad_tensors, retain_graph, create_graph, grad_variables=None, inputs=None, check=None):
    """:func:`backward`, and with ``check="finite"`` every node is asked whether it gave NaN or inf."""
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                               "Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = as_tuple(inputs.values() if type(inputs) is dict else inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    tensors = as_tuple(tensors)
    if create_graph:
        warn_once("Using backward() with create_graph=True will create a reference cycle between the parameter and its "
                  "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
                  "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
                  "after use to break the cycle and avoid the leak.")
    recorded = create_graph or bool(modes.current().levels)
    grads = starting_gradients(tensors, grad_tensors, recorded)
    retain = create_graph if retain_graph is None else retain_graph
    roots, numbers = starting_points(tensors)
    finite = NEVER
    if runtime.checks:
        if check is None:
            finite = FROM_TIME_TO_TIME
        elif check == "finite":
            finite = ALWAYS
        else:
            raise ValueError(f'check must be "finite" or None, but got {check!r}')
        for position, root in enumerate(roots):
            finite = what_to_look_for(tensors[position], root, finite, grad_tensors is None)
    wanted = None
    if inputs is not None:
        refuse_others(inputs)
        for tensor in inputs:
            if isinstance(tensor, TensorBase):
                tensor.retain_grad()
        wanted = {target: {} for target in places_of(inputs)[0]}        # accumulated there, and not returned
        for observer in observers:
            observer.asked(inputs)
    else:
        for observer in observers:
            observer.before_backward(roots)
    try:
        run_backward(roots, numbers, grads, retain, recorded, wanted, 0, create_graph, finite)
    except Exception as error:
        leave(error)
        raise
    if inputs is None:
        if runtime.checks:
            look_back(roots)
        for observer in observers:
            observer.after_backward()


def what_to_look_for(tensor, root, finite, scalar):
    """Tell of a loss that was cut off, or that is NaN or inf; whether gradients are still to be looked at."""
    if isinstance(root, TensorBase):
        if root._cut is not None:
            trust("tell_restarted")(root)
    elif root._notes is not None and "scaled" in root._notes:
        return NEVER
    elif scalar and finite != NEVER and isinstance(tensor, TensorBase) and tensor._batch is None:
        value = tensor._array.item()
        if value - value != 0:                              # NaN and inf
            trust("tell_nonfinite_loss")(tensor)
            return NEVER
    return finite


def as_tuple(tensors):
    """One tensor, or several, as a tuple."""
    return (tensors,) if isinstance(tensors, (TensorBase, graph.GradientEdge)) else tuple(tensors)


def refuse_others(inputs):
    """Gradients are of tensors, or at edges of the graph."""
    for value in inputs:
        if not isinstance(value, (TensorBase, graph.GradientEdge)):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(value).__name__}")


runtime.backward = backward_from


def grad(outputs: Tensor | Iterable[Tensor], inputs: Tensor | Iterable[Tensor] | Mapping[Any, Tensor],
         grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
         materialize_grads: bool = False) -> tuple[Tensor, ...]:
    """The gradients of ``outputs`` with respect to ``inputs``, as a tuple; no ``.grad`` is touched.

    >>> import leafward as lw
    >>> x = lw.tensor(2.0, requires_grad=True)
    >>> first, = lw.autograd.grad(x ** 4, x, create_graph=True)
    >>> first, lw.autograd.grad(first, x)
    (tensor(32., grad_fn=<MulBackward0>), (tensor(48.),))
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if not only_inputs:
        warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient "
             "for other parts of the graph, please use torch.autograd.backward.", FutureWarning)
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    if isinstance(inputs, dict):
        found = grad(outputs, tuple(inputs.values()), grad_outputs, retain_graph, create_graph, True, allow_unused,
                     is_grads_batched, materialize_grads)
        return dict(zip(inputs, found, strict=True))
    outputs, inputs = as_tuple(outputs), as_tuple(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    refuse_others(inputs)
    if is_grads_batched:
        return batched_grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    recorded = create_graph or bool(modes.current().levels)
    grads = starting_gradients(outputs, grad_outputs, recorded)
    retain = create_graph if retain_graph is None else retain_graph
    roots, numbers = starting_points(outputs)
    for tensor in inputs:
        if isinstance(tensor, TensorBase) and not wants_grad(tensor):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    for observer in observers:
        observer.asked(inputs)
    captures, places = places_of(inputs)
    try:
        answers = run_backward(roots, numbers, grads, retain, recorded, captures, places, create_graph)
    except Exception as error:
        leave(error)
        raise
    result = []
    for position, (tensor, answer) in enumerate(zip(inputs, answers, strict=True)):
        if answer is None:
            if not allow_unused:
                raise RuntimeError(f"The differentiated Tensor at index {position} appears to not have been used in the "
                                   "graph. Set allow_unused=True if this is the desired behavior.")
            if materialize_grads:
                answer = new_tensor(runtime.xp.zeros_like(tensor._array), tensor._dtype)
                answer._requires_grad = create_graph
        elif not isinstance(answer, TensorBase):
            if type(answer) is runtime.ndarray and not answer.flags.writeable:
                answer = spread_anew(answer)
            answer = new_tensor(answer, tensor._dtype) if (          # (x.data = y may have changed the dtype since)
                type(answer) is runtime.ndarray and isinstance(tensor, TensorBase)
                and answer.dtype is runtime.array_dtype[tensor._dtype]) else tensor_from_array(answer)
            if runtime.checks and isinstance(outputs[0], TensorBase):
                cut_result("grad", answer, outputs[0])
        result.append(answer)
    return tuple(result)


def batched_grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads):
    """:func:`grad` for each of several gradients of the outputs, stacked in their first dim: one batched backward."""
    from leafward.autograd.batching import vmap
    used = []

    def one(*grads):
        found = grad(outputs, inputs, grads, retain_graph, create_graph, True, allow_unused, False, materialize_grads)
        used[:] = [g is not None for g in found]
        return tuple([g for g in found if g is not None])
    if grad_outputs is None:
        grad_outputs = [new_tensor(runtime.xp.ones(o._array.shape, dtype=o._dtype), o._dtype) for o in outputs]
    batches = as_tuple(grad_outputs)
    found = iter(vmap(one, tuple([None if g is None else 0 for g in batches]))(*batches))
    return tuple([next(found) if there else None for there in used])


def starting_points(tensors):
    """The node (or leaf) and output number that each root gradient enters at."""
    roots, numbers = [], []
    for index, tensor in enumerate(tensors):
        if isinstance(tensor, graph.GradientEdge):
            node = tensor.node
            roots.append(node if not hasattr(node, "variable") else node.variable)
            numbers.append(tensor.output_nr)
            continue
        # A view that was made under no_grad leads nowhere, whatever its base wants.
        if not wants_grad(tensor) or tensor._node is None and not tensor._requires_grad:
            raise NoHistoryError(position=index, tensor=tensor, site=call_site())
        roots.append(tensor if tensor._node is None else tensor._node)
        numbers.append(tensor._output_nr if tensor._node is not None else 0)
    return roots, numbers


def places_of(inputs):
    """Where in the answer the gradient of each input goes."""
    captures = {}
    for position, tensor in enumerate(inputs):
        if isinstance(tensor, graph.GradientEdge):
            target, number = getattr(tensor.node, "variable", tensor.node), tensor.output_nr
        else:
            wants_grad(tensor)
            target = tensor if tensor._node is None else tensor._node
            number = tensor._output_nr if tensor._node is not None else 0
        captures.setdefault(target, {}).setdefault(number, []).append(position)
    return captures, len(inputs)


def starting_gradients(tensors, grads, recorded):
    """The gradients to start from: ones for scalars, and what was given, checked, for the rest."""
    if grads is None:
        grads = [None] * len(tensors)
    elif isinstance(grads, TensorBase):
        grads = [grads]
    else:
        grads = list(grads)
    started = []
    for index, (tensor, g) in enumerate(zip(tensors, grads, strict=False)):     # as in PyTorch: too many are left over
        if not isinstance(tensor, (TensorBase, graph.GradientEdge)):
            raise AssertionError("Expected output to be a torch.Tensor")
        if isinstance(tensor, graph.GradientEdge):
            if g is None:
                node = tensor.node
                shape, dtype = (node._shape, node._dtype) if node._metas is None else node._metas[tensor.output_nr][:2]
                if math.prod(shape) != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                g = new_tensor(runtime.xp.ones(shape, dtype=dtype), dtype)
            started.append(g if recorded else array_of(g))
            continue
        if g is None:
            if not wants_grad(tensor):
                raise NoHistoryError(position=index, tensor=tensor, site=call_site())
            if tensor._array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            if not tensor._dtype.is_floating_point:
                raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {tensor._dtype}")
            array = runtime.xp.ones(tensor._array.shape, dtype=tensor._dtype)
            started.append(new_tensor(array, tensor._dtype) if recorded else array)
            continue
        if not isinstance(g, TensorBase):
            raise TypeError("gradients can be either Tensors or None, but got " + type(g).__name__)
        if g._array.shape != tensor._array.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{index}] has a shape of {g.shape} and output[{index}] "
                               f"has a shape of {tensor.shape}.")
        if g._dtype.is_complex != tensor._dtype.is_complex:
            raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. "
                               f"Mismatch in dtype: grad_output[{index}] has a dtype of {g.dtype} and output[{index}] "
                               f"has a dtype of {tensor.dtype}.")
        if g._dtype in dtypes.PACKED:
            g = g.to(dtypes.widened(g._dtype))
        started.append(g if recorded else array_of(g))
    if len(started) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(started)} gradients")
    return started


#: Modules that load when first asked for, and functions that come with one.
LAZY = ("forward_ad", "functional", "gradcheck", "profiler")
LAZY_FUNCTIONS = {"gradgradcheck": "gradcheck"}


def __getattr__(name):
    if name in LAZY or name in LAZY_FUNCTIONS:
        from importlib import import_module
        module = import_module(f"leafward.autograd.{LAZY_FUNCTIONS.get(name, name)}")
        return getattr(module, name) if name in LAZY_FUNCTIONS else module
    from leafward.tensor.missing import MissingNameError
    raise MissingNameError(name, {*globals(), *LAZY, *LAZY_FUNCTIONS}, "torch.autograd")
