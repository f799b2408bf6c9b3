"""Sentences as vectors: a model put together from its modules, encoded, compared, trained, saved and read again."""
import tempfile

import torch
from sentence_transformers import SentenceTransformer, util
from sentence_transformers.losses import CosineSimilarityLoss
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the a cat dog sat ran on under mat tree and then it was".split()]
TEXTS = ["the cat sat on the mat", "a dog ran under the tree", "it was a cat", "the dog and the cat"]


def built(folder):
    """A small model of random weights."""
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
                            sep_token="[SEP]", mask_token="[MASK]", model_max_length=32).save_pretrained(folder)
    BertModel(BertConfig(vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                         intermediate_size=64, max_position_embeddings=64)).save_pretrained(folder)
    return SentenceTransformer(modules=[Transformer(folder), Pooling(32, pooling_mode="mean"), Normalize()], device="cpu")


def encoded(model):
    """The texts as rows of a tensor."""
    return model.encode(TEXTS, convert_to_tensor=True, show_progress_bar=False)


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        model = built(folder)
        before = encoded(model)
        objective = CosineSimilarityLoss(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        scores = torch.tensor([0.9, 0.1, 0.1, 0.9])
        model.train()
        losses = []
        for _ in range(6):
            optimizer.zero_grad()
            loss = objective([model.tokenize(texts) for texts in (TEXTS, TEXTS[::-1])], scores)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        after = encoded(model)
        model.save(f"{folder}/saved")
        again = encoded(SentenceTransformer(f"{folder}/saved", device="cpu"))
    return {"before": before[:, :4].tolist(), "losses": losses, "similar": util.cos_sim(after, after).tolist(),
            "same": torch.allclose(again, after, atol=1e-6),
            "found": util.semantic_search(after[:1], after, top_k=2)[0]}
