"""The template: a process that has imported torch once and forks a fresh worker for every submission.

It is started by exec with a clean environment, receives only file descriptors and limits, stays single-threaded, and
never sees a submission. For each request on a control connection it forks a worker and hands back the worker's channel
and a pidfd to kill it with.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import selectors
import signal
import socket
import struct
import sys

from autograder.untrusted import confine, landlock, seccomp
from autograder.untrusted.control import FORK, READY, STOP

ISOLATED, CONFINED, NONE = "isolated", "confined", "none"


def main() -> None:
    """Entry point: ``argv[1]`` is the listening socket's descriptor, ``argv[2]`` the limits as JSON."""
    listener = socket.socket(fileno=int(sys.argv[1]))
    options = json.loads(sys.argv[2])
    if options["level"] == ISOLATED:
        confine.own_user_namespace()
        inner = os.fork()
        if inner:  # this process only waits, so that the template itself is pid 1 of the new namespace
            listener.close()
            os.waitpid(inner, 0)
            os._exit(0)
    else:  # workers are this process's user's own: they may not look into it, nor into each other
        confine.prctl(confine.PR_SET_DUMPABLE, 0)
    confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
    import_everything()
    serve(listener, options)
    os._exit(0)


def import_everything() -> None:
    """Import what submissions use, so that every worker has it already; then freeze the heap against copying."""
    gc.disable()
    import torch
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    torch.rand(4, 4).softmax(-1).matmul(torch.ones(4, 4)).sum().item()
    from autograder.untrusted import shell, worker
    gc.freeze()  # IPython asks for a collection, which need not look at all of torch
    shell.prepare()
    worker.warm_up()
    if len(os.listdir("/proc/self/task")) != 1:
        raise SystemExit("the template has more than one thread; a forked worker could hang")
    gc.freeze()
    gc.enable()


def serve(listener: socket.socket, options: dict) -> None:
    """Accept control connections and fork a worker for each request on them, until one says stop."""
    own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY) if options["level"] == ISOLATED else -1
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    while True:
        for key, _ in selector.select(timeout=1.0):
            if key.fileobj is listener:
                welcome(listener, selector)
            elif not attended(key.fileobj, key.data, selector, options, own_pids):
                return
        while ended := reap():
            for key in selector.get_map().values():
                if key.data:
                    key.data.discard(ended)
        if os.getppid() == 1 and not options["level"] == ISOLATED:
            return  # the grader is gone


def welcome(listener: socket.socket, selector: selectors.BaseSelector) -> None:
    """Take a new connection. One that is broken off is no reason to end: without a sandbox anybody may connect."""
    with contextlib.suppress(OSError):
        connection, _ = listener.accept()
        connection.sendall(READY)
        selector.register(connection, selectors.EVENT_READ, set())


def attended(connection: socket.socket, workers: set[int], selector: selectors.BaseSelector, options: dict, own_pids: int) -> bool:
    """Do what a connection asks for, or hang up and end its workers, which nobody needs any more; False when it says stop."""
    with contextlib.suppress(OSError):
        request = connection.recv(len(FORK))
        if request == FORK:
            spawn(connection, workers, options, own_pids)
            return True
        if request == STOP:
            while reap(0):
                pass
            connection.sendall(struct.pack("<d", cpu_seconds()))
            return False
    selector.unregister(connection)
    connection.close()
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    return True


def cpu_seconds() -> float:
    """CPU time of this process and of all workers that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def reap(flags: int = os.WNOHANG) -> int:
    """Collect one worker that has ended: its pid, or 0 when there is none (any more)."""
    try:
        return os.waitpid(-1, flags)[0]
    except ChildProcessError:
        return 0


def spawn(control: socket.socket, workers: set[int], options: dict, own_pids: int) -> None:
    """Fork one worker, note it among `workers`, and send its channel and pidfd over `control`."""
    ours, theirs = socket.socketpair()
    if options["level"] == ISOLATED:
        confine.unshare(confine.CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        try:
            become_worker(theirs, options)
        finally:
            os._exit(1)
    workers.add(pid)
    if options["level"] == ISOLATED:
        confine.setns(own_pids, confine.CLONE_NEWPID)
    pidfd = os.pidfd_open(pid)
    socket.send_fds(control, [b"w"], [ours.fileno(), pidfd])
    os.close(pidfd)
    ours.close()
    theirs.close()


def become_worker(channel: socket.socket, options: dict) -> None:
    """In the child: confine it, then serve the grader's requests until it hangs up."""
    os.dup2(channel.fileno(), 3)
    for standard in range(3):  # opened anew: what is inherited is shared with every other worker
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, standard)
        os.close(null)
    os.closerange(4, 1024)
    if options["level"] == ISOLATED:
        confine.private_world(options["tmp_bytes"])
    else:
        confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
    confine.prctl(confine.PR_SET_NO_NEW_PRIVS, 1)
    place = "/tmp" if options["level"] == ISOLATED else options["scratch"]
    work = os.path.join(place, f"work-{os.getpid()}")
    os.makedirs(work, exist_ok=True)
    os.environ["HOME"] = os.environ["TMPDIR"] = work
    os.chdir(work)
    sys.path.append("")  # as in Jupyter: a cell may write a module and import it
    if options["level"] != NONE:
        confine.drop_privileges()
    confine.limit_resources(memory=options["memory"], cpu_seconds=options["cpu_seconds"], file_bytes=options["tmp_bytes"],
                            threads=options["threads"])
    if options["level"] == CONFINED:
        landlock.restrict(readable=options["readable"], writable=[work, "/dev/null"])
    if options["level"] != NONE:
        seccomp.filter_system_calls()
    from autograder.untrusted import worker
    worker.serve(socket.socket(fileno=3))
    os._exit(0)


if __name__ == "__main__":
    main()
