"""``Parameter`` and ``Buffer``: tensors that a module registers when they are assigned to it."""
from collections import OrderedDict

import leafward as lw
from leafward.core.cuts import cut_at
from leafward.core.native import call_site
from leafward.core.provenance import note_made
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.tensor.tensor import Tensor, disabled_torch_function


class _ParameterMeta(type(Tensor)):
    # A parameter made from a user's Tensor subclass keeps that class: what makes it one is the mark.
    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that belongs to a module and is trained: a leaf, shared with ``data``.

    >>> from leafward import nn
    >>> nn.Parameter(leafward.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = lw.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            made = Tensor._make_subclass(cls, data, requires_grad)
            if runtime.checks:
                note_made(made, call_site())
            return made
        t = data.detach().requires_grad_(requires_grad)
        if type(t) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(t).__name__} was found instead. "
                "To use the type as a Parameter, please correct the detach() semantics defined by its "
                "__torch_dispatch__() implementation.")
        t._is_param = True
        return t

    __torch_function__ = disabled_torch_function

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = copied = type(self)(self.data.clone(), self.requires_grad)
            if runtime.checks and self.requires_grad:
                copied._cut = cut_at("deepcopy", call_site(), self)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        # Uncompiled, the fields of TensorBase stand in __dict__ too.
        state = {k: v for k, v in self.__dict__.items() if not hasattr(TensorBase, k)}
        if state:
            return rebuild_parameter_with_state, (self.data, self.requires_grad, OrderedDict(), state)
        return rebuild_parameter, (self.data, self.requires_grad, OrderedDict())


runtime.parameter = Parameter             # plain to the call path, like Tensor itself


def rebuild_parameter(data, requires_grad, backward_hooks):
    """A pickled parameter, back again."""
    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    """A pickled parameter that carried attributes of the user's, back again."""
    p = Parameter(data, requires_grad)
    p.__dict__.update(state)
    return p


class _BufferMeta(type(Tensor)):
    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that belongs to a module and is not trained; ``persistent`` ones are saved with it.

    The result is a plain tensor with a mark, so that arithmetic on it is plain too.
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = lw.empty(0)
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent = persistent
        t._is_buffer = True
        return t


class UninitializedTensorMixin(Tensor):
    """A tensor whose shape is not known yet."""

    cls_to_become = None

    def materialize(self, shape, device=None, dtype=None):
        """Become an ordinary tensor of this shape, with whatever values the new memory holds."""
        self.data = lw.empty(shape, device=device or self.data.device, dtype=dtype or self.data.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        """Refuses: there is no shape yet."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes.")

    def share_memory_(self):
        """Refuses: there is no memory yet."""
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize "
                           "the parameters before calling `module.share_memory()`.")

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in MOVES or name.startswith("__"):
            return Tensor.__torch_function__(func, (), args, kwargs)
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
            "functions")


#: What an uninitialized tensor can do: be asked for its kind, be moved and be cast.
MOVES = frozenset({
    "size", "copy_", "is_complex", "is_floating_point", "half", "float", "double", "char", "short", "int", "long",
    "cuda", "cpu", "to", "get_device", "bfloat16", "empty_like", "detach", "_to_copy"})


def is_lazy(param):
    """Whether ``param`` waits for its shape."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet: :meth:`materialize` gives it one."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, lw.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin):
    """A buffer whose shape is not known yet: :meth:`materialize` gives it one."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        made = Tensor._make_subclass(cls, lw.empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made
