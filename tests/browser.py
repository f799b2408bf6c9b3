"""Chromium without a screen, driven through ChromeDriver's protocol: what a page looks like, and what it complains of."""
import json
import re
import shutil
import subprocess
import time
import urllib.request
from contextlib import contextmanager

#: Where both are installed: Debian's packages chromium and chromium-driver.
INSTALLED = shutil.which("chromedriver") is not None and shutil.which("chromium") is not None
#: --disable-dev-shm-usage: containers have little of that memory. The rest keeps it from looking for its maker's servers.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]

#: What reaches beyond the window and cannot be scrolled to by itself.
TOO_WIDE = """
const width = document.documentElement.clientWidth, found = []
if (document.documentElement.scrollWidth > width) found.push("the page: " + document.documentElement.scrollWidth)
const scrolls = element => element && element !== document.body
    && (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
for (const element of document.querySelectorAll(arguments[0]))
    if (element.getBoundingClientRect().right > width + 1 && !scrolls(element))
        found.push(element.tagName + ": " + element.textContent.slice(0, 60))
return found
"""


class Browser:
    """One tab."""

    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}/session"
        options = {"goog:chromeOptions": {"args": FLAGS}, "goog:loggingPrefs": {"browser": "ALL"}, "browserName": "chrome"}
        self.address += "/" + self.ask("POST", "", {"capabilities": {"alwaysMatch": options}})["sessionId"]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script, *arguments):
        """What ``script`` returns."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script, seconds=20):
        """What ``script`` returns as soon as that is true."""
        end = time.monotonic() + seconds
        while not (found := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.05)
        return found

    def resize(self, width, height=900):
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def complaints(self):
        """What the console said since the last time."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def too_wide(self, inside="body *"):
        return self.run(TOO_WIDE, inside)

    def picture(self):
        """A screenshot, as base64 of a PNG file."""
        return self.ask("GET", "/screenshot")


@contextmanager
def browser():
    """A browser, gone at the end."""
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        for line in driver.stdout:
            if started := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError("ChromeDriver did not start")
        tab = Browser(started[1])
        try:
            yield tab
        finally:
            tab.ask("DELETE", "")
    finally:
        driver.terminate()
        driver.wait()
        driver.stdout.close()
