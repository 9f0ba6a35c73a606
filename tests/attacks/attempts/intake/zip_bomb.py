"""A zip of some kilobytes that unpacks to sixty megabytes.

ids: D20
wants: resources
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb": parcel.honest,
                                                 "eve/attention/attention.ipynb": bytes(60 << 20)})
