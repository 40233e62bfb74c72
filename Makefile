# Two commands do everything on a machine with Go: `make demo` runs the main job, `make test` the tests.
GO ?= go
TESTFLAGS ?=
MODULES := $(patsubst %/go.mod,%,$(wildcard go.mod */go.mod))
MODULES := $(patsubst go.mod,.,$(MODULES))
# Modules whose dependencies take minutes to build: the SDKs that conformance runs. .ci/full tests them; so does ALL=1.
HEAVY := conformance/sdk
ifdef ALL
MODULES += $(HEAVY)
endif

.PHONY: demo build test vet lint update bench

# The demo organisation breaks its own promises: the scan finds it and exits with 1, which is the point.
demo: build
	@bin/retrylint scan testdata/payments/* || test $$? -eq 1

# Without cgo, as in releases: with it the program takes some 20 MB more memory, for nothing that it needs.
build:
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -o bin/retrylint ./cmd/retrylint

# The tests of conformance run a command that is built from another module, of which go test's cache knows nothing.
test:
	@set -e; for m in $(MODULES); do echo "== $$m"; \
		case $$m in conformance*) f=-count=1;; *) f=;; esac; \
		(cd $$m && $(GO) test $$f $(TESTFLAGS) ./...); done

vet:
	@set -e; for m in $(MODULES); do (cd $$m && $(GO) vet ./...); done

STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
lint: vet
	@test -z "$$(gofmt -l $$(git ls-files '*.go' | grep -v testdata/))" || { gofmt -l $$(git ls-files '*.go' | grep -v testdata/); exit 1; }
	@set -e; for m in $(MODULES); do (cd $$m && $(STATICCHECK) ./...); done

# Golden files and generated documentation.
update:
	$(GO) test ./... -update

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...
