"""Headless Chromium by the WebDriver protocol, spoken with the standard library alone."""
import base64
import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

DRIVER = shutil.which("chromedriver")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"ArrowDown": "\ue015", "ArrowUp": "\ue013", "ArrowLeft": "\ue012", "ArrowRight": "\ue014", "Enter": "\ue007",
        "Home": "\ue011", "End": "\ue010"}


class Browser:
    """One window. Commands that fail raise ``RuntimeError`` with the driver's message."""

    def __init__(self, port, scratch):
        self.root = f"http://127.0.0.1:{port}"
        options = {"args": [*FLAGS, f"--user-data-dir={scratch}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{answer['sessionId']}"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def command(self, method, path, body=None):
        return self.ask(method, self.session + path, body)

    def devtools(self, name, **arguments):
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": arguments})

    def open(self, path, width=1280, height=860, scheme="light"):
        """Open a file in a window of this size; ``scheme``: what the user prefers."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.command("POST", "/url", {"url": path.absolute().as_uri()})

    def run(self, script, *arguments):
        """What a piece of JavaScript returns."""
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector, number=0):
        return self.command("POST", "/elements", {"using": "css selector", "value": selector})[number][ELEMENT]

    def count(self, selector):
        return len(self.command("POST", "/elements", {"using": "css selector", "value": selector}))

    def text(self, selector, number=0):
        return self.command("GET", f"/element/{self.find(selector, number)}/text")

    def click(self, selector, number=0):
        self.command("POST", f"/element/{self.find(selector, number)}/click", {})

    def type(self, selector, text):
        self.command("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, key):
        """A key for what has the focus."""
        value = KEYS.get(key, key)
        actions = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.command("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def hover(self, selector, number=0):
        where = {ELEMENT: self.find(selector, number)}
        move = {"type": "pointerMove", "duration": 0, "origin": where, "x": 0, "y": 0}
        self.command("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def picture(self, path):
        taken = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(taken["data"]))

    def complaints(self):
        """What the browser's console says."""
        return [entry["message"] for entry in self.command("POST", "/se/log", {"type": "browser"})]

    def close(self):
        self.command("DELETE", "")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def browser():
    """A browser, which ends with the block."""
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        driver = subprocess.Popen([DRIVER, f"--port={port}", "--log-level=SEVERE"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env={**os.environ, "HOME": scratch})
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                time.sleep(0.05)
            found = Browser(port, scratch)
            try:
                yield found
            finally:
                found.close()
        finally:
            driver.terminate()
            driver.wait()
