# Everything starts here: `make help` lists what there is.
.DEFAULT_GOAL := help
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

TABLES = cells0-32k cells1-32k cells2-32k cells3-32k cells5-32k fewest-32k bakers-32k bakers-100k bakers-1m

.PHONY: help setup census results tables bench tune lint test test-bounds test-long clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## the virtual environment, with the exact versions of constraints.txt

$(READY): pyproject.toml constraints.txt
	@echo "installing into $(VENV), a minute or two"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

census: $(READY) ## the first million deals, checked against the published list: some two minutes
	$(BIN)/freecell-census run configs/ms-1m.toml
	$(BIN)/freecell-census verify results/ms-1m

results: $(READY) ## the published summary of a finished run: make results RUN=ms-10m
	$(if $(RUN),,$(error which run? make results RUN=ms-10m))
	$(BIN)/freecell-census results results/$(RUN) --out results/published/$(RUN).json

tables: $(READY) ## other numbers of cells and Baker's Game, with their summaries; a deal may stay undecided
	for name in $(TABLES); do \
	  $(BIN)/freecell-census run $$name || test $$? -eq 3 || exit; \
	  $(BIN)/freecell-census verify results/$$name || test $$? -eq 3 || exit; \
	  $(BIN)/freecell-census results results/$$name --out results/published/$$name.json || exit; \
	done

bench: $(READY) ## our speed against Freecell Solver's, in turns; fails where the signature changed
	$(BIN)/freecell-census bench

tune: $(READY) ## better weights for the search: see `freecell-census tune --help`
	$(BIN)/freecell-census tune

lint: $(READY) ## ruff (lint and format) and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: $(READY) ## all tests but the long forms
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not long"

test-bounds: $(READY) ## the kernels' tests with bounds checks on, compiled into a cache of their own
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not long" tests/kernels

test-long: $(READY) ## the long forms of the tests
	$(BIN)/python -m pytest -q -m long

clean: ## drops the virtual environment and what tools left behind
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
