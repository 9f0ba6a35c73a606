"""Confining a worker: namespaces of its own, private mounts, no capabilities, a system-call filter, resource limits.

Linux only and standard library only; every call raises OSError when the kernel says no.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import struct

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x04000000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET, CLONE_THREAD = 0x20000000, 0x40000000, 0x00010000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE, MS_NOEXEC = 2, 4, 16384, 1 << 18, 8
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 24, 38
SIGKILL, EPERM, ENOSYS = 9, 1, 38

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """unshare(2)."""
    _checked(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    """setns(2)."""
    _checked(_libc.setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str, flags: int = 0, options: str = "") -> None:
    """mount(2)."""
    _checked(_libc.mount(source.encode(), target.encode(), kind.encode(), flags, options.encode()), f"mount {target}")


def prctl(option: int, value: int = 0) -> None:
    """prctl(2) with one argument."""
    _checked(_libc.prctl(option, value, 0, 0, 0), "prctl")


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


def limit_resources(*, memory: int, cpu_seconds: int, file_bytes: int, files: int = 256, threads: int = 512) -> None:
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
    _checked(_libc.capset(header, b"\0" * 24), "capset")


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
    "clock_settime": (227, 112), "sethostname": (170, 161), "landlock_create_ruleset": (444, 444),
}
_MACHINES = {"x86_64": (0, 0xC000003E, 56, 435), "aarch64": (1, 0xC00000B7, 220, 435)}


def filter_system_calls() -> None:
    """Install a filter: no new processes, programs, sockets, memory files, namespaces, mounts, keys or tracing.

    Raises OSError on machines other than x86_64 and aarch64.
    """
    if platform.machine() not in _MACHINES:
        raise OSError(ENOSYS, f"no system-call filter for {platform.machine()}")
    column, arch, clone, clone3 = _MACHINES[platform.machine()]
    numbers = sorted(row[column] for row in DENIED.values() if row[column] is not None)
    program = _filter_program(arch, clone, clone3, numbers, x32=column == 0)
    buffer = ctypes.create_string_buffer(b"".join(program))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer)))
    _checked(_libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(header), 0, 0), "seccomp")


def _filter_program(arch: int, clone: int, clone3: int, denied: list[int], *, x32: bool) -> list[bytes]:
    """Classic BPF over seccomp_data: nr at 0, arch at 4, the low half of the first argument at 16."""
    load, jump_equal, jump_ge, jump_set, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill, errno = 0x7FFF0000, 0x80000000, 0x00050000

    def op(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, k)

    program = [op(load, 4), op(jump_equal, arch, 1, 0), op(give, kill), op(load, 0)]
    if x32:
        program += [op(jump_ge, 0x40000000, 0, 1), op(give, kill)]
    program += [op(jump_equal, clone3, 0, 1), op(give, errno | ENOSYS)]
    for number in denied:
        program += [op(jump_equal, number, 0, 1), op(give, errno | EPERM)]
    program += [op(jump_equal, clone, 0, 3), op(load, 16), op(jump_set, CLONE_THREAD, 1, 0), op(give, errno | EPERM)]
    return [*program, op(give, allow)]
