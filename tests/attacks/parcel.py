"""Attacks by what is sent to the intake: the naive way to unpack it, the kit's, and what came of it."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import tarfile
import unicodedata
import zipfile
from dataclasses import dataclass
from pathlib import Path

from attacking import TOKEN

from autograder.collect import collect
from autograder.grader import Grader
from autograder.submissions import find_notebook, handed_in

MUCH = 50 << 20


@dataclass(frozen=True)
class Parcel:
    """What an attack may put into a parcel: `outside` is a file beside the folder it is unpacked to, `secret` one of the course's."""

    folder: Path
    outside: Path
    secret: Path
    honest: bytes


@dataclass(frozen=True)
class TakenIn:
    """What came of a parcel. `honest`: whether the honest notebook in it was taken and (by the kit) got full marks."""

    outside: bool
    size: int
    secret: bool
    names: bool
    honest: bool
    undeserved: float = 0.0


def zipped(path: Path, files: dict[str, bytes | str]) -> Path:
    """A zip with these members; one whose content is text is a link to that path."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            member = zipfile.ZipInfo(name, (2027, 2, 1, 12, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = ((stat.S_IFLNK | 0o777) if isinstance(data, str) else (stat.S_IFREG | 0o644)) << 16
            archive.writestr(member, data)
    return path


def tarred(path: Path, files: dict[str, bytes | str], *, hard: bool = False) -> Path:
    """A tar with these members; one whose content is text is a link to that path (a hard one with `hard`)."""
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            if isinstance(data, str):
                member.type, member.linkname = (tarfile.LNKTYPE if hard else tarfile.SYMTYPE), data
                archive.addfile(member)
            else:
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    return path


def unpacked_naively(attempt, folder: Path, parcel: Parcel) -> TakenIn:
    """The control: members are written where their names say."""
    target = folder / "unpacked"
    target.mkdir()
    with contextlib.suppress(OSError, ValueError, tarfile.TarError, zipfile.BadZipFile):
        _extract(attempt.pack(parcel), target)
    return _came_of(target, parcel, (target / "jane/attention/attention.ipynb").is_file())


def _extract(path: Path, target: Path) -> None:
    if path.suffix != ".zip":
        with tarfile.open(path) as archive:
            archive.extractall(target, **({"filter": "fully_trusted"} if hasattr(tarfile, "data_filter") else {}))
        return
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            place = Path(os.path.join(target, member.filename))
            place.parent.mkdir(parents=True, exist_ok=True)
            if stat.S_ISLNK(member.external_attr >> 16):
                place.symlink_to(archive.read(member).decode())
            else:
                place.write_bytes(archive.read(member))
                if place.suffix == ".zip":
                    _extract(place, target)


def intake(attempt, folder: Path, parcel: Parcel, grader: Grader) -> TakenIn:
    """The kit's way: collected, and everything that was taken is graded."""
    root = folder / "course"
    root.mkdir()
    collect(root, "attention", [attempt.pack(parcel)])
    results = {handed.student: grader.grade(handed.student, find_notebook(handed)).result for handed in handed_in(root, "attention")}
    honest = results.pop("jane", None)
    undeserved = max((result.score for result in results.values()), default=0.0)
    return _came_of(root, parcel, honest is not None and honest.score == honest.max_score, undeserved)


def _came_of(target: Path, parcel: Parcel, honest: bool, undeserved: float = 0.0) -> TakenIn:
    files = [path for path in target.rglob("*") if path.is_file()]
    names = any(_hostile(part) for path in target.rglob("*") for part in path.relative_to(target).parts)
    secret = any(TOKEN.encode() in path.read_bytes() for path in files)
    return TakenIn(parcel.outside.exists(), sum(path.stat().st_size for path in files), secret, names, honest, undeserved)


def _hostile(name: str) -> bool:
    """Whether a name turns round what is read, is a formula in a spreadsheet, or works on a terminal."""
    return name.startswith(tuple("=+-@")) or any(unicodedata.category(c) in ("Cc", "Cf") for c in name)
