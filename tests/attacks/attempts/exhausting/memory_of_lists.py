"""Asks for four gigabytes in pieces of one.

ids: D07
wants: resources
"""
# %% cell
held = [bytearray(2 ** 30) for _ in range(4)]
came_through()
