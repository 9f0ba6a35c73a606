"""Displays thousands of results.

ids: D17 D29
wants: stop
"""
# %% cell
for _ in range(10_000):
    display("x" * 1000)
