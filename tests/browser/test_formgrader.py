"""A TA at nbgrader's formgrader: sees scores and panels, gives points and a comment, and sends feedback that holds them."""

from __future__ import annotations

import pytest
from driving import Server, picture, requests, seen, wait_for
from selenium.webdriver.common.keys import Keys

QUESTION, STUDENT = "why-divide-by-the-root", "without-the-scale"
SAID = "Good on the *variance*; what of the gradient for $a<b$?"


@pytest.fixture(autouse=True)
def _inside(driver, formgrader):
    """At the address that the command prints: it holds the token, and the browser is known from then on."""
    driver.get(formgrader.address("formgrader"))
    seen(driver, "h1", text="Manage Assignments")


def submission(server: Server) -> dict:
    rows = server.json("formgrader/api/submitted_notebooks/attention/attention")
    return next(row for row in rows if row["student"].endswith(STUDENT))


def open_submission(driver, server: Server) -> None:
    driver.get(f"{server.home}formgrader/submissions/{submission(server)['id']}/")
    ready = "return window.formgrader && formgrader.grades && formgrader.grades.loaded && formgrader.comments.loaded"
    wait_for(lambda: driver.execute_script(ready), "the scores to be loaded")


def field(driver, name: str):
    found = driver.find_element("id", name)
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
    return found


def test_the_ta_sees_the_class(driver, formgrader):
    driver.get(f"{formgrader.home}formgrader/gradebook/attention/attention")
    seen(driver, "table td", text="Submission #1")
    assert len(driver.find_elements("css selector", "tbody tr")) == 5
    picture(driver, "formgrader-class")


def test_points_and_a_comment_reach_the_total_and_the_feedback(driver, course, formgrader):
    before = submission(formgrader)
    assert before["needs_manual_grade"] and before["written_score"] == 0 and before["code_score"] < before["max_code_score"]
    requests(driver)
    open_submission(driver, formgrader)
    assert all(one.startswith((formgrader.home, "data:")) for one in requests(driver)), "formgrader works without a network"
    assert float(field(driver, "scaled_dot_product_attention-checks").get_attribute("placeholder")) < 13, "the automatic score"
    panel = seen(driver, ".autograder-panel", text="never divided by sqrt(D_k)")
    driver.execute_script("arguments[0].scrollIntoView()", panel)
    picture(driver, "formgrader-panel")
    points = field(driver, QUESTION)
    points.send_keys("1.5", Keys.TAB)
    comment = field(driver, f"{QUESTION}-comment")
    comment.send_keys(SAID, Keys.ESCAPE)
    wait_for(lambda: submission(formgrader)["score"] == before["score"] + 1.5, "the total to follow")
    assert not submission(formgrader)["needs_manual_grade"]
    comments = f"formgrader/api/comments?submission_id={before['id']}"
    wait_for(lambda: any(one["manual_comment"] == SAID for one in formgrader.json(comments)), "the comment to be kept")
    picture(driver, "formgrader-points-and-comment")
    page = next((course / "feedback").glob(f"*-{STUDENT}")) / "attention/attention.html"
    assert "Good on the" not in page.read_text()
    send_feedback(driver, formgrader)
    text = page.read_text()
    assert "Good on the <em>variance</em>" in text and "<mo>&lt;</mo>" in text and "<script" not in text
    assert "1.5 of 2 points" in text and f"{before['score'] + 1.5:g} of 47.5 points" in text
    driver.get(page.as_uri())
    driver.execute_script("arguments[0].scrollIntoView()", seen(driver, "section.answer .comment", text="Good on the variance"))
    picture(driver, "feedback-with-the-comment")


def send_feedback(driver, server: Server) -> None:
    """The button in the list of assignments."""
    driver.get(f"{server.home}formgrader/manage_assignments")
    seen(driver, "tr td a", text="attention")
    row = next(row for row in driver.find_elements("css selector", "tbody tr") if row.text.startswith("attention"))
    row.find_element("css selector", ".generate-feedback a").click()
    seen(driver, ".modal-body", text="Successfully generated feedback of")
    picture(driver, "formgrader-feedback-generated")
