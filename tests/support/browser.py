"""Headless Chromium, driven through its chromedriver: a page on a phone or a desk, light or dark, without a network."""

import base64
import json
import time
from pathlib import Path

from tests.support.installing import tool

PHONE = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
DESKTOP = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}

PAPER = {"width": 718, "height": 1047, "deviceScaleFactor": 1, "mobile": False}
"""DIN A4 with Chromium's margins, in CSS pixels."""

FLAGS = (
    "--headless",
    "--no-sandbox",  # root has no sandbox of its own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def find_programs() -> tuple[str, str]:
    """Chromium and chromedriver, or no test. (Debian: chromium, chromium-driver.)"""
    return tool("chromium"), tool("chromedriver")


class Browser:
    """One Chromium; every page it opens is a file or, unless it is ``offline``, from a server on this machine."""

    def __init__(self, profile: Path, *, offline: bool = True) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        chromium, driver = find_programs()
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.command("Network.enable")
        nothing = {"latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self.command("Emulation.setFocusEmulationEnabled", enabled=True)  # or nothing is told to an element in focus
        if offline:
            self.command("Network.emulateNetworkConditions", offline=True, **nothing)

    def command(self, name: str, **arguments: object) -> dict:
        """A command of the Chrome DevTools Protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def close(self) -> None:
        self.driver.quit()

    def open(self, page: Path | str, device: dict, *, dark: bool = False, scripts: bool = True) -> None:
        """Open a file or an address, having forgotten what was logged of others."""
        self.command("Emulation.setDeviceMetricsOverride", **device)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.command("Emulation.setEmulatedMedia", features=features)
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.driver.get("about:blank")
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(page if isinstance(page, str) else page.absolute().as_uri())
        self.until("return document.readyState === 'complete'")  # a busy machine may still be parsing
        self.command("Page.resetNavigationHistory")  # a full one forgets its first pages, which Back then does not find

    def run(self, script: str, *arguments: object):
        """Run a script in the page, and what it returns."""
        return self.driver.execute_script(script, *arguments)

    def until(self, script: str, *arguments: object, seconds: float = 60):
        """Wait until a script returns something true, and that: a click is answered when the machine comes to it."""
        deadline = time.monotonic() + seconds
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < deadline, f"never came true: {script}"
            time.sleep(0.02)
        return found

    def console(self) -> list[str]:
        """What the page made the console say."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """The addresses that the page asked for, itself included."""
        entries = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [e["params"]["request"]["url"] for e in entries if e["method"] == "Network.requestWillBeSent"]

    def accessible_names(self, role: str) -> list[str]:
        """The names of all that has a role, as a screen reader gets them."""
        nodes = self.command("Accessibility.getFullAXTree")["nodes"]
        found = [node for node in nodes if node.get("role", {}).get("value") == role and not node["ignored"]]
        return [node.get("name", {}).get("value", "") for node in found]

    def axe(self) -> list[str]:
        """What axe-core finds wrong with the page, one line for each element."""
        import axe_core_python

        source = (Path(axe_core_python.__path__[0]) / "axe.min.js").read_text(encoding="utf-8")
        self.run(source)
        found = self.driver.execute_async_script("const done = arguments[0]; axe.run().then(done);")
        return [
            f"{rule['id']}: {node['html'][:150]} {node.get('failureSummary', '')}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]

    def photograph(self, path: Path, width: int, height: int) -> None:
        """The upper left part of the page, so large, as PNG."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        found = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(found["data"]))
