"""Rows of ``label, source line, where, note`` as aligned text; one below the other in a notebook, which may be narrow."""
import re
import sys
from textwrap import wrap

#: What parts the columns of a row.
COLUMNS = re.compile(" {3,}")
#: Source lines longer than this are shortened: the columns after them must stay in sight.
WIDEST = 60


class Line(str):
    """A whole source line, as it reads once a repair is made."""


class Row:
    """One line of a story: a label, a place in the program (or plain text), and a note about it."""

    def __init__(self, label, place, note="", text=None):
        self.label, self.note = label, note
        self.text, self.carets, self.where, self.function = text or "", (0, 0), "", ""
        if place is not None:
            self.where, self.function = place.where(), place.in_function()
            if text is None and place.text is not None:
                self.text, self.carets = shortened(place.text, place.start, place.end)
            elif text is None:
                self.text = "(source not found)"


def shortened(text, start, end):
    """``text`` within :data:`WIDEST`, and where the marked columns are then."""
    if len(text) <= WIDEST:
        return text, (start, end)
    if end <= WIDEST - 4:
        return text[:WIDEST - 4] + " ...", (start, end)
    cut = min(start, len(text) - WIDEST + 4)
    while 0 < cut < start and text[cut - 1] != " ":
        cut += 1                                            # no half of a word
    text = "... " + text[cut:]
    start, end = start - cut + 4, end - cut + 4
    if len(text) > WIDEST:
        text, end = text[:WIDEST - 4] + " ...", min(end, WIDEST - 4)
    return text, (start, end)


def folded(text, width):
    """``text`` for a terminal of ``width`` columns: where a line is longer, all columns stand one below the other."""
    lines = text.split("\n")
    if max(map(len, lines)) <= width:
        return text
    told = []
    for line in lines:
        indent = line[:len(line) - len(line.lstrip())]
        label, *parts = COLUMNS.split(line.strip()) if len(indent) <= 2 else ("", *COLUMNS.split(line.strip()))
        if label or not parts:
            told += wrapped(label, indent, width) or [""]
        for part in parts:
            if part.strip("^"):                             # carets would stand under nothing
                told += wrapped(part, "      ", width)
    return "\n".join(told)


def wrapped(text, indent, width):
    """``text`` as lines that begin at ``indent``."""
    return wrap(text, max(width, 20), initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False)


def is_notebook():
    """Whether a notebook shows what is told: how wide it is nobody knows, and it breaks longer lines inside of words."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


#: How long lines are made in notebooks: what a telephone shows.
NARROW = 46


def sentence(text, indent="  "):
    """A sentence of a story: on one line, but in notebooks."""
    return "\n".join(wrapped(text, indent, NARROW)) if is_notebook() else indent + text


def stacked(rows, indent, carets):
    """Rows as notebooks show them: label and place, the source line below, and the note below that."""
    lines, inner = [], indent + "  "
    for row in rows:
        where = f"{row.where}{row.function}"
        if where or row.note:
            lines.append(f"{indent}{row.label}   {where}".rstrip())
            start, end = row.carets
            lines += [inner + row.text] if row.text else []
            lines += [inner + " " * start + "^" * (end - start)] if carets and end > start else []
            lines += wrapped(row.note, inner, NARROW) if row.note else []
        else:
            lines += wrapped(f"{row.label}: {row.text}" if row.label else row.text, indent, NARROW)
    return "\n".join(lines)


def table(rows, indent="  "):
    """Rows with carets under what ran, and the note beside the carets."""
    if is_notebook():
        return stacked(rows, indent, True)
    label_width = max(len(row.label) for row in rows) + 3
    text_width = max(len(row.text) for row in rows) + 3
    lines = []
    for row in rows:
        lines.append(f"{indent}{row.label:<{label_width}}{row.text:<{text_width}}{row.where}{row.function}".rstrip())
        start, end = row.carets
        marks = " " * start + "^" * (end - start)
        if marks or row.note:
            lines.append(f"{indent}{'':<{label_width}}{marks:<{text_width}}  {row.note}".rstrip())
    return "\n".join(lines)


def list_of(rows, indent="  "):
    """Rows of one line each."""
    if is_notebook():
        return stacked(rows, indent, False)
    label_width = max(len(row.label) for row in rows) + 3
    text_width = max((len(row.text) for row in rows if row.where or row.note), default=0) + 3
    where_width = max(len(row.where) for row in rows) + 3
    lines = []
    for row in rows:
        columns = f"{row.text:<{text_width}}{row.where:<{where_width}}{row.note}" if row.where or row.note else row.text
        lines.append(f"{indent}{row.label:<{label_width}}{columns}".rstrip())
    return "\n".join(lines)


def fixes(choices, indent="  "):
    """What to type: ``(where, code, when)`` for each way out, see :func:`edit`."""
    choices = [c for c in choices if c is not None]
    if not choices:
        return ""
    choices = [(edit(where, code) or "or" * bool(number), code, when) for number, (where, code, when) in enumerate(choices)]
    if is_notebook():
        lines = []
        for number, (where, code, when) in enumerate(choices):
            label = "fix   " if number == 0 else "" if where.startswith(("and", "or")) else "or   "
            lines.append(f"{indent}{label}{where}".rstrip())
            lines += [f"{indent}  {code}"] if isinstance(code, Line) else wrapped(code, f"{indent}  ", NARROW)
            lines += wrapped(f"({when})", f"{indent}  ", NARROW) if when else []
        return "\n".join(lines)
    where_width = max(len(where) for where, _, _ in choices) + 3
    code_width = max(len(code) for _, code, when in choices if when) + 3 if any(c[2] for c in choices) else 0
    return "\n".join(
        f"{indent}{'fix' if number == 0 else '':<6}{where:<{where_width}}{code:<{code_width}}{when}".rstrip()
        for number, (where, code, when) in enumerate(choices))


def edit(where, code):
    """What is to be done with ``code``: ``replace train.py:8 by``, ``before train.py:8 add``; ``at train.py:8`` for advice.

    ``move train.py:8`` and ``remove train.py:8`` name what they do themselves.
    A whole line without a place is another one for the line that the choice before it names.
    """
    together = "and " if where.startswith("and ") else ""
    where = where.removeprefix("and ")
    if where.startswith(("after ", "before ")):
        return f"{together}{where} add"
    moves = where.startswith(("move ", "remove "))
    if isinstance(code, Line) and not moves:
        return f"{together}replace {where} by" if where else "or by"
    return f"{together}at {where}" if where and where != "and" and not moves else together + where
