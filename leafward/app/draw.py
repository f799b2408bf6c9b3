"""``leafward page train.py ...``: a PyTorch program, and the graphs of its ``backward()`` calls as one HTML file."""
import sys
from pathlib import Path

from leafward.app import run

USAGE = """usage: leafward page [-o FILE] script.py [argument ...]
       leafward page [-o FILE] -m module [argument ...]
       leafward page [-o FILE] -c code [argument ...]
       leafward page [-o FILE] - [argument ...]         the program comes from standard input

Runs the program as `leafward run` does, and writes the graph of the first backward() from each line into FILE (script.html)."""


def main(arguments):
    """Run the program that the arguments name, and write the page."""
    arguments, target = list(arguments), None
    if arguments[:1] == ["-o"] and len(arguments) > 1:
        target, arguments = arguments[1], arguments[2:]
    program, name = run.program_of(arguments, USAGE)
    if program is None:
        return name
    from leafward.trust.pictures.gallery import Gallery
    target = Path(target or f"{Path(name).stem}.html").absolute()
    with Gallery() as gallery:
        code = run.code_of(program)
    if not gallery.pictures:
        print("leafward page: no backward() ran, so there is nothing to draw", file=sys.stderr)
        return code or 1
    target.write_text(gallery.html(title=f"leafward page {name}"), encoding="utf-8")
    print(f"leafward page: {target}")
    return code
