"""An attack as a file: what it tries, what it wants, and the student's code, which is the file's own body.

The docstring is the sentence for the table, a blank line, and ``name: value`` lines (see `Attempt`). The code after it is the answer to
the attacked exercise, up to a line ``# %% …`` that says what follows:

``first``        a cell of the student's own before all exercises
``cell``         one after all exercises
``next``         one in the notebook of the student who is graded next
``answer NAME``  the answer to another exercise
``file``         ``change(notebook)``, which edits the notebook's JSON before it is handed in
``parcel``       ``pack(folder, note)``, which makes what is sent to ``autograder collect`` and returns its path

What is not answered here is answered rightly. Cells may use the names of `attacking.told`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

CONTROL, BOUNDARY, SANDBOX = ARMS = ("in process", "boundary only", "full sandbox")
FOLDER = Path(__file__).parent / "attempts"
# What an attack can want, and the arms that claim to stop it. Level `none` has no walls of the operating system: what only those can
# stop it does not claim to.
WANTS = {"marks": ARMS[1:], "inputs": ARMS[1:], "stop": ARMS[1:], "resources": ARMS[1:], "markup": ARMS[1:], "flag": ARMS[1:],
         "secret": ARMS[2:], "escape": ARMS[2:]}
_FIELDS = {"ids", "wants", "exercise", "arms", "because", "claimed"}
_MARK = re.compile(r"^# %% (\w+) ?(\w*)$", re.MULTILINE)


@dataclass(frozen=True)
class Attempt:
    """One attack.

    ids: of the catalogue of attacks that it was collected from, maybe none. wants: a key of `WANTS`. exercise: the attacked one.
    arms: where it is tried; `because` says why not in the others. claimed: the arms that claim to stop it. parts: (marker, name, code).
    """

    name: str
    group: str
    sentence: str
    ids: tuple[str, ...]
    wants: str
    exercise: str
    arms: tuple[str, ...]
    because: str
    claimed: tuple[str, ...]
    parts: tuple[tuple[str, str, str], ...]

    def sources(self, marker: str) -> list[str]:
        """The code after each of these markers."""
        return [code for mark, _, code in self.parts if mark == marker]

    @property
    def answers(self) -> dict[str, str]:
        """The attacker's answers by exercise."""
        return {name or self.exercise: code for mark, name, code in self.parts if mark == "answer"}

    @cached_property
    def change(self):
        """What edits the notebook's JSON."""
        return self._defined("file", "change") or (lambda notebook: None)

    @cached_property
    def pack(self):
        """What makes a parcel, or None."""
        return self._defined("parcel", "pack")

    def _defined(self, marker: str, name: str):
        scope: dict = {}
        for source in self.sources(marker):
            exec(compile(source, self.name, "exec"), scope)  # written by the kit's own developers
        return scope.get(name)


def read_attempt(path: Path) -> Attempt:
    """The attack in a file. Raises ValueError where a field is unknown or missing."""
    text = path.read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(_MARK.split(text)[0])) or ""
    sentence, _, rest = docstring.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in rest.splitlines() if line.strip())
    if fields.keys() - _FIELDS or fields.get("wants") not in WANTS:
        raise ValueError(f"{path}: its docstring ends in lines of {', '.join(sorted(_FIELDS))}, and wants one of {', '.join(WANTS)}")
    arms = _arms(fields["arms"]) if "arms" in fields else ARMS
    before_the_box = path.parent.name == "intake"  # no student's code is run there, at any level
    claimed = _arms(fields["claimed"]) if "claimed" in fields else ARMS[1:] if before_the_box else WANTS[fields["wants"]]
    if (arms != ARMS) != ("because" in fields):
        raise ValueError(f"{path}: where an attack is not tried in an arm, `because` says why")
    return Attempt(path.stem, path.parent.name, " ".join(sentence.split()), tuple(fields.get("ids", "").split()), fields["wants"],
                   fields.get("exercise", "softmax"), arms, fields.get("because", ""), claimed, tuple(_parts(text)))


def _arms(text: str) -> tuple[str, ...]:
    named = tuple(arm for arm in ARMS if arm in text.split(", "))
    if len(named) != len(text.split(", ")) and text != "none":
        raise ValueError(f"{text!r} names no arms; they are {', '.join(ARMS)}")
    return named


def _parts(text: str) -> list[tuple[str, str, str]]:
    head, *marked = _MARK.split(text)
    own = head.split('"""', 2)[2].lstrip("\n")
    parts = [("answer", "", own)] if own.strip() else []
    return parts + [(mark, name, code.lstrip("\n")) for mark, name, code in zip(marked[::3], marked[1::3], marked[2::3], strict=True)]


def attempts() -> list[Attempt]:
    """All attacks, by group and name."""
    return [read_attempt(path) for path in sorted(FOLDER.glob("*/*.py"))]
