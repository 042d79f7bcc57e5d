# What you can do here. It needs Python 3.11 or newer, git and make; everything else is installed into .venv.

PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$name; break; fi; done)
PORT ?= 8000
WORKERS ?= 1
export PORT WORKERS

.PHONY: help run test test-agents test-mcp check fix bench screenshots python
.DEFAULT_GOAL := help

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' $(MAKEFILE_LIST) | expand -t 20

run: python ## start Revell on this machine, on http://127.0.0.1:8000 (or PORT=...), with an SQLite file
	@$(PYTHON) -m revell.install $(PORT)
	@umask 077; .venv/bin/python manage.py migrate --verbosity 0
	@.venv/bin/python manage.py quickstart
	@echo "Revell is at http://127.0.0.1:$(PORT) (Ctrl-C stops it)"
	@exec .venv/bin/granian --interface wsgi --no-ws --host 127.0.0.1 --port $(PORT) --workers $(WORKERS) \
		--blocking-threads 32 --backpressure 64 --log-level error revell.wsgi:application

test: python ## run every check, then every test on SQLite and on a PostgreSQL of its own, and in Chromium
	@$(PYTHON) tests/run.py $(ARGS)

test-mcp: python ## run the official MCP conformance suite and inspector against a real server (needs Node and npm)
	@$(PYTHON) -c 'from revell.install import install; install(dev=True)'
	@.venv/bin/python tests/mcp/conformance.py

test-agents: python ## test with the real Claude Code and Codex, which npm brings into build/agents
	@$(PYTHON) tests/integrations/agents/run.py $(ARGS)

check: python ## lint, types, imports, templates, migrations, docs, deployment
	@$(PYTHON) tests/run.py --only=check

fix: python ## format the code and the templates, write the generated docs
	@$(PYTHON) tests/run.py --only=fix

bench: python ## measure boots and recalls with many memories
	@$(PYTHON) tests/run.py --only=bench $(ARGS)

screenshots: python ## take pictures of every page, light, dark and narrow, into build/screenshots
	@$(PYTHON) -c 'from revell.install import install; install(dev=True)'
	@.venv/bin/python -m tests.screenshots $(ARGS)

python:
	@test -n "$(PYTHON)" || { \
		echo "Revell needs Python 3.11 or newer, and this machine has: $$(python3 --version 2>&1 || echo none)."; \
		echo "Install one, or name it: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
