"""The picture of a survey: each cell a dot, by family, on a logarithmic scale, as SVG text."""
import math

from bench.survey import SIZES
from bench.survey.report import by, mean_of, ratio, timed

WIDTH, ROW, LEFT, TOP = 900, 14, 170, 40
LOW, HIGH = 1 / 32, 8.0
COLOURS = dict(zip(SIZES, ("#4c78a8", "#f58518", "#54a24b")))


def across(value):
    """Where a ratio lies, from left to right; what is beyond the edges lies on them."""
    part = math.log(min(max(value, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return LEFT + part * (WIDTH - LEFT - 20)


def text(x, y, words, anchor="start", weight="normal"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-weight="{weight}">{words}</text>'


def line(x, top, bottom, colour, width=1):
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def picture(cells):
    """Families from the fastest to the slowest mean; a bar at each mean."""
    families = sorted(((mean_of(group), name, group) for name, group in by(timed(cells), "family").items()), reverse=True)
    height = TOP + ROW * len(families) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" '
             'font-size="10">',
             f'<rect width="{WIDTH}" height="{height}" fill="white"/>']
    for mark in (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8):
        x = across(mark)
        parts.append(line(x, TOP, height - 20, "black" if mark == 1 else "#ddd"))
        parts.append(text(x, TOP - 5, f"{mark:g}" if mark >= 1 else f"1/{1 / mark:g}", "middle"))
    parts.append(text(LEFT, 14, "PyTorch's time / leafward's: to the right of 1 leafward is faster", weight="bold"))
    for k, (size, colour) in enumerate(COLOURS.items()):
        parts.append(text(WIDTH - 330 + 110 * k, 14, f'<tspan fill="{colour}">●</tspan> {size}'))
    for row, (mean, name, group) in enumerate(families):
        y = TOP + ROW * (row + 0.5)
        parts.append(text(LEFT - 8, y + 3, name, "end"))
        for cell in group:
            colour = COLOURS[cell["size"]]
            parts.append(f'<circle cx="{across(ratio(cell)):.1f}" cy="{y:.1f}" r="2" fill="{colour}" opacity="0.45"/>')
        parts.append(line(across(mean), y - 6, y + 6, "black", 2))
    return "\n".join([*parts, "</svg>", ""])
