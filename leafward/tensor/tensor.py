"""Tensor: what users hold. Attributes of the graph, conversions to Python, and the sugar that is not an op."""
from importlib import import_module

from leafward import dtypes
from leafward.tensor import printing
from leafward.core import fields, modes
from leafward.core.bind import dispatch, function_overrides
from leafward.core.basic_index import make_getitem, make_setitem
from leafward.core.cuts import Cut, cut_at
from leafward.core.former import keep_former
from leafward.core.history import wants_grad
from leafward.core.from_array import alias_of, link_alias
from leafward.core.transform_levels import innermost_tangent
from leafward.core.mode_bits import FUNCTIONS
from leafward.core.native import call_site
from leafward.core.node import Hooks
from leafward.core.runtime import runtime
from leafward.core.storage import VersionCounter
from leafward.core.tensor import TensorBase, array_of, requires_grad
from leafward.core.tracebacks import leave
from leafward.tensor.casts import Casts
from leafward.tensor.constructors import legacy_tensor, new, new_tensor_of
from leafward.tensor.conversions import Conversions
from leafward.tensor.indexing import getitem, setitem
from leafward.devices import device
from leafward.ops import dims
from leafward.errors import foreign_function_error, refuse_gradient, warn
from leafward.tensor.layouts import Layouts
from leafward.tensor.memory import Memory
from leafward.tensor.inplace_views import InplaceViews
from leafward.tensor.place_index import looked_up, written
from leafward.tensor.transposes import Transposes


def general_getitem(self, index):
    if (type(self) is not Tensor or modes.word() & FUNCTIONS) and (overrides := function_overrides([self])) is not None:
        return dispatch(Tensor.__getitem__, (self, index), {}, overrides)
    try:
        return getitem(self, index)
    except Exception as error:
        leave(error)
        raise


def general_setitem(self, index, value):
    if (type(self) is not Tensor or modes.word() & FUNCTIONS) and (overrides := function_overrides([self])) is not None:
        return dispatch(Tensor.__setitem__, (self, index, value), {}, overrides)
    try:
        setitem(self, index, value)
    except Exception as error:
        leave(error)
        raise


# TensorBase first: whether something is one is asked several times in every call, and found by going through the bases.
class Tensor(TensorBase, Conversions, Memory, Layouts, Casts, Transposes, InplaceViews):
    """An array with a history. Made by :func:`leafward.tensor` and by every operation.

    >>> import leafward as lw
    >>> x = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __module__ = "leafward"
    #: Its tangents by forward-mode level, and the vmap level that it is a batch of; see ``core.transform_levels``.
    _tangents = _batch = None

    def __new__(cls, *data, dtype=None, device=None):
        """The legacy constructor: ``Tensor(2, 3)`` is uninitialised, ``Tensor([2, 3])`` holds these values."""
        return legacy_tensor(cls, data, dtypes.get_default_dtype())

    new, new_tensor = new, new_tensor_of

    # -- what it is ------------------------------------------------------------------------------------------

    shape, dtype, device = property(fields.shape_of), property(fields.dtype_of), property(fields.make_device_of(device("cpu")))
    ndim, dim, ndimension = property(fields.ndim_of), fields.dim, fields.dim
    size, numel, nelement = fields.make_size(dims.normalize), fields.numel, fields.numel

    @property
    def layout(self):
        return dtypes.strided

    def __len__(self):
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    is_floating_point, is_complex = fields.is_floating_point, fields.is_complex

    def is_signed(self):
        return self._dtype.is_signed

    def is_conj(self):
        """Whether it is a view of conjugates, which its memory does not hold: see :func:`conj`."""
        return runtime.xp.is_conjugated(self._array)

    def is_neg(self):
        """Whether it is a view of negatives, which its memory does not hold: ``x.conj().imag`` is."""
        return runtime.xp.is_negated(self._array)

    def is_inference(self):
        return self._inference

    def has_names(self):
        return False

    @property
    def real(self):
        """The real part: a view of a complex tensor, a real tensor itself."""
        return self._real() if self._dtype.is_complex else self

    @real.setter
    def real(self, value):
        assign_part(self.real, value)

    @property
    def imag(self):
        """The imaginary part of a complex tensor, in its memory."""
        if not self._dtype.is_complex:
            raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
        return self._imag()

    @imag.setter
    def imag(self, value):
        assign_part(self.imag, value)

    names = property(lambda self: (None,) * self._array.ndim)

    # -- its place in the graph ------------------------------------------------------------------------------

    requires_grad = property(fields.needs_grad)

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if value and self._node is not None:
            raise RuntimeError("you can only change requires_grad flags of leaf variables.")
        if value and not (self._dtype.is_floating_point or self._dtype.is_complex):
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad=True):
        """Start (or stop) recording operations on this leaf."""
        if self._node is not None:
            if not requires_grad:
                raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a "
                                   "computed variable in a subgraph that doesn't require differentiation use "
                                   "var_no_grad = var.detach().")
            return self
        if requires_grad and not (self._dtype.is_floating_point or self._dtype.is_complex):
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if requires_grad:
            refuse_inference_leaf(self)
        if runtime.checks and self._requires_grad != bool(requires_grad):
            self._cut = cut_of_switch(self, requires_grad)
        self._requires_grad = bool(requires_grad)
        return self

    @property
    def volatile(self):
        """False: what it did is done by ``no_grad`` now."""
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    @volatile.setter
    def volatile(self, value):
        warn("volatile was removed (Variable.volatile is always False)")

    is_leaf, grad_fn = property(fields.is_leaf), property(fields.grad_fn)

    @property
    def output_nr(self):
        return self._output_nr

    @property
    def _version(self):
        if self._inference and self._counter is self._storage:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._counter.version

    def _is_view(self):
        return self._base is not None

    @property
    def retains_grad(self):
        return self._retained_at is not None

    grad = property(fields.grad_of)

    @grad.setter
    def grad(self, value):
        if value is not None:
            refuse_gradient(self, value, isinstance(value, TensorBase))
            if wants_grad(value):
                runtime.cycles = True
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    def retain_grad(self):
        """Keep ``.grad`` of this non-leaf in backward."""
        if not wants_grad(self):
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._node is None or self._retained_at is not None:
            return
        import weakref
        retain = self._node.own_hooks().retain
        retain[self._output_nr] = weakref.ref(self)
        self._retained_at = retain, self._output_nr

    def register_hook(self, hook):
        """Call ``hook(grad)`` when this tensor's gradient is computed; a result replaces it."""
        if not wants_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node is not None:
            return self._node.own_hooks().add("tensor", hook, self._output_nr)
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks.add("tensor", hook, 0)

    def register_post_accumulate_grad_hook(self, hook):
        """Call ``hook(tensor)`` after a gradient was added to this leaf's ``.grad``."""
        if not wants_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks.add("accumulated", hook)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None, check=None):
        """Compute the gradients of this tensor with respect to the leaves, and add them to their ``.grad``.

        ``check="finite"``: ask every node whether it gave NaN or inf, and name the first one that did.
        """
        if (type(self) is not Tensor or modes.word() & FUNCTIONS) and (overrides := function_overrides([self])) is not None:
            return dispatch(Tensor.backward, (self,), {"gradient": gradient, "retain_graph": retain_graph,
                                                       "create_graph": create_graph, "inputs": inputs}, overrides)
        try:
            return runtime.backward(self, gradient, retain_graph, create_graph, inputs=inputs, check=check)
        except Exception as error:
            leave(error)
            raise

    # -- the same memory -------------------------------------------------------------------------------------

    def detach(self):
        """Share this tensor's memory, without its history.

        A write through the result is seen by the graph that needs the old values:

        >>> import leafward as lw
        >>> s = lw.tensor([1.0, 2.0], requires_grad=True).sigmoid()
        >>> _ = s.detach().zero_()
        >>> s.sum().backward()                          # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        leafward.errors.InplaceGradientError: one of the variables needed for gradient computation ...
        """
        if (type(self) is not Tensor or modes.word() & FUNCTIONS) and (overrides := function_overrides([self])) is not None:
            return dispatch(Tensor.detach, (self,), {}, overrides)
        result = alias_of(self, self._array, "detach")
        if self._inference and not modes.in_inference():
            result._counter = VersionCounter()              # from here on its writes are counted
        if runtime.checks and requires_grad(self):
            result._cut = cut_at("detach", result._alias.site, self)
        return result

    def detach_(self):
        """Forget this tensor's history. In inference mode, as in PyTorch, this does nothing."""
        if modes.in_inference():
            return self
        if self._base is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                               "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                               "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
                               "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                               "torch/optim/optimizer.py as the solution.")
        if runtime.checks and requires_grad(self):
            self._cut = cut_at("detach_", call_site(), self)
        self._node, self._output_nr, self._requires_grad = None, 0, False
        if self._tangents is not None:
            self._tangents = None
        return self

    @property
    def data(self):
        """The same memory, without history, and with a version counter of its own: writes through it are not seen.

        Prefer :meth:`detach`, whose writes are. leafward warns when a gradient used bytes written through ``.data``.
        """
        if type(self) is not Tensor and (overrides := function_overrides([self])) is not None:
            return dispatch(Tensor.data.__get__, (self,), {}, overrides)
        tensor = alias_of(self, self._array, "data")
        if not self._inference or not modes.in_inference():
            tensor._counter = VersionCounter()
        if runtime.checks and requires_grad(self):
            tensor._cut = cut_at("data", tensor._alias.site, self)
        return tensor

    @data.setter
    def data(self, other):
        if not isinstance(other, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(other).__name__}")
        if requires_grad(self) and not (other._dtype.is_floating_point or other._dtype.is_complex):
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        keep_former(self, ended=other._dtype is not self._dtype)
        self._array, self._dtype, self._storage = other._array, other._dtype, other._storage
        self._inference = other._inference
        self._alias = link_alias("data =", other._alias)

    # -- as a sequence and as text --------------------------------------------------------------------------

    def __iter__(self):
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element):
        if isinstance(element, (TensorBase, int, float, complex)):
            return bool((element == self).any())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    def __reversed__(self):
        return self if not self._array.ndim else self.flip(0)

    def __repr__(self, *, tensor_contents=None):
        if type(self) is not Tensor and (overrides := function_overrides([self])) is not None:
            return dispatch(Tensor.__repr__, (self,), {}, overrides)
        if self._batch is not None:
            return self._batch.repr_of(self)
        node = printing.shown_node(self)
        tangent = None if self._tangents is None and self._base is None else innermost_tangent(self)
        prefix = "tensor(" if type(self) in (Tensor, runtime.parameter) else f"{type(self).__name__}("
        return printing.tensor_repr(array_of(self), self._dtype, requires_grad=node is None and requires_grad(self),
                                    grad_fn_name=node, prefix=prefix,
                                    tangent=tangent)

    def _repr_html_(self):
        """What a notebook shows. By name, because ``trust`` sees tensors and not the reverse."""
        return import_module("leafward.trust.pictures.notebook").tensor_html(self)

    def __format__(self, spec):
        if not self._array.ndim and type(self) is Tensor:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    # -- indexing --------------------------------------------------------------------------------------------

    __getitem__, __setitem__ = make_getitem(looked_up, general_getitem), make_setitem(written, general_setitem)

    # -- subclasses ------------------------------------------------------------------------------------------

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Run ``func`` as if nothing overrode it, and give its tensors this class."""
        if not all(issubclass(cls, t) for t in types):
            return NotImplemented
        state = modes.current()
        if state.function_disabled:                             # leafward's own functions do not ask again
            raise foreign_function_error(func)
        was, state.function_disabled = state.function_disabled, True
        state.changed()
        try:
            result = func(*args, **(kwargs or {}))
        finally:
            state.function_disabled = was
            state.changed()
        return convert_class(result, cls)

    @staticmethod
    def _make_subclass(cls, data, require_grad=False):
        """A ``cls`` on ``data``'s memory, without its history."""
        if require_grad:
            if not (data._dtype.is_floating_point or data._dtype.is_complex):
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            refuse_inference_leaf(data)
        tensor = cls.__new__(cls) if cls.__new__ is object.__new__ else TensorBase.__new__(cls)
        tensor._array, tensor._dtype, tensor._storage = data._array, data._dtype, data._storage
        tensor._counter, tensor._alias = data._counter, data._alias
        tensor._requires_grad = bool(require_grad)
        return tensor

    @staticmethod
    def _make_wrapper_subclass(cls, size, **options):
        """Refused: a tensor without memory is for a ``__torch_dispatch__``, which is not there."""
        raise NotImplementedError("leafward does not have torch.Tensor._make_wrapper_subclass, nor __torch_dispatch__: derive "
                                  "from torch.Tensor, write __torch_function__, and make instances with "
                                  "data.as_subclass(cls)")

    def as_subclass(self, cls):
        """The same tensor as an instance of ``cls``, with its history."""
        tensor = Tensor._make_subclass(cls, self)
        wants_grad(self)
        if self._node is not None or self._requires_grad:
            view = self.view_as(self)
            tensor._node, tensor._output_nr = view._node, view._output_nr
        return tensor


def cut_of_switch(tensor, on):
    """What a leaf carries once its ``requires_grad`` is turned on, or off: where it was frozen, or what it was cut off from."""
    if not on:
        return cut_at("frozen", call_site(), tensor)
    if tensor._storage.kept:                                # it was used before, as a constant
        return cut_at("late", call_site(), tensor)
    carried = tensor._cut
    return None if type(carried) is Cut and carried.kind == "frozen" else carried


def refuse_inference_leaf(tensor):
    if tensor._inference and not modes.current().inference:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")


def assign_part(part, value):
    """Write ``value`` into the real or imaginary part of a tensor."""
    if isinstance(value, TensorBase):
        part.copy_(value)
    elif isinstance(value, (int, float, complex)):
        part.fill_(value)
    else:
        raise TypeError(f"can't assign a {type(value).__name__} to a torch.{part._dtype.tensor_type}")


def convert_class(result, cls):
    if cls is Tensor:
        return result
    if isinstance(result, Tensor) and not isinstance(result, cls):
        tensor = Tensor._make_subclass(cls, result)
        for field in ("_node", "_output_nr", "_requires_grad", "_base", "_chain", "_history_version", "_creation",
                      "_inference"):
            setattr(tensor, field, getattr(result, field))
        return tensor
    if isinstance(result, (tuple, list)):
        parts = [convert_class(r, cls) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def disabled_torch_function(cls, func, types, args=(), kwargs=None):
    """For classes that want no part in ``__torch_function__`` (Parameter)."""
    return NotImplemented
