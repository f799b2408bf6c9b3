"""The text that ``help()`` shows, as ``leafward.derive.reference`` wrote it: one file, read when leafward is imported."""
from pathlib import Path

HELP = Path(__file__).with_name("help.txt")
SEPARATOR = "\f\n"


def joined(texts):
    """``{name: text}`` as one file."""
    return SEPARATOR.join(f"{name}\n{text}" for name, text in sorted(texts.items()))


def read():
    """``{name: text}``; nothing while there is no file yet."""
    if not HELP.exists():
        return {}
    return dict(text.split("\n", 1) for text in HELP.read_text(encoding="utf-8").split(SEPARATOR))


texts = read()


def help_text(declared):
    """What ``help()`` shows: for what was declared after the text was made, its docstring."""
    return texts.get(declared.name, declared.doc)
