"""Sites as text: notebooks, missing sources, long and wide lines, hidden frames; and that nothing is loaded in vain."""
import gc
import subprocess
import sys
import threading
import time
import types

import pytest

import leafward
from leafward.app.run import fit
from leafward.trust.layout import folded, shortened
from leafward.trust.source import tree_of
from tests.trust.programs import lines_of, run

WRITE = """
x = lw.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.detach().zero_()
y.sum().backward()
"""


def test_a_notebook_cell():
    outcome = run(WRITE, file="<ipython-input-3-abc>")
    assert lines_of(outcome.story, "<ipython-input-3-abc>") == {
        "needed by": [2], "changed by": [3], "found in": [4], "fix": [2]}


ERRORS = {
    "InplaceGradientError": WRITE,
    "GraphFreedError": "x = lw.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()\n",
    "LeafOverwriteError": "x = lw.ones(2, requires_grad=True)\nx.add_(1)\n",
    "NoHistoryError": "x = lw.ones(2)\nx.sum().backward()\n",
    "SilentGradientError": WRITE.replace("y.detach()", "y.data").replace("y.sum()", "with lw.strict(): y.sum()"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_without_source_the_lines_are_still_named(name):
    outcome = run(ERRORS[name], file="<generated>", with_source=False)
    assert type(outcome.error).__name__ == name
    named = lines_of(str(outcome.error).partition("\n")[2], "<generated>")
    assert len({n for lines in named.values() for n in lines}) >= (1 if name in ("LeafOverwriteError", "NoHistoryError")
                                                                  else 2)
    assert "(source not found)" in str(outcome.error) or name == "SilentGradientError"


@pytest.mark.parametrize(("write", "fix"), [
    ("zero_()", "write to a clone() of it"), ("mul_(2)", "write to a clone() of it")])
def test_without_source_no_function_is_made_up(write, fix):
    story = run(WRITE.replace("zero_()", write).replace(".detach()", ""), file="<generated>", with_source=False).story
    assert story.partition("fix")[2].split(maxsplit=2)[2] == fix


@pytest.mark.parametrize("name", ERRORS)
def test_with_checks_off_the_sentence_is_still_there(name):
    outcome = run(ERRORS[name], checks=False)
    if name == "SilentGradientError":
        assert outcome.error is None
    else:
        assert type(outcome.error).__name__ == name
        assert str(outcome.error)


@pytest.mark.parametrize("name", ERRORS)
def test_known_by_the_package_name(name):
    assert getattr(leafward, name).__module__ == "leafward"
    assert issubclass(getattr(leafward, name), RuntimeError)


def test_columns_are_characters():
    story = run("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        größe = "äöü"; y = x.exp()
        y.detach().zero_()
        y.sum().backward()
        """).story.splitlines()
    at = next(i for i, line in enumerate(story) if "größe" in line)
    start = story[at].index("x.exp()")
    assert story[at + 1][start:start + 8] == "^^^^^^^ "
    assert story[at + 1][:start].strip() == ""


def test_a_call_over_several_lines():
    story = run("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = lw.exp(
            x,
        )
        y.mul_(
            2)
        y.sum().backward()
        """).story
    assert lines_of(story) == {"needed by": [2], "changed by": [5], "found in": [7], "fix": [5]}


def test_a_file_that_was_changed_since():
    """The line is another one now: no carets under what did not run."""
    import linecache
    outcome = run(WRITE)
    linecache.cache["train.py"] = (2, None, ["x\n"] * 4, "train.py")
    assert lines_of(outcome.story)["needed by"] == [2]
    assert "^" not in outcome.story


@pytest.mark.parametrize(("text", "start", "end", "shown"), [
    ("short", 0, 5, "short"),
    ("y = f(x)" + " " * 40 + "# a comment that nobody needs to see here", 4, 8, "y = f(x)"),
    ("result = " + "a_long_argument, " * 4 + "x.exp()", 77, 84, "x.exp()"),
])
def test_long_lines_keep_what_ran_in_sight(text, start, end, shown):
    line, (first, last) = shortened(text, start, end)
    assert len(line) <= 60
    assert line[first:last] == text[start:end] or (line.endswith(" ...") and line[first:last] in text[start:end])
    assert shown in line


def test_frames_can_be_hidden():
    library = types.ModuleType("library")
    library.__file__ = "library_to_hide.py"
    code = compile("def wipe(t):\n    t.detach().zero_()\n", library.__file__, "exec")
    exec(code, vars(library))
    program = WRITE.replace("y.detach().zero_()", "wipe(y)")

    def changed_by():
        outcome = run(program.replace("x = ", "wipe = lw.wipe_for_test; x = "))
        return lines_of(outcome.story).get("changed by")

    from leafward.core import native, provenance
    leafward.wipe_for_test = library.wipe
    try:
        assert changed_by() is None
        leafward.hide_frames(library)
        assert changed_by() == [3]
    finally:
        del leafward.wipe_for_test
        provenance.hidden_prefixes.remove("library_to_hide.py")
        provenance.known.clear()
        native.forget_call_sites()


LAZY = """
import sys, leafward
x = leafward.ones(2, requires_grad=True)
(x * x).sum().backward()
assert "leafward.trust" not in sys.modules, "loaded though nothing went wrong"
try:
    x.add_(1)
except RuntimeError as error:
    assert "leafward.trust" not in sys.modules, "loaded though nobody read the text"
    str(error)
assert "leafward.trust" in sys.modules
"""


def test_trust_is_loaded_when_a_text_is_read():
    subprocess.run([sys.executable, "-c", LAZY], check=True)


def test_the_environment_chooses():
    code = ("import leafward as lw; from leafward.core.runtime import runtime; print(runtime.checks, runtime.strict)")
    for value, expected in (("0", "False False"), ("strict", "True True"), ("", "True False")):
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True,
                              env={"LEAFWARD_CHECKS": value, "PATH": ""})
        assert done.stdout.strip() == expected


@pytest.mark.parametrize(("line", "name"), [
    ("import leafward as th", "th"), ("import leafward", "leafward"), ("import leafward.nn", "leafward"), ("import os", "lw")])
def test_repairs_call_leafward_what_the_program_calls_it(line, name):
    outcome = run(f"{line}\nw = lw.ones(2, requires_grad=True)\nw.add_(1)")
    assert f"with {name}.no_grad(): w.add_(1)" in outcome.story


# -- narrow terminals ------------------------------------------------------------------------------------------------

STORY = """\
The gradient of exp needs the value of `y`, and `y` was overwritten.

  needed by    y = x.exp()   train.py:3
                   ^^^^^^^     saved its own output, f32[2]
  found in     y.sum().backward()   train.py:5
               ^^^^^^^^^^^^^^^^^^"""


def test_a_narrow_terminal_has_the_columns_below_each_other():
    assert folded(STORY, 80) == STORY
    assert folded(STORY, 40) == """\
The gradient of exp needs the value of
  `y`, and `y` was overwritten.

  needed by
      y = x.exp()
      train.py:3
      saved its own output, f32[2]
  found in
      y.sum().backward()
      train.py:5"""


def test_only_a_terminal_is_narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert fit(STORY) == STORY                              # a pipe, a file
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert fit(STORY) == folded(STORY, 40)


def test_a_long_line_is_not_cut_within_a_word():
    line = "loss = torch.sqrt(w).sum() * 0 + torch.where(w > 0, w / w, w).sum()"
    start = line.index("w / w")
    text, (first, last) = shortened(line, start, start + 5)
    assert text == "... * 0 + torch.where(w > 0, w / w, w).sum()"
    assert text[first:last] == "w / w"


def test_threads_read_sources_at_once():
    """As the ranks of a job do that all raise: Python 3.11 takes trees that two threads make at once for a mistake."""
    text, found = "x = [f(a, b) for a in (1, 2, 3)]\n" * 60, []

    def read(number):
        for k in range(10):
            try:
                found.append(len(tree_of(f"{text}# {number} {k}").body))
            except SystemError as error:
                found.append(error)

    def pause(phase, info):                                 # in the middle of a tree another thread comes to its turn
        time.sleep(0)
    before = gc.get_threshold()
    gc.callbacks.append(pause)
    gc.set_threshold(50, 5, 5)
    try:
        threads = [threading.Thread(target=read, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(pause)
    assert found == [60] * 30
