"""What is no call of an op: indices, what tensors are asked about themselves, and ``x.to(...)``."""
import functools
import re

from bench.survey import MODES, SIZES
from bench.survey.cases import Case, Problem

#: Expressions with ``x``, a matrix of a size; ``u`` goes to the rows ``i`` of it, and ``v`` to the columns ``j``.
READS = ["x[0]", "x[0, 1]", "x[1:3]", "x[:, 1]", "x[..., None]", "x[i]", "x[:, j]", "x[i, k]", "x[[0, 1]]", "x[mask]"]
WRITES = ["x[0] = 2.0", "x[0, 1] = 2.0", "x[:, 1:3] = 2.0", "x[0] = x[1]", "x[i] = u", "x[:, j] = v", "x[i] = 2.0",
          "x[mask] = 2.0"]
CASTS = ["x.to(double)", "x.to(single)", "x.to('cpu')", "x.to(row)", "x.type_as(row)"]
QUESTIONS = ["x.shape", "x.size()", "x.size(0)", "x.dim()", "x.ndim", "x.numel()", "len(x)", "x.dtype", "x.device",
             "x.requires_grad", "x.is_leaf", "x.stride()", "x.stride(0)", "x.storage_offset()", "x.is_contiguous()",
             "x.data_ptr()", "x.element_size()", "x.is_floating_point()", "x.is_complex()", "x.is_same_size(x)", "x.nelement()",
             "x.get_device()", "row[0].item()", "row.tolist()", "x.detach()", "x.data", "x.T", "x.grad"]


class Expression(Problem):
    """A statement instead of a call."""

    def __init__(self, text, size):
        super().__init__(functools.partial(values, size), writes=" = " in text)
        self.statement = text

    def text(self, args, kwargs):
        return re.sub(r"\bx\b", "a0", self.statement), {**kwargs, "a0": args[0]}

    def finished(self, text):
        return f"{text}; o = a0" if self.writes else super().finished(text)


def values(size, t, requires_grad):
    """What the expressions name, the same on both sides."""
    rows, columns = SIZES[size]
    x = (t.arange(float(rows * columns)) % 7 - 3).reshape(rows, columns).requires_grad_(requires_grad)
    picked = max(2, rows // 2)
    i = t.arange(picked) * 5 % rows
    return [x], {"i": i, "j": i % columns, "k": i % columns, "mask": x.detach() > 0, "u": t.ones(picked, columns),
                 "v": t.ones(rows, picked), "row": t.ones(columns), "double": t.float64, "single": t.float32}


def expression_cases():
    for form, texts, sizes, modes in (("index", READS + WRITES, tuple(SIZES), MODES), ("call", CASTS, tuple(SIZES), MODES),
                                      ("question", QUESTIONS, ("4x8",), ("plain",))):
        for text in texts:
            yield Case("expressions", text, form, functools.partial(Expression, text), sizes, modes)
