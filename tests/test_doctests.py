"""Every example in a docstring runs and prints what it says, and so does what ``help()`` shows of each op."""
import doctest
from importlib import import_module
from importlib.util import find_spec
from pkgutil import walk_packages

import pytest

import leafward
from leafward.core.op import registry
from leafward.derive.help import texts as help_texts

PARSER = doctest.DocTestParser()
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules():
    for info in walk_packages(leafward.__path__, "leafward."):
        if ".stories" in info.name or info.name.endswith("__main__"):
            continue
        if find_spec(info.name) is not None:    # LEAFWARD_INTERPRETED=1 passes over what exists compiled only
            yield import_module(info.name)


def every_example():
    """The examples of each docstring, which see the names of its module, ``leafward`` and ``lw``."""
    names = {"leafward": leafward, "lw": leafward}
    for module in (leafward, *modules()):
        for example in doctest.DocTestFinder().find(module, extraglobs=names):
            if module is leafward:                  # whose `float` is a dtype; a user's is Python's
                example.globs = {**example.globs, "float": float}
            yield example
    for name, text in {**{name: op.doc for name, op in registry.items()}, **help_texts}.items():
        yield PARSER.get_doctest(text, dict(names), f"op {name}", None, None)


EXAMPLES = {example.docstring: example for example in every_example() if example.examples}.values()


@pytest.mark.filterwarnings(r"ignore:torch\.\w+ is deprecated")       # an example of an older name is told so
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example(example):
    said = []
    doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(example, out=said.append)
    assert not said, "".join(said)


def test_examples_were_found():
    assert len(EXAMPLES) > len(help_texts) > 500


def test_a_wrong_example_is_seen():
    example = PARSER.get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(example, out=[].append).failed == 1
