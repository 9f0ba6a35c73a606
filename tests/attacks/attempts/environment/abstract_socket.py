"""Binds an abstract socket, on which programs outside of any folder can be reached.

ids: E03
wants: escape
"""
# %% cell
import os
import socket

socket.socket(socket.AF_UNIX).bind(f"\0attack-{os.getpid()}")
came_through()
