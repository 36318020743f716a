#!/bin/sh
# Writes the documentation of the kits named on the command line to docs/api, one archive each, with the toolchain's docc.
set -eu

command -v docc >/dev/null 2>&1 || {
  echo "doc: docc is not in the path; it comes with the Swift toolchain" >&2
  exit 1
}
graphs=.build/symbol-graphs
for kit in "$@"; do
  rm -rf "$graphs/$kit"
  mkdir -p "$graphs/$kit" docs/api
  swift build --target "$kit" -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs/$kit"
  find "$graphs/$kit" -type f ! -name "$kit.symbols.json" -delete
  docc convert --fallback-display-name "$kit" --fallback-bundle-identifier "atrium.$kit" \
    --additional-symbol-graph-dir "$graphs/$kit" --output-path "docs/api/$kit.doccarchive"
done
