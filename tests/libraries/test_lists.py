"""The lists of libraries fit together: programs, recorded results, pinned versions, and the page that names them."""
import json
import re
from pathlib import Path

from tests.libraries.run import EXPECTED, HERE, NAMES
from tests.libraries.sizes import PROGRAMS

PAGE = Path(__file__).parent.parent.parent / "docs" / "libraries.md"


def test_every_program_has_results_and_is_on_the_page():
    assert list(json.loads(EXPECTED.read_text())) == NAMES
    assert set(re.findall(r"^\|.* \| `(\w+)\.py` \|", PAGE.read_text(), re.MULTILINE)) == set(NAMES)


def test_versions_are_pinned_and_on_the_page():
    pinned = dict(line.split("==") for line in (HERE / "requirements.txt").read_text().split())
    told = dict(re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", PAGE.read_text(), re.MULTILINE))
    helpers = {"jinja2", "mpi4py", "mpich", "scikit-learn", "typing_extensions"}    # PyTorch, or a program, brings these
    assert told == {name: version for name, version in pinned.items() if name not in helpers}


def test_sizes_are_measured_of_every_library_and_program():
    assert list(PROGRAMS) == [name for name in re.findall(r"^\| ([\w-]+) \| [\d.]+ \|", PAGE.read_text(), re.MULTILINE)]
    apart = {"transformers_trainer_on_ranks", "sentence_transformers_trainer"}          # the page tells why
    assert {name for programs, _ in PROGRAMS.values() for name in programs} == set(NAMES) - apart
