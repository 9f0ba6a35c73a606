"""Sets an environment variable for the next student.

ids: E25
wants: escape
claimed: boundary only, full sandbox
"""
# %% cell
import os

os.environ["ATTACKED"] = "1"
# %% next
import os

if "ATTACKED" in os.environ:
    came_through()
