"""The demo's two pictures: how training went, and which digits the network found hardest."""
from matplotlib.figure import Figure

LOSS, ACCURACY, WRONG = "tab:blue", "tab:green", "tab:red"


def draw_curves(losses, accuracies, path):
    """Loss after every step, and accuracy on the held-out digits: ``accuracies`` are ``(step, fraction)`` pairs."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    left = figure.add_subplot(xlabel="step", title="Training on handwritten digits")
    left.set_ylabel("loss", color=LOSS)
    left.plot(range(1, len(losses) + 1), losses, color=LOSS, linewidth=1)
    left.set_yscale("log")
    right = left.twinx()
    right.set_ylabel("accuracy on held-out digits (%)", color=ACCURACY)
    right.plot([step for step, _ in accuracies], [100 * value for _, value in accuracies], "o-", color=ACCURACY)
    right.set_ylim(top=101)
    figure.savefig(path, dpi=120)


def draw_hardest(images, labels, probabilities, path, columns=8, rows=2):
    """The misclassified digits, then those that the network was least sure of."""
    chance = probabilities[range(len(labels)), labels]             # what the right answer was given
    guesses = probabilities.argmax(axis=1)
    hardest = sorted(range(len(labels)), key=lambda i: (guesses[i] == labels[i], chance[i]))
    wrong = int((guesses != labels).sum())
    figure = Figure(figsize=(1.3 * columns, 1.6 * rows + 0.5), layout="constrained")
    figure.suptitle(f"Misclassified: {wrong} of {len(labels)} held-out digits (red), then the closest calls")
    for i, axes in zip(hardest, figure.subplots(rows, columns).flat):
        right = guesses[i] == labels[i]
        axes.imshow(images[i], cmap="gray_r")
        axes.set_title(
            f"{labels[i]}, sure {chance[i]:.0%}" if right else f"{labels[i]} read as {guesses[i]}",
            fontsize=9, color="black" if right else WRONG)
        axes.set_xticks([])
        axes.set_yticks([])
        if not right:
            for side in axes.spines.values():
                side.set(color=WRONG, linewidth=2)
    figure.savefig(path, dpi=120)
