"""``x.t_()``, ``x.squeeze_()`` and their kin: the tensor itself becomes a view of what it was. No byte is written."""
from .core import modes
from .core.call import wants_grad
from .core.inplace import refuse


def become(x, name, *args):
    """Give ``x`` the shape, strides and history that its view ``x.name(*args)`` has."""
    refuse(x, modes.grad_enabled() and wants_grad(x), name + "_", uniform=True)
    view = getattr(x, name)(*args)
    if view._node is not None:
        x._node, x._output_nr = view._node, view._output_nr
    if x._base is not None:
        x._chain = view._chain
    x._array = view._array
    return x


class Restrided:
    """The in-place forms of views."""

    def transpose_(self, dim0, dim1):
        """Exchange two dims of this tensor itself."""
        return become(self, "transpose", dim0, dim1)

    swapdims_ = transpose_

    def swapaxes_(self, axis0, axis1):
        """Exchange two dims of this tensor itself."""
        return become(self, "transpose", axis0, axis1)

    def t_(self):
        """Transpose this matrix itself."""
        return become(self, "t")

    def squeeze_(self, *dim):
        """Drop the dims of size one of this tensor itself: all of them, or those named."""
        return become(self, "squeeze", *dim)

    def unsqueeze_(self, dim):
        """Insert a dim of size one into this tensor itself."""
        return become(self, "unsqueeze", dim)

    def as_strided_(self, size, stride, storage_offset=None):
        """See this tensor's storage with any sizes and strides from now on."""
        return become(self, "as_strided", size, stride, storage_offset)
