"""A zip whose member's path climbs out of the folder that it is unpacked to.

ids: D22
wants: escape
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb": parcel.honest, "../outside.txt": b"x"})
