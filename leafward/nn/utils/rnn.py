"""Sequences of different lengths in one tensor: padded to the longest, or packed step by step."""
from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable
from typing import Any, Self, TYPE_CHECKING

import leafward as lw
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

PackedSequence_ = namedtuple(
    "PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"], defaults=[None, None, None])
PackedSequence_.__annotations__ = {"data": Tensor, "batch_sizes": Tensor, "sorted_indices": Tensor | None,
                                   "unsorted_indices": Tensor | None}


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes ``permutation``.

    permutation: the numbers from 0 to n - 1 in any order; None stays None

    >>> invert_permutation(lw.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    return lw.empty_like(permutation).scatter_(0, permutation, lw.arange(permutation.numel()))


class PackedSequence(PackedSequence_):
    """Sequences packed step by step: ``data`` (rows, *) holds the first elements of all, then the second ones, ...

    Longer sequences come first. Made by :func:`pack_padded_sequence` and :func:`pack_sequence`.

    data: the elements
    batch_sizes: how many sequences have a first step, a second one, ...
    sorted_indices: where each came from; None: they were in order
    unsorted_indices: where each went; None: they were in order, or it follows from ``sorted_indices``

    >>> pack_sequence([lw.tensor([1, 2, 3]), lw.tensor([4])]).data
    tensor([1, 4, 2, 3])
    """

    def __new__(cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None) -> Self:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def pin_memory(self) -> Self:
        """The same in page-locked memory."""
        return type(self)(self.data.pin_memory(), *self[1:])

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move or cast ``data``; ``batch_sizes`` stays. Returns itself if nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cuda(self, *args: Any, **kwargs: Any) -> Self:
        """Move to a GPU."""
        return type(self)(self.data.cuda(*args, **kwargs), *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> Self:
        """Move to the CPU."""
        return self.to(*args, device="cpu", **kwargs)

    def double(self) -> Self:
        """Cast ``data`` to float64."""
        return self.to(dtype=lw.float64)

    def float(self) -> Self:
        """Cast ``data`` to float32."""
        return self.to(dtype=lw.float32)

    def half(self) -> Self:
        """Cast ``data`` to float16."""
        return self.to(dtype=lw.float16)

    def long(self) -> Self:
        """Cast ``data`` to int64."""
        return self.to(dtype=lw.int64)

    def int(self) -> Self:
        """Cast ``data`` to int32."""
        return self.to(dtype=lw.int32)

    def short(self) -> Self:
        """Cast ``data`` to int16."""
        return self.to(dtype=lw.int16)

    def char(self) -> Self:
        """Cast ``data`` to int8."""
        return self.to(dtype=lw.int8)

    def byte(self) -> Self:
        """Cast ``data`` to uint8."""
        return self.to(dtype=lw.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether ``data`` lives on a GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Whether ``data`` is in page-locked memory."""
        return self.data.is_pinned()


# --- packed ----------------------------------------------------------------------------------------------------------

def check_lengths(lengths, n):
    """``lengths`` as a list; refused where they do not describe ``n`` sequences in falling order."""
    if lengths.dim() != 1:
        raise RuntimeError(f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D "
                           f"{lengths.device.type} Long tensor")
    values = lengths.tolist()
    if len(values) != n:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(values)} (batch_size={n})")
    if min(values) <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
                           "<= 0")
    if any(a < b for a, b in zip(values, values[1:], strict=False)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability.")
    return values


def pack_padded_sequence(input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Pack padded sequences (time, n, *), or (n, time, *) with ``batch_first``, without their padding.

    input: the padded sequences
    lengths: of each, a list or a tensor, at least 1
    {batch_first, enforce_sorted}

    >>> from leafward.nn.utils.rnn import pack_padded_sequence
    >>> padded = leafward.tensor([[1, 2, 3], [4, 0, 0]])
    >>> pack_padded_sequence(padded, [3, 1], batch_first=True).data
    tensor([1, 4, 2, 3])
    """
    lengths = lw.as_tensor(lengths, dtype=lw.int64)
    order = None
    if not enforce_sorted:
        lengths, order = lw.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    if batch_first:
        input = input.transpose(0, 1)
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    n = input.size(1)
    values = check_lengths(lengths, n)
    sizes = [sum(length > step for length in values) for step in range(values[0])]
    rows = [step * n + k for step, size in enumerate(sizes) for k in range(size)]
    data = input.reshape(input.size(0) * n, *input.shape[2:]).index_select(0, lw.tensor(rows))
    return PackedSequence(data, lw.tensor(sizes), order, None)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: int | None = None) -> tuple[Tensor, Tensor]:
    """The inverse of :func:`pack_padded_sequence`: the padded tensor, and the lengths.

    sequence: a :class:`PackedSequence`
    {batch_first, padding_value}
    total_length: how long they become; None: as long as the longest

    >>> pad_packed_sequence(pack_sequence([lw.tensor([1, 2, 3]), lw.tensor([4])]), batch_first=True)
    (tensor([[1, 2, 3],
            [4, 0, 0]]), tensor([3, 1]))
    """
    sizes = sequence.batch_sizes.tolist()
    steps, n = len(sizes), sizes[0]
    if total_length is not None:
        if total_length < steps:
            raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but "
                             f"got total_length={total_length} and max sequence length being {steps}")
        steps = total_length
    data = sequence.data
    rows = lw.tensor([step * n + k for step, size in enumerate(sizes) for k in range(size)])
    places = rows.reshape(-1, *(1,) * (data.dim() - 1)).expand(data.shape)
    padded = lw.full((steps * n, *data.shape[1:]), padding_value, dtype=data.dtype).scatter(0, places, data)
    padded = padded.reshape(steps, n, *data.shape[1:])
    lengths = lw.tensor([sum(size > k for size in sizes) for k in range(n)])
    order = sequence.unsorted_indices
    if batch_first:
        padded = padded.transpose(0, 1)
    if order is not None:
        return padded.index_select(0 if batch_first else 1, order), lengths[order]
    return padded, lengths


def pack_sequence(sequences: Sequence[Tensor] | Tensor, enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences (length, *).

    sequences: the list
    {enforce_sorted}

    >>> pack_sequence([lw.tensor([1, 2, 3]), lw.tensor([4])]).batch_sizes
    tensor([2, 1, 1])
    """
    lengths = lw.as_tensor([v.size(0) for v in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The list of sequences that :func:`pack_sequence` packed.

    packed_sequences: a :class:`PackedSequence`

    >>> unpack_sequence(pack_sequence([lw.tensor([1, 2, 3]), lw.tensor([4])]))
    [tensor([1, 2, 3]), tensor([4])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


# --- padded ----------------------------------------------------------------------------------------------------------

def pad_sequence(sequences: Sequence[Tensor] | Tensor, batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Tensor:
    """Stack sequences (length, *), padded to the longest: (time, n, *), or (n, time, *) with ``batch_first``.

    sequences: a list of them
    {batch_first, padding_value}
    padding_side: "right", after each, or "left", before it

    >>> from leafward.nn.utils.rnn import pad_sequence
    >>> pad_sequence([leafward.tensor([1, 2, 3]), leafward.tensor([4])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: "
                           f"{type(sequences)}")
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    longest = max(s.size(0) for s in sequences)
    whole = []
    for s in sequences:
        if s.size(0) < longest:
            padding = lw.full((longest - s.size(0), *sequences[0].shape[1:]), padding_value, dtype=sequences[0].dtype)
            s = lw.cat([s, padding] if padding_side == "right" else [padding, s])
        whole.append(s)
    return lw.stack(whole, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False) -> list[Tensor]:
    """The list of sequences that :func:`pad_sequence` padded.

    padded_sequences: the tensor
    lengths: of each
    {batch_first}

    >>> unpad_sequence(lw.tensor([[1, 2, 3], [4, 0, 0]]), lw.tensor([3, 1]), batch_first=True)
    [tensor([1, 2, 3]), tensor([4])]
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [sequence[:length] for sequence, length in zip(padded_sequences, lengths.tolist(), strict=True)]
