"""Opens files without closing them.

ids: D14
wants: resources
"""
# %% cell
held = [open("/dev/null") for _ in range(600)]
came_through()
