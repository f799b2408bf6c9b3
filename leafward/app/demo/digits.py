"""Read handwritten digits: an ordinary PyTorch program, 8 x 8 pixels in, one of ten digits out.

With ``import torch`` as its first import this is a PyTorch program, and it prints the same loss curve.
"""
import leafward as torch
from safetensors.numpy import load_file, save_file
from sklearn.datasets import load_digits

nn = torch.nn

EPOCHS, BATCH = 20, 64
HELD_OUT = 360                                                     # of 1797, never trained on


def load():
    """Training images and labels, then the held-out ones: the same split on every run."""
    digits = load_digits()
    images = torch.tensor(digits.images / 16, dtype=torch.float32).unsqueeze(1)      # n 1 8 8
    labels = torch.tensor(digits.target)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
    train, held_out = order[:-HELD_OUT], order[-HELD_OUT:]
    return images[train], labels[train], images[held_out], labels[held_out]


def network():
    # Smooth throughout. With ReLU and max pooling a near-tie that rounds the other way is a different network:
    # PyTorch then differs from itself (oneDNN on and off) by 1e-2 within 50 steps, and here by 1e-6.
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.SiLU(),
        nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.SiLU(), nn.AvgPool2d(2),
        nn.Conv2d(32, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.SiLU(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(32 * 2 * 2, 10),
    )


def train(model, images, labels, epochs=EPOCHS):
    """Train, yielding the loss after every step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loss_function = nn.CrossEntropyLoss()
    for _ in range(epochs):
        for batch in torch.randperm(len(images)).split(BATCH):
            model.train()
            loss = loss_function(model(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()


def predict(model, images):
    """The probability of each of the ten digits, for each image."""
    model.eval()
    with torch.no_grad():
        return model(images).softmax(dim=1)


def accuracy(model, images, labels):
    """The fraction of ``images`` that the model reads correctly."""
    return (predict(model, images).argmax(dim=1) == labels).float().mean().item()


def save(model, path):
    save_file({name: value.numpy() for name, value in model.state_dict().items()}, path)


def restore(path):
    """The network that ``save`` wrote to ``path``."""
    model = network()
    model.load_state_dict({name: torch.from_numpy(value) for name, value in load_file(path).items()})
    return model


if __name__ == "__main__":
    torch.manual_seed(0)
    train_images, train_labels, images, labels = load()
    model = network()
    for step, loss in enumerate(train(model, train_images, train_labels), start=1):
        if step % 23 == 0:
            print(f"step {step:3}  loss {loss:.4f}  held out {accuracy(model, images, labels):.1%}")
