"""What optimizers of other packages ask: which devices have functions of whole lists, and lists by device and dtype.

Every tensor here lies on the CPU, where lists are written to one tensor after the other.
"""
#: The names that PyTorch gives; none of these devices is ever met.
ACCELERATORS = ("cuda", "xpu", "mtia", "privateuseone")


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Devices on which functions of lists take less time than one call for each tensor."""
    return list(ACCELERATORS)


def _get_fused_kernels_supported_devices() -> list[str]:
    """Devices that optimizers have a fused step for."""
    return ["mps", *ACCELERATORS[:2], "hpu", "cpu", *ACCELERATORS[2:]]


def _device_has_foreach_support(device) -> bool:
    """Whether ``_foreach_`` functions take tensors on ``device``."""
    return device.type in (*ACCELERATORS, "cpu")


def _has_foreach_support(tensors, device) -> bool:
    """Whether they take these tensors: a subclass may mean something else by them."""
    from leafward.tensor.tensor import Tensor
    return _device_has_foreach_support(device) and all(t is None or type(t) is Tensor for t in tensors)


def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
    """``{(device, dtype): (lists, places)}``: the lists cut up by what the tensors of the first one are.

    The other lists, which may hold None or numbers, are cut up alike. ``places``: where the elements stood, if asked for.
    """
    groups = {}
    for number, row in enumerate(zip(*tensorlistlist, strict=True)):
        lists, places = groups.setdefault((row[0].device, row[0].dtype), ([[] for _ in row], []))
        for kept, value in zip(lists, row, strict=True):
            kept.append(value)
        if with_indices:
            places.append(number)
    return groups
