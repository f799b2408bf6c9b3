"""LoRA on GPT-2: what is trained, some steps, the adapter saved and read again, and merged into the weights."""
import tempfile

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

IDS = torch.arange(24).reshape(2, 12) * 7 % 50
CONFIG = GPT2Config(vocab_size=50, n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=49)


def main():
    torch.manual_seed(0)
    weights = GPT2LMHeadModel(CONFIG).state_dict()
    base = GPT2LMHeadModel(CONFIG)
    base.load_state_dict(weights)
    model = get_peft_model(base, LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=8, target_modules=["c_attn"],
                                            lora_dropout=0.1))
    trainable, every = model.get_nb_trainable_parameters()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.05)
    losses = []
    for _ in range(10):
        loss = model(input_ids=IDS, labels=IDS).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    expected = model(input_ids=IDS).logits
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        fresh = GPT2LMHeadModel(CONFIG)
        fresh.load_state_dict(weights)
        again = PeftModel.from_pretrained(fresh, folder).eval()
        same = torch.equal(again(input_ids=IDS).logits, expected)
    merged = again.merge_and_unload()(input_ids=IDS).logits
    return {"trainable": trainable, "every": every, "losses": losses, "logits": expected[0, :2, :3].tolist(), "same": same,
            "merged": torch.allclose(merged, expected, atol=1e-5)}
