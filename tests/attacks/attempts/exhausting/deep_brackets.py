"""Nests brackets until the parser gives up.

ids: D29
wants: stop
arms: boundary only, full sandbox
because: some Pythons only raise
"""
# %% first
exec("x = " + "(" * 5000 + ")" * 5000)
# %% file
def change(notebook):
    for cell in notebook["cells"]:
        if "".join(cell["source"]).startswith("exec("):
            cell["source"] = "x = " + "(" * 5000 + ")" * 5000
