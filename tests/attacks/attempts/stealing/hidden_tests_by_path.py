"""Reads the hidden tests by their path.

ids: B02
wants: secret
"""
# %% cell
for path in ("/tests/hidden_test.py", "/solutions/attention/_hidden_tests.py"):
    print(open(COURSE + path).read())
