"""What ``leafward demo`` shows, in order: training, its pictures, a checkpoint, and two gradient bugs caught."""
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import leafward as lw

CHECKPOINT = "digits.safetensors"
STORIES = {
    "detach.py": "PyTorch's sentence, and then what happened: writing through detach() is an error.",
    "data.py": "The same write through .data: PyTorch returns these zeros without a word, leafward says so.",
}


def train(folder):
    """Train on the digits; write a checkpoint, ``curve.png`` and ``hardest.png`` into ``folder``."""
    from tqdm import tqdm

    from leafward.app.demo import digits, pictures
    folder.mkdir(parents=True, exist_ok=True)
    lw.set_num_threads(1)       # matrices this small gain nothing from a second thread, and wait long for a busy core
    lw.manual_seed(0)
    train_images, train_labels, images, labels = digits.load()
    model = digits.network()
    losses, accuracies = [], []
    per_epoch = -(-len(train_images) // digits.BATCH)
    print(f"Training on {len(train_images)} digits, with {len(images)} kept aside.", flush=True)
    began = time.perf_counter()
    steps = digits.train(model, train_images, train_labels)
    with tqdm(steps, total=digits.EPOCHS * per_epoch, unit="step", mininterval=0.5) as bar:
        for loss in bar:
            losses.append(loss)
            if len(losses) % per_epoch == 0:
                accuracies.append((len(losses), digits.accuracy(model, images, labels)))
                bar.set_postfix_str(f"loss {loss:.4f}, held out {accuracies[-1][1]:.1%}")
    took = time.perf_counter() - began
    right = round(accuracies[-1][1] * len(images))
    print(f"Read {right} of {len(images)} held-out digits correctly ({right / len(images):.2%}), "
          f"trained in {took:.1f} s on one thread.")
    digits.save(model, folder / CHECKPOINT)
    pictures.draw_curves(losses, accuracies, folder / "curve.png")
    pictures.draw_hardest(
        images.squeeze(1).numpy(), labels.numpy(), digits.predict(model, images).numpy(), folder / "hardest.png")
    for name in (CHECKPOINT, "curve.png", "hardest.png"):
        print(f"  wrote {folder / name}")


def tell_stories(folder):
    """Run each story as its own program, showing its source and then what it printed."""
    # Copies: a message names the user's lines, never lines inside leafward, and a copy can be edited and run again.
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}      # leafward may run from a checkout
    for name, heading in STORIES.items():
        path = folder / name
        shutil.copyfile(Path(__file__).with_name("stories") / name, path)
        print(f"\n{'-' * 100}\n{heading}\n\n$ cat {path}")
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            print(f"{number:3}  {line}")
        print(f"\n$ python {path}", flush=True)
        subprocess.run([sys.executable, path], stderr=subprocess.STDOUT, env=environment)


def predict(folder):
    """Read the held-out digits with the network that :func:`train` saved."""
    path = folder / CHECKPOINT
    if not path.exists():
        sys.exit(f"leafward demo: no checkpoint at {path}; run `leafward demo` first")
    from leafward.app.demo import digits
    *_, images, labels = digits.load()
    model = digits.restore(path)
    probabilities = digits.predict(model, images)
    for image, label, row in zip(images[:3].squeeze(1), labels, probabilities):
        print("\n".join("".join(" .:-=+*#%@"[int(9 * pixel)] * 2 for pixel in line) for line in image.tolist()))
        print(f"is a {label.item()}, read as {row.argmax().item()} ({row.max().item():.1%} sure)\n")
    right = int((probabilities.argmax(dim=1) == labels).sum())
    print(f"{path}: {right} of {len(labels)} held-out digits read correctly ({right / len(labels):.2%}).")


def main(folder, only_predict=False):
    """Run the whole demo in ``folder``, or only the prediction from its checkpoint."""
    if only_predict:
        predict(folder)
        return
    train(folder)
    tell_stories(folder)
    print(f"\n{'-' * 100}\nNow read the digits with the saved checkpoint:\n  leafward demo --predict --folder {folder}")
