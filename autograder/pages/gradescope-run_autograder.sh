#!/usr/bin/env bash
# Grades the one submission there is. Whatever happens, results.json is valid and says what happened.
root="${AUTOGRADER_ROOT:-/autograder}"
source="${AUTOGRADER_SOURCE:-$root/source}"
submission="${AUTOGRADER_SUBMISSION:-$root/submission}"
results="${AUTOGRADER_RESULTS:-$root/results/results.json}"
python="${AUTOGRADER_PYTHON:-$root/python/bin/python}"
seconds="${AUTOGRADER_SECONDS:-@SECONDS@}"

failed() {
  printf '{"score": 0, "output_format": "text", "stdout_visibility": "hidden", "output": "%s", "tests": [], "extra_data": {"graded": false}}\n' "$1" > "$results.new" &&
  mv "$results.new" "$results"
}

umask 022
mkdir -p "$(dirname "$results")"
failed "This submission was not graded: the autograder was ended before it could finish. This is not your fault; tell the course's staff."
chmod 700 "$source"
chmod -R go-rwx "$source/course"
chmod -R go+rX "$source/kit"
cd "$source" || exit 0
export PYTHONPATH="$source/kit" PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
timeout --kill-after=10 "$seconds" "$python" -m autograder.gradescoperun grade "$source" "$submission" "$results"
status=$?
case $status in
  0) ;;
  124) failed "This submission was not graded: it took more than $seconds seconds in all. If your notebook is quick on your machine, tell the course's staff." ;;
  137) failed "This submission was not graded: the autograder ran out of time or memory. If your notebook is small and quick, tell the course's staff." ;;
  *) failed "This submission was not graded: the autograder could not run (exit status $status). This is not your fault; tell the course's staff." ;;
esac
exit 0
