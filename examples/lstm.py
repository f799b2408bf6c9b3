"""Read arithmetic of brackets with a two-way LSTM (Hochreiter & Schmidhuber 1997): do they all close?

    leafward run examples/lstm.py [steps]
"""
import random
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

SYMBOLS = "_()[]"                                                # the first pads
CLOSES = {")": "(", "]": "["}


def balanced(text):
    """Whether every bracket closes the last one open."""
    waiting = []
    for symbol in text:
        if symbol not in CLOSES:
            waiting.append(symbol)
        elif not waiting or waiting.pop() != CLOSES[symbol]:
            return False
    return not waiting


class Brackets(Dataset):
    """Texts of 2 to 16 brackets; half of them close, the other half were spoiled in one place."""

    def __init__(self, count, seed):
        draw = random.Random(seed)
        self.texts = [self.draw(draw, spoil=i % 2 == 1) for i in range(count)]

    @staticmethod
    def draw(draw, spoil):
        text, waiting = "", []
        for left in range(2 * draw.randint(1, 8), 0, -1):
            if waiting and (len(waiting) == left or draw.random() < 0.5):
                text += {"(": ")", "[": "]"}[waiting.pop()]
            else:
                waiting.append(draw.choice("(["))
                text += waiting[-1]
        if spoil:
            at = draw.randrange(len(text))
            text = text[:at] + draw.choice([s for s in SYMBOLS[1:] if s != text[at]]) + text[at + 1:]
        return text

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        text = self.texts[index]
        return torch.tensor([SYMBOLS.index(symbol) for symbol in text]), float(balanced(text))


def padded(samples):
    texts, answers = zip(*samples)
    return pad_sequence(texts, batch_first=True), torch.tensor([len(t) for t in texts]), torch.tensor(answers)


class Reader(nn.Module):
    """The chance that a text closes: two layers read it in both directions, their outputs are averaged."""

    def __init__(self, width=24):
        super().__init__()
        self.embedding = nn.Embedding(len(SYMBOLS), width, padding_idx=0)
        self.memory = nn.LSTM(width, width, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
        self.score = nn.Linear(2 * width, 1)

    def forward(self, texts, lengths):
        packed = pack_padded_sequence(self.embedding(texts), lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.memory(packed)[0], batch_first=True)     # n t 2*width, zero past the end
        return self.score(out.sum(dim=1) / lengths[:, None]).squeeze(1)


def main(steps):
    torch.manual_seed(0)
    loader = DataLoader(Brackets(640, seed=1), batch_size=32, shuffle=True, collate_fn=padded)
    model = Reader()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    step = 0
    while step < steps:
        for texts, lengths, answers in loader:
            if step == steps:
                break
            loss = F.binary_cross_entropy_with_logits(model(texts, lengths), answers)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_value_(model.parameters(), 0.5)
            optimizer.step()
            step += 1
            print(f"step {step:3}  loss {loss.item():.6f}")
    model.eval()
    with torch.no_grad():
        texts, lengths, answers = padded(Brackets(200, seed=2))
        right = ((model(texts, lengths) > 0) == answers.bool()).sum().item()
    print(f"unseen texts: {right} of 200 right")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
