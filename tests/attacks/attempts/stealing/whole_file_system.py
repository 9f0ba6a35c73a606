"""Walks the file system for anything that looks like a secret.

ids: B08
wants: secret
"""
# %% cell
import os
import time

deadline = time.monotonic() + 0.6
for top in (os.path.dirname(COURSE), os.getcwd(), "/tmp", "/home", "/srv", "/"):
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/usr")]
        for name in files:
            if "secret" in name or name == "course.yaml":
                try:
                    print(open(os.path.join(folder, name)).read(2000))
                except (OSError, UnicodeDecodeError):
                    pass
        if time.monotonic() > deadline:
            break
