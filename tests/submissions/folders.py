"""Odd folders: names, links, other files, time stamps, and students' ids."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable

from submissions.making import CORRECT, NAME, UNREADABLE, Odd, data_of, right, right_text, with_source

RIGHT = right_text().encode()
WRONG = with_source("causal_mask", "def causal_mask(N):\n    return None")
NO_NOTEBOOK = "nbgrader looks for *.ipynb in the folder itself and passes over a student who has none"


def _files(files: dict[str, bytes]) -> Callable[[Path], None]:
    """Lays out files given by their paths in the folder."""
    def place(folder: Path) -> None:
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return place


def _linked(folder: Path) -> None:
    """A link to another student's right notebook (of the batch: a neighbour's)."""
    (folder / NAME).symlink_to(Path("../../honest-1/attention") / NAME)


def _dangling(folder: Path) -> None:
    (folder / NAME).symlink_to("nowhere.ipynb")


def _folder(folder: Path) -> None:
    (folder / NAME).mkdir()
    (folder / NAME / "notes.txt").write_text("notes")


def _folder_and_another(folder: Path) -> None:
    _folder(folder)
    (folder / "attention (1).ipynb").write_bytes(RIGHT)


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / NAME)


def _forbidden(folder: Path) -> None:
    (folder / NAME).write_bytes(RIGHT)
    (folder / NAME).chmod(0)


def names() -> list[Odd]:
    """Notebooks under other names, several of them, in other places, or none."""
    instead, only = "instead of attention.ipynb", "Only attention.ipynb was graded"
    made = [
        ("misnamed", CORRECT, instead, {"hw (1).ipynb": RIGHT}), ("misnamed_in_capitals", CORRECT, instead, {"ATTENTION.IPYNB": RIGHT}),
        ("misnamed_with_accents", CORRECT, instead, {"Übung é.ipynb": RIGHT}), ("misnamed_and_a_copy_of_jupyters", CORRECT, instead,
         {"hw.ipynb": RIGHT, ".ipynb_checkpoints/hw-checkpoint.ipynb": WRONG}), ("misnamed_beside_a_macos_file", CORRECT, instead, {"hw.ipynb": RIGHT, "._hw.ipynb": b"\0"}),
        ("two_misnamed", UNREADABLE, "2 notebooks and none is called", {"hw.ipynb": RIGHT, "hw (1).ipynb": WRONG}),
        ("extra_notebooks", CORRECT, only, {NAME: RIGHT, "attention (1).ipynb": WRONG, "scratch.ipynb": b"no notebook"}),
        ("nested_folder", CORRECT, "attention/attention.ipynb", {"attention/attention.ipynb": RIGHT}),
        ("nested_twice_and_misnamed", CORRECT, "hand in/mine/hw.ipynb", {"hand in/mine/hw.ipynb": RIGHT, "__MACOSX/hand in/._hw.ipynb": b"\0"}),
        ("nested_in_two_folders", UNREADABLE, "2 notebooks", {"a/hw.ipynb": RIGHT, "b/hw.ipynb": RIGHT}),
        ("other_files_only", UNREADABLE, "no notebook was handed in .*answer.py", {"answer.py": b"x = 1", "attention.pdf": b"%PDF"}),
        ("suffix_txt", UNREADABLE, "attention.ipynb.txt", {"attention.ipynb.txt": RIGHT}),
    ]
    refused = {"misnamed_in_capitals", "nested_folder", "nested_twice_and_misnamed", "nested_in_two_folders", "other_files_only", "suffix_txt"}
    return [*(Odd(what, outcome, says, place=_files(files), by_nbgrader=NO_NOTEBOOK if what in refused else "") for what, outcome, says, files in made),
            Odd("empty_folder", UNREADABLE, "the folder is empty", place=lambda folder: None, by_nbgrader=NO_NOTEBOOK)]


def kinds() -> list[Odd]:
    """Links, folders and pipes in the notebook's place, and one that may not be read."""
    made = [Odd("link_to_a_neighbour", UNREADABLE, "not a regular file", place=_linked), Odd("link_to_nowhere", UNREADABLE, "not a regular file", place=_dangling),
            Odd("folder_of_that_name", UNREADABLE, "not a regular file", place=_folder), Odd("named_pipe", UNREADABLE, "not a regular file", place=_pipe),
            Odd("folder_of_that_name_and_a_notebook", CORRECT, "instead of attention.ipynb", place=_folder_and_another)]
    return made if os.geteuid() == 0 else [*made, Odd("no_permission", UNREADABLE, "permissions", place=_forbidden)]


def neighbours() -> list[Odd]:
    """Files beside the notebook that must not be read, or that are damaged."""
    evil = b"raise SystemExit('imported')\n"
    unread = "time stamp .* could not be read"
    made = [("torch_beside_it", "", {"torch.py": evil, "torch/__init__.py": evil}), ("autograder_beside_it", "", {"autograder.py": evil}),
            ("json_beside_it", "", {"json.py": evil, "sitecustomize.py": evil, "conftest.py": evil}),
            ("config_beside_it", "", {"nbgrader_config.py": evil, "course.yaml": b"{"}), ("timestamp_malformed", unread, {"timestamp.txt": b"yesterday, I think"}),
            ("timestamp_empty", unread, {"timestamp.txt": b""}), ("timestamp_binary", unread, {"timestamp.txt": b"\xff\xfe\x00"}),
            ("timestamp_out_of_range", unread, {"timestamp.txt": b"9999-12-31 23:59:59 -2359"}),
            ("timestamp_on_time", "", {"timestamp.txt": b"2027-02-01 12:00:00 UTC"}),
            ("timestamp_with_bom", "", {"timestamp.txt": b"\xef\xbb\xbf2027-02-01 12:00:00 UTC\r\n"})]
    return [Odd(what, CORRECT, says, place=_files({NAME: RIGHT} | files)) for what, says, files in made]


def students() -> list[Odd]:
    """Students whose ids are odd."""
    by_nbgrader = "nbgrader takes the folder's name as a pattern"
    made = {"spaces": "Ada  Lovelace ", "accents": "Zoë Müller-Łukasz", "decomposed_accents": "Zoe\u0308", "brackets": "[x]", "star": "a*b", "equals": "=1+1", "comma": "Turing, Alan",
            "quotes": "O'Neill \"Tip\"", "ampersand_and_tag": "<b>&amp;", "200_characters": "n" * 200, "leading_dash": "-rf", "percent": "100%s{student_id}",
            "emoji": "🦉", "chinese": "王小明", "backslash": "a\\b", "dollar": "$HOME", "hash": "#1;--", "right_to_left": "\u202eevil", "number": "007", "dots": "a..b"}
    reasons = {"brackets": by_nbgrader, "star": by_nbgrader, "200_characters": "nbgrader does not shorten ids: a row of its own"}
    return [Odd(f"student_{what}", CORRECT, "", RIGHT, student=name, by_nbgrader=reasons.get(what, "")) for what, name in made.items()]


def honest() -> list[Odd]:
    """Right and in order, between the odd ones."""
    return [Odd(f"honest_{number}", CORRECT, "", data_of(right()), student=f"{place}-{number}") for number, place in enumerate(("a", "honest", "m", "z"))]


def folders() -> list[Odd]:
    """All of them."""
    return [*names(), *kinds(), *neighbours(), *students()]
