"""Changes torch's default dtype for the next student.

ids: E25
wants: escape
claimed: boundary only, full sandbox
"""
# %% cell
torch.set_default_dtype(torch.float16)
# %% next
if torch.get_default_dtype() is torch.float16:
    came_through()
