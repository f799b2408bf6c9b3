# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator
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
class _SignLogabsdet(NamedTuple):
    sign: Tensor
    logabsdet: Tensor
class _SolutionClonedCoefficient(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor
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
    def apply_(self, function: Any) -> Self:
        """Replace each element by ``function(element)``: slow, one Python call each."""
    def as_strided_(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: Any = None) -> Self:
        """See this tensor's storage with any sizes and strides from now on."""
    def as_subclass(self, cls: Any) -> Any:
        """The same tensor as an instance of ``cls``, with its history."""
    def backward(self, gradient: Any = None, retain_graph: Any = None, create_graph: _bool = False, inputs: Any = None) -> None:
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
    def char(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.int8."""
    def cpu(self, memory_format: Any | None = None) -> Tensor: ...
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
        """Forget this tensor's history."""
    @property
    def device(self) -> _device:
        """Where its memory is."""
    def dim(self) -> _int:
        """The number of dimensions."""
    def double(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.float64."""
    @property
    def dtype(self) -> _dtype:
        """The type of its elements."""
    def element_size(self) -> _int:
        """Bytes per element."""
    def float(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.float32."""
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
    def int(self, memory_format: Any | None = None) -> Tensor:
        """This tensor as torch.int32."""
    def is_complex(self) -> _bool: ...
    def is_contiguous(self, memory_format: Any | None = None) -> _bool:
        """Whether the elements lie in memory in order, without gaps."""
    @property
    def is_cpu(self) -> _bool: ...
    @property
    def is_cuda(self) -> _bool: ...
    def is_floating_point(self) -> _bool: ...
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
    def is_set_to(self, tensor: Tensor) -> _bool:
        """Whether both look at the same elements in the same way."""
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
    @property
    def name(self) -> Any: ...
    @property
    def names(self) -> tuple[None, ...]: ...
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
        """Product of vectors, matrices or batches of them: ``out = input @ other``."""
    def __rdiv__(self, other: _Number | Tensor) -> Tensor:
        """A number over a tensor: ``out = other / input``."""
    def __rsub__(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: ``out = y - alpha * x``."""
    def __rsub___(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: ``out = y - alpha * x``."""
    def __rtruediv__(self, other: _Number | Tensor) -> Tensor:
        """A number over a tensor: ``out = other / input``."""
    def abs(self) -> Tensor:
        """Distance from zero: ``out = abs(x)``."""
    def abs_(self) -> Tensor:
        """Distance from zero: ``out = abs(x)``."""
    def absolute(self) -> Tensor:
        """Distance from zero: ``out = abs(x)``."""
    def absolute_(self) -> Tensor:
        """Distance from zero: ``out = abs(x)``."""
    def acos(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def acos_(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def acosh(self) -> Tensor:
        """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
    def acosh_(self) -> Tensor:
        """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
    def add(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Add element by element: ``out = x + alpha * y``."""
    def add_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Add element by element: ``out = x + alpha * y``."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """The sum of batched matrix products, and another: ``out = beta * x + alpha * sum_b(batch1[b] @ batch2[b])``."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """The sum of batched matrix products, and another: ``out = beta * x + alpha * sum_b(batch1[b] @ batch2[b])``."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled quotient: ``out = x + value * tensor1 / tensor2``."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled quotient: ``out = x + value * tensor1 / tensor2``."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled product: ``out = x + value * tensor1 * tensor2``."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Add a scaled product: ``out = x + value * tensor1 * tensor2``."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A matrix product and a sum: ``out = beta * x + alpha * (mat1 @ mat2)``."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A matrix product and a sum: ``out = beta * x + alpha * (mat1 @ mat2)``."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A product of matrix and vector and a sum: ``out = beta * x + alpha * (mat @ vec)``."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """A product of matrix and vector and a sum: ``out = beta * x + alpha * (mat @ vec)``."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """An outer product and a sum: ``out = beta * x + alpha * outer(vec1, vec2)``."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """An outer product and a sum: ``out = beta * x + alpha * outer(vec1, vec2)``."""
    def adjoint(self) -> Tensor:
        """The conjugate transpose of a matrix, or of each matrix of a batch."""
    def alias(self) -> Tensor:
        """The same memory, shape and strides: what ``x[...]`` is."""
    def all(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Whether everything along ``dim`` is true."""
    def allclose(self, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> _bool:
        """Whether all elements are equal up to rounding, as a Python bool."""
    def amax(self, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
        """The largest along ``dim``; equals share the gradient."""
    def amin(self, dim: _int | Sequence[_int] = ..., keepdim: _bool = False) -> Tensor:
        """The smallest along ``dim``; equals share the gradient."""
    def aminmax(self, *, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> _MinMax:
        """The smallest and the largest, along ``dim`` or of everything."""
    def angle(self) -> Tensor:
        """Angle in the complex plane: 0 for positive numbers, pi for negative ones."""
    def any(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Whether anything along ``dim`` is true."""
    def arccos(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def arccos_(self) -> Tensor:
        """Angle whose cosine is x, in [0, pi]."""
    def arccosh(self) -> Tensor:
        """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
    def arccosh_(self) -> Tensor:
        """Inverse of cosh: ``out = log(x + sqrt(x ** 2 - 1))``."""
    def arcsin(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def arcsin_(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def arcsinh(self) -> Tensor:
        """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
    def arcsinh_(self) -> Tensor:
        """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
    def arctan(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def arctan2(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: ``tan(out) = x / y``."""
    def arctan2_(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: ``tan(out) = x / y``."""
    def arctan_(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def arctanh(self) -> Tensor:
        """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
    def arctanh_(self) -> Tensor:
        """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
    def argmax(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Where the largest is along ``dim``: the first of equals."""
    def argmin(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor:
        """Where the smallest is along ``dim``: the first of equals."""
    def argsort(self, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: _bool = False) -> Tensor:
        """The places of the elements in order along ``dim``; with ``stable``, equals keep their order."""
    def argwhere(self) -> Tensor:
        """One row per nonzero element: its place along each dim."""
    def as_strided(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: Any = None) -> Tensor:
        """The storage of ``input`` from ``storage_offset`` on, seen with any sizes and strides."""
    def as_strided_scatter(self, src: Tensor, size: _int | Sequence[_int], stride: _int | Sequence[_int], storage_offset: Any = None) -> Tensor:
        """A copy of ``input`` with ``src`` in the places that ``as_strided`` would show."""
    def asin(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def asin_(self) -> Tensor:
        """Angle whose sine is x, in [-pi/2, pi/2]."""
    def asinh(self) -> Tensor:
        """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
    def asinh_(self) -> Tensor:
        """Inverse of sinh: ``out = log(x + sqrt(x ** 2 + 1))``."""
    def atan(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def atan2(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: ``tan(out) = x / y``."""
    def atan2_(self, other: Tensor) -> Tensor:
        """Angle of the point with abscissa y and ordinate x, in [-pi, pi]: ``tan(out) = x / y``."""
    def atan_(self) -> Tensor:
        """Angle whose tangent is x, in (-pi/2, pi/2)."""
    def atanh(self) -> Tensor:
        """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
    def atanh_(self) -> Tensor:
        """Inverse of tanh: ``out = log((1 + x) / (1 - x)) / 2``."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Batched matrix products and a sum: ``out = beta * x + alpha * (batch1 @ batch2)``."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Batched matrix products and a sum: ``out = beta * x + alpha * (batch1 @ batch2)``."""
    def bernoulli(self, p: Any = None, *, generator: Generator | None = None) -> Tensor:
        """Ones with the probabilities in ``input`` (or all with probability ``p``), zeros elsewhere."""
    def bernoulli_(self, p: _Number = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with ones, with probability ``p`` (a number or a tensor), and zeros."""
    def bincount(self, weights: Tensor | None = None, minlength: _int = 0) -> Tensor:
        """How often each number occurs, or the sum of its weights."""
    def bitwise_and(self, other: Tensor | _Number) -> Tensor:
        """Bits that both have set: ``out = x & y``."""
    def bitwise_and_(self, other: Tensor | _Number) -> Tensor:
        """Bits that both have set: ``out = x & y``."""
    def bitwise_left_shift(self, other: Tensor | _Number) -> Tensor:
        """Move the bits up: ``out = x << y``."""
    def bitwise_left_shift_(self, other: Tensor | _Number) -> Tensor:
        """Move the bits up: ``out = x << y``."""
    def bitwise_not(self) -> Tensor:
        """Every bit the other way: ``out = ~x``."""
    def bitwise_not_(self) -> Tensor:
        """Every bit the other way: ``out = ~x``."""
    def bitwise_or(self, other: Tensor | _Number) -> Tensor:
        """Bits that at least one has set: ``out = x | y``."""
    def bitwise_or_(self, other: Tensor | _Number) -> Tensor:
        """Bits that at least one has set: ``out = x | y``."""
    def bitwise_right_shift(self, other: Tensor | _Number) -> Tensor:
        """Move the bits down, keeping the sign: ``out = x >> y``."""
    def bitwise_right_shift_(self, other: Tensor | _Number) -> Tensor:
        """Move the bits down, keeping the sign: ``out = x >> y``."""
    def bitwise_xor(self, other: Tensor | _Number) -> Tensor:
        """Bits that exactly one has set: ``out = x ^ y``."""
    def bitwise_xor_(self, other: Tensor | _Number) -> Tensor:
        """Bits that exactly one has set: ``out = x ^ y``."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """Product of matrices pair by pair: ``out[b] = x[b] @ mat2[b]``."""
    def broadcast_to(self, size: _int | Sequence[_int]) -> Tensor:
        """``input`` repeated, without copying, to ``size``."""
    def cauchy_(self, median: _Number = 0.0, sigma: _Number = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of density ``sigma / (pi (sigma**2 + (x - median)**2))``."""
    def ceil(self) -> Tensor:
        """The smallest integer that is not smaller: ``out - 1 < x <= out``."""
    def ceil_(self) -> Tensor:
        """The smallest integer that is not smaller: ``out - 1 < x <= out``."""
    def celu(self, alpha: _Number = 1.0) -> Tensor:
        """Ramp with a smooth exponential tail: ``out = x if x > 0 else alpha * (exp(x / alpha) - 1)``."""
    def celu_(self, alpha: _Number = 1.0) -> Tensor:
        """Ramp with a smooth exponential tail: ``out = x if x > 0 else alpha * (exp(x / alpha) - 1)``."""
    def cholesky(self, upper: _bool = False) -> Tensor:
        """:func:`linalg.cholesky` under its first name, which takes ``upper`` by position."""
    def cholesky_inverse(self, upper: _bool = False) -> Tensor:
        """``(x @ x^H) ^ -1``, or with ``upper`` ``(x^H @ x) ^ -1``."""
    def cholesky_solve(self, L: Tensor, upper: _bool = False) -> Tensor:
        """The ``out`` with ``(L @ L^H) @ out = x``, or with ``upper`` ``(L^H @ L) @ out = x``."""
    def chunk(self, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """At most ``chunks`` consecutive pieces along ``dim``, equal but for the last."""
    def clamp(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
    def clamp_(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
    def clamp_max(self, max: Tensor | _Number) -> Tensor:
        """Not above: ``out = minimum(x, max)``."""
    def clamp_max_(self, max: Tensor | _Number) -> Tensor:
        """Not above: ``out = minimum(x, max)``."""
    def clamp_min(self, min: Tensor | _Number) -> Tensor:
        """Not below: ``out = maximum(x, min)``."""
    def clamp_min_(self, min: Tensor | _Number) -> Tensor:
        """Not below: ``out = maximum(x, min)``."""
    def clip(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
    def clip_(self, min: Tensor | _Number | None = None, max: Tensor | _Number | None = None) -> Tensor:
        """Bring within bounds: ``out = minimum(maximum(x, min), max)``."""
    def clone(self, *, memory_format: Any = ...) -> Tensor:
        """A copy with a history: the gradient passes straight through."""
    def combinations(self, r: _Number = 2, with_replacement: _bool = False) -> Tensor:
        """Every choice of ``r`` elements of a vector, one row each."""
    def conj(self) -> Tensor:
        """The complex conjugate; a real tensor itself."""
    def conj_physical(self) -> Tensor:
        """The complex conjugate; a real tensor itself."""
    def conj_physical_(self) -> Tensor:
        """:func:`conj_physical`, in place."""
    def constant_pad_nd(self, pad: _int | Sequence[_int], value: _Number = 0) -> Tensor:
        """``x`` with ``value`` before and after its last dimensions; a negative width crops."""
    def contiguous(self, memory_format: Any = ...) -> Tensor:
        """``input`` itself if it lies in memory in this order, else a copy that does."""
    def copy_(self, src: Tensor, non_blocking: _bool = False) -> Tensor:
        """Overwrite ``x`` with the values of ``src``, cast to its dtype and broadcast to its shape."""
    def copysign(self, other: Tensor | _Number) -> Tensor:
        """The size of one with the sign of the other: ``out = abs(x) * sign(y)``."""
    def copysign_(self, other: Tensor | _Number) -> Tensor:
        """The size of one with the sign of the other: ``out = abs(x) * sign(y)``."""
    def corrcoef(self) -> Tensor:
        """Correlations of the rows of ``input``: their covariances divided by both standard deviations."""
    def cos(self) -> Tensor:
        """Cosine: ``out = cos(x)``."""
    def cos_(self) -> Tensor:
        """Cosine: ``out = cos(x)``."""
    def cosh(self) -> Tensor:
        """Hyperbolic cosine: ``out = (exp(x) + exp(-x)) / 2``."""
    def cosh_(self) -> Tensor:
        """Hyperbolic cosine: ``out = (exp(x) + exp(-x)) / 2``."""
    def cosine_similarity(self, x2: Any, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-08) -> Tensor:
        """Cosine of the angle between vectors along ``dim``: ``sum(x1 * x2) / (norm(x1) * norm(x2))``, norms at least ``eps``."""
    def count_nonzero(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """How many elements along ``dim`` are not zero."""
    def cov(self, *, correction: _Number = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """Covariances of the rows of ``input``, whose columns are observations."""
    def cross(self, other: _Number | Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Cross product along ``dim``, by default the first dimension of size 3."""
    def cummax(self, dim: _int | Sequence[_int]) -> _ValuesIndices:
        """The largest so far along ``dim``, and where it is (the last place of equals)."""
    def cummin(self, dim: _int | Sequence[_int]) -> _ValuesIndices:
        """The smallest so far along ``dim``, and where it is (the last place of equals)."""
    def cumprod(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """``out[i] = x[0] * ... * x[i]`` along ``dim``; integers multiply in int64."""
    def cumprod_(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """``out[i] = x[0] * ... * x[i]`` along ``dim``; integers multiply in int64."""
    def cumsum(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """``out[i] = x[0] + ... + x[i]`` along ``dim``; integers add up in int64."""
    def cumsum_(self, dim: _int | Sequence[_int], *, dtype: _dtype | None = None) -> Tensor:
        """``out[i] = x[0] + ... + x[i]`` along ``dim``; integers add up in int64."""
    def deg2rad(self) -> Tensor:
        """Degrees to radians: ``out = x * pi / 180``."""
    def deg2rad_(self) -> Tensor:
        """Degrees to radians: ``out = x * pi / 180``."""
    def det(self) -> Tensor:
        """The determinant."""
    def diag(self, diagonal: _int = 0) -> Tensor:
        """A vector as the diagonal of a matrix; of a matrix, a copy of its diagonal."""
    def diag_embed(self, offset: _int = 0, dim1: _int = -2, dim2: _Number = -1) -> Tensor:
        """Zeros with the last dim of ``x`` on a diagonal of the plane ``dim1``, ``dim2`` of the result."""
    def diagflat(self, offset: _int = 0) -> Tensor:
        """All elements, in order, as the diagonal of a matrix."""
    def diagonal(self, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1) -> Tensor:
        """The elements whose place along ``dim2`` is ``offset`` further than along ``dim1``, as the last dim."""
    def diagonal_scatter(self, src: Tensor, offset: _int = 0, dim1: _int = 0, dim2: _Number = 1) -> Tensor:
        """A copy of ``x`` with ``src`` on its diagonal."""
    def diff(self, n: _int = 1, dim: _int | Sequence[_int] = -1, prepend: Any = None, append: Any = None) -> Tensor:
        """Differences of neighbours along ``dim``, ``n`` times over."""
    def digamma(self) -> Tensor:
        """Slope of lgamma."""
    def digamma_(self) -> Tensor:
        """Slope of lgamma."""
    def dist(self, other: Tensor | _Number, p: _Number = 2) -> Tensor:
        """The p-norm of a difference: ``out = sum(abs(x - y) ** p) ** (1 / p)``."""
    def div(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
    def div_(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
    def divide(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
    def divide_(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
    def dot(self, tensor: Tensor) -> Tensor:
        """Product of two vectors: ``out = sum_i x[i] * tensor[i]``, without conjugation."""
    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the third dim."""
    def eq(self, other: Tensor | _Number) -> Tensor:
        """Equal: ``out = x == y``."""
    def eq_(self, other: Tensor | _Number) -> Tensor:
        """Equal: ``out = x == y``."""
    def equal(self, other: _Number | Tensor) -> _bool:
        """Whether two tensors have the same shape and elements, as a Python bool."""
    def erf(self) -> Tensor:
        """Error function: ``out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x``."""
    def erf_(self) -> Tensor:
        """Error function: ``out = 2 / sqrt(pi) * integral of exp(-t ** 2) from 0 to x``."""
    def erfc(self) -> Tensor:
        """What the error function leaves: ``out = 1 - erf(x)``."""
    def erfc_(self) -> Tensor:
        """What the error function leaves: ``out = 1 - erf(x)``."""
    def erfinv(self) -> Tensor:
        """Inverse of the error function: ``erf(out) = x``."""
    def erfinv_(self) -> Tensor:
        """Inverse of the error function: ``erf(out) = x``."""
    def exp(self) -> Tensor:
        """Exponential function: ``out = e ** x``."""
    def exp2(self) -> Tensor:
        """Power of two: ``out = 2 ** x``."""
    def exp2_(self) -> Tensor:
        """Power of two: ``out = 2 ** x``."""
    def exp_(self) -> Tensor:
        """Exponential function: ``out = e ** x``."""
    @overload
    def expand(self, size: _int | Sequence[_int]) -> Tensor:
        """Repeat dims of size one, and new leading dims, without copying: their stride is 0."""
    @overload
    def expand(self, *size: _int) -> Tensor: ...
    def expand_as(self, other: _Number | Tensor) -> Tensor:
        """``input`` repeated, without copying, to the shape of ``other``."""
    def expm1(self) -> Tensor:
        """Growth: ``out = exp(x) - 1``, exact near 0."""
    def expm1_(self) -> Tensor:
        """Growth: ``out = exp(x) - 1``, exact near 0."""
    def exponential_(self, lambd: _Number = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers of density ``lambd exp(-lambd x)``."""
    def fill_(self, value: Tensor) -> Tensor:
        """Overwrite ``x`` with ``value``."""
    def fix(self) -> Tensor:
        """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
    def fix_(self) -> Tensor:
        """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
    def flatten(self, start_dim: _int = 0, end_dim: _int = -1) -> Tensor:
        """The dims from ``start_dim`` to ``end_dim`` (included) run together into one."""
    @overload
    def flip(self, dims: _int | Sequence[_int]) -> Tensor:
        """The order along ``dims`` reversed."""
    @overload
    def flip(self, *dims: _int) -> Tensor: ...
    def fliplr(self) -> Tensor:
        """The columns in reverse order."""
    def flipud(self) -> Tensor:
        """The rows in reverse order."""
    def float_power(self, exponent: Tensor) -> Tensor:
        """Raise to a power in float64 or complex128: ``out = input ** exponent``."""
    def float_power_(self, exponent: Tensor) -> Tensor:
        """:func:`float_power`, in place; ``input`` is float64 or complex128."""
    def floor(self) -> Tensor:
        """The greatest integer that is not greater: ``out <= x < out + 1``."""
    def floor_(self) -> Tensor:
        """The greatest integer that is not greater: ``out <= x < out + 1``."""
    def floor_divide(self, other: Tensor | _Number) -> Tensor:
        """Divide and round down: ``out = floor(x / y)``."""
    def floor_divide_(self, other: Tensor | _Number) -> Tensor:
        """Divide and round down: ``out = floor(x / y)``."""
    def fmax(self, other: Tensor) -> Tensor:
        """The larger of two, the other one where one is nan."""
    def fmax_(self, other: Tensor) -> Tensor:
        """The larger of two, the other one where one is nan."""
    def fmin(self, other: Tensor) -> Tensor:
        """The smaller of two, the other one where one is nan."""
    def fmin_(self, other: Tensor) -> Tensor:
        """The smaller of two, the other one where one is nan."""
    def fmod(self, other: Tensor | _Number) -> Tensor:
        """What rounding towards zero leaves: ``out = x - trunc(x / y) * y``, with the sign of ``x``."""
    def fmod_(self, other: Tensor | _Number) -> Tensor:
        """What rounding towards zero leaves: ``out = x - trunc(x / y) * y``, with the sign of ``x``."""
    def frac(self) -> Tensor:
        """What stands behind the point: ``out = x - trunc(x)``."""
    def frac_(self) -> Tensor:
        """What stands behind the point: ``out = x - trunc(x)``."""
    def frexp(self) -> _MantissaExponent:
        """Take a number apart: ``x = mantissa * 2 ** exponent``, with 0.5 <= abs(mantissa) < 1."""
    def gather(self, dim: _int | Sequence[_int], index: Tensor, *, sparse_grad: _bool = False) -> Tensor:
        """``out[p] = x[..., index[p], ...]`` along ``dim``: one element for each place ``p`` of ``index``."""
    def gcd(self, other: Tensor) -> Tensor:
        """Greatest common divisor, not negative."""
    def gcd_(self, other: Tensor) -> Tensor:
        """Greatest common divisor, not negative."""
    def ge(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: ``out = x >= y``."""
    def ge_(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: ``out = x >= y``."""
    def geometric_(self, p: Any, *, generator: Generator | None = None) -> Tensor:
        """Fill with the number of the first success, ``p`` being the probability of each: ``(1 - p)**(x - 1) p``."""
    def geqrf(self) -> _ATau:
        """``R`` of the QR decomposition on and above the diagonal of ``a``, the reflections below it, a ``tau`` for each."""
    def ger(self, vec2: Tensor) -> Tensor:
        """All products of two elements: ``out[i, j] = input[i] * vec2[j]``."""
    def greater(self, other: Tensor | _Number) -> Tensor:
        """Greater: ``out = x > y``."""
    def greater_(self, other: Tensor | _Number) -> Tensor:
        """Greater: ``out = x > y``."""
    def greater_equal(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: ``out = x >= y``."""
    def greater_equal_(self, other: Tensor | _Number) -> Tensor:
        """Greater or equal: ``out = x >= y``."""
    def gt(self, other: Tensor | _Number) -> Tensor:
        """Greater: ``out = x > y``."""
    def gt_(self, other: Tensor | _Number) -> Tensor:
        """Greater: ``out = x > y``."""
    def hardshrink(self, lambd: _Number = 0.5) -> Tensor:
        """Nothing near zero: ``out = 0 if abs(x) <= lambd else x``."""
    def hash_tensor(self, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, mode: _str = 0) -> Tensor:
        """The exclusive or of all elements along ``dim``, as the 64 bits of a float64 or an int64: a uint64."""
    def heaviside(self, values: Tensor) -> Tensor:
        """The unit step: 0 below zero, ``values`` at zero, 1 above."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """The unit step: 0 below zero, ``values`` at zero, 1 above."""
    def histc(self, bins: _int = 100, min: _Number = 0, max: _Number = 0) -> Tensor:
        """How many elements fall into each of ``bins`` equal ranges between ``min`` and ``max`` (if equal: of ``x``)."""
    def histogram(self, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: _bool = False) -> _HistBinEdges:
        """How much of ``input`` falls into each bin, and the bins' edges."""
    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the columns (along the only dim of a vector)."""
    def hypot(self, other: Tensor) -> Tensor:
        """Length of the vector (x, y): ``out = sqrt(x ** 2 + y ** 2)``."""
    def hypot_(self, other: Tensor) -> Tensor:
        """Length of the vector (x, y): ``out = sqrt(x ** 2 + y ** 2)``."""
    def i0(self) -> Tensor:
        """Modified Bessel function of order 0."""
    def i0_(self) -> Tensor:
        """Modified Bessel function of order 0."""
    def igamma(self, other: Tensor) -> Tensor:
        """Lower incomplete gamma function, regularized: ``1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y``."""
    def igamma_(self, other: Tensor) -> Tensor:
        """Lower incomplete gamma function, regularized: ``1 / gamma(x) integral of t ** (x - 1) exp(-t) from 0 to y``."""
    def igammac(self, other: Tensor) -> Tensor:
        """Upper incomplete gamma function, regularized: ``out = 1 - igamma(x, y)``."""
    def igammac_(self, other: Tensor) -> Tensor:
        """Upper incomplete gamma function, regularized: ``out = 1 - igamma(x, y)``."""
    def index_add(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, alpha: _Number = 1) -> Tensor:
        """``x`` with ``alpha * source`` added to its slices at ``index`` along ``dim``; repeated places add up."""
    def index_add_(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, *, alpha: _Number = 1) -> Tensor:
        """``x`` with ``alpha * source`` added to its slices at ``index`` along ``dim``; repeated places add up."""
    def index_copy(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor) -> Tensor:
        """``x`` with its slices at ``index`` along ``dim`` replaced by ``source``."""
    def index_copy_(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor) -> Tensor:
        """``x`` with its slices at ``index`` along ``dim`` replaced by ``source``."""
    def index_fill(self, dim: _int | Sequence[_int], index: Tensor, value: Tensor) -> Tensor:
        """``x`` with its slices at ``index`` along ``dim`` filled with ``value``."""
    def index_fill_(self, dim: _int | Sequence[_int], index: Tensor, value: Tensor) -> Tensor:
        """``x`` with its slices at ``index`` along ``dim`` filled with ``value``."""
    def index_put(self, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
        """A copy of ``input`` with ``values`` written, or added, at the ``indices`` of its leading dims."""
    def index_put_(self, indices: Tensor, values: Tensor, accumulate: _bool = False) -> Tensor:
        """Write, or add, ``values`` into ``input`` at the ``indices`` of its leading dims."""
    def index_reduce(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """``x`` with all slices of ``source`` that go to one slice along ``dim`` reduced, together with it or without."""
    def index_reduce_(self, dim: _int | Sequence[_int], index: Tensor, source: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """``x`` with all slices of ``source`` that go to one slice along ``dim`` reduced, together with it or without."""
    def index_select(self, dim: _int | Sequence[_int], index: Tensor) -> Tensor:
        """The slices of ``x`` at ``index`` along ``dim``."""
    def inner(self, other: _Number | Tensor) -> Tensor:
        """Sums of products over the last dimensions: ``out[..., *] = sum_j input[..., j] * other[*, j]``."""
    def inverse(self) -> Tensor:
        """The inverse: ``x @ out = eye``."""
    def is_conj(self) -> _bool:
        """Whether it is a view of conjugates, which its memory does not hold."""
    def isclose(self, other: _Number | Tensor, rtol: _Number = 1e-05, atol: _Number = 1e-08, equal_nan: _bool = False) -> Tensor:
        """Equal up to rounding: ``out = abs(input - other) <= atol + rtol * abs(other)``."""
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
    def istft(self, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: _bool = True, normalized: _bool = False, onesided: Any = None, length: Any = None, return_complex: _bool = False) -> Tensor:
        """The inverse of :func:`stft`: pieces are transformed back, weighed with the window again, added up where they"""
    def kron(self, other: _Number | Tensor) -> Tensor:
        """Each element of ``input`` times all of ``other``, laid out in blocks: ``out[i m + k] = input[i] * other[k]``."""
    def kthvalue(self, k: _int, dim: _int | Sequence[_int] = -1, keepdim: _bool = False) -> Tensor | Any:
        """The ``k``-th smallest along ``dim``, and where it is."""
    def lcm(self, other: Tensor) -> Tensor:
        """Least common multiple, not negative."""
    def lcm_(self, other: Tensor) -> Tensor:
        """Least common multiple, not negative."""
    def ldexp(self, other: Tensor) -> Tensor:
        """Multiply by a power of two: ``out = x * 2 ** y``."""
    def ldexp_(self, other: Tensor) -> Tensor:
        """Multiply by a power of two: ``out = x * 2 ** y``."""
    def le(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: ``out = x <= y``."""
    def le_(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: ``out = x <= y``."""
    def lerp(self, end: Tensor, weight: Tensor | _Number) -> Tensor:
        """Go part of the way: ``out = x + weight * (end - x)``."""
    def lerp_(self, end: Tensor, weight: Tensor | _Number) -> Tensor:
        """Go part of the way: ``out = x + weight * (end - x)``."""
    def less(self, other: Tensor | _Number) -> Tensor:
        """Less: ``out = x < y``."""
    def less_(self, other: Tensor | _Number) -> Tensor:
        """Less: ``out = x < y``."""
    def less_equal(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: ``out = x <= y``."""
    def less_equal_(self, other: Tensor | _Number) -> Tensor:
        """Less or equal: ``out = x <= y``."""
    def lgamma(self) -> Tensor:
        """Logarithm of the absolute value of the gamma function."""
    def lgamma_(self) -> Tensor:
        """Logarithm of the absolute value of the gamma function."""
    def log(self) -> Tensor:
        """Natural logarithm: ``exp(out) = x``."""
    def log10(self) -> Tensor:
        """Logarithm to base 10: ``10 ** out = x``."""
    def log10_(self) -> Tensor:
        """Logarithm to base 10: ``10 ** out = x``."""
    def log1p(self) -> Tensor:
        """Logarithm of one more: ``out = log(1 + x)``, exact near 0."""
    def log1p_(self) -> Tensor:
        """Logarithm of one more: ``out = log(1 + x)``, exact near 0."""
    def log2(self) -> Tensor:
        """Logarithm to base 2: ``2 ** out = x``."""
    def log2_(self) -> Tensor:
        """Logarithm to base 2: ``2 ** out = x``."""
    def log_(self) -> Tensor:
        """Natural logarithm: ``exp(out) = x``."""
    def log_normal_(self, mean: _Number = 1.0, std: _Number = 2.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers whose logarithm is normal: ``x = exp(mean + std n)``."""
    def log_softmax(self, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
        """Logarithm of softmax: ``out = x - log(sum(exp(x)))`` along ``dim``."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms: ``out = log(exp(x) + exp(y))``."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms to base 2: ``out = log2(2 ** x + 2 ** y)``."""
    def logaddexp2_(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms to base 2: ``out = log2(2 ** x + 2 ** y)``."""
    def logaddexp_(self, other: Tensor) -> Tensor:
        """Addition of numbers given as logarithms: ``out = log(exp(x) + exp(y))``."""
    def logcumsumexp(self, dim: _int | Sequence[_int]) -> Tensor:
        """``out[i] = log(exp(x[0]) + ... + exp(x[i]))`` along ``dim``."""
    def logdet(self) -> Tensor:
        """Logarithm of the determinant; NaN where it is negative."""
    def logical_and(self, other: Tensor) -> Tensor:
        """Both are true (not 0)."""
    def logical_and_(self, other: Tensor) -> Tensor:
        """Both are true (not 0)."""
    def logical_not(self) -> Tensor:
        """It is false (0)."""
    def logical_not_(self) -> Tensor:
        """It is false (0)."""
    def logical_or(self, other: Tensor) -> Tensor:
        """At least one is true (not 0)."""
    def logical_or_(self, other: Tensor) -> Tensor:
        """At least one is true (not 0)."""
    def logical_xor(self, other: Tensor) -> Tensor:
        """Exactly one is true (not 0)."""
    def logical_xor_(self, other: Tensor) -> Tensor:
        """Exactly one is true (not 0)."""
    def logit(self, eps: Any = None) -> Tensor:
        """Log-odds: ``out = log(x / (1 - x))``, with x first brought within [eps, 1 - eps]."""
    def logit_(self, eps: Any = None) -> Tensor:
        """Log-odds: ``out = log(x / (1 - x))``, with x first brought within [eps, 1 - eps]."""
    def logsumexp(self, dim: _int | Sequence[_int], keepdim: _bool = False) -> Tensor:
        """``out = log(sum(exp(x)))`` along ``dim``."""
    def lt(self, other: Tensor | _Number) -> Tensor:
        """Less: ``out = x < y``."""
    def lt_(self, other: Tensor | _Number) -> Tensor:
        """Less: ``out = x < y``."""
    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, ...]:
        """The older form of ``linalg.lu_factor``."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """The older form of ``linalg.lu_solve``."""
    def masked_fill(self, mask: Tensor, value: Tensor) -> Tensor:
        """``x`` with ``value`` wherever ``mask`` is true."""
    def masked_fill_(self, mask: Tensor, value: Tensor) -> Tensor:
        """``x`` with ``value`` wherever ``mask`` is true."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """``x`` with the elements of ``source``, in order, where ``mask`` is true."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """``x`` with the elements of ``source``, in order, where ``mask`` is true."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements of ``x`` where ``mask`` is true, in row-major order."""
    def matmul(self, other: _Number | Tensor) -> Tensor:
        """Product of vectors, matrices or batches of them: ``out = input @ other``."""
    def matrix_exp(self) -> Tensor:
        """``sum_k x^k / k!``."""
    def matrix_power(self, n: _int) -> Tensor:
        """The product of ``n`` copies of a square matrix; of its inverse for negative ``n``."""
    def max(self, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
        """The largest of everything; or along ``dim``, with its place; or, given another tensor, of each pair."""
    def maximum(self, other: Tensor) -> Tensor:
        """The larger of two, nan if either is: ``out = max(x, y)``."""
    def maximum_(self, other: Tensor) -> Tensor:
        """The larger of two, nan if either is: ``out = max(x, y)``."""
    def mean(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum along ``dim`` divided by how many were added."""
    def median(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
        """The middle element in order (the lower of two); along ``dim``, with its place."""
    def min(self, dim: Any = None, keepdim: _bool = False, *, other: _Number | Tensor | None = None) -> Tensor | Any:
        """The smallest of everything; or along ``dim``, with its place; or, given another tensor, of each pair."""
    def minimum(self, other: Tensor) -> Tensor:
        """The smaller of two, nan if either is: ``out = min(x, y)``."""
    def minimum_(self, other: Tensor) -> Tensor:
        """The smaller of two, nan if either is: ``out = min(x, y)``."""
    def mm(self, mat2: Tensor) -> Tensor:
        """Product of two matrices: ``out[i, k] = sum_j x[i, j] * mat2[j, k]``."""
    def mode(self, dim: _int | Sequence[_int] = -1, keepdim: _bool = False) -> Tensor | Any:
        """The most frequent value along ``dim``, and where it is."""
    def moveaxis(self, source: Tensor, destination: Any) -> Tensor:
        """The dims ``source`` moved to the places ``destination``; the others keep their order."""
    def movedim(self, source: Tensor, destination: Any) -> Tensor:
        """The dims ``source`` moved to the places ``destination``; the others keep their order."""
    def msort(self) -> Tensor:
        """``input`` in order along its first dim."""
    def mul(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: ``out = x * y``."""
    def mul_(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: ``out = x * y``."""
    def multinomial(self, num_samples: _int, replacement: _bool = False, *, generator: Generator | None = None) -> Tensor:
        """Numbers of categories, drawn with the weights in ``input``: a 1-D tensor, or a row of them per row of draws."""
    def multiply(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: ``out = x * y``."""
    def multiply_(self, other: Tensor | _Number) -> Tensor:
        """Multiply element by element: ``out = x * y``."""
    def mv(self, vec: Tensor) -> Tensor:
        """Product of a matrix and a vector: ``out[i] = sum_j x[i, j] * vec[j]``."""
    def mvlgamma(self, p: Any) -> Tensor:
        """Logarithm of the multivariate gamma function: ``out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))``, j < p."""
    def mvlgamma_(self, p: Any) -> Tensor:
        """Logarithm of the multivariate gamma function: ``out = p (p - 1) / 4 log(pi) + sum(lgamma(x - j / 2))``, j < p."""
    def nan_to_num(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """Finite stand-ins for nan (0) and the infinities (the largest and smallest number)."""
    def nan_to_num_(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """Finite stand-ins for nan (0) and the infinities (the largest and smallest number)."""
    def nanmean(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The mean along ``dim`` of what is not NaN."""
    def nanmedian(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False) -> Tensor | Any:
        """The middle of what is not NaN; along ``dim``, with its place."""
    def nanquantile(self, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The quantile ``q`` of what is not NaN."""
    def nansum(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """The sum along ``dim`` with NaN counted as zero."""
    def narrow(self, dim: _int | Sequence[_int], start: _int, length: Any) -> Tensor:
        """The ``length`` places from ``start`` on along ``dim``."""
    def ne(self, other: Tensor | _Number) -> Tensor:
        """Different: ``out = x != y``."""
    def ne_(self, other: Tensor | _Number) -> Tensor:
        """Different: ``out = x != y``."""
    def neg(self) -> Tensor:
        """Change the sign: ``out = -x``."""
    def neg_(self) -> Tensor:
        """Change the sign: ``out = -x``."""
    def negative(self) -> Tensor:
        """Change the sign: ``out = -x``."""
    def negative_(self) -> Tensor:
        """Change the sign: ``out = -x``."""
    def new_empty(self, *args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, memory_format: Any | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of shape ``size`` with whatever its memory held before."""
    def new_empty_strided(self, size: _int | Sequence[_int], stride: _int | Sequence[_int], *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """An uninitialised tensor with these strides."""
    def new_full(self, size: _int | Sequence[_int], fill_value: Any, *, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of shape ``size`` whose every element is ``fill_value``, which chooses the dtype."""
    def new_ones(self, *args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of ones of shape ``size``."""
    def new_zeros(self, *args: _int | Sequence[_int], size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None, layout: Any = None, device: _device | _str | _int | None = None, pin_memory: _bool = False, requires_grad: _bool = False) -> Tensor:
        """A tensor of zeros of shape ``size``."""
    def nextafter(self, other: Tensor) -> Tensor:
        """The number next to ``x`` on the way to ``y``: ``x`` itself where they are equal."""
    def nextafter_(self, other: Tensor) -> Tensor:
        """The number next to ``x`` on the way to ``y``: ``x`` itself where they are equal."""
    def nonzero(self, *, as_tuple: _bool = False) -> Tensor | Any:
        """The places of the nonzero elements: one row each, or one tensor per dim."""
    def nonzero_static(self, *, size: _int | Sequence[_int], fill_value: _Number = -1) -> Tensor:
        """The places of the elements that are not zero, cut off or filled up to ``size`` rows."""
    def norm(self, p: _str = 'fro', dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, dtype: _dtype | None = None) -> Tensor:
        """The vector norm of order ``p`` along ``dim``; ``"fro"`` is 2, ``"nuc"`` sums the singular values of a matrix."""
    def normal_(self, mean: _Number = 0.0, std: _Number = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal numbers: ``x = mean + std n``."""
    def not_equal(self, other: Tensor | _Number) -> Tensor:
        """Different: ``out = x != y``."""
    def not_equal_(self, other: Tensor | _Number) -> Tensor:
        """Different: ``out = x != y``."""
    def orgqr(self, tau: Tensor) -> Tensor:
        """The first columns of the ``Q`` whose reflections ``geqrf`` keeps in ``x`` and ``tau``, as many as ``x`` has."""
    def ormqr(self, tau: Tensor, other: Tensor, left: _bool = True, transpose: _bool = False) -> Tensor:
        """``Q @ y`` for the square ``Q`` of ``geqrf``'s reflections; ``y @ Q`` unless ``left``; ``Q^H`` with ``transpose``."""
    def outer(self, vec2: Tensor) -> Tensor:
        """All products of two elements: ``out[i, j] = input[i] * vec2[j]``."""
    @overload
    def permute(self, dims: _int | Sequence[_int]) -> Tensor:
        """The dims in another order: dim ``i`` of the result is dim ``dims[i]`` of ``x``."""
    @overload
    def permute(self, *dims: _int) -> Tensor: ...
    def pinverse(self, rcond: Any = None, hermitian: _bool = False, *, atol: Tensor | None = None, rtol: Tensor | None = None) -> Tensor:
        """The pseudoinverse: the inverse where there is one, and the shortest least-squares solution otherwise."""
    def pixel_shuffle(self, upscale_factor: _int) -> Tensor:
        """Turn groups of channels into blocks of pixels: ``(*, c r r, h, w) -> (*, c, h r, w r)``."""
    def pixel_unshuffle(self, downscale_factor: _int) -> Tensor:
        """Turn blocks of pixels into groups of channels: ``(*, c, h r, w r) -> (*, c r r, h, w)``."""
    def polygamma(self, n: _int) -> Tensor:
        """The ``n``-th derivative of digamma."""
    def polygamma_(self, n: _int) -> Tensor:
        """:func:`polygamma`, in place."""
    def positive(self) -> Tensor:
        """The tensor itself: ``out = +x``."""
    def pow(self, exponent: Tensor | _Number) -> Tensor:
        """Raise to a power: ``out = x ** exponent``."""
    def pow_(self, exponent: Tensor | _Number) -> Tensor:
        """Raise to a power: ``out = x ** exponent``."""
    def prelu(self, weight: Tensor) -> Tensor:
        """Ramp with a learnt slope below zero, one for all or one per channel (dim 1)."""
    def prod(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """Multiply along one ``dim``, or everything; integers multiply in int64."""
    def put(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """``x`` with ``source`` written, or added, at the flat places ``index``."""
    def put_(self, index: Tensor, source: Tensor, accumulate: _bool = False) -> Tensor:
        """``x`` with ``source`` written, or added, at the flat places ``index``."""
    def qr(self, some: _bool = True) -> tuple[Tensor, ...]:
        """The older form of ``linalg.qr``."""
    def quantile(self, q: Any, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, interpolation: _str = 'linear') -> Tensor:
        """The value below which a part ``q`` of the elements along ``dim`` lies."""
    def rad2deg(self) -> Tensor:
        """Radians to degrees: ``out = x * 180 / pi``."""
    def rad2deg_(self) -> Tensor:
        """Radians to degrees: ``out = x * 180 / pi``."""
    def random_(self, from_: Any = None, to: Any = ..., *, generator: Generator | None = None) -> Tensor:
        """Fill with integers: all that the dtype holds exactly from 0 on; with one number below it; or in [from, to)."""
    def ravel(self) -> Tensor:
        """All elements in one dim."""
    def reciprocal(self) -> Tensor:
        """One over: ``out = 1 / x``."""
    def reciprocal_(self) -> Tensor:
        """One over: ``out = 1 / x``."""
    def relu(self) -> Tensor:
        """Ramp: ``out = max(x, 0)``."""
    def relu_(self) -> Tensor:
        """Ramp: ``out = max(x, 0)``."""
    def remainder(self, other: Tensor | _Number) -> Tensor:
        """What rounding down leaves: ``out = x - floor(x / y) * y``, with the sign of ``y``."""
    def remainder_(self, other: Tensor | _Number) -> Tensor:
        """What rounding down leaves: ``out = x - floor(x / y) * y``, with the sign of ``y``."""
    def renorm(self, p: Any, dim: _int | Sequence[_int], maxnorm: Any) -> Tensor:
        """Slices along ``dim`` whose ``p``-norm exceeds ``maxnorm``, scaled down to it."""
    def renorm_(self, p: Any, dim: _int | Sequence[_int], maxnorm: Any) -> Tensor:
        """Slices along ``dim`` whose ``p``-norm exceeds ``maxnorm``, scaled down to it."""
    @overload
    def repeat(self, repeats: _int | Sequence[_int]) -> Tensor:
        """``x`` laid out again and again: ``repeats`` copies along each dim, new dims in front."""
    @overload
    def repeat(self, *repeats: _int) -> Tensor: ...
    def repeat_interleave(self, repeats: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None, *, output_size: _int | Sequence[_int] | None = None) -> Tensor:
        """Each element (or slice along ``dim``) ``repeats`` times in a row; a lone tensor of counts gives the places."""
    def reshape(self, *sizes: _int | Sequence[_int], shape: _int | Sequence[_int] | None = None) -> Tensor:
        """Another ``shape``: a view where the strides allow one, else a copy."""
    def reshape_as(self, other: _Number | Tensor) -> Tensor:
        """``input`` in the shape of ``other``."""
    def resolve_conj(self) -> Tensor:
        """A view of conjugates (``is_conj()``) in memory of its own; any other tensor itself."""
    def resolve_neg(self) -> Tensor:
        """A view of negatives (``is_neg()``) in memory of its own; any other tensor itself."""
    def roll(self, shifts: _int | Sequence[_int], dims: _int | Sequence[_int] = ...) -> Tensor:
        """Move everything ``shifts`` places on along ``dims``; what falls off one end enters at the other."""
    def rot90(self, k: _int = 1, dims: _int | Sequence[_int] = ...) -> Tensor:
        """Turn the plane of two dims by ``k`` times 90 degrees, from the first towards the second."""
    def round(self, *, decimals: _int = 0) -> Tensor:
        """The nearest number with ``decimals`` digits behind the point, the even one of two."""
    def round_(self, *, decimals: _int = 0) -> Tensor:
        """The nearest number with ``decimals`` digits behind the point, the even one of two."""
    def rrelu(self, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
        """Ramp whose slope below zero is random in ``training``, else halfway between the bounds."""
    def rsqrt(self) -> Tensor:
        """Reciprocal of the square root: ``out = 1 / sqrt(x)``."""
    def rsqrt_(self) -> Tensor:
        """Reciprocal of the square root: ``out = 1 / sqrt(x)``."""
    def rsub(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: ``out = y - alpha * x``."""
    def rsub_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract the other way round: ``out = y - alpha * x``."""
    def scatter(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor | None = None, *, value: Any = None, reduce: _str | None = None) -> Tensor:
        """``x`` with ``out[..., index[p], ...] = src[p]`` along ``dim`` (or a number everywhere); ``reduce`` combines instead."""
    def scatter_(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor | None = None, *, value: Any = None, reduce: _str | None = None) -> Tensor:
        """``x`` with ``out[..., index[p], ...] = src[p]`` along ``dim`` (or a number everywhere); ``reduce`` combines instead."""
    def scatter_add(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor) -> Tensor:
        """``x`` with ``out[..., index[p], ...] += src[p]`` along ``dim``; repeated places add up."""
    def scatter_add_(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor) -> Tensor:
        """``x`` with ``out[..., index[p], ...] += src[p]`` along ``dim``; repeated places add up."""
    def scatter_reduce(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """``x`` with all ``src[p]`` that arrive at one place along ``dim`` reduced, together with what was there or without."""
    def scatter_reduce_(self, dim: _int | Sequence[_int], index: Tensor, src: Tensor, reduce: _str, *, include_self: _bool = True) -> Tensor:
        """``x`` with all ``src[p]`` that arrive at one place along ``dim`` reduced, together with what was there or without."""
    def select(self, dim: _int | Sequence[_int], index: Any) -> Tensor:
        """The part at ``index`` along ``dim``; that dim is gone."""
    def select_scatter(self, src: Tensor, dim: _int | Sequence[_int], index: Any) -> Tensor:
        """A copy of ``x`` with ``src`` in the place of ``x.select(dim, index)``."""
    def selu(self) -> Tensor:
        """The ELU whose outputs keep mean 0 and variance 1."""
    def selu_(self) -> Tensor:
        """The ELU whose outputs keep mean 0 and variance 1."""
    def sgn(self) -> Tensor:
        """Direction from zero: ``out = x / abs(x)``, and 0 at 0."""
    def sgn_(self) -> Tensor:
        """Direction from zero: ``out = x / abs(x)``, and 0 at 0."""
    def sigmoid(self) -> Tensor:
        """Squash to (0, 1): ``out = 1 / (1 + exp(-x))``."""
    def sigmoid_(self) -> Tensor:
        """Squash to (0, 1): ``out = 1 / (1 + exp(-x))``."""
    def sign(self) -> Tensor:
        """Which side of zero: ``out = -1, 0 or 1``."""
    def sign_(self) -> Tensor:
        """Which side of zero: ``out = -1, 0 or 1``."""
    def signbit(self) -> Tensor:
        """Whether the sign bit is set: true for negative numbers and for -0."""
    def signbit_(self) -> Tensor:
        """Whether the sign bit is set: true for negative numbers and for -0."""
    def sin(self) -> Tensor:
        """Sine: ``out = sin(x)``."""
    def sin_(self) -> Tensor:
        """Sine: ``out = sin(x)``."""
    def sinc(self) -> Tensor:
        """Sine by its angle: ``out = sin(pi x) / (pi x)``, and 1 at 0."""
    def sinc_(self) -> Tensor:
        """Sine by its angle: ``out = sin(pi x) / (pi x)``, and 1 at 0."""
    def sinh(self) -> Tensor:
        """Hyperbolic sine: ``out = (exp(x) - exp(-x)) / 2``."""
    def sinh_(self) -> Tensor:
        """Hyperbolic sine: ``out = (exp(x) - exp(-x)) / 2``."""
    def slice_scatter(self, src: Tensor, dim: _int | Sequence[_int] = 0, start: _int | None = None, end: Any = None, step: _int = 1) -> Tensor:
        """A copy of ``x`` with ``src`` in the place of its slice ``start:end:step`` along ``dim``."""
    def slogdet(self) -> _SignLogabsdet:
        """Sign and logarithm of the determinant: ``det(x) = sign * exp(logabsdet)``, where the determinant would overflow."""
    def softmax(self, dim: _int | Sequence[_int], dtype: _dtype | None = None) -> Tensor:
        """Exponentials as shares of their sum: ``out = exp(x) / sum(exp(x))`` along ``dim``."""
    def sort(self, dim: _int | Sequence[_int] = -1, descending: _bool = False, stable: Any = None) -> _ValuesIndices:
        """``x`` in order along ``dim``, and where each element was; with ``stable``, equals keep their order."""
    def split(self, split_size_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """Consecutive pieces along ``dim``: all of one size, or of the sizes in a list."""
    def split_with_sizes(self, split_sizes: _int | Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """Consecutive pieces of these sizes along ``dim``."""
    def sqrt(self) -> Tensor:
        """Square root: ``out * out = x``, not negative."""
    def sqrt_(self) -> Tensor:
        """Square root: ``out * out = x``, not negative."""
    def square(self) -> Tensor:
        """Multiply by itself: ``out = x ** 2``."""
    def square_(self) -> Tensor:
        """Multiply by itself: ``out = x ** 2``."""
    @overload
    def squeeze(self, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """Drop the dims of size one: all of them, or those named."""
    @overload
    def squeeze(self, *dim: _int) -> Tensor: ...
    def std(self, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
        """The standard deviation along ``dim``: the square root of the variance."""
    def stft(self, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: _bool = True, pad_mode: _str = 'reflect', normalized: _bool = False, onesided: Any = None, return_complex: Any = None, align_to_window: Any = None) -> Tensor:
        """Short-time Fourier transform: ``out[..., k, m] = sum_j window[j] input[m hop + j] exp(-2 pi i j k / n_fft)``."""
    def sub(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: ``out = x - alpha * y``."""
    def sub_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: ``out = x - alpha * y``."""
    def subtract(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: ``out = x - alpha * y``."""
    def subtract_(self, other: Tensor | _Number, *, alpha: _Number = 1) -> Tensor:
        """Subtract element by element: ``out = x - alpha * y``."""
    def sum(self, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """Add up along ``dim``; integers add up in int64."""
    def sum_to_size(self, *size: _int | Sequence[_int]) -> Tensor:
        """Sum away what broadcasting from ``size`` would have added."""
    def svd(self, some: _bool = True, compute_uv: _bool = True) -> tuple[Tensor, ...]:
        """The older form of ``linalg.svd``: ``input = U @ diag(S) @ V^H``."""
    def swapaxes(self, axis0: _int, axis1: _int) -> Tensor:
        """Exchange two dims."""
    def swapdims(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dims."""
    def t(self) -> Tensor:
        """The transpose of a matrix; a vector or a number stays as it is."""
    def take(self, index: Tensor) -> Tensor:
        """The elements of ``x``, seen as flat, at ``index``."""
    def take_along_dim(self, indices: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
        """The elements at ``indices`` along ``dim``; the other dims broadcast."""
    def tan(self) -> Tensor:
        """Tangent: ``out = sin(x) / cos(x)``."""
    def tan_(self) -> Tensor:
        """Tangent: ``out = sin(x) / cos(x)``."""
    def tanh(self) -> Tensor:
        """Hyperbolic tangent: ``out = sinh(x) / cosh(x)``."""
    def tanh_(self) -> Tensor:
        """Hyperbolic tangent: ``out = sinh(x) / cosh(x)``."""
    def tensor_split(self, indices_or_sections: Any, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """Pieces along ``dim``: so many of nearly equal size, or cut at the given places."""
    def threshold(self, threshold: Any, value: Any) -> Tensor:
        """Nothing changes above the threshold: ``out = x if x > threshold else value``."""
    def threshold_(self, threshold: Any, value: Any) -> Tensor:
        """Nothing changes above the threshold: ``out = x if x > threshold else value``."""
    def tile(self, *dims: _int | Sequence[_int]) -> Tensor:
        """:meth:`repeat`, with missing leading repeats counted as one."""
    def topk(self, k: _int, dim: _int | Sequence[_int] = -1, largest: _bool = True, sorted: _bool = True) -> _ValuesIndices:
        """The ``k`` largest (or smallest) along ``dim`` in order, and where they are."""
    def trace(self) -> Tensor:
        """Sum of the diagonal: ``out = sum_i x[i, i]``."""
    def transpose(self, dim0: _int, dim1: _int) -> Tensor:
        """Exchange two dims."""
    def triangular_solve(self, A: Tensor, upper: _bool = True, transpose: _bool = False, unitriangular: _bool = False) -> _SolutionClonedCoefficient:
        """The ``solution`` with ``A @ solution = x``, or ``A^T @ solution = x``; one triangle of ``A`` is read. And ``A``."""
    def tril(self, diagonal: _int = 0) -> Tensor:
        """The lower triangle of each matrix, up to the given ``diagonal``; zeros above."""
    def tril_(self, diagonal: _int = 0) -> Tensor:
        """The lower triangle of each matrix, up to the given ``diagonal``; zeros above."""
    def triu(self, diagonal: _int = 0) -> Tensor:
        """The upper triangle of each matrix, from the given ``diagonal`` on; zeros below."""
    def triu_(self, diagonal: _int = 0) -> Tensor:
        """The upper triangle of each matrix, from the given ``diagonal`` on; zeros below."""
    def true_divide(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
    def true_divide_(self, other: Tensor | _Number, *, rounding_mode: _str | None = None) -> Tensor:
        """Divide element by element: ``out = x / y``, rounded towards zero (``trunc``) or down (``floor``) if asked for."""
    def trunc(self) -> Tensor:
        """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
    def trunc_(self) -> Tensor:
        """Drop what stands behind the point: ``out = sign(x) * floor(abs(x))``."""
    def unbind(self, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """The parts along ``dim``, one by one, without that dim."""
    def unflatten(self, dim: _int | Sequence[_int], sizes: _int | Sequence[_int]) -> Tensor:
        """The dim ``dim`` cut into several of these ``sizes``."""
    def unfold(self, dimension: _int, size: _int | Sequence[_int], step: _int) -> Tensor:
        """All windows of ``size`` neighbours along ``dimension``, ``step`` apart; a window's elements are the last dim."""
    def uniform_(self, from_: _Number = 0.0, to: _Number = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with uniform numbers: ``x = from + u (to - from)``, ``u`` in [0, 1)."""
    def unique(self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
        """The distinct elements in order (always sorted), with their places and counts if wanted."""
    def unique_consecutive(self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | Sequence[_int] | None = None) -> Tensor | Any:
        """The elements without those that equal the one before, with their places and counts if wanted."""
    def unsafe_chunk(self, chunks: _int, dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """:func:`chunk` as :func:`unsafe_split` does it."""
    def unsafe_split(self, split_size: _int | Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """:func:`split` for pieces of which only one is used, or none is written: they share memory, unknown to autograd."""
    def unsafe_split_with_sizes(self, split_sizes: _int | Sequence[_int], dim: _int | Sequence[_int] = 0) -> tuple[Tensor, ...]:
        """:func:`split_with_sizes` as :func:`unsafe_split` does it."""
    def unsqueeze(self, dim: _int | Sequence[_int]) -> Tensor:
        """Insert a dim of size one at ``dim``."""
    def var(self, dim: _int | Sequence[_int] | None = None, unbiased: Any = None, keepdim: _bool = False, *, correction: Any = None) -> Tensor:
        """The variance along ``dim``: ``out = sum(|x - mean(x)| ** 2) / (n - correction)``."""
    def vdot(self, other: Tensor) -> Tensor:
        """Inner product of two vectors: ``out = sum_i conj(x[i]) * y[i]``."""
    @overload
    def view(self, size: _int | Sequence[_int] | None = None, dtype: _dtype | None = None) -> Tensor:
        """The same memory under another ``size``, or with its bytes read as another ``dtype``."""
    @overload
    def view(self, *size: _int, dtype: _dtype | None = None) -> Tensor: ...
    def view_as(self, other: _Number | Tensor) -> Tensor:
        """A view of ``input`` in the shape of ``other``."""
    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the rows."""
    def where(self, condition: Tensor, other: Tensor | _Number) -> Tensor:
        """Element by element, one or the other: ``out = x if condition else y``."""
    def xlogy(self, other: Tensor | _Number) -> Tensor:
        """Logarithm times: ``out = x * log(y)``, and 0 where x is 0."""
    def xlogy_(self, other: Tensor | _Number) -> Tensor:
        """Logarithm times: ``out = x * log(y)``, and 0 where x is 0."""
    def zero_(self) -> Tensor:
        """Overwrite ``x`` with zeros."""
