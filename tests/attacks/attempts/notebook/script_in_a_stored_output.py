"""Stores a script among the outputs of a cell.

ids: E23
wants: markup
arms: boundary only, full sandbox
because: the naive grader shows what it ran itself
"""
# %% cell
x = 1
# %% file
def change(notebook):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}, "metadata": {}}]
