"""The words between the grader and the process that hands out workers."""

READY, FORK, STOP = b"ready", b"fork", b"stop"
