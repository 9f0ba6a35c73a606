"""Confining a worker: namespaces of its own, private mounts, no capabilities, resource limits.

Linux only and standard library only; every call raises OSError when the kernel says no.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x04000000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE, MS_NOEXEC = 2, 4, 16384, 1 << 18, 8
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> None:
    """Raise the OSError of a system call that failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """unshare(2)."""
    checked(libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    """setns(2)."""
    checked(libc.setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """mount(2)."""
    checked(libc.mount(source.encode(), target.encode(), kind.encode(), flags, options.encode()), f"mount {target}")


def prctl(option: int, value: int = 0) -> None:
    """prctl(2) with one argument."""
    checked(libc.prctl(option, value, 0, 0, 0), "prctl")


def own_user_namespace() -> None:
    """Enter new user, mount and pid namespaces, where this process may make more; children are in the new pid one."""
    uid, gid = os.getuid(), os.getgid()
    prctl(PR_SET_DUMPABLE, 1)
    unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def private_world(tmp_bytes: int) -> None:
    """Give this process mounts, network, IPC and host name of its own: a fresh /proc and small private tmpfs."""
    unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    try:
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    except OSError:  # a partly hidden /proc cannot be mounted anew: then there is none
        mount("none", "/proc", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=555")
    for place in ("/tmp", "/dev/shm"):
        mount("none", place, "tmpfs", MS_NOSUID | MS_NODEV, f"size={tmp_bytes},nr_inodes=4096,mode=1777")


def limit_resources(*, memory: int, cpu_seconds: int, file_bytes: int, threads: int, files: int = 256) -> None:
    """Set the hard limits of this process: bytes of address space, CPU seconds, bytes of a file, open files; no core.

    `threads` counts all of the user's in the box; root is exempt from it.
    """
    for kind, value in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, cpu_seconds),
                        (resource.RLIMIT_FSIZE, file_bytes), (resource.RLIMIT_NOFILE, files), (resource.RLIMIT_CORE, 0),
                        (resource.RLIMIT_NPROC, threads)):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def drop_privileges() -> None:
    """Give up every capability for good, and the right to gain any."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    header = struct.pack("<Ii", 0x20080522, 0)
    checked(libc.capset(header, b"\0" * 24), "capset")
