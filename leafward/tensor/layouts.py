"""What a tensor says of its device and layout, the CPU and dense; and the way to sparse tensors.

What is computed with these is in ``leafward/sparse``, which loads when one is made.
"""
from leafward import dtypes


class Service:
    """What start-up hands down: ``package()`` is ``leafward.sparse``, which stands above the tensor."""

    package = None


def refusal(name, layout):
    """A method that dense tensors have only to say that they are none."""
    layout = "sparse " if name == "values" else layout

    def method(self):
        raise RuntimeError(f"{name} expected {layout}tensor layout but got Strided")
    method.__name__ = name
    method.__doc__ = "Refused: it is no sparse tensor."
    return method


class Layouts:
    """The answers that are the same for every tensor."""

    __slots__ = ()

    is_cuda = is_sparse = is_quantized = is_meta = is_mps = is_xpu = is_nested = is_mkldnn = property(lambda self: False)
    is_sparse_csr = is_vulkan = is_ipu = is_xla = is_mtia = is_maia = is_cuda
    is_cpu = property(lambda self: True)
    name = property(lambda self: None)

    def get_device(self):
        """The number of the GPU: -1, there is none."""
        return -1

    def to_dense(self, dtype=None, *, masked_grad=None):
        """The tensor itself, which is dense; with ``dtype``, a cast of it."""
        return self if dtype is None else self.to(dtype)

    def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
        """What is not zero, as a sparse tensor: COO, or in the given ``layout``."""
        if blocksize is not None:
            raise NotImplementedError("blocks are not there: sparse tensors are COO or CSR here")
        return Service.package().to_sparse(self, sparse_dim, layout=layout)

    def to_sparse_csr(self, dense_dim=None):
        """What is not zero in a matrix, by rows."""
        return Service.package().to_sparse_csr(self, dense_dim)

    def to_sparse_coo(self):
        """What is not zero, as COO."""
        return self.to_sparse()

    def sparse_mask(self, mask):
        """The elements at the places of the sparse tensor ``mask``."""
        return Service.package().sparse_mask(self, mask)

    def _rows_with_sparse_gradient(self, indices, padding_idx, scale_grad_by_freq):
        return Service.package().look_up_rows(self, indices, padding_idx, scale_grad_by_freq)

    coalesce, indices, values, is_coalesced = [refusal(name, "sparse coordinate ") for name in (
        "coalesce", "indices", "values", "is_coalesced")]
    crow_indices, col_indices = [refusal(name, "sparse row compressed ") for name in ("crow_indices", "col_indices")]

    def narrow_copy(self, dim, start, length):
        """``narrow``, in memory of its own."""
        return self.narrow(dim, start, length).clone(memory_format=dtypes.contiguous_format)

    def sparse_dim(self):
        """The number of sparse dimensions: 0."""
        return 0

    def dense_dim(self):
        """The number of dense dimensions: all of them."""
        return self.ndim
