"""``leafward run -c``, ``leafward run -`` and a pipe that breaks: as Python's."""
import subprocess
import sys

import pytest

PROGRAM = """import sys
print(sys.argv, repr(sys.path[0]), __name__, "__file__" in globals())
def f(x):
    return 1 / x
if len(sys.argv) > 2:
    f(0)
sys.exit(3)
"""


def both(arguments, input=None):
    """What Python and what ``leafward run`` make of the same arguments."""
    commands = ([sys.executable, *arguments], [sys.executable, "-m", "leafward", "run", *arguments])
    done = [subprocess.run(command, input=input, capture_output=True, text=True) for command in commands]
    return [(one.returncode, one.stdout, one.stderr) for one in done]


@pytest.mark.parametrize("arguments", [["one"], ["one", "two"]])
def test_code_runs_as_pythons(arguments):
    theirs, ours = both(["-c", PROGRAM, *arguments])
    assert ours == theirs


@pytest.mark.parametrize("arguments", [["one"], ["one", "two"]])
def test_standard_input_runs_as_pythons(arguments):
    theirs, ours = both(["-", *arguments], input=PROGRAM)
    assert ours == theirs


def test_torch_is_leafward_and_stories_quote_the_code():
    code = ("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.detach().zero_()\ny.sum().backward()\n")
    done = subprocess.run([sys.executable, "-m", "leafward", "run", "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "needed by    y = x.exp()" in done.stderr and "<string>:3" in done.stderr


def test_code_has_to_be_given():
    done = subprocess.run([sys.executable, "-m", "leafward", "run", "-c"], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr


def test_a_broken_pipe_ends_as_in_python():
    code = "import sys\nfor i in range(100000):\n    print(i)\n"
    ends = []
    for command in ([sys.executable], [sys.executable, "-m", "leafward", "run"]):
        process = subprocess.Popen([*command, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        ends.append((process.wait(), said))
    assert ends[0] == ends[1]


TRAINS = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.sum().backward()\n"


def command(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "leafward", *arguments], capture_output=True, text=True, **options)


@pytest.mark.parametrize(("arguments", "input", "where"), [(["-c", TRAINS, "1"], None, "<string>"), (["-"], TRAINS, "<stdin>")])
def test_page_and_explain_take_code(arguments, input, where, tmp_path):
    told = command("explain", *arguments, input=input)
    assert told.returncode == 0 and f"{where}:4" in told.stdout and "y = x.exp()" in told.stdout
    drawn = command("page", "-o", str(tmp_path / "graph.html"), *arguments, input=input)
    assert drawn.returncode == 0 and "ExpBackward0" in (tmp_path / "graph.html").read_text(encoding="utf-8")


def test_a_page_of_code_has_a_name(tmp_path):
    drawn = command("page", "-c", TRAINS, cwd=tmp_path)
    assert drawn.returncode == 0 and (tmp_path / "code.html").exists()
