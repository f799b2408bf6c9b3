"""How the Markdown files of the repository become the pages of the site: a hook of MkDocs, named in ``mkdocs.yml``.

Files outside of ``docs`` become pages too, links between files become links between pages, and a folder in ``nav`` stands for
its pages. So the files read well by themselves, and nothing is written twice.
"""
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
#: Files that are pages, though they lie outside of ``docs``.
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
EXAMPLES = "examples.md"                # made of the programs in the folder
#: A link in Markdown: not a picture's, which is copied with the page.
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^()\s]+)(?=\))")
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def page_of(path):
    """Where the file or folder at ``path`` of the repository is in the site, or None where it is no page of it."""
    if path in PAGES:
        return PAGES[path]
    if path == "examples" or path.startswith("examples/"):
        return EXAMPLES
    if not path.startswith("docs/"):
        return None
    inside = path.removeprefix("docs/")
    return f"{inside}/README.md" if (ROOT / path).is_dir() else inside


def file_of(page):
    """The file of the repository that a page was made of."""
    return next((path for path, made in PAGES.items() if made == page), f"docs/{page}")


def linked(page, text):
    """``text`` of ``page``, with links to files of the repository turned into links to pages. Code is left as it is."""
    def turned(match):
        target, hash_sign, anchor = match[1].partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file_of(page)), target))
        found = page_of(path)
        if found is None:
            return match[0]             # --strict refuses it
        return posixpath.relpath(found, posixpath.dirname(page) or ".") + hash_sign + anchor

    return "".join(part if part.startswith("```") else LINK.sub(turned, part) for part in FENCED.split(text))


def examples():
    """A page of the programs in ``examples``."""
    parts = ["# Examples\n\nEach prints the same lines on leafward and on PyTorch: a test runs it under both names.\n"]
    for path in sorted((ROOT / "examples").glob("*.py")):
        parts.append(f"## {path.name}\n\n```python\n{path.read_text(encoding='utf-8')}```\n")
    return "\n".join(parts)


def pages_in(folder):
    """The pages of a folder of ``docs`` and of the folders in it, its ``README.md`` first."""
    place = ROOT / "docs" / folder
    found = [path.name for path in sorted(place.glob("*.md"), key=lambda path: (path.name != "README.md", path.name))]
    nav = [f"{folder}{name}" for name in found]
    for inner in sorted(path for path in place.iterdir() if path.is_dir()):
        nav.append({inner.name: pages_in(f"{folder}{inner.name}/")})
    return nav


def spread(nav):
    """``nav`` with each folder replaced by its pages."""
    if isinstance(nav, str):
        return pages_in(nav) if nav.endswith("/") else nav
    if isinstance(nav, dict):
        return {title: spread(inner) for title, inner in nav.items()}
    found = []
    for entry in nav:
        inner = spread(entry)
        found += inner if isinstance(entry, str) and isinstance(inner, list) else [inner]
    return found


# --- what MkDocs calls -----------------------------------------------------------------------------------------------

def on_config(config):
    config.nav = spread(config.nav)
    return config


def on_files(files, config):
    for path, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text(encoding="utf-8")))
    files.append(File.generated(config, EXAMPLES, content=examples()))
    return files


def on_page_markdown(markdown, page, config, files):
    return linked(page.file.src_uri, markdown)
