"""``x.T``, ``x.mT``, ``x.H`` and ``x.mH``: the transposes that are attributes."""
from leafward.errors import warn


def deprecated_on_numbers(x, name, instead):
    if x.ndim == 0:
        warn(f"Tensor.{name} is deprecated on 0-D tensors. {instead}")


class Transposes:
    """Views of a tensor with its dims in another order."""

    @property
    def T(self):  # noqa: N802  (PyTorch's name)
        """The dims in reverse order.

        >>> import leafward as lw
        >>> lw.tensor([[1, 2], [3, 4]]).T
        tensor([[1, 3],
                [2, 4]])
        """
        if self.ndim == 2:
            return self.permute((1, 0))
        deprecated_on_numbers(self, "T", "This function is the identity in these cases.")
        if self.ndim:
            warn(
                "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
                "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")
        return self.permute(tuple(range(self.ndim - 1, -1, -1)))

    @property
    def mT(self):  # noqa: N802  (PyTorch's name)
        """Each matrix of a batch transposed."""
        if self.ndim > 1:
            return self.transpose(-2, -1)
        deprecated_on_numbers(self, "mT", "This function is the identity in these cases.")
        refuse_vector(self, "mT")
        return self

    @property
    def H(self):  # noqa: N802  (PyTorch's name)
        """A matrix transposed and conjugated."""
        deprecated_on_numbers(self, "H", "Consider using x.conj().")
        if self.ndim not in (0, 2):
            hint = " For batches of matrices, consider using tensor.mH" if self.ndim > 2 else ""
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor.{hint}")
        return self.adjoint() if self.ndim else self.conj()

    @property
    def mH(self):  # noqa: N802  (PyTorch's name)
        """Each matrix of a batch transposed and conjugated."""
        deprecated_on_numbers(self, "mH", "Consider using x.conj().")
        refuse_vector(self, "mH")
        return self.adjoint() if self.ndim else self.conj()


def refuse_vector(x, name):
    if x.ndim == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
