"""Names that differ in case or accents only, or are a file and a folder at once, to take another student's place.

ids: D23
wants: stop
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb/x": b"x", "jane/attention/attention.ipynb": parcel.honest,
                                                 "JANE/attention/attention.ipynb": b"{}",
                                                 "j\u0061\u0301ne/attention/attention.ipynb": b"{}"})
