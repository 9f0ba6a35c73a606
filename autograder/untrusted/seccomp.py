"""A system-call filter in classic BPF, for x86_64 and aarch64."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

from autograder.untrusted.confine import PR_SET_SECCOMP, checked, libc

CLONE_THREAD = 0x00010000

# System calls that a submission never needs, by architecture: (x86_64, aarch64); None where it does not exist.
DENIED = {
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "socket": (41, 198),
    "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "mknod": (133, None), "mknodat": (259, 33), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "init_module": (175, 105), "finit_module": (313, 273),
    "kexec_load": (246, 104), "reboot": (169, 142), "swapon": (167, 224), "acct": (163, 89), "quotactl": (179, 60),
    "personality": (135, 92), "fsopen": (430, 430), "fsmount": (432, 432), "open_tree": (428, 428), "move_mount": (429, 429),
    "mount_setattr": (442, 442), "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "shmget": (29, 194), "msgget": (68, 186),
    "semget": (64, 190), "mq_open": (240, 180), "kcmp": (312, 272), "syslog": (103, 116), "settimeofday": (164, 170),
    "setpriority": (141, 140), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "ioprio_set": (251, 30),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424),
    "clock_settime": (227, 112), "sethostname": (170, 161), "landlock_create_ruleset": (444, 444),
}
# Allowed on oneself only: the first argument must be the own process id (or 0 for prlimit64).
OWN = {"kill": (62, 129), "tgkill": (234, 131), "prlimit64": (302, 261)}
_MACHINES = {"x86_64": (0, 0xC000003E, 56, 435), "aarch64": (1, 0xC00000B7, 220, 435)}


def filter_system_calls() -> None:
    """Install a filter: no new processes, programs, sockets, memory files, namespaces, mounts, keys or tracing, no signals to others.

    Raises OSError on machines other than x86_64 and aarch64.
    """
    if platform.machine() not in _MACHINES:
        raise OSError(errno.ENOSYS, f"no system-call filter for {platform.machine()}")
    column, arch, clone, clone3 = _MACHINES[platform.machine()]
    numbers = sorted(row[column] for row in DENIED.values() if row[column] is not None)
    own = [(row[column], {0, os.getpid()} if name == "prlimit64" else {os.getpid()}) for name, row in OWN.items()]
    program = _filter_program(arch, clone, clone3, numbers, own, x32=column == 0)
    buffer = ctypes.create_string_buffer(b"".join(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer)))
    checked(libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(header), 0, 0), "seccomp")


_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _GIVE = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000


def _op(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, k)


def _filter_program(arch: int, clone: int, clone3: int, denied: list[int], own: list[tuple[int, set[int]]], *, x32: bool) -> list[bytes]:
    """Classic BPF over seccomp_data: nr at 0, arch at 4, the low half of the first argument at 16."""
    program = [_op(_LOAD, 4), _op(_EQUAL, arch, 1, 0), _op(_GIVE, _KILL), _op(_LOAD, 0)]
    if x32:
        program += [_op(_AT_LEAST, 0x40000000, 0, 1), _op(_GIVE, _KILL)]
    program += [_op(_EQUAL, clone3, 0, 1), _op(_GIVE, _ERROR | errno.ENOSYS)]
    for number in denied:
        program += [_op(_EQUAL, number, 0, 1), _op(_GIVE, _ERROR | errno.EPERM)]
    for number, pids in own:
        block = [_op(_LOAD, 16), *(_op(_EQUAL, pid, len(pids) - at, 0) for at, pid in enumerate(sorted(pids))), _op(_GIVE, _ERROR | errno.EPERM)]
        program += [_op(_EQUAL, number, 0, len(block) + 1), *block, _op(_GIVE, _ALLOW)]
    program += [_op(_EQUAL, clone, 0, 3), _op(_LOAD, 16), _op(_ANY_BIT, CLONE_THREAD, 1, 0), _op(_GIVE, _ERROR | errno.EPERM)]
    return [*program, _op(_GIVE, _ALLOW)]
