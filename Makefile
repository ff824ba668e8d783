# make demo     see what the package does             make test     run the tests
# make check    lint, types, layers, import budget    make slow     the long statistical checks
# make wheel    build sdist and wheel, try the wheel  make minimal  the same with the lowest versions allowed
# make checked  test kernels with checked indices     make sanitized  test them with the sanitizers of gcc
# make bench    measure against the speed goals       make verify   the long verification (hours, goes on)
# make docs     build the documentation, offline      make slurm    run jobs in a real SLURM (Debian: slurmctld, slurmd, munge)
# make clean    remove the environment and caches

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo docs test check slow slurm checked sanitized bench verify dist wheel minimal clean

demo: .venv/.demo
	$(BIN)/tetiwd demo --out penguins-demo --overwrite

docs: .venv/.docs
	$(BIN)/python -m sphinx -b html -q -n -W --keep-going -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

test: .venv/.dev
	$(BIN)/python -m pytest -n auto -m "not slow"

slow: .venv/.dev
	$(BIN)/python -m pytest -n auto -m slow

slurm: .venv/.dev
	$(BIN)/python -m pytest -m slow -rs tests/slurm

check: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_import_budget.py

checked sanitized: .venv/.dev
	$(BIN)/python tools/check_build.py $@

bench: .venv/.dev
	$(BIN)/python -m benchmarks

verify: .venv/.dev
	$(BIN)/python -m verification --write

dist: .venv/.dev
	rm -rf dist
	$(BIN)/python -m build --outdir dist

wheel: dist
	$(BIN)/python tools/check_install.py dist/*.whl

minimal: dist
	$(BIN)/python tools/check_install.py dist/*.whl --lowest

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tetiwd needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	@touch $@

# What is compiled when installing.
KERNELS := setup.py $(wildcard src/tetiwd/kernels/*.py src/tetiwd/kernels/*.pxd)
KERNELS_OF_EXPERIMENTS := experiments/setup.py $(wildcard experiments/tetiwd_experiments/baselines/gauss_kernels.p*)

.venv/.demo: .venv/.python pyproject.toml $(KERNELS)
	$(PIP) --no-compile --editable ".[demo]" # Python compiles what it uses
	@touch $@

.venv/.docs: .venv/.python pyproject.toml $(KERNELS)
	$(PIP) --editable ".[docs]"
	@touch $@

.venv/.dev: .venv/.python pyproject.toml experiments/pyproject.toml $(KERNELS) $(KERNELS_OF_EXPERIMENTS)
	$(PIP) --editable ".[dev]" --editable ./experiments
	@touch $@ .venv/.demo .venv/.docs

clean:
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis dist build docs/_build docs/reference/api src/tetiwd/kernels/*.so \
		experiments/build experiments/tetiwd_experiments/baselines/*.so
