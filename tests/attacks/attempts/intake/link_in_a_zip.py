"""A zip with a link to a file of the grader's in place of a notebook.

ids: D22
wants: secret
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb": parcel.honest,
                                                 "eve/attention/attention.ipynb": str(parcel.secret)})
