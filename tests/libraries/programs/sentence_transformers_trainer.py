"""Sentences as vectors, trained by the library's own trainer on pairs that ``datasets`` keeps."""
import tempfile

import torch
from datasets import Dataset
from programs.sentence_transformers_encode import TEXTS, built, encoded
from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments, util
from sentence_transformers.losses import CosineSimilarityLoss


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        model = built(folder)
        pairs = Dataset.from_dict({"sentence1": TEXTS, "sentence2": TEXTS[::-1], "score": [0.9, 0.1, 0.1, 0.9]})
        settings = SentenceTransformerTrainingArguments(
            output_dir=f"{folder}/out", num_train_epochs=3, per_device_train_batch_size=2, learning_rate=1e-3, report_to=[],
            save_strategy="no", logging_steps=1, disable_tqdm=True, use_cpu=True)
        trainer = SentenceTransformerTrainer(model=model, args=settings, train_dataset=pairs, loss=CosineSimilarityLoss(model))
        loss = trainer.train().training_loss
        after = encoded(model)
    return {"loss": loss, "similar": util.cos_sim(after, after).tolist()}
