"""Whether a call has several things wrong: PyTorch itself says what leafward said, once something else about it is another.

Which of them is told first hangs on the order in which a library happens to look.
"""
import ast
import re

from tests.fuzz.comparing import builtin_type
from tests.fuzz.sides import replay
from tests.oracle import first_sentence, torch

#: What may stand in an operand's place, and be right there.
OTHER_OPERANDS = ("t.tensor(0.5)", "t.ones(3)", "t.ones(2, 3)", "t.ones(3, 3)", "t.ones(2, 3, 4)", "t.ones(1, 2, 5, 5)",
                  "t.ones(1, 2, 5, 5, 5)", "t.ones(3, dtype=t.int64)", "t.ones(2, 3, dtype=t.int64)", "{x}.clone()",
                  "{x}.detach()", "{x}.float()", "{x}.double()", "{x}.long()", "{x}.real", "{x}.reshape(-1)",
                  "t.ones({x}.shape)", "t.ones_like({x})", "t.ones([max(n, 1) for n in {x}.shape])")
OTHER_OPTIONS = ("0", "1", "2", "-1", "0.5", "None", "True", "(1,)", "(2, 2)", "[1]", "'mean'", "t.float32")


def has_several(lines, ours):
    """Whether the last of ``lines``, at which leafward raised ``ours``, raises that in PyTorch, too, with one thing changed."""
    before = lines[:-1]
    side = replay(before, torch)
    for line in changed(lines[-1]):
        error = side.run(line)
        if error is None:
            side = replay(before, torch)
        elif isinstance(ours, builtin_type(error)) and words(error) == words(ours):
            return True
    return False


def words(error):
    return re.sub(r"[-\d.,()\[\]\s]+", " ", first_sentence(error))


def changed(line):
    """The line with another operand, another option, or an option less."""
    for node in ast.walk(tree := ast.parse(line)):
        if isinstance(node, ast.Name) and re.fullmatch(r"v\d+", node.id) and isinstance(node.ctx, ast.Load):
            name = node.id
            for other in OTHER_OPERANDS:
                node.id = f"({other.format(x=name)})"
                yield ast.unparse(tree)
            node.id = name
        elif isinstance(node, ast.Call):
            for options in node.args, node.keywords:
                for k, option in enumerate(list(options)):
                    del options[k]
                    yield ast.unparse(tree)
                    options.insert(k, option)
            for keyword in node.keywords:
                keyword.value, known = None, keyword.value
                for other in OTHER_OPTIONS:
                    keyword.value = ast.Name(other)
                    yield ast.unparse(tree)
                keyword.value = known
            for k, known in enumerate(node.args):
                for other in OTHER_OPTIONS:
                    node.args[k] = ast.Name(other)
                    yield ast.unparse(tree)
                node.args[k] = known
