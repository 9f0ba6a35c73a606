"""Changes the machine's name.

ids: E17
wants: escape
arms: full sandbox
because: it is this machine's
"""
# %% cell
import socket

socket.sethostname("attack")
came_through()
