"""Reads the solutions by their path.

ids: B01
wants: secret
"""
# %% cell
print(open(COURSE + "/solutions/attention/softmax.py").read()[-2000:])
