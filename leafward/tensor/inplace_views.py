"""``x.t_()``, ``x.squeeze_()`` and their kin: the tensor itself becomes a view of what it was. No byte is written."""
from leafward.core import modes, views
from leafward.core.former import keep_former
from leafward.core.inplace import refuse
from leafward.core.op import registry
from leafward.core.recording import node_class, renamed
from leafward.core.tensor import requires_grad
from leafward.core.views import chain_by_geometry, replay

views.by_strides, views.by_conjugate = registry["_as_strided"], registry["_conj"]


def become(x, name, *args):
    """Give ``x`` the shape, strides and history that its view ``x.name(*args)`` has."""
    try:
        refuse(x, requires_grad(x), name + "_", uniform=True)
    except RuntimeError:
        if x._inference:
            getattr(x, name)(*args)                         # wrong arguments are told first
        raise
    view = getattr(x, name)(*args)
    if x._batch is not None:
        x._value, x._bdim = view._value, view._bdim
    if x._base is None and x._tangents is not None:
        for level, tangent in x._tangents.items():
            if level.alive:
                with level.around():
                    x._tangents = {**x._tangents, level: replay(view._chain, tangent)}
    if view._node is not None:
        x._node = renamed(view._node, node_class(in_place_name(view._node.name())))
        x._output_nr = view._output_nr
    elif x._node is None:
        keep_former(x)
    x._array = view._array
    x._counter.version += 1
    x._shown_as(view)
    if x._base is None:
        x._relocate = chain_by_geometry
    else:                       # where nothing was recorded, the next look finds its history anew
        x._chain, x._history_version = view._chain, x._counter.version if modes.grad_enabled() else -1
    return x


def in_place_name(name):
    """PyTorch numbers the in-place forms after the others: ``TBackward0 -> TBackward1``, of ``squeeze`` 0, 1, 2 -> 3, 4, 5."""
    return name[:-1] + str(int(name[-1]) + (3 if name.startswith("Squeeze") else 1))


class InplaceViews:
    """The in-place forms of views."""

    def _shown_as(self, view):
        """What kinds of tensors know beside their array is that of ``view`` from now on."""

    def transpose_(self, dim0, dim1):
        """Exchange two dims of this tensor itself."""
        return become(self, "transpose", dim0, dim1)

    swapdims_ = transpose_

    def swapaxes_(self, axis0, axis1):
        """Exchange two dims of this tensor itself."""
        return become(self, "transpose", axis0, axis1)

    def t_(self):
        """Transpose this matrix itself."""
        if self.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return become(self, "t")

    def squeeze_(self, *dims, dim=None):
        """Drop the dims of size one of this tensor itself: all of them, or those named."""
        if dims == (None,):
            raise TypeError("squeeze_() received an invalid combination of arguments - got (NoneType)")
        return become(self, "squeeze", *(dims if dim is None else (dim,)))

    def unsqueeze_(self, dim):
        """Insert a dim of size one into this tensor itself."""
        return become(self, "unsqueeze", dim)

    def as_strided_(self, size, stride, storage_offset=None):
        """See this tensor's storage with any sizes and strides from now on."""
        return become(self, "as_strided", size, stride, storage_offset)
