# Short verbs; each does its own set-up.
PYTHON ?= python3
SEEDS ?= 100
COURSE ?= .
BIN := .venv/bin
READY := .venv/.ready

.PHONY: help demo formgrader test test-browser attacks doctor bench build experiments prove clean

help:
	@echo "make demo    grade a sample class end to end"
	@echo "make formgrader   points and comments by hand, in the browser (COURSE=demo for the demo's class)"
	@echo "make test    the kit's own tests"
	@echo "make test-browser what people see, in a real Chromium; pictures in build/screens"
	@echo "make attacks run every attack in its three arms and write the table in tests/attacks/README.md (five minutes)"
	@echo "make build   source notebooks and releases from the authored files"
	@echo "make experiments  every lesson run whole, training included; its figures as images in build/figures"
	@echo "make doctor  prove machine and assignments: what the checks catch, as a page in build/doctor.html"
	@echo "make prove   the same with every right and wrong answer, the catalogue's too, on 100 seeds (SEEDS=300 for more)"
	@echo "make bench   what starting a worker and grading cost, beside stock nbgrader, Otter and jupyter execute (half an hour; tables in build/bench.md)"
	@echo "make clean   remove what was installed and made"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[staff,dev]'
	@touch $(READY)

# The demo's class is this kit's own, so any isolation level will do for it; which one it was is printed.
demo: $(READY)
	$(BIN)/autograder demo demo
	@cd demo && for assignment in $$(ls release); do \
	  ../$(BIN)/autograder grade $$assignment --least-isolation none --json results-$$assignment.json; status=$$?; \
	  test $$status -eq 0 -o $$status -eq 3 || exit $$status; \
	done
	@echo "Look at demo/feedback/<student>/<assignment>/<assignment>.html, demo/results-<assignment>.json and demo/gradebook.db."

# Installing nbgrader switches its extensions on for this .venv; the command names them again, whatever the user's settings say.
formgrader: $(READY)
	cd $(COURSE) && $(abspath $(BIN))/autograder formgrader

test: $(READY)
	$(BIN)/python -m pytest -n auto

# Chromium and its driver come from the system; without them the tests say so and are skipped.
test-browser: $(READY)
	$(BIN)/python -m pytest tests/browser -rs

attacks: $(READY)
	$(BIN)/python tests/attacks/table.py

bench: $(READY)
	@mkdir -p build
	$(BIN)/python benchmarks/start.py > build/bench.md
	$(BIN)/python benchmarks/grading.py >> build/bench.md
	$(BIN)/python benchmarks/gradebook.py >> build/bench.md
	$(BIN)/python benchmarks/beyond.py >> build/bench.md
	@cat build/bench.md

build: $(READY)
	$(BIN)/python -m autograder.results
	$(BIN)/autograder build

experiments: $(READY)
	$(BIN)/python -m autograder.experiments

doctor: $(READY)
	@mkdir -p build
	$(BIN)/autograder doctor --report build/doctor.html

prove: $(READY)
	@mkdir -p build
	$(BIN)/autograder doctor --seeds $(SEEDS) --report build/doctor.html
	$(BIN)/python benchmarks/seeds.py --variants $(SEEDS) --mistakes $(SEEDS)

clean:
	rm -rf .venv demo build dist *.egg-info
