"""``make docs``: the site builds without a warning, links lead somewhere, nothing is fetched, and pages fit the screen."""
import html.parser
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests import browser

ROOT = Path(__file__).parent.parent
#: Attributes whose targets a browser loads by itself: none may be on the network.
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
#: Of the reference's pages, which are all alike, the largest are looked at.
LARGEST = 10

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="mkdocs-material is not installed: .[docs]"),
    pytest.mark.skipif(os.environ.get("LEAFWARD_INTERPRETED") == "1", reason="no part of leafward runs here: once is enough"),
]


class Page(html.parser.HTMLParser):
    """The names of a page's anchors, where its links lead, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if (address := found.get(LOADED.get(tag))) and found.get("rel") != "canonical":
            self.loaded.append(address)


def is_outside(address):
    return address.startswith(("http:", "https:", "//", "mailto:", "data:"))


def dead_ends(site):
    """``(page, address)`` of what leads nowhere, and of what a page would fetch."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for address in page.links + page.loaded:
            if is_outside(address):
                if address in page.loaded and not address.startswith("data:"):
                    yield path.name, address
                continue
            target, _, anchor = unquote(address).partition("#")
            to = path.parent.joinpath(target).resolve() if target and path.name != "404.html" else path
            if path.name == "404.html":                     # which names its files from the server's root
                to = site.joinpath(target.lstrip("/") or "404.html")
            if not to.exists() or (anchor and to in pages and anchor not in pages[to].anchors):
                yield path.name, address


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site").resolve()
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder], cwd=ROOT,
                          capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stdout + done.stderr
    return folder


def test_the_site_is_whole(site):
    assert len(list(site.rglob("*.html"))) > 80
    assert not list(dead_ends(site))
    if not browser.INSTALLED:
        pytest.skip("Chromium is not installed: nobody looked at the pages (apt-get install chromium chromium-driver)")
    look_at(site)


def look_at(site):
    """Each page as a browser shows it on a telephone and on a desk, light and dark; and the search, without a server."""
    pages = sorted(site.rglob("*.html"))
    alike = [page for page in pages if "reference" in page.parts]
    looked_at = [page for page in pages if page not in alike]
    looked_at += sorted(alike, key=lambda page: -page.stat().st_size)[:LARGEST]
    found = {}
    with browser.browser() as tab:
        for page in looked_at:
            if page.name == "404.html":
                continue
            for width in 1280, 400:
                tab.resize(width)
                if width == 1280:
                    tab.open(page.as_uri())
                if wrong := tab.too_wide() + tab.complaints():
                    found[page.name, width] = wrong
        assert not found
        assert tab.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        tab.run("document.querySelector('label[for=__palette_1]').click()")
        assert tab.run("return document.body.getAttribute('data-md-color-scheme')") == "slate"
        assert "sigmoid(input, *, out=None)" in searched(tab, "sigmoid")


def searched(tab, word):
    """What the search finds for ``word``."""
    tab.run("""
        const field = document.querySelector("[data-md-component=search-query]")
        field.focus()
        field.value = arguments[0]
        field.dispatchEvent(new Event("input", {bubbles: true}))
        field.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}))""", word)
    return tab.wait_for("return document.querySelector('.md-search-result__item') && "
                        "document.querySelector('.md-search-result').textContent")


def test_what_is_wrong_is_seen(tmp_path):
    (tmp_path / "a.html").write_text('<h2 id="here">x</h2><a href="b.html"></a><a href="#here"></a><a href="#there"></a>'
                                     '<script src="https://elsewhere.example/x.js"></script>')
    assert list(dead_ends(tmp_path)) == [("a.html", "b.html"), ("a.html", "#there"),
                                         ("a.html", "https://elsewhere.example/x.js")]
    if browser.INSTALLED:
        with browser.browser() as tab:
            tab.resize(400)
            tab.open((tmp_path / "a.html").as_uri())
            assert any("elsewhere.example" in said for said in tab.complaints())
            tab.run("document.body.innerHTML = '<p>' + 'wide'.repeat(200) + '</p>'")
            assert tab.too_wide()
