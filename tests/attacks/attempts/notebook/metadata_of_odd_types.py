"""Fills the metadata with values of odd types.

ids: C22
wants: stop
arms: boundary only, full sandbox
because: its reader of notebooks is a loop of five lines
"""
# %% file
def change(notebook):
    odd = [None, 3, [], "x", {"nbgrader": 7}, {"nbgrader": {"grade_id": ["softmax"]}}] * 99
    for cell, value in zip(notebook["cells"], odd):
        if cell["cell_type"] == "markdown":
            cell["metadata"] = value
