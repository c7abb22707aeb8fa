# Requires Python 3.11 or newer, make and git. The targets install everything else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tests start many short processes. Without cached bytecode, each would compile the whole program again.
export PYTHONDONTWRITEBYTECODE :=

# Test processes. They often wait for servers, browsers and disks, so twice as many as cores keep the cores busy.
JOBS ?= $(shell cores=$$(getconf _NPROCESSORS_ONLN); if [ "$$cores" -lt 4 ]; then echo $$((2 * cores)); else echo 8; fi)

# Debian packages for the tests: fonts for Chinese and Tamil names, PDF tools, a browser for the console, and a pooler.
PACKAGES = fonts-wqy-microhei fonts-lohit-taml poppler-utils $(BROWSER) pgbouncer

# The browser without a window uses half the processor time. Not every system has it as a package of its own.
BROWSER = $(shell apt-cache show chromium-headless-shell >/dev/null 2>&1 && echo chromium-headless-shell || echo chromium)

# What the torture scenario `failovers` runs.
FAILOVER_PACKAGES := patroni etcd-server postgresql

.PHONY: run test types pytest bench torture check-failover check-deploy check-prometheus check-container check-wheel lock clean packages sbom audit mcp otel

run: $(VENV)/.run
	@$(BIN)/gaji serve --demo

test: packages $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory --jobs=2 types pytest

# Both are parts of `make test`. They run at the same time, because mypy uses only one core.
types: $(VENV)/.test
	$(BIN)/mypy
	$(BIN)/lint-imports

pytest: $(VENV)/.test $(VENV)/.clients $(VENV)/.node
	$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --durations=20

bench: $(VENV)/.test
	$(BIN)/python -m bench

torture: $(VENV)/.test
	@$(MAKE) --no-print-directory packages PACKAGES="$(FAILOVER_PACKAGES)"
	$(BIN)/python -m torture

# One failover of a PostgreSQL cluster that Patroni manages. `make torture` makes 50.
check-failover: $(VENV)/.test
	@$(MAKE) --no-print-directory packages PACKAGES="$(FAILOVER_PACKAGES)"
	TORTURE_FAILOVERS=1 $(BIN)/python -m torture failovers

# The examples in deploy/, checked by Prometheus, Caddy, nginx, systemd, and Patroni if it is installed.
check-deploy:
	@deploy/check.sh

# A real Prometheus that scrapes a running server and evaluates the alert rules and the queries of the dashboard.
check-prometheus: $(VENV)/.run
	@$(MAKE) --no-print-directory packages PACKAGES=prometheus
	@$(BIN)/python deploy/check_prometheus.py

# The image of deploy/Containerfile, built and started.
check-container:
	@deploy/check_container.sh

# The wheel, installed and run in a new virtual environment outside of the repository.
check-wheel: $(VENV)/.run
	@$(BIN)/python deploy/check_wheel.py

# Build the package gaji-client in the folder build, with the operations of this version.
client: $(VENV)/.run
	rm -rf build/client
	mkdir -p build
	cp -r clients/python build/client
	$(BIN)/gaji openapi > build/openapi.json
	$(BIN)/python build/client/generate.py build/openapi.json
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build build/client

# Install what `gaji mcp` needs. `make test` does this too.
mcp: $(VENV)/.mcp

# Install what tracing needs. `make test` does this too.
otel: $(VENV)/.otel

# Install missing packages, or list them if that is not possible. Tests that need them fail; none are skipped.
packages:
	@missing=""; for package in $(PACKAGES); do \
	  dpkg-query -W -f '$${Status}' $$package 2>/dev/null | grep -q '^install ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing$$missing"; \
	  export DEBIAN_FRONTEND=noninteractive; install="apt-get install -y -qq --no-install-recommends $$missing"; \
	  { $$install || { apt-get update -qq && $$install; }; } >/dev/null && exit 0; \
	fi; \
	echo "The tests need$$missing (Debian packages). Install them, or tests will fail." >&2

# The packages that the service runs with, as CycloneDX JSON.
sbom: $(VENV)/.run
	@$(BIN)/python -m requirements.sbom build/gaji.cdx.json

# Known vulnerabilities of these packages. It needs network access, and says so without it.
audit: $(VENV)/.audit
	@$(BIN)/python -m requirements.audit $(VENV)/audit/bin/pip-audit

# Run this after changing a file requirements/*.in.
lock: $(VENV)/.test
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/build.in -o requirements/build.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/run.in -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/run.txt requirements/run.in requirements/mcp.in -o requirements/mcp.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header -c requirements/run.txt requirements/run.in requirements/otel.in -o requirements/otel.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/test.in -o requirements/test.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/clients.in -o requirements/clients.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header requirements/audit.in -o requirements/audit.txt

clean:
	rm -rf $(VENV) build src/*.egg-info

$(VENV)/.venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Gaji needs Python 3.11 or newer; set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: requirements/build.txt requirements/run.txt pyproject.toml | $(VENV)/.venv
	@echo "Setting up; this takes a minute, once."
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt -r requirements/run.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.run
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/test.txt
	@touch $@

$(VENV)/.mcp: requirements/mcp.txt $(VENV)/.run
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/mcp.txt
	@touch $@

$(VENV)/.otel: requirements/otel.txt $(VENV)/.run
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/otel.txt
	@touch $@

# The generator of API clients has an environment of its own, because its dependencies conflict with those of Gaji.
$(VENV)/.clients: requirements/clients.txt | $(VENV)/.venv
	$(PYTHON) -m venv $(VENV)/clients
	$(VENV)/clients/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/clients.txt
	@touch $@

$(VENV)/.audit: requirements/audit.txt | $(VENV)/.run
	$(PYTHON) -m venv $(VENV)/audit
	$(VENV)/audit/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/audit.txt
	@touch $@

# The tools that check the OpenAPI document and generate a TypeScript client, in a folder of their own. Without Node.js
# this only says what is missing. Tests that need the tools fail; none are skipped.
$(VENV)/.node: tests/web/typescript/package.json tests/web/typescript/package-lock.json | $(VENV)/.venv
	@if ! command -v npm >/dev/null; then \
	  echo "The tests need Node.js 20 or newer with npm. Install it, or tests will fail." >&2; \
	else \
	  mkdir -p $(VENV)/node && \
	  cp $(addprefix tests/web/typescript/,package.json package-lock.json .npmrc) $(VENV)/node && \
	  echo "Installing the tools for TypeScript clients" && \
	  npm ci --prefix $(VENV)/node --ignore-scripts --no-progress --loglevel=error && \
	  touch $@; \
	fi
