"""A tar with links, symbolic and hard, to a file of the grader's.

ids: D22
wants: secret
"""
# %% parcel
from parcel import tarred


def pack(parcel):
    return tarred(parcel.folder / "export.tar.gz", {"jane/attention/attention.ipynb": parcel.honest,
                                                    "eve/attention/attention.ipynb": str(parcel.secret)})
