"""``leafward page train.py ...``: a PyTorch program, and the graphs of its ``backward()`` calls as one HTML file."""
import sys
from pathlib import Path

from leafward.app import run
from leafward.app.as_torch import install_as_torch

USAGE = """usage: leafward page [-o FILE] script.py [argument ...]
       leafward page [-o FILE] -m module [argument ...]

Runs the program as `leafward run` does, and writes the graph of the first backward() from each line into FILE (script.html)."""


def main(arguments):
    """Run the program that the arguments name, and write the page."""
    arguments, target = list(arguments), None
    if arguments[:1] == ["-o"] and len(arguments) > 1:
        target, arguments = arguments[1], arguments[2:]
    by_name = arguments[:1] == ["-m"]
    arguments = arguments[by_name:]
    if not arguments or arguments[0].startswith("-"):
        asked = arguments[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    install_as_torch()
    from leafward.trust.pictures.gallery import Gallery
    target = Path(target or f"{Path(arguments[0]).stem}.html").absolute()
    with Gallery() as gallery:
        code = run.code_of(lambda: (run.run_module if by_name else run.run_script)(arguments[0], arguments[1:]))
    if not gallery.pictures:
        print("leafward page: no backward() ran, so there is nothing to draw", file=sys.stderr)
        return code or 1
    target.write_text(gallery.html(title=f"leafward page {arguments[0]}"), encoding="utf-8")
    print(f"leafward page: {target}")
    return code
