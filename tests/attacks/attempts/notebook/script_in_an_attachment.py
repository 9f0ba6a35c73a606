"""Attaches a script to a markdown cell.

ids: E23
wants: markup
arms: boundary only, full sandbox
because: the naive grader shows no attachments
"""
# %% file
def change(notebook):
    notebook["cells"].append({"cell_type": "markdown", "id": "m", "metadata": {}, "source": "![x](attachment:x.svg)",
                              "attachments": {"x.svg": {"image/svg+xml": "<script>alert(1)</script>"}}})
