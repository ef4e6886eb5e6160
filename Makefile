# Two commands do all: `make demo` shows what it is, `make test` passes the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint dbt unit long torture agents bench count lock clean

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

# Rounds of interleavings, of killed writers and of an erasure across replicas; minutes too.
long: $(VENV)/installed-dev
	$(BIN)/pytest -m long

# Minutes of kills, interrupts, full disks, foreign holders and commands in any order; prints rounds,
# operations, losses and the seed of each failure: `make torture ARGS='--rounds 100 --steps 20000'`.
torture: $(VENV)/installed-dev
	PYTHONPATH=.:tests/python:tests/python/plugins $(BIN)/python -m torture $(ARGS)

# Real agents, headless, with a model on loopback; the programs come from npm, once.
AGENTS := $(VENV)/agents
agents: $(VENV)/installed-dev
	@if ! command -v npm >/dev/null; then echo "npm is not here: no agent is tested"; exit 0; fi; \
	if ! cmp -s tests/real_agents/package.json $(AGENTS)/package.json; then \
		mkdir -p $(AGENTS) && cp tests/real_agents/package.json $(AGENTS)/ && \
		npm install --prefix $(AGENTS) --no-audit --no-fund --no-package-lock --loglevel=error || { \
			rm $(AGENTS)/package.json; echo "npm installs nothing here: no agent is tested"; exit 0; }; \
	fi; \
	$(BIN)/pip install --quiet --editable '.[adk,openai-agents]' --constraint constraints.txt \
		|| echo "the frameworks cannot be installed: their adapters are not tested"; \
	$(BIN)/pytest tests/real_agents

# What everything costs at size, beside other programs; another measurement is named by its
# arguments: `make bench ARGS='locomo --data locomo10.json'`.
bench: ARGS = scale
bench: $(VENV)/installed-dev
	$(BIN)/pip install --quiet --group bench
	$(BIN)/python -m benchmarks $(ARGS)

# Lines of Python: the core (journal, store, recall, maintenance and the facade), then all that is
# installed.
count:
	@cd python/ebbing && cat journal/*.py store/*.py recall/*.py maintenance/*.py memory.py | wc -l
	@find python/ebbing -name '*.py' -exec cat {} + | wc -l

$(VENV)/installed: pyproject.toml constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable . --constraint constraints.txt
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/pip install --quiet --editable '.[all]' --group dev --constraint constraints.txt
	touch $@

# The versions that development and CI use; a user's installation follows pyproject.toml alone.
lock: $(VENV)/installed-dev
	$(BIN)/pip install --quiet --upgrade --upgrade-strategy eager --editable '.[all]' --group dev
	$(BIN)/pip freeze --exclude-editable > constraints.txt

clean:
	rm -rf $(VENV) .demo target logs build dist
