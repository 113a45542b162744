CARGO ?= cargo

# Tests of the unsafe data path, for tools that watch every access.
SAFETY = --package commloom-plan --package commloom-pack
HOST = $(shell rustc -vV | sed -n 's/host: //p')
# What computes without MPI, for another architecture.
AARCH64 = --package commloom-layout --package commloom-reconstruct $(SAFETY)
# Pages of the book that measurements write.
TABLES = book/src/tables
# Lints are errors of the one build that is tested.
STRICT = RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/scripts/strict-rustc
# How cargo is told what to run tests with, on this machine.
RUNNER = CARGO_TARGET_$(shell echo $(HOST) | tr a-z- A-Z_)_RUNNER

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests build install uninstall demo test test-long test-asan test-valgrind test-aarch64 test-messages test-two-nodes test-mpi4py test-mpich test-python wheel dist lint-dist lint fuzz fuzz-quick fuzz-mpi soak bench-reconstruct bench-pack bench-python bench-mpi bench-paired bench-adverse bench-detect bench-cdag book check-graphs check-advice check-refactor bench-trace bench-replace bench-files bench-windows bench-refactor real-programs applications guidelines gaps clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install MPICH and Open MPI (apt) where they are missing
	@scripts/setup

setup-tests:
	@scripts/setup --mpich5

build: ## build everything, optimized
	$(CARGO) build --release --workspace

install: build ## install below PREFIX (/usr/local; DESTDIR stands in front of it for packagers): command, preloads, manual, completions, module files
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install

uninstall: ## take away what `make install` with the same PREFIX and DESTDIR has put there
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install --uninstall

# Only what it runs: not the grammars and the language server of `commloom refactor`, and no PNG.
demo: setup ## run every example natively and under commloom, print one table (about 10 minutes, after the build)
	$(CARGO) build --release --no-default-features --package xtask --package commloom --package commloom-interpose-mpich --package commloom-interpose-openmpi
	target/release/xtask demo --minutes 10 $(DEMO_ARGS)

# One profile for all of it, with overflow checks: an optimized build beside it took three of CI's minutes and tested nothing else.
# The tests are named beside what they start: what they depend on asks some crates for more, which would be built
# a second time. Open MPI 4.1 sleeps for a second whenever it closes the component `ofi`: four times as long as the rest of
# a run on two ranks.
test: export OMPI_MCA_btl = ^ofi
test: setup-tests ## all checks and tests, also end to end under both MPI libraries
	$(CARGO) fmt --all --check
	$(STRICT) $(CARGO) build --workspace --all-targets
	COMMLOOM_REQUIRE_MPI=1 COMMLOOM_REQUIRE_BROWSER=1 $(STRICT) $(CARGO) test --workspace
	target/debug/xtask demo --quick --runs 1 --commloom target/debug/commloom
	COMMLOOM_BIN=$(CURDIR)/target/debug SEED=1 FUZZ_NAMES="pack types mixed sessions" scripts/fuzz-mpi 2000

test-long: ## tests of random layouts, types and graphs with ten times as many cases as in CI (TIMES=10; half an hour)
	COMMLOOM_TIMES=$(or $(TIMES),10) $(CARGO) test --package commloom-layout --package commloom-reconstruct --package commloom-plan \
		--package commloom-pack --package commloom-commgraph --package commloom-testkit

test-asan: ## plan and pack under AddressSanitizer, AVX-512 included (some 15 seconds)
	RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address --cfg commloom_asan" $(CARGO) test --target $(HOST) --lib --tests $(SAFETY)

# Not plan: it has no unsafe code, and valgrind takes optimized matches on options in safe code for reads of
# uninitialized memory.
test-valgrind: ## pack under valgrind, which has no AVX-512: AVX2 and portable (some 10 minutes)
	@command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind"; exit 1; }
	env $(RUNNER)="valgrind -q --error-exitcode=9 --leak-check=no" $(CARGO) test --lib --tests --package commloom-pack

test-aarch64: ## layout, reconstruct, plan and pack on AArch64, emulated (some 40 minutes, network)
	@scripts/setup --aarch64
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
		$(CARGO) test --target aarch64-unknown-linux-gnu --lib --tests $(AARCH64)

test-messages: ## many random layouts as messages, near and far, with every MPI library found (CASES=5000 from SEED=0 on, each for some 2 minutes)
	COMMLOOM_REQUIRE_MPI=1 COMMLOOM_MESSAGES=$(or $(CASES),5000) COMMLOOM_SEED=$(or $(SEED),0) $(CARGO) test --package commloom-mpi --test libraries

test-two-nodes: ## end-to-end tests, soak and random operations on two nodes made of this machine (root; some 10 minutes)
	@scripts/test-two-nodes

test-mpi4py: build ## the test suite of mpi4py, natively and under commloom: the same tests must pass (some 15 minutes, network)
	scripts/test-mpi4py $(MPICC)

test-mpich: build ## MPICH's own tests, and to_self of Open MPI, natively and under commloom; MPICH_SOURCE is a folder with a source of either (hours), write tables/test-mpich.md
	@scripts/test-mpich $(or $(MPICH_SOURCE),$(error MPICH_SOURCE=FOLDER is missing)) $(MPICC); status=$$?; \
		scripts/test-mpich-report $(TABLES)/test-mpich.md; exit $$status

wheel: ## one file for pip with command, preloads, C library and Python module: CPython from 3.9, glibc from 2.28 on (network; target/wheel/dist)
	@scripts/wheel

dist: ## a release in target/dist: wheel, tar file for a prefix, .deb, sources, licences of others, SBOM, recipes, sums (PARTS="tar deb" for some; network)
	@BUILD="$(BUILD)" GLIBC="$(GLIBC)" scripts/dist $(PARTS)

lint-dist: ## what lintian, twine, EasyBuild, Python and the schema of CycloneDX say of target/dist (network)
	@scripts/dist-lint

test-python: ## the Python module against NumPy and through mpi4py, in a virtual environment below target (network; some 5 minutes)
	@scripts/test-python

lint: ## formatting and clippy, warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

fuzz: ## fuzz parse, normalize, reconstruct and the readers of graphs, FUZZ_SECONDS (600) each; needs cargo-fuzz and a nightly compiler
	@scripts/fuzz

fuzz-quick: ## the same for 60 seconds each
	@FUZZ_SECONDS=60 scripts/fuzz

fuzz-mpi: build ## random MPI operations under every library found, 100,000 for each (OPERATIONS=...), write tables/fuzz-mpi.md
	FUZZ_MARKDOWN=$(CURDIR)/$(TABLES)/fuzz-mpi.md scripts/fuzz-mpi $(or $(OPERATIONS),100000)

soak: build ## 4 ranks with threads exchange random messages for SOAK_SECONDS (600) under every library found, write tables/soak.md
	scripts/soak $(CURDIR)/$(TABLES)/soak.md

bench-reconstruct: ## measure reconstruction against a sum, write tables/reconstruct-speed.md (some 20 minutes, quiet machine)
	scripts/written-to $(TABLES)/reconstruct-speed.md $(CARGO) bench --package commloom-reconstruct --bench ratios -- $(BENCH_ARGS)

bench-trace: build ## what `commloom trace` costs the halo example under both MPI libraries (some 2 minutes)
	@scripts/bench-trace

real-programs: setup build ## what is found in HPL, NAS, miniGhost and ember; REAL_PROGRAMS is a folder with their sources (some 15 minutes)
	@scripts/real-programs $(REAL_PROGRAMS)

applications: setup build ## dtFFT, mpi4py-fft, ScaLAPACK and LAMMPS natively and under commloom by turns; APPLICATIONS is a folder for what is installed (root, network; some 40 minutes, quiet machine), write tables/applications.md
	@scripts/applications $(or $(APPLICATIONS),$(CURDIR)/target/applications) $(BENCH_ARGS) > target/applications.md
	@mv target/applications.md $(TABLES)/applications.md

guidelines: setup build ## all expectation tests and guidelines with the libraries of GUIDELINES_ARGS, write tables/guidelines (3 minutes a library, quiet machine)
	target/release/commloom guidelines --seed 20261121 --json $(TABLES)/guidelines/results.json.zst --html $(TABLES)/guidelines/index.html $(GUIDELINES_ARGS)

bench-detect: ## time and memory of matching, dataflow and detection of six patterns on up to 2^22 processes, write tables/detect-speed.md (some 3 minutes, quiet machine)
	scripts/written-to $(TABLES)/detect-speed.md $(CARGO) run --release --package commloom-commgraph --example phases -- $(BENCH_ARGS)

check-graphs: ## run 100,000 random communication graphs (GRAPHS=...) byte by byte, compare with what is found, write tables/check-graphs.md (some 15 seconds)
	scripts/written-to $(TABLES)/check-graphs.md $(CARGO) run --release --package commloom-commgraph --example check_graphs -- $(or $(GRAPHS),100000)

check-advice: setup ## what detect prints for the patterns of tests/by_hand and for some drawn by chance (PROGRAMS=, SEED=), compiled and run in place of their messages on 2 to 8 processes (RANKS=2,3,4,5,6,7,8), with every MPI library found; prints tables (some 15 minutes)
	COMMLOOM_RANKS=$(or $(RANKS),2,3,4,5,6,7,8) COMMLOOM_PROGRAMS=$(or $(PROGRAMS),60) COMMLOOM_SEED=$(or $(SEED),1) \
		$(CARGO) test --package commloom --test applied -- --nocapture --test-threads=1

check-refactor: ## some thousands of programs drawn by chance (PROGRAMS=, SEED=) with something in them that may make a change of `commloom refactor` wrong: compiled and run before and after, under both MPI libraries; prints the table of tables/check-refactor.md
	COMMLOOM_PROGRAMS=$(or $(PROGRAMS),4000) COMMLOOM_SEED=$(or $(SEED),100) COMMLOOM_LIBRARIES=mpich,openmpi COMMLOOM_TABLE=1 \
		$(CARGO) test --package commloom-refactor --test attack -- --nocapture

bench-refactor: build ## commloom refactor on a program of 100,000 lines made of its test cases: under 5 s and 1 GB, or status 1 (COMMLOOM=... and SOURCES='--sources DIR' for others; quiet machine, release build)
	@scripts/bench-refactor --commloom $(or $(COMMLOOM),target/release/commloom) $(SOURCES)

bench-replace: build ## persistent requests as they are and replaced by collective operations, under both MPI libraries of Debian (some 3 minutes, quiet machine)
	@scripts/bench-replace

bench-files: build ## writes and reads of files from memory with gaps, natively and under commloom, under both MPI libraries of Debian (some 20 minutes, quiet machine)
	@scripts/bench-files

bench-windows: build ## faces of a grid that are put into windows, and as messages, natively and under commloom, under both MPI libraries of Debian (some minutes, quiet machine)
	@scripts/bench-windows

bench-cdag: setup build ## runs until a compiled communication graph has paid, under every library found, write tables/cdag.md (3 minutes, quiet machine)
	scripts/bench-cdag $(CURDIR)/$(TABLES)/cdag.md

bench-pack: ## measure packing against memcpy, C loops and every MPI library, write tables/pack-speed.* (some 25 minutes, quiet machine)
	$(CARGO) bench --package commloom-pack --bench speed -- --markdown $(CURDIR)/$(TABLES)/pack-speed.md \
		--svg $(CURDIR)/$(TABLES)/pack-speed.svg --json $(CURDIR)/$(TABLES)/pack-speed.json.zst $(BENCH_ARGS)

bench-python: ## Layout.pack against NumPy for the layouts of bench-pack, write tables/python-speed.md (some 10 minutes, quiet machine)
	@scripts/test-python --bench $(CURDIR)/$(TABLES)/python-speed.md

bench-mpi: setup build ## ping-pong, broadcast and packing natively and under commloom, write tables/bench-mpi.md (some 15 minutes, quiet machine)
	$(CARGO) run --release --package xtask -- bench-mpi --markdown $(CURDIR)/$(TABLES)/bench-mpi.md $(BENCH_ARGS)

bench-paired: setup build ## natively and under commloom by turns in one run: ping-pong, broadcast, transpose, halo and stencil; every cell that is slower (BENCH_ARGS='--mpi mpich5=/opt/mpich5 --ranks 4'; some 10 minutes a library), write tables/paired.md
	$(CARGO) run --release --package xtask -- paired --markdown $(CURDIR)/$(TABLES)/paired.md $(BENCH_ARGS)

bench-adverse: setup build ## halo and stencil by turns in one run where little is as a quiet machine has it: wrong tables, 4 ranks, one core, a busy neighbour, the network (BENCH_ARGS='--mpi mpich5=/opt/mpich5'; some 3 minutes each), print a table
	@scripts/bench-adverse $(BENCH_ARGS)

gaps: ## measure large trees against optimal ones, write tables/tree-gaps.md
	$(CARGO) run --release --package commloom-reconstruct --example gaps -- $(GAPS_ARGS)

book: ## build the book into target/book (mdbook is installed below ~/.cache/commloom where it is missing)
	@scripts/book

clean: ## remove everything built
	$(CARGO) clean
