"""What a tensor says of its device and layout: the CPU, and dense."""


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

    def sparse_dim(self):
        """The number of sparse dimensions: 0."""
        return 0

    def dense_dim(self):
        """The number of dense dimensions: all of them."""
        return self.ndim
