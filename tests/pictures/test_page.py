"""The page of a graph in headless Chromium: what a user does with it. Without a Chromium, only the file is looked at."""
import base64
import hashlib
import html
import json
import re

import pytest

import leafward as lw
from leafward.trust.pictures.page import Page, as_data
from tests.browser import INSTALLED
from tests.pictures import browser
from tests.pictures.programs import HOSTILE, LONG, NAN, NETWORK, picture, run

needs_browser = pytest.mark.skipif(not INSTALLED, reason="no Chromium here: apt-get install chromium chromium-driver")


@pytest.fixture(scope="module")
def window():
    with browser.window() as found:
        yield found


@pytest.fixture
def opened(window, tmp_path):
    """Open the page of a program; the browser. Afterwards its console has to be empty."""
    def show(program, **how):
        path = tmp_path / "page.html"
        Page(picture(run(program))).save(path)
        window.open(path, **how)
        assert window.run("return document.documentElement.dataset.ready") == "yes"
        return window
    yield show
    assert window.complaints() == []


def row_of(window, text):
    """The number of the first row with this text."""
    texts = window.run("return [...document.querySelectorAll('.node')].map(row => row.textContent)")
    return next(number for number, found in enumerate(texts) if text in found)


def chosen(window):
    return window.run("""return [...document.querySelectorAll('.node[aria-selected=true]')].map(
        row => row.querySelector('.op').textContent)""")


# -- the file alone ------------------------------------------------------------------------------------------------------

def test_the_file_stands_alone(tmp_path):
    variables = run(NETWORK)
    lw.save_page(variables["loss"], tmp_path / "g.html")
    text = (tmp_path / "g.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href|action)=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|http-equiv=.refresh", text)
    policy = html.unescape(re.search('http-equiv="Content-Security-Policy" content="(.*?)"', text)[1])
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    for tag in "style", "script":
        body = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert text.count("<script") == 2 and text.count("</script>") == 2


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "\u2028", "&lt;", "\ud800", "'\"`${x}", "é漢"])
def test_data_is_never_html(text):
    shown = as_data({text: [text]})
    assert json.loads(shown) == {text: [text]} and not set(shown) & set("<>&\u2028") and shown.isascii()


def test_a_notebook_gets_a_frame():
    made = Page(picture(run(NAN)))
    shown = made._repr_html_()
    source = re.search('srcdoc="(.*?)"', shown, re.DOTALL)[1]
    assert html.unescape(source) == made.html and 'sandbox="allow-scripts"' in shown and "<script" not in shown
    assert repr(made) == "<Graph of loss: 4 nodes>"


# -- in the browser ------------------------------------------------------------------------------------------------------

@needs_browser
def test_a_node_leads_to_its_line_and_back(opened):
    window = opened(NETWORK)
    window.click(".node", row_of(window, "sigmoid"))
    assert chosen(window) == ["sigmoid"]
    assert window.text(".line.chosen").startswith("22") and window.text(".line.chosen u") == "torch.sigmoid(h)"
    details = window.text("#about")
    assert "overwritten after it was saved" in details and "train.py:24" in details and "net" in details
    number = window.run("return [...document.querySelectorAll('.line')].findIndex(line => line.dataset.key === '0:26')")
    window.click(".line", number)
    first = chosen(window)
    window.click(".line", number)
    assert {*first, *chosen(window)} <= {"linear", "add", "mul"} and first != chosen(window)


@needs_browser
def test_hovering_lights_up_the_other_side(opened):
    window = opened(NETWORK)
    window.hover(".node", row_of(window, "sigmoid"))
    assert window.text(".line.lit").startswith("22")
    window.hover(".line.used", 0)
    assert window.count(".node.lit") >= 1


@needs_browser
def test_modules_fold(opened):
    window = opened(NETWORK)
    before = window.count(".node")
    window.click("#fold")
    folded = window.count(".node")
    assert folded < before and window.count('.node[aria-expanded="true"]') == 0
    window.click(".node.fold")
    assert window.count(".node") > folded
    window.click("#unfold")
    assert window.count(".node") == before and window.count('.node[aria-expanded="false"]') == 0
    paths = window.count("#lanes path")
    nodes = window.count(".node:not(.fold)")
    assert window.count("#lanes circle") == nodes and paths >= nodes - 1


@needs_browser
def test_search_finds_and_unfolds(opened):
    window = opened(NETWORK)
    window.click("#fold")
    window.type("#search", "blocks.1.up.weight")
    assert window.text("#found") == "1 node"
    window.type("#search", "\ue007")
    assert chosen(window) == ["linear"] and "net.blocks.1" in window.text("#about")
    window.type("#search", "\ue00c")
    assert window.text("#found") == "" and window.count(".node.missed") == 0
    window.type("#search", "nothing like it")
    assert window.text("#found") == "none"


@needs_browser
def test_the_keyboard_does_it_all(opened):
    window = opened(NETWORK)
    window.run("document.querySelector('.node').focus()")
    window.press("ArrowDown")
    window.press("Enter")
    assert chosen(window) == ["square"] and window.count(".node[tabindex='0']") == 1
    window.press("End")
    assert window.run("return document.activeElement === [...document.querySelectorAll('.node')].at(-1)")
    window.press("ArrowLeft")
    assert window.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    window.press("ArrowLeft")
    assert window.run("return document.activeElement.getAttribute('aria-expanded')") == "false"
    window.press("ArrowRight")
    assert window.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    window.press("/")
    assert window.run("return document.activeElement.id") == "search"


@needs_browser
def test_a_screen_reader_is_told(opened):
    window = opened(NETWORK)
    said = window.run("return [...document.querySelectorAll('[role=treeitem]')].map(row => row.getAttribute('aria-label'))")
    assert any("sigmoid giving gate" in text and "train.py:22" in text and "overwritten" in text for text in said) and all(said)
    unnamed = window.run("""return [...document.querySelectorAll('button, input, select, section, [role=tree]')].filter(
        element => !element.textContent.trim() && !element.getAttribute('aria-label')).length""")
    assert unnamed == 0
    assert window.run("return document.documentElement.lang") == "en"


@needs_browser
def test_writes_and_saves_are_on_the_timeline(opened):
    window = opened(NETWORK)
    events = window.run("""return [...document.querySelector('.storage').querySelectorAll('.event')].map(
        event => [event.textContent, event.className])""")
    assert [text for text, _ in events] == ["●", "✎", "●"] and "late" in events[1][1]
    window.click(".storage .event.late")
    assert window.text(".line.chosen").startswith("24")
    window.click(".storage .event.save")
    assert chosen(window) == ["sigmoid"]


@needs_browser
def test_nan_is_red_all_the_way(opened):
    window = opened(NAN)
    assert window.count("#lanes path.bad") == 1 and window.count("#lanes circle.bad") == 2
    assert "a gradient became nan" in window.text("#findings summary")


@needs_browser
def test_a_story_is_read_without_scrolling_aside(opened):
    wide, narrow = ([opened(NAN, width=width).run("""
        document.querySelectorAll('#findings details').forEach(d => { d.open = true });
        const story = document.querySelector('#findings pre'), rows = [...story.querySelectorAll('.row')];
        return [story.scrollWidth > story.clientWidth, rows.map(row => row.textContent)]""")] for width in (1280, 400))
    assert wide == narrow and wide[0][0] is False           # the text is one, and all of it is in sight
    assert "made by" in wide[0][1][0]


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_overflows(opened, width, scheme):
    window = opened(NETWORK, width=width, scheme=scheme)
    for row in range(window.count(".node:not(.fold)")):
        window.run("document.querySelectorAll('.node:not(.fold)')[arguments[0]].click()", row)
        assert window.run("return document.documentElement.scrollWidth") <= width
    outside = window.run("""const panels = [...document.querySelectorAll('section')].map(s => s.getBoundingClientRect());
        return panels.filter(p => p.left < 0 || p.right > innerWidth).length""")
    cut_off = window.run("""return [...document.querySelectorAll('.node .op, .node .where')].filter(e => {
        const row = e.closest('.node').getBoundingClientRect(), box = e.getBoundingClientRect();
        return box.width && (box.right > row.right + 1 || box.left < row.left); }).length""")
    overlaps = window.run("""let found = 0;
        for (const row of document.querySelectorAll('.node')) {
            const parts = [...row.children].map(e => e.getBoundingClientRect()).filter(box => box.width > 0);
            parts.slice(1).forEach((box, i) => { if (box.left < parts[i].right - 1) found++; });
        }
        return found;""")
    assert (outside, cut_off, overlaps) == (0, 0, 0)


def contrast(a, b):
    """By how much two colours differ, as WCAG counts it."""
    light = sorted((sum(w * (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4) for w, c in zip(
        (0.2126, 0.7152, 0.0722), [v / 255 for v in colour], strict=True)) for colour in (a, b)), reverse=True)
    return (light[0] + 0.05) / (light[1] + 0.05)


#: Colours of words, and what they stand on.
PAIRS = ("--ink on --panel", "--soft on --panel", "--soft on --mark", "--accent on --panel", "--bad on --badwash",
         "--cut on --cutwash", "--note on --panel", "--string on --panel", "--word on --panel", "--ink on --mark",
         "--soft on --wash")


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read(opened, scheme):
    window = opened(NETWORK, scheme=scheme)
    pairs = window.run("""const style = getComputedStyle(document.documentElement);
        const colour = name => {
            const element = document.createElement('i');
            element.style.setProperty('color', style.getPropertyValue(name));
            document.body.append(element);
            return getComputedStyle(element).color.match(/[0-9]+/g).slice(0, 3).map(Number);
        };
        return arguments[0].map(([a, b]) => [a, b, colour(a), colour(b)])""", [pair.split(" on ") for pair in PAIRS])
    weak = [(a, b, round(contrast(x, y), 2)) for a, b, x, y in pairs if contrast(x, y) < 4.5]
    assert weak == []


@needs_browser
def test_five_thousand_nodes_are_there_within_two_seconds(opened):
    window = opened(LONG)
    ready = window.run("return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert ready < 2000 and 10 < window.count(".node") <= 220
    took = window.run("""const start = performance.now(); document.querySelectorAll('.node.fold')[1].click();
        document.querySelector('#tree').getBoundingClientRect(); return performance.now() - start""")
    assert took < 500
    window.type("#search", "sum")
    assert window.text("#found") == "1 node"


@needs_browser
def test_a_hostile_program_injects_nothing(opened):
    window = opened(HOSTILE)
    assert window.run("return document.title") == "Graph of loss"
    assert "</script><script>" in window.text("#code") and "<img src=x" in window.text("#code")
    assert window.run("return document.querySelectorAll('img, script:not([type])').length") == 1
    window.click(".node", 1)
    assert "exp" in window.text("#about")
