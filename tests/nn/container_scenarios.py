"""Scenarios about containers: see ``tests/both.py``."""
from collections import OrderedDict

from tests.both import Scenarios, tried

scenario = scenarios = Scenarios()


def row(t):
    return t.nn.Sequential(t.nn.ReLU(), t.nn.Tanh(), t.nn.SELU())


@scenario
def sequential_indexing(t):
    s = row(t)
    return [s[0], s[-1], s[1:], s[::2], len(s), [type(m).__name__ for m in s], tried(s.__getitem__, 5),
            tried(s.__getitem__, -4), tried(s.__getitem__, "a"), s[:0]]


@scenario
def sequential_changes(t):
    log = []
    s = row(t)
    s[1] = t.nn.GELU()
    log.append(repr(s))
    del s[0]
    log.append(repr(s))
    s.append(t.nn.Tanh()).insert(0, t.nn.Mish()).extend([t.nn.ReLU(), t.nn.ELU()])
    log.append(repr(s))
    del s[1:3]
    log.append([repr(s), s.pop(0), s.pop(-1), s])
    log.append([tried(s.insert, 9, t.nn.ReLU()), tried(s.append, 3), tried(s.pop, 4),
                tried(s.extend, 3), tried(s.__delitem__, 7)])
    return log


@scenario
def sequential_arithmetic(t):
    s = row(t)
    doubled = s * 2
    s += t.nn.Sequential(t.nn.GELU())
    return [s + t.nn.Sequential(t.nn.Mish()), doubled, 2 * t.nn.Sequential(t.nn.ReLU()), s, doubled[0] is doubled[3],
            tried(lambda: s + 3), tried(lambda: s * 0), tried(s.__iadd__, 3)]


@scenario
def sequential_repeats_itself(t):
    s = t.nn.Sequential(t.nn.ReLU(), t.nn.Tanh())
    s *= 3
    return s


@scenario
def sequential_by_name(t):
    s = t.nn.Sequential(OrderedDict(a=t.nn.Linear(2, 2), b=t.nn.ReLU(), c=t.nn.Tanh()))
    log = [s, s.a, s[1], s[1:], list(s.state_dict())]
    del s[0]
    return [*log, s]


@scenario
def sequential_runs(t):
    s = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.ReLU())
    t.nn.init.eye_(s[0].weight)
    t.nn.init.zeros_(s[0].bias)
    return [s(t.tensor([[1.0, -1.0]])), t.nn.Sequential()(t.ones(1)), tried(s)]


@scenario
def module_lists(t):
    m = t.nn.ModuleList([t.nn.ReLU(), t.nn.Tanh(), t.nn.SELU()])
    log = [m[0], m[-1], m[1:], len(m), m + [t.nn.GELU()], tried(m.__getitem__, 3), tried(m.__getitem__, "a")]
    m.insert(1, t.nn.GELU())
    m.append(t.nn.ReLU()).extend([t.nn.ReLU()])
    m += (t.nn.Tanh(),)
    log.append(repr(m))
    del m[1]
    del m[1:3]
    m[0] = t.nn.Mish()
    log.append([repr(m), m.pop(1), m.pop(-1), m, list(m._modules)])
    return [*log, tried(m.extend, 3), tried(m.append, 3), tried(m, 1), tried(t.nn.ModuleList, 3)]


@scenario
def module_dicts(t):
    d = t.nn.ModuleDict({"b": t.nn.ReLU(), "a": t.nn.Tanh()})
    d["c"] = t.nn.SELU()
    d.update([("a", t.nn.GELU()), ("d", t.nn.Mish())])
    d.update(OrderedDict(e=t.nn.ReLU()))
    d.update(t.nn.ModuleDict({"f": t.nn.ELU()}))
    log = [d, list(d), list(d.keys()), list(d.values()), [k for k, _ in d.items()], len(d), "a" in d, "z" in d, d["a"],
           d.pop("b")]
    del d["c"]
    log += [d, tried(d.__getitem__, "z"), tried(d.pop, "z"), tried(d.update, 3), tried(d.update, [3]),
            tried(d.update, [(1, 2, 3)]), tried(d.__setitem__, "x.y", t.nn.ReLU()), tried(d, 1)]
    d.clear()
    return [*log, d]


@scenario
def parameter_lists(t):
    m = t.nn.ParameterList([t.ones(1), t.nn.Parameter(t.zeros(2)), 3])
    log = [m, m[0], m[-1], len(m), list(m), m[0:2], list(m._parameters), tried(m.__getitem__, 7), tried(m, 1)]
    m.append("text").extend([t.ones(3, 4), t.ones(())])
    m += [t.zeros(1)]
    m[0] = t.ones(5)
    return [*log, m, tried(m.extend, 3), tried(m.extend, t.nn.Parameter(t.ones(2))), list(m.state_dict()),
            sum(p.numel() for p in m.parameters())]


@scenario
def parameter_dicts(t):
    d = t.nn.ParameterDict({"b": t.ones(2), "a": t.nn.Parameter(t.ones(3, 1)), "c": 3})
    log = [d, list(d), list(t.nn.ParameterDict([("b", 1), ("a", 2)])), list(t.nn.ParameterDict(OrderedDict(b=1, a=2)))]
    d["e"] = t.zeros(1)
    d.update({"z": t.ones(1), "y": 5})
    log += [list(d.keys()), list(d.items()), list(d.values()), len(d), "a" in d, d.get("a"), d.get("q"), d.get("q", 7),
            d.setdefault("s", t.ones(1)), d.setdefault("a"), d.pop("b"), d.popitem(), list(reversed(d)), d.copy(),
            d.fromkeys(["u", "v"]), d.fromkeys(["u"], 5), d | {"w": t.ones(1)}]
    d |= {"x": t.ones(1)}
    del d["c"]
    log += [d, tried(d.__getitem__, "q"), tried(d.update, 3), tried(d.update, [3]), tried(d.update, [(1, 2, 3)]),
            tried(d.__getitem__, 3), tried(t.nn.ParameterDict().__setitem__, 3, 4), tried(d, 1), list(d.state_dict())]
    d.clear()
    return [*log, d, list(d.parameters())]
