"""What a TA was sent, opened: files in folders, zips and tars (nested too), one by one and within bounds.

Nothing is extracted under a name that was sent; what is large waits in files without a name. Links, traversal, bombs and damage are refused one by one with a reason.
"""

from __future__ import annotations

import io
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Iterator

from autograder.notebook import MAX_RAW

MAX_FILE = 100 << 20
MAX_NOTEBOOK = MAX_RAW  # most of a large one is stored outputs, which are dropped when it is read
IN_MEMORY = 16 << 20
MAX_TOTAL = 4 << 30
MAX_FILES = 50_000
MAX_RATIO = 1000  # notebooks compress well, even with outputs; a bomb's ratio is beyond that
MAX_DEPTH = 3
# What the standard library raises on bytes that are no archive, on damage inside one, and on ways of packing that it does not know.
DAMAGE = (zipfile.BadZipFile, zipfile.LargeZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError, ValueError)
IGNORED = ("__MACOSX", ".ipynb_checkpoints", ".DS_Store", "Thumbs.db", "desktop.ini", ".git")


@dataclass(frozen=True)
class Item:
    """One file: its path inside what was sent (archives count as folders), its content, and when it was last changed (UTC)."""

    path: PurePosixPath
    content: bytes | BinaryIO
    changed: datetime | None

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        if isinstance(self.content, bytes):
            return self.content
        self.content.seek(0)
        return self.content.read()


@dataclass(frozen=True)
class Refused:
    """One file, or archive, that was not taken, and why."""

    path: PurePosixPath
    reason: str


@dataclass
class _Budget:
    files: int = 0
    total: int = 0

    def over(self, size: int, path: PurePosixPath) -> str:
        """Count one more file; the reason why it is too much, or nothing."""
        self.files += 1
        most, what = (MAX_NOTEBOOK, "clear the notebook's outputs") if path.suffix.lower() == ".ipynb" else (MAX_FILE, "make it smaller")
        if size > most:
            return f"it has {size >> 20} MB (at most {most >> 20} MB); {what} and hand it in again"
        if self.files > MAX_FILES or self.total + size > MAX_TOTAL:
            return f"what was sent holds more than {MAX_FILES:,} files or {MAX_TOTAL >> 30} GB; send it in parts"
        self.total += size
        return ""


def opened(path: Path) -> Iterator[Item | Refused]:
    """Every file of a folder, an archive or a single file at `path`, in a fixed order."""
    budget = _Budget()
    if path.is_dir():
        yield from _folder(path, budget)
    else:
        yield from _file(path, PurePosixPath(path.name), budget)


def _folder(top: Path, budget: _Budget) -> Iterator[Item | Refused]:
    for path in sorted(top.rglob("*")):
        inside = PurePosixPath(path.relative_to(top).as_posix())
        if _ignored(inside) or (path.is_dir() and not path.is_symlink()):
            continue
        yield from _file(path, inside, budget)


def _file(path: Path, inside: PurePosixPath, budget: _Budget) -> Iterator[Item | Refused]:
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            yield Refused(inside, "it is a link or no regular file; hand in the file itself")
            return
        archive = _is_archive(inside)
        reason = "" if archive else budget.over(status.st_size, inside)
        if reason:
            yield Refused(inside, reason)
            return
        changed = datetime.fromtimestamp(status.st_mtime, timezone.utc)
        if archive:
            with open(path, "rb") as file:
                yield from _archive(file, inside, budget, 1)
            return
        with open(path, "rb") as file:
            content = _read(file, status.st_size)
    except OSError as error:
        yield Refused(inside, f"it could not be read ({error.strerror}); check its permissions")
        return
    yield Item(inside, content, changed)


def _read(stream: IO[bytes], size: int) -> bytes | BinaryIO:
    """At most `size` bytes of `stream`: in memory, or a file without a name where there are many."""
    if size <= IN_MEMORY:
        return stream.read(size)
    spool = tempfile.TemporaryFile()
    while size > 0 and (part := stream.read(min(size, IN_MEMORY))):
        spool.write(part)
        size -= len(part)
    spool.seek(0)
    return spool


def _is_archive(path: PurePosixPath) -> bool:
    return path.name.lower().endswith((".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"))


def _ignored(path: PurePosixPath) -> bool:
    return any(part in IGNORED or part.startswith("._") for part in path.parts)


def _archive(file: BinaryIO, inside: PurePosixPath, budget: _Budget, depth: int) -> Iterator[Item | Refused]:
    if depth > MAX_DEPTH:
        yield Refused(inside, f"archives nested more than {MAX_DEPTH} deep")
        return
    members = _zip_members if inside.name.lower().endswith(".zip") else _tar_members
    try:
        for name, data, changed in members(file, budget):
            path = inside / _harmless(name)
            if isinstance(data, str):
                yield Refused(path, data)
            elif _is_archive(path):
                yield from _archive(io.BytesIO(data) if isinstance(data, bytes) else data, path, budget, depth + 1)
            else:
                yield Item(path, data, changed)
    except DAMAGE as error:
        yield Refused(inside, f"the archive is damaged or of an unknown kind ({type(error).__name__}: {error}); ask for it again")


def _harmless(name: str) -> PurePosixPath:
    """A member's name without roots, drives and dots that climb out."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..") and not part.endswith(":")]
    return PurePosixPath(*parts) if parts else PurePosixPath("unnamed")


def _climbs(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":")


def _zip_members(file: BinaryIO, budget: _Budget) -> Iterator[tuple[str, bytes | BinaryIO | str, datetime | None]]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            name = _zip_name(member)
            if member.is_dir() or _ignored(_harmless(name)):
                continue
            if _climbs(name):
                yield name, "its path climbs out of the archive", None
                continue
            if stat.S_ISLNK(member.external_attr >> 16):
                yield name, "it is a link; hand in the file itself", None
                continue
            if member.flag_bits & 1:
                yield name, "it is encrypted; hand it in without a password", None
                continue
            if member.file_size > 1 << 20 and member.file_size > MAX_RATIO * max(1, member.compress_size):
                yield name, "it unpacks to more than a thousand times its size, which no notebook does", None
                continue
            reason = budget.over(member.file_size, _harmless(name))
            yield name, reason or _bounded(archive, member), _zip_time(member)


def _zip_name(member: zipfile.ZipInfo) -> str:
    """The name; without the UTF-8 flag zipfile reads cp437, although many programs write UTF-8 there."""
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _bounded(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes | BinaryIO | str:
    """The member's content, never more than it says that it has."""
    try:
        with archive.open(member) as stream:
            content = _read(stream, member.file_size)
            return "it is longer than it says" if stream.read(1) else content
    except DAMAGE as error:
        return f"it is damaged inside the archive ({error}); ask for it again"


def _zip_time(member: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*member.date_time, tzinfo=timezone.utc)
    except ValueError:
        return None


def _tar_members(file: BinaryIO, budget: _Budget) -> Iterator[tuple[str, bytes | BinaryIO | str, datetime | None]]:
    with tarfile.open(fileobj=file, mode="r:*") as archive:
        for member in archive:
            name = member.name
            if member.isdir() or _ignored(_harmless(name)):
                continue
            if _climbs(name):
                yield name, "its path climbs out of the archive", None
            elif not member.isfile():
                yield name, "it is a link or no regular file; hand in the file itself", None
            else:
                reason = budget.over(member.size, _harmless(name))
                yield name, reason or _read(archive.extractfile(member), member.size), _unix_time(member.mtime)


def _unix_time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(max(0, seconds), timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None
