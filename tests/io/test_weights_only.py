"""Who decides whether a file may run code: the call, the environment, what the user allowed, and a list that holds."""
import io
import os
import pickle
import sys
import warnings
from collections import Counter

import pytest

import leafward as lw
from tests.io.test_damage import Calls, file_with, note, ran
from tests.oracle import torch

ON, OFF = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"


class Thing:
    """Something that only ``weights_only=False`` loads, unless it is allowed."""

    def __eq__(self, other):
        return isinstance(other, Thing)

    __hash__ = object.__hash__


def saved(t, obj, **how):
    file = io.BytesIO()
    t.save(obj, file, **how)
    file.seek(0)
    return file


def outcome(call):
    """What ``call`` gives or raises, in PyTorch's words, and its warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:
            text = str(error)
            for part in ("WeightsUnpickler error: ", "compatible with your use case: "):
                text = text.rpartition(part)[2]
            result = type(error).__mro__[-3 if isinstance(error, pickle.UnpicklingError) else 0].__name__, \
                text.strip().partition("\n")[0]
    return result, [str(w.message) for w in seen if w.category is not DeprecationWarning]


@pytest.mark.parametrize("pickle_module", [None, pickle], ids=["no module", "a module"])
@pytest.mark.parametrize("weights_only", [None, False, True])
@pytest.mark.parametrize("environment", [
    {}, {ON: "1"}, {ON: "YES"}, {ON: "y"}, {ON: "true"}, {ON: "0"}, {ON: "on"}, {ON: ""}, {OFF: "1"}, {OFF: "True"}, {OFF: "2"},
    {ON: "1", OFF: "1"}, {ON: "0", OFF: "1"}, {ON: "1", OFF: "no"},
], ids=str)
def test_the_environment_decides_as_in_pytorch(environment, weights_only, pickle_module, monkeypatch):
    for name in (ON, OFF):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    how = {"weights_only": weights_only, "pickle_module": pickle_module}
    ours, theirs = (outcome(lambda t=t: t.load(saved(t, {"thing": Thing()}), **how)) for t in (lw, torch))
    assert ours == theirs


@pytest.mark.parametrize("value", ["1", "true"])
def test_a_forced_load_runs_nothing(value, monkeypatch):
    head = b"".join(pickle.dumps(p, 2) for p in (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))
    files = [file_with(pickle.dumps(Calls(note, 1), 2)),
             io.BytesIO(head + pickle.dumps(Calls(note, 1), 2) + pickle.dumps([], 2))]
    monkeypatch.setenv(ON, value)
    for how in ({}, {"weights_only": False}, {"weights_only": False, "pickle_module": pickle}):
        for file in files:
            file.seek(0)
            with pytest.raises((pickle.UnpicklingError, RuntimeError), match="Weights only load failed|Can not safely"):
                lw.load(file, **how)
    assert not ran
    monkeypatch.delenv(ON)
    for file in files:
        file.seek(0)
        lw.load(file, weights_only=False)
    assert ran == [(1,), (1,)]                  # so the files were hostile
    ran.clear()


class Named:
    """Stands in a pickle as a global of this name."""

    def __init__(self, module, name):
        self.module, self.name = module, name


class Pickler(pickle._Pickler):
    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, Named):
            return self.write(b"c" + f"{obj.module}\n{obj.name}\n".encode())
        return super().save(obj, save_persistent_id)


def file_naming(module, name):
    data = io.BytesIO()
    Pickler(data, 2).dump([Named(module, name)])
    return file_with(data.getvalue())


def harmless():
    return "ran"


@pytest.fixture
def clean():
    for t in (lw, torch):
        t.serialization.clear_safe_globals()
    yield
    for t in (lw, torch):
        t.serialization.clear_safe_globals()


@pytest.mark.parametrize("allowed", [
    [], [os.system], [(os.system, "os.system")], [(harmless, "os.system")], [(harmless, "posix.system")],
    [(harmless, "sys.exit"), (harmless, "nt.system"), (harmless, "os.path.join")], [sys.exit],
    [(harmless, "torch._utils._rebuild_tensor_v2")], [(harmless, "torch.Size")],
], ids=range(9))
@pytest.mark.parametrize("module, name", [
    ("os", "system"), ("posix", "system"), ("nt", "system"), ("sys", "exit"), ("os.path", "join"), ("sys.monitoring", "x"),
    ("os", "environ"), ("a", "b"), ("builtins", "eval"), ("__builtin__", "eval"), ("_codecs", "encode"),
])
def test_what_is_blocked_stays_blocked_whoever_allows_it(allowed, module, name, clean):
    results = []
    for t in (lw, torch):
        t.serialization.add_safe_globals(allowed)
        result, seen = outcome(lambda t=t: t.load(file_naming(module, name)))
        results.append((["a codec"] if module == "_codecs" and isinstance(result, list) else result, seen))
    assert results[0] == results[1]
    if module in ("os", "posix", "nt", "sys") and len(allowed) < 2 and not isinstance(results[0][0], tuple):
        pytest.fail("a blocked function was loaded")


@pytest.mark.parametrize("entry", [(harmless,), (harmless, 3), (harmless, "a.b", 1)], ids=range(3))
def test_entries_without_a_name_are_refused_at_once(entry, clean):
    torch.serialization.add_safe_globals([entry])
    with pytest.raises(Exception) as theirs:                # noqa: PT011 - whatever PyTorch raises
        torch.load(file_naming("a", "b"))
    with pytest.raises(type(theirs.value)) as ours:
        lw.serialization.add_safe_globals([Thing, entry])
    assert str(ours.value) == str(theirs.value) and lw.serialization.get_safe_globals() == []


def test_the_blocked_are_listed_as_unsafe(clean):
    lw.serialization.add_safe_globals([(harmless, "os.system"), (harmless, "a.b")])
    assert lw.serialization.get_unsafe_globals_in_checkpoint(file_naming("os", "system")) == ["os.system"]
    assert lw.serialization.get_unsafe_globals_in_checkpoint(file_naming("a", "b")) == []


@pytest.mark.parametrize("how", [{}, {"pickle_protocol": 4}], ids=["protocol 2", "protocol 4"])
@pytest.mark.parametrize("obj", [{"a": 1, "b": [Thing(), Counter("aa")]}, {"x": iter([1])}, [1, 2.5, "c"]], ids=range(3))
def test_unsafe_names_are_pytorchs(obj, how, clean):
    ours, theirs = (outcome(lambda t=t: sorted(t.serialization.get_unsafe_globals_in_checkpoint(saved(t, obj, **how))))
                    for t in (lw, torch))
    assert ours == theirs


def test_users_do_not_replace_what_files_need(clean):
    for t in (lw, torch):
        t.serialization.add_safe_globals([(harmless, "torch._utils._rebuild_tensor_v2")])
        assert t.load(saved(t, t.ones(2))).tolist() == [1, 1]


def test_allowed_for_a_block(clean):
    seen = []
    for t in (lw, torch):
        allow = t.serialization
        allow.add_safe_globals([Thing, Thing])
        states = [set(allow.get_safe_globals())]
        with allow.safe_globals([Counter]) as value:
            allow.add_safe_globals([set])
            states += [value, set(allow.get_safe_globals()), len(allow.get_safe_globals())]
        states.append(set(allow.get_safe_globals()))
        with pytest.raises(ZeroDivisionError), allow.safe_globals([Thing]):
            states.append(t.load(saved(t, Thing())))
            1 / 0  # noqa: B018
        states.append(set(allow.get_safe_globals()))
        states.append(outcome(lambda t=t: t.load(saved(t, Thing()))))
        seen.append(states)
    assert seen[0] == seen[1]


def test_options_of_the_pickle_module_that_weights_do_not_need():
    ours, theirs = (outcome(lambda t=t: t.load(saved(t, [1]), weights_only=True, encoding="latin1")) for t in (lw, torch))
    assert ours == theirs and ours[1]
