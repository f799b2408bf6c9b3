"""Tables and layers whose weights are codes of 8 bits. Made by :func:`leafward.ao.quantization.quantize_dynamic`."""
from leafward.ao.nn.quantized import dynamic
from leafward.ao.nn.quantized.embedding import Embedding, EmbeddingBag

__all__ = ["Embedding", "EmbeddingBag", "dynamic"]
