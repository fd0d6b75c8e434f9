PYTHON ?= python3
VENV := .venv
FLOORS := .venv-floors
BENCHMARK := .venv-benchmark
MUTANTS := .venv-mutants
SCALE := .venv-scale
DIST := dist
INDEX := .chunkana
BIN := $(VENV)/bin
# -qq keeps pip's notes and warnings away, not its errors.
INSTALL := -m pip -qq --disable-pip-version-check install
# Module fixtures are built once for each process; worksteal keeps the tests of a module together.
PARALLEL := -q -n auto --dist worksteal
# These run by themselves, since measuring coverage slows down all tests of a run.
MEASURED_TESTS := tests/core tests/batch
# Tests of the parser, the frameworks and the index; the rest of the core depends only on Python.
FLOOR_TESTS := tests/langchain tests/llamaindex tests/conformance $(addprefix \
	tests/retrieval/test_,index.py index_words.py) $(addprefix \
	tests/core/test_,cases.py fuzz_finds.py laws.py parsing.py truth.py)
# Tests that another Python may break: the core, processes, streams, and an index.
PYTHON_TESTS = $(filter tests/core/%,$(FLOOR_TESTS)) tests/batch tests/retrieval/test_index.py \
	$(addprefix tests/conformance/test_,kills.py splitting.py) tests/cli/test_package.py
# KiB for each process: a mutant may loop endlessly.
MOST_MEMORY := 6000000
# Compiled modules are cached, so that processes started by tests do not compile them again.
export PYTHONDONTWRITEBYTECODE :=
# Hides Material's advertisement of its successor.
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PRECIOUS: %/bin/python .venv-%/.dev
.PHONY: help demo test test-fast test-slow test-floors test-pythons test-scale fuzz lint format docs \
	dist bench bench-retrieval bench-scale mutants clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1 \t/p' Makefile | expand -t 20

demo: $(VENV)/.cli ## show how documents are chunked and asked; FILE=path.md uses your own document
	@$(BIN)/chunkana demo $(if $(FILE),"$(FILE)")
ifndef FILE
	@printf '\n6. Index\nDocumentation, code and configuration of this repository, for people and agents.\n\n'
	$(BIN)/chunkana index . pyproject.toml -o "$(INDEX)"
	@echo
	$(BIN)/chunkana ask "$(INDEX)" --budget 900 -q "How is the lock of an index released?"
	@echo
	$(BIN)/chunkana ask "$(INDEX)" --budget 600 -q "How do I add a language?"
	@echo
	$(BIN)/chunkana ask "$(INDEX)" --budget 200 -q "What is the line-length of ruff?"
	@printf '\nFor the configuration of a client, so that agents ask this index (docs/agents.md):\n\n%s\n' \
	  '{"mcpServers": {"chunkana": {"command": "$(abspath $(BIN))/chunkana", "args": ["mcp", "$(abspath $(INDEX))"]}}}'
endif

test: test-fast test-slow test-floors test-pythons ## run all tests

test-fast: $(VENV)/.dev ## run the quick tests and report the core's coverage
	$(BIN)/pytest --cov $(PARALLEL) -m "not slow" $(MEASURED_TESTS)
	$(BIN)/pytest $(PARALLEL) -m "not slow" $(addprefix --ignore ,$(MEASURED_TESTS))

test-slow: $(VENV)/.dev ## run the slow tests
	$(BIN)/pytest $(PARALLEL) -m slow

test-floors: $(FLOORS)/.dev ## run the tests that depend on dependencies, with the oldest versions allowed
	$(FLOORS)/bin/pytest $(PARALLEL) -m "not slow" $(FLOOR_TESTS)

test-pythons: $(BIN)/python ## run a part of the tests on the other Pythons of this machine
	@found=$$($(BIN)/python scripts/pythons.py) || exit 1; \
	echo "$$found" | while read -r version python; do \
	  test -z "$$version" || $(MAKE) --no-print-directory PYTHON="$$python" test-python-$$version \
	    </dev/null || exit 1; \
	done

test-python-%: .venv-%/.dev
	.venv-$*/bin/pytest $(PARALLEL) -m "not slow" $(PYTHON_TESTS)

test-scale: $(SCALE)/.dev ## test tables in Ray Data, Spark (needs Java), DuckDB and Polars
	$(SCALE)/bin/pytest -q tests/scale

fuzz: $(VENV)/.dev ## search for texts that break a law; SECONDS=600 sets the time
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60)

lint: $(VENV)/.dev ## check style, types, import directions and docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin src
	$(BIN)/lint-imports --no-logo
	$(BIN)/mkdocs build --strict

format: $(VENV)/.dev ## format the code and fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.dev ## build the documentation into site/
	$(BIN)/mkdocs build --strict

dist: $(VENV)/.dev ## build the distributions into dist/ and check them
	rm -rf $(DIST)
	$(BIN)/python -m build --outdir $(DIST)
	$(BIN)/twine check --strict $(DIST)/*
	$(BIN)/check-wheel-contents $(DIST)/*.whl
	$(BIN)/python scripts/distributions.py $(DIST)
	@echo "To publish: $(BIN)/twine upload $(DIST)/*"

bench: $(BENCHMARK)/.speed ## measure speed and memory, compared with other chunkers; QUICK=1
	$(BENCHMARK)/bin/python -m benchmarks.run $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.pathological $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.adapters $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.speed $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.formats
	$(BENCHMARK)/bin/python -m benchmarks.runs $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.stream $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.index $(if $(QUICK),--quick)
	$(BENCHMARK)/bin/python -m benchmarks.agents $(if $(QUICK),--quick)

bench-retrieval: $(BENCHMARK)/.retrieval ## measure retrieval with the chunks; QUESTIONS=folder
	HF_HUB_OFFLINE=1 $(BENCHMARK)/bin/python -m benchmarks.retrieval $(if $(QUESTIONS),"$(QUESTIONS)")

bench-scale: $(SCALE)/.dev ## measure the cost of Ray Data and Spark; MEGABYTES=60 of documents
	$(SCALE)/bin/python -m benchmarks.scale $(if $(MEGABYTES),--megabytes $(MEGABYTES))

mutants: $(MUTANTS)/.dev ## test whether the tests notice small errors; JOBS=number of processes
	ulimit -v $(MOST_MEMORY); $(MUTANTS)/bin/python scripts/mutants.py $(if $(JOBS),--jobs $(JOBS))

clean: ## remove environments, caches and built files
	rm -rf $(VENV) $(VENV)-3.* $(FLOORS) $(BENCHMARK) $(SCALE) $(MUTANTS) mutants site $(DIST) $(INDEX) htmlcov .coverage
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .fuzz
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each environment has one stamp file for each kind of installation; one older than pyproject.toml is out of date.

$(VENV)/.cli: pyproject.toml $(BIN)/python
	@echo "Installing the command into $(VENV) (once)"
	@$(BIN)/python $(INSTALL) -e ".[mcp,code]"
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
	@echo "Installing everything except the development tools into .venv-$* (once)"
	@.venv-$*/bin/python $(INSTALL) "pip>=25.1"
	@.venv-$*/bin/python $(INSTALL) -e ".[all]" --group test
	@touch $@

# A separate environment: development does not need other chunkers, and the embedding packages are larger
# than all others.
$(BENCHMARK)/.speed: pyproject.toml $(BENCHMARK)/bin/python
	@echo "Installing the other chunkers into $(BENCHMARK) (once)"
	@$(BENCHMARK)/bin/python $(INSTALL) "pip>=25.1"
	@$(BENCHMARK)/bin/python $(INSTALL) -e ".[langchain,llamaindex,mcp,code,arrow]" --group benchmark
	@touch $@

$(BENCHMARK)/.retrieval: pyproject.toml $(BENCHMARK)/bin/python
	@echo "Installing the dependencies of the retrieval benchmark into $(BENCHMARK) (once)"
	@$(BENCHMARK)/bin/python $(INSTALL) "pip>=25.1"
	@$(BENCHMARK)/bin/python $(INSTALL) -e ".[langchain,llamaindex,cli]" --group benchmark-retrieval
	@touch $@ $(BENCHMARK)/.speed

# A separate environment: the engines are larger than all other dependencies.
$(SCALE)/.dev: pyproject.toml $(SCALE)/bin/python
	@echo "Installing Ray, Spark, DuckDB and Polars into $(SCALE) (once)"
	@$(SCALE)/bin/python $(INSTALL) "pip>=25.1"
	@$(SCALE)/bin/python $(INSTALL) -e ".[arrow]" --group scale
	@touch $@

$(MUTANTS)/.dev: pyproject.toml $(MUTANTS)/bin/python
	@echo "Installing mutmut into $(MUTANTS) (once)"
	@$(MUTANTS)/bin/python $(INSTALL) "pip>=25.1"
	@$(MUTANTS)/bin/python $(INSTALL) -e . --group mutants
	@touch $@

# An incomplete environment is removed, so that the next run does not use it.
%/bin/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || { \
	  echo "Chunkana needs Python 3.11 or later, but $(PYTHON) is:" >&2; \
	  $(PYTHON) --version >&2; \
	  echo "Name another one: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv --clear $* || { rm -rf $*; exit 1; }
