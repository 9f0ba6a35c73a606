"""Connects to the socket on which the template hands out processes.

wants: escape
arms: boundary only, full sandbox
because: the naive grader has none
"""
# %% cell
import socket

channel = socket.socket(socket.AF_UNIX)
channel.connect(BOX + "/template")
came_through()
