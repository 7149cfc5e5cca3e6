# Few verbs, the same on every machine. Everything is installed into .venv, in the versions requirements.lock names, and
# again only when that file or pyproject.toml changed. PYTHON=/path/to/python chooses another Python (3.11 or later).

VENV := .venv
BIN := $(VENV)/bin
# Two stamps: using Threadlead needs less than working on it, and should not wait for the rest.
USABLE := $(VENV)/.usable
WORKABLE := $(VENV)/.workable
INPUTS := pyproject.toml requirements.lock scripts/prepare.sh

# A virtual environment knows where it was made: a checkout that was moved is prepared anew.
ifneq ($(shell cat $(VENV)/.place 2>/dev/null),$(shell pwd -P))
.PHONY: $(USABLE) $(WORKABLE)
endif

.DEFAULT_GOAL := help
.PHONY: help up demo doctor test lint types contracts check bench wheel format docs lock clean

$(USABLE): $(INPUTS)
	@sh scripts/prepare.sh usable

$(WORKABLE): $(INPUTS)
	@sh scripts/prepare.sh workable

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

up: $(USABLE)  ## run everything here and print the console's link (ARGS="--port 8080")
	@$(BIN)/threadlead up $(ARGS)

demo: $(USABLE)  ## the whole story, played for you (ARGS=--json for programs)
	@$(BIN)/threadlead demo $(ARGS)

doctor: $(USABLE)  ## what is missing or wrong on this machine
	@$(BIN)/threadlead doctor $(ARGS)

test: $(WORKABLE)  ## every test; every branch of core/domain must have been taken
	$(BIN)/python -m pytest --numprocesses auto --cov --cov-report=
	$(BIN)/python -m coverage report --include='core/domain/*' --skip-covered --show-missing --fail-under=100

lint: $(WORKABLE)  ## ruff: rules and layout
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(WORKABLE)  ## mypy, strict, tests included
	$(BIN)/mypy

contracts: $(WORKABLE)  ## who may import whom
	$(BIN)/lint-imports

check: lint types contracts test  ## what a change must pass

bench: $(WORKABLE)  ## measure what the targets name, one JSON line each
	@for file in benchmarks/[!_]*.py; do $(BIN)/python -m "benchmarks.$$(basename "$$file" .py)" || exit 1; done

wheel: $(WORKABLE)  ## build the wheel, install it elsewhere and run the demo from it
	@sh scripts/wheel.sh

format: $(WORKABLE)  ## lay the code out
	$(BIN)/ruff format .

docs: $(WORKABLE)  ## draw the generated pages again
	$(BIN)/python -m docs.draw_states

lock: $(WORKABLE)  ## resolve requirements.lock again
	@sh scripts/lock.sh

clean:  ## remove what was built and installed; sessions in .data stay
	rm -rf $(VENV) dist build .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
