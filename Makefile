# All commands of the project. `make` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

jest := node --disable-warning=ExperimentalWarning test/runner/run.ts
# Suites that ARGS names; without any, the whole command runs.
suites = $(filter test/%,$(ARGS))
ready := node_modules/.stamp
citus_suites := test/citus $(addprefix test/api/v3/,survey responses response-filters collectors contacts-erase csv invitations reports statistics webhooks account-deletion paging choice-numbers.test settings) \
  $(addprefix test/,worker/events worker/reminders web/report.test web/responses.test)
documents := $(wildcard generated/*/openapi.json)

.PHONY: help run dev build test test-slow test-all test-citus coverage test-restored check lint format conformance generate docs sdk release assets server bench-peer screenshots migration migrate bench bench-compare journeys chaos fuzz findings hooks clean style types contract contracts texts

help: ## List all commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

build: $(ready) build/docs/.stamp build/assets/.stamp build/server/.stamp ## Install dependencies; build the API reference, and bundle the scripts and the service

run: build ## Serve in the foreground (settings: .env.example)
	@exec node --max-semi-space-size=32 build/server/main.mjs serve

dev: $(ready) build/assets/.stamp ## Serve, and restart when the code or a contract changes
	@node --watch-path=openapi --watch-preserve-output scripts/generate.ts & generator=$$!; \
	trap "kill $$generator 2>/dev/null || true" EXIT; \
	STOP_DELAY_SECONDS=$${STOP_DELAY_SECONDS:-0} node --watch-path=src $(documents:%=--watch-path=%) --watch-preserve-output src/main.mjs serve

test: $(ready) $(if $(suites),,lint) ## Run what each commit needs: checks, and all tests but the slow kinds (ARGS=test/db for some tests)
	@$(if $(suites),,SUITES=quick )$(jest) $(ARGS)

test-slow: $(ready) build/docs/.stamp build/sdk/.stamp ## Run the rest: browsers, client packages, processes, other tools, deletion of v2, fuzzing
	@SUITES=slow $(jest) $(ARGS)
	@PROPERTY_RUNS=10000 $(jest) test/domain/respondent/walk.test.ts test/domain/structure/doors-property.test.ts test/domain/structure/number-notation.test.ts test/domain/structure/choice-filter.test.ts test/domain/table/read-table-property.test.ts test/domain/response/variable-names.test.ts
	@node tools/contract/contract.ts spectral openapi-typescript 3.1
	@node scripts/delete-version.ts v2
	@FUZZ_EXAMPLES=20 node tools/run.ts tools/fuzz/fuzz.ts
	@node tools/run.ts tools/neighbours/postgresql.ts
	@node tools/run.ts tools/neighbours/proxies.ts
	@node tools/run.ts tools/neighbours/mail.ts
	@node tools/run.ts tools/neighbours/oauth.ts
	@node tools/run.ts tools/neighbours/object-stores.ts

test-all: ## Run test and test-slow
	@$(MAKE) test
	@$(MAKE) test-slow

test-restored: $(ready) build/docs/.stamp ## Back up rich data, restore it, and run the tests of the API on it (20 minutes)
	@node tools/run.ts tools/restored/restored.ts $(ARGS)

test-citus: $(ready) ## Run the tests of the API on a Citus cluster (CITUS_URL: a database of its coordinator)
	@test -n "$(CITUS_URL)" || { echo 'Set CITUS_URL to a database of the coordinator that knows all nodes.' >&2; exit 1; }
	@$(jest) --maxWorkers=1 $(or $(ARGS),$(citus_suites))

coverage: $(ready) build/docs/.stamp build/sdk/.stamp ## Run all tests and write a coverage report to coverage/
	@$(jest) --coverage --collectCoverageFrom 'src/**/*.ts' --coverageReporters text-summary html $(ARGS)

format: $(ready) ## Format all files
	@biome check --write --colors=off

check: $(ready) lint ## Check format, lint, types, contracts, generated files and imports
	@echo 'check: imports and documents'
	@$(jest) test/architecture.test.ts test/citations.test.ts test/documents.test.ts

conformance: $(ready) ## Print which tests cover which section of the specification, and each operation
	@node scripts/conformance.ts

generate: $(ready) ## Generate generated/ from openapi/
	@node scripts/generate.ts

docs: $(ready) ## Build the API reference in build/docs/
	@node scripts/docs.ts
	@touch build/docs/.stamp

sdk: $(ready) ## Build the client packages in build/sdk/
	@node scripts/sdk.ts
	@touch build/sdk/.stamp

release: $(ready) ## Compare the speed with the last release (GATE=0 does not), and freeze the contracts as released
	@node scripts/release.ts --check
	@[ '$(GATE)' = 0 ] || GATE=1 BASE=$${BASE:-$$(git log -1 --format=%h -- openapi/released)} ROUNDS=$${ROUNDS:-6} SIZE=$${SIZE:-100000} \
	  node tools/run.ts tools/bench/compare.ts start submit list
	@node scripts/release.ts

assets: $(ready) ## Bundle the browser scripts in build/assets/
	@node scripts/assets.ts
	@touch build/assets/.stamp

server: $(ready) ## Bundle the service in build/server/
	@node scripts/server.ts
	@touch build/server/.stamp

screenshots: $(ready) build/assets/.stamp ## Take a screenshot of every page, and an overview of them all
	@node tools/screenshots.ts $(ARGS)

texts: $(ready) ## Write the texts of a language for translators (LANG=de), or read them (FILE=de.po)
	@node tools/texts/texts.ts $(if $(filter command%,$(origin LANG)),$(LANG)) $(FILE)

migration: $(ready) ## Write a migration from the changed entities (NAME=add_colour)
	@node scripts/migration.ts '$(NAME)'

migrate: $(ready) ## Migrate the database
	@node src/main.mjs migrate

bench: $(ready) ## Measure speed relative to bare servers (ARGS="list csv", SIZE=1000000)
	@node tools/run.ts tools/bench/bench.ts $(ARGS)

bench-compare: $(ready) ## Measure another commit and this tree in turn, and print the ratios (BASE=498e0158 ARGS="submit list")
	@BASE='$(BASE)' node tools/run.ts tools/bench/compare.ts $(ARGS)

bench-peer: $(ready) ## Measure this tree beside the backend of ODK Central (PEER_SOURCE: another copy of its repository)
	@node tools/run.ts tools/bench/peer.ts

journeys: $(ready) build/assets/.stamp ## Count the files that one request executes (ARGS=files lists them), and the actions of a new user
	@node tools/run.ts tools/journeys.ts $(ARGS)
	@JOURNEYS=1 SUITES=slow $(jest) test/web/counted-journeys-browser.test.ts

chaos: $(ready) ## Inject faults under load and verify the stored data (ARGS="restarts --seed=2 --short")
	@node tools/run.ts tools/faults/chaos.ts $(ARGS)

fuzz: $(ready) ## Fuzz all contracts with Schemathesis (FUZZ_MINUTES=10 FUZZ_SEED=1; ARGS=outside for its default settings)
	@node tools/run.ts tools/fuzz/fuzz.ts $(ARGS)

findings: ## Check the surprises of outside libraries and tools in findings/ (needs npm and PyPI)
	@status=0; for script in findings/*.sh; do "$$script" || status=1; done; exit $$status

contract: $(ready) ## Run code generators of other projects on all contracts and compile the results (ARGS="orval --allow-missing")
	@node tools/contract/contract.ts $(ARGS)

hooks: ## Install the pre-commit hook (git config core.hooksPath)
	@git config core.hooksPath .githooks
	@echo 'hooks: .githooks/pre-commit checks each commit'

clean: ## Delete build products (never data/)
	@echo 'clean: build/ and coverage/'
	@rm -rf build coverage

slim: ## Remove from node_modules what only builds and tests need, and print the size of the installation
	@npm prune --omit=dev --loglevel=error --no-progress >/dev/null
	@rm -f node_modules/.stamp
	@node scripts/slim.ts

# Runs the checks in parallel; --output-sync keeps the output of each together.
lint: $(ready) ## Check format, lint, types and contracts
	@$(MAKE) -j2 --output-sync=target style types contracts

style: $(ready)
	@echo 'check: format and lint'
	@biome ci --colors=off --diagnostic-level=warn || { echo 'Run: make format' >&2; exit 1; }

types: $(ready)
	@echo 'check: types'
	@tsc -p .
	@tsc -p src/web/assets/editor
	@tsc -p src/web/assets/builder
	@tsc -p src/web/assets/signature

contracts: $(ready)
	@echo 'check: generated/ matches openapi/'
	@scripts/check-generated.sh
	@echo 'check: contracts with other validators and against the released versions'
	@node scripts/contract-gate.ts
	@echo 'check: every section of the specification and every operation has a test'
	@node scripts/conformance.ts >/dev/null

build/docs/.stamp: $(documents) package-lock.json redocly.yaml scripts/docs.ts scripts/docs/readable.ts src/lib/down-convert.ts $(shell find scripts/samples* openapi/samples -type f) $(wildcard src/domain/structure/schema*.ts)
	@node scripts/docs.ts
	@touch $@

build/sdk/.stamp: $(documents) package-lock.json scripts/sdk.ts $(shell find sdk scripts/sdk -type f)
	@node scripts/sdk.ts
	@touch $@

build/assets/.stamp: $(wildcard src/web/assets/editor/*.ts src/web/assets/builder/*.ts src/web/assets/signature/*.ts src/domain/structure/*.ts src/lib/json*.ts src/lib/text*.ts) scripts/assets.ts package-lock.json
	@node scripts/assets.ts
	@touch $@

build/server/.stamp: $(shell find src -name '*.ts' -not -path 'src/web/assets/*') src/main.mjs scripts/server.ts package-lock.json
	@node scripts/server.ts
	@touch $@

node_modules/.stamp: package-lock.json package.json .npmrc
	@if [ -L node_modules ]; then \
	echo 'node_modules is a symbolic link, and npm ci would empty its target. Remove the link and run make again.' >&2; exit 1; fi
	@echo 'install: npm ci (takes about 30 seconds)'
	@npm ci --loglevel=error --no-progress >/dev/null || \
	{ echo 'npm ci failed (see above). It needs network access and npm 10 or newer (npm --version).' >&2; exit 1; }
	@node scripts/check-node.mjs
	@touch $@
