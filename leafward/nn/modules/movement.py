"""Moving a module: another dtype or another device for all its parameters and buffers."""
from __future__ import annotations

from typing import Any, Self, TYPE_CHECKING

import leafward as lw
from leafward import dtypes
from leafward.core.tracebacks import short
from leafward.errors import warn

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device


def parse_to(args, kwargs):
    """Read ``to(device)``, ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)`` as the options of ``Tensor.to``."""
    options = dict(kwargs)
    device, dtype = options.pop("device", None), options.pop("dtype", None)
    non_blocking = options.pop("non_blocking", False)
    example = options.pop("tensor", None)
    memory_format = options.pop("memory_format", None)
    if options:
        raise TypeError(f"to() received an invalid combination of arguments: unknown {sorted(options)}")
    flags = []
    for value in args:
        value = dtypes.as_dtype(value)
        if isinstance(value, lw.Tensor):
            example = value
        elif isinstance(value, lw.dtype):
            dtype = value
        elif isinstance(value, bool):
            flags.append(value)
        elif value is not None:
            device = value
    if flags:
        non_blocking = flags[0]
    if example is not None:
        device, dtype = example.device, example.dtype
    return device if device is None else lw.device(device), dtypes.as_dtype(dtype), non_blocking, memory_format


class Movement:
    """The part of :class:`Module` that replaces every tensor in the tree."""

    def _apply(self, fn, recurse=True):
        """Replace every parameter, gradient and buffer ``t`` by ``fn(t)``; parameters stay the same objects."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, p in self._parameters.items():
            if p is None:
                continue
            with lw.no_grad():
                moved = fn(p)
                if moved.is_meta or p.is_meta:              # without memory, or given some: another object
                    self._parameters[name] = lw.nn.Parameter(moved, p.requires_grad)
                    continue
                p.data = moved
                if p.grad is not None:
                    p.grad.data = fn(p.grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    @short
    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move to a device, or to a floating or complex dtype (integer tensors keep theirs)."""
        device, dtype, non_blocking, memory_format = parse_to(args, kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, "
                            f"but got desired dtype={dtype}")
        if dtype is not None and dtype.is_complex:
            warn(
                "Complex modules are a new feature under active development whose design may change, "
                "and some modules might not work as expected when using complex tensors as parameters or buffers. "
                "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
                "if a complex module does not work as expected.")

        def convert(t):
            kept = dtype if t.is_floating_point() or t.is_complex() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, kept, non_blocking, memory_format=memory_format)
            return t.to(device, kept, non_blocking)
        return self._apply(convert)

    @short
    def type(self, dst_type: DType | str) -> Self:
        """Cast all parameters and buffers to ``dst_type``."""
        return self._apply(lambda t: t.type(dst_type))

    def _cast_floating(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self) -> Self:
        """Cast the floating point tensors to float32."""
        return self._cast_floating(lw.float32)

    def double(self) -> Self:
        """Cast the floating point tensors to float64."""
        return self._cast_floating(lw.float64)

    def half(self) -> Self:
        """Cast the floating point tensors to float16."""
        return self._cast_floating(lw.float16)

    def bfloat16(self) -> Self:
        """Cast the floating point tensors to bfloat16."""
        return self._cast_floating(lw.bfloat16)

    def cpu(self) -> Self:
        """Move to the CPU."""
        return self._apply(lambda t: t.cpu())

    @short
    def cuda(self, device: Device | None = None) -> Self:
        """Move to a GPU."""
        return self._apply(lambda t: t.cuda(device))

    @short
    def xpu(self, device: Device | None = None) -> Self:
        """Move to an Intel GPU."""
        return self._apply(lambda t: t.to("xpu"))

    @short
    def ipu(self, device: Device | None = None) -> Self:
        """Move to a Graphcore IPU."""
        return self._apply(lambda t: t.to("ipu"))

    @short
    def mtia(self, device: Device | None = None) -> Self:
        """Move to an MTIA accelerator."""
        return self._apply(lambda t: t.to("mtia"))

    @short
    def to_empty(self, *, device: Device | None, recurse: bool = True) -> Self:
        """Move to ``device`` without copying: the values are whatever the new memory holds."""
        return self._apply(lambda t: lw.empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Move the tensors to memory that other processes can map."""
        return self._apply(lambda t: t.share_memory_())
