"""Views that show the conjugates, or the negatives, of the numbers in their memory.

PyTorch's ``x.conj()`` computes nothing: it is a view, and what is written through it reaches ``x``. NumPy has no such
views, so here the class of the array says how its memory is meant. Basic indices and transposes keep the class; reading
goes through :func:`resolved`, which every call does for the arrays that it hands to a forward or a rule. An ordinary array
pays nothing for it: its class is known to be another.
"""
import numpy as np

#: Questions about memory, whatever it means.
ABOUT_MEMORY = (np.may_share_memory, np.shares_memory)
#: What gives views: of a lazy array, lazy ones.
VIEWS = (np.broadcast_to, np.diagonal, np.expand_dims, np.flip, np.matrix_transpose, np.moveaxis, np.permute_dims,
         np.squeeze, np.swapaxes, np.transpose, np.lib.stride_tricks.sliding_window_view)


class LazyArray(np.ndarray):
    """Memory that is seen through ``turn``, a ufunc that undoes itself."""

    __slots__ = ()
    turn = None

    def resolved(self):
        """The values, in memory of their own that lies in the same order."""
        memory = memory_of(self)
        return self.turn(memory, out=np.empty_like(memory))

    # -- reading ---------------------------------------------------------------------------------------------

    def __getitem__(self, index):
        part = super().__getitem__(index)
        return part if isinstance(part, LazyArray) else self.turn(part)

    def copy(self, order="C"):
        return np.asarray(self.resolved(), order=order)

    def astype(self, *args, **kwargs):
        return self.resolved().astype(*args, **kwargs)

    def item(self):
        return self.resolved().item()

    def tolist(self):
        return self.resolved().tolist()

    def view(self, kind):
        """The same memory as another class; its bytes as another dtype would not be the values."""
        if not isinstance(kind, type) or not issubclass(kind, np.ndarray):
            raise RuntimeError(f"torch.Tensor.view is not supported for {self.what} when converting to a different dtype.")
        return super().view(kind)

    # -- writing ---------------------------------------------------------------------------------------------

    def __setitem__(self, index, value):
        super().__setitem__(index, self.turn(np.asarray(resolved(value)).astype(self.dtype, copy=False)))

    # -- NumPy's functions -----------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if method == "at":
            return NotImplemented                           # it would write into a copy
        if out is not None:
            kwargs["out"] = tuple(map(resolved, out))
        result = getattr(ufunc, method)(*map(resolved, inputs), **kwargs)
        if out is None:
            return result
        for target, values in zip(out, kwargs["out"], strict=True):
            if isinstance(target, LazyArray):
                target[...] = values
        return out if len(out) > 1 else out[0]

    def __array_function__(self, function, types, args, kwargs):
        if function is np.copyto:
            target, source = args
            target[...] = resolved(source)
            return None
        if function in ABOUT_MEMORY:
            return function(*map(memory_of, args), **kwargs)
        if function in VIEWS:
            return function(memory_of(self), *args[1:], **kwargs).view(type(self))
        return function(*map(resolved, args), **{name: resolved(value) for name, value in kwargs.items()})


class Conjugated(LazyArray):
    """The conjugates of complex numbers."""

    __slots__ = ()
    turn = np.conjugate
    what = "conjugate view tensors"

    @property
    def real(self):
        return memory_of(self).real

    @property
    def imag(self):
        return memory_of(self).imag.view(Negated)


class Negated(LazyArray):
    """The negatives of real numbers."""

    __slots__ = ()
    turn = np.negative
    what = "tensors with negative bit set"


def memory_of(x):
    """The numbers that ``x`` has in memory; of an ordinary array, itself."""
    return np.ndarray.view(x, np.ndarray) if isinstance(x, LazyArray) else x


def resolved(x):
    """What ``x`` shows, as an ordinary array; anything else as it is, and the parts of a sequence each."""
    if isinstance(x, LazyArray):
        return x.resolved()
    return type(x)(map(resolved, x)) if type(x) in (list, tuple) else x


def seen_as(x, model):
    """The memory of ``x`` as a view of the kind that ``model`` is."""
    return x.view(type(model)) if isinstance(model, LazyArray) else memory_of(x)


def conj_view(x):
    """A view of the conjugates of ``x``."""
    return memory_of(x) if isinstance(x, Conjugated) else x.view(Conjugated)


def neg_view(x):
    """A view of the negatives of ``x``."""
    return memory_of(x) if isinstance(x, Negated) else x.view(Negated)


def is_conjugated(x):
    return isinstance(x, Conjugated)


def is_negated(x):
    return isinstance(x, Negated)
