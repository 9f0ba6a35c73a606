"""A student at a real JupyterLab: types a function, runs its check, runs everything, and asks nbgrader whether it holds."""

from __future__ import annotations

from pathlib import Path

from driving import WHOLE_NOTEBOOK, Server, picture, seen, wait_for
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from support import cells_of, references_of, release_of

from autograder.answers import filled_in

WRONG = "def softmax(Z, dim=-1): W = torch.exp(Z - Z.max()); return W / W.sum(dim, keepdim=True)"
RIGHT = "def softmax(Z, dim=-1): W = torch.exp(Z - Z.amax(dim, keepdim=True)); return W / W.sum(dim, keepdim=True)"
UNTOUCHED, DONE = "attention", "layernorm"


def notebook_at(driver, desk: tuple[Path, Server], assignment: str, text: str) -> None:
    """Open a notebook in the student's folder, and wait for its kernel."""
    folder, server = desk
    path = folder / f"{assignment}.ipynb"
    path.write_text(text, encoding="utf-8")
    driver.get(server.address(f"lab/workspaces/{assignment}/tree/{path.name}?reset"))
    seen(driver, ".jp-NotebookPanel .jp-Notebook")
    ready = "const session = panel.sessionContext; return session.isReady && panel.context.isReady && session.session.kernel.status === 'idle'"
    wait_for(lambda: script(driver, ready), "the kernel")


def script(driver, text: str):
    """Run JavaScript with JupyterLab as `app`, and as `panel` the open notebook."""
    start = "const app = window.jupyterapp, panel = app && app.shell.currentWidget; if (!panel || !panel.context) return null;"
    return driver.execute_script(f"{start} {text}")


def outputs(driver) -> list[dict]:
    """All outputs of the open notebook."""
    return script(driver, "return panel.content.widgets.flatMap(one => one.model.outputs ? one.model.outputs.toJSON() : [])")


def select(driver, cell: str) -> None:
    """Make the cell of that id the active one and scroll to it."""
    go = (f"const place = panel.content.widgets.findIndex(one => one.model.id === '{cell}'); if (place < 0) return false;"
          "panel.content.activeCellIndex = place; panel.content.scrollToItem(place, 'center');"
          "return panel.content.activeCell.inViewport !== false")
    wait_for(lambda: script(driver, go), f"the cell {cell}")


def type_in(driver, cell: str, text: str) -> None:
    """Replace a cell's text by typing."""
    select(driver, cell)
    seen(driver, ".jp-Cell.jp-mod-active .cm-content").click()
    wait_for(lambda: script(driver, "return panel.content.mode === 'edit'"), "the cell to be edited")
    ActionChains(driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(Keys.DELETE).send_keys(text).perform()
    wait_for(lambda: script(driver, "return panel.content.activeCell.model.sharedModel.source") == text, "what was typed")


def run(driver, cell: str) -> None:
    """Shift-Enter in a cell, until it has run."""
    select(driver, cell)
    before = script(driver, "return panel.content.activeCell.model.executionCount")
    seen(driver, ".jp-Cell.jp-mod-active .cm-content").click()
    ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
    where = f"panel.content.widgets.find(w => w.model.id === '{cell}').model.executionCount"
    wait_for(lambda: (now := script(driver, f"return {where}")) and now != before, f"{cell} to have run")


def panel_under(driver, cell: str, text: str):
    """The panel shown under a check cell, holding `text`."""
    select(driver, cell)
    return seen(driver, ".jp-Cell.jp-mod-selected .autograder-panel, .jp-Cell.jp-mod-active .autograder-panel", text=text)


def validated(driver, name: str) -> str:
    """What nbgrader's button Validate says of the open notebook, with a picture of it."""
    seen(driver, ".validate-button button, .validate-button").click()
    dialog = seen(driver, ".jp-Dialog", text="Validation Results", patience=WHOLE_NOTEBOOK)
    picture(driver, name)
    text = dialog.text
    dialog.find_element("css selector", "button").click()
    return text


def test_a_function_is_typed_in_and_its_check_says_what_is_wrong_until_it_holds(driver, desk):
    notebook_at(driver, desk, UNTOUCHED, release_of(UNTOUCHED))
    run(driver, "given-1")
    type_in(driver, "softmax", WRONG)
    run(driver, "softmax")
    run(driver, "softmax-checks")
    shown = panel_under(driver, "softmax-checks", "one maximum for the whole tensor").text
    assert "does not hold" in shown and "smallest input that shows it" in shown and "hidden checks not run here" in shown
    picture(driver, "lab-failing")
    assert not any(one.get("name") == "stderr" for one in outputs(driver)), "the panel says it all"
    said = validated(driver, "lab-validate-failing")
    assert "check(softmax)" in said and "check(simple_attention)" in said
    type_in(driver, "softmax", RIGHT)
    run(driver, "softmax")
    run(driver, "softmax-checks")
    assert "does not hold" not in panel_under(driver, "softmax-checks", "6 of 6 checks hold").text
    picture(driver, "lab-passing")
    said = validated(driver, "lab-validate-one-holds")
    assert "check(softmax)" not in said and "check(simple_attention)" in said, "nbgrader agrees with the check"


def test_restart_and_run_all_goes_to_the_end_and_nbgrader_agrees(driver, desk):
    cells = cells_of(release_of(DONE))
    question = next(cell["id"] for cell in cells if cell["metadata"]["autograder"]["kind"] == "answer")
    notebook_at(driver, desk, DONE, filled_in(release_of(DONE), references_of(DONE) | {question: "Because of the mean."}))
    driver.execute_script("window.jupyterapp.commands.execute('notebook:restart-run-all')")
    seen(driver, ".jp-Dialog button.jp-mod-warn, .jp-Dialog button.jp-mod-accept").click()
    count = sum(cell["cell_type"] == "code" for cell in cells)
    last = "return Math.max(...panel.content.widgets.map(one => one.model.executionCount || 0))"
    wait_for(lambda: script(driver, last) == count, "the last cell to have run", patience=WHOLE_NOTEBOOK)
    shown = outputs(driver)
    assert not [one for one in shown if one["output_type"] == "error"]
    assert sum("autograder-panel" in str(one.get("data")) for one in shown) == sum(cell["id"].endswith("-checks") for cell in cells)
    select(driver, "figure-1")
    picture(driver, "lab-figure")
    assert "Your notebook passes all the tests" in validated(driver, "lab-validate-passing")
