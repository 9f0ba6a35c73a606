"""Runs a file of the grader's with a magic, and writes one with another.

ids: E22
wants: secret
"""
# %% cell
get_ipython().run_line_magic("run", COURSE + "/solutions/attention/_hidden_tests.py")
print(get_ipython().user_ns.get("PLANTED"))
