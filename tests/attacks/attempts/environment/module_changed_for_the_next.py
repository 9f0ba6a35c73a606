"""Changes a module that the next student uses.

ids: E25
wants: escape
claimed: boundary only, full sandbox
"""
# %% cell
torch.attacked = 1
# %% next
if hasattr(torch, "attacked"):
    came_through()
