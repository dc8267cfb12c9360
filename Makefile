# The ways into this repository. Every target sets up what it needs.

BIN := .venv/bin
# maturin configures PyO3 by its environment. Clippy, which has not that
# environment, would undo it in a target directory that both used. So clippy has one of its own, which
# begins with a copy of what it would compile the same way: hence also the profile.
# Linters link nothing: libFuzzer's library need not be compiled, nor be where this says.
CLIPPY := PYO3_PYTHON=$(CURDIR)/$(BIN)/python CUSTOM_LIBFUZZER_PATH=/nowhere/libfuzzer.a \
    cargo clippy --profile ci --target-dir target/lint --locked

# How the command is built: `release` for users; `ci` for tests, in less than half the time, and for
# the demo, which somebody waits for.
PROFILE ?= release
demo test test-python test-realtime check lint lint-rust lint-python docs drift drift-changed validate: PROFILE := ci

# Random tests draw the same cases each time, so that a change is judged by what it changes.
# `make explore` draws others, and more.
export PROPTEST_RNG_SEED ?= 20180328

# Each of some thousand starts of Python would compile its modules again.
unexport PYTHONDONTWRITEBYTECODE

# All unit tests and most others; what takes a second or more is left to `make test`.
FAST := not realtime and not slow

# Files of tests go to whichever process is free, in the order of tests/conftest.py. There are
# more processes than cores, as many tests wait for something.
BY_FILE := --dist loadfile --no-loadscope-reorder

# Crates that are tested from what calls them, and fuzz targets.
DOORS := --exclude blockyard-python --exclude blockyard-page --exclude blockyard-fuzz

# npm runs the node beside it. The scripts of pages are built from web/ into the package, with the
# scenarios that the playground offers.
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix web --silent
PAGE := python/blockyard/pages/assets/page.js
EXAMPLES := $(shell find scenarios -name '*.yaml')

.PHONY: help
help:
	@sed -n 's/^## //p' Makefile

## make build   the command .venv/bin/blockyard, with all that it needs
.PHONY: build
build: module engine

# The command alone: its reports are static unless their simulator was built before.
.PHONY: module
module: .venv/installed $(PAGE)
	PIP_QUIET=1 $(BIN)/maturin develop --profile $(PROFILE) --locked

.venv/installed: requirements/build.txt
	scripts/setup.sh

# Linters and tests need ten times as much as a build.
DEV := .venv/installed-dev
$(DEV): .venv/installed requirements/dev.txt
	scripts/install.sh requirements/dev.txt
	touch $@

$(PAGE): web/node_modules/.package-lock.json web/build.mjs $(wildcard web/src/* web/src/*/*) $(EXAMPLES)
	$(NPM) run build

# The simulator of pages, made again if its sources have changed.
.PHONY: engine
engine: .venv/installed
	scripts/engine.sh

web/node_modules/.package-lock.json: .venv/installed web/package.json web/package-lock.json web/.npmrc
	$(NPM) ci
	touch $@

## make demo    what to buy, the published tests in virtual time, and a small one on this disk
.PHONY: demo
demo: module
	$(BIN)/python scripts/demo.py

## make wheel   a package for pip, target/wheels/blockyard-*.whl
.PHONY: wheel
wheel: .venv/installed $(PAGE) engine
	$(BIN)/maturin build --profile $(PROFILE) --locked --out target/wheels

## make check   what can be said within 90 seconds of a change
.PHONY: check
check: module $(DEV) format-check
	scripts/lint_target.sh
	$(CLIPPY) --workspace --all-targets -- -D warnings
	$(BIN)/mypy
	cargo test --profile ci --locked --workspace $(DOORS) --lib
	cargo test --profile ci --locked --package blockyard-tidy
	$(BIN)/pytest -n 3 $(BY_FILE) -m "$(FAST)"

## make test    all tests, Rust and Python
#
# Those that keep time run alone, on an otherwise idle machine.
.PHONY: test
test: build $(DEV)
	$(MAKE) -o module -o engine test-rust
	$(MAKE) -o module -o engine test-python
	$(MAKE) -o module -o engine test-realtime

TESTS := cargo test --profile ci --locked --workspace $(DOORS)

# The programs of `make test-rust`, and the crates that the module is built from.
.PHONY: programs
programs:
	$(TESTS) --no-run

.PHONY: test-rust
test-rust: peers
	$(TESTS)

.PHONY: test-python
test-python: build $(DEV) peers
	$(BIN)/pytest -n 4 $(BY_FILE) -m "not realtime" --durations=30

.PHONY: test-realtime
test-realtime: build $(DEV) peers
	$(BIN)/pytest -m realtime --durations=30

# The programs that tests drive or compare with.
.PHONY: peers
peers:
	scripts/peers.sh

## make machine what only a virtual machine can try: LVM, RAID, DRBD, provisioning
#
# `make test` tries it too, if what it tests has changed since.
.PHONY: machine
machine: build $(DEV) peers
	rm -f tests/machine/passed-at
	$(BIN)/pytest tests/test_machine.py
	PYTHONPATH=tests:scripts $(BIN)/python -m machine.passed

## make explore random tests with cases that `make test` does not draw: CASES each
#
# A case that fails is kept in `proptest-regressions`, and tried first from then on.
CASES ?= 2000
.PHONY: explore
explore:
	env -u PROPTEST_RNG_SEED PROPTEST_CASES=$(CASES) \
	    cargo test --profile ci --locked --workspace $(DOORS) --no-fail-fast

## make lint    formatters, linters, type checks, licences
.PHONY: lint
lint: format-check lint-rust lint-python

.PHONY: lint-rust
lint-rust: module $(DEV)
	scripts/lint_target.sh
	$(CLIPPY) --workspace --all-targets -- -D warnings
	$(CLIPPY) --manifest-path benchmarks/simulate/Cargo.toml --all-targets -- -D warnings
	scripts/deny.sh

.PHONY: lint-python
lint-python: module $(DEV)
	$(BIN)/mypy
	for folder in catalog benchmarks/*/; do MYPYPATH=tests:benchmarks/oltp $(BIN)/mypy $$folder || exit; done
	$(BIN)/python -m mypy.stubtest blockyard._core
	$(NPM) run lint

.PHONY: format-check
format-check: $(DEV)
	cargo fmt --all --check
	$(BIN)/ruff format --check
	$(BIN)/ruff check

## make drift   generated files against what they are generated from
.PHONY: drift
drift: module $(DEV)
	scripts/drift.sh

## make drift-changed  the same; simulates only if a change concerns what is simulated
.PHONY: drift-changed
drift-changed: module $(DEV)
	scripts/drift.sh --changed

## make validate the model against every public measurement; fills docs/validation*.md
.PHONY: validate
validate: build $(DEV)
	PYTHONPATH=scripts $(BIN)/python -m validation

## make docs    the documentation as a site, target/site/index.html
.PHONY: docs
docs: build .venv/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

.venv/installed-docs: $(DEV) requirements/docs.txt
	scripts/install.sh requirements/docs.txt
	touch $@

## make planted planted bugs, each caught by a named test
.PHONY: planted
planted: .venv/installed
	$(BIN)/python scripts/planted.py

## make planted-changed  those that a change since the last full run may concern
.PHONY: planted-changed
planted-changed: .venv/installed
	$(BIN)/python scripts/planted.py --changed

## make format  formats all code
.PHONY: format
format: $(DEV) web/node_modules/.package-lock.json
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix-only
	$(NPM) run format
