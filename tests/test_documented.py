"""Every public layer, optimizer, schedule, distribution, loader and helper explains each argument and shows an example."""
import doctest
import inspect
import re
import sys

import pytest

from leafward import ao, distributed, distributions, nn, optim
from leafward.optim import lr_scheduler, swa_utils
from leafward.utils import data

#: Not documented yet. It may only shrink: a name that is documented fails below until it is removed from here.
NOT_YET = set()

ENTRY = re.compile(r"^(\w+(?:, \w+)*): ", re.MULTILINE)
#: Functions without an underscore that only their file calls.
HELPERS = {"PackedSequence_", "check_addition", "check_lengths", "copied_with_its_class", "pruning_hooks", "refuse_change",
           "refuse_to_pickle", "without"}
#: Lines that begin like an argument's and are none.
HEADINGS = {"Raises", "Shape", "Source"}
VARIADIC = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def public_objects():
    """``(dotted name, class or function)`` of everything in question."""
    for module in (nn.modules, nn.init, nn.parallel, nn.utils, nn.utils.parametrizations, nn.utils.parametrize,
                   nn.utils.prune, nn.utils.rnn, optim, lr_scheduler, swa_utils, distributions, data, distributed,
                   ao.nn.quantized, ao.nn.quantized.dynamic, ao.quantization.observer,
                   sys.modules["leafward.ao.quantization.quantize"]):         # where it is a function, too
        listed = getattr(module, "__all__", None)
        for name in listed or vars(module):
            value = getattr(module, name)
            if name.startswith("_") or name in HELPERS or not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            if listed or value.__module__ == module.__name__:
                yield f"{module.__name__.removeprefix('leafward.')}.{name}", value


OBJECTS = dict(public_objects())


def parameters(value):
    """Names of what the user may give, and whether there may be more than has a name."""
    found = inspect.signature(value.__init__ if inspect.isclass(value) else value).parameters.values()
    names = {p.name for p in found if p.kind not in VARIADIC and not p.name.startswith("_")} - {"self"}
    return names, any(p.kind in VARIADIC for p in found)


def explained(doc):
    prose = "\n".join(part for part in doctest.DocTestParser().parse(doc) if isinstance(part, str))
    return {name for entry in ENTRY.findall(prose) for name in entry.split(", ")} - HEADINGS


def problems(value):
    """What the docstring lacks, or says of arguments that do not exist."""
    doc = inspect.cleandoc(value.__doc__ or "")
    names, more = parameters(value)
    missing, unknown = names - explained(doc), set() if more else explained(doc) - names
    found = [f"does not explain {name}" for name in sorted(missing)]
    found += [f"explains {name}, which is no argument" for name in sorted(unknown)]
    found += ["has no example"] * (">>> " not in doc)
    found += ["shows a placeholder"] * bool(re.search(r"^ *\{\w+(, \w+)*\}$", doc, re.MULTILINE))
    if inspect.isclass(value) and value.__module__.startswith("leafward.nn") and takes_tensors(value):
        found += ["has no shapes"] * ("->" not in doc)
    return found


def takes_tensors(layer):
    """Whether a layer has a forward of its own kind, which containers and bases lack."""
    return layer not in (nn.Module, nn.Sequential) and hasattr(layer, "forward") and layer.forward is not nn.Module.forward


@pytest.mark.parametrize("name", OBJECTS)
def test_arguments_are_explained(name):
    found = problems(OBJECTS[name])
    if name in NOT_YET:
        assert found, f"{name} is documented: remove it from NOT_YET"
    else:
        assert not found, f"{name}: {found}"


def test_only_what_exists_is_not_yet_documented():
    assert NOT_YET <= OBJECTS.keys()


def test_what_is_missing_is_seen():
    def partly(first, second):
        """first: the first argument\n\nthird: no argument"""

    assert problems(partly) == ["does not explain second", "explains third, which is no argument", "has no example"]


def test_shared_arguments_are_shown_whole():
    assert "padding: " in nn.Conv2d.__doc__ and "reduction: " in nn.MSELoss.__doc__
    assert "maximize: " in optim.AdamW.__doc__


@pytest.mark.parametrize("shared", [nn.modules.shared_arguments, nn.utils.shared_arguments, optim.shared_arguments,
                                    distributions.shared_arguments], ids=lambda module: module.__name__)
def test_every_shared_explanation_is_shown_somewhere(shared):
    docs = "\n".join(inspect.cleandoc(value.__doc__ or "") for value in OBJECTS.values())
    explanations = [shared.SHARED, *getattr(shared, "SHARED_IN", {}).values()]
    unused = [name for some in explanations for name, text in some.items() if f"\n{name}: {text}\n" not in docs]
    assert not unused
