"""From a complete declaration to what the call path reads: positions instead of names, a node class, a way to package."""
from leafward.core.bind import NUMPY_NAMES, user_names
from leafward.core.recording import node_class
from leafward.core.option_kinds import kind_of
from leafward.core.runtime import runtime


def finalize_op(op):
    """Fill in the derived fields of ``op``."""
    op.complete()
    op.shown_names = user_names(op.names)
    op.position_of = {name: position for position, name in enumerate(op.shown_names)}
    for given, ours in NUMPY_NAMES.items():
        if ours in op.position_of:
            op.position_of.setdefault(given, op.position_of[ours])
    for given, ours in op.argument_aliases.items():
        op.position_of[given] = op.names.index(ours)
    op.plain_signature = op.positional == op.arity and not op.takes_saving
    op.varargs_at = op.names.index(op.varargs) if op.varargs else -1
    op.differentiable = tuple([n in op.rules for n in op.inputs])
    op.records = not op.gives_bools and any(op.differentiable)
    op.default_options = [op.defaults[i] for i in op.option_at]
    op.option_kinds = tuple([(i, kind) for i in op.option_at if (kind := option_kind(op, i)) is not None])
    op.alias_at = op.inputs.index(op.alias) if op.alias is not None else -1
    op.widens = op.elementwise and op.dtype is not None
    op.kernel = runtime.derived.get((op.name, "")) or runtime.kernels.get(op.kernel_name)
    derived = getattr(op.kernel, "__self__", None)              # a derived kernel, whose function this is
    if hasattr(derived, "halves"):
        derived.halves = op.widens
    op.has_general_kernel = op.kernel is not None and op.alias_at < 0
    code = getattr(op.kernel, "__code__", None)                 # a derived kernel, which takes it, has none
    op.kernel_takes_out = op.has_general_kernel and (op.elementwise if code is None else "out" in code.co_varnames)
    op.narrows = op.has_general_kernel and not op.residuals and ".rows_" in (op.kernel.__module__ or "")
    if runtime.new_tapes is not None and not op.random and op.alias_at < 0:
        op.tapes = runtime.new_tapes(forward_of(op), (op.names.index(op.writes),) if op.writes else ())
        if op.takes_out:
            op.out_tapes = runtime.new_tapes(forward_into(op), (op.arity,))
        if op.writes is None:
            op.calls = runtime.new_calls()
        if op.writes is not None or op.inplace:
            op.write_calls = runtime.new_calls()
    if runtime.new_calls is not None and op.random and op.alias_at < 0:             # not a tape, but how its forward is called
        if op.writes is None:
            op.calls = runtime.new_calls()
        else:
            op.write_calls = runtime.new_calls()
    op.node_choice = None
    op.node_class = op.number_class = None                      # made when the first call is recorded
    if callable(op.node):
        op.node_choice = chooser(op)
    op.package = packager(op)


def forward_of(op):
    """The forward as ``call(xp, values)``, behind which stands whether it is to keep a workspace, if it asks."""
    def call(xp, values):
        named = given_by_name(op, values)
        if op.takes_saving:
            named["saving"] = values[op.arity]
        return op.forward(xp, *values[:op.positional], **named)
    return call


def forward_into(op):
    """The forward as ``call(xp, values)`` that writes into the last of these."""
    def call(xp, values):
        return op.forward(xp, *values[:op.positional], **given_by_name(op, values), out=values[op.arity])
    return call


def given_by_name(op, values):
    """The options among ``values`` that are given by name, and differ from what is declared."""
    return {op.names[position]: values[position] for position in range(op.positional, op.arity)
            if values[position] is not op.defaults[position]}


def option_kind(op, position):
    """What an option of an op has to be."""
    name = op.names[position]
    return kind_of(name, op.defaults[position], op.forward.__annotations__)


def chooser(op):
    """For an op whose node is called after its arguments: inputs, options -> node class."""
    def choose(inputs, options):
        given = dict(zip(op.inputs, inputs, strict=True))
        given.update(zip(op.options, options, strict=True))
        return node_class(op.node(given))
    return choose


def packager(op):
    """How a list of outputs is handed to the user: alone, or as a tuple; ``derive/functions.py`` gives that names."""
    return tuple if op.outputs == ("*",) or len(op.outputs) > 1 else first


def first(outputs):
    return outputs[0]


