"""Links to a script in prose, spelled in several ways, for the TA to click on.

ids: E23
wants: markup
"""
# %% file
def change(notebook):
    for number, source in enumerate(("[x](javascript:alert(1))", "[x](JaVaScript:alert(1))", "[x](&#106;avascript:alert(1))",
                                     "[x](javascript&colon;alert(1))", "[x][1]\n\n[1]: javascript:alert(1)",
                                     "![x](&#x6A;avascript:alert(1))",
                                     "[x](<javascript:alert(1)>)", r"[x](javascript\:alert(1))", "[x](&#38;#106;avascript:alert(1))",
                                     "[x](&amp;#106;avascript:alert(1))", "[x](&amp;amp;#106;avascript:alert(1))",
                                     "> [x](vbscript:alert(1))")):
        notebook["cells"].append({"cell_type": "markdown", "id": f"m{number}", "metadata": {}, "source": source})
