"""Public creation functions, their ``*_like`` forms and ``Tensor.new_*``, from :mod:`leafward.ops.creation`."""
from leafward import dtypes
from leafward.core import modes
from leafward.core.bind import dispatch, function_overrides, input_by_name
from leafward.core.views import refuse_overlap
from leafward.core.history import wants_grad
from leafward.core.from_array import new_tensor
from leafward.core.inplace import end_history, refuse_leaves, resize, write_out
from leafward.core.known_calls import row_of
from leafward.core.mode_bits import ANSWERED, FUNCTIONS, LEVELS
from leafward.core.op import REQUIRED
from leafward.core.transform_levels import creating_level
from leafward.core.runtime import runtime
from leafward.core.storage import record_write
from leafward.core.tensor import TensorBase, is_plain
from leafward.core.tracebacks import left
from leafward.devices import check_device, refuse_pinned, type_name
from leafward.errors import WouldWarn, allocation_error, trial, warn
from leafward.ops.creation import creations
from leafward.derive.functions import fns, public
from leafward.derive.help import explain, help_text, new_text


def check_dtype(name, dtype):
    """The leafward dtype that the user meant, or None."""
    if dtype is None:
        return None
    dtype = dtypes.as_dtype(dtype)
    if isinstance(dtype, dtypes.dtype):
        dtypes.check_dtype(dtype)
        return dtype
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}")


def as_packed(tensor, dtype, requires_grad):
    """A fresh ``tensor`` as one of a dtype that is only cast to."""
    tensor = tensor.to(dtype)
    return tensor.requires_grad_() if requires_grad else tensor


def is_sparse(declared, layout):
    """Whether a creation of zeros is asked for a tensor that keeps none of them."""
    return declared.sparse and layout in (dtypes.sparse_coo, dtypes.sparse_csr)


def as_sparse(made, layout, requires_grad):
    return made.zero_().to_sparse(layout=layout).requires_grad_(requires_grad)


def check_options(name, layout, device, pin_memory):
    """Refuse what there is no memory for."""
    if device is not None:
        check_device(device, name)
    if layout is not None and layout is not dtypes.strided:
        if not isinstance(layout, dtypes.layout):
            raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type(layout).__name__}")
        raise NotImplementedError(f"{name}() makes strided tensors here, not {layout}: use torch.sparse_coo_tensor, or "
                                  "to_sparse()")
    refuse_pinned(pin_memory)


def given(**options):
    """The options that are not at their defaults, for an override to hand on."""
    return {name: value for name, value in options.items() if value is not None and value is not False}


def engine_of(name, generator):
    """The engine behind a ``generator=`` argument; the default one's for None."""
    if generator is None:
        return runtime.xp.random.default
    engine = getattr(generator, "engine", None)
    if engine is None:
        raise TypeError(f"{name}(): argument 'generator' must be torch.Generator, not {type_name(generator)}")
    return engine


def finished(array, requires_grad):
    """A tensor around ``array``, recording if asked."""
    dtype = runtime.dtype_of[array.dtype]
    if requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    tensor = new_tensor(array, dtype)
    return tensor.requires_grad_(True) if requires_grad else tensor


def new_templates(declared):
    """What ``declared`` made of such arguments before, or drew; None where nothing is compiled."""
    if declared.random:
        return None if runtime.new_draws is None else runtime.new_draws()
    return None if runtime.new_templates is None else runtime.new_templates(declared.unset)


def made_before(templates, args, kwargs, dtype):
    """``(row, array)``: the arguments as a row, and a copy of what they gave before, or Ellipsis or None as in ``answer``."""
    row = row_of(args, kwargs, False, None)
    if row is None or not (dtype is None or type(dtype) is dtypes.dtype):
        return None, None
    row.parts.append(dtype)
    return row.parts, templates.answer(row.parts)


def learn(templates, row, forward, args, kwargs, dtype):
    """Note what ``forward`` gives for ``row``, if it has nothing to say."""
    before, trial.going_on = trial.going_on, True
    try:
        templates.learn(row, forward(runtime.xp, *args, dtype=dtype, **kwargs))
    except WouldWarn:
        pass
    finally:
        trial.going_on = before


def draw(templates, row, function, x, args, kwargs):
    """The array that ``function`` makes, or fills if it is ``x``; note how it is drawn, so that ``row`` is answered so."""
    engine = runtime.xp.random.default
    with engine.lock:                       # nobody else's draws are noted
        engine.noted = noted = []
        try:
            result = function(runtime.xp, engine, *args, **kwargs)
        finally:
            engine.noted = None
    array = result if x is None else x
    templates.learn(row, array, runtime.drawing_of(engine, noted, array))
    return array


def make_creation(declared):
    """``zeros(2, 3, ...)``."""
    name, forward, is_random = declared.name, declared.function, declared.random
    templates = new_templates(declared)

    def create(*args, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, **kwargs):
        row = found = None
        if templates is not None and out is None and layout is None and device is None and not pin_memory \
                and modes.word() & ANSWERED == 0:
            row, found = made_before(templates, args, kwargs, dtype)
            if found is not None and found is not Ellipsis:
                return finished(found, requires_grad)
        if modes.word() & ANSWERED:
            overrides = function_overrides([])
            if overrides is not None:
                kwargs.update(given(out=out, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory,
                                    requires_grad=requires_grad))
                return dispatch(create, args, kwargs, overrides)
            if (level := creating_level(is_random)) is not None and (is_random or out is None):
                check_options(name, None, device, pin_memory and out is None)
                kwargs.update(dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)
                return level.create(create, args, kwargs)
        if dtype is not None:
            dtype = check_dtype(name, dtype)
            if dtype in dtypes.PACKED:
                return as_packed(create(*args, dtype=dtypes.widened(dtype), device=device, **kwargs), dtype, requires_grad)
        if layout is not None or device is not None or pin_memory:
            if out is None and is_sparse(declared, layout):
                made = create(*args, dtype=dtype, device=device, pin_memory=pin_memory, **kwargs)
                return as_sparse(made, layout, requires_grad)
            check_options(name, layout, device, pin_memory and out is None)     # `out` has its memory
        if out is not None:
            dtype = dtype_of_out(declared, out, dtype)
        leading = (engine_of(name, kwargs.pop("generator", None)), *args) if is_random else args
        try:
            if is_random and found is Ellipsis:
                array = draw(templates, row, forward, None, args, {"dtype": dtype, **kwargs})
            else:
                array = forward(runtime.xp, *leading, dtype=dtype, **kwargs)
        except (ValueError, MemoryError) as error:
            raise left(allocation_error(error) or error) from None
        except Exception as error:
            raise left(error)      # noqa: B904  (it is no new one)
        if out is not None:
            return with_flag(filled(out, array, declared), name, requires_grad)
        if found is Ellipsis and not is_random:
            learn(templates, row, forward, args, kwargs, dtype)
        if requires_grad:
            return finished(array, True)
        return new_tensor(array, runtime.dtype_of[array.dtype])
    return create


def filled(out, array, declared):
    """``out``, resized without a word where it must be, with the values of ``array``. A range keeps a shape that holds it."""
    shape = out._array.shape
    if declared.range and out._array.size == array.size:
        array = array.reshape(shape)
    elif declared.name == "arange" and shape != (0,):
        warn(f"The number of elements in the out tensor of shape {list(shape)} is {out._array.size} which does not match the "
             f"computed number of elements {array.size}. Note that this may occur as a result of rounding error. The out "
             f"tensor will be resized to a tensor of shape ({array.size},).")
    if declared.name == "empty":
        if array.shape != shape:
            resize(out, array.shape)
            record_write(out, "empty (out=)")
        return out
    if array.shape == shape and not declared.fills:
        refuse_overlap(out._array)
    write_out(out, new_tensor(array, out._dtype), declared.name, silently=True)
    return out


def with_flag(out, name, requires_grad):
    """``out``, which was written: its history ends there, and a leaf is then what ``requires_grad`` says."""
    if out._node is not None or (out._base is not None and wants_grad(out)):
        if modes.grad_enabled():
            end_history(name, [], [out])
    elif requires_grad or out._requires_grad:
        out.requires_grad_(requires_grad)
    return out


def dtype_of_out(declared, out, dtype):
    """The dtype of ``out=``, after the refusals."""
    name = declared.name
    if not isinstance(out, TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if dtype is not None and dtype is not out._dtype:
        raise RuntimeError(f"dtype {dtypes.scalar_name(dtype)} does not match dtype of out parameter "
                           f"({dtypes.scalar_name(out._dtype)})")
    if declared.resizes and wants_grad(out):
        raise RuntimeError("cannot resize variables that require grad")
    if modes.grad_enabled():
        refuse_leaves(name, [out])
    return out._dtype


def make_like(declared):
    """``zeros_like(input, ...)``."""
    name, fill, is_random = declared.name, declared.function, declared.random
    templates = new_templates(declared)

    def create_like(input=REQUIRED, *args, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
                    memory_format=dtypes.preserve_format, **kwargs):
        row = found = None
        if templates is not None and layout is None and device is None and not pin_memory \
                and memory_format is dtypes.preserve_format and modes.word() & ANSWERED == 0 and is_plain(input):
            row, found = made_before(templates, (input, *args), kwargs, dtype)
            if found is not None and found is not Ellipsis:
                return finished(found, requires_grad)
        if input is REQUIRED:
            input = input_by_name(name, kwargs)
        overrides = None if is_plain(input) and modes.word() & FUNCTIONS == 0 else function_overrides([input])
        if overrides is None and not isinstance(input, TensorBase):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        if overrides is not None:
            kwargs.update(given(dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad,
                                memory_format=None if memory_format is dtypes.preserve_format else memory_format))
            return dispatch(create_like, (input, *args), kwargs, overrides)
        if modes.word() & LEVELS:
            level = creating_level(is_random)
            if level is None and not is_random:
                level = input._batch
            if level is not None:
                check_options(name, layout, device, pin_memory)
                return level.create_like(create_like, input, args, {"dtype": dtype, **kwargs})
        if dtype is not None:
            dtype = check_dtype(name, dtype)
            if dtype in dtypes.PACKED:
                made = create_like(input, *args, dtype=dtypes.widened(dtype), device=device, memory_format=memory_format,
                                   **kwargs)
                return as_packed(made, dtype, requires_grad)
        if layout is not None or device is not None or pin_memory:
            if is_sparse(declared, layout):
                made = create_like(input, *args, dtype=dtype, device=device, pin_memory=pin_memory, **kwargs)
                return as_sparse(made, layout, requires_grad)
            check_options(name, layout, device, pin_memory)
        memory_format = dtypes.preserve_format if memory_format is None else memory_format
        array = runtime.xp.creation.empty_in_layout(input._array, dtype, memory_format.name)
        if is_random and found is Ellipsis:
            draw(templates, row, fill, array, (array, *args), {k: v for k, v in kwargs.items() if k != "generator"})
        elif is_random:
            fill(runtime.xp, engine_of(name, kwargs.pop("generator", None)), array, *args, **kwargs)
        else:
            fill(runtime.xp, array, *args, **kwargs)
        if found is Ellipsis and not is_random:
            templates.learn(row, array)
        return finished(array, requires_grad)
    return create_like


def make_new(declared):
    """``x.new_zeros(2, 3, ...)``: of the dtype of ``x``."""
    name, forward = "new_" + declared.name, declared.function
    templates = new_templates(declared)

    def new(self, *args, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, **kwargs):
        row = found = None
        if templates is not None and layout is None and device is None and not pin_memory \
                and modes.word() & ANSWERED == 0 and is_plain(self):
            row, found = made_before(templates, args, kwargs, self._dtype if dtype is None else dtype)
            if found is not None and found is not Ellipsis:
                return finished(found, requires_grad)
        overrides = function_overrides([self])
        if overrides is not None:
            kwargs.update(given(dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad))
            return dispatch(new, (self, *args), kwargs, overrides)
        level = creating_level(False) if modes.word() & LEVELS else None
        if level is None:
            level = self._batch
        if level is not None:
            check_options(name, layout, device, pin_memory)
            return level.create_new(new, self, args, {"dtype": dtype, **kwargs})
        dtype = self._dtype if dtype is None else check_dtype(name, dtype)
        if dtype in dtypes.PACKED:
            return as_packed(new(self, *args, dtype=dtypes.widened(dtype), device=device, **kwargs), dtype, requires_grad)
        if is_sparse(declared, layout):
            made = new(self, *args, dtype=dtype, device=device, pin_memory=pin_memory, **kwargs)
            return as_sparse(made, layout, requires_grad)
        check_options(name, layout, device, pin_memory)
        try:
            array = forward(runtime.xp, *args, dtype=dtype, **kwargs)
        except (ValueError, MemoryError) as error:
            raise left(allocation_error(error) or error) from None
        except Exception as error:
            raise left(error)      # noqa: B904  (it is no new one)
        if found is Ellipsis:
            learn(templates, row, forward, args, kwargs, dtype)
        return finished(array, requires_grad)
    return new


def register(namespace, name, function, head, body):
    function.__name__ = function.__qualname__ = name
    function.__module__ = "leafward"
    explain(function, head, body)
    public.setdefault(namespace, {})[name] = function


#: The functions that take a tensor for its dtype: ``zeros_like``, ``new_zeros``.
of_tensors = set()


def derive_creations():
    """Derive every declared creation: in the public namespace, as methods, and for composites and recorded rules."""
    for declared in creations:
        function = make_like(declared) if declared.like else make_creation(declared)
        register("torch", declared.name, function, *help_text(declared))
        setattr(fns, declared.name, function)
        if declared.like:
            of_tensors.add(function)
        if declared.new:
            new = make_new(declared)
            of_tensors.add(new)
            register("Tensor", "new_" + declared.name, new, *new_text(declared))
