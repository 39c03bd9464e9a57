# Cupola. `make` alone lists what can be made.

PREFIX   ?= $(HOME)/.local
ARGS     ?=
FUZZTIME ?= 10s
BENCH    ?= .
RUN      ?=
# All, and those first whose tests take longest, so that none of them runs alone at the end.
PACKAGES ?= ./cmd/cupola ./robot/verbs ./core/fleet ./...
# Tests wait for programs more than they compute: so many packages at once, and so many tests of each.
AT_ONCE  ?= 4
PARALLEL ?= 8
# What the race detector runs over, as a test takes three to ten times as long in it: packages whose goroutines share
# something.
# - Terminal servers: clients, panes and a reader of what they print use one state.
RACING  = core/engine/own core/engine/own/server core/engine/tmux
# - The fleet: a keeper, its followers and callers share snapshots; prompts are sent at once. It joins what stands below.
RACING += core/fleet core/fleet/keeper core/fleet/observe core/fleet/deliver core/fleet/rundir core/fleet/worklog
# - Other hosts: messages come in callbacks, and while connections are lost and made again.
RACING += core/host/bus core/host core/host/joined cmd/network core/verb/remote
# - Work of several agents at once: answers, limits and ends come in any order.
RACING += core/run/crew/orchestrator core/run/relay core/run core/run/story/loop core/system/process/child
# - Caches and stores behind locks, which all callers of a process share.
RACING += core/bridge core/git/changes core/alert/notify core/record/store core/agent/usage cmd/records
# - Faces that answer several callers at once.
RACING += robot/http robot/mcp core/verb/registry core/verb/render cmd/cli
# - The dashboard: effects run beside the drawing, and keys come from a reader of their own.
RACING += tui/effect tui/input
RACED_PACKAGES   = $(addprefix ./,$(RACING))
# What the whole program is asked to do with the race detector in it: scripts in which much happens at once.
RACED     = attention|a_prompt_goes_to_many|crews_work_in_panes|panes_are_followed|relays_are_asked|stories_are_proven
LEAST    ?= 80
FORMAT   ?= deb
# Tests named TestDeep run for minutes: they are skipped unless CUPOLA_DEEP is set.
DEEP_PACKAGES = $(addprefix ./,$(shell grep -rlE --include='*_test.go' '^func TestDeep' $(SOURCES) | xargs -n 1 dirname | sort -u))

TESTDATA       ?= $(firstword $(wildcard ../shared/data))
AGENTS_HARNESS ?= ../shared/harness

ifneq ($(strip $(TESTDATA)),)
CUPOLA_TESTDATA ?= $(abspath $(TESTDATA))
export CUPOLA_TESTDATA
endif

TMUX_WANTED  = 3.2
GO_WANTED   := $(shell awk '/^go /{print $$2}' go.mod)
VERSION      = $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
SOURCES      = $(wildcard cmd core robot theme tui)
GOLANGCI     = CGO_ENABLED=0 go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GORELEASER   = CGO_ENABLED=0 go run github.com/goreleaser/goreleaser/v2@v2.15.1
ACTIONLINT   = CGO_ENABLED=0 go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
STATE        = { git status --porcelain; git diff; } | git hash-object --stdin
CGO_ENABLED ?= 0
export CGO_ENABLED
# Then what vet, tests and the program itself need is compiled once, whatever folder the sources are in.
GOFLAGS ?= -trimpath
export GOFLAGS

# A line every 15 seconds says what runs beside the process that the rest of the line becomes: go test prints results
# in the order of the packages, and nothing while the first of them runs.
TICK = (n=0; while sleep 1 && kill -0 $$$$ 2>/dev/null; do n=$$((n + 1)); [ $$((n % 15)) -ne 0 ] || \
	echo "$$n s:" $$(pgrep -lP $$$$ | awk '$$2 !~ /^(sh|bash|dash|sleep)$$/ {print $$2}' | sort -u); done) &

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: help run picture demo test deep test-agents test-servers check accuracy bench build install package \
	release-snapshot release generate answers cover fuzz clean fmt format vet lint house race regenerated \
	need-go need-tmux tell-tmux need-cc need-npx need-chromium

help: ## list the targets
	@list() { awk -F ':.*## ' -v users=$$1 '/^[a-z-]+:.*## / && ($$1 ~ /^(run|demo|test|install)$$/) == users \
		{printf "  %-16s %s\n", $$1, $$2}' Makefile; }; \
	echo "To use Cupola:"; list 1; echo; echo "To change it:"; list 0

run: need-go tell-tmux build ## build and run; ARGS="status" passes arguments on
	@if [ -t 0 ] && [ -t 1 ]; then exec bin/cupola $(ARGS); else exec bin/cupola $(or $(ARGS),status) </dev/null; fi

demo: need-go tell-tmux build ## show everything on a private fleet of scripted agents; no agent need be installed
	@if [ -t 0 ] && [ -t 1 ]; then exec bin/cupola demo $(ARGS); else exec bin/cupola demo $(or $(ARGS),--human) </dev/null; fi

# Check runs vet on its own.
test: need-go tell-tmux ## run the tests (no C compiler needed); RUN=NAME picks some
	@$(TICK) exec go test -vet=off -timeout 30m -p $(AT_ONCE) -parallel $(PARALLEL) $(if $(RUN),-run '$(RUN)') $(PACKAGES)

deep: need-go need-tmux need-cc race ## what test leaves out: the race detector, and long series in which processes are killed
	CUPOLA_DEEP=1 go test -vet=off -count=1 -timeout 30m -run '^TestDeep' $(DEEP_PACKAGES)

test-agents: need-go tell-tmux ## run the tests against real agents, offline
	@if [ ! -d "$(AGENTS_HARNESS)" ]; then \
		echo "test-agents: no folder $(AGENTS_HARNESS); set AGENTS_HARNESS to the one that runs real agents offline" >&2; exit 1; fi
	CUPOLA_HARNESS="$(abspath $(AGENTS_HARNESS))" go test -tags agents -timeout 60m ./...

test-servers: need-go need-tmux need-npx need-chromium ## run the tests of servers with the protocol's suite, its own client, a browser and a real sshd
	go test -tags servers -vet=off -count=1 -timeout 30m -run 'SuiteWants|OwnClient|ThePage|OverALink|Description' ./robot/mcp ./robot/http ./cmd/cupola

check: need-go ## everything that must hold before a change goes in
	@began=$$(date +%s); for part in format vet house lint regenerated; do echo "check: $$part"; \
		$(MAKE) --no-print-directory $$part || exit 1; done; echo "check: all holds, after $$(($$(date +%s) - began)) s"

accuracy: need-go ## judge every recorded screen and print how that went; TESTDATA names their folder
	@go test ./core/agent/detect -run 'TestAccuracy|TestVariants|TestFailuresOfUnseenVersions' -count=1 -v | sed -e '/^=== /d' -e 's/^    [a-z]*_test.go:[0-9]*: //'

bench: need-go need-tmux ## run the benchmarks; BENCH=NAME picks some
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

build: need-go ## build bin/cupola
	@go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o bin/cupola ./cmd/cupola

install: build ## put cupola into PREFIX/bin (~/.local/bin)
	@mkdir -p "$(PREFIX)/bin"
	install -m 755 bin/cupola "$(PREFIX)/bin/cupola"
	@.packaging/install.sh --path --prefix="$(PREFIX)"

package: build ## pack what was built for this machine into dist/; FORMAT=rpm or apk instead of deb
	.packaging/package $(FORMAT) dist

release-snapshot: need-go ## make all that a release has in dist/, and publish nothing; the first time takes long
	$(GORELEASER) release --snapshot --clean

release: need-go ## publish the tag that is checked out; the workflow of that name does it
	$(GORELEASER) release --clean

picture: need-go build ## draw the pictures of the README from the running demo
	go run ./cmd/picture

generate: need-go ## rewrite the generated files
	go generate ./...

answers: need-go need-tmux ## rewrite the answers on file, to every example of every verb
	go test ./robot/verbs -run TestAnswersAreTheSameAsEver -update
	go test ./cmd/cupola -run TestEveryExampleRunsAndFitsItsSchema -update

cover: need-go need-tmux ## run the tests, write bin/cover.html, and fail where less than LEAST (80) % of core or robot ran
	@mkdir -p bin
	go test -timeout 30m -coverpkg ./... -coverprofile bin/cover.out ./...
	@go tool cover -html bin/cover.out -o bin/cover.html
	@awk -v least=$(LEAST) ' \
		FNR > 1 { size[$$1] = $$2; if ($$3) ran[$$1] = $$2; } \
		END { \
			for (block in size) { \
				split(block, path, "/"); all[path[2]] += size[block]; hit[path[2]] += ran[block]; \
				all["total"] += size[block]; hit["total"] += ran[block]; \
			} \
			for (i = split("core robot theme tui cmd total", part, " "); i > 0; i--) percent[i] = 100 * hit[part[i]] / all[part[i]]; \
			for (i = 1; i in part; i++) printf "%-6s %5.1f %% of %d statements\n", part[i], percent[i], all[part[i]]; \
			exit percent[1] < least || percent[2] < least; \
		}' bin/cover.out || { echo "cover: less than $(LEAST) % of core or robot is covered" >&2; exit 1; }

fuzz: need-go ## fuzz every parser for FUZZTIME (10s) each
	@grep -rE --include='*_test.go' '^func Fuzz' $(SOURCES) | sed -E 's|^(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]*).*|\1 \2|' | sort | \
	while read -r dir name; do \
		echo "$$dir $$name"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "./$$dir" </dev/null || exit 1; \
	done

clean: ## remove what was built
	rm -rf bin dist

fmt: need-go ## rewrite the sources as gofumpt wants them
	$(GOLANGCI) fmt ./...

format:
	@files=$$(gofmt -l $(SOURCES)); if [ -n "$$files" ]; then echo "gofmt: these are not formatted (make fmt):" >&2; echo "$$files" >&2; exit 1; fi

vet:
	go vet ./...
	GOOS=$(if $(filter Darwin,$(shell uname -s)),linux,darwin) go vet ./...

lint:
	$(GOLANGCI) run
	$(ACTIONLINT) -shellcheck= -pyflakes=

house:
	go test -count=1 ./cmd/house

# A program with the race detector in it starts slowly: most tests of cmd/cupola run without it.
race:
	@CGO_ENABLED=1; export CGO_ENABLED; $(TICK) exec go test -vet=off -timeout 30m -parallel $(PARALLEL) -race $(RACED_PACKAGES)
	CGO_ENABLED=1 go test -vet=off -timeout 30m -parallel $(PARALLEL) -race -run 'TestScripts/($(RACED))' ./cmd/cupola

# regenerated compares the tree with itself, so that it works on uncommitted changes too.
regenerated:
	@before=$$($(STATE)); go generate ./... || exit 1; \
	if [ "$$before" != "$$($(STATE))" ]; then \
		echo "generate: these were stale; review and commit them:" >&2; git status --short >&2; exit 1; fi

need-go:
	@version=$$(go env GOVERSION 2>/dev/null | sed -E 's/^go([0-9.]+).*/\1/'); \
	least=$$(printf '%s\n' "$$version" $(GO_WANTED) | sort -t. -k1,1n -k2,2n -k3,3n | head -n 1); \
	if [ "$$least" != "$(GO_WANTED)" ]; then \
		echo "Go $(GO_WANTED) or later is missing (found: $${version:-none}): get it from https://go.dev/dl or your package manager" >&2; exit 1; fi

# Cupola brings a terminal server of its own; tests about tmux are skipped without it.
tell-tmux:
	@command -v tmux >/dev/null || echo "tmux is not installed: all runs on Cupola's own terminal server" >&2

need-tmux:
	@version=$$(tmux -V 2>/dev/null | sed -E 's/^tmux (next-)?([0-9]+\.[0-9]+).*/\2/'); \
	least=$$(printf '%s\n' "$$version" $(TMUX_WANTED) | sort -t. -k1,1n -k2,2n | head -n 1); \
	if [ "$$least" != "$(TMUX_WANTED)" ] && [ "$$version" != "tmux master" ]; then \
		echo "tmux $(TMUX_WANTED) or later is missing (found: $${version:-none}): apt install tmux, or brew install tmux" >&2; exit 1; fi

need-cc:
	@command -v $$(go env CC) >/dev/null || { echo "a C compiler is missing (the race detector needs it): apt install gcc, or xcode-select --install" >&2; exit 1; }

need-npx:
	@command -v npx >/dev/null || { echo "npx is missing (it brings the programs of the protocol): apt install nodejs npm, or brew install node" >&2; exit 1; }

need-chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
		{ echo "chromium is missing (the page is tested in it): apt install chromium, or brew install chromium" >&2; exit 1; }
