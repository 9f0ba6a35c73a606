"""A real Chromium, a real JupyterLab on this machine only, and pictures of what was seen in build/screens."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from support import ROOT

SCREENS = ROOT / "build" / "screens"
PATIENCE = 300  # seconds; only a machine with much else to do needs more than a few
WHOLE_NOTEBOOK = 1200  # for one that is run from top to bottom, training included
WIDE, PHONE = 1200, 390


def installed(*names: str) -> str | None:
    """The first of these programs that there is."""
    return next(filter(None, map(shutil.which, names)), None)


@contextlib.contextmanager
def chromium() -> Iterator[webdriver.Chrome]:
    """The system's Chromium, with the system's driver: nothing is downloaded."""
    browser, driver = installed("chromium", "chromium-browser", "google-chrome"), installed("chromedriver")
    if not browser or not driver:
        pytest.skip("no Chromium with its driver on this machine: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                     f"--window-size={WIDE},1000", *(["--no-sandbox"] if os.geteuid() == 0 else [])):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(driver))
    made.set_page_load_timeout(PATIENCE)
    made.set_script_timeout(PATIENCE)
    try:
        yield made
    finally:
        made.quit()


@dataclass(frozen=True)
class Server:
    """JupyterLab serving a folder."""

    port: int
    token: str
    log: Path

    @property
    def home(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/"

    def address(self, path: str) -> str:
        """The address of `path` there, with the token that lets one in."""
        return f"{self.home}{path}{'&' if '?' in path else '?'}token={self.token}"

    def json(self, path: str) -> Any:
        """What the server answers there."""
        with urllib.request.urlopen(self.address(path), timeout=PATIENCE) as answer:
            return json.load(answer)


@contextlib.contextmanager
def serving(command: Callable[[int], list[str]], folder: Path, log: Path) -> Iterator[Server]:
    """A command (for a port) that serves `folder`, with no settings of the user's; its whole process group is ended afterwards."""
    server = Server(_free_port(), secrets.token_hex(16), log)
    own = {f"JUPYTER_{name}_DIR": str(log.parent / name.lower()) for name in ("CONFIG", "RUNTIME", "DATA")}
    settings = log.parent / "config/labconfig/default_setting_overrides.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}))
    environment = os.environ | own | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "JUPYTER_TOKEN": server.token}
    with open(log, "wb") as output:
        process = subprocess.Popen(command(server.port), cwd=folder, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        wait_for(lambda: process.poll() is not None or _answers(server), f"the server's answer ({log})")
        assert process.poll() is None, log.read_text()
        yield server
    finally:
        for how in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, how)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(server: Server) -> bool:
    try:
        return bool(server.json("api/status"))
    except OSError:
        return False


def wait_for(what: Callable[[], Any], meaning: str, patience: float = PATIENCE) -> Any:
    """The first true answer of `what`, asked again and again; a page that is still changing is asked once more."""
    end, last = time.monotonic() + patience, None
    while time.monotonic() < end:
        try:
            found = what()
        except WebDriverException as error:
            found, last = None, error
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {patience:g} s in vain for {meaning}; last: {last}")


def seen(driver: webdriver.Chrome, selector: str, *, text: str = "", patience: float = PATIENCE) -> WebElement:
    """The first element of that CSS selector on show, holding `text`, waited for."""
    def found() -> WebElement | None:
        return next((one for one in driver.find_elements(By.CSS_SELECTOR, selector) if one.is_displayed() and text in one.text), None)
    return wait_for(found, f"{selector} {text!r}", patience)


def picture(driver: webdriver.Chrome, name: str) -> None:
    """What is on show, as an image in build/screens."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    driver.save_screenshot(str(SCREENS / f"{name}.png"))


def whole_page(driver: webdriver.Chrome, name: str, *, width: int) -> int:
    """The page from top to bottom at a width, as images in build/screens; returns how wide its contents are."""
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    wide, high = driver.execute_script("const r = document.documentElement; return [r.scrollWidth, r.scrollHeight]")
    SCREENS.mkdir(parents=True, exist_ok=True)
    for number, top in enumerate(range(0, high, 2000)):
        clip = {"x": 0, "y": top, "width": width, "height": min(2000, high - top), "scale": 1}
        shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (SCREENS / f"{name}-{width}-{number}.png").write_bytes(base64.b64decode(shot["data"]))
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return wide


def printed(driver: webdriver.Chrome, name: str) -> bytes:
    """The page as printed, a PDF in build/screens."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    data = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"])
    (SCREENS / f"{name}.pdf").write_bytes(data)
    return data


def requests(driver: webdriver.Chrome) -> list[str]:
    """The addresses asked for since this was last asked."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
