"""What users call has its types written beside it: every parameter and every result."""
import inspect
import re

import pytest

import leafward
from leafward import amp, autograd, distributions, func, nn, optim
from leafward.io import serialization
from leafward.optim import lr_scheduler
from leafward.utils import checkpoint, data

PARTS = {
    "nn": (nn, nn.modules.__all__),
    "nn.init": (nn.init, [name for name in dir(nn.init) if name.endswith("_") and name[0] != "_"]),
    "nn.utils": (nn.utils, nn.utils.__all__), "nn.utils.rnn": (nn.utils.rnn, ["PackedSequence", "pad_sequence"]),
    "optim": (optim, optim.__all__),
    "optim.lr_scheduler": (lr_scheduler,
                           ["LRScheduler", "ReduceLROnPlateau", *(n for n in dir(lr_scheduler) if n.endswith("LR"))]),
    "distributions": (distributions, distributions.__all__), "utils.data": (data, data.__all__),
    "utils.checkpoint": (checkpoint, ["checkpoint", "checkpoint_sequential"]),
    "serialization": (serialization, ["load", "save"]),
    "autograd": (autograd, autograd.__all__), "func": (func, func.__all__), "amp": (amp, amp.__all__),
    "the package": (leafward, ["Generator", "tensor", "as_tensor", "from_numpy", "manual_seed", "set_printoptions", "no_grad"]),
}
#: PyTorch's datapipes are only there for old programs.
LEFT_OUT = {"IterDataPipe", "MapDataPipe", "DataChunk", "functional_datapipe", "Variable", "NestedIOFunction", "Container"}

#: Without an underscore and yet not for users: the mathematics of one optimizer step, and what ``Function.apply`` calls.
INTERNAL = {"kernel", "run", "rule_of_backward", "forward_is_missing"}


def functions_of(value):
    """``(name, function)`` of a function, or of a class: its own public ones and those of its bases in leafward."""
    if inspect.isfunction(value):
        yield value.__name__, value
    elif inspect.isclass(value):
        for cls in value.__mro__:
            if cls.__module__.startswith("leafward.") and cls is not leafward.Tensor and "TensorBase" not in cls.__name__:
                for name, member in vars(cls).items():
                    member = getattr(member, "fget", None) or getattr(member, "__func__", None) or member
                    if inspect.isfunction(member) and (name[0] != "_" or name == "__init__") and name not in INTERNAL:
                        yield f"{cls.__name__}.{name}", member


#: What an annotation says for which a default of this kind may stand.
KINDS = {type(None): "None", bool: "bool", int: "int|float|Number|_size_|_ratio_", float: "float|Number|_ratio_",
         str: "str|Device", tuple: "tuple|Sequence|ParamsT", list: "list|Sequence"}


def fits(default, annotation):
    words = KINDS.get(type(default), "") + "|Any|object"
    # A type's arguments are not what stands here: list[None] does not allow None.
    while annotation != (annotation := re.sub(r"\[[^\[\]]*\]", "", annotation)):
        pass
    return type(default) not in KINDS or re.search(rf"\b({words})", annotation) is not None


def test_a_default_that_does_not_fit_is_seen():
    assert fits(None, "int | None") and fits((1, 2), "tuple[int, int]") and fits(0, "_size_2_t") and fits(1, "float")
    assert not fits(None, "list[None]") and not fits((1, 2), "float") and not fits(True, "int") and not fits("x", "bool")


@pytest.mark.parametrize("part", PARTS)
def test_public_functions_are_annotated(part):
    module, names = PARTS[part]
    wrong, seen = set(), 0
    for public in sorted(set(names) - LEFT_OUT):
        for name, function in functions_of(getattr(module, public)):
            seen += 1
            signature = inspect.signature(inspect.unwrap(function))
            parameters = list(signature.parameters.values())
            if parameters and parameters[0].name in ("self", "cls"):
                del parameters[0]
            wrong |= {f"{name}({p.name})" for p in parameters if p.annotation is p.empty}
            wrong |= {f"{name}() ->" for _ in [0] if signature.return_annotation is signature.empty}
            wrong |= {f"{name}({p}): the default does not fit" for p in parameters
                      if p.default is not p.empty and not fits(p.default, str(p.annotation))}
    assert seen and not wrong, "\n".join(sorted(wrong))
