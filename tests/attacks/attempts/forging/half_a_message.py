"""Leaves half a message on the channel and ends.

ids: C10
wants: stop
"""


def softmax(Z, dim=-1):
    import os
    os.write(3, b'{"stu')
    os._exit(0)
