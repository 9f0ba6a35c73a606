"""Calls itself until the process's stack is full, which ends the process.

ids: D19
wants: stop
"""
import sys

sys.setrecursionlimit(10 ** 9)


class Deep:
    def __getattr__(self, name):
        return getattr(self, name + "x")


def softmax(Z, dim=-1):
    return max([Z], key=lambda Z: softmax(Z, dim))
