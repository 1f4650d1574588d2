# What a person or CI does with this repository; `make` alone lists it. Needs make, and Python 3.11 or 3.13.
# Everything is made under build/, from PyPI's packages; nothing on the machine is changed.

BLENDERS = 4.2.23 4.5.15 5.0.1 5.2.3
ifndef BLENDER
# Where a Python is missing, the target that needs it says so.
BLENDER := $(shell sh tools/environment.sh default 2>/dev/null)
endif
PYTHON = build/environments/blender-$(BLENDER)/bin/python
CHECK = build/environments/check/bin
PLAIN_NUMPY ?= 1.24.4
PLAIN = build/environments/plain-$(PLAIN_NUMPY)/bin/python
RUNS ?= 20000
SECONDS ?= 60
FORMAT ?= mrtk

.DEFAULT_GOAL = help
.PHONY: help environment demo test test-all test-plain renew test-gui store test-cluster test-programs dist wheel release site test-site lint format types fuzz fuzz-blender atheris mutants bench keys bench-pairs measure rooms scenes clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

environment:
	@sh tools/environment.sh blender $(BLENDER)

demo: dist ## install the zip into a Blender, import samples, render the hands, export and compare
	$(PYTHON) tools/demo.py --zip build/dist/io_anim_curves-*.zip --output build/demo

test: ARGS ?= -m "not slow"
test: environment ## the test suite in one Blender (BLENDER=5.0.1); with ARGS= the slow tests too, ARGS="-m slow" only them
	$(PYTHON) -m pytest $(ARGS)

test-all: ## the whole test suite in every Blender
	@sh tools/test_all.sh $(BLENDERS)

test-plain: ## the tests that need no Blender, with an old numpy (PLAIN_NUMPY=1.24.4)
	@sh tools/environment.sh plain $(PLAIN_NUMPY)
	$(PLAIN) -m pytest $(ARGS)

renew: environment ## write the references of "the same bytes" and the kept outcomes anew, on purpose, and say what changed
	$(PYTHON) -m pytest -q tests/acceptance/test_same_bytes.py tests/kept --renew $(ARGS)

test-gui: dist ## drive a real Blender window under Xvfb (root on Debian; SUITE=trixie or sid)
	$(PYTHON) tests/gui/run.py --zip build/dist/io_anim_curves-*.zip --output build/gui --suite $(or $(SUITE),trixie)
	$(PYTHON) tests/gui/run.py --zip build/dist/io_anim_curves-*.zip --output build/gui --suite $(or $(SUITE),trixie) \
	  --drivers tests/gui/small --screen 1024x768

store: dist ## the icon and the pictures of the extension's page, from real windows (root on Debian; SUITE=sid or trixie)
	$(PYTHON) tools/icon.py docs/pictures/store/icon.png
	$(PYTHON) tests/gui/run.py --zip build/dist/io_anim_curves-*.zip --output build/gui --suite $(or $(SUITE),sid) \
	  --drivers tests/gui/store --screen 1920x1080
	$(PYTHON) tools/pictures.py --store build/gui/$(or $(SUITE),sid) docs/pictures/store

test-cluster: environment ## 1,000 recordings on Slurm with two nodes, one of them lost; Flamenco's job type; Ray (root on Debian)
	@sh tools/environment.sh cluster
	BLENDER_PYTHON=$(PYTHON) build/environments/cluster/bin/python -m pytest tests/cluster tests/formats/interchange/test_server_page.py -s $(ARGS)

test-programs: ## what other programs make of .glb, .csv and .npz: Khronos's validator, pandas (skipped without a network, but in CI)
	@if sh tools/environment.sh programs; then \
	  build/environments/programs/bin/python -m pytest tests/programs $(ARGS); \
	elif [ -n "$$CI" ]; then exit 1; \
	else echo "test-programs: skipped, as Node, pandas or the validator cannot be fetched"; fi

dist: environment ## the extension's zip, validated and built with Blender's own tool
	$(PYTHON) tools/build.py --output build/dist

wheel: ## io_formats as a wheel, tried in an empty environment
	$(shell sh tools/environment.sh python) tools/wheel.py --output build/dist

release: environment ## zip, wheel, notes and page text, each tried, into build/release; refused while tools/project.toml is empty
	$(PYTHON) tools/release.py --output build/release $(ARGS)

site: ## the manual as a site in build/site, from docs/, with search; it fetches nothing when it is read
	@sh tools/environment.sh site
	NO_MKDOCS_2_WARNING=1 build/environments/site/bin/mkdocs --quiet build --strict --site-dir build/site

test-site: site ## click through the site in Debian's chromium: pages, links, anchors, pictures, the width of a telephone
	build/environments/site/bin/python -m pytest -q --noconftest tests/site $(ARGS)

lint: ## ruff: lint and format check
	@sh tools/environment.sh check
	$(CHECK)/ruff check .
	$(CHECK)/ruff format --check .

format: ## ruff: mend what can be mended
	@sh tools/environment.sh check
	$(CHECK)/ruff check --fix .
	$(CHECK)/ruff format .

types: ## mypy, strict, with the stubs of Blender's API
	@sh tools/environment.sh check
	@sh tools/types.sh $(CHECK)/mypy

fuzz: ## damaged files through the codecs, without Blender (RUNS=20000 for each format, SEED=0)
	@sh tools/environment.sh plain $(PLAIN_NUMPY)
	$(PLAIN) tests/fuzz/fuzz_codecs.py --runs $(RUNS) --seed $(or $(SEED),0)

fuzz-blender: environment ## damaged files through the import operators (300 for each format, SEED=0)
	$(PYTHON) tests/fuzz/fuzz_operators.py --runs 300 --seed $(or $(SEED),0)

scenes: environment ## ordinary scenes, exported and judged by players of the tests' own (COUNT=100, FIRST=0, SEED=0, FORMAT=mrtk)
	$(PYTHON) tests/scenes/run.py --count $(or $(COUNT),100) --number $(or $(FIRST),0) --seed $(or $(SEED),0) $(if $(filter command% environment%,$(origin FORMAT)),--format $(FORMAT))

atheris: ## coverage-guided fuzzing of one format (FORMAT=mrtk, SECONDS=60)
	@sh tools/environment.sh fuzz
	build/environments/fuzz/bin/python tests/fuzz/guided.py --format $(FORMAT) --seconds $(SECONDS)

mutants: BLENDER = 5.2.3
mutants: environment ## small defects, and whether a test notices (COUNT=300, SEED=0, MINUTES=600)
	$(PYTHON) tests/mutants/run.py --count $(or $(COUNT),300) --seed $(or $(SEED),0) --minutes $(or $(MINUTES),600) --blender $(PYTHON) $(ARGS)

bench: environment ## speed and memory beside Blender's own importers and exporters
	$(PYTHON) tests/benchmarks/run.py --output build/bench $(ARGS)

keys: environment ## how many keys exports make, beside Blender's glTF exporter, into docs/keys.md (ARGS="--only IK" prints rows)
	$(PYTHON) tests/benchmarks/keys.py $(ARGS)

bench-pairs: environment ## the processor's time of this tree beside that of COMMIT, in turns (ARGS="--pairs 40 'import AnimX'")
	$(PYTHON) tests/benchmarks/pairs.py $(COMMIT) $(ARGS)

rooms: ## draw the rooms of the house and who imports whom, for docs/developing.md
	python3 tools/rooms_picture.py docs/pictures/rooms.svg

measure: environment ## sizes, types, docstrings and the modules that an import and an export enter (ARGS=--files)
	$(PYTHON) tools/measure_house.py $(ARGS)

clean: ## remove what the other targets made
	rm -rf build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
