"""An archive that is cut short in the middle of a member.

ids: D20
wants: stop
"""
# %% parcel
from parcel import zipped


def pack(parcel):
    cut = zipped(parcel.folder / "inner.zip", {"attention.ipynb": parcel.honest}).read_bytes()[:200]
    return zipped(parcel.folder / "export.zip", {"eve/inner.zip": cut, "jane/attention/attention.ipynb": parcel.honest})
