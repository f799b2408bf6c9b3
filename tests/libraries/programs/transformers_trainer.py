"""``Trainer``: twelve steps of BERT, a checkpoint half way, evaluation, and the second half once more from the checkpoint."""
import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Sentences(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        return {"input_ids": torch.tensor([(i * 7 + k * 3) % 50 for k in range(8)]), "labels": torch.tensor(i % 2)}


def main():
    torch.manual_seed(0)
    model = BertForSequenceClassification(BertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64, hidden_dropout_prob=0.1))
    with tempfile.TemporaryDirectory() as folder:
        settings = TrainingArguments(
            output_dir=folder, max_steps=12, per_device_train_batch_size=8, logging_steps=3, report_to=[], learning_rate=1e-3,
            weight_decay=0.01, warmup_steps=2, gradient_accumulation_steps=2, save_strategy="steps", save_steps=6, seed=0,
            disable_tqdm=True, use_cpu=True, logging_strategy="steps")
        trainer = Trainer(model=model, args=settings, train_dataset=Sentences(), eval_dataset=Sentences())
        trained = trainer.train().training_loss
        found = {"training": trained, "evaluation": trainer.evaluate()["eval_loss"],
                 "log": [row["loss"] for row in trainer.state.log_history if "loss" in row],
                 "norms": [row["grad_norm"] for row in trainer.state.log_history if "grad_norm" in row]}
        trainer.train(resume_from_checkpoint=f"{folder}/checkpoint-6")
        found["again"] = trainer.evaluate()["eval_loss"]
    return found
