"""Tables whose rows are codes of 8 bits, each with a scale and a zero of its own."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.ao.nn.quantized.packed import Packed, observer_for
from leafward.ao.quantization.observer import default_float_qparams_observer
from leafward.nn import Module, functional as F
from leafward.nn.modules import sparse

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class Embedding(Module):
    """Rows by number: ``out[...] = scale * (codes - zero)`` of the row ``indices[...]``: (*) -> (*, embedding_dim).

    num_embeddings, embedding_dim: how many rows there are, and how long they are
    dtype: ``quint8``

    >>> from leafward import nn
    >>> leafward.ao.nn.quantized.Embedding(10, 3)
    QuantizedEmbedding(num_embeddings=10, embedding_dim=3, dtype=torch.quint8, qscheme=torch.per_channel_affine_float_qparams)
    """

    floats = sparse.Embedding

    def __init__(self, num_embeddings: int, embedding_dim: int, dtype: Any = lw.quint8) -> None:
        super().__init__()
        if dtype is not lw.quint8:
            raise NotImplementedError(f"tables are torch.quint8 here, not {dtype}")
        self.num_embeddings, self.embedding_dim, self.dtype = num_embeddings, embedding_dim, dtype
        self._packed_params = Packed((num_embeddings, embedding_dim), False, dtype, lw.per_channel_affine_float_qparams)

    @classmethod
    def from_float(cls, mod: Module, use_precomputed_fake_quant: bool = False) -> Embedding:
        """The table with the rows of a float one, by the observer that its ``qconfig`` makes."""
        if type(mod) is not cls.floats:
            raise AssertionError(f"nnq.{cls.__name__}.from_float only works for {cls.floats.__name__}")
        observer = observer_for(mod, default_float_qparams_observer)
        if getattr(observer, "qscheme", None) is not lw.per_channel_affine_float_qparams:
            raise AssertionError("Embedding quantization is only supported with float_qparams_weight_only_qconfig.")
        made = cls._shaped_as(mod)
        made._packed_params = Packed.of(mod.weight, None, observer)
        return made

    @classmethod
    def _shaped_as(cls, mod):
        if mod.max_norm is not None:
            raise NotImplementedError("a quantized table cannot be written to: max_norm has to be None")
        return cls(mod.num_embeddings, mod.embedding_dim)

    def weight(self) -> Any:
        """The table as codes: ``int_repr()``, ``q_per_channel_scales()``, ``dequantize()``."""
        return self._packed_params.codes()

    def _rows(self, indices):
        packed = self._packed_params
        return lw._quantized_embedding(packed.weight, indices, packed.scale, packed.zero_point)

    def forward(self, indices: Tensor) -> Tensor:
        return self._rows(indices)

    def _get_name(self):
        return "QuantizedEmbedding"

    def extra_repr(self) -> str:
        return (f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, dtype={self._packed_params.dtype}, "
                f"qscheme={self._packed_params.qscheme}")

    def __repr__(self) -> str:
        return f"{self._get_name()}({self.extra_repr()})"


class EmbeddingBag(Embedding):
    """Sums, means or maxima of rows by bags, as :class:`leafward.nn.EmbeddingBag`: (n), (bags) -> (bags, embedding_dim).

    num_embeddings, embedding_dim: how many rows there are, and how long they are
    mode: "sum", "mean" or "max"
    include_last_offset: whether ``offsets`` ends with the end of the last bag
    dtype: ``quint8``

    >>> bags = leafward.ao.nn.quantized.EmbeddingBag(10, 3)
    >>> bags(leafward.tensor([1, 2, 4]), leafward.tensor([0, 2])).shape
    torch.Size([2, 3])
    """

    floats = sparse.EmbeddingBag

    def __init__(self, num_embeddings: int, embedding_dim: int, mode: str = "sum", include_last_offset: bool = False,
                 dtype: Any = lw.quint8) -> None:
        super().__init__(num_embeddings, embedding_dim, dtype)
        self.mode, self.include_last_offset = mode, include_last_offset

    @classmethod
    def _shaped_as(cls, mod):
        if mod.max_norm is not None or mod.padding_idx is not None:
            raise NotImplementedError("quantized bags have neither max_norm nor padding_idx")
        return cls(mod.num_embeddings, mod.embedding_dim, mod.mode, mod.include_last_offset)

    def forward(self, indices: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        rows = self._rows(indices.reshape(-1))
        return F.embedding_bag(lw.arange(indices.numel()).reshape(indices.shape), rows, offsets, mode=self.mode,
                               per_sample_weights=per_sample_weights, include_last_offset=self.include_last_offset)

    def _get_name(self):
        return "QuantizedEmbeddingBag"
