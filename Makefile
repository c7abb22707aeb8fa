# Everything sets itself up: Python 3.11 or newer, make and git are all a machine needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test bench torture lock clean chromium

run: $(VENV)/.run
	@$(BIN)/gaji serve --demo

test: $(VENV)/.test chromium
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist loadfile

# The console is tested in a real browser. As root it is installed where there is none; otherwise the tests say what to do.
chromium:
	@if [ -z "$$GAJI_TEST_CHROMIUM" ] && ! { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Chromium for the console's tests."; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; \
	  fi; \
	fi

bench: $(VENV)/.test
	$(BIN)/python -m bench

torture: $(VENV)/.test
	$(BIN)/python -m torture

# After changing a requirements/*.in.
lock: $(VENV)/.test
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/run.in -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/test.in -o requirements/test.txt

clean:
	rm -rf $(VENV) build src/*.egg-info

$(VENV)/.venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Gaji needs Python 3.11 or newer; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/.venv
	@echo "Setting up; this takes a minute, once."
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.run
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/test.txt
	@touch $@
