# Atrium: build, test and install. Every target first makes sure that the C libraries are there (Tools/setup.sh).

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=

release = --configuration release --static-swift-stdlib
binary = .build/release/atrium
kits = OpenBank Alfresco OMCE MobileFirst Unwired
sources = Sources Tests Package.swift

.PHONY: all setup build demo test check lint format install uninstall bench screenshots doc clean help

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
	$(SWIFT) test --skip-build --disable-xctest --parallel

## check: what every change must pass: format, warnings, tests
check: setup lint test

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(sources)

## format: write all sources in the project's format
format:
	$(SWIFT) format --in-place --parallel --recursive $(sources)

## install: the program and its themes, below PREFIX (and DESTDIR)
install: build
	install -D -m 755 $(binary) $(DESTDIR)$(PREFIX)/bin/atrium
	install -d $(DESTDIR)$(PREFIX)/share/atrium/themes
	install -m 644 Themes/*.yaml $(DESTDIR)$(PREFIX)/share/atrium/themes

## uninstall: what install put there
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/atrium
	rm -rf $(DESTDIR)$(PREFIX)/share/atrium

## bench: measure the release build beside other programs (needs python3)
bench: build
	python3 Tools/bench.py $(binary)

## screenshots: draw screenshots/ anew from the running program (needs tmux and python3)
screenshots: build
	python3 Tools/screenshots.py $(binary) screenshots

## doc: the kits' documentation, below docs/api
doc: setup
	Tools/doc.sh $(kits)

## clean: everything that was built
clean:
	rm -rf .build docs/api

setup:
	@Tools/setup.sh

## help: these lines
help:
	@sed -n 's/^## /  make /p' Makefile
