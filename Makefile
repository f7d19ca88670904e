# confab: `make run` opens the chat, `make test` checks everything.

GO ?= go
# The package that computes and the ones with goroutines are tested under the
# race detector; the rest would only take longer.
RACED = ./engine ./engine/kv ./engine/cpu ./ui ./ui/store

.PHONY: build cpu run test lint race fuzz kernels test-gpu bench bench-gpu screenshots clean

# One binary: it uses an NVIDIA GPU where a driver is, and the CPU elsewhere.
build:
	@if command -v gcc >/dev/null; then \
	  eval "$$(gpu/build.sh)" && $(GO) build -trimpath -tags cuda -o confab . ; \
	else \
	  echo "no gcc: building for the CPU only"; $(MAKE) cpu; \
	fi

cpu:
	CGO_ENABLED=0 $(GO) build -trimpath -o confab .

run: build
	./confab

test: lint
	$(GO) test -timeout 15m ./...
	$(MAKE) race

lint:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "gofmt wants: $$bad"; exit 1; fi
	$(GO) vet ./...
	@if command -v gcc >/dev/null; then eval "$$(gpu/build.sh)" && $(GO) vet -tags cuda ./... && $(GO) build -tags cuda -o /dev/null . ; \
	else echo "no gcc: the CUDA build is not checked"; fi
	$(GO) tool staticcheck ./...

race:
	$(GO) test -race -short -timeout 15m $(RACED)

# FUZZTIME a target: what the parsers of untrusted bytes can be made to do.
FUZZTIME ?= 20s
fuzz:
	@set -e; for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	  echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; done; done

# Needs nvcc 12.8 or newer; the result is committed, so that nobody else does.
kernels:
	kernels/fatbin.sh

test-gpu:
	eval "$$(gpu/build.sh)" && $(GO) test -tags cuda -count=1 -timeout 15m ./gpu ./kernels ./engine/cuda

clean:
	rm -rf confab gpu/lib/libcuda.a
