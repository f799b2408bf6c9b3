"""Attention whose scores a function of yours changes, and whose mask another one describes.

Source: Dong, Feng, Guessous, Liang, He, "Flex Attention: A Programming Model for Generating Optimized Attention Kernels",
2024 (arXiv:2412.05496). There is no compiler here: all scores are computed, masked or not.
"""
import math
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, NamedTuple

import leafward as lw
from leafward.tensor.missing import names_missing_from

__all__ = ["AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention",
           "noop_mask", "or_masks"]

_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """What :func:`flex_attention` is to return besides the values."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What it returned besides: what was asked for, and None for the rest."""

    lse: lw.Tensor | None = None
    max_scores: lw.Tensor | None = None


def noop_mask(batch: lw.Tensor, head: lw.Tensor, q_idx: lw.Tensor, k_idx: lw.Tensor) -> lw.Tensor:
    """True: every query sees every key."""
    return lw.ones((), dtype=lw.bool)


def and_masks(*mask_mods: Callable) -> Callable:
    """The mask that allows what all of ``mask_mods`` allow."""
    def mask(*where):
        return all_of([mod(*where) for mod in mask_mods], lw.ones((), dtype=lw.bool), lw.logical_and)
    return mask


def or_masks(*mask_mods: Callable) -> Callable:
    """The mask that allows what one of ``mask_mods`` allows."""
    def mask(*where):
        return all_of([mod(*where) for mod in mask_mods], lw.zeros((), dtype=lw.bool), lw.logical_or)
    return mask


def all_of(parts, result, join):
    for part in parts:
        result = join(result, part)
    return result


def everywhere(mod, sizes, *given):
    """``mod`` at all index combinations: of batch, head, query and key, after the scores if those are ``given``."""
    score_dims = [[0] * len(given)] * 4
    for dim in (3, 2, 1, 0):
        in_dims = tuple(score_dims[dim]) + tuple(0 if dim == d else None for d in range(4))
        mod = lw.vmap(mod, in_dims=in_dims)
    return mod(*given, *(lw.arange(size, dtype=lw.int32) for size in sizes))


def create_mask(mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = "cpu") -> lw.Tensor:
    """What a function of indices allows, as a tensor of bools of shape ``(B, H, Q_LEN, KV_LEN)``.

    ``mod_fn(batch, head, q_idx, k_idx)`` gives True where the query may see the key; one that takes a score before them gives
    -inf where it may not. ``B`` or ``H`` of None count as 1.

    >>> create_mask(lambda b, h, q, k: q >= k, None, None, 2, 3)[0, 0]
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    sizes = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    by_position = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    if sum(p.kind in by_position for p in signature(mod_fn).parameters.values()) == 5:
        return ~lw.isneginf(everywhere(mod_fn, sizes, lw.zeros(sizes)))
    return everywhere(mod_fn, sizes).expand(sizes)


def blocks_of(dense):
    """How many blocks of each row are marked in ``dense``, and their places, the marked ones first: both int32."""
    dense = dense.to(lw.int32)
    return dense.sum(-1).to(lw.int32), lw.argsort(dense, dim=-1, descending=True, stable=True).to(lw.int32)


class BlockMask:
    """A mask of attention by blocks of queries and keys: :func:`create_block_mask` makes it.

    ``kv_num_blocks`` and ``kv_indices`` tell for each block of queries which blocks of keys are seen in part,
    ``full_kv_num_blocks`` and ``full_kv_indices`` which are seen whole, and ``q_...`` the same the other way round.
    ``mask_mod`` is the function that decides within a block.
    """

    def __init__(self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, q_num_blocks, q_indices,
                 full_q_num_blocks, full_q_indices, BLOCK_SIZE=(128, 128), mask_mod=noop_mask):
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        self.seq_lengths = tuple(seq_lengths)
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
        self.mask_mod = noop_mask if mask_mod is None else mask_mod

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks: lw.Tensor, kv_indices: lw.Tensor, full_kv_num_blocks: lw.Tensor | None = None,
                       full_kv_indices: lw.Tensor | None = None, BLOCK_SIZE: int | tuple[int, int] = 128,
                       mask_mod: Callable | None = None, seq_lengths: tuple[int, int] | None = None,
                       compute_q_blocks: bool = True) -> "BlockMask":
        """Make one from the blocks of keys that each block of queries sees."""
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        turned = [None] * 4
        if compute_q_blocks:
            turned[:2] = blocks_of(dense_blocks(kv_num_blocks, kv_indices).transpose(-2, -1))
            if full_kv_num_blocks is not None:
                turned[2:] = blocks_of(dense_blocks(full_kv_num_blocks, full_kv_indices).transpose(-2, -1))
        return cls(seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *turned, BLOCK_SIZE=size,
                   mask_mod=mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the scores that it is for: batch, heads, queries, keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """How many scores that are."""
        return math.prod(self.shape)

    def to_dense(self) -> lw.Tensor:
        """1 for each block that is seen, in part or whole, and 0 for the others: a row for each block of queries."""
        dense = dense_blocks(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is not None:
            dense = dense | dense_blocks(self.full_kv_num_blocks, self.full_kv_indices)
        return dense

    def sparsity(self) -> float:
        """Which percentage of the scores lies in blocks that nobody sees."""
        seen = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            seen = seen + self.full_kv_num_blocks.sum()
        return 100 * (1 - seen.item() * math.prod(self.BLOCK_SIZE) / self.numel())

    def to(self, device: Any) -> "BlockMask":
        """The mask on ``device``: itself, as there is one device."""
        lw.device(device)
        return self

    def __repr__(self):
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, BLOCK_SIZE={self.BLOCK_SIZE})"


def dense_blocks(counts, indices):
    """1 at the first ``counts`` of ``indices`` in each row."""
    marked = lw.arange(indices.shape[-1], dtype=lw.int32) < counts.unsqueeze(-1)
    return lw.zeros_like(indices).scatter_(-1, indices.long(), marked.to(indices.dtype))


def create_block_mask(mask_mod: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
                      BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE, _compile: bool = False) -> BlockMask:
    """The :class:`BlockMask` of a function of indices.

    ``mask_mod(batch, head, q_idx, k_idx)``, 0-dim int32 tensors, gives True where the query may see the key. ``B`` or ``H`` of
    None: the same for all. ``BLOCK_SIZE`` is that of queries and keys, or a pair.

    >>> create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256)
    BlockMask(shape=(1, 1, 256, 256), sparsity=25.00%, BLOCK_SIZE=(128, 128))
    """
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN)
    mask = lw.nn.functional.pad(mask, (0, -KV_LEN % columns, 0, -Q_LEN % rows))
    batch, heads, q, k = mask.shape
    seen = mask.view(batch, heads, q // rows, rows, k // columns, columns).sum((3, 5))
    whole = seen == rows * columns
    parts = blocks_of((seen > 0) & ~whole), blocks_of(whole)
    turned = blocks_of(((seen > 0) & ~whole).transpose(-2, -1)), blocks_of(whole.transpose(-2, -1))
    return BlockMask((Q_LEN, KV_LEN), *parts[0], *parts[1], *turned[0], *turned[1], BLOCK_SIZE=(rows, columns),
                     mask_mod=mask_mod)


def flex_attention(
        query: lw.Tensor, key: lw.Tensor, value: lw.Tensor, score_mod: Callable | None = None,
        block_mask: BlockMask | None = None, scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False,
        kernel_options: dict | None = None, *, return_aux: AuxRequest | None = None) -> Any:
    """``softmax(score_mod(query @ key.mT * scale)) @ value`` over the keys that ``block_mask`` lets a query see.

    * ``query`` is ``(B, Hq, L, E)``, ``key`` ``(B, Hkv, S, E)``, ``value`` ``(B, Hkv, S, Ev)``; the result
      ``(B, Hq, L, Ev)`` in the dtype of ``query``. Computed in float32, or in float64 where that is the dtype. A ``key`` with
      a batch of 1 serves all.
    * ``score_mod(score, batch, head, q_idx, k_idx)`` changes a score; all are 0-dim tensors. It may use other tensors, and
      gradients reach those.
    * ``block_mask``: :func:`create_block_mask`; its sizes may be larger than the scores'. A query that sees no key gets 0.
    * ``scale`` is ``1 / sqrt(E)`` unless given. ``enable_gqa`` lets several heads of queries share one of keys.
    * ``return_lse``: also the log of each query's sum of exponentials, ``(B, Hq, L)``. ``return_aux`` asks for the same,
      and for the largest score of each query.
    * ``kernel_options`` are for a compiler, and change nothing.

    ValueError where shapes do not fit.

    >>> q = k = v = lw.eye(2).reshape(1, 1, 2, 2)
    >>> mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 2, 2)
    >>> flex_attention(q, k, v, score_mod=lambda score, b, h, q, k: score * 2, block_mask=mask)
    tensor([[[[1.0000, 0.0000],
              [0.1956, 0.8044]]]])
    """
    check(query, key, value, enable_gqa, block_mask)
    work = lw.float64 if query.dtype is lw.float64 else lw.float32
    (batch, heads, length, features), keys = query.shape, key.shape[-2]
    k, v = (t.expand(batch, -1, -1, -1).repeat_interleave(heads // t.shape[1], 1) for t in (key, value))
    scores = query.to(work) @ k.to(work).transpose(-2, -1) * (1 / math.sqrt(features) if scale is None else scale)
    sizes = (batch, heads, length, keys)
    if score_mod is not None:
        scores = everywhere(score_mod, sizes, scores).to(work)
    if block_mask is not None:
        scores = scores.masked_fill(~everywhere(block_mask.mask_mod, sizes).expand(sizes), -math.inf)
    blind = (scores == -math.inf).all(-1, keepdim=True)
    weights = scores.softmax(-1).masked_fill(blind, 0)
    result = (weights.to(query.dtype) @ v.to(query.dtype)) if query.dtype in (lw.float32, lw.float64) else (
        weights @ v.to(work)).to(query.dtype)
    lse = scores.logsumexp(-1).masked_fill(blind.squeeze(-1), -math.inf) if return_lse or return_aux else None
    if return_aux is not None:
        largest = scores.amax(-1) if return_aux.max_scores else None
        return result, AuxOutput(lse if return_aux.lse else None, largest)
    return (result, lse) if return_lse else result


def check(query, key, value, enable_gqa, block_mask):
    """Refuse what does not fit together."""
    if not (query.dtype is key.dtype is value.dtype):
        raise ValueError("Expected query, key, and value to have the same dtype, but got "
                         f"query.dtype: {query.dtype}, key.dtype: {key.dtype}, and value.dtype: {value.dtype} instead.")
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if not query.shape[-1] == key.shape[-1]:
        raise ValueError(f"Expect query and key/value to have the same embedding dimension but got E={query.shape[-1]} and "
                         f"E={key.shape[-1]}.")
    if key.shape[0] not in (1, query.shape[0]) or value.shape[0] != key.shape[0] or value.shape[1:3] != key.shape[1:3]:
        raise ValueError(f"key {tuple(key.shape)} and value {tuple(value.shape)} do not fit query {tuple(query.shape)}")
    if query.shape[1] != key.shape[1]:
        if not enable_gqa:
            raise ValueError(f"Expect query and key/value to have the same number of heads but got Hq={query.shape[1]} and "
                             f"Hkv={key.shape[1]}. Try setting enable_gqa=True for GQA.")
        if query.shape[1] % key.shape[1]:
            raise ValueError(f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={query.shape[1]} "
                             f"and Hkv={key.shape[1]}.")
    if block_mask is not None:
        for name, size, limit in zip(("query", "key"), (query.shape[-2], key.shape[-2]), block_mask.seq_lengths, strict=True):
            if size > limit:
                raise ValueError(f"block_mask was created for {limit} positions of the {name}, which has {size}: make it with "
                                 "create_block_mask for these lengths")


__getattr__ = names_missing_from("torch.nn.attention.flex_attention", globals())
