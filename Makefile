# Two commands do all: `make demo` shows what it is, `make test` passes the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint dbt unit bench count clean

demo: $(VENV)/installed
	$(BIN)/python demo/run.py

test: lint dbt unit

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/sqlfluff lint --disable-progress-bar models macros tests
	EBBING_HOME=$(VENV) $(BIN)/dbt parse --no-partial-parse --show-all-deprecations --quiet \
		--target-path $(VENV)/dbt-target --log-path $(VENV)/dbt-logs

# dbt's own tests, on an empty store of their own: unit tests, contracts, invariants.
dbt: $(VENV)/installed-dev
	mkdir -p $(VENV)/dbt-store
	EBBING_HOME=$(VENV)/dbt-store $(BIN)/dbt build --quiet \
		--target-path $(VENV)/dbt-target --log-path $(VENV)/dbt-logs

# On two workers: the tests start real processes and build real stores.
unit: $(VENV)/installed-dev
	$(BIN)/pytest -n 2 --dist loadfile

# What is measured, and how, is in benchmarks/: `make bench ARGS='locomo --data locomo10.json'`.
bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks $(ARGS)

# Lines of Python: the core (journal, store, recall, maintenance and the facade), then all that is
# installed.
count:
	@cd python/ebbing && cat journal/*.py store/*.py recall/*.py maintenance/*.py memory.py | wc -l
	@find python/ebbing -name '*.py' -exec cat {} + | wc -l

$(VENV)/installed: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/pip install --quiet --editable '.[all]' --group dev
	touch $@

clean:
	rm -rf $(VENV) .demo target logs build dist
