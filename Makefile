# make demo   see what the package does            make test    run the tests
# make check  lint, format, types, import budget   make slow    the long statistical checks
# make bench  measure against the speed goals      make clean   remove the environment and caches

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check slow bench clean

demo: $(READY)
	$(BIN)/tetiwd demo --out penguins-demo --overwrite

test: $(READY)
	$(BIN)/python -m pytest -n auto -m "not slow"

slow: $(READY)
	$(BIN)/python -m pytest -n auto -m slow

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_import_budget.py

bench: $(READY)
	$(BIN)/python -m benchmarks

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tetiwd needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $(READY)

clean:
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis
