"""What pack hooks keep, and where: told if it is changed before it is unpacked, quiet if the hooks lose digits on purpose."""
import gc
import weakref

import pytest

import leafward
from tests.trust.programs import lines_of, run

#: What the hooks do is put in; what stands between begins in line 12.
START = """
import numpy as np
x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
store, table, box = [], {}, type("Box", (), {})()
bank, buffer = lw.zeros(4, 3), np.zeros((4, 3), np.float32)
def pack(t):
    KEEP
def unpack(p):
    return GIVE
with lw.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x.exp()
    z = x.sin()
"""
END = """
(y.sum() + z.sum()).backward()
"""


def program(pack, unpack, between):
    return START.replace("KEEP", pack).replace("GIVE", unpack) + between + END


#: name -> (pack, unpack, what stands between)
TOLD = {
    "a list of the tensors themselves": ("store.append(t.detach()); return len(store) - 1", "store[p]", "y.detach().zero_()"),
    "a dict of them": ("table[len(table)] = t.detach(); return len(table) - 1", "table[p]", "y.detach().zero_()"),
    "a dict that is returned": ("return {'kept': t}", "p['kept']", "y.detach().zero_()"),
    "an object that is returned": ("b = type(box)(); b.kept = t.view(-1); return b", "p.kept", "y.detach().zero_()"),
    "an array of its memory": ("return t.detach().numpy()", "lw.from_numpy(p)", "y.detach().zero_()"),
    "arrays of its memory in a list": ("store.append(t.detach().numpy()); return len(store) - 1", "lw.from_numpy(store[p])",
                                       "y.detach().zero_()"),
    "its memory, written by NumPy": ("store.append(t.detach()); return len(store) - 1", "store[p]",
                                     "y.detach().numpy()[:] = 0"),
    "a list of copies": ("store.append(t.detach().clone()); return len(store) - 1", "store[p]", "store[0].zero_()"),
    "a list of halves": ("store.append(t.detach().half()); return len(store) - 1", "store[p].float()", "store[0].zero_()"),
    "a bank of rows": ("n = len(store); store.append(n); bank[n].copy_(t.detach()); return n", "bank[p]", "bank.mul_(3)"),
    "an array of rows": ("n = len(store); store.append(n); buffer[n] = t.detach(); return n",
                         "lw.from_numpy(buffer[p].copy())", "buffer *= 3"),
    "a dict of arrays": ("table[len(table)] = t.detach().numpy().copy(); return len(table) - 1", "lw.from_numpy(table[p])",
                         "table[0] *= 0"),
    "two values under one key": ("table['last'] = t.detach().clone(); return 'last'", "table[p]", "pass"),
    "a key and a type": ("store.append(t.detach().clone()); return len(store) - 1, t.dtype", "store[p[0]].to(p[1])",
                         "store[0].zero_()"),
}
#: Where the line of the write is known.
WRITES = {name: 12 for name in TOLD if name != "two values under one key"}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told(name):
    outcome = run(program(*TOLD[name]))
    assert outcome.error is None
    told = [str(w) for w in outcome.warned if type(w) is leafward.SilentGradientWarning]
    assert told
    named = lines_of(told[-1])
    assert named["needed by"] == [10]
    assert named["packed by"] == [5]
    assert named.get("changed by", [None])[0] == WRITES.get(name)
    assert run(program(*TOLD[name]), checks=False).warned == []


def test_hooks_with_a_name_of_their_own():
    outcome = run("""
        class Keeper:
            def __init__(self):
                self.kept = []
            def pack(self, t):
                self.kept.append(t.detach().clone())
                return len(self.kept) - 1
            def unpack(self, number):
                return self.kept[number]
        keeper = Keeper()
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        with lw.autograd.graph.saved_tensors_hooks(keeper.pack, keeper.unpack):
            y = x.exp()
        for kept in keeper.kept:
            kept.zero_()
        y.sum().backward()
        """)
    assert outcome.story == """\
this gradient is computed from overwritten values. PyTorch would return it without a word.
  needed by    y = x.exp()          train.py:12   saved its own output, f32[2]
  packed by    def pack(self, t):   train.py:4    what this hook kept was changed before it was unpacked
  changed by   kept.zero_()         train.py:14   writes to what the hook kept
  effect       x.grad used [0., 0.] instead
  fix          at train.py:14   change it after backward(), or let the hook keep a copy that is its own"""


def test_an_unpack_hook_that_writes_to_what_was_kept():
    source = """
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        with lw.autograd.graph.saved_tensors_hooks(lambda t: [t.detach() / 2], lambda p: p[0].mul_(2)):
            y = x.exp()
        y.sum().backward(retain_graph=True)
        """
    assert run(source).warned == []
    outcome = run(source + "y.sum().backward()")
    assert lines_of(outcome.story)["changed by"] == [2]


def test_under_strict():
    outcome = run(program(*TOLD["a list of copies"]).replace("(y.sum()", "with lw.strict(): (y.sum()"))
    assert type(outcome.error) is leafward.SilentGradientError


#: Hooks that are right, those that lose digits on purpose among them.
QUIET = {
    "halves": ("return t.half()", "p.float()", "pass"),
    "bfloat16": ("return t.to(lw.bfloat16)", "p.to(lw.float32)", "pass"),
    "whole numbers of eight bits": ("s = t.abs().max() / 127; return (t / s).round().to(lw.int8), s", "p[0] * p[1]", "pass"),
    "the largest only": ("return lw.where(t >= t.max(), t, 0.0)", "p", "pass"),
    "signs only": ("return t.sign(), t.abs().mean()", "p[0] * p[1]", "pass"),
    "halves in a list": ("store.append(t.half()); return len(store) - 1", "store[p].float()", "pass"),
    "halves in an array": ("n = len(store); store.append(n); buffer[n] = t.detach().half(); return n",
                           "lw.from_numpy(buffer[p].copy())", "pass"),
    "what was rounded, and then changed elsewhere": ("n = len(store); store.append(t.half()); return n", "store[p].float()",
                                                     "bank.add_(1); buffer[:] = 3; table[0] = bank"),
    "copies, and the value written": ("store.append(t.detach().clone()); return len(store) - 1", "store[p]",
                                      "y.detach().zero_()"),
    "popped when unpacked": ("table[len(table)] = t.detach().clone(); return len(table) - 1", "table.pop(p)", "pass"),
    "bytes": ("return t.detach().numpy().tobytes()", "lw.frombuffer(bytearray(p), dtype=lw.float32)", "y.detach().zero_()"),
    "made smaller afterwards": ("store.append(t.detach().clone()); return len(store) - 1", "store[p].float()",
                                "store[:] = [t.half() for t in store]"),
    "brought elsewhere afterwards": ("store.append(t.detach().clone()); return len(store) - 1",
                                     "lw.tensor(store[p])", "store[:] = [t.tolist() for t in store]"),
    "changed and changed back": ("store.append(t.detach().clone()); return len(store) - 1", "store[p]",
                                 "store[0].mul_(2); store[0].mul_(0.5)"),
    "other rows": ("n = len(store); store.append(n); bank[n].copy_(t.detach()); return n", "bank[p]", "bank[2:].fill_(3)"),
    "a list that has nothing to do with it": ("store.append(t.half()); return len(store) - 1",
                                              "(store[p] * (1 + 0 * len(table))).float()",
                                              "table[0] = lw.ones(3); table[0].zero_()"),
    "weights under the same numbers": ("n = len(store); store.append(t.half()); return n",
                                       "store[p].float() * (1 if bank is not None else bank[p])", "bank.add_(1)"),
}


@pytest.mark.parametrize("name", QUIET)
def test_hooks_that_are_right(name):
    outcome = run(program(*QUIET[name]))
    assert outcome.error is None
    assert outcome.warned == []


def test_what_hooks_keep_elsewhere_is_let_go():
    x = leafward.ones(1000, requires_grad=True)
    with leafward.autograd.graph.saved_tensors_hooks(lambda t: t.shape, lambda shape: leafward.ones(shape)):
        y = x.exp()
    kept, total = weakref.ref(y._storage.owner), y.sum()
    del y
    gc.collect()
    assert kept() is None
    assert "keeps what a pack hook made" in leafward.explain(total)
    assert leafward.who_holds(x)
    total.backward()
    assert x.grad.tolist() == [1.0] * 1000


def test_a_pack_hook_records_nothing_nor_does_an_unpack_hook_of_a_backward_that_is_not_recorded():
    seen = []

    def pack(tensor):
        seen.append((leafward.is_grad_enabled(), tensor is x))
        return tensor.abs()

    def unpack(tensor):
        seen.append(leafward.is_grad_enabled())
        return tensor
    x = leafward.ones(2, requires_grad=True)
    with leafward.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.sin().sum()
    y.backward(retain_graph=True)
    leafward.autograd.grad(y, x, create_graph=True)
    assert seen == [(False, True), False, True]
