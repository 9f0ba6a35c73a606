"""Connects to a server, as one that collects hidden inputs.

ids: E01
wants: escape
"""
# %% cell
import socket

socket.create_connection(("127.0.0.1", PORT), timeout=2)
came_through()
