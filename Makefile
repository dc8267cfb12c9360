# The ways into this repository. Every target sets up what it needs.

BIN := .venv/bin
# maturin configures PyO3 by its environment. Clippy, which has not that
# environment, would undo it in a target directory that both used.
CLIPPY := PYO3_PYTHON=$(CURDIR)/$(BIN)/python cargo clippy --target-dir target/lint

.PHONY: help
help:
	@sed -n 's/^## //p' Makefile

## make build   the command .venv/bin/blockyard, with all that it needs
.PHONY: build
build: .venv/installed
	PIP_QUIET=1 $(BIN)/maturin develop --release --locked

.venv/installed: requirements/dev.txt
	scripts/setup.sh

## make demo    the published tests in virtual time, and a small one on this disk
.PHONY: demo
demo: build
	$(BIN)/python scripts/demo.py

## make test    all tests, Rust and Python
.PHONY: test
test: build
	scripts/peers.sh
	cargo test --release --locked --workspace --exclude blockyard-python
	$(BIN)/pytest

## make lint    formatters, linters, type checks, licences
.PHONY: lint
lint: build
	cargo fmt --all --check
	$(CLIPPY) --locked --workspace --all-targets -- -D warnings
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest blockyard._core
	scripts/deny.sh

## make drift   generated files against what they are generated from
.PHONY: drift
drift: build
	scripts/drift.sh

## make planted planted bugs, each caught by a named test
.PHONY: planted
planted: .venv/installed
	$(BIN)/python scripts/planted.py

## make format  formats all code
.PHONY: format
format: .venv/installed
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix-only
