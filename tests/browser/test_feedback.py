"""A feedback page in a browser: nothing of the student's runs, nothing is asked of the network, and it fits a phone and paper."""

from __future__ import annotations

import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from driving import PHONE, WIDE, printed, requests, seen, whole_page
from support import ROOT

PAGES = ("reference", "without-the-scale", "agrees-with-everything", "hostile")


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_whole_and_still(driver, course, name):
    page = next((course / "feedback").glob(f"*-{name}")) / "attention/attention.html"
    driver.get("about:blank")
    requests(driver)
    driver.get(page.as_uri())
    seen(driver, "h1", text="attention:")
    asked = [one for one in requests(driver) if urlsplit(one).scheme not in ("data", "about", "chrome") and one != page.as_uri()]
    assert asked == [], "a page asks for nothing but itself"
    assert driver.title.startswith("attention: "), "a script of the submission renamed it"
    assert not driver.find_elements("css selector", "script, iframe, object, embed")
    assert [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []
    for details in driver.find_elements("css selector", "details"):
        details.find_element("css selector", "summary").click()
    seen(driver, "math")
    assert whole_page(driver, f"feedback-{name}-open", width=PHONE) == PHONE, "nothing may stick out of a phone's screen"
    driver.refresh()
    for width in (WIDE, PHONE):
        assert whole_page(driver, f"feedback-{name}", width=width) == width
    assert printed(driver, f"feedback-{name}").startswith(b"%PDF")


def test_a_screen_reader_finds_its_way(driver, course):
    """The names that the browser itself hands to a screen reader: headings, tables with captions and headers, pictures in words."""
    driver.get((next((course / "feedback").glob("*-one-global-maximum")) / "attention/attention.html").as_uri())
    nodes = [node for node in driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"] if not node.get("ignored")]

    def named(role: str) -> list[str]:
        return [node.get("name", {}).get("value", "") for node in nodes if node.get("role", {}).get("value") == role]
    assert any(name.startswith("Checks: Softmax") for name in named("heading")) and named("main") and named("banner")
    assert "Points of each part" in named("table") and any("smallest input that shows it" in name for name in named("table"))
    assert {"Part", "Points", "Outcome"} <= set(named("columnheader")) and "Softmax" in named("rowheader")
    assert any(name.startswith("heat map of got minus expected: row 0:") for name in named("image") + named("img"))
    assert all(named("link")) and all(named("heading"))


def test_nbgrader_writes_the_same_page(course):
    page = next((course / "feedback").glob("*-reference")) / "attention/attention.html"
    ours = page.read_text()
    command = [sys.executable, "-m", "nbgrader", "generate_feedback", "attention", "--force", f"--student={page.parent.parent.name}"]
    subprocess.run(command, cwd=course, check=True, timeout=900, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert page.read_text() == ours
