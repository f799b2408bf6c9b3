"""Sentences as vectors: a model put together from its modules, encoded, compared, trained, saved and read again."""
import tempfile

import torch
from datasets import Dataset
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments, util
from sentence_transformers.losses import CosineSimilarityLoss
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the a cat dog sat ran on under mat tree and then it was".split()]
TEXTS = ["the cat sat on the mat", "a dog ran under the tree", "it was a cat", "the dog and the cat"]


def main():
    torch.manual_seed(0)
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    with tempfile.TemporaryDirectory() as folder:
        PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
                                sep_token="[SEP]", mask_token="[MASK]", model_max_length=32).save_pretrained(folder)
        BertModel(BertConfig(vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                             intermediate_size=64, max_position_embeddings=64)).save_pretrained(folder)
        body = Transformer(folder)
        model = SentenceTransformer(modules=[body, Pooling(32, pooling_mode="mean"), Normalize()], device="cpu")
        before = model.encode(TEXTS, convert_to_tensor=True, show_progress_bar=False)
        pairs = Dataset.from_dict({"sentence1": TEXTS, "sentence2": TEXTS[::-1], "score": [0.9, 0.1, 0.1, 0.9]})
        settings = SentenceTransformerTrainingArguments(
            output_dir=f"{folder}/out", num_train_epochs=3, per_device_train_batch_size=2, learning_rate=1e-3, report_to=[],
            save_strategy="no", logging_steps=1, disable_tqdm=True, use_cpu=True)
        trainer = SentenceTransformerTrainer(model=model, args=settings, train_dataset=pairs, loss=CosineSimilarityLoss(model))
        loss = trainer.train().training_loss
        after = model.encode(TEXTS, convert_to_tensor=True, show_progress_bar=False)
        model.save(f"{folder}/saved")
        again = SentenceTransformer(f"{folder}/saved", device="cpu").encode(TEXTS, convert_to_tensor=True,
                                                                           show_progress_bar=False)
    return {"before": before[:, :4].tolist(), "loss": loss, "similar": util.cos_sim(after, after).tolist(),
            "same": torch.allclose(again, after, atol=1e-6),
            "found": util.semantic_search(after[:1], after, top_k=2)[0]}
