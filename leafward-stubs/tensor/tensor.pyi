# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator as _Generator
from leafward.tensor.size import Size

_Number = _int | _float | _complex

class _ATau(NamedTuple):
    a: Tensor
    tau: Tensor
class _HistBinEdges(NamedTuple):
    hist: Tensor
    bin_edges: Tensor
class _MantissaExponent(NamedTuple):
    mantissa: Tensor
    exponent: Tensor
class _MinMax(NamedTuple):
    min: Tensor
    max: Tensor
class _QR(NamedTuple):
    Q: Tensor
    R: Tensor
class _SignLogabsdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor
class _SolutionClonedCoefficient(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor
class _USV(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor
class _ValuesIndices(NamedTuple):
    values: Tensor
    indices: Tensor
class Tensor:
    """An array with a history. Made by :func:`leafward.tensor` and by every operation."""
    def __init__(self, *data: Any, dtype: _dtype | None = None, device: Any = None) -> None: ...
    @property
    def H(self) -> Tensor:
        """A matrix transposed and conjugated."""
    @property
    def T(self) -> Tensor:
        """The dims in reverse order."""
    def __array__(self, dtype: _dtype | None = None, copy: Any = None) -> Any: ...
    def __array_namespace__(self, *, api_version: Any = None) -> Any:
        """The namespace of the Python array API standard that this tensor's functions are in."""
    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: _bool = False) -> Any:
        """What ``np.exp(self)`` and ``self + array`` give: a tensor. Of bools it is one of uint8, as in PyTorch."""
    def __bool__(self) -> _bool: ...
    def __complex__(self) -> _complex: ...
    def __contains__(self, element: Any) -> _bool: ...
    def __copy__(self) -> Tensor: ...
    def __deepcopy__(self, memo: Any) -> Tensor: ...
    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        """Export the memory to another library."""
    def __dlpack_device__(self) -> Any: ...
    def __float__(self) -> _float: ...
    def __format__(self, spec: Any) -> _str: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __hash__(self) -> _int: ...
    def __index__(self) -> _int: ...
    def __int__(self) -> _int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __len__(self) -> _int: ...
    def __repr__(self, *, tensor_contents: Any = None) -> _str: ...
    def __reversed__(self) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def apply_(self, callable: Any) -> Self:
        """Replace each element by ``callable(element)``: slow, one Python call each."""
    def as_strided_(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: Any = None) -> Self:
        """See this tensor's storage with any sizes and strides from now on."""
    def as_subclass(self, cls: Any) -> Any:
        """The same tensor as an instance of ``cls``, with its history."""
    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: _bool = False, inputs: Any = None, check: Any = None) -> None:
        """Compute the gradients of this tensor with respect to the leaves, and add them to their ``.grad``."""
    def bfloat16(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.bfloat16."""
    def bool(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.bool."""
    def byte(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.uint8."""
    def cdouble(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.complex128."""
    def cfloat(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.complex64."""
    def chalf(self, memory_format: Any | None = None) -> Any:
        """This tensor as torch.complex32."""
    def char(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.int8."""
    def coalesce(self) -> Any:
        """Refused: it is no sparse tensor."""
    def col_indices(self) -> Any:
        """Refused: it is no sparse tensor."""
    def cpu(self, memory_format: Any | None = None) -> Tensor: ...
    def crow_indices(self) -> Any:
        """Refused: it is no sparse tensor."""
    def cuda(self, device: _device | _str | _int | None = None, non_blocking: _bool = False, memory_format: Any | None = None) -> Tensor: ...
    @property
    def data(self) -> Tensor:
        """The same memory, without history, and with a version counter of its own: writes through it are not seen."""
    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> _int:
        """The address of the first element."""
    def dense_dim(self) -> _int:
        """The number of dense dimensions: all of them."""
    def detach(self) -> Tensor:
        """Share this tensor's memory, without its history."""
    def detach_(self) -> Self:
        """Forget this tensor's history. In inference mode, as in PyTorch, this does nothing."""
    @property
    def device(self) -> _device:
        """Where its memory is."""
    def dim(self) -> _int:
        """The number of dimensions."""
    def dim_order(self, *, ambiguity_check: _bool = False) -> Any:
        """The dims from the outermost in memory to the innermost: ``(0, 2, 3, 1)`` of images in ``channels_last``."""
    def double(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.float64."""
    @property
    def dtype(self) -> _dtype:
        """The type of its elements."""
    def element_size(self) -> _int:
        """Bytes per element."""
    def float(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.float32."""
    def freeze_(self, frozen: _bool = True) -> Any:
        """Make this tensor, and every other one on its memory, read-only: see :func:`leafward.freeze_`."""
    def get_device(self) -> _int:
        """The number of the GPU: -1, there is none."""
    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward accumulated; None if there was none."""
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made it; None for a leaf."""
    def half(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.float16."""
    def has_names(self) -> _bool: ...
    @property
    def imag(self) -> Tensor:
        """The imaginary part of a complex tensor, in its memory."""
    @imag.setter
    def imag(self, value: Tensor) -> None: ...
    def indices(self) -> Any:
        """Refused: it is no sparse tensor."""
    def int(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.int32."""
    def is_coalesced(self) -> Any:
        """Refused: it is no sparse tensor."""
    def is_complex(self) -> _bool:
        """Whether its elements are complex numbers."""
    def is_contiguous(self, memory_format: Any | None = None) -> _bool:
        """Whether the elements lie in memory in order, without gaps."""
    @property
    def is_cpu(self) -> _bool: ...
    @property
    def is_cuda(self) -> _bool: ...
    def is_floating_point(self) -> _bool:
        """Whether its elements are floating-point numbers."""
    def is_inference(self) -> _bool: ...
    @property
    def is_ipu(self) -> _bool: ...
    @property
    def is_leaf(self) -> _bool:
        """Whether it was not made by a recorded operation."""
    @property
    def is_maia(self) -> _bool: ...
    @property
    def is_meta(self) -> _bool: ...
    @property
    def is_mkldnn(self) -> _bool: ...
    @property
    def is_mps(self) -> _bool: ...
    @property
    def is_mtia(self) -> _bool: ...
    def is_neg(self) -> _bool:
        """Whether it is a view of negatives, which its memory does not hold: ``x.conj().imag`` is."""
    @property
    def is_nested(self) -> _bool: ...
    def is_nonzero(self) -> _bool:
        """Whether the single element is not zero."""
    def is_pinned(self, device: _device | _str | _int | None = None) -> _bool: ...
    @property
    def is_quantized(self) -> _bool: ...
    def is_same_size(self, other: Tensor) -> _bool:
        """Whether both have the same shape."""
    def is_set_to(self, tensor: Tensor) -> _bool:
        """Whether both look at the same elements in the same way, neither of them at conjugates or negatives."""
    def is_shared(self) -> _bool:
        """Whether other processes can see the memory."""
    def is_signed(self) -> _bool: ...
    @property
    def is_sparse(self) -> _bool: ...
    @property
    def is_sparse_csr(self) -> _bool: ...
    @property
    def is_vulkan(self) -> _bool: ...
    @property
    def is_xla(self) -> _bool: ...
    @property
    def is_xpu(self) -> _bool: ...
    def item(self) -> Any:
        """The Python number in a tensor of one element."""
    @property
    def itemsize(self) -> _int: ...
    @property
    def layout(self) -> Any: ...
    def long(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.int64."""
    @property
    def mH(self) -> Tensor:
        """Each matrix of a batch transposed and conjugated."""
    @property
    def mT(self) -> Tensor:
        """Each matrix of a batch transposed."""
    def map2_(self, x: Any, y: Any, callable: Any) -> Any:
        """Replace each element by ``callable(element, its partner in x, its partner in y)``: slow, one Python call each."""
    def map_(self, other: Tensor, callable: Any) -> Any:
        """Replace each element by ``callable(element, its partner in other)``: slow, one Python call each."""
    @property
    def name(self) -> Any: ...
    @property
    def names(self) -> tuple[None, ...]: ...
    def narrow_copy(self, dim: _int | Sequence[_int], start: _int, length: Any) -> Any:
        """``narrow``, in memory of its own."""
    @property
    def nbytes(self) -> _int: ...
    @property
    def ndim(self) -> _int:
        """The number of dimensions."""
    def ndimension(self) -> _int:
        """The number of dimensions."""
    def nelement(self) -> _int:
        """The number of elements."""
    def new(self, *data: Any, device: _device | _str | _int | None = None) -> Tensor:
        """The legacy constructor, in the dtype of this tensor: ``x.new(2, 3)``, ``x.new([2, 3])``."""
    def new_tensor(self, data: Any, *, dtype: _dtype | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False, layout: Any | None = None, pin_memory: _bool = False) -> Tensor:
        """A copy of ``data`` in the dtype of this tensor."""
    def numel(self) -> _int:
        """The number of elements."""
    def numpy(self, *, force: _bool = False) -> Any:
        """A NumPy array on the same memory. NumPy has no bfloat16: convert with ``.float()`` first."""
    @property
    def output_nr(self) -> _int: ...
    def pin_memory(self, device: _device | _str | _int | None = None) -> Tensor: ...
    @property
    def real(self) -> Tensor:
        """The real part: a view of a complex tensor, a real tensor itself."""
    @real.setter
    def real(self, value: Tensor) -> None: ...
    def register_hook(self, hook: Any) -> Any:
        """Call ``hook(grad)`` when this tensor's gradient is computed; a result replaces it."""
    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        """Call ``hook(tensor)`` after a gradient was added to this leaf's ``.grad``."""
    @property
    def requires_grad(self) -> _bool:
        """Whether operations on it are recorded."""
    @requires_grad.setter
    def requires_grad(self, value: _bool) -> None: ...
    def requires_grad_(self, requires_grad: _bool = True) -> Self:
        """Start (or stop) recording operations on this leaf."""
    def resize_(self, *sizes: Any, size: _int | Sequence[_int] | None = None, memory_format: Any | None = None) -> Self:
        """Change the shape in place; new elements are uninitialised."""
    def resize_as_(self, the_template: Any, memory_format: Any | None = None) -> Self:
        """Change the shape to that of ``the_template``."""
    def retain_grad(self) -> None:
        """Keep ``.grad`` of this non-leaf in backward."""
    @property
    def retains_grad(self) -> _bool: ...
    def set_(self, source: Any = None, storage_offset: _Number = 0, size: _int | Sequence[_int] | None = None, stride: _int | Sequence[_int] | None = None) -> Self:
        """Make this tensor look at ``source``'s memory."""
    @property
    def shape(self) -> Size:
        """The sizes of its dimensions."""
    def share_memory_(self) -> Self:
        """Move the memory to where processes share it; tensors that saw it see it there."""
    def short(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.int16."""
    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: _int) -> _int: ...
    def sparse_dim(self) -> _int:
        """The number of sparse dimensions: 0."""
    def sparse_mask(self, mask: Any) -> Any:
        """The elements at the places of the sparse tensor ``mask``."""
    def squeeze_(self, *dims: Any, dim: _int | Sequence[_int] | None = None) -> Self:
        """Drop the dims of size one of this tensor itself: all of them, or those named."""
    def storage(self) -> Any:
        """The elements under this tensor, shared with all its views. Deprecated: use :meth:`untyped_storage`."""
    def storage_offset(self) -> _int:
        """How many elements into its storage this tensor begins."""
    def storage_type(self) -> Any:
        """The class that stands for storages of this dtype."""
    @overload
    def stride(self, dim: None = None) -> tuple[_int, ...]: ...
    @overload
    def stride(self, dim: _int) -> _int: ...
    def swapaxes_(self, axis0: _int, axis1: _int) -> Self:
        """Exchange two dims of this tensor itself."""
    def swapdims_(self, dim0: _int, dim1: _int) -> Self:
        """Exchange two dims of this tensor itself."""
    def t_(self) -> Self:
        """Transpose this matrix itself."""
    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """The same values as another dtype: ``to(dtype)``, ``to(device)``, ``to(other)``; in another ``memory_format``."""
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: Any = None) -> Tensor:
        """The tensor itself, which is dense; with ``dtype``, a cast of it."""
    def to_device(self, device: _device | _str | _int, *, stream: Any = None) -> Any:
        """The standard's name for ``to(device)``."""
    def to_sparse(self, sparse_dim: Any = None, *, layout: Any | None = None, blocksize: Any = None, dense_dim: Any = None) -> Any:
        """What is not zero, as a sparse tensor: COO, or in the given ``layout``."""
    def to_sparse_coo(self) -> Any:
        """What is not zero, as COO."""
    def to_sparse_csr(self, dense_dim: Any = None) -> Any:
        """What is not zero in a matrix, by rows."""
    def tolist(self) -> Any:
        """Nested lists of Python numbers; a number for a 0-dim tensor."""
    def transpose_(self, dim0: _int, dim1: _int) -> Self:
        """Exchange two dims of this tensor itself."""
    @overload
    def type(self, dtype: None = None) -> _str: ...
    @overload
    def type(self, dtype: _dtype | _str, non_blocking: _bool = False) -> Tensor: ...
    def type_as(self, other: Tensor) -> Tensor: ...
    def unsqueeze_(self, dim: _int | Sequence[_int]) -> Self:
        """Insert a dim of size one into this tensor itself."""
    def untyped_storage(self) -> Any:
        """The bytes under this tensor, shared with all its views."""
    def values(self) -> Any:
        """Refused: it is no sparse tensor."""
    @property
    def volatile(self) -> _bool:
        """False: what it did is done by ``no_grad`` now."""
    @volatile.setter
    def volatile(self, value: _bool) -> None: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Tensor | _Number) -> Tensor: ...
    def __and__(self, other: Tensor | _Number) -> Tensor: ...
    def __div__(self, other: Tensor | _Number) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __floordiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __ge__(self, other: Tensor | _Number) -> Tensor: ...
    def __gt__(self, other: Tensor | _Number) -> Tensor: ...
    def __iadd__(self, other: Tensor | _Number) -> Tensor: ...
    def __iand__(self, other: Tensor | _Number) -> Tensor: ...
    def __idiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __ifloordiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __ilshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __imod__(self, other: Tensor | _Number) -> Tensor: ...
    def __imul__(self, other: Tensor | _Number) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Tensor | _Number) -> Tensor: ...
    def __ipow__(self, other: Tensor | _Number) -> Tensor: ...
    def __irshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __isub__(self, other: Tensor | _Number) -> Tensor: ...
    def __itruediv__(self, other: Tensor | _Number) -> Tensor: ...
    def __ixor__(self, other: Tensor | _Number) -> Tensor: ...
    def __le__(self, other: Tensor | _Number) -> Tensor: ...
    def __lshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __lt__(self, other: Tensor | _Number) -> Tensor: ...
    def __mod__(self, other: Tensor | _Number) -> Tensor: ...
    def __mul__(self, other: Tensor | _Number) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, other: Tensor | _Number) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Tensor | _Number) -> Tensor: ...
    def __radd__(self, other: Tensor | _Number) -> Tensor: ...
    def __rand__(self, other: Tensor | _Number) -> Tensor: ...
    def __rfloordiv__(self, other: Tensor | _Number) -> Tensor: ...
    def __rlshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __rmatmul__(self, other: Tensor | _Number) -> Tensor: ...
    def __rmod__(self, other: Tensor | _Number) -> Tensor: ...
    def __rmul__(self, other: Tensor | _Number) -> Tensor: ...
    def __ror__(self, other: Tensor | _Number) -> Tensor: ...
    def __rpow__(self, other: Tensor | _Number) -> Tensor: ...
    def __rrshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __rshift__(self, other: Tensor | _Number) -> Tensor: ...
    def __rxor__(self, other: Tensor | _Number) -> Tensor: ...
    def __sub__(self, other: Tensor | _Number) -> Tensor: ...
    def __truediv__(self, other: Tensor | _Number) -> Tensor: ...
    def __xor__(self, other: Tensor | _Number) -> Tensor: ...
    def __matmul__(self, other: _Number | Tensor) -> Tensor:
        """Product of vectors, matrices or batches of them: `out = input @ other`.

        Two matrices: their product. A vector counts as a row on the left and as a column on the right, and that dimension
        is dropped from the result. With three or more dimensions, the leading ones are batches and broadcast.

        Args:
            other: the second factor
        """
    def __rdiv__(self, other: _Number | Tensor) -> Tensor:
        """A number over a tensor: `out = other / input`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def __rsub__(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: `out = y - alpha * x`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `input` is multiplied by: 1 unless given
        """
    def __rsub___(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: `out = y - alpha * x`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `input` is multiplied by: 1 unless given
        """
    def __rtruediv__(self, other: _Number | Tensor) -> Tensor:
        """A number over a tensor: `out = other / input`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def abs(self) -> Tensor:
        """Distance from zero: `out = abs(x)`."""
    def abs_(self) -> Tensor:
        """Distance from zero: `out = abs(x)`."""
    def absolute(self) -> Tensor:
        """Distance from zero: `out = abs(x)`."""
    def absolute_(self) -> Tensor:
        """Distance from zero: `out = abs(x)`."""
    def acos(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def acos_(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def acosh(self) -> Tensor:
        """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`."""
    def acosh_(self) -> Tensor:
        """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`."""
    def add(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Add element by element: `out = x + alpha * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `other` is multiplied by: 1 unless given
        """
    def add_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Add element by element: `out = x + alpha * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `other` is multiplied by: 1 unless given
        """
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """The sum of batched matrix products, and another: `out = beta * x + alpha * sum_b(batch1[b] @ batch2[b])`.

        Args:
            batch1: matrices on the left, `(b, n, m)`
            batch2: matrices on the right, `(b, m, p)`
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """The sum of batched matrix products, and another: `out = beta * x + alpha * sum_b(batch1[b] @ batch2[b])`.

        Args:
            batch1: matrices on the left, `(b, n, m)`
            batch2: matrices on the right, `(b, m, p)`
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled quotient: `out = x + value * tensor1 / tensor2`.

        Args:
            tensor1: the first factor, or the numerator
            tensor2: the second factor, or the denominator
            value: the factor of the quotient
        """
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled quotient: `out = x + value * tensor1 / tensor2`.

        Args:
            tensor1: the first factor, or the numerator
            tensor2: the second factor, or the denominator
            value: the factor of the quotient
        """
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled product: `out = x + value * tensor1 * tensor2`.

        Args:
            tensor1: the first factor, or the numerator
            tensor2: the second factor, or the denominator
            value: the factor of the product
        """
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled product: `out = x + value * tensor1 * tensor2`.

        Args:
            tensor1: the first factor, or the numerator
            tensor2: the second factor, or the denominator
            value: the factor of the product
        """
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A matrix product and a sum: `out = beta * x + alpha * (mat1 @ mat2)`.

        Args:
            mat1: the matrix on the left
            mat2: the matrix on the right
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A matrix product and a sum: `out = beta * x + alpha * (mat1 @ mat2)`.

        Args:
            mat1: the matrix on the left
            mat2: the matrix on the right
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A product of matrix and vector and a sum: `out = beta * x + alpha * (mat @ vec)`.

        Args:
            mat: the matrix
            vec: the vector on the right
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A product of matrix and vector and a sum: `out = beta * x + alpha * (mat @ vec)`.

        Args:
            mat: the matrix
            vec: the vector on the right
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """An outer product and a sum: `out = beta * x + alpha * outer(vec1, vec2)`.

        Args:
            vec1: the first vector
            vec2: the second vector
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """An outer product and a sum: `out = beta * x + alpha * outer(vec1, vec2)`.

        Args:
            vec1: the first vector
            vec2: the second vector
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def adjoint(self) -> Tensor:
        """The conjugate transpose of a matrix, or of each matrix of a batch."""
    def alias(self) -> Tensor:
        """The same memory, shape and strides: what `x[...]` is."""
    def all(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Whether everything along `dim` is true.

        Anything but 0 is true. Of nothing the answer is True.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def allclose(self, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> _bool:
        """Whether all elements are equal up to rounding, as a Python bool.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rtol: tolerance relative to `other`
            atol: absolute tolerance
            equal_nan: True: NaN is close to NaN. False: to nothing
        """
    def amax(self, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
        """The largest along `dim`; equals share the gradient.

        Args:
            dim: the dim, or several, to reduce; empty: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def amin(self, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
        """The smallest along `dim`; equals share the gradient.

        Args:
            dim: the dim, or several, to reduce; empty: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def aminmax(self, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> _MinMax:
        """The smallest and the largest, along `dim` or of everything.

        Args:
            dim: the dim to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def angle(self) -> Tensor:
        """Angle in the complex plane: 0 for positive numbers, pi for negative ones."""
    def any(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Whether anything along `dim` is true.

        Anything but 0 is true. Of nothing the answer is False.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def arccos(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def arccos_(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def arccosh(self) -> Tensor:
        """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`."""
    def arccosh_(self) -> Tensor:
        """Inverse of cosh: `out = log(x + sqrt(x ** 2 - 1))`."""
    def arcsin(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def arcsin_(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def arcsinh(self) -> Tensor:
        """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`."""
    def arcsinh_(self) -> Tensor:
        """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`."""
    def arctan(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def arctan2(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: `tan(out) = x / y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def arctan2_(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: `tan(out) = x / y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def arctan_(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def arctanh(self) -> Tensor:
        """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`."""
    def arctanh_(self) -> Tensor:
        """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`."""
    def argmax(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Where the largest is along `dim`: the first of equals.

        NaN counts as the largest.

        Args:
            dim: the dim to search; None: the place in the flat tensor
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def argmin(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Where the smallest is along `dim`: the first of equals.

        Args:
            dim: the dim to search; None: the place in the flat tensor
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def argsort(self, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool = False) -> Tensor:
        """The places of the elements in order along `dim`; with `stable`, equals keep their order.

        Args:
            dim: the dim to work along; None, where it is taken: all elements in a row
            descending: True: the largest first. False: the smallest first
            stable: True: equal elements stay in order. None and False: they need not, but do here
        """
    def argwhere(self) -> Tensor:
        """One row per nonzero element: its place along each dim."""
    def as_strided(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """The storage of `input` from `storage_offset` on, seen with any sizes and strides.

        Args:
            size: the shape of the view; of `unfold` the length of a window
            stride: for each dim how many elements apart its neighbours are
            storage_offset: where the view begins in memory, in elements; None: where `input` does
        """
    def as_strided_scatter(self, src: Tensor, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor:
        """A copy of `input` with `src` in the places that `as_strided` would show.

        Args:
            src: the values that are put in
            size: the shape of the result
            stride: for each dim how many elements apart its neighbours are
            storage_offset: where the view begins, in elements; None: where `input` does
        """
    def asin(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def asin_(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def asinh(self) -> Tensor:
        """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`."""
    def asinh_(self) -> Tensor:
        """Inverse of sinh: `out = log(x + sqrt(x ** 2 + 1))`."""
    def atan(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def atan2(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: `tan(out) = x / y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def atan2_(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: `tan(out) = x / y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def atan_(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def atanh(self) -> Tensor:
        """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`."""
    def atanh_(self) -> Tensor:
        """Inverse of tanh: `out = log((1 + x) / (1 - x)) / 2`."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Batched matrix products and a sum: `out = beta * x + alpha * (batch1 @ batch2)`.

        Args:
            batch1: matrices on the left, `(b, n, m)`
            batch2: matrices on the right, `(b, m, p)`
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Batched matrix products and a sum: `out = beta * x + alpha * (batch1 @ batch2)`.

        Args:
            batch1: matrices on the left, `(b, n, m)`
            batch2: matrices on the right, `(b, m, p)`
            beta: the factor of `input`; with 0 it is not read
            alpha: the factor of the product
        """
    def bernoulli(self, p: Any = None, *, generator: _Generator | None = None) -> Tensor:
        """Ones with the probabilities in `input` (or all with probability `p`), zeros elsewhere.

        Args:
            p: the probability of a one; None: `input` holds them
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def bernoulli_(self, p: _Number = 0.5, *, generator: _Generator | None = None) -> Tensor:
        """Fill with ones, with probability `p` (a number or a tensor), and zeros.

        Args:
            p: the probability of a one: a number, or a tensor of them
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each number occurs, or the sum of its weights.

        Args:
            weights: how much each element counts; None: one
            minlength: the least length of the result
        """
    def bitwise_and(self, other: Tensor | _Number) -> Tensor:
        """Bits that both have set: `out = x & y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_and_(self, other: Tensor | _Number) -> Tensor:
        """Bits that both have set: `out = x & y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_left_shift(self, other: Tensor | _Number) -> Tensor:
        """Move the bits up: `out = x << y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_left_shift_(self, other: Tensor | _Number) -> Tensor:
        """Move the bits up: `out = x << y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_not(self) -> Tensor:
        """Every bit the other way: `out = ~x`."""
    def bitwise_not_(self) -> Tensor:
        """Every bit the other way: `out = ~x`."""
    def bitwise_or(self, other: Tensor | _Number) -> Tensor:
        """Bits that at least one has set: `out = x | y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_or_(self, other: Tensor | _Number) -> Tensor:
        """Bits that at least one has set: `out = x | y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_right_shift(self, other: Tensor | _Number) -> Tensor:
        """Move the bits down, keeping the sign: `out = x >> y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_right_shift_(self, other: Tensor | _Number) -> Tensor:
        """Move the bits down, keeping the sign: `out = x >> y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_xor(self, other: Tensor | _Number) -> Tensor:
        """Bits that exactly one has set: `out = x ^ y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bitwise_xor_(self, other: Tensor | _Number) -> Tensor:
        """Bits that exactly one has set: `out = x ^ y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def bmm(self, mat2: Tensor) -> Tensor:
        """Product of matrices pair by pair: `out[b] = x[b] @ mat2[b]`.

        `(b, n, m)` and `(b, m, p)` give `(b, n, p)`; nothing is broadcast.

        Args:
            mat2: the matrix on the right
        """
    def broadcast_to(self, size: _int | Sequence[_int]) -> Tensor:
        """`input` repeated, without copying, to `size`.

        Args:
            size: the shape of the view; one may be -1 and follows from the others
        """
    def cauchy_(self, median: _Number = 0.0, sigma: _Number = 1.0, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers of density `sigma / (pi (sigma**2 + (x - median)**2))`.

        Args:
            median: the middle
            sigma: the width
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def ceil(self) -> Tensor:
        """The smallest integer that is not smaller: `out - 1 < x <= out`."""
    def ceil_(self) -> Tensor:
        """The smallest integer that is not smaller: `out - 1 < x <= out`."""
    def celu(self, alpha: _Number = 1.0) -> Tensor:
        """Ramp with a smooth exponential tail: `out = x if x > 0 else alpha * (exp(x / alpha) - 1)`.

        Args:
            alpha: the height of the tail: values go down to `-alpha`
        """
    def celu_(self, alpha: _Number = 1.0) -> Tensor:
        """Ramp with a smooth exponential tail: `out = x if x > 0 else alpha * (exp(x / alpha) - 1)`.

        Args:
            alpha: the height of the tail: values go down to `-alpha`
        """
    def cholesky(self, upper: _bool = False) -> Tensor:
        """`linalg.cholesky` under its first name, which takes `upper` by position, and whatever is empty.

        Args:
            upper: True: the upper triangle. False: the lower one
        """
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """`(x @ x^H) ^ -1`, or with `upper` `(x^H @ x) ^ -1`.

        Args:
            upper: True: the factor is upper triangular. False: lower
        """
    def cholesky_solve(self, L: Tensor, upper: _bool = False) -> Tensor:
        """The `out` with `(L @ L^H) @ out = x`, or with `upper` `(L^H @ L) @ out = x`.

        Args:
            L: the factor, as `cholesky` gives it
            upper: True: the factor is upper triangular. False: lower
        """
    def chunk(self, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """At most `chunks` consecutive pieces along `dim`, equal but for the last.

        The pieces are views. There may be fewer than `chunks`: five elements in four chunks are 2, 2 and 1.

        Args:
            chunks: how many pieces at most
            dim: the dim to work along: the first unless given
        """
    def clamp(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: `out = minimum(maximum(x, min), max)`.

        Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

        Args:
            min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
            max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clamp_(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: `out = minimum(maximum(x, min), max)`.

        Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

        Args:
            min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
            max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clamp_max(self, max: Tensor | _Number) -> Tensor:
        """Not above: `out = minimum(x, max)`.

        Args:
            max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clamp_max_(self, max: Tensor | _Number) -> Tensor:
        """Not above: `out = minimum(x, max)`.

        Args:
            max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clamp_min(self, min: Tensor | _Number) -> Tensor:
        """Not below: `out = maximum(x, min)`.

        Args:
            min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clamp_min_(self, min: Tensor | _Number) -> Tensor:
        """Not below: `out = maximum(x, min)`.

        Args:
            min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clip(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: `out = minimum(maximum(x, min), max)`.

        Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

        Args:
            min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
            max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clip_(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: `out = minimum(maximum(x, min), max)`.

        Where `min` is above `max`, the result is `max`. The gradient is zero outside the bounds.

        Args:
            min: the lower bound, a number or a tensor that broadcasts with `input`; None: no bound
            max: the upper bound, a number or a tensor that broadcasts with `input`; None: no bound
        """
    def clone(self, *, memory_format: Any = ...) -> Tensor:
        """A copy with a history: the gradient passes straight through.

        Gradients flow through: `detach().clone()` is a copy without history.

        Args:
            memory_format: the order of the elements in memory: `lw.contiguous_format`, `lw.channels_last`, or `lw.preserve_format`, that of the input
        """
    def combinations(self, r: _int = 2, with_replacement: _bool = False) -> Tensor:
        """Every choice of `r` elements of a vector, one row each.

        Args:
            r: how many are chosen
            with_replacement: True: an element can be chosen again
        """
    def conj(self) -> Tensor:
        """The complex conjugate; a real tensor itself.

        A view: nothing is computed, `is_conj()` is True, and what is written through it reaches `input`.
        `resolve_conj` gives it memory of its own, `conj_physical` computes at once.
        """
    def conj_physical(self) -> Tensor:
        """The complex conjugate; a real tensor itself."""
    def conj_physical_(self) -> Tensor:
        """`conj_physical`, in place."""
    def constant_pad_nd(self, pad: _int | Sequence[_int], value: _Number = 0) -> Tensor:
        """`x` with `value` before and after its last dimensions; a negative width crops.

        `pad` holds two widths for the last dimension, then two for the one before it, and so on.

        Args:
            pad: how many to add: two ints for each dim, the last dim's first; negative ones crop
            value: the number that is put in
        """
    def contiguous(self, memory_format: Any = ...) -> Tensor:
        """`input` itself if it lies in memory in this order, else a copy that does.

        A tensor that already lies so is returned itself.

        Args:
            memory_format: the order of the elements in memory: `lw.contiguous_format`, `lw.channels_last`, or `lw.preserve_format`, that of the input
        """
    def copy_(self, src: Tensor, non_blocking: _bool = False) -> Tensor:
        """Overwrite `x` with the values of `src`, cast to its dtype and broadcast to its shape.

        Args:
            src: the values that are put in
            non_blocking: taken and ignored: copies are finished when the call returns
        """
    def copysign(self, other: Tensor | _Number) -> Tensor:
        """The size of one with the sign of the other: `out = abs(x) * sign(y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def copysign_(self, other: Tensor | _Number) -> Tensor:
        """The size of one with the sign of the other: `out = abs(x) * sign(y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def corrcoef(self) -> Tensor:
        """Correlations of the rows of `input`: their covariances divided by both standard deviations."""
    def cos(self) -> Tensor:
        """Cosine: `out = cos(x)`."""
    def cos_(self) -> Tensor:
        """Cosine: `out = cos(x)`."""
    def cosh(self) -> Tensor:
        """Hyperbolic cosine: `out = (exp(x) + exp(-x)) / 2`."""
    def cosh_(self) -> Tensor:
        """Hyperbolic cosine: `out = (exp(x) + exp(-x)) / 2`."""
    def cosine_similarity(self, x2: Any, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-08) -> Tensor:
        """Cosine of the angle between vectors along `dim`: `sum(x1 * x2) / (norm(x1) * norm(x2))`, norms at least `eps`.

        Args:
            x2: the other
            dim: the dim to work along: the second unless given
            eps: what keeps the denominator or the difference from zero
        """
    def count_nonzero(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """How many elements along `dim` are not zero.

        Args:
            dim: the dim, or several, to reduce; None: all of them
        """
    def cov(self, *, correction: _int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """Covariances of the rows of `input`, whose columns are observations.

        `fweights` says how often each observation counts, `aweights` how much.

        Args:
            correction: what is taken off the number of elements in the divisor: 1 (Bessel's) estimates without bias, 0 divides by the number
            fweights: how often each observation counts; None: once
            aweights: how much each observation counts; None: the same
        """
    def cross(self, other: _Number | Tensor, dim: _int | None = None) -> Tensor:
        """Cross product along `dim`, by default the first dimension of size 3.

        Args:
            other: the second tensor
            dim: the dim, or several, to reduce; None: all of them
        """
    def cummax(self, dim: _int | Sequence[_int]) -> _ValuesIndices:
        """The largest so far along `dim`, and where it is (the last place of equals).

        Args:
            dim: the dim to run along; a negative one counts from the end
        """
    def cummin(self, dim: _int | Sequence[_int]) -> _ValuesIndices:
        """The smallest so far along `dim`, and where it is (the last place of equals).

        Args:
            dim: the dim to run along; a negative one counts from the end
        """
    def cumprod(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """`out[i] = x[0] * ... * x[i]` along `dim`; integers multiply in int64.

        Args:
            dim: the dim to run along; a negative one counts from the end
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def cumprod_(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """`out[i] = x[0] * ... * x[i]` along `dim`; integers multiply in int64.

        Args:
            dim: the dim to run along; a negative one counts from the end
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def cumsum(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """`out[i] = x[0] + ... + x[i]` along `dim`; integers add up in int64.

        The last place holds the whole sum.

        Args:
            dim: the dim to run along; a negative one counts from the end
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def cumsum_(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """`out[i] = x[0] + ... + x[i]` along `dim`; integers add up in int64.

        The last place holds the whole sum.

        Args:
            dim: the dim to run along; a negative one counts from the end
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def deg2rad(self) -> Tensor:
        """Degrees to radians: `out = x * pi / 180`."""
    def deg2rad_(self) -> Tensor:
        """Degrees to radians: `out = x * pi / 180`."""
    def det(self) -> Tensor:
        """The determinant."""
    def diag(self, diagonal: _int = 0) -> Tensor:
        """A vector as the diagonal of a matrix; of a matrix, a copy of its diagonal.

        Args:
            diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        """
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _Number = -1) -> Tensor:
        """Zeros with the last dim of `x` on a diagonal of the plane `dim1`, `dim2` of the result.

        Args:
            offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
            dim1: the first of the two dims that the diagonal runs through: the last but one unless given
            dim2: the second of them: the last unless given
        """
    def diagflat(self, offset: _int = 0) -> Tensor:
        """All elements, in order, as the diagonal of a matrix.

        Args:
            offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        """
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1) -> Tensor:
        """The elements whose place along `dim2` is `offset` further than along `dim1`, as the last dim.

        Args:
            offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
            dim1: the first of the two dims that the diagonal runs through
            dim2: the second of them
        """
    def diagonal_scatter(self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1) -> Tensor:
        """A copy of `x` with `src` on its diagonal.

        Args:
            src: the values that are put in
            offset: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
            dim1: the first of the two dims that the diagonal runs through
            dim2: the second of them
        """
    def diff(self, n: _int = 1, dim: _int | Sequence[_int] = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """Differences of neighbours along `dim`, `n` times over.

        Args:
            n: how often to take differences
            dim: the dim to work along: the last unless given
            prepend: what is put in front first; None: nothing
            append: what is put behind first; None: nothing
        """
    def digamma(self) -> Tensor:
        """Slope of lgamma."""
    def digamma_(self) -> Tensor:
        """Slope of lgamma."""
    def dist(self, other: Tensor | _Number, p: _Number = 2) -> Tensor:
        """The p-norm of a difference: `out = sum(abs(x - y) ** p) ** (1 / p)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            p: the order of the norm
        """
    def div(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        """
    def div_(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        """
    def divide(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        """
    def divide_(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        """
    def dot(self, tensor: Tensor) -> Tensor:
        """Product of two vectors: `out = sum_i x[i] * tensor[i]`, without conjugation.

        Args:
            tensor: the second vector
        """
    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the third dim.

        Args:
            indices_or_sections: how many pieces, or where to cut
        """
    def eq(self, other: Tensor | _Number) -> Tensor:
        """Equal: `out = x == y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def eq_(self, other: Tensor | _Number) -> Tensor:
        """Equal: `out = x == y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def equal(self, other: _Number | Tensor) -> _bool:
        """Whether two tensors have the same shape and elements, as a Python bool.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def erf(self) -> Tensor:
        """Error function: `out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x`."""
    def erf_(self) -> Tensor:
        """Error function: `out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x`."""
    def erfc(self) -> Tensor:
        """What the error function leaves: `out = 1 - erf(x)`."""
    def erfc_(self) -> Tensor:
        """What the error function leaves: `out = 1 - erf(x)`."""
    def erfinv(self) -> Tensor:
        """Inverse of the error function: `erf(out) = x`."""
    def erfinv_(self) -> Tensor:
        """Inverse of the error function: `erf(out) = x`."""
    def exp(self) -> Tensor:
        """Exponential function: `out = e ** x`."""
    def exp2(self) -> Tensor:
        """Power of two: `out = 2 ** x`."""
    def exp2_(self) -> Tensor:
        """Power of two: `out = 2 ** x`."""
    def exp_(self) -> Tensor:
        """Exponential function: `out = e ** x`."""
    @overload
    def expand(self, size: _int | Sequence[_int], implicit: _bool = False) -> Tensor:
        """Repeat dims of size one, and new leading dims, without copying: their stride is 0.

        A size of -1 stays as it is. Writing to the result writes the one element that several places share.

        Args:
            size: the shape of the view; one may be -1 and follows from the others
            implicit: without effect: PyTorch's tracer marks its own calls with it
        """
    @overload
    def expand(self, *size: _int, implicit: _bool = False) -> Tensor: ...
    def expand_as(self, other: _Number | Tensor) -> Tensor:
        """`input` repeated, without copying, to the shape of `other`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def expm1(self) -> Tensor:
        """Growth: `out = exp(x) - 1`, exact near 0."""
    def expm1_(self) -> Tensor:
        """Growth: `out = exp(x) - 1`, exact near 0."""
    def exponential_(self, lambd: _Number = 1.0, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers of density `lambd exp(-lambd x)`.

        Args:
            lambd: the rate: the mean is `1 / lambd`
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def fill_(self, value: Tensor | _Number) -> Tensor:
        """Overwrite `x` with `value`.

        Args:
            value: the number that is put in
        """
    def fill_diagonal_(self, fill_value: Any, wrap: _bool = False) -> Tensor:
        """Write `fill_value` where all indices are equal.

        Args:
            fill_value: the number to write
            wrap: True: in a tall matrix the diagonal starts anew, one row below its end
        """
    def fix(self) -> Tensor:
        """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`."""
    def fix_(self) -> Tensor:
        """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """The dims from `start_dim` to `end_dim` (included) run together into one.

        A view where the strides allow one, else a copy.

        Args:
            start_dim: the first dim to join
            end_dim: the last dim to join
        """
    @overload
    def flip(self, dims: _int | Sequence[_int]) -> Tensor:
        """The order along `dims` reversed.

        Args:
            dims: the dims to work along
        """
    @overload
    def flip(self, *dims: _int) -> Tensor: ...
    def fliplr(self) -> Tensor:
        """The columns in reverse order."""
    def flipud(self) -> Tensor:
        """The rows in reverse order."""
    def float_power(self, exponent: Tensor) -> Tensor:
        """Raise to a power in float64 or complex128: `out = input ** exponent`.

        Args:
            exponent: the power, a tensor or a number
        """
    def float_power_(self, exponent: Tensor) -> Tensor:
        """`float_power`, in place; `input` is float64 or complex128.

        Args:
            exponent: the power, a tensor or a number
        """
    def floor(self) -> Tensor:
        """The greatest integer that is not greater: `out <= x < out + 1`."""
    def floor_(self) -> Tensor:
        """The greatest integer that is not greater: `out <= x < out + 1`."""
    def floor_divide(self, other: Tensor | _Number) -> Tensor:
        """Divide and round down: `out = floor(x / y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def floor_divide_(self, other: Tensor | _Number) -> Tensor:
        """Divide and round down: `out = floor(x / y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two, the other one where one is nan.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def fmax_(self, other: Tensor) -> Tensor:
        """The larger of two, the other one where one is nan.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two, the other one where one is nan.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def fmin_(self, other: Tensor) -> Tensor:
        """The smaller of two, the other one where one is nan.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def fmod(self, other: Tensor | _Number) -> Tensor:
        """What rounding towards zero leaves: `out = x - trunc(x / y) * y`, with the sign of `x`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def fmod_(self, other: Tensor | _Number) -> Tensor:
        """What rounding towards zero leaves: `out = x - trunc(x / y) * y`, with the sign of `x`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def frac(self) -> Tensor:
        """What stands behind the point: `out = x - trunc(x)`."""
    def frac_(self) -> Tensor:
        """What stands behind the point: `out = x - trunc(x)`."""
    def frexp(self) -> _MantissaExponent:
        """Take a number apart: `x = mantissa * 2 ** exponent`, with 0.5 <= abs(mantissa) < 1."""
    def gather(self, dim: _int | Sequence[_int], index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """`out[p] = x[..., index[p], ...]` along `dim`: one element for each place `p` of `index`.

        `out[i][j] = input[index[i][j]][j]` for `dim=0`, `input[i][index[i][j]]` for `dim=1`; and so on.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            sparse_grad: False; True is refused, since there are no sparse gradients
        """
    def gcd(self, other: Tensor) -> Tensor:
        """Greatest common divisor, not negative.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def gcd_(self, other: Tensor) -> Tensor:
        """Greatest common divisor, not negative.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def ge(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: `out = x >= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def ge_(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: `out = x >= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def geometric_(self, p: Any, *, generator: _Generator | None = None) -> Tensor:
        """Fill with the number of the first success, `p` being the probability of each: `(1 - p)**(x - 1) p`.

        Args:
            p: the probability of success
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def geqrf(self) -> _ATau:
        """`R` of the QR decomposition on and above the diagonal of `a`, the reflections below it, a `tau` for each."""
    def ger(self, vec2: Tensor | _Number) -> Tensor:
        """All products of two elements: `out[i, j] = input[i] * vec2[j]`.

        Args:
            vec2: the second vector
        """
    def greater(self, other: Tensor | _Number) -> Tensor:
        """Greater: `out = x > y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def greater_(self, other: Tensor | _Number) -> Tensor:
        """Greater: `out = x > y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def greater_equal(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: `out = x >= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def greater_equal_(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: `out = x >= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def gt(self, other: Tensor | _Number) -> Tensor:
        """Greater: `out = x > y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def gt_(self, other: Tensor | _Number) -> Tensor:
        """Greater: `out = x > y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def hardshrink(self, lambd: _Number = 0.5) -> Tensor:
        """Nothing near zero: `out = 0 if abs(x) <= lambd else x`.

        Args:
            lambd: up to this distance from zero
        """
    def hash_tensor(self, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, mode: _str = 0) -> Tensor:
        """The exclusive or of all elements along `dim`, as the 64 bits of a float64 or an int64: a uint64.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            mode: 0: the exclusive or; there is no other
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """The unit step: 0 below zero, `values` at zero, 1 above.

        Args:
            values: the result where `input` is 0
        """
    def heaviside_(self, values: Tensor) -> Tensor:
        """The unit step: 0 below zero, `values` at zero, 1 above.

        Args:
            values: the result where `input` is 0
        """
    def histc(self, bins: _int = 100, min: _Number = 0, max: _Number = 0) -> Tensor:
        """How many elements fall into each of `bins` equal ranges between `min` and `max` (if equal: of `x`).

        Args:
            bins: how many bins
            min: where they begin
            max: where they end; with `min` equal to it, both are the data's
        """
    def histogram(self, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> _HistBinEdges:
        """How much of `input` falls into each bin, and the bins' edges.

        `bins` is a number of equal bins, from the smallest value to the largest or over `range`, or the edges themselves.
        `density` makes the area one.

        Args:
            bins: how many bins, or their edges; of several dims one for each
            range: the ends of the bins, two numbers for each dim; None: the smallest and the largest value
            weight: how much each sample counts; None: one
            density: True: the histogram's integral is one. False: counts, or sums of weights
        """
    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the columns (along the only dim of a vector).

        Args:
            indices_or_sections: how many pieces, or where to cut
        """
    def hypot(self, other: Tensor) -> Tensor:
        """Length of the vector (x, y): `out = sqrt(x ** 2 + y ** 2)`.

        Args:
            other: the second operand, broadcast with `input`
        """
    def hypot_(self, other: Tensor) -> Tensor:
        """Length of the vector (x, y): `out = sqrt(x ** 2 + y ** 2)`.

        Args:
            other: the second operand, broadcast with `input`
        """
    def i0(self) -> Tensor:
        """Modified Bessel function of order 0."""
    def i0_(self) -> Tensor:
        """Modified Bessel function of order 0."""
    def igamma(self, other: Tensor) -> Tensor:
        """Lower incomplete gamma function, regularized: `1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def igamma_(self, other: Tensor) -> Tensor:
        """Lower incomplete gamma function, regularized: `1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def igammac(self, other: Tensor) -> Tensor:
        """Upper incomplete gamma function, regularized: `out = 1 - igamma(x, y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def igammac_(self, other: Tensor) -> Tensor:
        """Upper incomplete gamma function, regularized: `out = 1 - igamma(x, y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def index_add(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, alpha: _Number = 1) -> Tensor:
        """`x` with `alpha * source` added to its slices at `index` along `dim`; repeated places add up.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            source: the values that are put in, in order
            alpha: the factor of `source`: 1 unless given
        """
    def index_add_(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, alpha: _Number = 1) -> Tensor:
        """`x` with `alpha * source` added to its slices at `index` along `dim`; repeated places add up.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            source: the values that are put in, in order
            alpha: the factor of `source`: 1 unless given
        """
    def index_copy(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor) -> Tensor:
        """`x` with its slices at `index` along `dim` replaced by `source`.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            source: the values that are put in, in order
        """
    def index_copy_(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor) -> Tensor:
        """`x` with its slices at `index` along `dim` replaced by `source`.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            source: the values that are put in, in order
        """
    def index_fill(self, dim: _int | Sequence[_int], index: Tensor, value: Tensor | _Number) -> Tensor:
        """`x` with its slices at `index` along `dim` filled with `value`.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            value: the number that is put in
        """
    def index_fill_(self, dim: _int | Sequence[_int], index: Tensor, value: Tensor | _Number) -> Tensor:
        """`x` with its slices at `index` along `dim` filled with `value`.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            value: the number that is put in
        """
    def index_put(self, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy of `input` with `values` written, or added, at the `indices` of its leading dims.

        Args:
            indices: an index tensor for each of the first dims; None leaves a dim whole
            values: what is put there; broadcast
            accumulate: True: add to what is there, repeated places included. False: write over it
        """
    def index_put_(self, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
        """Write, or add, `values` into `input` at the `indices` of its leading dims.

        Args:
            indices: an index tensor for each of the first dims; None leaves a dim whole
            values: what is put there; broadcast
            accumulate: True: add to what is there, repeated places included. False: write over it
        """
    def index_reduce(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`x` with all slices of `source` that go to one slice along `dim` reduced, together with it or without.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            source: the values that are put in
            reduce: how to put together what meets: `"sum"`, `"prod"`, `"mean"`, `"amax"` or `"amin"`
            include_self: True: what was in `input` takes part. False: it does not, where anything was put
        """
    def index_reduce_(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`x` with all slices of `source` that go to one slice along `dim` reduced, together with it or without.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            source: the values that are put in
            reduce: how to put together what meets: `"sum"`, `"prod"`, `"mean"`, `"amax"` or `"amin"`
            include_self: True: what was in `input` takes part. False: it does not, where anything was put
        """
    def index_select(self, dim: _int | Sequence[_int], index: Tensor) -> Tensor:
        """The slices of `x` at `index` along `dim`.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        """
    def inner(self, other: _Number | Tensor) -> Tensor:
        """Sums of products over the last dimensions: `out[..., *] = sum_j input[..., j] * other[*, j]`.

        Args:
            other: the second tensor
        """
    def inverse(self) -> Tensor:
        """The inverse: `x @ out = eye`."""
    def is_conj(self) -> _bool:
        """Whether it is a view of conjugates, which its memory does not hold."""
    def isclose(self, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> Tensor:
        """Equal up to rounding: `out = abs(input - other) <= atol + rtol * abs(other)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rtol: tolerance relative to `other`
            atol: absolute tolerance
            equal_nan: True: NaN is close to NaN. False: to nothing
        """
    def isfinite(self) -> Tensor:
        """It is neither infinite nor nan."""
    def isinf(self) -> Tensor:
        """It is infinite."""
    def isnan(self) -> Tensor:
        """It is not a number."""
    def isneginf(self) -> Tensor:
        """It is minus infinity."""
    def isposinf(self) -> Tensor:
        """It is plus infinity."""
    def isreal(self) -> Tensor:
        """Its imaginary part is 0."""
    def istft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Any = None, center: _bool = True, normalized: _bool = False, onesided: _bool | None = None, length: _int | None = None, return_complex: _bool = False) -> Tensor:
        """The inverse of `stft`: pieces are transformed back, weighed with the window again, added up where they
        overlap, and divided by the sum of the squared windows there.

        `input` is `(*, K, M)` and `out` is `(*, L)`, cut or continued by zeros to `length`.

        Args:
            n_fft: the number of points of each transform
            hop_length: how far pieces are apart; None: `n_fft // 4`
            win_length: the length of the window; None: `n_fft`
            window: the weights of a piece; None: ones
            center: True: pieces are centred on their places, and the signal is padded
            normalized: True: divide by `sqrt(n_fft)`
            onesided: True: the first half of the spectrum; None: where the signal is real
            length: the length of the signal; None: what the pieces give
            return_complex: True: complex numbers. False: pairs of real ones
        """
    def kron(self, other: _Number | Tensor) -> Tensor:
        """Each element of `input` times all of `other`, laid out in blocks: `out[i m + k] = input[i] * other[k]`.

        Args:
            other: the second tensor
        """
    def kthvalue(self, k: _int, dim: _int | Sequence[_int] = -1, keepdim: _bool = False) -> Tensor | Any:
        """The `k`-th smallest along `dim`, and where it is.

        Args:
            k: which: 1 is the smallest
            dim: the dim to work along: the last unless given
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def lcm(self, other: Tensor) -> Tensor:
        """Least common multiple, not negative.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def lcm_(self, other: Tensor) -> Tensor:
        """Least common multiple, not negative.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def ldexp(self, other: Tensor) -> Tensor:
        """Multiply by a power of two: `out = x * 2 ** y`, even where `2 ** y` alone is too large or too small.

        Args:
            other: the second operand, broadcast with `input`
        """
    def ldexp_(self, other: Tensor) -> Tensor:
        """Multiply by a power of two: `out = x * 2 ** y`, even where `2 ** y` alone is too large or too small.

        Args:
            other: the second operand, broadcast with `input`
        """
    def le(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: `out = x <= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def le_(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: `out = x <= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def lerp(self, end: Tensor, weight: Tensor | _Number) -> Tensor:
        """Go part of the way: `out = x + weight * (end - x)`.

        Args:
            end: what weight 1 gives
            weight: how far to go: 0 is `input`, 1 is `end`; a number or a tensor
        """
    def lerp_(self, end: Tensor, weight: Tensor | _Number) -> Tensor:
        """Go part of the way: `out = x + weight * (end - x)`.

        Args:
            end: what weight 1 gives
            weight: how far to go: 0 is `input`, 1 is `end`; a number or a tensor
        """
    def less(self, other: Tensor | _Number) -> Tensor:
        """Less: `out = x < y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def less_(self, other: Tensor | _Number) -> Tensor:
        """Less: `out = x < y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def less_equal(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: `out = x <= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def less_equal_(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: `out = x <= y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def lgamma(self) -> Tensor:
        """Logarithm of the absolute value of the gamma function."""
    def lgamma_(self) -> Tensor:
        """Logarithm of the absolute value of the gamma function."""
    def log(self) -> Tensor:
        """Natural logarithm: `exp(out) = x`."""
    def log10(self) -> Tensor:
        """Logarithm to base 10: `10 ** out = x`."""
    def log10_(self) -> Tensor:
        """Logarithm to base 10: `10 ** out = x`."""
    def log1p(self) -> Tensor:
        """Logarithm of one more: `out = log(1 + x)`, exact near 0."""
    def log1p_(self) -> Tensor:
        """Logarithm of one more: `out = log(1 + x)`, exact near 0."""
    def log2(self) -> Tensor:
        """Logarithm to base 2: `2 ** out = x`."""
    def log2_(self) -> Tensor:
        """Logarithm to base 2: `2 ** out = x`."""
    def log_(self) -> Tensor:
        """Natural logarithm: `exp(out) = x`."""
    def log_normal_(self, mean: _Number = 1.0, std: _Number = 2.0, *, generator: _Generator | None = None) -> Tensor:
        """Fill with numbers whose logarithm is normal: `x = exp(mean + std n)`.

        Args:
            mean: the mean of the logarithms
            std: their standard deviation
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def log_softmax(self, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
        """Logarithm of softmax: `out = x - log(sum(exp(x)))` along `dim`.

        More exact than `log(softmax(x))`, which is -inf where the share underflows.

        Args:
            dim: the dim whose shares add up to one
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def logaddexp(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms: `out = log(exp(x) + exp(y))`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logaddexp2(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms to base 2: `out = log2(2 ** x + 2 ** y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logaddexp2_(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms to base 2: `out = log2(2 ** x + 2 ** y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logaddexp_(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms: `out = log(exp(x) + exp(y))`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logcumsumexp(self, dim: _int | Sequence[_int]) -> Tensor:
        """`out[i] = log(exp(x[0]) + ... + exp(x[i]))` along `dim`.

        Args:
            dim: the dim to run along; a negative one counts from the end
        """
    def logdet(self) -> Tensor:
        """Logarithm of the determinant; NaN where it is negative."""
    def logical_and(self, other: Tensor) -> Tensor:
        """Both are true (not 0).

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logical_and_(self, other: Tensor) -> Tensor:
        """Both are true (not 0).

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logical_not(self) -> Tensor:
        """It is false (0)."""
    def logical_not_(self) -> Tensor:
        """It is false (0)."""
    def logical_or(self, other: Tensor) -> Tensor:
        """At least one is true (not 0).

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logical_or_(self, other: Tensor) -> Tensor:
        """At least one is true (not 0).

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logical_xor(self, other: Tensor) -> Tensor:
        """Exactly one is true (not 0).

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logical_xor_(self, other: Tensor) -> Tensor:
        """Exactly one is true (not 0).

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def logit(self, eps: _Number | None = None) -> Tensor:
        """Log-odds: `out = log(x / (1 - x))`, with x first brought within [eps, 1 - eps].

        Args:
            eps: `input` is kept in [eps, 1 - eps] first; None: it isn't
        """
    def logit_(self, eps: _Number | None = None) -> Tensor:
        """Log-odds: `out = log(x / (1 - x))`, with x first brought within [eps, 1 - eps].

        Args:
            eps: `input` is kept in [eps, 1 - eps] first; None: it isn't
        """
    def logsumexp(self, dim: _int | Sequence[_int], keepdim: _bool = False) -> Tensor:
        """`out = log(sum(exp(x)))` along `dim`.

        Computed relative to the largest element, so that no exponential overflows.

        Args:
            dim: the dim, or several, to reduce
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def lt(self, other: Tensor | _Number) -> Tensor:
        """Less: `out = x < y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def lt_(self, other: Tensor | _Number) -> Tensor:
        """Less: `out = x < y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]:
        """The older form of `linalg.lu_factor`.

        Args:
            pivot: True: exchange rows for accuracy, as a general matrix needs. False is refused on the CPU
            get_infos: True: also whether each factorization succeeded
        """
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The older form of `linalg.lu_solve`.

        Args:
            LU_data: the factors as `lu_factor` packs them
            LU_pivots: the exchanges of rows that it returned
        """
    def masked_fill(self, mask: Tensor, value: Tensor | _Number) -> Tensor:
        """`x` with `value` wherever `mask` is true.

        Args:
            mask: a tensor of bools that broadcasts with `input`: True where it applies
            value: the number that is put in
        """
    def masked_fill_(self, mask: Tensor, value: Tensor | _Number) -> Tensor:
        """`x` with `value` wherever `mask` is true.

        Args:
            mask: a tensor of bools that broadcasts with `input`: True where it applies
            value: the number that is put in
        """
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """`x` with the elements of `source`, in order, where `mask` is true.

        Args:
            mask: a tensor of bools that broadcasts with `input`: True where it applies
            source: the values that are put in, in order
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """`x` with the elements of `source`, in order, where `mask` is true.

        Args:
            mask: a tensor of bools that broadcasts with `input`: True where it applies
            source: the values that are put in, in order
        """
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements of `x` where `mask` is true, in row-major order.

        Args:
            mask: a tensor of bools that broadcasts with `input`: True where it applies
        """
    def matmul(self, other: _Number | Tensor) -> Tensor:
        """Product of vectors, matrices or batches of them: `out = input @ other`.

        Two matrices: their product. A vector counts as a row on the left and as a column on the right, and that dimension
        is dropped from the result. With three or more dimensions, the leading ones are batches and broadcast.

        Args:
            other: the second factor
        """
    def matrix_exp(self) -> Tensor:
        """`sum_k x^k / k!`: the exponential of a matrix. That of a turn by an angle is the rotation."""
    def matrix_power(self, n: _int) -> Tensor:
        """The product of `n` copies of a square matrix; of its inverse for negative `n`.

        Args:
            n: the power; below 0, of the inverse
        """
    def max(self, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
        """The largest of everything; or along `dim`, with its place; or, given another tensor, of each pair.

        With `dim` the result is a named tuple of `values` and `indices`.

        Args:
            dim: the dim to search; None: all elements, and the value alone
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            other: a second tensor, for the larger of each pair
        """
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two, nan if either is: `out = max(x, y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def maximum_(self, other: Tensor) -> Tensor:
        """The larger of two, nan if either is: `out = max(x, y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def mean(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum along `dim` divided by how many were added.

        The mean of nothing is NaN. Integers have none: give a floating `dtype`, or call `x.float()` first.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def median(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
        """The middle element in order (the lower of two); along `dim`, with its place.

        Args:
            dim: the dim to search; None: all elements, and the value alone
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def min(self, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
        """The smallest of everything; or along `dim`, with its place; or, given another tensor, of each pair.

        Args:
            dim: the dim to search; None: all elements, and the value alone
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            other: a second tensor, for the smaller of each pair
        """
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two, nan if either is: `out = min(x, y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def minimum_(self, other: Tensor) -> Tensor:
        """The smaller of two, nan if either is: `out = min(x, y)`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def mm(self, mat2: Tensor) -> Tensor:
        """Product of two matrices: `out[i, k] = sum_j x[i, j] * mat2[j, k]`.

        `(n, m)` and `(m, p)` give `(n, p)`. For vectors and batches use `matmul`.

        Args:
            mat2: the matrix on the right
        """
    def mode(self, dim: _int | Sequence[_int] = -1, keepdim: _bool = False) -> Tensor | Any:
        """The most frequent value along `dim`, and where it is.

        Args:
            dim: the dim to work along: the last unless given
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def moveaxis(self, source: Tensor, destination: Any) -> Tensor:
        """The dims `source` moved to the places `destination`; the others keep their order.

        Args:
            source: the dims to move
            destination: where each of `source` goes
        """
    def movedim(self, source: Tensor, destination: Any) -> Tensor:
        """The dims `source` moved to the places `destination`; the others keep their order.

        Args:
            source: the dims to move
            destination: where each of `source` goes
        """
    def msort(self) -> Tensor:
        """`input` in order along its first dim."""
    def mul(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: `out = x * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def mul_(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: `out = x * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def multinomial(self, num_samples: _int, replacement: _bool = False, *, generator: _Generator | None = None) -> Tensor:
        """Numbers of categories, drawn with the weights in `input`: a 1-D tensor, or a row of them per row of draws.

        Without `replacement` no number is drawn twice in a row of draws.

        Args:
            num_samples: how many to draw from each row
            replacement: True: one can be drawn again. False: it can't
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def multiply(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: `out = x * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def multiply_(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: `out = x * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def mv(self, vec: Tensor) -> Tensor:
        """Product of a matrix and a vector: `out[i] = sum_j x[i, j] * vec[j]`.

        Args:
            vec: the vector on the right
        """
    def mvlgamma(self, p: Any) -> Tensor:
        """Logarithm of the multivariate gamma function: `out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))`, j < p.

        Args:
            p: the number of dimensions
        """
    def mvlgamma_(self, p: Any) -> Tensor:
        """Logarithm of the multivariate gamma function: `out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))`, j < p.

        Args:
            p: the number of dimensions
        """
    def nan_to_num(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """Finite stand-ins for nan (0) and the infinities (the largest and smallest number).

        Args:
            nan: what NaN becomes; None: 0
            posinf: what inf becomes; None: the largest number
            neginf: what -inf becomes; None: the smallest number
        """
    def nan_to_num_(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """Finite stand-ins for nan (0) and the infinities (the largest and smallest number).

        Args:
            nan: what NaN becomes; None: 0
            posinf: what inf becomes; None: the largest number
            neginf: what -inf becomes; None: the smallest number
        """
    def nanmean(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean along `dim` of what is not NaN.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def nanmedian(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
        """The middle of what is not NaN; along `dim`, with its place.

        Args:
            dim: the dim to search; None: all elements, and the value alone
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
        """
    def nanquantile(self, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The quantile `q` of what is not NaN.

        Args:
            q: which shares, in [0, 1]: 0.5 is the median; a number or a 1-D tensor
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            interpolation: what to take between two values: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`
        """
    def nansum(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum along `dim` with NaN counted as zero.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def narrow(self, dim: _int | Sequence[_int], start: _int, length: _int) -> Tensor:
        """The `length` places from `start` on along `dim`.

        Args:
            dim: the dim to work along; a negative one counts from the end
            start: where it begins
            length: how many
        """
    def ne(self, other: Tensor | _Number) -> Tensor:
        """Different: `out = x != y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def ne_(self, other: Tensor | _Number) -> Tensor:
        """Different: `out = x != y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def neg(self) -> Tensor:
        """Change the sign: `out = -x`."""
    def neg_(self) -> Tensor:
        """Change the sign: `out = -x`."""
    def negative(self) -> Tensor:
        """Change the sign: `out = -x`."""
    def negative_(self) -> Tensor:
        """Change the sign: `out = -x`."""
    def new_empty(self, *args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, memory_format: Any | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of shape `size` with whatever its memory held before.

        What is in it is whatever was in that memory.

        Args:
            args: what stands in the place of `size` when it is spread over the call
            size: the shape of the result: ints, or one sequence of ints
            memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
            dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
            layout: `lw.strided` or None, which mean the same: there is no other
            device: `"cpu"` or None, which mean the same: there is no other
            pin_memory: False; True is refused, since there is no accelerator to copy to
            requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        """
    def new_empty_strided(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """An uninitialised tensor with these strides.

        Args:
            size: the shape of the result: ints, or one sequence of ints
            stride: for each dim how many elements apart its neighbours are
            dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
            layout: `lw.strided` or None, which mean the same: there is no other
            device: `"cpu"` or None, which mean the same: there is no other
            pin_memory: False; True is refused, since there is no accelerator to copy to
            requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        """
    def new_full(self, size: _int | Sequence[_int], fill_value: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of shape `size` whose every element is `fill_value`, which chooses the dtype.

        Args:
            size: the shape of the result: ints, or one sequence of ints
            fill_value: the number that every element gets
            dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
            layout: `lw.strided` or None, which mean the same: there is no other
            device: `"cpu"` or None, which mean the same: there is no other
            pin_memory: False; True is refused, since there is no accelerator to copy to
            requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        """
    def new_ones(self, *args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of ones of shape `size`.

        Args:
            args: what stands in the place of `size` when it is spread over the call
            size: the shape of the result: ints, or one sequence of ints
            dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
            layout: `lw.strided` or None, which mean the same: there is no other
            device: `"cpu"` or None, which mean the same: there is no other
            pin_memory: False; True is refused, since there is no accelerator to copy to
            requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        """
    def new_zeros(self, *args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of zeros of shape `size`.

        Args:
            args: what stands in the place of `size` when it is spread over the call
            size: the shape of the result: ints, or one sequence of ints
            dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
            layout: `lw.strided` or None, which mean the same: there is no other
            device: `"cpu"` or None, which mean the same: there is no other
            pin_memory: False; True is refused, since there is no accelerator to copy to
            requires_grad: True: backward fills the `.grad` of the result. False: no gradient is asked for
        """
    def nextafter(self, other: Tensor) -> Tensor:
        """The number next to `x` on the way to `y`: `x` itself where they are equal.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def nextafter_(self, other: Tensor) -> Tensor:
        """The number next to `x` on the way to `y`: `x` itself where they are equal.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor | Any:
        """The places of the nonzero elements: one row each, or one tensor per dim.

        Args:
            as_tuple: True: one tensor of places for each dim. False: one row for each element
        """
    def nonzero_static(self, *, size: _int, fill_value: _int = -1) -> Tensor:
        """The places of the elements that are not zero, cut off or filled up to `size` rows.

        Args:
            size: the shape of the result
            fill_value: the number that every element gets
        """
    def norm(self, p: _Number | _str = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
        """The vector norm of order `p` along `dim`; `"fro"` is 2, `"nuc"` sums the singular values of a matrix.

        Args:
            p: the order of the norm; `"fro"` is 2, `"nuc"` the sum of the singular values
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def normal_(self, mean: _Number = 0.0, std: _Number = 1.0, *, generator: _Generator | None = None) -> Tensor:
        """Fill with normal numbers: `x = mean + std n`.

        Args:
            mean: the mean of the normal numbers
            std: their standard deviation
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def not_equal(self, other: Tensor | _Number) -> Tensor:
        """Different: `out = x != y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def not_equal_(self, other: Tensor | _Number) -> Tensor:
        """Different: `out = x != y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def orgqr(self, tau: Tensor) -> Tensor:
        """The first columns of the `Q` whose reflections `geqrf` keeps in `x` and `tau`, as many as `x` has.

        Args:
            tau: the factor of each reflection
        """
    def ormqr(self, tau: Tensor, other: Tensor, left: _bool = True, transpose: _bool = False) -> Tensor:
        """`Q @ y` for the square `Q` of `geqrf`'s reflections; `y @ Q` unless `left`; `Q^H` with `transpose`.

        Args:
            tau: the factor of each reflection
            other: the matrix to multiply
            left: True: `Q @ other`. False: `other @ Q`
            transpose: True: with Q's adjoint. False: with Q
        """
    def outer(self, vec2: Tensor | _Number) -> Tensor:
        """All products of two elements: `out[i, j] = input[i] * vec2[j]`.

        Args:
            vec2: the second vector
        """
    @overload
    def permute(self, dims: _int | Sequence[_int]) -> Tensor:
        """The dims in another order: dim `i` of the result is dim `dims[i]` of `x`.

        Nothing is copied: the strides change places.

        Args:
            dims: the dims in their new order
        """
    @overload
    def permute(self, *dims: _int) -> Tensor: ...
    def pinverse(self, rcond: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
        """The pseudoinverse: the inverse where there is one, and the shortest least-squares solution otherwise.

        Singular values up to `max(atol, rtol * largest)` count as zero; `rcond` is the older name of `rtol`.

        Args:
            rcond: the older name of `rtol`
            hermitian: True: the matrix is taken to be hermitian (symmetric, if real), which is faster; it isn't checked
            atol: singular values up to this count as zero; None: 0
            rtol: ... or up to this share of the largest; None: `max(m, n)` times the dtype's `eps`, or 0 where `atol` is given
        """
    def pixel_shuffle(self, upscale_factor: _int) -> Tensor:
        """Turn groups of channels into blocks of pixels: `(*, c r r, h, w) -> (*, c, h r, w r)`.

        Args:
            upscale_factor: how many times as high and wide
        """
    def pixel_unshuffle(self, downscale_factor: _int) -> Tensor:
        """Turn blocks of pixels into groups of channels: `(*, c, h r, w r) -> (*, c r r, h, w)`.

        Args:
            downscale_factor: how many times as high and wide the input is
        """
    def polygamma(self, n: _int) -> Tensor:
        """The `n`-th derivative of digamma.

        Args:
            n: the order of the derivative
        """
    def polygamma_(self, n: _int) -> Tensor:
        """`polygamma`, in place.

        Args:
            n: the order of the derivative
        """
    def positive(self) -> Tensor:
        """The tensor itself: `out = +x`."""
    def pow(self, exponent: Tensor | _Number) -> Tensor:
        """Raise to a power: `out = x ** exponent`.

        Args:
            exponent: the power, a tensor or a number
        """
    def pow_(self, exponent: Tensor | _Number) -> Tensor:
        """Raise to a power: `out = x ** exponent`.

        Args:
            exponent: the power, a tensor or a number
        """
    def prelu(self, weight: Tensor) -> Tensor:
        """Ramp with a learnt slope below zero, one for all or one per channel (dim 1).

        Args:
            weight: the slopes below zero: one, or one per channel
        """
    def prod(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """Multiply along one `dim`, or everything; integers multiply in int64.

        Args:
            dim: the dim to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """`x` with `source` written, or added, at the flat places `index`.

        Args:
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            source: the values that are put in, in order
            accumulate: True: add to what is there, repeated places included. False: write over it
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """`x` with `source` written, or added, at the flat places `index`.

        Args:
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
            source: the values that are put in, in order
            accumulate: True: add to what is there, repeated places included. False: write over it
        """
    def qr(self, some: _bool = True) -> _QR:
        """The older form of `linalg.qr`.

        Args:
            some: True: Q has `min(m, n)` columns. False: it is square
        """
    def quantile(self, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The value below which a part `q` of the elements along `dim` lies.

        Args:
            q: which shares, in [0, 1]: 0.5 is the median; a number or a 1-D tensor
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            interpolation: what to take between two values: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`
        """
    def rad2deg(self) -> Tensor:
        """Radians to degrees: `out = x * 180 / pi`."""
    def rad2deg_(self) -> Tensor:
        """Radians to degrees: `out = x * 180 / pi`."""
    def random_(self, from_: Any = None, to: Any = ..., *, generator: _Generator | None = None) -> Tensor:
        """Fill with integers: all that the dtype holds exactly from 0 on; with one number below it; or in [from, to).

        Args:
            from_: the smallest number, or, alone, the end; None: 0
            to: the end, which is not drawn; None: as far as the dtype goes
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def ravel(self) -> Tensor:
        """All elements in one dim."""
    def reciprocal(self) -> Tensor:
        """One over: `out = 1 / x`."""
    def reciprocal_(self) -> Tensor:
        """One over: `out = 1 / x`."""
    def relu(self) -> Tensor:
        """Ramp: `out = max(x, 0)`."""
    def relu_(self) -> Tensor:
        """Ramp: `out = max(x, 0)`."""
    def remainder(self, other: Tensor | _Number) -> Tensor:
        """What rounding down leaves: `out = x - floor(x / y) * y`, with the sign of `y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def remainder_(self, other: Tensor | _Number) -> Tensor:
        """What rounding down leaves: `out = x - floor(x / y) * y`, with the sign of `y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def renorm(self, p: Any, dim: _int | Sequence[_int], maxnorm: Any) -> Tensor:
        """Slices along `dim` whose `p`-norm exceeds `maxnorm`, scaled down to it.

        Args:
            p: the order of the norm
            dim: the dim whose slices are measured
            maxnorm: the norm that none may exceed
        """
    def renorm_(self, p: Any, dim: _int | Sequence[_int], maxnorm: Any) -> Tensor:
        """Slices along `dim` whose `p`-norm exceeds `maxnorm`, scaled down to it.

        Args:
            p: the order of the norm
            dim: the dim whose slices are measured
            maxnorm: the norm that none may exceed
        """
    @overload
    def repeat(self, repeats: _int | Sequence[_int]) -> Tensor:
        """`x` laid out again and again: `repeats` copies along each dim, new dims in front.

        Args:
            repeats: how often along each dim; more than there are dims put new ones in front
        """
    @overload
    def repeat(self, *repeats: _int) -> Tensor: ...
    def repeat_interleave(self, repeats: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, *, output_size: _int | None = None) -> Tensor:
        """Each element (or slice along `dim`) `repeats` times in a row; a lone tensor of counts gives the places.

        Args:
            repeats: how often: an int for all, or a tensor with one for each; None: `input` holds the counts
            dim: the dim to work along; None: all elements in a row
            output_size: the size of the result, if it is known; None: it is computed
        """
    def reshape(self, *sizes: _int | Sequence[_int], shape: _int | Sequence[_int] | None = None) -> Tensor:
        """Another `shape`: a view where the strides allow one, else a copy.

        One size may be -1: it is what the number of elements leaves.

        Args:
            sizes: the new sizes; one may be -1 and follows from the others
            shape: the new shape, as one sequence
        """
    def reshape_as(self, other: _Number | Tensor) -> Tensor:
        """`input` in the shape of `other`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def resolve_conj(self) -> Tensor:
        """A view of conjugates (`is_conj()`) in memory of its own; any other tensor itself."""
    def resolve_neg(self) -> Tensor:
        """A view of negatives (`is_neg()`) in memory of its own; any other tensor itself."""
    def roll(self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ...) -> Tensor:
        """Move everything `shifts` places on along `dims`; what falls off one end enters at the other.

        Args:
            shifts: how many places to move, for each of `dims`; below 0 backwards
            dims: the dims to roll along; empty: all elements in a row
        """
    def rot90(self, k: _int = 1, dims: _int | Sequence[_int] = ...) -> Tensor:
        """Turn the plane of two dims by `k` times 90 degrees, from the first towards the second.

        Args:
            k: how many quarter turns
            dims: the plane to turn in, from the first dim towards the second
        """
    def round(self, *, decimals: _int = 0) -> Tensor:
        """The nearest number with `decimals` digits behind the point, the even one of two.

        Args:
            decimals: the number of digits behind the point; below 0, before it
        """
    def round_(self, *, decimals: _int = 0) -> Tensor:
        """The nearest number with `decimals` digits behind the point, the even one of two.

        Args:
            decimals: the number of digits behind the point; below 0, before it
        """
    def rrelu(self, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
        """Ramp whose slope below zero is random in `training`, else halfway between the bounds.

        Args:
            lower: the least slope below zero
            upper: the greatest slope below zero
            training: True: slopes are drawn. False: `(lower + upper) / 2`
            inplace: True: `input` is overwritten with the result and returned
        """
    def rsqrt(self) -> Tensor:
        """Reciprocal of the square root: `out = 1 / sqrt(x)`."""
    def rsqrt_(self) -> Tensor:
        """Reciprocal of the square root: `out = 1 / sqrt(x)`."""
    def rsub(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: `out = y - alpha * x`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `input` is multiplied by: 1 unless given
        """
    def rsub_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: `out = y - alpha * x`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `input` is multiplied by: 1 unless given
        """
    def scatter(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor | _Number | None = None, *, value: Any = None, reduce: _str | None = None) -> Tensor:
        """`x` with `out[..., index[p], ...] = src[p]` along `dim` (or a number everywhere); `reduce` combines instead.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            src: the values that are put in
            value: a number in place of `src`; None: `src` is given
            reduce: None: written over. `"add"`, `"multiply"`: combined with what is there
        """
    def scatter_(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor | _Number | None = None, *, value: Any = None, reduce: _str | None = None) -> Tensor:
        """`x` with `out[..., index[p], ...] = src[p]` along `dim` (or a number everywhere); `reduce` combines instead.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            src: the values that are put in
            value: a number in place of `src`; None: `src` is given
            reduce: None: written over. `"add"`, `"multiply"`: combined with what is there
        """
    def scatter_add(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor) -> Tensor:
        """`x` with `out[..., index[p], ...] += src[p]` along `dim`; repeated places add up.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            src: the values that are put in
        """
    def scatter_add_(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor) -> Tensor:
        """`x` with `out[..., index[p], ...] += src[p]` along `dim`; repeated places add up.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            src: the values that are put in
        """
    def scatter_reduce(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`x` with all `src[p]` that arrive at one place along `dim` reduced, together with what was there or without.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            src: the values that are put in
            reduce: how to put together what meets: `"sum"`, `"prod"`, `"mean"`, `"amax"` or `"amin"`
            include_self: True: what was in `input` takes part. False: it does not, where anything was put
        """
    def scatter_reduce_(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """`x` with all `src[p]` that arrive at one place along `dim` reduced, together with what was there or without.

        Args:
            dim: the dim that `index` counts along
            index: for each element its place along `dim`; no larger than `input` in the other dims
            src: the values that are put in
            reduce: how to put together what meets: `"sum"`, `"prod"`, `"mean"`, `"amax"` or `"amin"`
            include_self: True: what was in `input` takes part. False: it does not, where anything was put
        """
    def select(self, dim: _int | Sequence[_int], index: _int) -> Tensor:
        """The part at `index` along `dim`; that dim is gone.

        Args:
            dim: the dim to work along; a negative one counts from the end
            index: the place along `dim`; a negative one counts from the end
        """
    def select_scatter(self, src: Tensor, dim: _int | Sequence[_int], index: _int) -> Tensor:
        """A copy of `x` with `src` in the place of `x.select(dim, index)`.

        Args:
            src: the values that are put in
            dim: the dim to work along; a negative one counts from the end
            index: the place along `dim`; a negative one counts from the end
        """
    def selu(self) -> Tensor:
        """The ELU whose outputs keep mean 0 and variance 1.

        `out = scale * x` above 0, `scale * alpha * (exp(x) - 1)` below, with scale = 1.0507 and alpha = 1.6733.
        """
    def selu_(self) -> Tensor:
        """The ELU whose outputs keep mean 0 and variance 1.

        `out = scale * x` above 0, `scale * alpha * (exp(x) - 1)` below, with scale = 1.0507 and alpha = 1.6733.
        """
    def sgn(self) -> Tensor:
        """Direction from zero: `out = x / abs(x)`, and 0 at 0."""
    def sgn_(self) -> Tensor:
        """Direction from zero: `out = x / abs(x)`, and 0 at 0."""
    def sigmoid(self) -> Tensor:
        """Squash to (0, 1): `out = 1 / (1 + exp(-x))`.

        Exact at both ends: no exponential overflows.
        """
    def sigmoid_(self) -> Tensor:
        """Squash to (0, 1): `out = 1 / (1 + exp(-x))`.

        Exact at both ends: no exponential overflows.
        """
    def sign(self) -> Tensor:
        """Which side of zero: `out = -1, 0 or 1`."""
    def sign_(self) -> Tensor:
        """Which side of zero: `out = -1, 0 or 1`."""
    def signbit(self) -> Tensor:
        """Whether the sign bit is set: true for negative numbers and for -0."""
    def signbit_(self) -> Tensor:
        """Whether the sign bit is set: true for negative numbers and for -0."""
    def sin(self) -> Tensor:
        """Sine: `out = sin(x)`."""
    def sin_(self) -> Tensor:
        """Sine: `out = sin(x)`."""
    def sinc(self) -> Tensor:
        """Sine by its angle: `out = sin(pi x) / (pi x)`, and 1 at 0."""
    def sinc_(self) -> Tensor:
        """Sine by its angle: `out = sin(pi x) / (pi x)`, and 1 at 0."""
    def sinh(self) -> Tensor:
        """Hyperbolic sine: `out = (exp(x) - exp(-x)) / 2`."""
    def sinh_(self) -> Tensor:
        """Hyperbolic sine: `out = (exp(x) - exp(-x)) / 2`."""
    def slice_scatter(self, src: Tensor, dim: _int | Sequence[_int] = 0, start: _int | None = None, end: Any = None, step: _int = 1) -> Tensor:
        """A copy of `x` with `src` in the place of its slice `start:end:step` along `dim`.

        Args:
            src: the values that are put in
            dim: the dim to work along: the first unless given
            start: where the slice begins; None: at 0
            end: where it ends, not included; None: at the end
            step: the distance of its elements
        """
    def slogdet(self) -> _SignLogabsdet:
        """Sign and logarithm of the determinant: `det(x) = sign * exp(logabsdet)`, where the determinant would overflow."""
    def softmax(self, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
        """Exponentials as shares of their sum: `out = exp(x) / sum(exp(x))` along `dim`.

        The shares are positive and add up to one. The largest element is subtracted first, so that nothing overflows.

        Args:
            dim: the dim whose shares add up to one
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def sort(self, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool | None = None) -> _ValuesIndices:
        """`x` in order along `dim`, and where each element was; with `stable`, equals keep their order.

        Args:
            dim: the dim to work along; None, where it is taken: all elements in a row
            descending: True: the largest first. False: the smallest first
            stable: True: equal elements stay in order. None and False: they need not, but do here
        """
    def split(self, split_size_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """Consecutive pieces along `dim`: all of one size, or of the sizes in a list.

        The pieces are views: writing to one writes to `input`.

        Args:
            split_size_or_sections: the size of each piece, the last may be smaller; or a list of sizes
            dim: the dim to work along: the first unless given
        """
    def split_with_sizes(self, split_sizes: Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """Consecutive pieces of these sizes along `dim`.

        Args:
            split_sizes: the sizes of the pieces
            dim: the dim to work along: the first unless given
        """
    def sqrt(self) -> Tensor:
        """Square root: `out * out = x`, not negative."""
    def sqrt_(self) -> Tensor:
        """Square root: `out * out = x`, not negative."""
    def square(self) -> Tensor:
        """Multiply by itself: `out = x ** 2`."""
    def square_(self) -> Tensor:
        """Multiply by itself: `out = x ** 2`."""
    @overload
    def squeeze(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Drop the dims of size one: all of them, or those named.

        A dim of another size stays, even if it is named.

        Args:
            dim: the dims to drop, where they are of size one; None: all such
        """
    @overload
    def squeeze(self, *dim: _int) -> Tensor: ...
    def std(self, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Number | None = None) -> Tensor:
        """The standard deviation along `dim`: the square root of the variance.

        The root of the variance, whose divisor is the number of elements less `correction`, 1 unless given.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            unbiased: the older way to say `correction`: True is 1, False is 0; None: it is not given
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            correction: what is taken off the number of elements in the divisor; None: 1 (Bessel's), which estimates without bias
        """
    def stft(self, n_fft: _int, hop_length: _int | None = None, win_length: _int | None = None, window: Any = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: _bool | None = None, return_complex: _bool | None = None, align_to_window: Any = None) -> Tensor:
        """Short-time Fourier transform: `out[..., k, m] = sum_j window[j] input[m hop + j] exp(-2 pi i j k / n_fft)`.

        `input` is `(*, L)` and `out` is `(*, K, M)`: `K = n_fft // 2 + 1` frequencies (all `n_fft` without
        `onesided`) of `M` pieces. With `center` the signal is padded by half a piece at both ends, in `pad_mode`.

        Args:
            n_fft: the number of points of each transform
            hop_length: how far pieces are apart; None: `n_fft // 4`
            win_length: the length of the window; None: `n_fft`
            window: the weights of a piece; None: ones
            center: True: pieces are centred on their places, and the signal is padded
            pad_mode: how it is padded, as in `pad`
            normalized: True: divide by `sqrt(n_fft)`
            onesided: True: the first half of the spectrum; None: where the signal is real
            return_complex: True: complex numbers. False: pairs of real ones
            align_to_window: True: pieces begin where the window does; None and False: where the transform does; only without `center`
        """
    def sub(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: `out = x - alpha * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `other` is multiplied by: 1 unless given
        """
    def sub_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: `out = x - alpha * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `other` is multiplied by: 1 unless given
        """
    def subtract(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: `out = x - alpha * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `other` is multiplied by: 1 unless given
        """
    def subtract_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: `out = x - alpha * y`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            alpha: the number that `other` is multiplied by: 1 unless given
        """
    def sum(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """Add up along `dim`; integers add up in int64.

        `dim` is dropped from the shape, or has size 1 with `keepdim`. The sum of nothing is 0.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            dtype: the dtype to compute in and of the result; None: what follows from the inputs
        """
    def sum_to_size(self, *size: _int | Sequence[_int]) -> Tensor:
        """Sum away what broadcasting from `size` would have added.

        Args:
            size: the shape of the result
        """
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> _USV:
        """The older form of `linalg.svd`: `input = U @ diag(S) @ V^H`.

        Args:
            some: True: U and V have `min(m, n)` columns. False: they are square
            compute_uv: False: zeros in place of U and V
        """
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Exchange two dims.

        Args:
            axis0: one of the two dims
            axis1: the other dim
        """
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dims.

        Nothing is copied: two strides change places.

        Args:
            dim0: one of the two dims
            dim1: the other dim
        """
    def t(self) -> Tensor:
        """The transpose of a matrix; a vector or a number stays as it is."""
    def take(self, index: Tensor) -> Tensor:
        """The elements of `x`, seen as flat, at `index`.

        Args:
            index: a tensor of ints: places along `dim`; of `take` and `put`, in the tensor as if it were flat
        """
    def take_along_dim(self, indices: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """The elements at `indices` along `dim`; the other dims broadcast.

        Args:
            indices: the places along `dim`; broadcast with `input`
            dim: the dim to work along; None: all elements in a row
        """
    def tan(self) -> Tensor:
        """Tangent: `out = sin(x) / cos(x)`."""
    def tan_(self) -> Tensor:
        """Tangent: `out = sin(x) / cos(x)`."""
    def tanh(self) -> Tensor:
        """Hyperbolic tangent: `out = sinh(x) / cosh(x)`."""
    def tanh_(self) -> Tensor:
        """Hyperbolic tangent: `out = sinh(x) / cosh(x)`."""
    def tensor_split(self, indices_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """Pieces along `dim`: so many of nearly equal size, or cut at the given places.

        Args:
            indices_or_sections: how many pieces, or where to cut
            dim: the dim to work along: the first unless given
        """
    def threshold(self, threshold: Any, value: Any) -> Tensor:
        """Nothing changes above the threshold: `out = x if x > threshold else value`.

        Args:
            threshold: up to here
            value: the result up to there
        """
    def threshold_(self, threshold: Any, value: Any) -> Tensor:
        """Nothing changes above the threshold: `out = x if x > threshold else value`.

        Args:
            threshold: up to here
            value: the result up to there
        """
    def tile(self, *dims: _int | Sequence[_int]) -> Tensor:
        """:meth:`repeat`, with missing leading repeats counted as one.

        Args:
            dims: how often along each dim
        """
    def topk(self, k: _int, dim: _int | Sequence[_int] = -1, largest: _bool = True, sorted: _bool = True) -> _ValuesIndices:
        """The `k` largest (or smallest) along `dim` in order, and where they are.

        The places are those in `input` along `dim`.

        Args:
            k: how many
            dim: the dim to work along; None, where it is taken: all elements in a row
            largest: True: the largest. False: the smallest
            sorted: True and False: in order here
        """
    def trace(self) -> Tensor:
        """Sum of the diagonal: `out = sum_i x[i, i]`."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dims.

        Nothing is copied: two strides change places.

        Args:
            dim0: one of the two dims
            dim1: the other dim
        """
    def triangular_solve(self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False) -> _SolutionClonedCoefficient:
        """The `solution` with `A @ solution = x`, or `A^T @ solution = x`; one triangle of `A` is read. And `A`.

        Args:
            A: the matrix, or a batch of matrices `(*, m, n)`
            upper: True: the upper triangle. False: the lower one
            transpose: True: solve with the transpose. False: with the matrix
            unitriangular: True: the diagonal is taken to be ones and not read. False: it is read
        """
    def tril(self, diagonal: _int = 0) -> Tensor:
        """The lower triangle of each matrix, up to the given `diagonal`; zeros above.

        Of a batch, of each matrix.

        Args:
            diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        """
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """The lower triangle of each matrix, up to the given `diagonal`; zeros above.

        Of a batch, of each matrix.

        Args:
            diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        """
    def triu(self, diagonal: _int = 0) -> Tensor:
        """The upper triangle of each matrix, from the given `diagonal` on; zeros below.

        Args:
            diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        """
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """The upper triangle of each matrix, from the given `diagonal` on; zeros below.

        Args:
            diagonal: which diagonal: 0 the main one, above 0 that many places above it, below 0 below it
        """
    def true_divide(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        """
    def true_divide_(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: `out = x / y`, rounded towards zero (`trunc`) or down (`floor`) if asked for.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
            rounding_mode: `"trunc"`: towards zero. `"floor"`: down. None: no rounding
        """
    def trunc(self) -> Tensor:
        """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`."""
    def trunc_(self) -> Tensor:
        """Drop what stands behind the point: `out = sign(x) * floor(abs(x))`."""
    def unbind(self, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """The parts along `dim`, one by one, without that dim.

        Args:
            dim: the dim to work along: the first unless given
        """
    def unflatten(self, dim: _int | Sequence[_int], sizes: Sequence[_int]) -> Tensor:
        """The dim `dim` cut into several of these `sizes`.

        Args:
            dim: the dim to cut up
            sizes: what it becomes; one may be -1
        """
    def unfold(self, dimension: _int, size: _int, step: _int) -> Tensor:
        """All windows of `size` neighbours along `dimension`, `step` apart; a window's elements are the last dim.

        Args:
            dimension: the dim along which windows slide
            size: the shape of the view; of `unfold` the length of a window
            step: how far a window moves
        """
    def uniform_(self, from_: _Number = 0.0, to: _Number = 1.0, *, generator: _Generator | None = None) -> Tensor:
        """Fill with uniform numbers: `x = from + u (to - from)`, `u` in [0, 1).

        Args:
            from_: the smallest number
            to: the end, which is not drawn
            generator: the random numbers' source; None: the default one, which `lw.manual_seed` seeds
        """
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
        """The distinct elements in order (always sorted), with their places and counts if wanted.

        Args:
            sorted: True and False: in order here
            return_inverse: True: also where each element went
            return_counts: True: also how often each occurs
            dim: the dim whose slices are compared; None: all elements
        """
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
        """The elements without those that equal the one before, with their places and counts if wanted.

        Args:
            return_inverse: True: also where each element went
            return_counts: True: also how often each occurs
            dim: the dim whose slices are compared; None: all elements in a row
        """
    def unsafe_chunk(self, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """`chunk` as `unsafe_split` does it.

        Args:
            chunks: how many pieces
            dim: the dim to work along: the first unless given
        """
    def unsafe_split(self, split_size: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """`split` for pieces of which only one is used, or none is written: they share memory, unknown to autograd.

        Each counts its own versions. Writing to one is not seen by the gradients of the others, nor by those of `input`.

        Args:
            split_size: the size of each piece
            dim: the dim to work along: the first unless given
        """
    def unsafe_split_with_sizes(self, split_sizes: Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """`split_with_sizes` as `unsafe_split` does it.

        Args:
            split_sizes: the sizes of the pieces
            dim: the dim to work along: the first unless given
        """
    def unsqueeze(self, dim: _int | Sequence[_int]) -> Tensor:
        """Insert a dim of size one at `dim`.

        Args:
            dim: where the new dim is to be
        """
    def var(self, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, keepdim: _bool = False, *, correction: _Number | None = None) -> Tensor:
        """The variance along `dim`: `out = sum(|x - mean(x)| ** 2) / (n - correction)`.

        The divisor is the number of elements less `correction`, 1 unless given.

        Args:
            dim: the dim, or several, to reduce; None: all of them
            unbiased: the older way to say `correction`: True is 1, False is 0; None: it is not given
            keepdim: True: reduced dims stay, with size 1. False: they are dropped
            correction: what is taken off the number of elements in the divisor; None: 1 (Bessel's), which estimates without bias
        """
    def vdot(self, other: Tensor) -> Tensor:
        """Inner product of two vectors: `out = sum_i conj(x[i]) * y[i]`.

        Args:
            other: the second factor
        """
    @overload
    def view(self, size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None) -> Tensor:
        """The same memory under another `size`, or with its bytes read as another `dtype`.

        The result shares memory with `input`: what is written to one is seen in the other. Where the strides do not allow that,
        `reshape` copies.

        Args:
            size: the shape of the view; one may be -1 and follows from the others
            dtype: read the memory as this dtype, in place of `size`; None: as it is
        """
    @overload
    def view(self, *size: _int, dtype: _dtype | None = None) -> Tensor: ...
    def view_as(self, other: _Number | Tensor) -> Tensor:
        """A view of `input` in the shape of `other`.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the rows.

        Args:
            indices_or_sections: how many pieces, or where to cut
        """
    def where(self, condition: Tensor, other: Tensor | _Number) -> Tensor:
        """Element by element, one or the other: `out = x if condition else y`.

        Args:
            condition: True where `input` is taken
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def xlogy(self, other: Tensor | _Number) -> Tensor:
        """Logarithm times: `out = x * log(y)`, and 0 where x is 0.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def xlogy_(self, other: Tensor | _Number) -> Tensor:
        """Logarithm times: `out = x * log(y)`, and 0 where x is 0.

        Args:
            other: the second operand, a tensor that broadcasts with `input`, or a number where one is taken
        """
    def zero_(self) -> Tensor:
        """Overwrite `x` with zeros."""
