"""Writes random bytes to the channel to the grader.

ids: C10
wants: stop
arms: boundary only, full sandbox
because: the naive grader believes the file that it writes in the end
"""


def softmax(Z, dim=-1):
    import os
    os.write(3, b"\xff" + os.urandom(64) + b"\n")
    return Z
