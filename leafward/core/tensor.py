"""TensorBase: an array, its storage and its place in the graph. No maths."""

from leafward.errors import DEFAULT, IN_FUNCTION, IN_INFERENCE, IN_NO_GRAD, MULTI_OUTPUT  # noqa: F401  (how a view came to be)
from leafward.core.native import allocate_by, inherit_attributes, set_attribute
from leafward.core.runtime import runtime

COMPILED = not __file__.endswith(".py")


class TensorBase:
    """What every tensor carries. Fields have a leading underscore: the public surface is on ``Tensor``.

    ``_node``, ``_output_nr``: what made it (None for a leaf; for a view see ``views.refresh``).
    ``_base``, ``_chain``: for a view, the tensor that owns the history, and the view ops that lead from it.
    ``_history_version``: the version at which a view's ``_node`` was right.
    ``_relocate``: for a base that became a view of itself, or got another shape, how its views are found since.
    ``_cut``: of a tensor without history, where it was cut off, or what it was computed from was (``cuts.py``).
    """

    def __getattr__(self, name):
        # Here and not in Tensor: every attribute of a class with a Python __getattr__ is found more slowly.
        raise runtime.missing_method(name, self)

    def __setattr__(self, name, value):
        set_attribute(self, name, value)


inherit_attributes(TensorBase)

if not COMPILED:
    del TensorBase.__setattr__          # the collector knows every node
    # Compiled, tensor.pxd gives these fields their place and their empty value.
    for field in ("_array", "_dtype", "_storage", "_counter", "_node", "_grad", "_base", "_chain", "_alias",
                  "_hooks", "_retained_at", "_accumulator", "_relocate", "_cut"):
        setattr(TensorBase, field, None)
    for field in ("_output_nr", "_history_version", "_creation"):
        setattr(TensorBase, field, 0)
    for field in ("_requires_grad", "_inference"):
        setattr(TensorBase, field, False)


def allocate_tensor(cls):
    """A bare instance of a tensor class, whatever its own ``__new__`` does: a Tensor's is the legacy constructor."""
    return allocate_by(TensorBase, cls)


def is_plain(x):
    """Whether ``x`` is a Tensor or Parameter itself: subclasses take the general path."""
    cls = type(x)
    return cls is runtime.tensor or cls is runtime.parameter


def fast_dtype(x):
    """The dtype of a plain tensor that the fast paths take: float32 or float64. None of anything else."""
    cls = type(x)
    if cls is not runtime.tensor and cls is not runtime.parameter:
        return None
    tensor = x              # a name with a type in tensor.pxd: its fields are C fields
    dtype = tensor._dtype
    return dtype if (dtype is runtime.float32 or dtype is runtime.float64) and type(tensor._array) is runtime.ndarray else None


def array_of(tensor):
    """The values of ``tensor``: its array, or what a lazy array shows (``x.conj()``, see ``arrays/lazy_conj.py``)."""
    array = tensor._array
    return array if type(array) is runtime.ndarray else runtime.xp.resolved(array)


def requires_grad(tensor):
    """Whether operations on ``tensor`` are recorded: for a view its own flag and history, and its base's."""
    base = tensor._base
    return (tensor._requires_grad or tensor._node is not None
            or (base is not None and (base._requires_grad or base._node is not None)))
