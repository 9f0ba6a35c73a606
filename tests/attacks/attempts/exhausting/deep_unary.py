"""Writes twenty thousand minus signs before a number.

ids: D29
wants: stop
arms: boundary only, full sandbox
because: some Pythons only raise
"""
# %% first
x = "minus"
# %% file
def change(notebook):
    for cell in notebook["cells"]:
        if "".join(cell["source"]).startswith('x = "minus"'):
            cell["source"] = "x = " + "-" * 20000 + "1"
