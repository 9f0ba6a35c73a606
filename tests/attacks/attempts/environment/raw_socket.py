"""Opens a raw socket.

ids: E01
wants: escape
arms: full sandbox
because: it needs rights that a grader seldom has
"""
# %% cell
import socket

socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
came_through()
