"""A tar whose members climb out and are absolute.

ids: D22
wants: escape
"""
# %% parcel
from parcel import tarred


def pack(parcel):
    return tarred(parcel.folder / "export.tar.gz", {"jane/attention/attention.ipynb": parcel.honest, "../outside.txt": b"x",
                                                    str(parcel.outside): b"x"})
