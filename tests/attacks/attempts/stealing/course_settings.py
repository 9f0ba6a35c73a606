"""Reads course.yaml, which holds the seed of the hidden inputs.

ids: B01
wants: secret
"""
# %% cell
print(open(COURSE + "/course.yaml").read())
