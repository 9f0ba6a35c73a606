"""Names with marks that turn round what is read, and with control characters for a terminal.

ids: D23 C24
wants: escape
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb": parcel.honest,
                                                 "e\u202eve/attention/attention.ipynb": b"{}",
                                                 "m\x1b[2Jia/attention/a\u202egnp.ipynb": b"{}"})
