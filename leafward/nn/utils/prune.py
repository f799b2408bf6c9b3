"""Pruning: parameters multiplied by a mask of zeros and ones before every forward.

A pruned ``weight`` is kept as the parameter ``weight_orig`` and the buffer ``weight_mask``. A method says which entries
go, by its ``PRUNING_TYPE`` among those still there ("unstructured"), among whole slices ("structured") or among all
("global").
"""
from collections.abc import Iterable

import leafward as lw
from leafward.core.tracebacks import short
from leafward.nn.utils.convert_parameters import parameters_to_vector
from leafward.nn.utils.masks import number_of, refuse_amount, refuse_dim, slices_alone, without

__all__ = ["BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
           "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
           "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove"]


# --- methods ---------------------------------------------------------------------------------------------------------

class BasePruningMethod:
    """A way to choose what to prune: a subclass has a ``compute_mask``, and ``PRUNING_TYPE``, "unstructured" or "structured".

    >>> class EverySecond(BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...     def compute_mask(self, t, default_mask):
    ...         return default_mask * lw.tensor([0, 1]).repeat(len(t) // 2)
    >>> EverySecond().prune(lw.ones(4))
    tensor([0., 1., 0., 1.])
    """

    _tensor_name = None

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t, default_mask):
        """The new mask, from the importance ``t`` of each entry and the present mask."""
        raise NotImplementedError(f"{type(self).__name__} does not say what to prune: define compute_mask")

    def apply_mask(self, module):
        """The parameter times its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, orig = (getattr(module, self._tensor_name + end) for end in ("_mask", "_orig"))
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune ``module.<name>`` by this method, on top of what was pruned before."""
        earlier = {key: hook for key, hook in module._forward_pre_hooks.items()
                   if isinstance(hook, BasePruningMethod) and hook._tensor_name == name}
        if len(earlier) > 1:
            raise AssertionError(f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
                                 "Use a PruningContainer.")
        method = cls(*args, **kwargs)
        method._tensor_name = name
        for key, hook in earlier.items():
            del module._forward_pre_hooks[key]
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            method = container
        orig = getattr(module, name)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}, got "
                                 f"{scores.shape} vs {orig.shape}")
        if earlier:
            present = getattr(module, name + "_mask").detach().clone()
        else:
            present = lw.ones_like(orig)
        # Computed before the module is touched, so that a refusal leaves it as it was.
        mask = method.compute_mask(scores, default_mask=present)
        if not earlier:
            module.register_parameter(name + "_orig", orig)
            del module._parameters[name]
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """``t`` times the mask that this method makes for it."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t, got "
                                 f"{scores.shape} vs {t.shape}")
        present = lw.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=present)

    @short
    def remove(self, module):
        """Make the pruned values the parameter."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        orig = module._parameters.pop(name + "_orig")
        orig.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, orig)


class PruningContainer(BasePruningMethod):
    """Several methods, one after another, for one parameter: given one by one, or as an iterable.

    >>> layer = l1_unstructured(identity(lw.nn.Linear(4, 2), "weight"), "weight", amount=1)
    >>> type(next(iter(layer._forward_pre_hooks.values()))).__name__
    'PruningContainer'
    """

    def __init__(self, *args):
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add a method for the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                             f"PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, index):
        return self._pruning_methods[index]

    def compute_mask(self, t, default_mask):
        """The mask of the last method, which chooses among what the present mask keeps."""
        method = self._pruning_methods[-1]
        kind = method.PRUNING_TYPE
        if kind == "unstructured":
            among = default_mask == 1
        elif kind == "structured":
            among = self._kept_slices(method, t, default_mask)
        elif kind == "global":
            among = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        mask = default_mask.to(dtype=t.dtype)
        chosen = method.compute_mask(t[among], default_mask=default_mask[among])
        mask[among] = chosen.to(dtype=mask.dtype)
        return mask

    @staticmethod
    def _kept_slices(method, t, mask):
        if not hasattr(method, "dim"):
            raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` '
                                 "defined.")
        rank = t.dim()
        dim = method.dim + rank if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {rank}")
        kept = mask.sum(dim=[d for d in range(rank) if d != dim]) != 0
        return tuple(kept if d == dim else slice(None) for d in range(rank))


class Identity(BasePruningMethod):
    """Prunes nothing: the mask stays.

    >>> Identity().prune(lw.ones(2))
    tensor([1., 1.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        """The present mask."""
        return default_mask

    @classmethod
    def apply(cls, module, name):
        """Give ``module.<name>`` a mask of ones."""
        return super().apply(module, name)


class _ByAmount(BasePruningMethod):
    """Methods that prune a share (a float in [0, 1]) or a number of entries or slices."""

    def __init__(self, amount):
        refuse_amount(amount)
        self.amount = amount

    def _count(self, size):
        return number_of(self.amount, size)


class RandomUnstructured(_ByAmount):
    """Prunes entries drawn at random.

    {amount}

    >>> RandomUnstructured(3).prune(lw.ones(4)).sum()
    tensor(1.)
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        """The present mask without ``amount`` entries."""
        count = self._count(t.nelement())
        if count == 0:
            return default_mask.clone()
        return without(default_mask, lw.topk(lw.rand_like(t).view(-1), k=count).indices)

    @classmethod
    def apply(cls, module, name, amount):
        """Prune ``amount`` entries of ``module.<name>``."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_ByAmount):
    """Prunes the entries of the smallest absolute values.

    {amount}

    >>> L1Unstructured(1).prune(lw.tensor([1.0, -3.0]))
    tensor([ 0., -3.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        """The present mask without the ``amount`` smallest entries."""
        count = self._count(t.nelement())
        if count == 0:
            return default_mask.clone()
        return without(default_mask, lw.topk(t.abs().view(-1), k=count, largest=False).indices)

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        """Prune ``amount`` entries of ``module.<name>``."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _BySlices(_ByAmount):
    """Methods that prune slices along ``dim``."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t, default_mask):
        """The present mask without ``amount`` slices."""
        refuse_dim(t, self.dim)
        size = t.shape[self.dim]
        count = self._count(size)
        kept = self._kept(t, size, count)
        return default_mask if count == 0 else slices_alone(default_mask, t, self.dim, kept)


class RandomStructured(_BySlices):
    """Prunes slices drawn at random.

    {amount, dim}

    >>> RandomStructured(1, dim=0).prune(lw.ones(2, 4)).sum()
    tensor(4.)
    """

    def _kept(self, t, size, count):
        if count == 0:
            return None
        drawn = lw.rand(size)
        return drawn > lw.kthvalue(drawn, k=count).values

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        """Prune ``amount`` slices along ``dim`` of ``module.<name>``."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_BySlices):
    """Prunes the slices of the smallest n-norm.

    {amount}
    n: of the norm, as :func:`norm` takes it
    {dim}

    >>> LnStructured(1, n=2, dim=0).prune(lw.tensor([[1.0], [3.0]])).flatten()
    tensor([0., 3.])
    """

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t, size, count):
        dim = self.dim % t.dim()
        norms = lw.norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != dim])
        return lw.topk(norms, k=size - count, largest=True).indices

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        """Prune ``amount`` slices along ``dim`` of ``module.<name>``."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes what a given mask says.

    mask: of the shape of the tensor, 0 where to prune

    >>> CustomFromMask(lw.tensor([0, 1])).prune(lw.ones(2))
    tensor([0., 1.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        """The present mask times the given one."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f"default_mask shape {default_mask.shape} must match self.mask shape "
                                 f"{self.mask.shape}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        """Prune ``module.<name>`` by ``mask``."""
        return super().apply(module, name, mask=mask)


# --- functions -------------------------------------------------------------------------------------------------------

@short
def identity(module, name):
    """Give ``module.<name>`` a mask of ones, so that it may be pruned later.

    {module, name}

    >>> identity(lw.nn.Linear(1, 2), "bias").bias_mask
    tensor([1., 1.])
    """
    Identity.apply(module, name)
    return module


@short
def random_unstructured(module, name, amount):
    """Prune ``amount`` entries drawn at random.

    {module, name, amount}

    >>> random_unstructured(lw.nn.Linear(4, 2), "weight", amount=3).weight_mask.sum()
    tensor(5.)
    """
    RandomUnstructured.apply(module, name, amount)
    return module


@short
def l1_unstructured(module, name, amount, importance_scores=None):
    """Prune the ``amount`` entries of the smallest absolute values.

    {module, name, amount, importance_scores}

    >>> l1_unstructured(lw.nn.Linear(4, 2), "weight", amount=0.5).weight_mask.sum()
    tensor(4.)
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


@short
def random_structured(module, name, amount, dim):
    """Prune ``amount`` slices along ``dim`` drawn at random.

    {module, name, amount, dim}

    >>> random_structured(lw.nn.Linear(4, 2), "weight", amount=1, dim=0).weight_mask.sum()
    tensor(4.)
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


@short
def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prune the ``amount`` slices along ``dim`` of the smallest n-norm.

    {module, name, amount}
    n: of the norm, as :func:`norm` takes it
    {dim, importance_scores}

    >>> ln_structured(lw.nn.Linear(4, 2), "weight", amount=1, n=2, dim=0).weight_mask.sum()
    tensor(4.)
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


@short
def custom_from_mask(module, name, mask):
    """Prune by ``mask``.

    {module, name}
    mask: of the shape of the tensor, 0 where to prune

    >>> custom_from_mask(lw.nn.Linear(1, 2), "bias", lw.tensor([0, 1])).bias_mask
    tensor([0., 1.])
    """
    CustomFromMask.apply(module, name, mask)
    return module


@short
def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune several parameters as if they were one vector.

    parameters: pairs of (module, name)
    pruning_method: :class:`L1Unstructured` or :class:`RandomUnstructured`; ``amount`` and its other arguments are given by name
    importance_scores: tensors by (module, name), to rank by them; None: by the values

    >>> first, second = lw.nn.Linear(4, 2), lw.nn.Linear(2, 1)
    >>> global_unstructured([(first, "weight"), (second, "weight")], L1Unstructured, amount=5)
    >>> int((first.weight == 0).sum() + (second.weight == 0).sum())
    5
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = list(parameters)
    tensors = [getattr(module, name) for module, name in parameters]
    scores = [importance_scores.get(position, t) for position, t in zip(parameters, tensors, strict=True)]
    masks = [getattr(module, name + "_mask", lw.ones_like(t))
             for (module, name), t in zip(parameters, tensors, strict=True)]
    container = PruningContainer()
    method = pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError('Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f"{pruning_method} of type {method.PRUNING_TYPE}")
    container.add_pruning_method(method)
    whole = container.compute_mask(parameters_to_vector(scores), parameters_to_vector(masks))
    parts = whole.split([t.numel() for t in tensors])
    for (module, name), t, mask in zip(parameters, tensors, parts, strict=True):
        custom_from_mask(module, name, mask=mask.view_as(t))


def pruning_hooks(module):
    return [(key, hook) for key, hook in module._forward_pre_hooks.items() if isinstance(hook, BasePruningMethod)]


def remove(module, name):
    """Make the pruned values of ``module.<name>`` its parameter, for good.

    {module, name}

    >>> is_pruned(remove(identity(lw.nn.Linear(1, 2), "bias"), "bias"))
    False
    """
    for key, hook in pruning_hooks(module):
        if hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Whether anything in ``module`` is pruned.

    module: one module, or a tree of them

    >>> is_pruned(lw.nn.Linear(1, 2))
    False
    """
    return any(pruning_hooks(submodule) for submodule in module.modules())
