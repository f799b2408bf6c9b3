"""Scenarios about hooks of modules, on the way forward and back: see ``tests/both.py``."""
from tests.both import Scenarios, tried

scenario = scenarios = Scenarios()


@scenario
def forward_hooks(t):
    log = []
    m = t.nn.Identity()
    m.register_forward_pre_hook(lambda module, args: log.append(["pre", args]))
    m.register_forward_pre_hook(lambda module, args: args[0] + 1, prepend=True)
    m.register_forward_pre_hook(lambda module, args, kwargs: ((args[0] * 2,), {**kwargs}), with_kwargs=True)
    m.register_forward_hook(lambda module, args, output: log.append(["post", args, output]))
    handle = m.register_forward_hook(lambda module, args, kwargs, output: output + len(kwargs), with_kwargs=True,
                                     prepend=True)
    log.append(m(t.ones(1)))
    handle.remove()
    handle.remove()
    log.append(m(t.ones(1)))
    with m.register_forward_hook(lambda module, args, output: output * 0):
        log.append(m(t.ones(1)))
    log.append(m(t.ones(1)))
    m.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    return [*log, tried(m, t.ones(1))]


@scenario
def keyword_arguments_reach_hooks(t):
    class Named(t.nn.Module):
        def forward(self, x, *, by=1):
            return x * by
    log = []
    m = Named()
    m.register_forward_pre_hook(lambda module, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True)
    m.register_forward_hook(lambda module, args, kwargs, output: log.append([args, kwargs, output]), with_kwargs=True)
    return [m(t.ones(1), by=2), log]


@scenario
def hooks_that_always_run(t):
    class Failing(t.nn.Module):
        def forward(self, x):
            raise ZeroDivisionError("no")

    def complain(*args):
        raise KeyError("hook")
    log = []
    m = Failing()
    m.register_forward_hook(lambda module, args, output: log.append(["always", args, output]), always_call=True)
    m.register_forward_hook(complain, always_call=True)
    m.register_forward_hook(lambda module, args, output: log.append("never"))
    return [tried(m, t.ones(1)), log]


@scenario
def global_hooks(t):
    from importlib import import_module
    module = import_module(f"{t.__name__}.nn.modules.module")
    log = []
    handles = [
        module.register_module_forward_pre_hook(lambda m, args: log.append(["pre", type(m).__name__])),
        module.register_module_forward_hook(lambda m, args, out: log.append(["post", type(m).__name__])),
        module.register_module_parameter_registration_hook(lambda m, name, p: log.append(["parameter", name])),
        module.register_module_buffer_registration_hook(lambda m, name, b: log.append(["buffer", name])),
        module.register_module_module_registration_hook(lambda m, name, c: log.append(["module", name])),
        module.register_module_full_backward_pre_hook(lambda m, go: log.append(["backward pre", go])),
        module.register_module_full_backward_hook(lambda m, gi, go: log.append(["backward", gi, go])),
    ]
    m = t.nn.Sequential(t.nn.BatchNorm1d(1), t.nn.Identity())
    m[0].eval()
    x = t.ones(1, 1, requires_grad=True)
    m(x).sum().backward()
    for handle in handles:
        handle.remove()
    m(x).sum().backward()
    return [log, tried(module.register_module_backward_hook, lambda *a: None)]


def doubling(t):
    m = t.nn.Linear(2, 1)
    t.nn.init.ones_(m.weight)
    t.nn.init.zeros_(m.bias)
    return m


@scenario
def full_backward_hooks(t):
    log = []
    m = doubling(t)
    m.register_full_backward_hook(lambda module, gi, go: log.append(["hook", gi, go]))
    m.register_full_backward_pre_hook(lambda module, go: log.append(["pre", go]))
    x = t.ones(1, 2, requires_grad=True)
    out = m(x)
    log.append([type(out.grad_fn).__name__, out])
    out.sum().backward()
    with t.no_grad():
        log.append(m(x))
    m(t.ones(1, 2)).sum().backward()          # no input wants a gradient
    return [*log, x.grad, m.weight.grad]


@scenario
def backward_hooks_that_replace(t):
    m = doubling(t)
    m.register_full_backward_pre_hook(lambda module, go: (go[0] * 2,))
    m.register_full_backward_hook(lambda module, gi, go: (gi[0] * 3,))
    x = t.ones(1, 2, requires_grad=True)
    m(x).sum().backward()
    return [x.grad, m.weight.grad]


@scenario
def backward_hooks_that_return_nonsense(t):
    def run(register, hook):
        m = doubling(t)
        getattr(m, register)(hook)
        m(t.ones(1, 2, requires_grad=True)).sum().backward()
    return [tried(run, "register_full_backward_pre_hook", lambda module, go: (go[0], go[0])),
            tried(run, "register_full_backward_hook", lambda module, gi, go: (gi[0], gi[0])),
            tried(run, "register_full_backward_hook", lambda module, gi, go: 3)]


@scenario
def backward_hooks_and_several_values(t):
    class Several(t.nn.Module):
        def forward(self, x, n, y):
            return x * 2, "text", x * y
    log = []
    m = Several()
    m.register_full_backward_hook(lambda module, gi, go: log.append([gi, go]))
    x, y = t.ones(2, requires_grad=True), t.ones(2)
    first, _, last = m(x, 5, y)
    (first.sum() + last.sum()).backward()
    first, _, last = m(x, 5, y)
    last.sum().backward()                      # the first output takes no part
    return [log, x.grad]


@scenario
def backward_hooks_on_other_outputs(t):
    class Listing(t.nn.Module):
        def forward(self, x):
            return [x * 2]
    m = Listing()
    m.register_full_backward_hook(lambda *args: None)
    return m(t.ones(2, requires_grad=True))


@scenario
def older_backward_hooks(t):
    log = []
    m = t.nn.Tanh()
    m.register_backward_hook(lambda module, gi, go: log.append([gi, go]))
    x = t.zeros(2, requires_grad=True)
    m(x).sum().backward()
    return [log, x.grad, tried(m.register_full_backward_hook, lambda *args: None)]


@scenario
def both_kinds_of_backward_hooks(t):
    m = t.nn.Tanh()
    m.register_full_backward_hook(lambda *args: None)
    return tried(m.register_backward_hook, lambda *args: None)
