"""Writes by NumPy and others into memory that a gradient needs: found by their bytes, told with the lines around them."""
import pytest

import leafward
from tests.trust.programs import BACKWARD, BUFFER, EXP, lines_of, run

HEAD = "\nimport numpy as np" + EXP


def test_the_warning():
    outcome = run(HEAD + "a = y.detach().numpy()\na *= 0" + BACKWARD)
    assert outcome.grad() == [0.0, 0.0, 0.0]
    assert outcome.story == """\
this gradient is computed from overwritten values. PyTorch would return it without a word.
  needed by    y = x.exp()              train.py:3   saved its own output, f32[3]
  changed by   a *= 0                   train.py:5   written outside leafward, between train.py:4 and train.py:6
  through      a = y.detach().numpy()   train.py:4   the same memory: numpy() does not copy
  effect       x.grad used the new values, at first [0., 0., 0.]
  fix          replace train.py:4 by   a = y.detach().numpy().copy()   the array then has memory of its own"""


def test_several_lines_that_share_the_memory_are_all_named():
    program = HEAD + "keep = y.detach().numpy()\ntmp = y.detach().numpy()\ntmp[:] = 0" + BACKWARD
    outcome = run(program)
    assert outcome.story == """\
this gradient is computed from overwritten values. PyTorch would return it without a word.
  needed by    y = x.exp()                 train.py:3   saved its own output, f32[3]
  changed by   tmp[:] = 0                  train.py:6   written outside leafward, between train.py:4 and train.py:7
  through      keep = y.detach().numpy()   train.py:4   the same memory: numpy() does not copy
  through      tmp = y.detach().numpy()    train.py:5   the same memory: numpy() does not copy
  effect       x.grad used the new values, at first [0., 0., 0.]
  fix          replace train.py:3 by   y = x.exp().clone()   the gradient keeps its own copy, and the write stays as it is"""
    repaired = run(program.replace("y = x.exp()", "y = x.exp().clone()"))
    assert repaired.error is None
    assert repaired.warned == []


def test_the_write_may_be_made_through_the_later_line_in_a_function():
    outcome = run(HEAD + "plot = y.detach().numpy()\ndef norm(t):\n    a = t.detach().numpy()\n    a /= 2\nnorm(y)" + BACKWARD)
    named = lines_of(outcome.story)
    assert named["changed by"][0] == 7
    assert named["through"] == [4, 6]
    assert "y = x.exp().clone()" in outcome.story


def test_a_line_that_shares_the_memory_in_each_turn_is_one_line():
    outcome = run(HEAD + "for turn in range(3):\n    a = y.detach().numpy()\n    a *= 2" + BACKWARD)
    assert lines_of(outcome.story)["through"] == [5]
    assert "a = y.detach().numpy().copy()" in outcome.story


#: name -> (what is written where, the line of the write, part of the fix)
ROUTES = {
    "an array with a name": ("a = y.detach().numpy()\na[:] = 0", 5, "numpy().copy()"),
    "one row of it": ("a = y.detach().numpy()\nb = a[1:]\na[0] = 0", 6, "numpy().copy()"),
    "an array without a name": ("y.detach().numpy()[:] = 0", 4, "y = x.exp().clone()"),
    "out=": ("np.multiply(1.0, 0, out=y.detach().numpy())", 4, "y = x.exp().clone()"),
    "asarray": ("np.multiply(1.0, 0, out=np.asarray(y.detach()))", 4, ""),
    "asarray with a name": ("a = np.asarray(y.detach())\na.fill(0)", 5, "np.asarray(y.detach().clone())"),
    "a memory view": ("m = memoryview(y.detach().numpy())\nm[0] = 7.0", 5, ""),
    "frombuffer": ("b = lw.frombuffer(memoryview(y.detach().numpy()), dtype=lw.float32)\nb.zero_()", 5, ""),
    "DLPack to NumPy": ("a = np.from_dlpack(y.detach())\na[:] = 0", 5, ""),
    "a function of NumPy": ("a = y.detach().numpy()\nnp.copyto(a, 0)", 5, "numpy().copy()"),
    "a shuffle": ("a = y.detach().numpy()\na[[0, 2]] = a[[2, 0]]", 5, "numpy().copy()"),
    "a negation": ("a = y.detach().numpy()\nnp.negative(a, out=a)", 5, "numpy().copy()"),
}


@pytest.mark.parametrize("name", ROUTES)
def test_routes(name):
    write, line, fix = ROUTES[name]
    outcome = run(HEAD + write + BACKWARD)
    assert outcome.error is None
    assert type(outcome.warned[0]) is leafward.SilentGradientWarning
    named = lines_of(outcome.story)
    assert named["needed by"] == [3]
    assert named["changed by"][0] == line
    assert fix in outcome.story


#: Writes far from the line that handed the memory out: what is defined before, what is done. `# here` is the line to be named.
FAR = {
    "a view of it": ("", "a = y.detach().numpy()\nb = a[::-1]\nb[0] = 9  # here"),
    "parts of a view": ("", "rows = y.detach().numpy().reshape(3, 1)\nfor row in rows:\n    row += 1  # here"),
    "an item of a dict": ("", "kept = {}\nkept['y'] = y.detach().numpy()\nkept['y'][0] = 9  # here"),
    "a function": ("def shift(a):\n    a -= a.mean()  # here", "kept = [y.detach().numpy()]\nshift(kept[0])"),
    "a function of a function": ("def inner(b):\n    b.sort()  # here\ndef outer(a):\n    inner(a[::-1])",
                                 "kept = y.detach().numpy()\nouter(a=kept)"),
    "a method": ("class Log:\n    def add(self, t):\n        self.last = t.detach().numpy()\n    def norm(self):\n"
                 "        self.last /= 2  # here", "log = Log()\nlog.add(y)\nlog.norm()"),
    "what a function returned": ("def array(t):\n    return t.detach().numpy()", "a = array(y)\na[0] = 9  # here"),
    "a loop's variable": ("", "arrays = [y.detach().numpy()]\nfor a in arrays:\n    np.negative(a, out=a)  # here"),
    "a ufunc's third argument": ("", "a = y.detach().numpy()\nnp.add(a, 1, a)  # here"),
    "two places at once": ("", "a = y.detach().numpy()\na[0], a[1] = 7, 8  # here"),
    "a loop of a method": ("class Log:\n    def __init__(self):\n        self.kept = []\n    def norm(self):\n"
                           "        for a in self.kept:\n            a /= 2  # here", "log = Log()\n"
                           "log.kept.append(y.detach().numpy())\nlog.norm()"),
    "one of several": ("", "kept = [np.ones(3), y.detach().numpy()]\nfor i in range(2):\n    kept[i][0] = 9  # here"),
    "a partial function": ("from functools import partial\ndef scale(a, by):\n    a *= by  # here",
                           "f = partial(scale, y.detach().numpy())\nf(2.0)"),
    "a thread": ("import threading\ndef work(a):\n    a[:] = 0  # here",
                 "a = y.detach().numpy()\nt = threading.Thread(target=work, args=(a,))\nt.start()\nt.join()"),
    "a map": ("def zero(a):\n    a[0] = 0  # here", "kept = [y.detach().numpy()]\nlist(map(zero, kept))"),
    "a lambda": ("norm = lambda t: t.detach().numpy().__setitem__(0, 9.0)  # here", "norm(y)"),
}
#: Writes to other memory, by the same means.
INNOCENT = """
labels = lw.zeros(3)
labels.numpy()[0] = 1.0
labels.numpy().fill(2.0)
other = np.zeros(3)
other[:] = 4
np.copyto(labels.numpy(), other)
"""


@pytest.mark.parametrize("name", FAR)
def test_the_line_of_a_write_that_is_made_elsewhere(name):
    before, write = FAR[name]
    source = f"import numpy as np\n{before}{EXP}{write}{INNOCENT}{BACKWARD}"
    line = next(number for number, text in enumerate(source.splitlines(), 1) if "# here" in text)
    assert lines_of(run(source).story)["changed by"][0] == line


@pytest.mark.parametrize("write", [
    "a[0] = 9\na[1] = 8", "exec('a[0] = 9')", "b = a if len(other) else other\nb[0] = 9\na[1] = 9",
])
def test_no_line_is_named_where_it_may_be_another(write):
    source = f"import numpy as np\nother = np.zeros(3){EXP}a = y.detach().numpy()\n{write}{INNOCENT}{BACKWARD}"
    assert "changed by   written outside leafward" in run(source).story


def test_lambdas_in_one_function_have_stories_of_their_own():
    outcome = run("""
        import numpy as np
        def case(write):
            x = lw.tensor([1.0, 2.0], requires_grad=True)
            y = x.exp()
            write(y)
            y.sum().backward()
        case(lambda y: y.detach().numpy().fill(1.0))
        case(lambda y: np.multiply([1.0, 2.0], 2, out=np.asarray(y.detach()), casting="unsafe"))
        """)
    assert [lines_of(str(w))["changed by"][0] for w in outcome.warned] == [7, 8]


@pytest.mark.parametrize("name", ROUTES)
def test_routes_under_strict(name):
    outcome = run(HEAD + ROUTES[name][0] + "\nwith lw.strict():\n    y.sum().backward()")
    assert type(outcome.error) is leafward.SilentGradientError
    assert outcome.names["x"].grad is None


#: Programs where memory of NumPy's is used again: the lines that saved, that wrote, that shared.
BUFFERS = {
    "a batch buffer filled again": (BUFFER, 8, 6, "x = lw.from_numpy(buf).clone()"),
    "two tensors on one array": ("""
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, dtype=np.float32)
        a = lw.from_numpy(buf)
        b = lw.from_numpy(buf)
        y = (a * w).sum()
        b.mul_(2)
        y.backward()
        """, 6, 7, "lw.from_numpy(buf).clone()"),
    "an index that is changed": ("""
        import numpy as np
        x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        ids = np.array([0, 1])
        t = lw.from_numpy(ids)
        y = x[t]
        ids[:] = 2
        y.sum().backward()
        """, 5, 6, "lw.from_numpy(ids).clone()"),
    "a frombuffer tensor": ("""
        data = bytearray(12)
        w = lw.ones(3, requires_grad=True)
        t = lw.frombuffer(data, dtype=lw.float32)
        y = (t * w).sum()
        data[3] = 64
        y.backward()
        """, 4, 5, ".clone()"),
    "a large array": ("""
        import numpy as np
        x = lw.ones(300, 300, requires_grad=True)
        y = x.exp()
        a = y.detach().numpy()
        a *= 2
        y.sum().backward()
        """, 3, 5, "numpy().copy()"),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers(name):
    program, saved, written, fix = BUFFERS[name]
    outcome = run(program)
    assert outcome.error is None
    named = lines_of(str(outcome.warned[0]))
    assert named["needed by"] == [saved]
    assert named["changed by"][0] == written
    assert fix in str(outcome.warned[0])


#: Programs with a write before the save, which is harmless, and one after it: the lines of the later one, and labels.
ORDERS = {
    "another tensor before, the array after": ("""
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, np.float32)
        x, other = lw.from_numpy(buf), lw.from_numpy(buf)
        other.fill_(2)
        y = (x * w).sum()
        buf[0] = 9
        y.backward()
        """, {"changed by": [7, 6, 8]}),
    "the array before, another tensor after": ("""
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, np.float32)
        x, other = lw.from_numpy(buf), lw.from_numpy(buf)
        buf[0] = 9
        y = (x * w).sum()
        other.fill_(2)
        y.backward()
        """, {"changed by": [7]}),
    "two tensors, before and after": ("""
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, np.float32)
        x, first, second = lw.from_numpy(buf), lw.from_numpy(buf), lw.from_numpy(buf)
        first.fill_(2)
        y = (x * w).sum()
        second.fill_(3)
        first.fill_(4)
        y.backward()
        """, {"changed by": [7]}),
    "a tensor in a list": ("""
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, np.float32)
        x, others = lw.from_numpy(buf), [lw.from_numpy(buf)]
        y = (x * w).sum()
        others[0].fill_(3)
        y.backward()
        """, {"changed by": [6]}),
    "the array before, and after": ("""
        w = lw.ones(3, requires_grad=True)
        x = lw.ones(3)
        a = x.numpy()
        a[1] = 5
        y = (x * w).sum()
        a[0] = 9
        y.backward()
        """, {"changed by": [6, 5, 7]}),
    "the array before in sight, and after in a function": ("""
        def spoil(array):
            array[0] = 9
        w = lw.ones(3, requires_grad=True)
        x = lw.ones(3)
        a = x.numpy()
        a[1] = 5
        y = (x * w).sum()
        spoil(a)
        y.backward()
        """, {"changed by": [2, 7, 9]}),
    "the tensor itself before, the array after": ("""
        w = lw.ones(3, requires_grad=True)
        x = lw.ones(3)
        a = x.numpy()
        x.fill_(2)
        y = (x * w).sum()
        a[0] = 9
        y.backward()
        """, {"changed by": [6, 5, 7]}),
    ".data before and after": ("""
        w = lw.ones(3, requires_grad=True)
        x = lw.ones(3)
        x.data.fill_(2)
        y = (x * w).sum()
        x.data[0] = 9
        y.backward()
        """, {"changed by": [5]}),
    "a view before, and another after": ("""
        w = lw.ones(3, requires_grad=True)
        x = lw.ones(3)
        x[:2].fill_(2)
        y = (x * w).sum()
        x.data[1:].fill_(9)
        y.backward()
        """, {"changed by": [5]}),
    "a loop that fills before and after": ("""
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, np.float32)
        for turn in range(2):
            x, other = lw.from_numpy(buf), lw.from_numpy(buf)
            if turn == 0:
                other.fill_(2)
            y = (x * w).sum()
            buf += 1
            y.backward()
        """, {"changed by": [9, 8, 10]}),
    "both after it": ("""
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, np.float32)
        x, other = lw.from_numpy(buf), lw.from_numpy(buf)
        y = (x * w).sum()
        other.fill_(2)
        buf[0] = 9
        y.backward()
        """, {"changed by": [6], "or by": [7, 5, 8]}),
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_write_that_is_named_came_after_the_save(name):
    program, expected = ORDERS[name]
    outcome = run(program)
    assert outcome.error is None
    named = lines_of(outcome.story)
    assert {label: named.get(label) for label in ("changed by", "or by") if label in named} == expected


QUIET = {
    "another tensor wrote before it was saved": """
        import numpy as np
        w = lw.ones(3, requires_grad=True)
        buf = np.ones(3, np.float32)
        x, other = lw.from_numpy(buf), lw.from_numpy(buf)
        other.fill_(2)
        buf[0] = 9
        (x * w).sum().backward()
        """,
    "changed back": HEAD + "a = y.detach().numpy()\na *= -1\na *= -1" + BACKWARD,
    "a copy": HEAD + "a = y.detach().numpy().copy()\na *= 0" + BACKWARD,
    "read only": HEAD + "a = y.detach().numpy()\nb = a * 0" + BACKWARD,
    "after backward": HEAD + "a = y.detach().numpy()" + BACKWARD + "a *= 0",
    "written before it was saved": """
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        t = lw.ones(2)
        a = t.numpy()
        a *= 3
        (x * t).sum().backward()
        """,
    "another row": """
        x = lw.ones(3, requires_grad=True)
        t = lw.ones(4, 3)
        y = t[0] * x
        a = t.numpy()
        a[1:] = 5
        y.sum().backward()
        """,
    "a batch buffer, backward in each turn": """
        import numpy as np
        w = lw.tensor([1.0, -1.0], requires_grad=True)
        buf = np.zeros(2, dtype=np.float32)
        for batch in ([1.0, 1.0], [2.0, 2.0]):
            buf[:] = batch
            (lw.from_numpy(buf) * w).sum().backward()
        """,
    "a parameter that was looked at": """
        import numpy as np
        w = lw.tensor([1.0, -1.0], requires_grad=True)
        for turn in range(8):
            (w * w).sum().backward()
            with lw.no_grad():
                w -= 0.1 * w.grad
            w.grad = None
            seen = w.detach().numpy().copy()
        """,
}


@pytest.mark.parametrize("name", QUIET)
def test_correct_look_alikes(name):
    outcome = run(QUIET[name])
    assert outcome.error is None
    assert outcome.warned == []


def test_a_shuffle_of_rows_is_seen_in_large_arrays_too():
    from leafward.arrays import cpu
    a = cpu.reshape(cpu.astype(cpu.arange(61 * 61 * 4), leafward.float32), (-1, 61))
    before = cpu.fingerprint(a)
    for change in (lambda: cpu.flip(a, axis=0), lambda: -a, lambda: a * 0 + 1, lambda: cpu.roll(a, 1, axis=1)):
        assert cpu.fingerprint(change()) != before
    assert cpu.fingerprint(a.copy()) == before
    assert cpu.fingerprint(cpu.matrix_transpose(cpu.matrix_transpose(a).copy())) == before


@pytest.mark.parametrize("size", [1, 8, 509, 3001, 1 << 17])
def test_one_byte_is_seen_wherever_it_stands(size):
    from leafward.arrays import cpu
    a = cpu.astype(cpu.arange(size) % 100, leafward.int8)
    before = cpu.fingerprint(a, whole=True)
    for place in {0, 1, size // 2, size - 9, size - 1} & set(range(size)):
        changed = a.copy()
        changed[place] ^= -128                              # as a sign does
        assert cpu.fingerprint(changed, whole=True) != before
        changed[place - size // 2] ^= -128                  # and the same again elsewhere
        assert (cpu.fingerprint(changed, whole=True) == before) == (size == 1)
    apart = cpu.stack([a, a], axis=1)[:, 0]                 # the same bytes, not side by side
    assert cpu.fingerprint(apart, whole=True) == before


def test_writing_into_a_read_only_source_raises():
    outcome = run("""
        import numpy as np
        a = np.ones(3)
        a.flags.writeable = False
        t = lw.from_numpy(a)
        t.zero_()
        """)
    assert isinstance(outcome.error, (RuntimeError, ValueError))
    assert "read-only" in str(outcome.error)
    assert outcome.names["a"].tolist() == [1.0, 1.0, 1.0]
