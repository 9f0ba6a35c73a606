"""A zip bomb inside a zip inside a zip.

ids: D20
wants: resources
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    bomb = zipped(parcel.folder / "bomb.zip", {"attention.ipynb": bytes(60 << 20)}).read_bytes()
    inner = zipped(parcel.folder / "inner.zip", {"bomb.zip": bomb}).read_bytes()
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb": parcel.honest, "eve/inner.zip": inner})
