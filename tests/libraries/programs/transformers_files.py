"""A model that is saved and read again, as safetensors and as PyTorch's archive; beams; tokens drawn at random."""
import tempfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel

IDS = torch.arange(24).reshape(2, 12)


def main():
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=0,
                                       eos_token_id=49)).eval()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        again = AutoModelForCausalLM.from_pretrained(folder).eval()
        found["files"] = sorted(path.name for path in Path(folder).iterdir())
        found["safetensors"] = torch.equal(model(IDS).logits, again(IDS).logits)
        (Path(folder) / "model.safetensors").unlink()
        torch.save(model.state_dict(), Path(folder) / "pytorch_model.bin")
        again = AutoModelForCausalLM.from_pretrained(folder).eval()
        found["archive"] = torch.equal(model(IDS).logits, again(IDS).logits)
    found["beams"] = model.generate(IDS, max_new_tokens=5, num_beams=3, do_sample=False, pad_token_id=0).tolist()
    torch.manual_seed(1)
    found["drawn"] = model.generate(IDS, max_new_tokens=5, do_sample=True, top_k=5, top_p=0.9, temperature=0.7,
                                    pad_token_id=0).tolist()
    return found
