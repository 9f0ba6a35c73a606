"""Prints without end.

ids: D17
wants: stop
"""
# %% first
while True:
    print("x" * 1000)
