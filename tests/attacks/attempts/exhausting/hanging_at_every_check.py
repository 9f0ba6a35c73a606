"""Hangs in three exercises, so that the time limit of every check in them is used up.

ids: D27
wants: stop
"""


def softmax(Z, dim=-1):
    while True:
        pass


# %% answer simple_attention
def simple_attention(X):
    while True:
        pass


# %% answer causal_mask
def causal_mask(N):
    while True:
        pass
