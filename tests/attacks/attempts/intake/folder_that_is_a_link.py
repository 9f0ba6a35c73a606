"""A tar with a link to a folder, and a member that is written through it.

ids: D22
wants: escape
"""
# %% parcel
from parcel import tarred


def pack(parcel):
    return tarred(parcel.folder / "export.tar.gz", {"jane/attention/attention.ipynb": parcel.honest, "eve": str(parcel.folder),
                                                    "eve/outside.txt": b"x"})
