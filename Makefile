# The only menu. `make` alone prints it.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

jest := node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js
ready := node_modules/.stamp

.PHONY: help run dev build test test-fast coverage check lint format conformance generate docs sdk release assets screenshots migration migrate bench faults fuzz hooks clean style types contract

help: ## Show this menu
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

build: $(ready) build/docs/.stamp build/assets/.stamp ## Install, and build the reference and the scripts

run: build ## Serve in the foreground (settings: .env.example)
	@exec node src/main.ts serve

dev: $(ready) build/assets/.stamp ## Serve, and start again when the code or the contract changes
	@node --watch-path=openapi --watch-preserve-output scripts/generate.ts & generator=$$!; \
	trap "kill $$generator 2>/dev/null || true" EXIT; \
	STOP_DELAY_SECONDS=$${STOP_DELAY_SECONDS:-0} node --watch-path=src --watch-path=generated/v2/openapi.json --watch-path=generated/v3/openapi.json --watch-preserve-output src/main.ts serve

test: $(ready) build/docs/.stamp build/sdk/.stamp lint ## Check everything, run every test, fuzz a little (ARGS=test/db for some tests)
	@echo 'test: a PostgreSQL of its own, two workers'
	@$(jest) $(ARGS)
	@$(if $(filter-out -%,$(ARGS)),,FUZZ_EXAMPLES=20 node scripts/fuzz.ts)

test-fast: $(ready) ## Run the tests that need no browser, client package or fuzzing
	@$(jest) --testPathIgnorePatterns='browser|test/(sdk|pages|command|oauth|worker|faults|support)/' $(ARGS)

coverage: $(ready) build/docs/.stamp build/sdk/.stamp ## Run every test and report which lines they reach, in coverage/
	@$(jest) --coverage --collectCoverageFrom 'src/**/*.ts' --coverageReporters text-summary html $(ARGS)

format: $(ready) ## Format every file
	@biome check --write --colors=off

check: $(ready) lint ## Check format, types, generated files and who may import whom
	@echo 'check: who may import whom'
	@$(jest) test/architecture.test.ts

conformance: $(ready) ## Print which line of the specification is proved by which test
	@node scripts/conformance.ts

generate: $(ready) ## Turn openapi/ into generated/
	@node scripts/generate.ts

docs: $(ready) ## Build the pages of reference in build/docs/
	@node scripts/docs.ts
	@touch build/docs/.stamp

sdk: $(ready) ## Build the client packages in build/sdk/
	@node scripts/sdk.ts
	@touch build/sdk/.stamp

release: $(ready) ## Take the contracts as they are for released: from then on they only grow
	@node scripts/release.ts

assets: $(ready) ## Bundle the scripts that are made of many modules in build/assets/
	@node scripts/assets.ts
	@touch build/assets/.stamp

screenshots: $(ready) build/assets/.stamp ## Take a picture of every page, and a sheet of them all
	@node scripts/screenshots.ts $(ARGS)

migration: $(ready) ## Write a migration from the changed entities (NAME=add_colour)
	@node scripts/migration.ts '$(NAME)'

migrate: $(ready) ## Bring the database up to date
	@node src/main.ts migrate

bench: $(ready) ## Measure speed against the least possible (ARGS="list csv", SIZE=1000000)
	@node scripts/bench.ts $(ARGS)

faults: $(ready) ## Break the parts of the service under load, and audit what it stored (ARGS="restarts --seed=2 --short")
	@node scripts/faults.ts $(ARGS)

fuzz: $(ready) ## Fuzz both contracts with Schemathesis, side by side (FUZZ_MINUTES=10 FUZZ_SEED=1)
	@node scripts/fuzz.ts

hooks: ## Check each commit before it is made (git config core.hooksPath)
	@git config core.hooksPath .githooks
	@echo 'hooks: commits are checked by .githooks/pre-commit'

clean: ## Delete what was built (never data/)
	@echo 'clean: build/ and coverage/'
	@rm -rf build coverage

# Side by side, each with its output in one piece.
lint: $(ready) ## Check format, types and the contracts
	@$(MAKE) -j2 --output-sync=target style types contract

style: $(ready)
	@echo 'check: format and lint'
	@biome ci --colors=off --diagnostic-level=warn || { echo 'Run: make format' >&2; exit 1; }

types: $(ready)
	@echo 'check: types'
	@tsc -p .
	@tsc -p src/pages/asset/editor

contract: $(ready)
	@echo 'check: generated/ fits openapi/'
	@scripts/check-generated.sh
	@echo 'check: the contracts by others, and against the released ones'
	@node scripts/contract-gate.ts
	@echo 'check: every line of the specification has a test'
	@node scripts/conformance.ts >/dev/null

build/docs/.stamp: generated/v2/openapi.json generated/v3/openapi.json package-lock.json redocly.yaml scripts/docs.ts $(shell find scripts/samples* openapi/samples -type f) $(wildcard src/domain/structure/schema*.ts)
	@node scripts/docs.ts
	@touch $@

build/sdk/.stamp: generated/v2/openapi.json generated/v3/openapi.json package-lock.json scripts/sdk.ts $(shell find sdk scripts/sdk -type f)
	@node scripts/sdk.ts
	@touch $@

build/assets/.stamp: $(wildcard src/pages/asset/editor/*.ts src/domain/structure/*.ts src/lib/json*.ts src/lib/text*.ts) scripts/assets.ts package-lock.json
	@node scripts/assets.ts
	@touch $@

node_modules/.stamp: package-lock.json package.json .npmrc
	@if [ -L node_modules ]; then \
	echo 'node_modules is a link: npm ci would empty what it points to. Remove the link, then run make again.' >&2; exit 1; fi
	@echo 'install: npm ci (half a minute the first time)'
	@npm ci --loglevel=error --no-progress >/dev/null || \
	{ echo 'npm ci failed: see above. It needs the network once, and npm 10 or newer (npm --version).' >&2; exit 1; }
	@node scripts/check-node.mjs
	@touch $@
