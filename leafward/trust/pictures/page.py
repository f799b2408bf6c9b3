"""The page of a graph: one HTML file that needs nothing else, with the source on the left and the graph on the right."""
from __future__ import annotations

import base64
import hashlib
import html
import json
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from leafward.trust.pictures.picture import Picture

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from leafward.tensor.tensor import Tensor

HERE = Path(__file__).parent
#: Only the style and the program below run, by their hashes; nothing is fetched, sent or framed.
POLICY = "default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"
SKELETON = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<div class="about"><h1>Graph of <span id="title"></span></h1><p id="facts"></p></div>
<div class="tools">
<select id="which" aria-label="Which graph"></select>
<input id="search" type="search" placeholder="Search: op, name, line" aria-label="Search the graph">
<span id="found" role="status"></span>
<button id="fold">Fold all</button><button id="unfold">Unfold all</button>
</div>
</header>
<section id="findings" aria-label="Findings" hidden><h2>Findings</h2><div id="stories"></div></section>
<main>
<section id="source" aria-label="Source"><h2>Source <span class="key">bars: bytes kept by a line</span></h2>
<div class="scroll"><div id="code"></div></div></section>
<section id="graph" aria-label="Graph"><h2>Graph <span class="key">from the result down, in the order of backward</span></h2>
<div class="scroll"><div id="tree" role="tree" aria-label="Nodes"></div></div></section>
<section id="memory" aria-label="Storages"><h2>Storages
<span class="key">● saved for backward, ✎ written; red: too late</span></h2>
<div class="scroll memory" id="timelines"></div></section>
<section id="details" aria-label="Details"><h2>Details</h2><div class="scroll" id="about" aria-live="polite"></div></section>
</main>
<noscript>This page draws its graph with a program, and programs are switched off here.</noscript>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(pictures, findings=(), title="leafward"):
    """The HTML of some graphs, as :class:`Picture` has their data, and of what was found."""
    style, *scripts = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "elements.js", "page.js"))
    script = "\n".join(scripts)
    policy = POLICY.format(style=hashed(style), script=hashed(script))
    data = {"graphs": list(pictures), "findings": list(findings)}
    return SKELETON.format(policy=policy, title=html.escape(title), style=style, script=script, data=as_data(data))


def as_data(value):
    """JSON that can stand in a page: nothing in it looks like HTML."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def hashed(text):
    """What a Content-Security-Policy calls a text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class Page:
    """The page of a graph as ``html``. A notebook shows it in a frame of its own."""

    def __init__(self, picture: Picture) -> None:
        self.title = f"Graph of {picture.data['title']}"
        self.nodes = len(picture.nodes)
        self.html = page([picture.data], title=self.title)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page into the file ``path``."""
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self):
        return (f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts" width="100%" height="640" '
                f'style="border:0" srcdoc="{html.escape(self.html)}"></iframe>')

    def __repr__(self) -> str:
        return f"<{self.title}: {self.nodes} nodes>"


def save_page(loss: Tensor | Sequence[Tensor], path: str | os.PathLike[str]) -> None:
    """Write the graph behind ``loss`` into the file ``path``: one HTML page, which needs no server and no network.

    It has the source on the left and the graph on the right, what each node keeps, when that was written, where histories are
    cut and where gradients stop being finite. To find these, backward runs once, hooks included; the graph stays, and no
    ``.grad`` is touched.

    >>> import leafward as lw, tempfile, os
    >>> w = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "g.html")
    >>> lw.save_page((w * 2).exp().sum(), path)
    >>> os.path.getsize(path) > 20_000
    True
    """
    Page(Picture(loss).look()).save(path)


def show(loss: Tensor | Sequence[Tensor]) -> Page:
    """The page that :func:`save_page` writes: in a notebook as the cell's result, elsewhere in a browser, as a temporary file.

    >>> import leafward as lw
    >>> w = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> lw.show((w * 2).exp().sum())                        # doctest: +SKIP
    <Graph of loss: 3 nodes>
    """
    made = Page(Picture(loss).look())
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        with tempfile.NamedTemporaryFile("w", suffix=".html", prefix="leafward-", delete=False, encoding="utf-8") as file:
            file.write(made.html)
        webbrowser.open(Path(file.name).as_uri())
    return made
