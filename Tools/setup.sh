#!/bin/sh
# Makes sure that what Atrium builds with is there: asks pkg-config for each library and installs the Debian package of
# each that is missing, or says exactly what to install.
set -eu

command -v swift >/dev/null 2>&1 || {
  echo "setup: Swift 6.2 or newer is needed; see https://www.swift.org/install" >&2
  exit 1
}

missing=
need() { missing="$missing $1"; }

command -v pkg-config >/dev/null 2>&1 || need pkg-config
have() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$1"; }

have ncursesw || need libncurses-dev
have libcurl || need libcurl4-openssl-dev
have libcrypto || need libssl-dev
have sqlite3 || need libsqlite3-dev
have libmicrohttpd || need libmicrohttpd-dev
have simdjson || need libsimdjson-dev
have libkeyutils || need libkeyutils-dev
have yaml-0.1 || need libyaml-dev
# Headers of the C++ library, for simdjson.
ls /usr/include/c++/*/cstddef >/dev/null 2>&1 || need g++
# Terminal descriptions and the locale that the tests run in come with every Debian; certificates for https do not.
[ -e /etc/ssl/certs/ca-certificates.crt ] || need ca-certificates

[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "setup: these are missing (by their Debian names):$missing" >&2
  echo "setup: install them with your system's package manager and run make again" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root=sudo
else
  echo "setup: run this as root, then make again: apt-get update && $install" >&2
  exit 1
fi
echo "setup: installing$missing"
# shellcheck disable=SC2086 # The words are package names.
$as_root env DEBIAN_FRONTEND=noninteractive sh -c "apt-get update -qq && $install" >&2 || {
  echo "setup: that failed; install by hand: apt-get update && $install" >&2
  exit 1
}
