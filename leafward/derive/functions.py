"""Public functions from declarations, each under the paths that its declaration names."""
from collections import namedtuple
from functools import partial

from leafward import ops
from leafward.core.callables import make_composite, make_function, make_inplace
from leafward.core.op import Composite, registry
from leafward.core.finalize import finalize_op
from leafward.derive.help import explain, help_text, inplace_text
from leafward.derive.overloads import Aten
from leafward.derive.recorded import recorded

#: namespace ("torch", "Tensor", "nn.functional", "linalg", ...) -> {name: callable}
public = {}


#: Public function -> its declaration.
declarations = {}


class ResultClasses(dict):
    """The classes of results that have names, by the name of what gives them: each is made when first asked for."""

    def __missing__(self, name):
        return self.setdefault(name, return_type(registry[name]))       # of two threads the first one decides


result_classes = ResultClasses()


class Functions:
    """Every derived function flat, by canonical name and by alias: what composites get as ``fns``."""


fns = Functions()
recorded.fns = fns


def return_type(op):
    """The named tuple that PyTorch calls ``torch.return_types.max``."""
    cls = namedtuple(op.name.strip("_"), op.outputs)

    def shown(self):
        fields = ",\n".join(f"{n}={v!r}" for n, v in zip(self._fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"
    cls.__repr__ = shown
    cls.__reduce__ = lambda self: (named_result, (op.name, tuple(self)))
    cls.__module__ = "torch.return_types"
    return cls


def has_named_results(declared):
    """Whether what ``declared`` gives is a named tuple."""
    return len(declared.outputs) > 1


def at_first_result(declared, keep):
    """What makes results of ``declared``: at the first ones it makes their class, and ``keep`` puts that in its place."""
    def make(values):
        made = partial(tuple.__new__, result_classes[declared.name])        # `_make` is Python, and counts them once more
        keep(made)
        return made(values)
    return make


def named_result(name, values):
    """A named tuple from a pickle."""
    return result_classes[name]._make(values)


def spots(path):
    """``(namespace, name)`` of every place that a path stands for: a bare name is a function and a method."""
    namespace, _, name = path.rpartition(".")
    return [(namespace, name)] if namespace else [("torch", name), ("Tensor", name)]


def register(paths, function, method):
    """Put a callable under its paths."""
    for path in paths:
        for namespace, name in spots(path):
            public.setdefault(namespace, {})[name] = method if namespace == "Tensor" else function


def name_it(function, declared, name=None, receiver=0):
    """Give a derived callable the name, signature and documentation of its declaration; ``name``: of its in-place form."""
    shown = next((path for path in declared.paths if "._" not in path), declared.paths[0])
    namespace, _, own = shown.rpartition(".")
    function.__name__ = function.__qualname__ = name or own
    # Pickled functions (a layer's activation=F.gelu) are looked up there.
    function.__module__ = "leafward" if namespace in ("", "torch", "Tensor") else f"leafward.{namespace}"
    explain(function, *(inplace_text(declared, name) if name else help_text(declared)), receiver)
    return function


def method_from(function, position):
    """For ops whose method is called on an input other than the first: ``x.where(condition, y)``."""
    def method(self, *args, **kwargs):
        if len(args) < position:                    # x.where(condition=c, other=y)
            return function(*args, input=self, **kwargs)
        return function(*args[:position], self, *args[position:], **kwargs)
    return method


def inplace_paths(declared):
    """Of ``"mul", "multiply"``: ``Tensor.mul_``, ``Tensor.multiply_``, and functions where ``inplace`` says so."""
    split = [path.rpartition(".") for path in declared.paths]
    found = []
    if "method" in declared.inplace:
        found += [f"Tensor.{name}_" for namespace, _, name in split if namespace in ("", "Tensor")]
    if "function" in declared.inplace:
        found += [f"torch.{name}_" for namespace, _, name in split if namespace == ""]
    if "nn.functional" in declared.inplace:
        found.append(f"nn.functional.{declared.name}_")
    return found


def derive(declared):
    """Everything that one declaration gives."""
    if isinstance(declared, Composite):
        declared.complete()
        function = name_it(make_composite(declared, fns), declared)
        declared.public_function = function
        if has_named_results(declared):
            name = f"{declared.name}_result"
            setattr(fns, name, at_first_result(declared, partial(setattr, fns, name)))
        register(declared.paths, function, function)
        expose(declared, function)
        return
    finalize_op(declared)
    if has_named_results(declared):
        declared.package = at_first_result(declared, partial(setattr, declared, "package"))
    function = name_it(make_function(declared), declared)
    declared.public_function = function
    method = function
    if declared.self_name is not None:
        position = declared.names.index(declared.self_name)
        method = name_it(method_from(function, position), declared, receiver=position)
    register(declared.paths, function, method)
    expose(declared, function)
    if declared.inplace:
        name = declared.name + "_"
        inplace = name_it(make_inplace(declared, name), declared, name)
        declared.public_inplace = inplace
        register(inplace_paths(declared), inplace, inplace)
        setattr(fns, name, inplace)


def expose(declared, function):
    """Make a function visible to composites and to rules that are being recorded."""
    declarations[function] = declared
    setattr(fns, declared.name, function)
    if declared.name not in recorded.others:
        recorded.offer(declared.name, function)
    for name in declared.array_api:
        recorded.offer(name, function)
    for path in declared.paths[1:]:
        if not hasattr(fns, short := path.rpartition(".")[2]):
            setattr(fns, short, function)
            if short not in recorded.others:
                recorded.offer(short, function)


def derive_all():
    """Derive everything that has been declared and not yet derived."""
    recorded.others.update(name for declared in registry.values() for name in declared.array_api)
    for declared in registry.values():
        if declared.public_function is None:
            derive(declared)
    ops.aten = Aten()
