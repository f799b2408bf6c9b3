"""A graph as one SVG: a row for each node, with its line and the bytes that it keeps. The page draws the same rows."""
from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.trust.layout import shortened
from leafward.trust.pictures.picture import Picture

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from leafward.core.node import Node
    from leafward.tensor.tensor import Tensor

#: How many rows are drawn before modules are folded.
MOST_ROWS = 120
#: Sizes in pixels: a row, a lane, a character of the fixed-width font, and what stands between columns.
ROW, LANE, CHARACTER, GAP = 26, 15, 7.3, 18
STYLE = """
.lw { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; --ink: #1c2024; --soft: #5d656d;
  --paper: #fbfbf9; --accent: #25684a; --bad: #b3261e; --rule: #e9eae5; }
@media (prefers-color-scheme: dark) { .lw { --ink: #e4e6e3; --soft: #a2abb3; --paper: #14171a; --accent: #7fcba4;
  --bad: #ff9489; --rule: #23282d; } }
.lw .paper { fill: var(--paper); } .lw text { fill: var(--ink); dominant-baseline: central; white-space: pre; }
.lw .soft { fill: var(--soft); } .lw .op { font-weight: 600; } .lw .fold { fill: var(--accent); font-weight: 600; }
.lw .bad { fill: var(--bad); } .lw .rule { stroke: var(--rule); }
.lw .edge { fill: none; stroke: var(--soft); stroke-width: 1.5; opacity: .6; }
.lw .dot { fill: var(--paper); stroke: var(--soft); stroke-width: 1.6; }
.lw .dot.bad { stroke: var(--bad); fill: var(--paper); }
"""


def graph(loss: Tensor | Node | Sequence[Tensor]) -> Drawing:
    """The graph behind ``loss`` as an SVG: each node with its line, its shape, its leaves and the bytes that it keeps.

    A notebook shows the drawing; ``save`` writes it into a file, and ``svg`` is its text. Where there are many
    nodes, those of one module are one row; :func:`save_page` makes a page in which they unfold.

    >>> import leafward as lw
    >>> w = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> lw.graph((w * 2).exp().sum())
    <Drawing of 3 nodes>
    """
    return Drawing(Picture(loss))


class Drawing:
    """What :func:`graph` makes: ``svg`` is its text."""

    def __init__(self, picture: Picture) -> None:
        self.nodes = len(picture.nodes)
        self.svg = svg(picture.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG into the file ``path``."""
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_html_(self):
        return f'<div style="overflow-x: auto">{self.svg}</div>'

    def __repr__(self) -> str:
        return f"<Drawing of {self.nodes} node{'' if self.nodes == 1 else 's'}>"


def shown_rows(data):
    """``(folds around it, row or fold, whether it is open)`` of what is drawn.

    Folds are open from the outside in, as long as there is room.
    """
    opened, count = set(), len(data["folds"])
    waiting = [part for part in data["folds"] if isinstance(part, dict)]
    while waiting:
        fold = waiting.pop(0)
        if count + len(fold["parts"]) <= MOST_ROWS:
            opened.add(id(fold))
            count += len(fold["parts"])
            waiting += [part for part in fold["parts"] if isinstance(part, dict)]

    def visit(parts, around):
        for part in parts:
            if isinstance(part, dict) and id(part) in opened:
                yield around, part, True
                yield from visit(part["parts"], [*around, part])
            else:
                yield around, part, False
    return list(visit(data["folds"], []))


def svg(data):
    """The drawing of a picture's data."""
    rows = shown_rows(data)
    cells = [cells_of(data, *row) for row in rows]
    widths = [max(sum(len(text) for text, _ in cell[column]) for cell in cells) for column in range(4)]
    left = 24 + data["lanes"] * LANE
    starts = [left]
    for width in widths[:-1]:
        starts.append(starts[-1] + (width * CHARACTER + GAP if width else 0))
    total, height = starts[-1] + widths[-1] * CHARACTER + 16, len(rows) * ROW + 16
    title = escaped(f"Graph of {data['title']}, {data['counts']['nodes']} nodes, {size(data['counts']['bytes'])} kept")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" class="lw" role="img" aria-label="{title}" width="{total:.0f}" '
             f'height="{height}" viewBox="0 0 {total:.0f} {height}"><title>{title}</title><style>{STYLE}</style>',
             '<rect class="paper" width="100%" height="100%" rx="8"/>', *edges(data, rows)]
    for number, ((_, part, opened), cell) in enumerate(zip(rows, cells, strict=True)):
        y = 8 + number * ROW + ROW / 2
        if not opened:
            lane = data["nodes"][part["first"] if isinstance(part, dict) else part]["lane"]
            bad = " bad" if is_bad(data, part) else ""
            parts.append(f'<rect class="dot{bad}" x="{14 + lane * LANE - 5}" y="{y - 5}" width="10" height="10" '
                         f'rx="{3 if isinstance(part, dict) else 5}"/>')
        for column, (start, texts) in enumerate(zip(starts, cell, strict=True)):
            if column == 2:                                 # sizes end where their column ends
                start += (widths[2] - sum(len(text) for text, _ in texts)) * CHARACTER
            spans = "".join(f'<tspan class="{kind}">{escaped(text)}</tspan>' for text, kind in texts)
            parts.append(f'<text x="{start:.1f}" y="{y}">{spans}</text>' if spans else "")
    return "".join([*parts, "</svg>"])


def cells_of(data, around, part, opened):
    """The columns of a row, each as ``[(text, class)]``: what it is, its type and leaves, what it keeps, its line."""
    indent = ("  " * len(around), "soft")
    if isinstance(part, dict):
        nodes = data["nodes"][part["first"]:part["last"] + 1]
        about = f"  {part['class']}" if part["class"] else ""
        count = "" if opened else f"  {len(nodes)} nodes"
        kept = "" if opened else size(sum(node["bytes"] for node in nodes))
        return [[indent, (part["label"], "fold"), (about + count, "soft")], [], [(kept, "soft")], []]
    node = data["nodes"][part]
    place = None if node["place"] is None else data["places"][node["place"]]
    module = f"{around[-1]['path']}." if around and around[-1]["path"] else ""
    leaves = ", ".join(data["leaves"][leaf]["name"].removeprefix(module) for leaf in node["leaves"][:3])
    signs = [text for text, there in ((" NaN or inf", node["not finite"]),
                                      (" overwritten", any(value["state"] in ("stale", "outside") for value in node["saved"])),
                                      (" cut", any(data["cuts"][cut]["hidden"] for cut in node["cuts"]))) if there]
    return [[indent, (node["op"], "op"), (f" {node['name']}" if node["name"] else "", ""), *[(text, "bad") for text in signs]],
            [(node["type"], "soft"), (f"  {leaves}" if leaves else "", "")],
            [(size(node["bytes"]) if node["bytes"] else "", "soft")],
            [] if place is None else [(f"{place['where']}  ", "soft"), (shortened(place["text"], 0, 0)[0], "")]]


def edges(data, rows):
    """The paths between the rows that are drawn."""
    at = {}
    for number, (_, part, opened) in enumerate(rows):
        if not isinstance(part, dict):
            at[part] = number
        elif not opened:
            at.update(dict.fromkeys(range(part["first"], part["last"] + 1), number))

    def x(row):
        part = rows[at[row]][1]
        return 14 + LANE * data["nodes"][part["first"] if isinstance(part, dict) else part]["lane"]
    seen = set()
    for row, below, lane, _ in data["edges"]:
        a, b = at[row], at[below]
        if a == b or (a, b) in seen:
            continue
        seen.add((a, b))
        start, end, middle = 8 + a * ROW + ROW / 2, 8 + b * ROW + ROW / 2, 14 + lane * LANE
        bend = ROW / 2
        path = (f"M{x(row)},{start}C{x(row)},{start + bend} {x(below)},{end - bend} {x(below)},{end}" if b == a + 1 else
                f"M{x(row)},{start}C{x(row)},{start + bend} {middle},{start + bend} {middle},{start + ROW}V{end - ROW}"
                f"C{middle},{end - bend} {x(below)},{end - bend} {x(below)},{end}")
        yield f'<path class="edge" d="{path}"/>'


def is_bad(data, part):
    nodes = data["nodes"][part["first"]:part["last"] + 1] if isinstance(part, dict) else [data["nodes"][part]]
    return any(node["not finite"] or any(value["state"] in ("stale", "outside") for value in node["saved"]) for node in nodes)


def size(count):
    """``1.5 KB``."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            break
        count, unit = count / 1024, "GB"
    return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"


def escaped(text):
    """``text`` in XML, without the characters that no XML may have."""
    return html.escape(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))
