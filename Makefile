# Two commands do everything: `make solve` and `make test`. Both create .venv and install what they need.

PYTHON ?= python3
GAME ?= tictactoe
TURN ?= 0/1
BIN := .venv/bin

.PHONY: solve test test-slow lint docs pictures bench clean help
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE  # tests start many programs, each of which would compile its modules again

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/make \1\t\2/' | expand -t 18

solve: .venv/installed  ## solve a game: make solve GAME=mnk:rows=4,cols=4,k=4
	@$(BIN)/gametree solve '$(GAME)'

test: lint  ## lint, types, import contract and tests
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

test-slow: .venv/installed-test  ## the tests that take longer; make test-slow TURN=0/24 runs a 24th of them
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m slow --turn $(TURN)

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/installed-docs  ## build the site of the documentation: build/docs/index.html
	$(BIN)/python -m typer analysis.cli.main utils docs --name gametree --title Commands --output docs/reference/commands.md
	$(BIN)/python -m sphinx -q -W --keep-going -j auto -b html -d build/doctrees docs build/docs

pictures: .venv/installed-test  ## make the pictures, the tour and the gallery again
	$(BIN)/python docs/make/draw_rooms.py
	$(BIN)/python docs/make/photograph_page.py
	$(BIN)/python docs/make/refresh_tour.py
	$(BIN)/python docs/make/refresh_recipes.py

bench: .venv/installed-test  ## how fast, beside the peers
	$(BIN)/python benchmarks/run.py

clean:  ## remove .venv and caches; solutions in data/ stay
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "gametree needs Python 3.11 or newer; this is `$(PYTHON) -V 2>&1`. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	@echo "Installing gametree into .venv (once, a minute or two) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/installed-test: pyproject.toml | .venv/bin/python
	@echo "Installing gametree and its tests' tools into .venv (once, a minute or two) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@ .venv/installed

.venv/installed-docs: pyproject.toml | .venv/bin/python
	@echo "Installing gametree and Sphinx into .venv (once, a minute or two) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@ .venv/installed
