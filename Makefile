CARGO ?= cargo

.DEFAULT_GOAL := help
.PHONY: help setup build demo test lint clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install MPICH and Open MPI (apt) where they are missing
	@scripts/setup

build: ## build everything, optimized
	$(CARGO) build --release --workspace

demo: setup build ## run every example natively and under commloom, print one table (about 5 minutes)
	$(CARGO) run --release --package xtask -- demo $(DEMO_ARGS)

test: setup lint build ## all checks and tests, also end to end under both MPI libraries
	COMMLOOM_REQUIRE_MPI=1 $(CARGO) test --workspace
	$(CARGO) run --release --package xtask -- demo --quick --runs 1

lint: ## formatting and clippy, warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

clean: ## remove everything built
	$(CARGO) clean
