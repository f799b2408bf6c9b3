"""What a user does with a page in Chromium: to look, to point, to click, to type."""
import base64
import contextlib

from tests.browser import browser

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"ArrowDown": "\ue015", "ArrowUp": "\ue013", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Enter": "\ue007",
        "Home": "\ue011", "End": "\ue010"}


class Window:
    """A tab of Chromium; elements are named by a CSS selector and a number."""

    def __init__(self, tab):
        self.tab = tab
        self.run, self.complaints = tab.run, tab.complaints

    def devtools(self, name, **arguments):
        return self.tab.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": arguments})

    def open(self, path, width=1280, height=860, scheme="light"):
        """Open a file in a window of this size; ``scheme``: what the user prefers."""
        self.tab.resize(width, height)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.tab.open(path.absolute().as_uri())

    def found(self, selector):
        return [element[ELEMENT] for element in self.tab.ask("POST", "/elements", {"using": "css selector", "value": selector})]

    def count(self, selector):
        return len(self.found(selector))

    def text(self, selector, number=0):
        return self.tab.ask("GET", f"/element/{self.found(selector)[number]}/text")

    def click(self, selector, number=0):
        self.tab.ask("POST", f"/element/{self.found(selector)[number]}/click", {})

    def type(self, selector, text):
        self.tab.ask("POST", f"/element/{self.found(selector)[0]}/value", {"text": text})

    def press(self, key):
        """A key for what has the focus."""
        value = KEYS.get(key, key)
        self.act("key", [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}])

    def hover(self, selector, number=0):
        where = {ELEMENT: self.found(selector)[number]}
        self.act("pointer", [{"type": "pointerMove", "duration": 0, "origin": where, "x": 0, "y": 0}])

    def act(self, kind, actions):
        self.tab.ask("POST", "/actions", {"actions": [{"type": kind, "id": kind, "actions": actions}]})

    def picture(self, path):
        """A picture of the whole page."""
        taken = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(taken["data"]))


@contextlib.contextmanager
def window():
    """A :class:`Window`, which closes with the block."""
    with browser() as tab:
        yield Window(tab)
