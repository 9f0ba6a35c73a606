"""Pseudonyms: stable names in place of students', and text with names and paths taken out.

A pseudonym is drawn from the course's seed and the student's id: the same in every report of the course, in an order that says nothing
of the alphabet, and not to be had from a list of names by anybody who does not know the seed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Callable, Iterable

DIGITS = 8
_PART = r"""[^\s'"`,;()<>|]"""
_PATH = re.compile(rf"(?:(?<![\w.])~|(?<!\w)[A-Za-z]:|(?<![\w:/]))[\\/]{_PART}+|\b{_PART}{{1,100}}\.(?:ipynb|py|zip|tar|gz|txt|pdf)\b")
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_FILES = re.compile(r"\(found .*?\)(?=; hand in)|(?<=none is called )(\S+) \(.*\)(?=; rename)|(?<=there was also ).*(?=\.$)|"
                    r"(?<=The notebook is called ).*(?= instead of )")


def pseudonyms(seed: int, students: Iterable[str]) -> dict[str, str]:
    """A pseudonym for each student, no two the same."""
    named: dict[str, str] = {}
    taken: set[str] = set()
    for student in sorted(set(students)):
        mark = hmac.new(str(seed).encode(), student.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
        length = next(n for n in range(DIGITS, len(mark) + 1) if f"student-{mark[:n]}" not in taken)
        named[student] = f"student-{mark[:length]}"
        taken.add(named[student])
    return named


def scrubber(students: Iterable[str]) -> Callable[[str], str]:
    """What takes out of a text: these students' ids, files and paths, and mail addresses."""
    ids = sorted({form for student in students for form in (student, student.replace("_", " ")) if len(form) > 1}, key=len, reverse=True)
    letter = r"[^\W\d_]"  # in names of functions, words are joined by underscores
    names = re.compile("|".join(rf"(?<!{letter}){re.escape(one)}(?!{letter})" for one in ids), re.IGNORECASE) if ids else None

    def scrubbed(text: str) -> str:
        text = _FILES.sub(lambda found: f"{found[1]} (…)" if found[1] else "…", text)
        text = _PATH.sub("…", _MAIL.sub("…", text))
        return names.sub("…", text) if names else text
    return scrubbed
