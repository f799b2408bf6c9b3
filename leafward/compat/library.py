"""``torch.library``: operators that a program defines, called as ``torch.ops.<namespace>.<name>``.

>>> @custom_op("doc::scaled", mutates_args=())
... def scaled(x: lw.Tensor, by: float) -> lw.Tensor:
...     return x * by
>>> scaled.register_autograd(lambda ctx, grad: (grad * ctx.by, None),
...                          setup_context=lambda ctx, inputs, output: setattr(ctx, "by", inputs[1]))
>>> x = lw.ones(2, requires_grad=True)
>>> scaled(x, 3.0).sum().backward()
>>> x.grad, lw.ops.doc.scaled(x, 2.0)[0].item()
(tensor([3., 3.]), 2.0)
"""
import inspect
from types import SimpleNamespace

import leafward as lw
from leafward.compat.jit import same
from leafward.tensor.missing import names_missing_from

#: The operators by namespace and name.
namespaces = {}


class CustomOpDef:
    """An operator that a program defined: :func:`custom_op` makes it. Call it as the function.

    Without :meth:`register_autograd`, asking for a gradient through it is an error that says so.
    """

    def __init__(self, name, fn, mutates_args):
        namespace, _, rest = name.partition("::")
        if not rest:
            raise ValueError(f"expected the name of an operator to be namespace::name, got {name!r}")
        self._qualname, self._name, self._namespace = name, rest, namespace
        self._fn, self._signature = fn, inspect.signature(fn)
        for argument in () if mutates_args == "unknown" else mutates_args:
            if argument not in self._signature.parameters:
                raise ValueError(f"{name}: mutates_args names {argument!r}, which is no parameter of it")
        self._backward = self._setup = None
        self._function = self.function()
        spaces = namespaces.setdefault(namespace, SimpleNamespace())
        setattr(spaces, rest, self)

    def register_autograd(self, backward, /, *, setup_context=None):
        """Give it a derivative: ``backward(ctx, *grads)`` has a gradient, or None, for each argument.

        ``setup_context(ctx, inputs, output)``, or with ``keyword_only_inputs`` where there are such, keeps what it needs.
        """
        self._backward, self._setup = backward, setup_context

    def register_fake(self, fn, /):
        """Take what tells a tracer the shapes of results; nothing is traced here."""
        return fn

    def register_kernel(self, device_types, func=None, /):
        """Take another implementation for a kind of device: that for ``cpu``, or for all, is used."""
        def register(func):
            kinds = (device_types,) if isinstance(device_types, str) or device_types is None else device_types
            if any(kind in (None, "cpu", "default") for kind in kinds):
                self._fn = func
            return func
        return register if func is None else register(func)

    def register_vmap(self, func=None, /):
        """Take what computes a batch: ``func(info, in_dims, *args)`` gives the output and the place of its batch dim."""
        def register(func):
            self._function.vmap = staticmethod(func)
            return func
        return register if func is None else register(func)

    def register_torch_dispatch(self, torch_dispatch_class, func=None, /):
        """Refused: there is no ``__torch_dispatch__``."""
        raise NotImplementedError("leafward does not have torch.library.register_torch_dispatch, as it has no "
                                  "__torch_dispatch__: write __torch_function__ in the class")

    def function(self):
        """The class of custom functions that runs it and its derivative."""
        op = self

        class Called(lw.autograd.Function):
            @staticmethod
            def forward(*args):
                return op._fn(*args)

            @staticmethod
            def setup_context(ctx, inputs, output):
                if op._setup is not None:
                    op._setup(ctx, inputs, output)

            @staticmethod
            def backward(ctx, *grads):
                if op._backward is None:
                    raise RuntimeError(f"Trying to backward through {op._qualname}.default but no autograd formula was "
                                       "registered. Please use register_autograd to add one.")
                return op._backward(ctx, *grads)

        Called.__name__ = Called.__qualname__ = op._name
        return Called

    def __call__(self, *args, **kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return self._function.apply(*bound.arguments.values())

    @property
    def default(self):
        """The only overload: the operator itself."""
        return self

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"


def custom_op(name, fn=None, /, *, mutates_args=(), device_types=None, schema=None, tags=None):
    """Make a function an operator: ``@custom_op("namespace::name", mutates_args=())``.

    ``mutates_args`` names the arguments that it writes to. ``schema`` and ``tags`` are for tracers; where ``device_types`` says
    only others than ``"cpu"``, the operator waits for :meth:`CustomOpDef.register_kernel`.
    """
    def define(fn):
        return CustomOpDef(name, fn, mutates_args)
    return define if fn is None else define(fn)


triton_op = custom_op


def found(op):
    """The operator itself, or the one with that name."""
    if isinstance(op, CustomOpDef):
        return op
    namespace, _, rest = op.partition("::")
    known = getattr(namespaces.get(namespace), rest.removesuffix(".default"), None)
    if known is None:
        raise RuntimeError(f"operator {op} does not exist: define it with torch.library.custom_op")
    return known


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """Take what tells a tracer the shapes of an operator's results; nothing is traced here."""
    return same if func is None else func


def register_vmap(op, func=None, /, *, lib=None):
    """Tell how an operator computes a batch: see :meth:`CustomOpDef.register_vmap`."""
    return found(op).register_vmap(func)


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    """Refused: there is no ``__torch_dispatch__``."""
    return found(op).register_torch_dispatch(torch_dispatch_class, func)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Give an operator a derivative: see :meth:`CustomOpDef.register_autograd`."""
    found(op).register_autograd(backward, setup_context=setup_context)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Give an operator another implementation: see :meth:`CustomOpDef.register_kernel`."""
    return found(op).register_kernel(device_types, func)


__getattr__ = names_missing_from("torch.library", globals())
