"""Asks a web server for a page.

ids: E01
wants: escape
"""
# %% cell
import urllib.error
import urllib.request

try:
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{PORT}", timeout=2)
except ConnectionError:  # it was reached, and hung up
    came_through()
