"""What a model consists of: its modules, the shapes they return, their numbers of parameters."""
from __future__ import annotations

from typing import Any

from leafward import no_grad
from leafward.tensor.tensor import Tensor


class ModelSummary:
    """The table that ``str()`` shows, and its rows ``(depth, name, type, shapes, parameters)``.

    ``total`` and ``trainable`` count each parameter once, however many modules share it.
    """

    def __init__(self, rows: Any, total: Any, trainable: Any) -> None:
        self.rows, self.total, self.trainable = rows, total, trainable

    def __str__(self):
        cells = [("Layer", "Output shape", "Parameters")]
        for depth, name, kind, shapes, count in self.rows:
            shown = ", ".join(str(list(shape)) for shape in shapes) or "--"
            cells.append(("  " * depth + f"{kind} ({name})" if name else kind, shown, f"{count:,}" if count else "--"))
        widths = [max(len(row[i]) for row in cells) for i in range(3)]
        lines = [f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}" for a, b, c in cells]
        rule = "-" * len(lines[0])
        return "\n".join([lines[0], rule, *lines[1:], rule, f"Total parameters:      {self.total:,}",
                          f"Trainable parameters:  {self.trainable:,}"])

    __repr__ = __str__


def summary(model: Any, input: Any = None, *, depth: int = 3) -> ModelSummary:
    """The modules of ``model`` down to ``depth`` levels, in the order they run on ``input``, with their output shapes.

    ``input`` is what the model is called with: a tensor, or a tuple or dict of arguments; without it nothing runs and
    no shape is known. The model runs once, in its own mode, without gradients. A row counts the parameters of its
    module and of all inside it. Returns a :class:`ModelSummary`.

    >>> model = lw.nn.Sequential(lw.nn.Linear(4, 8), lw.nn.ReLU(), lw.nn.Linear(8, 2))
    >>> lw.summary(model, lw.zeros(5, 4))
    Layer         Output shape  Parameters
    --------------------------------------
    Sequential    [5, 2]                58
      Linear (0)  [5, 8]                40
      ReLU (1)    [5, 8]                --
      Linear (2)  [5, 2]                18
    --------------------------------------
    Total parameters:      58
    Trainable parameters:  58
    """
    places = {}
    for path, module in model.named_modules():
        level = path.count(".") + 1 if path else 0
        if level <= depth:
            places[module] = level, path.rpartition(".")[2]
    ran, handles = {}, []

    def enter(module, *_):
        ran.setdefault(module, ())

    def leave(module, _, output):
        ran[module] = shapes_of(output)

    if input is not None:
        try:
            for module in places:
                handles += [module.register_forward_pre_hook(enter), module.register_forward_hook(leave)]
            with no_grad():
                run(model, input)
        finally:
            for handle in handles:
                handle.remove()
    rows = [(*places[module], type(module).__name__, ran.get(module, ()), count(module.parameters()))
            for module in ran or places]
    return ModelSummary(rows, count(model.parameters()), count(p for p in model.parameters() if p.requires_grad))


def run(model, input):
    if isinstance(input, dict):
        return model(**input)
    return model(*input) if isinstance(input, (tuple, list)) else model(input)


def count(parameters):
    return sum(parameter.numel() for parameter in parameters)


def shapes_of(output):
    """The shapes of all tensors in ``output``."""
    if isinstance(output, Tensor):
        return (output.shape,)
    if isinstance(output, dict):
        output = output.values()
    elif not isinstance(output, (tuple, list)):
        return ()
    return tuple(shape for part in output for shape in shapes_of(part))
