"""``Trainer`` on two ranks, as ``torchrun`` starts them: each has half of every batch, evaluates half, and the first saves."""
import json
import os
import socket
import subprocess
import sys
import tempfile


def train(folder):
    """What one rank finds."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    class Sentences(torch.utils.data.Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, i):
            return {"input_ids": torch.tensor([(i * 7 + k * 3) % 50 for k in range(8)]), "labels": torch.tensor(i % 2)}
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = BertForSequenceClassification(BertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))
    settings = TrainingArguments(
        output_dir=folder, max_steps=12, per_device_train_batch_size=4, logging_steps=3, report_to=[], learning_rate=1e-3,
        weight_decay=0.01, warmup_steps=2, gradient_accumulation_steps=2, save_strategy="steps", save_steps=6, seed=0,
        disable_tqdm=True, use_cpu=True, logging_strategy="steps", ddp_backend="gloo")
    trainer = Trainer(model=model, args=settings, train_dataset=Sentences(), eval_dataset=Sentences())
    trained = trainer.train().training_loss
    found = {"ranks": torch.distributed.get_world_size(), "wrapped": type(trainer.model_wrapped).__name__, "training": trained,
             "evaluation": trainer.evaluate()["eval_loss"],
             "log": [row["loss"] for row in trainer.state.log_history if "loss" in row],
             "norms": [row["grad_norm"] for row in trainer.state.log_history if "grad_norm" in row],
             "predicted": trainer.predict(Sentences()).predictions.shape,
             "kept": sorted(os.listdir(folder)), "first": float(next(model.parameters()).detach().abs().sum())}
    trainer.train(resume_from_checkpoint=f"{folder}/checkpoint-6")
    found["again"] = trainer.evaluate()["eval_loss"]
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return found


def main():
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        job = {**os.environ, "MASTER_ADDR": "localhost", "MASTER_PORT": str(port), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2",
               "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"}
        ranks = [subprocess.Popen([sys.executable, __file__, folder], stdout=subprocess.PIPE, text=True,
                                  env={**job, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(2)]
        said = [rank.communicate(timeout=500)[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        raise RuntimeError("a rank failed")
    return [json.loads(text.splitlines()[-1]) for text in said]


if __name__ == "__main__":
    print(json.dumps(train(sys.argv[1])))
