"""Six architectures from their configs: losses, gradients and greedy tokens."""
import torch
from transformers import (
    BertConfig, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, T5Config,
    T5ForConditionalGeneration, ViTConfig, ViTForImageClassification, WhisperConfig, WhisperForConditionalGeneration,
)

SMALL = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
IDS = torch.arange(24).reshape(2, 12) * 7 % 50


def waves(*shape):
    return torch.linspace(0, 60, torch.Size(shape).numel()).sin().reshape(shape)


def gpt2():
    model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=0,
                                       eos_token_id=49)).eval()
    return model, model(input_ids=IDS, labels=IDS), model.generate(IDS, max_new_tokens=8, do_sample=False, pad_token_id=0)


def bert():
    model = BertForSequenceClassification(BertConfig(max_position_embeddings=64, **SMALL)).eval()
    return model, model(input_ids=IDS, labels=torch.tensor([0, 1])), None


def llama():
    model = LlamaForCausalLM(LlamaConfig(num_key_value_heads=2, max_position_embeddings=64, eos_token_id=None, **SMALL)).eval()
    return model, model(input_ids=IDS, labels=IDS), model.generate(IDS, max_new_tokens=8, do_sample=False, pad_token_id=0)


def vit():
    model = ViTForImageClassification(ViTConfig(image_size=16, patch_size=4, num_labels=3, **SMALL)).eval()
    return model, model(pixel_values=waves(2, 3, 16, 16), labels=torch.tensor([0, 2])), None


def t5():
    model = T5ForConditionalGeneration(T5Config(vocab_size=50, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                                                decoder_start_token_id=0)).eval()
    return model, model(input_ids=IDS, labels=IDS.flip(0)), model.generate(IDS, max_new_tokens=6, do_sample=False)


def whisper():
    model = WhisperForConditionalGeneration(WhisperConfig(
        vocab_size=50, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=50, max_target_positions=32, num_mel_bins=8,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=3, suppress_tokens=None,
        begin_suppress_tokens=None)).eval()
    sound = waves(2, 8, 100)
    return model, model(input_features=sound, labels=IDS), model.generate(sound, max_new_tokens=6, do_sample=False)


def main():
    found = {}
    for make in (gpt2, bert, llama, vit, t5, whisper):
        torch.manual_seed(0)
        model, result, tokens = make()
        result.loss.backward()
        gradients = [p.grad.double().norm().item() for p in model.parameters() if p.grad is not None]
        found[make.__name__] = {"loss": result.loss.item(), "logits": result.logits[0, ..., :3].flatten()[:6].tolist(),
                                "gradients": gradients[:4] + gradients[-4:], "with gradient": len(gradients),
                                "tokens": None if tokens is None else tokens.tolist()}
    return found
