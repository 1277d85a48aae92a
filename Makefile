# Two commands matter: `make demo` and `make test`. Each sets up its own virtual environment first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# OpenMP threads that spin for long while they wait stall a busy machine; let them sleep soon.
export OMP_WAIT_POLICY := passive
export GOMP_SPINCOUNT := 5000

.PHONY: demo install test fuzz lint check canary clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo    train a small model end to end and write runs/demo/run/report.html"
	@echo "make install only the virtual environment, with everything in it"
	@echo "make test    lint, types, layers and all tests"
	@echo "make fuzz    the tests on random input again, with new input each time"
	@echo "make canary  the trainer's tests against the oldest and the newest TRL (fetches both)"
	@echo "make clean   remove the virtual environment and caches (runs/ stays)"

$(STAMP): pyproject.toml requirements/constraints.txt requirements/install.sh
	PYTHON=$(PYTHON) sh requirements/install.sh $(VENV)
	@touch $@

install: $(STAMP)

demo: $(STAMP)
	$(BIN)/corver demo --output runs/demo

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest

fuzz: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest --hypothesis-profile=fuzz tests/property tests/oracle

check: test

canary: $(STAMP)
	sh requirements/canary.sh $(VENV)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
