"""A student whose name is a formula, for the spreadsheet that the grades are exported to.

ids: C24
wants: escape
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    return zipped(parcel.folder / "export.zip", {"jane/attention/attention.ipynb": parcel.honest,
                                                 '=HYPERLINK("http:x","y")/attention/attention.ipynb': b"{}",
                                                 "@SUM(1)/attention/attention.ipynb": b"{}", "-1+2/attention/attention.ipynb": b"{}"})
