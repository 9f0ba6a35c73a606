#!/usr/bin/env bash
# Run once, when Gradescope builds the image: a Python of its own for the autograder, with pinned packages, and the deck of inputs drawn.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
source="${AUTOGRADER_SOURCE:-$root/source}"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends bubblewrap || echo "no bubblewrap from the system; the packaged one is used if it works"

new_enough() { command -v "$1" >/dev/null && "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
found=""
for version in "" 3.13 3.12 3.11; do
  new_enough "python3$version" || apt-get install -y --no-install-recommends "python3$version" "python3$version-venv" || continue
  if new_enough "python3$version"; then found="python3$version"; break; fi
done
if [ -z "$found" ]; then
  echo "no Python 3.11 or newer is to be had in this image; choose a newer base image (Ubuntu 22.04 or later) in the autograder's settings" >&2
  exit 1
fi
"$found" -m venv "$root/python"
"$root/python/bin/python" -m pip install --no-cache-dir @PIP@ -c "$source/constraints.txt" -r "$source/requirements.txt"

chmod 700 "$source"   # solutions and hidden checks: for root alone; students' code runs as somebody else
chmod -R go-rwx "$source/course"
chmod -R go+rX "$source/kit" "$root/python"   # of the kit it is handed three harmless parts by the sandbox
cd "$source"
PYTHONPATH="$source/kit" OMP_NUM_THREADS=1 "$root/python/bin/python" -m autograder.gradescoperun prepare "$source"
