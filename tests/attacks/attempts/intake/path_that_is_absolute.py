"""A zip whose member's path is absolute.

ids: D22
wants: escape
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb": parcel.honest, str(parcel.outside): b"x"})
