"""Scenarios about saving and loading: what is missing, unexpected, of another shape, dtype or version. See ``scenarios.py``."""
from collections import OrderedDict
import copy

from tests.both import Scenarios, tried

scenario = scenarios = Scenarios()


def net(t):
    t.manual_seed(0)
    return t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3), t.nn.Sequential(t.nn.Linear(3, 1, bias=False)))


def with_changes(t, **changes):
    """The state of :func:`net` with other values; None takes a key out. ``__`` stands for a dot."""
    state = net(t).state_dict()
    for key, value in changes.items():
        key = key.strip("_").replace("__", ".")
        state.pop(key, None)
        if value is not None:
            state[key] = value
    return state


def loaded(module, state, **options):
    """What a load answers, or refuses, and the state afterwards."""
    answer = tried(module.load_state_dict, state, **options)
    return [repr(answer), module.state_dict()]


@scenario
def states_that_do_not_fit(t):
    wide = t.ones(3, 3)
    return [loaded(net(t), state, strict=strict) for strict in (True, False) for state in (
        {}, with_changes(t, zz=t.ones(1)), with_changes(t, _0__zz=t.ones(1), _9__a=t.ones(1), _2__0__bias=t.ones(1)),
        with_changes(t, _0__weight=wide), with_changes(t, _0__weight=wide, _0__bias=None, zz=wide),
        with_changes(t, _1__num_batches_tracked=t.tensor([3])), with_changes(t, _1__num_batches_tracked=3),
        with_changes(t, _0__weight=[1]), {f"module.{k}": v for k, v in net(t).state_dict().items()})]


@scenario
def a_list_for_a_state(t):
    return tried(net(t).load_state_dict, [1])


@scenario
def other_dtypes(t):
    return [loaded(net(t), {k: change(v) for k, v in net(t).state_dict().items()}, assign=assign)
            for assign in (False, True) for change in (
                lambda v: v.double(), lambda v: (v * 0 + 1).long(), lambda v: v.T.contiguous().T if v.dim() == 2 else v)]


@scenario
def assigned_parameters(t):
    module = net(t)
    module.load_state_dict({k: t.nn.Parameter(v.float(), requires_grad=False) for k, v in net(t).state_dict().items()},
                           assign=True)
    return [[p.requires_grad for p in module.parameters()], [type(b).__name__ for b in module.buffers()],
            loaded(net(t), with_changes(t, _0__weight=t.ones(3, 3)), assign=True)]


@scenario
def batch_norm_of_the_first_version(t):
    old = with_changes(t, _1__num_batches_tracked=None)
    of_version_one = copy.copy(old)
    of_version_one._metadata = copy.deepcopy(old._metadata)
    of_version_one._metadata["1"]["version"] = 1
    return [loaded(net(t), state) for state in (old, dict(old), of_version_one)]


@scenario
def shared_and_temporary(t):
    class Tied(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = t.nn.Linear(2, 2), t.nn.Linear(2, 2)
            self.b.weight = self.a.weight
            self.register_buffer("c", t.ones(2), persistent=False)
            self.register_buffer("n", None)
            self.register_parameter("p", None)
            self.d = t.nn.ParameterDict({"x": t.nn.Parameter(t.ones(1))})
            self.l = t.nn.ParameterList([t.nn.Parameter(t.zeros(1)), t.nn.Parameter(t.ones(2))])
    t.manual_seed(0)
    module = Tied()
    return [list(module.state_dict()), len(list(module.parameters())), loaded(Tied(), module.state_dict()),
            loaded(module, {"a.weight": t.ones(3, 3)})]


@scenario
def where_a_state_is_written(t):
    given, plain = OrderedDict(), {}
    module = net(t)
    answers = [module.state_dict(destination=given) is given, list(given), module.state_dict(destination=plain) is plain,
               list(plain), list(module.state_dict(prefix="p.")), list(module.state_dict(OrderedDict(), "q."))]
    return [*answers, [type(v).__name__ for v in module.state_dict(keep_vars=True).values()],
            hasattr(copy.deepcopy(module.state_dict()), "_metadata")]


@scenario
def loading_leaves_the_leaves(t):
    module = t.nn.Linear(1, 1)
    weight = module.weight
    module.load_state_dict({"weight": t.ones(1, 1, requires_grad=True) * 2, "bias": t.ones(1)})
    module.state_dict()["bias"].zero_()
    return [module.weight is weight, weight.is_leaf, weight.grad_fn, weight, module.bias]


@scenario
def lazy_and_not(t):
    return [loaded(t.nn.LazyLinear(3), t.nn.Linear(2, 3).state_dict())[0],
            loaded(t.nn.Linear(2, 3), t.nn.LazyLinear(3).state_dict())[0]]


@scenario
def hooks_that_change_the_state(t):
    seen = []
    module = t.nn.Linear(1, 1)
    module.register_state_dict_pre_hook(lambda m, prefix, keep: seen.append([prefix, keep]))
    module.register_state_dict_post_hook(lambda m, state, prefix, metadata: state.update(q=1))
    other = t.nn.Linear(1, 1)
    other._register_state_dict_hook(lambda m, state, prefix, metadata: {"only": 1})
    third = t.nn.Linear(1, 1)
    third.register_load_state_dict_pre_hook(lambda m, state, *rest: state.update(x=t.ones(1)))
    third.register_load_state_dict_post_hook(lambda m, keys: keys.unexpected_keys.clear())
    return [list(module.state_dict(prefix="p.")), seen, other.state_dict(),
            loaded(third, {"weight": t.ones(1, 1), "bias": t.ones(1)})]
