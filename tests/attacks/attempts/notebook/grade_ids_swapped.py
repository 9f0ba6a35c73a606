"""Gives the check cell of a right answer the points of a wrong one.

ids: C22
wants: marks
"""


def softmax(Z, dim=-1):
    return Z


# %% file
def change(notebook):
    cells = {c["metadata"].get("nbgrader", {}).get("grade_id"): c for c in notebook["cells"]}
    one, other = cells["softmax-checks"], cells["causal_mask-checks"]
    one["metadata"], other["metadata"] = other["metadata"], one["metadata"]
