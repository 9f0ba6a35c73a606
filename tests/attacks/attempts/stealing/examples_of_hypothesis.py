"""Reads the example database that hypothesis keeps in the working folder.

ids: B22
wants: secret
"""
# %% cell
import glob

for path in glob.glob(COURSE + "/.hypothesis/**/*.txt", recursive=True) + glob.glob(".hypothesis/**/*.txt", recursive=True):
    print(open(path).read())
