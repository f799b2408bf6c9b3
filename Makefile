# make demo    train a small network and see two gradient bugs caught
# make test    the whole test suite against PyTorch, compiled and interpreted
# make bench   leafward's overhead beside PyTorch's
# Each sets up .venv by itself. Another Python: make demo PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
WORKERS ?= 2
TESTS ?= tests

.PHONY: demo test bench build lint clean

demo: build $(VENV)/has-demo
	@$(BIN)/leafward info
	@$(BIN)/leafward demo

test: build $(VENV)/has-dev lint
	@$(BIN)/leafward info
	$(BIN)/pytest -n $(WORKERS) $(TESTS)
	LEAFWARD_INTERPRETED=1 $(BIN)/pytest -n $(WORKERS) $(TESTS)

bench: build $(VENV)/has-dev
	@$(BIN)/python -m bench

lint: $(VENV)/has-dev
	$(BIN)/ruff check --quiet

# The checkout itself is installed: Python files need no step at all, and this recompiles what changed.
build: $(VENV)/made
	@$(BIN)/python setup.py --quiet build_ext --inplace

$(VENV)/made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "leafward needs Python 3.11 or newer; name one with PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) "setuptools>=77" "Cython>=3.1" "numpy>=2"
	LEAFWARD_INTERPRETED=1 $(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/has-demo: $(VENV)/made
	$(PIP) --no-build-isolation --editable ".[demo]"
	@touch $@

# Exactly this PyTorch: it is the specification.
$(VENV)/has-dev: $(VENV)/made
	$(PIP) --no-build-isolation --editable ".[dev]"
	$(PIP) torch==2.13.0 || echo "PyTorch 2.13.0 cannot be installed here: the tests that compare with it are left out."
	@touch $@

clean:
	rm -rf $(VENV) build demo-output *.egg-info
	find leafward -name "*.so" -delete
