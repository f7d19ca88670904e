# confab: `make run` opens the chat, `make test` checks everything.

GO ?= go
# The packages with goroutines are tested under the race detector; the others
# would only take longer.
RACED = ./engine ./engine/kv ./engine/cpu ./engine/library ./ui ./ui/store ./ui/screen

.PHONY: arm64 invariants soak models screenshots demo build cpu run test lint unit race licences vuln fuzz kernels test-gpu bench bench-gpu release clean

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

# What is quick comes first. Nothing of it needs a GPU.
test: lint unit arm64 invariants race licences vuln
	@echo "== everything passed"

lint:
	@echo "== gofmt, vet"
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "gofmt wants: $$bad"; exit 1; fi
	$(GO) vet ./...
	@echo "== the CUDA build: vet, link"
	@if command -v gcc >/dev/null; then eval "$$(gpu/build.sh)" && $(GO) vet -tags cuda ./... && $(GO) build -tags cuda -o /dev/null . ; \
	else echo "no gcc: the CUDA build is not checked"; fi
	@echo "== staticcheck"
	$(GO) tool staticcheck ./...

unit:
	@echo "== tests"
	$(GO) test -timeout 15m ./...
	@echo "== the CUDA build's tests, over a driver without a device"
	@if command -v gcc >/dev/null; then eval "$$(gpu/build.sh)" && $(GO) test -tags cuda -timeout 15m ./gpu ./engine/cuda && $(GO) test -tags cuda -timeout 15m -run TestDevice ./engine && $(GO) test -tags cuda -run TestExpert ./kernels/matmul; \
	else echo "no gcc: they do not run"; fi

# Emulated, once with dot products and once on a processor that has none.
arm64:
	@echo "== the kernels' tests for arm64"
	@if command -v qemu-aarch64 >/dev/null; then export GOARCH=arm64 CGO_ENABLED=0; \
	  $(GO) test -short -timeout 15m -exec "qemu-aarch64 -cpu max" ./kernels/... && \
	  $(GO) test -short -timeout 15m -exec "qemu-aarch64 -cpu cortex-a72" -run '^TestMatrix$$|^TestAttend$$|^TestMap$$' ./kernels/... ; \
	else echo "no qemu-aarch64: they do not run"; fi

# The pool checks itself after every change, and cells that are free are poisoned.
invariants:
	@echo "== tests with the pool's invariants"
	$(GO) test -tags invariants -short -timeout 15m ./engine ./engine/kv ./engine/cpu

# SOAK is how long eight chats are used at random on a terminal; memory, goroutines,
# cells and speed are printed and must not grow.
SOAK ?= 2h
soak:
	CONFAB_OPERATIONS=10000 $(GO) test -tags invariants -count=1 -timeout 60m -run People -v ./engine
	SOAK=$(SOAK) $(GO) test -count=1 -timeout 0 -run '^TestSoak$$' -v .

race:
	@echo "== tests under the race detector"
	@if command -v gcc >/dev/null; then CGO_ENABLED=1 $(GO) test -race -short -timeout 15m $(RACED); \
	else echo "no gcc: the race detector does not run"; fi

licences: build
	@echo "== licences of what is linked in"
	$(GO) run ./release licences confab

# A known weakness that confab can reach fails where it is a module's; without the
# database, which is a module too, nothing is known.
vuln:
	@echo "== known weaknesses"
	$(GO) run ./release vuln

# FUZZTIME a target: what the parsers of untrusted bytes can be made to do.
FUZZTIME ?= 20s
fuzz:
	@set -e; for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	  echo "== $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; done; done

# Needs nvcc 12.8 or newer; the result is committed, so that nobody else does.
kernels:
	kernels/fatbin.sh

# All that is to be shown on a GPU; writes gpu/TESTED.
test-gpu:
	GO="$(GO)" gpu/test.sh

# Speeds of MODELS (GGUF files or names; none: the built-in model), on the CPU or
# the GPU. PEER is a command that takes the same flags and prints the same lines,
# to measure in turn with.
MODELS ?= builtin
THREADS ?= 0
# The built-in model's context is 1024 tokens.
DEPTH ?= $(if $(filter builtin,$(MODELS)),512,4096)
measure = set -e; for m in $(MODELS); do echo "== $$m"; \
  ./confab bench -m $$m $(1) --prompt 512 --gen 64 --batch $(2) $(if $(PEER),--peer "$(PEER)"); \
  ./confab bench -m $$m $(1) --prompt 0 --gen 64 --batch 1 --depth $(DEPTH) $(if $(PEER),--peer "$(PEER)"); done
bench: build
	@$(call measure,--backend cpu --threads $(THREADS),1$(comma)4$(comma)16)

bench-gpu: build
	@$(call measure,--backend cuda,1$(comma)4$(comma)8$(comma)16$(comma)64)

comma := ,

# What runs, and how far from llama.cpp; with WRITE=1 the tables go into the README.
# A GPU's figures are beside the CPU's where there is one.
models:
	@if command -v gcc >/dev/null; then eval "$$(gpu/build.sh)"; tags="-tags cuda"; fi; \
	cd engine/cpu && $(GO) test $$tags -count=1 -run '^TestModelTable$$' -args -table $(if $(WRITE),-write)

# dist/ of the commit that is checked out; VERSION and TARGETS as release.sh says.
release:
	GO=$(GO) release/release.sh

# The README's pictures, drawn from the running program.
screenshots:
	mkdir -p docs
	$(GO) test -count=1 -run TestScreenshots . -args -screenshots docs

# The README's moving picture, filmed from the running program.
demo:
	mkdir -p docs
	$(GO) test -count=1 -run '^TestDemo$$' . -args -demo $(CURDIR)/docs/demo.gif

clean:
	rm -rf confab dist gpu/lib/libcuda.a
