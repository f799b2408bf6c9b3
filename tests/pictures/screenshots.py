"""The pictures in ``docs/img``, from the programs of ``docs/graphs.md``: ``python -m tests.pictures.screenshots``."""
import io
import os
import tempfile
from pathlib import Path

from PIL import Image

from tests.pictures import browser
from tests.pictures.test_guide import DOCS, PROGRAMS
from tests.trust.test_guide import what_it_says

CHOOSE = """[...document.querySelectorAll('.node')].find(row => row.textContent.includes('sigmoid')).click();
            window.scrollTo(0, 0)"""


def main():
    with tempfile.TemporaryDirectory() as folder, browser.window() as window:
        os.chdir(folder)
        for program, _ in PROGRAMS[:2]:
            what_it_says(program)
        (DOCS / "img" / "graph.svg").write_bytes(Path("graph.svg").read_bytes())
        for width, height in (1280, 860), (400, 1800):
            for scheme in "light", "dark":
                window.open(Path("g.html"), width, height, scheme)
                window.run(CHOOSE)
                window.picture(Path("taken.png"))
                small = io.BytesIO()
                Image.open("taken.png").convert("RGB").quantize(
                    256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
                (DOCS / "img" / f"page-{width}-{scheme}.png").write_bytes(small.getvalue())


if __name__ == "__main__":
    main()
