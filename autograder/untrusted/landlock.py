"""Landlock: a process gives up all files but those it names, TCP, and signals to others, without any privilege (Linux 5.13 on)."""

from __future__ import annotations

import ctypes
import os
import struct

from autograder.untrusted.confine import checked, libc

CREATE_RULESET, ADD_RULE, RESTRICT_SELF, PATH_BENEATH = 444, 445, 446, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
_FILES_ONLY = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR


def abi() -> int:
    """The version of Landlock that the kernel has, 0 for none."""
    return max(0, libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1))


def restrict(*, readable: list[str], writable: list[str]) -> None:
    """Allow reading below `readable` and all use below `writable` from now on, nothing else. Paths that do not exist are left out.

    Raises OSError where the kernel has no Landlock.
    """
    version = abi()
    if not version:
        raise OSError(ctypes.get_errno(), "the kernel has no Landlock, or it is switched off")
    everything = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    attributes = struct.pack("<QQQ", everything, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "Landlock made no ruleset")
    for paths, access in ((readable, READ), (writable, everything)):
        for path in paths:
            _allow(ruleset, path, access & everything)
    checked(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock")
    os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= _FILES_ONLY
    rule = struct.pack("<Qi", access, place)
    try:
        checked(libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0), f"landlock {path}")
    finally:
        os.close(place)
