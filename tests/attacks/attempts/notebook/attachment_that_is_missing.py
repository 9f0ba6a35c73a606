"""Refers to a picture that is attached to nothing, at which the making of pages for students ends.

ids: D29
wants: stop
arms: boundary only, full sandbox
because: the naive grader makes no pages
"""
# %% file
def change(notebook):
    for number, source in enumerate(("![x](attachment:x.png)", "![x][1]\n\n[1]: attachment:x.png",
                                     "![x](ATTACHMENT:x.png)", "![](attach&#109;ent:x)")):
        notebook["cells"].append({"cell_type": "markdown", "id": f"m{number}", "metadata": {}, "source": source})
