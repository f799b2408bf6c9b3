"""From a site, ``(code object, instruction offset)``, to the line that a reader sees, and to its syntax tree."""
import ast
import functools
import itertools
import linecache
import os
import sys
import tokenize

from leafward.locks import new_lock
from leafward.trust.layout import Line

#: What the instructions that make a site compile from.
EXPRESSIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Subscript, ast.Attribute, ast.Compare)


class Place:
    """A place in the user's program.

    ``text`` is its source line without indentation, None where the source cannot be read; ``start`` and ``end`` are
    the columns in ``text`` of the expression that ran, equal where they are not known.
    """

    def __init__(self, site):
        self.code, offset = site
        self.line, last, start, end = position_of(self.code, offset)
        self.file = self.code.co_filename
        self.text, self.start, self.end = None, 0, 0
        self.statement = self.expression = None
        lines = source_lines(self.file)
        if self.line is None or not 0 < self.line <= len(lines):
            return
        full = lines[self.line - 1].rstrip()
        indent = len(full) - len(full.lstrip())
        self.text = full[indent:]
        if start is None or last > len(lines):
            return
        first, final = characters(full, start), characters(lines[last - 1], end)
        if first < indent or (last == self.line and final > len(full)):
            return                                  # the file is no longer what was compiled
        self.start = first - indent
        self.end = final - indent if last == self.line else len(self.text)
        self.statement, self.expression = find(tree_of("".join(lines)), (self.line, start, last, end))

    def where(self):
        """``train.py:12``."""
        return named_line(self.file, self.line)

    def in_function(self):
        """`` in layer()``; nothing at module level."""
        name = self.code.co_qualname.rpartition("<locals>.")[2]
        return "" if name == "<module>" else f" in {name}" + ("" if name.startswith("<") else "()")

    def same_line(self, other):
        return self.file == other.file and self.line == other.line

    def source_of(self, node):
        """The text of a syntax tree's node, on one line."""
        return ast.unparse(node)

    def edited(self, node, replacement):
        """The source line (a ``Line``) with ``node``, a part of it, replaced; None where it does not lie on this line."""
        return self.edited_at([node], [replacement])

    def with_replaced(self, node, replacement):
        """``(where, code)``: the lines of ``node``, and what stands there with it replaced; with all else on these lines."""
        lines = source_lines(self.file)
        first, last = lines[node.lineno - 1].rstrip(), lines[node.end_lineno - 1].rstrip()
        code = first[:characters(first, node.col_offset)] + replacement + last[characters(last, node.end_col_offset):]
        several = "" if node.end_lineno == node.lineno else f"-{node.end_lineno}"
        return named_line(self.file, node.lineno) + several, Line(code.strip())

    def without(self, statement):
        """The source line without one of its statements, of which there are several; None where it has no other."""
        full = source_lines(self.file)[self.line - 1].rstrip()
        before = full[:characters(full, statement.col_offset)].rstrip()
        after = full[characters(full, statement.end_col_offset):].lstrip()
        if statement.lineno != statement.end_lineno or not (before.endswith(";") or after.startswith(";")):
            return None
        after = after.removeprefix(";").lstrip()
        return Line((f"{before} {after}" if after else before.removesuffix(";").rstrip()).strip())

    def edited_at(self, nodes, replacements):
        """The same with several parts of the line."""
        if self.text is None or any(node.lineno != self.line or node.end_lineno != self.line for node in nodes):
            return None
        full = line = source_lines(self.file)[self.line - 1].rstrip()
        for node, replacement in sorted(zip(nodes, replacements, strict=True), key=lambda pair: -pair[0].col_offset):
            start, end = characters(full, node.col_offset), characters(full, node.end_col_offset)
            line = line[:start] + replacement + line[end:]
        return Line(line.strip())


def uncommented(text):
    """A line of code without the comment at its end: as it can stand in a sentence."""
    try:
        for token in tokenize.generate_tokens(iter([text]).__next__):
            if token.type == tokenize.COMMENT:
                return text[:token.start[1]].rstrip()
    except (tokenize.TokenError, SyntaxError):              # a part of a statement
        pass
    return text


def stands_alone(where, statement):
    """Whether a statement of the file of ``where`` shares its lines with no other."""
    lines = source_lines(where.file)
    first, last = lines[statement.lineno - 1], lines[statement.end_lineno - 1]
    rest = last[characters(last, statement.end_col_offset):].strip()
    return not first[:characters(first, statement.col_offset)].strip() and (not rest or rest.startswith("#"))


def place(site):
    """The :class:`Place` of a site; None for None."""
    return None if site is None else Place(site)


def key_of(site):
    """What tells a site from others; None for None."""
    return None if site is None else (id(site[0]), site[1])


def position_of(code, offset):
    """``(line, last line, first column, last column)`` of an instruction, columns in UTF-8 bytes."""
    if offset < 0:
        return code.co_firstlineno, code.co_firstlineno, None, None
    position = next(itertools.islice(code.co_positions(), offset // 2, None), (None,) * 4)
    if position[0] is None:
        return code.co_firstlineno, code.co_firstlineno, None, None
    return position


def source_lines(filename):
    """The lines of a file, of a notebook's cell or of a doctest; none where they cannot be found."""
    linecache.checkcache(filename)
    return linecache.getlines(filename)


def characters(line, offset):
    """A byte offset into a line as a number of characters."""
    return len(line.encode()[:offset].decode(errors="replace"))


def shown_file(filename):
    """A path as short as it can be and still be opened from here."""
    try:
        relative = os.path.relpath(filename)
    except ValueError:                              # another drive
        return filename
    return filename if filename.startswith("<") or relative.startswith("..") else relative


def named_line(filename, line):
    """``train.py:12``; ``Cell In[6], line 2`` in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    cell = None if shell is None else shell.compile.format_code_name(filename)
    return f"{shown_file(filename)}:{line}" if cell is None else f"{cell[0]} {cell[1]}, line {line}"


#: Python 3.11 counts in one place how deep the trees are that several threads make, and takes the sum for a mistake.
one_at_a_time = new_lock()


def parsed(source, mode="exec"):
    """``ast.parse``, one thread after the other."""
    with one_at_a_time:
        return ast.parse(source, mode=mode)


@functools.lru_cache(maxsize=32)
def tree_of(source):
    """The syntax tree of a file; an empty one where it is not plain Python."""
    try:
        return parsed(source)
    except SyntaxError:
        return ast.Module([], [])


def find(tree, position):
    """The innermost statement around ``position``, and the expression that lies exactly there (or None)."""
    first, final = position[:2], position[2:]
    statement, expression = None, None
    stack = [tree]
    while stack:
        node = stack.pop()
        if hasattr(node, "lineno"):
            if (node.lineno, node.col_offset) > first or (node.end_lineno, node.end_col_offset) < final:
                continue                            # several statements may share a line
            if isinstance(node, ast.stmt):
                statement = node
            if span(node) == position and isinstance(node, EXPRESSIONS):
                expression = node
        stack.extend(ast.iter_child_nodes(node))
    return statement, expression


def span(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def function_around(place):
    """The syntax tree of the function that a place lies in; that of the file at module level."""
    tree = inner = tree_of("".join(source_lines(place.file)))
    stack = [tree]
    while stack:
        node = stack.pop()
        if hasattr(node, "lineno") and not node.lineno <= place.line <= node.end_lineno:
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = node
        stack.extend(ast.iter_child_nodes(node))
    return inner


def line_of(place, node):
    """``train.py:12`` for a node of the same file."""
    return named_line(place.file, node.lineno)


def lines_of(place, statement):
    """``train.py:8`` for a statement on one line, ``train.py:8-10`` for one on several."""
    return line_of(place, statement) + ("" if statement.end_lineno == statement.lineno else f"-{statement.end_lineno}")


def enclosing_loop(place):
    """The innermost loop around a place in its own function; None if there is none."""
    loop = None
    stack = [tree_of("".join(source_lines(place.file)))]
    while stack:
        node = stack.pop()
        if hasattr(node, "lineno") and not node.lineno <= place.line <= node.end_lineno:
            continue
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
            if any(n.lineno <= place.line <= n.end_lineno for n in node.body):
                loop = node
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            loop = None
        stack.extend(ast.iter_child_nodes(node))
    return loop
