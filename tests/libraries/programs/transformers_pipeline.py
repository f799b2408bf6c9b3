"""``pipeline``: classes and continuations of texts, with a tokenizer that knows twenty words."""
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    BertConfig, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, pipeline,
)

WORDS = ["[PAD]", "[UNK]", *"the a cat dog sat ran on under mat tree and then it was good bad very not is here".split()]


def main():
    torch.manual_seed(0)
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", pad_token="[PAD]")
    bert = BertForSequenceClassification(BertConfig(
        vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64))
    classify = pipeline("text-classification", model=bert, tokenizer=tokenizer, device="cpu")
    gpt = GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS), n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=0,
                                     eos_token_id=0))
    write = pipeline("text-generation", model=gpt, tokenizer=tokenizer, device="cpu")
    return {"classes": classify(["the cat sat on the mat", "a dog ran"], top_k=None, batch_size=2),
            "text": write("the dog ran", max_new_tokens=6, do_sample=False)[0]["generated_text"]}
