"""What can go wrong, as a tree; each error carries facts, and its text is built only when it is read.

    GradientError (RuntimeError)
    ├── InplaceGradientError     a value kept for backward was overwritten before it was used
    ├── GraphFreedError          backward needs values that an earlier backward freed
    ├── LeafOverwriteError       a leaf that requires grad is about to be written; nothing was
    ├── NoHistoryError           backward was asked of a tensor without history
    └── ReadOnlyTensorError      a write to what freeze_() made read-only, or came so; nothing was
    GradientWarning (UserWarning)
    ├── SilentGradientWarning    PyTorch would return this gradient without a word
    ├── MissingGradientWarning   the history was cut: no gradient arrives
    └── NonFiniteGradientWarning a NaN or an infinity arose

The first sentence is PyTorch's. The story on the lines after it comes from ``leafward.trust``, which is imported when
the first text is asked for, and registers itself in :data:`stories`. A ``site`` is a place in the user's program, as
``core.native.call_site`` gives it.
"""
import operator
import re
import sys
import threading
import warnings
from importlib import import_module
from math import prod

from leafward.dtypes import cpp_name, scalar_name, type_name

#: How a view came to be, where that forbids writing through it.
DEFAULT, IN_NO_GRAD, MULTI_OUTPUT, IN_INFERENCE, IN_FUNCTION = range(5)

#: class -> function that tells the rest: of an error, from the error; of a silent gradient, from what was found.
stories = {}


def story_for(kind):
    """The function of :data:`stories` for ``kind``. By name, because ``trust`` sees this module and not the reverse."""
    import_module("leafward.trust")
    return stories.get(kind)


class GradientWarning(UserWarning):
    """A gradient is missing, useless or wrong, and PyTorch would not say so. Under ``strict`` it is an error."""


class SilentGradientWarning(GradientWarning):
    """A gradient was computed from overwritten values that PyTorch would not have noticed."""


class MissingGradientWarning(GradientWarning):
    """A gradient that was asked for never arrives: the history was cut on the way."""


#: What PyTorch, too, warns of where the gradient of a tensor that is no leaf is asked for: the beginning.
NO_LEAF_WARNING = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."


class NonFiniteGradientWarning(GradientWarning):
    """A NaN or an infinity arose in backward, or before it in what the loss was computed from."""


class GradientError(RuntimeError):
    """Something that would make a gradient wrong. ``site``: where the user's program asked for it."""

    site = None

    def __str__(self):
        story = story_for(type(self))
        return self.sentence() if story is None else f"{self.sentence()}\n\n{story(self)}"

    def sentence(self):
        """PyTorch's words."""
        raise NotImplementedError(f"{type(self).__name__} does not define sentence(): the first line of its text")


class InplaceGradientError(GradientError):
    """A value kept for the backward pass was overwritten before it was used.

    ``node`` kept ``saved``; ``writes`` are the remembered writes since that touch it, oldest first; ``version`` is
    what the count has come to.
    """

    roots = ()                                              # the nodes that backward began at

    def __init__(self, *, node, saved, writes, site=None):
        super().__init__(node, saved, writes)
        self.node, self.saved, self.writes, self.site = node, saved, writes, site
        self.version = saved.counter.version

    def sentence(self):
        saved = self.saved
        if saved.creation != DEFAULT:                       # PyTorch looks for the view's history first
            return view_sentence(saved.creation, saved.node, saved.output_nr, INDIRECTLY)
        maker, number = self.node if saved.is_output else saved.node, saved.output_nr
        if saved.leaf is not None:                          # what was written may have given it a history
            maker, number = saved.leaf.grad_fn, saved.leaf.output_nr
        made_by = f", which is output {number} of {maker.name()}," if maker is not None else ""
        return (f"one of the variables needed for gradient computation has been modified by an inplace operation: "
                f"[{type_name(saved.dtype)} {list(saved.shape())}]{made_by} is at version "
                f"{self.version}; expected version {saved.version} instead. Hint: enable anomaly detection to "
                f"find the operation that failed to compute its gradient, with "
                f"torch.autograd.set_detect_anomaly(True, check_nan=False).")


class GraphFreedError(GradientError):
    """Backward needs values that an earlier backward freed.

    ``node`` kept them; ``call`` is the backward that asked (``pending.Call``; None when a saved tensor was read
    directly), and ``root`` the node that it began at.
    """

    def __init__(self, *, node):
        super().__init__(node)
        self.node = node
        self.call = self.root = None

    def sentence(self):
        return ("Trying to backward through the graph a second time (or directly access saved tensors after they have "
                "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
                "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
                "if you need to access saved tensors after calling backward.")


class LeafOverwriteError(GradientError):
    """A leaf that requires grad, or a view of one, was about to be written in place. Nothing was written."""

    def __init__(self, *, tensor, op, view, site=None):
        super().__init__(op)
        self.tensor, self.op, self.view, self.site = tensor, op, view, site

    def sentence(self):
        return (f"a {'view of a ' if self.view else ''}leaf Variable that requires grad is being used in an in-place "
                "operation.")


class NoHistoryError(GradientError):
    """Backward was asked of a tensor that nothing recorded."""

    def __init__(self, *, position, tensor, site=None):
        super().__init__(position)
        self.position, self.tensor, self.site = position, tensor, site

    def sentence(self):
        return f"element {self.position} of tensors does not require grad and does not have a grad_fn"


class ReadOnlyTensorError(GradientError):
    """A write to memory that ``freeze_`` made read-only, or that came so. Nothing was written.

    ``frozen``: where that was done; ``came_by``: the function that memory came by which was read-only before, or None.
    """

    def __init__(self, *, frozen, came_by=None, site=None):
        super().__init__(frozen)
        self.frozen, self.came_by, self.site = frozen, came_by, site

    def sentence(self):
        why = "it was frozen" if self.came_by is None else "the memory that it was made of is"
        return f"this tensor is read-only: {why}, and nothing was written"


class SilentGradientError(GradientError):
    """Under ``strict``, what would be a :class:`SilentGradientWarning`."""

    def __init__(self, text):
        super().__init__(text)
        self.text = text

    def sentence(self):
        return self.text


# They are known under the package's name, where users catch them.
for _class in (GradientError, InplaceGradientError, GraphFreedError, LeafOverwriteError, NoHistoryError, ReadOnlyTensorError,
               SilentGradientError, GradientWarning, SilentGradientWarning, MissingGradientWarning, NonFiniteGradientWarning):
    _class.__module__ = "leafward"


def silent_gradient(node, saved, writes):
    """Warn that ``node`` uses bytes that were changed where PyTorch does not look; an error under ``strict``.

    ``writes`` did it, oldest first; none, if they are no longer remembered one by one.
    """
    story_for(SilentGradientWarning)(node, saved, writes)


def shared_gradient(storage, by):
    """Warn that ``by``, a hook say, wrote to its gradient, which was another tensor's as well; an error under ``strict``."""
    import_module("leafward.trust.silent").shared_gradient(storage, by)


def other_values(function, site, between, own, draws):
    """Warn that ``function``, checkpointed at ``site``, gave other values when it ran again.

    Why: the write ``between``, its ``own`` write in the first run, or it ``draws`` random numbers that are not drawn again.
    """
    import_module("leafward.trust.reruns").other_values(function, site, between, own, draws)


def assigned_that_matter(function, assigned):
    """Those of the assignments to attributes of modules that may change what ``function`` gives."""
    return import_module("leafward.trust.reruns").that_matter(function, assigned)


def trust(name):
    """The function ``name`` of :mod:`leafward.trust`, which is imported when there is something to tell."""
    return getattr(import_module("leafward.trust"), name)


def anomaly_traceback(node):
    """Under anomaly mode: show where the failing node was made."""
    lines = node.metadata.get("traceback_")
    text = (f"Error detected in {node.name()}. " + (
        f"Traceback of forward call that caused the error:\n{''.join(lines)}" if lines else
        "No forward pass information available. Enable detect anomaly during forward pass for more information."))
    warn(text)


# -- plain errors, in PyTorch's words --------------------------------------------------------------------------

def broadcasting(shapes):
    """``(shape, clash)``: what ``shapes`` broadcast to; ``clash`` is None, or the ``(number, offset, size)`` that does not fit:
    of the shape with that number, the size at ``offset`` from the end, where ``shape`` is what those before it come to."""
    result = []
    for number, shape in enumerate(shapes):
        result[:0] = [1] * (len(shape) - len(result))
        for offset in range(1, len(shape) + 1):
            size, so_far = shape[-offset], result[-offset]
            if size != 1 and so_far != 1 and size != so_far:
                return result, (number, offset, size)
            if so_far == 1:
                result[-offset] = size
    return result, None


def broadcast_error(*shapes):
    """The error for shapes that do not broadcast; None if they do."""
    result, clash = broadcasting(shapes)
    if clash is None:
        return None
    _, offset, size = clash
    dim = max(map(len, shapes)) - offset
    return RuntimeError(f"The size of tensor a ({result[-offset]}) must match the size of tensor b ({size}) at non-singleton "
                        f"dimension {dim}")


class AllocationError(RuntimeError, MemoryError):
    """There is no memory for a result."""


def allocation_error(error):
    """PyTorch's error for the array library's: about a result that is too large, or shapes that do not go together.

    None for an error of another kind.
    """
    if isinstance(error, AllocationError):
        return error
    if isinstance(error, MemoryError):
        shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
        size = "more" if dtype is None else prod(shape) * dtype.itemsize
        return AllocationError(f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {size} bytes. Error code "
                               "12 (Cannot allocate memory)")
    said = str(error)
    if said.startswith(TOO_LARGE):
        return AllocationError("Storage size calculation overflowed: the result would have more bytes than an address can say")
    if isinstance(error, OverflowError) and said.startswith("Python int too large"):
        return RuntimeError("value cannot be converted to type int64_t without overflow")
    return shape_error(said)


def shape_error(said):
    """PyTorch's error for what the array library says of shapes; None if it speaks of something else."""
    if said.startswith(("operands could not be broadcast", "shape mismatch: objects cannot be broadcast")):
        shapes = [tuple(map(int, re.findall(r"\d+", part))) for part in re.findall(r"\(([\d, ]*)\)", said)]
        return broadcast_error(*shapes) or RuntimeError(said)
    if found := re.match(r"cannot reshape array of size (\d+) into shape \((.*?),?\)", said):
        return RuntimeError(f"shape '[{found[2].replace(',', ', ')}]' is invalid for input of size {found[1]}")
    if found := re.match(r"matmul: .*(\(size \d+ is different from \d+\))", said):
        return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied {found[1]}")
    return None


#: What the array library says of shapes beyond all addresses.
TOO_LARGE = ("array is too big", "Maximum allowed dimension exceeded", "Maximum allowed size exceeded",
             "maximum supported dimension")


def inplace_shape_error(shape, broadcast):
    return RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(broadcast)}")


def cast_error(source, target):
    return RuntimeError(f"result type {scalar_name(source)} can't be cast to the desired output type "
                        f"{scalar_name(target)}")


def out_dtype_error(wanted, given):
    return RuntimeError(f"Expected out tensor to have dtype {cpp_name(wanted)}, but got {cpp_name(given)} instead")


def overlap_error():
    return RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                        "memory location. Please clone() the tensor before performing the operation.")


def refuse_gradient(tensor, grad, is_tensor):
    """Raise if ``grad`` cannot be the ``.grad`` of ``tensor``."""
    if not is_tensor:
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(grad).__name__}")
    if grad is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad._dtype is not tensor._dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{cpp_name(grad._dtype)}' to a tensor with grad_dtype "
            f"'{scalar_name(tensor._dtype)}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
            "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
            "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that "
            "assume they match.")
    if grad._array.shape != tensor._array.shape:
        raise RuntimeError(f"attempting to assign a gradient of size '{list(grad._array.shape)}' to a tensor of size "
                           f"'{list(tensor._array.shape)}'. Please ensure that the gradient and the tensor are the same size")


def partial_overlap_error():
    return RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                        "single memory location. Please clone() the tensor before performing the operation.")


def inference_save_error():
    return RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
                        "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
                        "normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                        "`torch.inference_mode()`.")


def view_write_error(view):
    """The error for a recorded write to ``view``, which has no way back to its base."""
    return RuntimeError(view_sentence(view._creation, view._node, view._output_nr, "is being"))


def stale_view_error(view):
    """The error for a look at the history of ``view`` after a write to its base, to which it has no way back."""
    return RuntimeError(view_sentence(view._creation, view._node, view._output_nr, INDIRECTLY))


#: What was written, when it was not the view itself.
INDIRECTLY = "its base or another view of its base has been"


def view_sentence(how, node, number, written):
    """What is wrong with a recorded write to a view that came to be ``how``, as output ``number`` of ``node``."""
    maker = "" if node is None else re.sub(r"Backward\d*$", "", node.name())
    output = maker and f"Output {number} of {maker} is a view"
    if how == IN_INFERENCE:
        start = (f"{output + ' of a view which' if output else 'A view'} was created in inference mode and {written} "
                 "modified inplace in normal mode.")
    elif how == IN_NO_GRAD or not output:
        start = (f"{output + ' of a view which' if output else 'A view'} was created in no_grad mode and {written} "
                 "modified inplace with grad mode enabled.")
    else:
        start = f"{output} and {written} modified inplace."
    return start + {
        MULTI_OUTPUT: " This view is the output of a function that returns multiple views. Such functions do not allow "
                      "the output views to be modified inplace. You should replace the inplace operation by an "
                      "out-of-place one.",
        IN_NO_GRAD: " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
                    "by moving both the view and the inplace either both inside the no_grad block (if you don't want the "
                    "inplace to be tracked) or both outside (if you want the inplace to be tracked).",
        IN_INFERENCE: " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
                      "code by moving both the view and the inplace either both inside the inference_mode block (if you "
                      "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked).",
        IN_FUNCTION: " This view was created inside a custom Function (or because an input was returned as-is) and the "
                     "autograd logic to handle view+inplace would override the custom backward associated with the "
                     "custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
                     "cloning the output of the custom Function.",
    }[how]


def shape_of_gradient_error(source, position, got, expected):
    if source is None:                                      # backward was given it
        return RuntimeError(f"invalid gradient at index {position} - got {list(got)} but expected shape compatible with "
                            f"{list(expected)}")
    return RuntimeError(f"Function {source.name()} returned an invalid gradient at index {position} - got {list(got)} but "
                        f"expected shape compatible with {list(expected)}")


def element_error(number, value, argument=0):
    return TypeError(f"expected Tensor as element {number} in argument {argument}, but got {type(value).__name__}")


class OptionError(TypeError):
    """An option is of another type than the one ``wanted``. Who calls the op says which option, of what."""

    def __init__(self, value, wanted="int"):
        super().__init__(f"argument 'dim' must be {wanted}, not {type(value).__name__}")
        self.value, self.wanted = value, wanted

    def of_call(self, name, names, args, kwargs):
        """The same about the argument that is the value, in a call of the function ``name``."""
        where = None
        for position, value in enumerate(args[:len(names)]):
            if value is self.value:
                where = f"'{names[position]}' (position {position + 1})"
        for argument, value in (kwargs or {}).items():
            if value is self.value:
                where = f"'{argument}'"
        if where is None:
            return self
        return TypeError(f"{name.lstrip('_')}(): argument {where} must be {self.wanted}, not {type(self.value).__name__}")


def whole_dim(dim):
    """``dim`` as an int; TypeError for what is none."""
    try:
        if not isinstance(dim, bool):
            return operator.index(dim)
    except TypeError:
        pass
    raise OptionError(dim)


def refuse_overflow(number):
    """Raise if the int ``number`` is none that 64 bits hold, with a sign or without."""
    if number >= 1 << 64:
        raise OverflowError("int too big to convert")
    if number < -1 << 63:
        raise OverflowError("can't convert negative int to unsigned")


def foreign_function_error(function):
    name = getattr(function, "__name__", repr(function))
    return TypeError(f"{name}() is a function of the installed PyTorch, which cannot compute with leafward's tensors: use "
                     "leafward's function of that name, or convert them with torch.from_numpy(x.numpy())")


#: Where an error keeps what leafward tells of it, beside the note.
EXPLAINED = "_leafward_explained"


def explained(error, told):
    """``error`` with what leafward tells of it: a note, and for ``leafward check`` something that was found."""
    vars(error)[EXPLAINED] = told
    error.add_note(told)
    return error


#: Whose frames are not the user's: our own, under both names, and what a ``with`` over one of our generators runs.
NOT_THE_USER = {"leafward", "torch", "contextlib"}


class Trial(threading.local):
    """Whether this thread only tries out what a call would do (``arrays/tapes.py``): then nobody is told anything."""

    going_on = False


trial = Trial()


class WouldWarn(Exception):
    """What a trial ends with where there is a warning to give."""


def warn(message, category=UserWarning):
    """Warn at the user's line that led here, however many frames of leafward lie between: compiled ones have none."""
    if trial.going_on:
        raise WouldWarn(message)
    level = 2
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in NOT_THE_USER:
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level if frame is not None else 2)


#: What has been said and need not be said again.
said = set()


def warn_once(message, category=UserWarning):
    """Warn the first time that the program comes here, as PyTorch's C++ code does."""
    if trial.going_on or message not in said:
        if not trial.going_on:
            said.add(message)
        warn(message, category)


class OnnxExporterError(RuntimeError):
    """A model cannot be written as an ONNX program: the message says why."""
