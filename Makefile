# Everything runs from a fresh clone with nothing but python3 (with venv and pip).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# An installed program has its bytecode; compiling anew in each process that tests and benchmarks
# start takes a tenth of their time.
export PYTHONDONTWRITEBYTECODE :=

# What `make fuzz` draws: so many random tables and plans (2000 at least), from this seed on.
DRAWS ?= 2000
FROM ?= 0

# What `make properties` draws its examples from: another seed each time, unless one is given.
ifndef SEED
SEED := $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
endif

# How often `make shuffle` runs the default suite.
RUNS ?= 10

.PHONY: demo test test-all test-setup test-slow test-spark fuzz properties shuffle lint bench clean postgresql chromium java

demo: $(VENV)/.installed
	$(BIN)/hedgerow demo

test: lint postgresql $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal --suite default

test-all: test test-slow test-spark fuzz properties

test-setup: postgresql chromium java $(VENV)/.installed-test

test-slow: postgresql chromium $(VENV)/.installed-tables
	$(BIN)/python -m pytest -n 2 --suite slow

test-spark: java $(VENV)/.installed-test
	$(BIN)/python -m pytest --suite spark

# Publishes random tables and tries to refute every printed claim; a failure names its seed.
fuzz: $(VENV)/.installed-test
	HEDGEROW_FUZZ_DRAWS=$(DRAWS) HEDGEROW_FUZZ_FROM=$(FROM) \
	  $(BIN)/python -m pytest -n 2 --suite fuzz

# The default suite tries the same examples on every run; this tries new ones, and prints the seed.
properties: postgresql $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --suite fresh --hypothesis-seed=$(SEED)

# The default suite in random orders, in the background, without a terminal, on a busy machine.
shuffle: postgresql $(VENV)/.installed-test
	$(BIN)/python tests/shuffle.py --runs $(RUNS)

# The ledger is tested on a real PostgreSQL, which the tests start themselves in a folder of theirs.
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null \
	  || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	       --no-install-recommends postgresql >/dev/null; } \
	  || { echo "Install PostgreSQL's server (Debian: postgresql), or set HEDGEROW_WITHOUT_POSTGRESQL=1"; \
	       test -n "$$HEDGEROW_WITHOUT_POSTGRESQL"; }

# The local web app is tested in a real browser.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	  || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	       --no-install-recommends chromium >/dev/null; } \
	  || { echo "Install Chromium (Debian: chromium), or set HEDGEROW_WITHOUT_CHROMIUM=1"; \
	       test -n "$$HEDGEROW_WITHOUT_CHROMIUM"; }

# The engine for clusters is tested on Spark, which the tests start themselves.
java:
	@command -v java >/dev/null \
	  || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	       --no-install-recommends default-jre-headless >/dev/null; } \
	  || { echo "Install Java 17 or later (Debian: default-jre-headless), or set HEDGEROW_WITHOUT_SPARK=1"; \
	       test -n "$$HEDGEROW_WITHOUT_SPARK"; }

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-bench
	$(BIN)/python -m bench

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[web,charts]'
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@

# The peers pin old versions of what we use, so they get an environment of their own.
$(VENV)-peers/.installed: pyproject.toml bench/peers.txt
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip install --quiet -r bench/peers.txt
	touch $@

# The public tables that guesses of `init` are scored on.
$(VENV)/.installed-tables: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-tables $(VENV)-peers/.installed
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-peers demo build dist
