"""Short programs over modules. Each is run on leafward and on PyTorch, and must give the same outcome on both.

A scenario takes the namespace ``t`` and returns plain values. What it raises and warns is part of the outcome.
"""
from collections import OrderedDict
import copy
import pickle

from tests.both import Scenarios, tried

scenario = scenarios = Scenarios()


def net(t):
    """A small tree with a shared child, a None child, a buffer and a parameter of its own."""
    t.manual_seed(0)
    shared = t.nn.Linear(2, 2)
    made = t.nn.Module()
    made.first = t.nn.Sequential(shared, t.nn.BatchNorm1d(2))
    made.again = shared
    made.empty = None
    made.register_module("nothing", None)
    made.scale = t.nn.Parameter(t.ones(2))
    made.register_buffer("seen", t.zeros(1))
    made.register_buffer("scratch", t.zeros(1), persistent=False)
    made.register_parameter("unset", None)
    return made


def names(pairs):
    return [name for name, _ in pairs]


@scenario
def walking(t):
    m = net(t)
    return [names(m.named_parameters()), names(m.named_parameters(remove_duplicate=False)),
            names(m.named_parameters("p", recurse=False)), names(m.named_buffers()), names(m.named_children()),
            names(m.named_modules()), names(m.named_modules(prefix="x", remove_duplicate=False)),
            len(list(m.parameters())), len(list(m.buffers())), len(list(m.children())), len(list(m.modules())),
            list(m.state_dict()), m]


@scenario
def paths(t):
    m = net(t)
    m.plain = 3
    return [tried(get, path) for get in (m.get_submodule, m.get_parameter, m.get_buffer)
            for path in ("", "first", "first.0", "first.0.weight", "first.1.running_mean", "scale", "seen", "x.y",
                         "plain", "first.x", "empty")]


@scenario
def setting_submodules(t):
    m = net(t)
    results = [tried(m.set_submodule, *args) for args in (
        ("first.0", t.nn.ReLU()), ("first.new", t.nn.Tanh()), ("", t.nn.ReLU()), ("scale", t.nn.ReLU()),
        ("x.y", t.nn.ReLU()), ("first.0", 3), ("first.more", t.nn.ReLU(), True))]
    return [*results, m]


@scenario
def registering(t):
    m = t.nn.Module()
    p, child = t.nn.Parameter(t.ones(2)), t.nn.ReLU()
    bad = [1, "a.b", "", "forward"]
    return [
        [tried(m.register_parameter, name, p) for name in bad],
        [tried(m.register_buffer, name, t.ones(1)) for name in bad],
        [tried(m.add_module, name, child) for name in bad], tried(m.register_parameter, "w", t.ones(2)),
        tried(m.register_parameter, "w", p * 2), tried(m.register_buffer, "w", 3), tried(m.add_module, "w", 3),
        tried(m.register_parameter, "w", 3), m]


@scenario
def assigning_in_place_of(t):
    """Every kind of value over every kind of attribute."""
    log = []
    for old in ("parameter", "buffer", "child", "plain", "absent"):
        for new in ("parameter", "marked buffer", "tensor", "child", "None", "number"):
            m = t.nn.Module()
            values = {"parameter": t.nn.Parameter(t.ones(1)), "marked buffer": t.nn.Buffer(t.ones(1), persistent=False),
                      "tensor": t.ones(1), "child": t.nn.ReLU(), "None": None, "number": 3}
            if old == "buffer":
                m.register_buffer("a", t.zeros(1))
            elif old != "absent":
                m.a = {"parameter": t.nn.Parameter(t.zeros(1)), "child": t.nn.Tanh(), "plain": 5}[old]
            log.append([old, new, tried(setattr, m, "a", values[new]), list(m._parameters), list(m._buffers),
                        list(m._modules), sorted(m._non_persistent_buffers_set), "a" in m.__dict__,
                        tried(getattr, m, "a")])
    return log


@scenario
def deleting(t):
    m = net(t)
    log = []
    for name in ("scale", "seen", "first", "scratch", "training", "absent"):
        log.append([tried(delattr, m, name), name in dir(m)])
    return log


@scenario
def before_init(t):
    def with_body(body):
        class Early(t.nn.Module):
            def __init__(self):
                body(self)
        return tried(lambda: Early().w)
    return [with_body(body) for body in (
        lambda self: setattr(self, "w", t.nn.Parameter(t.ones(1))), lambda self: setattr(self, "w", t.nn.ReLU()),
        lambda self: setattr(self, "w", t.nn.Buffer(t.ones(1))), lambda self: self.register_parameter("w", None),
        lambda self: self.register_buffer("w", None), lambda self: setattr(self, "w", t.ones(1)))]


@scenario
def missing_attributes(t):
    class Odd(t.nn.Module):
        @property
        def broken(self):
            return self.absent
    return [tried(getattr, t.nn.ReLU(), "absent"), tried(getattr, Odd(), "broken"), tried(t.nn.Module(), 1)]


@scenario
def the_constructor_chain(t):
    class Base:
        def __init__(self, word):
            self.word = word

    class Both(t.nn.Module, Base):
        call_super_init = True
    return Both("hello").word


@scenario
def own_state(t):
    return {k: type(v).__name__ for k, v in t.nn.Module().__dict__.items()}


@scenario
def loading(t):
    m = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.ReLU())
    good = {"0.weight": t.ones(2, 2), "0.bias": t.zeros(2)}
    return [tried(m.load_state_dict, state, **options) for state, options in (
        (good, {}), ({}, {"strict": False}), ({}, {}), ([1], {}), ({**good, "y": t.ones(1)}, {}),
        ({**good, "y": t.ones(1)}, {"strict": False}), ({**good, "0.weight": t.ones(3, 3), "1.x": t.ones(1)}, {}),
        ({**good, "0.weight": 3}, {}), ({**good, "0.weight": t.ones(3, 3)}, {"strict": False}),
        ({**good, "0.weight.x": t.ones(2), "1.f": t.ones(1), "0": t.ones(1)}, {}))] + [m.state_dict()]


@scenario
def assigning_state(t):
    m = t.nn.Linear(2, 1)
    value = t.ones(1, 2, dtype=t.float64)
    m.load_state_dict({"weight": value, "bias": t.nn.Parameter(t.zeros(1), requires_grad=False)}, assign=True)
    return [m.weight, m.weight.data_ptr() == value.data_ptr(), m.bias, type(m.weight).__name__]


@scenario
def state_of_scalars(t):
    m = t.nn.Module()
    m.register_buffer("b", t.tensor(1.0))
    return [tried(m.load_state_dict, {"b": t.tensor([5.0])}), m.b,
            tried(m.load_state_dict, {"b": t.tensor([5.0, 6.0])})]


@scenario
def extra_state(t):
    class Extra(t.nn.Module):
        def get_extra_state(self):
            return {"count": 3}

        def set_extra_state(self, state):
            self.count = state["count"]
    m = t.nn.Sequential(Extra())
    state = m.state_dict()
    m.load_state_dict(state)
    plain_module = t.nn.Sequential(t.nn.ReLU())
    return [state, m[0].count, tried(m.load_state_dict, {}), tried(plain_module.load_state_dict, state)]


@scenario
def kept_variables_and_prefix(t):
    m = t.nn.Linear(1, 1)
    m.weight.data.fill_(2)
    m.bias.data.fill_(3)
    kept = m.state_dict(prefix="a.", keep_vars=True)
    return [kept, m.state_dict(), kept["a.weight"] is m.weight, m.state_dict({}, "b.", True), dict(kept._metadata)]


@scenario
def state_hooks(t):
    log = []
    m = t.nn.Sequential(t.nn.Linear(1, 1))
    m[0].register_state_dict_pre_hook(lambda module, prefix, keep: log.append(["pre", prefix, keep]))
    m[0].register_state_dict_post_hook(
        lambda module, state, prefix, meta: log.append(["post", list(state), prefix, meta]))
    m._register_state_dict_hook(lambda module, state, prefix, meta: {"replaced": 1})
    log.append(m.state_dict())
    bad = t.nn.Linear(1, 1)
    bad.register_state_dict_post_hook(lambda *args: 3)
    log.append(tried(bad.state_dict))
    return log


@scenario
def loading_hooks(t):
    log = []
    m = t.nn.Sequential(t.nn.Linear(1, 1))

    def rename(module, state, prefix, *rest):
        log.append([type(module).__name__, prefix, len(rest)])
        state[prefix + "weight"] = state.pop(prefix + "old")
    m[0].register_load_state_dict_pre_hook(rename)
    m.register_load_state_dict_post_hook(lambda module, keys: log.append(keys))
    result = m.load_state_dict({"0.old": t.ones(1, 1), "0.bias": t.ones(1)})
    m.register_load_state_dict_post_hook(lambda module, keys: 3)
    return [log, result, tried(m.load_state_dict, {"0.old": t.ones(1, 1), "0.bias": t.ones(1)})]


@scenario
def modes(t):
    m = t.nn.Sequential(t.nn.Linear(1, 1), t.nn.Sequential(t.nn.Dropout()))
    log = [[x.training for x in m.eval().modules()], [x.training for x in m[1].train().modules()], m[0].training]
    log.append(tried(m.train, 1))
    log.append([p.requires_grad for p in m.requires_grad_(False).parameters()])
    seen = []
    log.append(m.apply(lambda x: seen.append(type(x).__name__)) is m)
    return [*log, seen]


@scenario
def moving(t):
    m = t.nn.BatchNorm1d(2)
    weight = m.weight
    m(t.ones(3, 2)).sum().backward()
    log = [m.double() is m, m.weight is weight, weight, weight.grad, m.running_mean.dtype, m.num_batches_tracked.dtype]
    log += [m.half().weight.dtype, m.bfloat16().bias.dtype, m.float().running_var.dtype, m.to(t.float64).weight.dtype]
    log += [m.to("cpu").weight.dtype, m.to(t.ones(1)).weight.dtype, m.type(t.float64).num_batches_tracked.dtype]
    log += [tried(m.to, t.int32), m.to(device="cpu", dtype=t.float32).weight.dtype, m.cpu() is m]
    return [str(x) if isinstance(x, t.dtype) else x for x in log]


@scenario
def zeroing(t):
    m = t.nn.Linear(2, 1)
    m(t.ones(1, 2)).sum().backward()
    grad = m.weight.grad
    m.zero_grad(set_to_none=False)
    kept = [m.weight.grad is grad, grad]
    m.zero_grad()
    return [*kept, m.weight.grad]


@scenario
def printing(t):
    class Own(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = t.nn.ReLU()

        def extra_repr(self):
            return "one\ntwo"

    class Single(t.nn.Module):
        def extra_repr(self):
            return "just=1"
    m = t.nn.Sequential(OrderedDict(a=Own(), b=Single(), c=t.nn.Module()))
    m.none = None
    return [repr(m), str(m), sorted(set(dir(m)) & {"a", "b", "c", "none", "training", "forward", "0"})]


def hook_that_doubles(module, args, output):
    return output * 2


@scenario
def copying(t):
    m = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.BatchNorm1d(2))
    m.register_forward_hook(hook_that_doubles)
    t.nn.init.ones_(m[0].weight)
    t.nn.init.zeros_(m[0].bias)
    x = t.tensor([[1.0, 2.0], [2.0, 4.0]])
    deep = copy.deepcopy(m)
    shallow = copy.copy(m)
    back = pickle.loads(pickle.dumps(m))
    shared = copy.deepcopy(net(t))
    return [m.eval()(x), deep.eval()(x), back.eval()(x), deep[0].weight is m[0].weight, shallow[0] is m[0],
            shared.first[0] is shared.again]


@scenario
def parameters(t):
    p = t.nn.Parameter(t.tensor([1.0, 2.0]))
    p.note = "mine"
    x = t.ones(2, requires_grad=True) * 2
    back = pickle.loads(pickle.dumps(p))
    return [repr(p), repr(t.nn.Parameter()), repr(t.nn.Parameter(t.ones(2, dtype=t.int64), requires_grad=False)),
            tried(t.nn.Parameter, t.ones(2, dtype=t.int64)), tried(t.nn.Parameter, [1.0]), type(p + 1).__name__,
            type(p.data).__name__, type(p.detach()).__name__, type(p.clone()).__name__, type(copy.deepcopy(p)).__name__,
            copy.deepcopy(p) is p, hasattr(copy.deepcopy(p), "note"), [repr(back), back.note, type(back).__name__],
            t.nn.Parameter(x).is_leaf, t.nn.Parameter(p).data_ptr() == p.data_ptr(), isinstance(p, t.Tensor),
            isinstance(t.ones(1), t.nn.Parameter), isinstance(p, t.nn.Parameter), isinstance(p, t.nn.Buffer)]


@scenario
def parameters_of_a_subclass(t):
    class Special(t.Tensor):
        pass
    p = t.nn.Parameter(t.ones(2).as_subclass(Special))
    m = t.nn.Module()
    m.p = p
    return [type(p).__name__, isinstance(p, t.nn.Parameter), p.requires_grad, list(m._parameters)]


@scenario
def buffers(t):
    b = t.nn.Buffer(t.ones(2), persistent=False)
    m = t.nn.Module()
    m.b = b
    m.c = t.nn.Buffer(t.zeros(1))
    return [type(b).__name__, repr(b), isinstance(b, t.nn.Buffer), isinstance(t.ones(1), t.nn.Buffer), b.persistent,
            names(m.named_buffers()), list(m.state_dict()), m.b is b, type(b + 1).__name__, t.nn.Buffer()]
