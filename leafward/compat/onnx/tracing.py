"""Running a model on two examples at once, and writing down what it does.

The model runs on tensors that the :class:`Tracing` level sees. Each of them has a second one beside it, from a second
example with other values and other sizes, on which every op is run too: a size that is the same for both is a constant, any
other is computed in the graph. At the end the model itself runs on the second example: where the two differ, the model
decided something by the example, and there is no one graph for it.
"""
import sys

from leafward.core import modes
from leafward.core.call import apply, apply_inplace
from leafward.core.from_array import new_tensor
from leafward.core.op import Composite, registry
from leafward.core.provenance import is_hidden
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.core.transform_levels import Level
from leafward.core.views import arguments, steps
from leafward.derive.functions import fns
from leafward.errors import OnnxExporterError
from leafward.ops import dims
from leafward.ops.creation import creations
from leafward.tensor.size import Size
from leafward.tensor.tensor import Tensor
from leafward.compat.onnx.sizes import is_traced, second_of
from leafward.compat.onnx.space import Space
from leafward.compat.onnx.symbols import Symbol, Untranslatable
from leafward.compat.onnx.translation import bound_symbols, checked, translated


#: What is said where a value became a number of Python's.
READ = "a value was read into Python"


class TracedTensor(Tensor):
    """A tensor of a model that is being traced.

    ``_symbol`` is what it is in the graph, ``_second`` the tensor that the second example has in its place, ``_known`` the
    version that ``_symbol`` stands for, and ``_varies`` says that it depends on the inputs.
    """

    __torch_function__ = runtime.disabled

    @property
    def shape(self):
        """Its sizes; those that the second example has otherwise are computed by the graph."""
        first, second = self._array.shape, self._second._array.shape
        if first == second:
            return runtime.size_of[first]
        symbol = self._trace.symbol_of(self)
        return tuple.__new__(Size, symbol.shape)

    def size(self, dim=None):
        """The shape, or the size of one dimension."""
        return self.shape if dim is None else self.shape[dims.normalize(dim, self._array.ndim)]

    def numel(self):
        """The number of elements."""
        return dims.count(self.shape)

    nelement = numel

    def detach(self):
        """A view of it."""
        return fns.alias(self)

    @property
    def data(self):
        return fns.alias(self)

    def item(self):
        """Its number: that of the example."""
        self._leave()
        return Tensor.item(self)

    def tolist(self):
        """Its numbers: those of the example."""
        self._leave()
        return Tensor.tolist(self)

    def numpy(self, *, force=False):
        """Its array: that of the example."""
        self._leave()
        return Tensor.numpy(self, force=force)

    def __bool__(self):
        self._leave()
        return Tensor.__bool__(self)

    def __index__(self):
        self._leave()
        return Tensor.__index__(self)

    def __float__(self):
        self._leave()
        return Tensor.__float__(self)

    def __int__(self):
        self._leave()
        return Tensor.__int__(self)

    def __len__(self):
        if len(self._array) != len(self._second._array):
            self._trace.graph.note_decision("len() of a tensor was read")
        return len(self._array)

    def __iter__(self):
        return iter(self.unbind(0)) if self._array.ndim else Tensor.__iter__(self)

    def __deepcopy__(self, memo):
        return self.clone()

    def _shown_as(self, view):
        self._second, self._symbol, self._varies = view._second, view._symbol, view._varies
        self._known = self._counter.version

    def _leave(self):
        if self._varies:
            graph = self._trace.graph
            graph.note_decision(READ)
            if not is_hidden(sys._getframe(2).f_code):      # what leafward's own checks read decides nothing else
                graph.reads.append(graph.decisions[-1][1])


class Tracing(Level):
    """Sees every op in the block, and adds it to a graph."""

    watches = creates = True

    def __init__(self, graph):
        super().__init__()
        self.graph, self.space = graph, Space(graph)

    # -- tensors ----------------------------------------------------------------------------------------------------------

    def traced(self, tensor, second, symbol, varies):
        """``tensor`` as one that is traced."""
        tensor.__class__ = TracedTensor
        tensor._trace, tensor._second, tensor._symbol, tensor._varies = self, second, symbol, varies
        tensor._known = tensor._counter.version
        return tensor

    def input(self, name, array, second_array):
        """A tensor that stands for an input of the graph."""
        second = new_tensor(second_array, runtime.dtype_of[second_array.dtype])
        return self.traced(new_tensor(array, second._dtype), second, Symbol(self.space, name, array, second_array), True)

    def is_ours(self, value):
        """Whether the graph computes ``value``, or a tensor or a size in it."""
        if isinstance(value, (list, tuple)):
            return any([self.is_ours(part) for part in value])
        return isinstance(value, TracedTensor) or is_traced(value)

    def varies(self, value):
        if isinstance(value, (list, tuple)):
            return any([self.varies(part) for part in value])
        return value._varies if isinstance(value, TracedTensor) else is_traced(value)

    def second(self, value):
        """What the second example has in place of a tensor or a size, or of those in lists."""
        if isinstance(value, TracedTensor):
            return value._second
        return [self.second(part) for part in value] if type(value) is list else \
            tuple([self.second(part) for part in value]) if type(value) is tuple else second_of(value)

    def symbol_of(self, tensor):
        """What ``tensor`` is in the graph, now."""
        if not isinstance(tensor, TracedTensor):
            return Symbol(self.space, self.graph.weight(tensor), tensor._array, tensor._array)
        if tensor._known != tensor._counter.version and tensor._base is not None:
            tensor._symbol = self.shown(tensor, self.symbol_of(tensor._base))
            tensor._known = tensor._counter.version
        if tensor._symbol.name is None:
            raise Untranslatable("it uses what ONNX's operator does not give")
        return Symbol(self.space, tensor._symbol.name, tensor._array, tensor._second._array)

    def shown(self, view, symbol):
        """The part of its base's ``symbol`` that ``view`` shows."""
        for op, options, number in steps(view._chain):
            known = dict(zip(op.names, arguments(op, symbol, options), strict=True))
            found = translated(self.space, op, known)
            symbol = found if number < 0 else found[number]
        return symbol

    # -- ops --------------------------------------------------------------------------------------------------------------

    def apply(self, op, values, inputs):
        """``op`` on bound arguments: run on both examples, and added to the graph."""
        if op.random:
            raise NotImplementedError(f"torch.onnx.export: {called_name(op)} draws random numbers, which an exported model "
                                      "does not: call model.eval(), or draw them outside and pass them as an input")
        with self.around():
            if not self.is_ours(values):
                return apply(op, values)
            if any(isinstance(x, TensorBase) and x._dtype.is_complex for x in inputs):
                raise self.refusal(op, "ONNX does not compute with complex numbers")
            if op.writes is not None:
                return self.write(op, values, inputs, lambda: apply(op, values), lambda: apply(op, self.second(values)))
            try:
                known, half = bound_symbols(self.space, op, values, inputs, self.symbol_of)
                symbols = translated(self.space, op, known)
            except Untranslatable as reason:
                symbols = reason
            result = apply(op, values) if not isinstance(symbols, Untranslatable) or op.parts is None else None
            second = self.run_second(op, values) if result is not None else None
        if isinstance(symbols, Untranslatable):
            if op.parts is not None:
                return op.parts(fns, *values)
            raise self.refusal(op, symbols) from symbols
        several = isinstance(result, (tuple, list))
        outputs = list(zip(result, second, strict=True)) if several else [(result, second)]
        varies = self.varies(values)
        found = checked(self.space, op, symbols if several else [symbols], outputs, half)
        for (tensor, other), symbol in zip(outputs, found, strict=True):
            self.traced(tensor, other, symbol, varies)
        return result

    def run_second(self, op, values):
        """``op`` on what the second example has."""
        try:
            return apply(op, self.second(values))
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            raise OnnxExporterError(
                f"{called_name(op)} runs on the example and not with other sizes ({error}): the model goes by the example's "
                "sizes, as a loop over a dynamic dim does, and a program of ONNX would") from error

    def refusal(self, op, reason):
        """What is raised for an op that ONNX has no words for."""
        return NotImplementedError(f"torch.onnx.export: {called_name(op)} has no form in ONNX here: {reason}. Compute it "
                                   f"outside of the model, or declare one: @{op.name}.onnx (docs/design/0001-notation.md)")

    def apply_inplace(self, op, values, inputs, name):
        """``x.op_(...)``: in the graph, another value."""
        with self.around():
            if not self.is_ours(values):
                return apply_inplace(op, values, name)
            if op.random:
                raise NotImplementedError(f"torch.onnx.export: {name} draws random numbers: call model.eval()")
            return self.write(op, values, inputs, lambda: apply_inplace(op, values, name),
                              lambda: apply_inplace(op, self.second(values), name))

    def write(self, op, values, inputs, first, second):
        """A write into the first input: ``first`` and ``second`` do it to the two examples."""
        target = self.target(op, inputs[0])
        try:
            known, half = bound_symbols(self.space, op, values, inputs, self.symbol_of)
            given = known[op.inputs[0]]
            given.is_own = op.writes is not None
            symbol = translated(self.space, op, known)
            symbol = given if op.writes is not None else symbol
        except Untranslatable as reason:
            raise self.refusal(op, reason) from reason
        varies = self.varies(values)
        first()
        second()
        symbol = self.space.astype(symbol, target._array.dtype) if symbol.array is not None else symbol
        self.written(target, symbol, varies)
        return target

    def target(self, op, target):
        """The tensor that is written to, traced."""
        if not isinstance(target, TracedTensor):
            if id(target) in self.graph.weight_names or target._base is not None:
                raise NotImplementedError(f"torch.onnx.export: {called_name(op)} writes to a parameter or a buffer of the "
                                          "model, which an exported model cannot keep: return what is to be kept")
            second = target.clone()
            self.traced(target, second, self.symbol_of(target), False)
        if target._base is not None and not isinstance(target._base, TracedTensor):
            raise NotImplementedError(f"torch.onnx.export: {called_name(op)} writes to a part of a parameter or a buffer of "
                                      "the model, which an exported model cannot keep: return what is to be kept")
        return target

    def written(self, target, symbol, varies):
        """Note that ``target`` is ``symbol`` now; through a view, the part of its base that it shows."""
        base = target if target._base is None else target._base
        if base is not target:
            symbol = self.with_view(base, target, symbol)
        base._symbol = Symbol(self.space, symbol.name, base._array, base._second._array)
        base._known, base._varies, target._varies = base._counter.version, base._varies or varies, target._varies or varies

    def with_view(self, base, view, symbol):
        """The symbol of ``base`` with ``symbol`` in the places that ``view`` shows."""
        space, whole = self.space, Symbol(self.space, base._symbol.name, base._array, base._second._array)
        shown = Symbol(space, symbol.name, view._array, view._second._array)
        return space.in_view(whole, lambda places: self.shown(view, places), shown)

    def refuse_out(self, op):
        """``out=`` is refused."""
        raise NotImplementedError(f"torch.onnx.export: {called_name(op)} with out=: use what the function returns")

    def apply_function(self, cls, args):
        """A custom function: what its forward does."""
        return cls.run(args, {})[0]

    # -- what is made of nothing ------------------------------------------------------------------------------------------

    def create(self, create, args, options):
        """``zeros(n, t)`` and its kin: of traced sizes in the graph, else a constant."""
        declared = BY_NAME[create.__name__.removeprefix("new_")]
        if declared.random:
            raise NotImplementedError(f"torch.onnx.export: {create.__name__} draws random numbers, which an exported model "
                                      "does not: pass them as an input")
        given = [*args, *options.values()]
        with self.around():
            first = create(*args, **options)
            if not self.is_ours(given):
                return self.traced(first, first.clone(), Symbol(self.space, self.graph.constant(first._array)), False)
            second = create(*self.second(tuple(args)), **{name: self.second(value) for name, value in options.items()})
        return self.made(declared, args, options, first, second)

    def made(self, declared, args, options, first, second):
        """What a creation of traced sizes made, with its value in the graph."""
        kept = {name: value for name, value in options.items() if name not in ABOUT_THE_TENSOR}
        kept["dtype"] = first._dtype
        args = [self.symbol_of(a) if isinstance(a, TensorBase) else a for a in args]
        try:
            symbol = declared.function(self.space, *args, **kept)
        except Untranslatable as reason:
            raise NotImplementedError(f"torch.onnx.export: {declared.name} of a dynamic size: {reason}") from reason
        symbol, = checked(self.space, None, [symbol], [(first, second)], None)
        return self.traced(first, second, symbol, self.varies([*args, *options.values()]) or is_traced(tuple(args)))

    def create_new(self, create, like, args, options):
        """``x.new_zeros(n, t)``."""
        with self.around():
            first = create(like, *args, **options)
            second = create(self.second(like), *self.second(tuple(args)), **options)
        return self.made(BY_NAME[create.__name__.removeprefix("new_")], args, options, first, second)

    def create_like(self, create, like, args, options):
        """``zeros_like(x)``: one number everywhere."""
        declared = BY_NAME[create.__name__]
        if declared.random:
            return self.create(create, args, options)
        with self.around():
            first = create(like, *args, **options)
            if not isinstance(like, TracedTensor):
                return first
            second = create(like._second, *args, **options)
        number = first._array.reshape(-1)[0].item() if first._array.size else 0
        if first._array.size and not (first._array == number).all() and number == number:       # memory that nobody filled
            first.zero_(), second.zero_()
            number = 0
        symbol = self.space.full(self.symbol_of(like).shape, number, first._dtype)
        return self.traced(first, second, Symbol(self.space, symbol.name), self.varies(like))


def called_name(op):
    """What the user's line calls: the outermost function made of ops that ``op`` is run for, else the op itself."""
    named = {declared.function.__code__: declared for declared in registry.values() if isinstance(declared, Composite)}
    found, frame = op, sys._getframe(1)
    while frame is not None and is_hidden(frame.f_code):
        found, frame = named.get(frame.f_code, found), frame.f_back
    path = found.paths[0]
    for prefix in ("nn.functional.", "Tensor.", "torch."):
        path = path.removeprefix(prefix)
    return path.lstrip("_")


#: Options of creations that say nothing of values.
ABOUT_THE_TENSOR = ("device", "requires_grad", "layout", "pin_memory", "memory_format")
BY_NAME = {declared.name: declared for declared in creations}


def is_in_onnx_export():
    """Whether a model is being exported: for what it should then do otherwise."""
    return any([isinstance(level, Tracing) for level in modes.current().levels or ()])
