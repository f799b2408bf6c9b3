"""README.md's examples run, and print what it says."""
import doctest
import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_examples_print_what_the_readme_says():
    text = README.read_text(encoding="utf-8")
    # Code fences are not part of an expected output; blank lines keep the line numbers of the file.
    inside = [(match.start(1), match.end(1)) for match in BLOCK.finditer(text) if ">>>" in match[1]]
    kept = "".join(
        char if char == "\n" or any(start <= at < end for start, end in inside) else " " for at, char in enumerate(text))
    example = doctest.DocTestParser().get_doctest(kept, {}, README.name, str(README), 0)
    assert len(example.examples) >= 5
    said = []
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=options, verbose=False).run(example, out=said.append)
    assert not said, "".join(said)
