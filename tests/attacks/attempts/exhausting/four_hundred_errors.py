"""A cell of four hundred statements, each of which raises.

wants: stop
arms: boundary only, full sandbox
because: a naive grader stops at the first one
"""
# %% first
1 / 0
# %% file
def change(notebook):
    for cell in notebook["cells"]:
        if "".join(cell["source"]).startswith("1 / 0"):
            cell["source"] = "1 / 0\n" * 400
