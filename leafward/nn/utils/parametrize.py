"""Parameters as functions of other parameters: ``module.weight`` computed anew at every access."""
from collections.abc import Sequence
from contextlib import contextmanager
import copy

import leafward as lw
from leafward.nn.modules.container import ModuleDict, ModuleList
from leafward.nn.parameter import Parameter
from leafward.tensor.tensor import Tensor

__all__ = ["ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
           "transfer_parametrizations_and_params", "type_before_parametrizations"]


class Cache:
    """What :func:`cached` keeps: the computed tensors by module and name, while ``depth`` blocks are open."""

    depth = 0
    tensors = {}


@contextmanager
def cached():
    """Compute each parametrized tensor once inside this block, however often it is read.

    >>> from leafward.nn.utils import parametrize
    >>> with parametrize.cached():
    ...     pass
    """
    Cache.depth += 1
    try:
        yield
    finally:
        Cache.depth -= 1
        if not Cache.depth:
            Cache.tensors.clear()


def _register_parameter_or_buffer(module, name, X):
    if isinstance(X, Parameter):
        module.register_parameter(name, X)
    else:
        module.register_buffer(name, X)


def refuse_change(what, before, after, where):
    for field, old, new in (("dtype", before[0], after.dtype), ("shape", before[1], after.shape)):
        if old != new:
            raise ValueError(f"Registering a parametrization may not change the {field} of the tensor, unless "
                             f"{what} flag is enabled.\n{where[0]}{field}: {old}\n{where[1]}{field}: {new}")


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, applied one after another, and what they are applied to: () -> the tensor.

    That is ``original``, or ``original0``, ``original1``, ... if ``right_inverse`` of the first gives several.

    modules: the parametrizations, the first one first
    original: the tensor before
    unsafe: whether they may give another shape or dtype

    >>> layer = lw.nn.utils.parametrizations.orthogonal(lw.nn.Linear(3, 3))
    >>> type(layer.parametrizations.weight).__name__, layer.parametrizations.weight().shape
    ('ParametrizationList', torch.Size([3, 3]))
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = original.dtype, original.shape
        with lw.no_grad():
            new = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:        # then the original stays as it is
                        pass
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                             f"Got {type(new).__name__}")
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._keep_one(original, new)
        else:
            self._keep_several(original, new)
        if not unsafe:
            result = self()
            if not isinstance(result, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
            refuse_change("`unsafe`", before, result, ("unparametrized ", "parametrized "))

    def _keep_one(self, original, new):
        for field, old, now in (("dtype", original.dtype, new.dtype), ("device", original.device, new.device)):
            if old != now:
                raise ValueError(f"When `right_inverse` outputs one tensor, it may not change the {field}.\n"
                                 f"original.{field}: {old}\nright_inverse(original).{field}: {now}")
        with lw.no_grad():
            original.set_(new)                         # the same object, as an optimizer may hold it
        _register_parameter_or_buffer(self, "original", original)

    def _keep_several(self, original, new):
        for i, part in enumerate(new):
            if not isinstance(part, Tensor):
                raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                                 f"Got element {i} of the sequence with type {type(part).__name__}.")
            if isinstance(original, Parameter):
                part = Parameter(part, original.requires_grad)
            part.requires_grad_(original.requires_grad)
            _register_parameter_or_buffer(self, f"original{i}", part)

    def right_inverse(self, value):
        """Take over ``value``: store what the parametrizations turn into it."""
        with lw.no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` "
                                     f"has dtype {self.original.dtype}")
                self.original.set_(value)
                return
            self._check_several(value)
            for i, tensor in enumerate(value):
                getattr(self, f"original{i}").set_(tensor)

    def _check_several(self, value):
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError("'right_inverse' must return a sequence of tensors of length "
                             f"{self.ntensors}. Got a sequence of length {len(value)}.")
        for i, tensor in enumerate(value):
            original = getattr(self, f"original{i}")
            if not isinstance(tensor, Tensor):
                raise ValueError("'right_inverse' must return a sequence of tensors or reference-type opaques. "
                                 f"Got element {i} of type {type(tensor).__name__}.")
            if original.dtype != tensor.dtype:
                raise ValueError(f"Tensor {i} returned by `right_inverse` has dtype {tensor.dtype} while `original{i}` "
                                 f"has dtype {original.dtype}")

    def forward(self):
        """The parametrized tensor."""
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        for i in range(1, len(self)):
            x = self[i](x)
        return x


# --- the class of a parametrized module ------------------------------------------------------------------------------

def copied_with_its_class(self, memo):
    """A deep copy: ``__getstate__`` refuses to be pickled, and copying must not need it."""
    if id(self) not in memo:
        replica = memo[id(self)] = self.__new__(type(self))
        replica.__dict__ = copy.deepcopy(self.__dict__, memo)
    return memo[id(self)]


def refuse_to_pickle(self):
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training")


def _inject_new_class(module):
    """Give ``module`` a class of its own, so that properties can stand in it."""
    cls = type(module)
    own = {"__getstate__": refuse_to_pickle}
    if not hasattr(cls, "__deepcopy__"):
        own["__deepcopy__"] = copied_with_its_class
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), own)


def _inject_property(module, tensor_name):
    """Let ``module.<tensor_name>`` run the parametrizations, and assigning to it run their inverses."""
    if hasattr(module, tensor_name):
        raise AssertionError(f"Module already has an attribute named '{tensor_name}'")

    def get_parametrized(self):
        compute = self.parametrizations[tensor_name]
        if not Cache.depth:
            return compute()
        key = id(self), tensor_name
        if key not in Cache.tensors:
            Cache.tensors[key] = compute()
        return Cache.tensors[key]

    def set_original(self, value):
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(type(module), tensor_name, property(get_parametrized, set_original))


# --- registering and removing ----------------------------------------------------------------------------------------

def check_addition(module, tensor_name, parametrization):
    """Refuse a parametrization that changes dtype or shape, or whose inverse does."""
    Y = getattr(module, tensor_name)
    X = parametrization(Y)
    if not isinstance(X, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(X).__name__}.")
    where = f"module.{tensor_name}.", f"parametrization(module.{tensor_name})."
    refuse_change("the `unsafe`", (Y.dtype, Y.shape), X, where)
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        Z = parametrization.right_inverse(X)
    except NotImplementedError:
        return
    if not isinstance(Z, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(Z).__name__}")
    for field in ("dtype", "shape"):
        if getattr(Z, field) != getattr(Y, field):
            raise ValueError(f"The tensor returned by parametrization.right_inverse must have the same {field} as "
                             f"module.{tensor_name}, unless the `unsafe` flag is enabled.\n"
                             f"module.{tensor_name}.{field}: {getattr(Y, field)}\n"
                             f"returned {field}: {getattr(Z, field)}")


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Replace ``module.<tensor_name>`` by ``parametrization`` of it; further ones are applied on top.

    If the parametrization has a ``right_inverse``, assigning to the tensor works too.

    module: whose tensor
    tensor_name: name of a parameter or buffer
    parametrization: a module, tensor -> tensor
    unsafe: whether it may give another shape or dtype

    >>> from leafward import nn
    >>> from leafward.nn.utils.parametrize import register_parametrization
    >>> class Symmetric(nn.Module):
    ...     def forward(self, X):
    ...         return X.triu() + X.triu(1).T
    >>> layer = register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    >>> leafward.equal(layer.weight, layer.weight.T)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            check_addition(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        # Made first, so that a refusal leaves the module as it was.
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    return module


def is_parametrized(module, tensor_name=None):
    """Whether ``module`` has parametrizations, or one for ``tensor_name``.

    module: which one
    tensor_name: None: any

    >>> is_parametrized(lw.nn.Linear(2, 3))
    False
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Make ``module.<tensor_name>`` a plain tensor again; returns the module.

    module: whose tensor
    tensor_name: its name
    leave_parametrized: whether it keeps its present value, rather than the original one

    >>> layer = lw.nn.utils.parametrizations.orthogonal(lw.nn.Linear(3, 3))
    >>> is_parametrized(remove_parametrizations(layer, "weight"))
    False
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with lw.no_grad():
                original.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
                         "terms of a sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register_parameter_or_buffer(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The class that ``module`` had before it was parametrized.

    module: parametrized or not

    >>> layer = lw.nn.utils.parametrizations.orthogonal(lw.nn.Linear(3, 3))
    >>> type(layer).__name__, type_before_parametrizations(layer).__name__
    ('ParametrizedLinear', 'Linear')
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Parametrize ``to_module`` as ``from_module`` is, and share what is parametrized; returns ``to_module``.

    from_module, to_module: both of the same kind
    tensor_name: which tensor; None: all that are parametrized

    >>> layer = lw.nn.utils.parametrizations.orthogonal(lw.nn.Linear(3, 3))
    >>> other = transfer_parametrizations_and_params(layer, lw.nn.Linear(3, 3))
    >>> is_parametrized(other, "weight")
    True
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = from_module.parametrizations[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        for original in ["original"] if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]:
            setattr(target, original, getattr(source, original))
    return to_module
