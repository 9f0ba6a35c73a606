"""A cgroup of its own for the template and its workers, with limits on memory and processes that hold for all of them together.

Only a version 2 cgroup that was handed over to the grader is used: by systemd
(``systemd-run --user --scope -p Delegate=yes autograder grade …``)
or because a container has one of its own. Wherever anything is missing nothing changes: each worker has its own limits without it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path

from autograder.course import Limits

MOUNT, TABLE = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
LEAF = "autograder-grader"  # where this process steps aside: a cgroup with limits below it may hold no process itself
TEMPLATE_MB = 1024
SENTENCE = "memory and processes of all submissions limited by a cgroup"


def make_group(limits: Limits) -> Path | None:
    """A new cgroup with the limits of the course, or None where there is none to be had. Never raises."""
    try:
        own = handed_over()
        return _made(own, limits) if own else None
    except (OSError, ValueError):
        return None


def handed_over(mount: Path = MOUNT, table: Path = TABLE) -> Path | None:
    """The folder of the cgroup that this process may divide, or None: another's cgroup is left alone even by root."""
    lines = table.read_text().splitlines()
    path = next((line[3:] for line in lines if line.startswith("0::")), None)
    if path is None:
        return None
    folder = mount / path.lstrip("/")
    folder = folder.parent if folder.name == LEAF else folder
    if not (folder / "cgroup.type").is_file():  # the machine's own root has none
        return None
    able = {"memory", "pids"} <= set((folder / "cgroup.controllers").read_text().split())
    writable = all(os.access(place, os.W_OK) for place in (folder, folder / "cgroup.procs", folder / "cgroup.subtree_control"))
    return folder if able and writable and (_delegated(folder) or folder == mount) else None


def _delegated(folder: Path) -> bool:
    if os.geteuid() and folder.stat().st_uid == os.geteuid():
        return True
    for mark in ("user.delegate", "trusted.delegate"):  # systemd's
        with contextlib.suppress(OSError):
            if os.getxattr(folder, mark) == b"1":
                return True
    return False


def _made(own: Path, limits: Limits) -> Path | None:
    me = str(os.getpid())
    inside = (own / "cgroup.procs").read_text().split()
    if set(inside) - {me}:  # other programs live here: they are not moved
        return None
    if inside:
        (own / LEAF).mkdir(exist_ok=True)
        (own / LEAF / "cgroup.procs").write_text(me)
    (own / "cgroup.subtree_control").write_text("+memory +pids")
    for old in own.glob("autograder-box-*"):  # of graders that were killed; one in use cannot be removed
        with contextlib.suppress(OSError):
            old.rmdir()
    group = own / f"autograder-box-{secrets.token_hex(4)}"
    group.mkdir()
    try:
        (group / "memory.max").write_text(str(_memory(limits)))
        (group / "pids.max").write_text(str(limits.threads + 64))
        return group
    except OSError:
        remove_group(group)
        raise


def _memory(limits: Limits) -> int:
    """Bytes for two workers a core (one that meets the deck, one that explains), and at most most of what the machine has."""
    wanted = (2 * (os.cpu_count() or 1) * limits.memory_mb + TEMPLATE_MB) << 20
    return min(wanted, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 4 // 5)


def entering(group: Path | None, command: list[str]) -> list[str]:
    """`command` so that it puts itself into `group` first; where that fails it runs all the same."""
    return command if group is None else ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"', str(group), *command]


def remove_group(group: Path | None) -> None:
    """End what is still in a cgroup and remove it. Never raises; what cannot be removed is left to the next grader."""
    if group is None:
        return
    with contextlib.suppress(OSError):
        if (group / "cgroup.kill").exists():
            (group / "cgroup.kill").write_text("1")
    for _ in range(20):
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
