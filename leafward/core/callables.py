"""What users call: one closure per op and arity, so that the usual call builds no dictionary and binds no names."""
from leafward.errors import OptionError, allocation_error, element_error
from leafward.core import modes
from leafward.core.bind import NUMPY_NAMES, bind, dispatch, function_overrides
from leafward.core.check import check_composite
from leafward.core.call import apply_binary, apply_inplace, apply_unary, apply_view, call, write_binary, write_unary
from leafward.core.inplace import composite_out
from leafward.core.known_calls import Row, known, known_write, write_alone
from leafward.core.known_composites import known_composite, new_composite_calls, recorded_composite
from leafward.core.known_views import known_views, note_views
from leafward.core.from_array import tensor_from_array
from leafward.core.mode_bits import ANSWERED, FUNCTIONS
from leafward.core.op import REQUIRED, Op
from leafward.core.native import fits_int64
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase, fast_dtype, is_plain
from leafward.core.tracebacks import left
from leafward.core.wrong_calls import descriptor_error, not_a_tensor

#: The bit of ``co_flags`` that says that a function has ``*args``.
TAKES_MORE = 0x04


def named(**values):
    """What was given by name among the parameters of a fast function."""
    return {name: value for name, value in values.items() if value is not REQUIRED}


def make_unary(op):
    """``op(input, *, out=None)``; ``x``, ``a`` and ``x1`` are what NumPy calls the input."""
    def unary(input=REQUIRED, *, out=None, x=REQUIRED, a=REQUIRED, x1=REQUIRED):
        word = modes.word()
        if out is None and word & ANSWERED == 0 and fast_dtype(input) is not None:
            return apply_unary(op, input, word)
        if input is REQUIRED:
            return call(op, (), named(x=x, a=a, x1=x1), out)
        result = known(op, (input,), None) if out is None else None
        return call(op, (input,), None, out) if result is None else result
    return unary


def fast_binary(op, x, y, takes_number):
    """``op(x, y)`` for what the fast path takes, where nobody else answers; None for anything else."""
    word = modes.word()
    dtype = fast_dtype(x) if word & ANSWERED == 0 else None
    if dtype is not None:
        kind = type(y)
        if (takes_number and (kind is float or (kind is int and fits_int64(y)))) or fast_dtype(y) is dtype:
            return apply_binary(op, x, y, word)
    return None


def make_binary(op):
    """``op(input, other, *, out=None)``; ``x``, ``a`` and ``x1``, and ``x2``, are what NumPy calls these."""
    takes_number = op.takes_number[1]

    def binary(input=REQUIRED, other=REQUIRED, *, out=None, x=REQUIRED, a=REQUIRED, x1=REQUIRED, x2=REQUIRED):
        if input is REQUIRED or other is REQUIRED:
            return call(op, (), named(input=input, other=other, x=x, a=a, x1=x1, x2=x2), out)
        result = fast_binary(op, input, other, takes_number) if out is None else None
        if result is None and out is None:
            result = known(op, (input, other), None)
        return call(op, (input, other), None, out) if result is None else result
    return binary


def make_binary_with_options(op):
    """``op(input, other, *, option=..., out=None)``: without options as fast as :func:`make_binary`."""
    takes_number = op.takes_number[1]

    def binary(*args, **kwargs):
        if not kwargs and len(args) == 2:
            result = fast_binary(op, args[0], args[1], takes_number)
            if result is not None:
                return result
        out = kwargs.pop("out", None) if kwargs else None
        result = known(op, args, kwargs) if out is None else None
        return call(op, args, kwargs, out) if result is None else result
    return binary


def make_general(op):
    """Any other signature."""
    def general(*args, **kwargs):
        if kwargs and "out" in kwargs and (out := kwargs.pop("out")) is not None:
            return call(op, args, kwargs, out)
        result = known(op, args, kwargs)
        return call(op, args, kwargs) if result is None else result
    return general


def make_writer(op):
    """An op that is a write, as :func:`make_general`."""
    alone = op.arity == 1 and op.kernel is not None

    def writer(*args, **kwargs):
        if alone and not kwargs and len(args) == 1:
            result = write_alone(op, args[0])
            if result is not None:
                return result
        if kwargs and "out" in kwargs and (out := kwargs.pop("out")) is not None:
            return call(op, args, kwargs, out)
        result = known_write(op, args, kwargs, op.name)
        return call(op, args, kwargs) if result is None else result
    return writer


def make_view(op):
    """``op(input, ...)`` that returns views of its first argument and asks for nothing but options."""
    def view(*args, **kwargs):
        if args:
            result = known_views(op, args, kwargs, True)
            if result is not None:
                return result
        if modes.word() & ANSWERED == 0 and args and is_plain(args[0]) and not (kwargs and "out" in kwargs):
            try:
                result = apply_view(op, bind(op, args, kwargs))
                note_views(op, args, kwargs, result, True)
                return result
            except OptionError as error:
                raise error.of_call(op.name, op.shown_names, args, kwargs) from None
            except (ValueError, MemoryError, OverflowError) as error:
                raise left(allocation_error(error) or error) from None
            except Exception as error:
                raise left(error)      # noqa: B904  (it is no new one)
        out = kwargs.pop("out", None) if kwargs else None
        return call(op, args, kwargs, out)
    return view


def is_plain_view(op):
    """Whether :func:`make_view` serves ``op``."""
    return bool(isinstance(op, Op) and op.alias_at == 0 and op.inputs == op.names[:1] and op.plain_signature
                and op.precondition is None and op.dtype is None and not op.residuals and op.writes is None)


def is_fast(op):
    """Whether ``op`` maps a floating dtype to itself and takes its operands by position, as the fast paths want."""
    return bool(isinstance(op, Op) and op.dtype not in (None, "bool") and op.rules and not op.residuals and not op.outputs
                and op.alias is None and op.writes is None and not op.takes_saving and not op.row_major
                and op.inputs == op.names[:len(op.inputs)])


def make_function(op):
    """The public function of ``op``."""
    fast = is_fast(op)
    required = op.positional
    if fast and len(op.inputs) == required == op.arity == 1:
        return make_unary(op)
    if fast and len(op.inputs) == required == op.arity == 2 and op.shown_names[1] == "other":
        return make_binary(op)
    if fast and len(op.inputs) == required == 2:
        return make_binary_with_options(op)
    return make_view(op) if is_plain_view(op) else make_general(op) if op.writes is None else make_writer(op)


def make_inplace(op, name):
    """``x.op_(...)``."""
    operands = len(op.inputs) if is_fast(op) and len(op.inputs) == op.positional else 0

    def inplace(*args, **kwargs):
        if not kwargs and len(args) == operands:
            result = write_unary(op, args[0], name) if operands == 1 else \
                write_binary(op, args[0], args[1], name) if operands == 2 else None
            if result is not None:
                return result
        try:
            result = known_write(op, args, kwargs, name)
            return apply_inplace(op, bind(op, args, kwargs), name) if result is None else result
        except OptionError as error:
            raise error.of_call(name, op.shown_names, args, kwargs) from None
        except Exception as error:
            raise left(error)      # noqa: B904  (it is no new one)
    return inplace


def is_number(value):
    """Whether ``value`` is one of Python's own numbers, or a string, which answer for nothing but themselves."""
    kind = type(value)
    return kind is float or kind is int or kind is bool or kind is str


def is_operand(value):
    """Whether ``value`` can stand beside a tensor in an expression.

    An array can not, and answers for itself: it converts the tensor, and gives back a tensor (``Tensor.__array_wrap__``).
    """
    return isinstance(value, (TensorBase, float, int, complex)) or hasattr(type(value), "__torch_function__") \
        or (hasattr(value, "item") and not is_array(value))


def is_array(value):
    """Whether ``value`` is an array of NumPy's kind, of any number of dims; its scalars are none."""
    return hasattr(value, "__array_interface__") and hasattr(value, "__setitem__")


def make_operator(op, function, name):
    """``self + other``: NotImplemented for what is no operand, so that the other side is asked."""
    fast = is_fast(op)
    compares = name in ("__eq__", "__ne__")

    def operator(self, other):
        if fast:
            result = fast_binary(op, self, other, True)
            if result is not None:
                return result
        if not isinstance(self, TensorBase):                # Tensor.__add__(2, x)
            raise descriptor_error(name, self)
        if is_operand(other):
            return function(self, other)
        # Arrays are compared with tensors here, since NumPy leaves that to what has a priority.
        return function(self, tensor_from_array(other)) if compares and is_array(other) else NotImplemented
    return operator


def make_reflected(function):
    """``other + self`` where ``other`` is no tensor."""
    def reflected(self, other):
        return function(other, self) if is_operand(other) else NotImplemented
    return reflected


def make_own_reflected(function, name):
    """The same where that is an op of its own: NotImplemented for whatever else is given, too, as in PyTorch."""
    def operator(self, other, *more, **options):
        if not isinstance(self, TensorBase):
            raise descriptor_error(name, self)
        return function(self, other) if is_operand(other) and not more and not options else NotImplemented
    return operator


def make_inplace_operator(function):
    """``self += other``: NotImplemented for what is no operand, so that Python tries ``self + other`` and the other side."""
    def operator(self, other):
        return function(self, other) if is_operand(other) else NotImplemented
    return operator


def make_composite(declared, fns):
    """A function of other ops, with the way out to ``__torch_function__`` in front."""
    function = declared.function
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    renamed = [(given, ours) for given, ours in (*NUMPY_NAMES.items(), *declared.argument_aliases.items())
               if ours in names and given not in names]
    spread = code.co_varnames[len(names)] if code.co_flags & TAKES_MORE else None
    positional = names[1:code.co_argcount]
    writes_out = "out" not in names
    views = declared.views
    declared.calls = None if declared.random or runtime.new_calls is None else new_composite_calls()

    def composite(*args, **kwargs):
        if views is not False and args:
            result = known_views(declared, args, kwargs, views)
            if result is not None:
                return result
        met, calls = None, declared.calls
        if calls is not None:
            met = known_composite(calls, args, kwargs)
            if met is not None and type(met) is not Row:
                return met
        for value in args:
            if not (value is None or is_plain(value) or is_number(value)) and (
                    isinstance(value, (list, tuple)) or hasattr(type(value), "__torch_function__")):
                overrides = function_overrides([list(value) if isinstance(value, tuple) else value])
                if overrides is not None:
                    return dispatch(declared.public_function, args, kwargs, overrides)
        if modes.word() & FUNCTIONS:
            overrides = function_overrides([])
            if overrides is not None:
                return dispatch(declared.public_function, args, kwargs, overrides)
        if kwargs:
            for given, ours in renamed:
                if given in kwargs:
                    kwargs[ours] = kwargs.pop(given)
            if spread in kwargs:
                args = (*args, kwargs.pop(spread))
        args = check_composite(declared, args, kwargs)
        if writes_out and kwargs and (out := kwargs.pop("out", None)) is not None:
            return composite_out(declared, fns, args, kwargs, out)
        try:
            again = None
            if calls is not None and met is None:
                again = recorded_composite(calls, args, kwargs)
                if again is not None and type(again) is not Row:
                    return again
            result = function(fns, *args, **kwargs) if kwargs else function(fns, *args)
            if views is not False:
                note_views(declared, args, kwargs, result, views)
            if met is not None:
                runtime.learn_composite(declared, fns, args, kwargs, met)
            elif again is not None:
                runtime.learn_composite(declared, fns, args, kwargs, again, True)
            return result
        except OptionError as error:
            raise error.of_call(declared.name, names[1:], args, kwargs) from None
        except AttributeError as error:
            for position, (name, value) in enumerate(zip(positional, args, strict=False)):
                if value is error.obj and not isinstance(value, TensorBase) and hasattr(runtime.tensor, error.name):
                    raise not_a_tensor(declared.name, name, position, value) from None
            rest = args[len(positional):]
            for number, value in enumerate(rest[0] if len(rest) == 1 and isinstance(rest[0], (list, tuple)) else rest):
                if value is error.obj and not isinstance(value, TensorBase) and hasattr(runtime.tensor, error.name):
                    raise element_error(number, value) from None
            raise left(error)      # noqa: B904  (it is no new one)
        except MemoryError as error:
            raise left(allocation_error(error)) from None
        except Exception as error:
            raise left(error)      # noqa: B904  (it is no new one)
    return make_row_major_itself(composite) if declared.row_major_itself else composite


def lies_in_order(tensor):
    """Whether ``tensor`` is row-major, and no conjugate or negative that is still to be computed."""
    return type(tensor._array) is runtime.ndarray and tensor._array.flags.c_contiguous


def make_row_major_itself(function):
    """``function(input, ...)``, which is not called for a row-major ``input`` that is given alone: that is the result."""
    def itself(*args, **kwargs):
        if not kwargs and len(args) == 1 and modes.word() & ANSWERED == 0 and is_plain(args[0]) and lies_in_order(args[0]):
            return args[0]
        return function(*args, **kwargs)
    return itself
