"""Puts a script into a markdown cell, to be run in the browser of the TA.

ids: E23
wants: markup
"""
# %% file
def change(notebook):
    for number, source in enumerate(("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<IMG SRC=x ONERROR=alert(1)>",
                                     "<svg/onload=alert(1)><script >alert(1)</script >")):
        notebook["cells"].append({"cell_type": "markdown", "id": f"m{number}", "metadata": {}, "source": source})
