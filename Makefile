# Atrium: build, test and install. Every target first makes sure that the C libraries are there (Tools/setup.sh).

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=

release = --configuration release --static-swift-stdlib
binary = .build/release/atrium
share = $(DESTDIR)$(PREFIX)/share
pages = atrium atrium-config atrium-tape
kits = OpenBank Alfresco OMCE MobileFirst Unwired
sources = Sources Tests Fuzz Package.swift

# So many tests at a time, or the time limit of one runs while others have the processor.
tests = $(SWIFT) test --skip-build --disable-xctest --experimental-maximum-parallelization-width 6

CRASH_ROUNDS ?= 100
SECONDS ?= 600
MINUTES ?= 240
faulty = 'Fault|Hostile|ClosedDoor|FullDisk|Kill|Crash|TerminalJourney'

.PHONY: all setup build demo test check lint format install install-files uninstall faults fuzz sanitize soak bench screenshots reference doc dist clean help

all: build

## build: the program, as .build/release/atrium
build: setup
	$(SWIFT) build $(release) --product atrium

## demo: build it and open it on the built-in sandbox of five back ends
demo: build
	$(binary) demo

## test: build and run all tests
test: setup
	$(SWIFT) build --build-tests
	$(tests)

## check: what every change must pass: format, warnings, tests
check: setup lint test

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(sources)

## format: write all sources in the project's format
format:
	$(SWIFT) format --in-place --parallel --recursive $(sources)

## install: the program, its themes, manual pages and completions, below PREFIX (and DESTDIR)
install: build install-files

install-files:
	install -D -m 755 $(binary) $(DESTDIR)$(PREFIX)/bin/atrium
	install -d $(share)/atrium/themes $(share)/man/man1 $(share)/man/man5
	install -d $(share)/bash-completion/completions $(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	install -m 644 Themes/*.yaml $(share)/atrium/themes
	$(binary) man atrium >$(share)/man/man1/atrium.1
	$(binary) man atrium-config >$(share)/man/man5/atrium-config.5
	$(binary) man atrium-tape >$(share)/man/man5/atrium-tape.5
	$(binary) completions bash >$(share)/bash-completion/completions/atrium
	$(binary) completions zsh >$(share)/zsh/site-functions/_atrium
	$(binary) completions fish >$(share)/fish/vendor_completions.d/atrium.fish

## uninstall: what install put there
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/atrium
	rm -rf $(share)/atrium
	rm -f $(share)/man/man1/atrium.1 $(share)/man/man5/atrium-config.5 $(share)/man/man5/atrium-tape.5
	rm -f $(share)/bash-completion/completions/atrium $(share)/zsh/site-functions/_atrium
	rm -f $(share)/fish/vendor_completions.d/atrium.fish

## faults: what happens on bad networks, bad servers, full disks and kills; CRASH_ROUNDS kills of each sort
faults: setup
	$(SWIFT) build --build-tests
	ATRIUM_CRASH_ROUNDS=$(CRASH_ROUNDS) $(SWIFT) test --skip-build --disable-xctest --filter $(faulty)

## fuzz: every fuzz target for SECONDS, with the address sanitizer
fuzz: setup
	Tools/fuzz.sh $(SECONDS)

## sanitize: all tests under the thread and the address sanitizer, each in a build of its own
sanitize: setup
	$(SWIFT) build --build-tests --scratch-path .build/thread --sanitize thread
	TSAN_OPTIONS=halt_on_error=0:exitcode=66 \
	  $(SWIFT) test --skip-build --disable-xctest --scratch-path .build/thread --sanitize thread
	$(SWIFT) build --build-tests --scratch-path .build/address --sanitize address
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --skip-build --disable-xctest --scratch-path .build/address --sanitize address

## soak: a restless person at the keyboard for MINUTES: files and memory stay as they were
soak: setup
	$(SWIFT) build --build-tests
	ATRIUM_SOAK_MINUTES=$(MINUTES) $(SWIFT) test --skip-build --disable-xctest --filter SoakTests

## bench: measure the release build beside other programs (needs python3); QUICK=1 only to see that it works
bench: build
	$(SWIFT) build $(release) --product atrium-bench
	python3 -B Tools/bench $(binary) .build/release/atrium-bench $(if $(QUICK),--quick)

## screenshots: draw screenshots/ anew by playing Tests/Tapes
screenshots: build
	for tape in Tests/Tapes/*.tape; do $(binary) play $$tape --pictures screenshots </dev/null || exit 1; done
	$(binary) play Tests/Tapes/tour.tape --film screenshots/tour.svg </dev/null

## reference: write docs/reference anew from the program's own tables
reference: build
	mkdir -p docs/reference
	for page in $(pages); do $(binary) man $$page --format markdown >docs/reference/$$page.md || exit 1; done

## doc: the kits' documentation, below docs/api
doc: setup
	Tools/doc.sh $(kits)

## dist: tarballs, a Debian package, checksums and a bill of materials, below dist/
dist: build
	Tools/dist.sh $(binary) dist

## clean: everything that was built
clean:
	rm -rf .build docs/api dist

setup:
	@Tools/setup.sh

## help: these lines
help:
	@sed -n 's/^## /  make /p' Makefile
