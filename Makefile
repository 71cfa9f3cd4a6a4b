# Everything runs from a fresh clone with nothing but python3 (with venv and pip).
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench clean postgresql

demo: $(VENV)/.installed
	$(BIN)/hedgerow demo

test: lint postgresql $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 -m "not slow"
	$(BIN)/python -m pytest -n 2 -m slow tests

# The ledger is tested on a real PostgreSQL, which the tests start themselves in a folder of theirs.
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null \
	  || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
	       --no-install-recommends postgresql >/dev/null; } \
	  || { echo "Install PostgreSQL's server (Debian: postgresql), or set HEDGEROW_WITHOUT_POSTGRESQL=1"; \
	       test -n "$$HEDGEROW_WITHOUT_POSTGRESQL"; }

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
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@

# The peers pin old versions of what we use, so they get an environment of their own.
$(VENV)-peers/.installed: pyproject.toml bench/peers.txt
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip install --quiet -r bench/peers.txt
	touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-test $(VENV)-peers/.installed
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-peers demo build dist
