"""Run the source notebooks whole, training included, with the reference's answers, and draw their figures.

    python -m autograder.experiments [ASSIGNMENT]... [--figures FOLDER]

A cell that raises (the experiments assert the figures that the lesson states) or a check that does not hold fails the run.
Exit status 0 when all is well, 1 otherwise.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Iterator, Optional

import typer
from rich.markup import escape

from autograder.course import find_root, read_course
from autograder.terminal import console

PLOTLY = "application/vnd.plotly.v1+json"
CELL_SECONDS = 1200
out = console()


def main(names: Annotated[Optional[list[str]], typer.Argument(metavar="[ASSIGNMENT]...", help="All of them by default.")] = None,
         figures: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the images go.")] = Path("build/figures")) -> None:
    """Run source notebooks whole and draw their figures."""
    root = find_root()
    failed = False
    for name in names or [assignment.name for assignment in read_course(root / "course.yaml").assignments]:
        started = time.monotonic()
        notebook, problem = executed(root / "source" / name / f"{name}.ipynb")
        count, note = drawn(notebook, figures / name)
        out.print(f"{name}: {problem or 'all cells ran'} in {time.monotonic() - started:.0f} s, {count} figures in {escape(str(figures / name))}{note}",
                  style="bold red" if problem else None)
        failed = failed or bool(problem)
    if failed:
        raise typer.Exit(1)


def executed(path: Path) -> tuple[Any, str]:
    """The notebook at `path` after all its cells have run in a kernel of their own, and what went wrong (or nothing)."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError
    notebook = nbformat.read(path, as_version=4)
    environment = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PLOTLY_RENDERER": "plotly_mimetype"}
    client = NotebookClient(notebook, timeout=CELL_SECONDS, resources={"metadata": {"path": str(path.parent)}})
    import os
    os.environ |= environment  # the kernel's, too
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError) as error:
        return notebook, _where(notebook, error)
    return notebook, "; ".join(_unheld(notebook))


def _where(notebook: Any, error: Exception) -> str:
    raised = [cell.id for cell in notebook.cells if any(o.get("output_type") == "error" for o in cell.get("outputs", []))]
    return f"the cell {raised[0] if raised else '(unknown)'} failed: {' '.join(str(error).strip().splitlines()[-1:])[:300]}"


def _unheld(notebook: Any) -> Iterator[str]:
    """The check cells in which a check does not hold (it says so on stderr)."""
    for cell in notebook.cells:
        if cell.metadata.get("autograder", {}).get("kind") == "checks":
            said = "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stderr")
            if said:
                yield f"{cell.id}: {said.strip()[:300]}"


def drawn(notebook: Any, folder: Path) -> tuple[int, str]:
    """Write every figure of an executed notebook as an image; how many there are, and a note where they could not be drawn."""
    import plotly.io
    plots = [(cell.id, output["data"][PLOTLY]) for cell in notebook.cells for output in cell.get("outputs", [])
             if PLOTLY in output.get("data", {})]
    folder.mkdir(parents=True, exist_ok=True)
    for number, (cell, plot) in enumerate(plots, 1):
        figure = plotly.io.from_json(json.dumps({"data": plot["data"], "layout": plot["layout"]}))
        figure.write_html(folder / f"{number:02d}-{cell}.html")
        try:
            figure.write_image(folder / f"{number:02d}-{cell}.png", width=1000, scale=1)
        except Exception as error:  # noqa: BLE001 - no browser: the pages are there all the same
            return len(plots), f" (pages only: {' '.join(str(error).split())[:120]}; an image needs Chrome or Chromium)"
    return len(plots), ""


if __name__ == "__main__":
    sys.exit(typer.run(main))
