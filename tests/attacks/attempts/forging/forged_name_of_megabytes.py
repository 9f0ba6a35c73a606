"""Makes the name of an error in its own process a million characters long.

ids: D29 C15
wants: stop
arms: boundary only, full sandbox
because: a grader that shares the student's process sends itself no messages
"""
from autograder.untrusted import worker

worker.shell.run_cell = lambda source: {"error": ("raised", "N" * 500_000, "m", 1, "t"), "syntax": False, "outputs": []}


def softmax(Z, dim=-1):
    return Z
