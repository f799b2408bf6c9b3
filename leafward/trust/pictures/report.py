"""What graphs keep for backward, line by line, largest first."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from leafward.core.tensor import TensorBase
from leafward.trust.facts import op_of
from leafward.trust.layout import Row, list_of, shortened
from leafward.trust.pictures.drawing import escaped, size
from leafward.trust.pictures.memory import kept_values, live_nodes
from leafward.trust.source import place

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

#: How many lines the text has.
MOST_LINES = 20


class KeptByLine(NamedTuple):
    """One line of the program: how many bytes and values are kept for it, where it is, and which operations keep them."""

    bytes: int
    values: int
    place: object
    ops: tuple


class MemoryReport:
    """The table that ``str()`` shows. ``rows`` are :class:`KeptByLine`, largest first; ``total`` is their sum in bytes.

    ``parameters`` is what is kept of leaves that require grad: they are in memory anyway, and no part of ``total``.
    """

    def __init__(self, rows: list[KeptByLine], parameters: int, nodes: int) -> None:
        self.rows, self.parameters, self.nodes = rows, parameters, nodes
        self.total = sum(row.bytes for row in rows)

    def head(self):
        values = sum(row.values for row in self.rows)
        return f"kept for backward: {size(self.total)} in {values} value{'' if values == 1 else 's'}, by {self.nodes} nodes"

    def tail(self):
        tail = []
        if len(self.rows) > MOST_LINES:
            rest = self.rows[MOST_LINES:]
            tail.append(f"and {size(sum(row.bytes for row in rest))} by {len(rest)} more lines")
        if self.parameters:
            tail.append(f"besides {size(self.parameters)} of parameters, which are in memory anyway")
        return tail

    def __str__(self):
        if not self.rows:
            return "\n".join([self.head(), *self.tail()])
        width = max(len(size(row.bytes)) for row in self.rows)
        lines = list_of([Row(f"{size(row.bytes):>{width}}", row.place, ", ".join(row.ops),
                             text=None if row.place is None or row.place.text is None else shortened(row.place.text, 0, 0)[0])
                         for row in self.rows[:MOST_LINES]])
        return "\n".join([self.head(), lines, *["  " + line for line in self.tail()]])

    __repr__ = __str__

    def _repr_html_(self):
        rows = [(size(row.bytes), row.place.text or "" if row.place else "", row.place.where() if row.place else "",
                 ", ".join(row.ops)) for row in self.rows[:MOST_LINES]]
        left = '<td style="text-align: left">'
        body = "".join(f"<tr><td>{kept}</td>" + "".join(f"{left}{escaped(cell)}</td>" for cell in cells) + "</tr>"
                       for kept, *cells in rows)
        tail = "".join(f"<p>{escaped(line)}</p>" for line in self.tail())
        head = "<tr><th>kept</th><th>line</th><th>where</th><th>by</th></tr>"
        return f"<p>{escaped(self.head())}</p><table>{head}{body}</table>{tail}"


def memory_report(*tensors: Tensor) -> MemoryReport:
    """What the graphs behind ``tensors`` keep for backward, by line, largest first; without ``tensors``, what all graphs keep.

    Memory that several values share counts once, for the line that kept it first; a view keeps all of the memory that it is a
    part of.

    >>> import leafward as lw
    >>> x = lw.ones(1000, requires_grad=True)
    >>> report = lw.memory_report(x.exp().sum())
    >>> report.total, report.rows[0].ops
    (4000, ('exp',))
    """
    for tensor in tensors:
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"memory_report(): expected tensors, got {type(tensor).__name__}")
    nodes = live_nodes([tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]) if tensors else live_nodes([])
    counted, lines, parameters = set(), {}, 0
    keeping = 0
    for node in sorted(nodes, key=lambda node: node._sequence):
        values = kept_values(node)
        keeping += bool(values)
        for value in values:
            count = 0 if value.key() in counted else value.nbytes()
            counted.add(value.key())
            if value.is_parameter:
                parameters += count
                continue
            site = node._site
            where = None if site is None else place(site)
            key = None if where is None else (where.file, where.line)
            total, number, _, ops = lines.get(key, (0, 0, None, ()))
            lines[key] = (total + count, number + 1, where, tuple(dict.fromkeys([*ops, op_of(node)])))
    rows = sorted((KeptByLine(*line) for line in lines.values()), key=lambda row: -row.bytes)
    return MemoryReport(rows, parameters, keeping)
