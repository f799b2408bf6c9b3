"""The same mistake in other clothes: renamed, in a function, a method, a loop, a comprehension, several statements on a line.

Each mutation takes the lines of a program and gives new ones, each with the number of the line that it was made of (0: none).
"""
import ast
import io
import keyword
import tokenize


def numbered(source):
    return [(number, line) for number, line in enumerate(source.splitlines(), 1)]


def indented(lines):
    return [(number, "    " + line if line.strip() else line) for number, line in lines]


def renamed(lines):
    """Every variable of the program under another name."""
    source = "\n".join(line for _, line in lines) + "\n"
    bound = {n.id for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    keywords = {k.arg for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call) for k in n.keywords}
    changed = {name for name in bound - keywords if not keyword.iskeyword(name)}
    found, before = [line for _, line in lines], ""
    edits = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME and token.string in changed and before != ".":
            edits.append((token.start, token.end, token.string + "_of_mine"))
        before = token.string
    for (row, first), (_, last), text in reversed(edits):
        found[row - 1] = found[row - 1][:first] + text + found[row - 1][last:]
    return [(number, line) for (number, _), line in zip(lines, found, strict=True)]


def in_a_function(lines):
    return [(0, "def program():"), *indented(lines), (0, "program()")]


def in_a_method(lines):
    return [(0, "class Trainer:"), (0, "    def run(self, steps=1):"), *indented(indented(lines)), (0, "Trainer().run()")]


def in_a_loop(lines):
    return [(0, "for turn in range(1):"), *indented(lines)]


def in_a_comprehension(lines):
    return [*in_a_function(lines)[:-1], (0, "done = [program() for turn in range(1)]")]


def in_a_block(lines):
    return [(0, "if True:"), (0, "    with lw.enable_grad():"), *indented(indented(lines))]


def on_one_line(lines):
    """Neighbouring simple statements two by two on a line."""
    source = "\n".join(line for _, line in lines) + "\n"
    simple = {n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.Assign, ast.AugAssign, ast.Expr))
              and n.lineno == n.end_lineno}
    blocks = (ast.For, ast.With, ast.FunctionDef, ast.ClassDef, ast.If)
    heads = {n.lineno for n in ast.walk(ast.parse(source)) if isinstance(n, blocks)}
    found, row = [], 0
    while row < len(lines):
        number, line = lines[row]
        after = lines[row + 1][1] if row + 1 < len(lines) else ""
        indent = len(line) - len(line.lstrip())
        if {row + 1, row + 2} <= simple - heads and line.strip() and len(after) - len(after.lstrip()) == indent:
            found.append(((number, lines[row + 1][0]), f"{line}; {after.strip()}"))
            row += 2
        else:
            found.append((number, line))
            row += 1
    return found


def padded(lines):
    """Comments and empty lines between the statements."""
    found = []
    for number, line in lines:
        found += [(0, " " * (len(line) - len(line.lstrip())) + "# next"), (number, line), (0, "")]
    return found


def commented(lines):
    """A comment at the end of every line."""
    return [(number, f"{line}  # as it was" if line.strip() else line) for number, line in lines]


def simple_statements(lines):
    """``{row: the statement}`` of those that stand alone on one line, in no line with a colon."""
    tree = ast.parse("\n".join(line for _, line in lines) + "\n")
    blocks = {n.lineno for n in ast.walk(tree) if hasattr(n, "body") and hasattr(n, "lineno")}
    found = [n for n in ast.walk(tree) if isinstance(n, (ast.Assign, ast.AugAssign, ast.Expr)) and n.lineno == n.end_lineno]
    rows = [n.lineno for n in found]
    return {n.lineno: n for n in found if rows.count(n.lineno) == 1 and n.lineno not in blocks}


def with_another(lines):
    """A second statement on the line of every simple one."""
    simple = simple_statements(lines)
    return [(number, f"{line}; spare = 0" if row in simple else line) for row, (number, line) in enumerate(lines, 1)]


def spread(lines):
    """The arguments of the outermost calls on lines of their own."""
    simple, found = simple_statements(lines), []
    for row, (number, line) in enumerate(lines, 1):
        calls = [n for n in ast.walk(simple[row]) if isinstance(n, ast.Call) and n.args] if row in simple else []
        at = line.find("(", calls[0].func.end_col_offset) + 1 if calls else 0
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        found += [(number, line[:at]), (0, indent + line[at:].lstrip())] if at else [(number, line)]
    return found


def continued(lines):
    """What is assigned on a line of its own, behind a backslash."""
    simple, found = simple_statements(lines), []
    for row, (number, line) in enumerate(lines, 1):
        at = simple[row].value.col_offset if row in simple and not isinstance(simple[row], ast.Expr) else 0
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        found += [(number, line[:at] + "\\"), (0, indent + line[at:])] if at else [(number, line)]
    return found


MUTATIONS = (renamed, in_a_function, in_a_method, in_a_loop, in_a_comprehension, in_a_block, on_one_line, padded)
#: Ways to lay out lines: what a repair replaces is more, or less, than a statement.
LAYOUTS = (commented, with_another, spread, continued)



def mutated(source, mutation):
    """The program, and where each of its lines went."""
    lines = mutation(numbered(source))
    places = {}
    for row, (numbers, _) in enumerate(lines, 1):
        for number in numbers if isinstance(numbers, tuple) else (numbers,):
            places[number] = row
    return "\n".join(line for _, line in lines) + "\n", places
