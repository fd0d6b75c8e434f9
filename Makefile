PYTHON ?= python3
VENV := .venv
FLOORS := .venv-floors
BENCHMARK := .venv-benchmark
MUTANTS := .venv-mutants
SCALE := .venv-scale
DIST := dist
BIN := $(VENV)/bin
# -qq keeps pip's notes and warnings away, not its errors.
INSTALL := -m pip -qq --disable-pip-version-check install
# What tests of a module share is made once for each process that runs some of them: stealing keeps
# them together.
PARALLEL := -q -n auto --dist worksteal
# What parses and what frameworks call; all else of the core is Python alone.
FLOOR_TESTS := tests/langchain tests/llamaindex $(addprefix tests/core/test_,cases.py fuzz_finds.py \
	laws.py parsing.py truth.py)
# What another Python may change: the core, processes, streams, and an adapter's every option.
PYTHON_TESTS = $(filter-out tests/langchain tests/llamaindex,$(FLOOR_TESTS)) tests/batch \
	tests/project tests/langchain/test_splitter.py tests/llamaindex/test_context.py \
	$(addprefix tests/cli/test_,errors.py package.py split.py)
# KiB for each process: an error may make a loop that does not end.
MOST_MEMORY := 6000000
# Python is compiled once, and not again by each process that tests start.
export PYTHONDONTWRITEBYTECODE :=
# Material's advertisement of its successor is no result of a build.
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PRECIOUS: %/bin/python .venv-%/.dev
.PHONY: help demo test test-fast test-slow test-floors test-pythons test-scale fuzz lint format docs \
	dist bench bench-retrieval bench-scale mutants clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1 \t/p' Makefile | expand -t 20

demo: $(VENV)/.cli ## show chunking at work; FILE=path.md takes a document of yours
	@$(BIN)/chunkana demo $(if $(FILE),"$(FILE)")

test: test-fast test-slow test-floors test-pythons ## run all tests

test-fast: $(VENV)/.dev ## run the quick tests and report the core's coverage
	$(BIN)/pytest $(PARALLEL) -m "not slow" --cov

test-slow: $(VENV)/.dev ## run the slow tests
	$(BIN)/pytest $(PARALLEL) -m slow

test-floors: $(FLOORS)/.dev ## run what dependencies can change, with the oldest ones allowed
	$(FLOORS)/bin/pytest $(PARALLEL) -m "not slow" $(FLOOR_TESTS)

test-pythons: $(BIN)/python ## run a part of the tests on the other Pythons that this machine has
	@found=$$($(BIN)/python scripts/pythons.py) || exit 1; \
	echo "$$found" | while read -r version python; do \
	  test -z "$$version" || $(MAKE) --no-print-directory PYTHON="$$python" test-python-$$version \
	    </dev/null || exit 1; \
	done

test-python-%: .venv-%/.dev
	.venv-$*/bin/pytest $(PARALLEL) -m "not slow" $(PYTHON_TESTS)

test-scale: $(SCALE)/.dev ## run tables in Ray Data, Spark (needs Java), DuckDB and Polars
	$(SCALE)/bin/pytest -q tests/scale

fuzz: $(VENV)/.dev ## look for texts that break a law; SECONDS=600 for how long
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60)

lint: $(VENV)/.dev ## check style, types, import directions and docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin src
	$(BIN)/lint-imports --no-logo
	$(BIN)/mkdocs build --strict --quiet

format: $(VENV)/.dev ## repair what can be repaired
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.dev ## build the documentation into site/
	$(BIN)/mkdocs build --strict

dist: $(VENV)/.dev ## build what is published into dist/ and check it
	rm -rf $(DIST)
	$(BIN)/python -m build --outdir $(DIST)
	$(BIN)/twine check --strict $(DIST)/*
	$(BIN)/check-wheel-contents $(DIST)/*.whl
	$(BIN)/python scripts/distributions.py $(DIST)
	@echo "To publish: $(BIN)/twine upload $(DIST)/*"

bench: $(BENCHMARK)/.speed ## measure speed and memory, beside other chunkers; QUICK=1
	$(BENCHMARK)/bin/python -m benchmarks.run $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.pathological $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.speed $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.formats
	$(BENCHMARK)/bin/python -m benchmarks.runs $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.stream $(if $(QUICK),--quick)

bench-retrieval: $(BENCHMARK)/.retrieval ## measure what chunks are worth for retrieval; QUESTIONS=folder
	HF_HUB_OFFLINE=1 $(BENCHMARK)/bin/python -m benchmarks.retrieval $(if $(QUESTIONS),"$(QUESTIONS)")

bench-scale: $(SCALE)/.dev ## measure what Ray Data and Spark take; MEGABYTES=60 of documents
	$(SCALE)/bin/python -m benchmarks.scale $(if $(MEGABYTES),--megabytes $(MEGABYTES))

mutants: $(MUTANTS)/.dev ## try the tests on thousands of small errors; JOBS=number of processes
	ulimit -v $(MOST_MEMORY); $(MUTANTS)/bin/python scripts/mutants.py $(if $(JOBS),--jobs $(JOBS))

clean: ## remove environments, caches and built files
	rm -rf $(VENV) $(VENV)-3.* $(FLOORS) $(BENCHMARK) $(SCALE) $(MUTANTS) mutants site $(DIST) htmlcov .coverage .hypothesis
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .fuzz
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each environment has a stamp per kind of installation, older than pyproject.toml when out of date.

$(VENV)/.cli: pyproject.toml $(BIN)/python
	@echo "Installing the command into $(VENV) (once)"
	@$(BIN)/python $(INSTALL) -e ".[cli]"
	@touch $@

$(VENV)/.dev: pyproject.toml $(BIN)/python
	@echo "Installing everything into $(VENV) (once)"
	@$(BIN)/python $(INSTALL) "pip>=25.1"  # the first that knows --group
	@$(BIN)/python $(INSTALL) -e ".[all]" --group dev
	@touch $@ $(VENV)/.cli

$(FLOORS)/.dev: pyproject.toml scripts/floors.py $(FLOORS)/bin/python
	@echo "Installing the oldest dependencies allowed into $(FLOORS) (once)"
	@$(FLOORS)/bin/python scripts/floors.py > $(FLOORS)/floors.txt
	@$(FLOORS)/bin/python $(INSTALL) "pip>=25.1"
	@$(FLOORS)/bin/python $(INSTALL) -e . -r $(FLOORS)/floors.txt --group test
	@touch $@

.venv-%/.dev: pyproject.toml .venv-%/bin/python
	@echo "Installing everything but what only development needs into .venv-$* (once)"
	@.venv-$*/bin/python $(INSTALL) "pip>=25.1"
	@.venv-$*/bin/python $(INSTALL) -e ".[all]" --group test
	@touch $@

# An environment of its own: others' chunkers are no part of development, and what embeds is larger
# than all the rest.
$(BENCHMARK)/.speed: pyproject.toml $(BENCHMARK)/bin/python
	@echo "Installing what is compared with into $(BENCHMARK) (once)"
	@$(BENCHMARK)/bin/python $(INSTALL) "pip>=25.1"
	@$(BENCHMARK)/bin/python $(INSTALL) -e ".[langchain,llamaindex,cli,code,arrow]" --group benchmark
	@touch $@

$(BENCHMARK)/.retrieval: pyproject.toml $(BENCHMARK)/bin/python
	@echo "Installing what the benchmark of retrieval needs into $(BENCHMARK) (once)"
	@$(BENCHMARK)/bin/python $(INSTALL) "pip>=25.1"
	@$(BENCHMARK)/bin/python $(INSTALL) -e ".[langchain,llamaindex,cli]" --group benchmark-retrieval
	@touch $@ $(BENCHMARK)/.speed

# An environment of its own: what many machines run is larger than all the rest.
$(SCALE)/.dev: pyproject.toml $(SCALE)/bin/python
	@echo "Installing Ray, Spark, DuckDB and Polars into $(SCALE) (once)"
	@$(SCALE)/bin/python $(INSTALL) "pip>=25.1"
	@$(SCALE)/bin/python $(INSTALL) -e ".[arrow]" --group scale
	@touch $@

$(MUTANTS)/.dev: pyproject.toml $(MUTANTS)/bin/python
	@echo "Installing what makes mutants into $(MUTANTS) (once)"
	@$(MUTANTS)/bin/python $(INSTALL) "pip>=25.1"
	@$(MUTANTS)/bin/python $(INSTALL) -e . --group mutants
	@touch $@

# A half-made environment is removed, lest the next run take it for a whole one.
%/bin/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || { \
	  echo "Chunkana needs Python 3.11 or later, but $(PYTHON) is:" >&2; \
	  $(PYTHON) --version >&2; \
	  echo "Name another one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv --clear $* || { rm -rf $*; exit 1; }
