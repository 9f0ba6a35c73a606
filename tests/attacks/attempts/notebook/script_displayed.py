"""Displays a script.

ids: E23
wants: markup
"""
# %% cell
from IPython.display import HTML, Javascript

display(HTML("<script>alert(1)</script>"))
try:
    publish = get_ipython().display_pub.publish
    publish({"text/html": "<script>alert(1)</script>", "application/javascript": "alert(1)", "image/svg+xml": "<script"})
except Exception:
    pass
