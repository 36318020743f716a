#!/bin/bash
# Runs the fuzz targets: fuzz.sh SECONDS [TARGET…]. Each starts from Fuzz/Corpus/TARGET; inputs that are new to it are kept
# in .build/fuzz-corpus, and what breaks it lands beside them as crash-*. Such a one, once mended, belongs into Fuzz/Corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds for each target}
shift
engine=$(find "$(dirname "$(readlink -f "$(command -v swift)")")/../lib" -name "libclang_rt.fuzzer_no_main-$(uname -m).a" | head -1)
[ -n "$engine" ] || { echo "this Swift has no libFuzzer" >&2; exit 1; }
# No backtrace from inside a dying process: libFuzzer writes its own report.
export ATRIUM_FUZZ_ENGINE=$engine SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
swift build --scratch-path .build/fuzz --product Fuzz --sanitize address \
  -Xswiftc -Xfrontend -Xswiftc -sanitize=address,fuzzer -Xswiftc -O -Xswiftc -enable-testing
fuzz=.build/fuzz/debug/Fuzz
[ $# -gt 0 ] || set -- $("$fuzz" 2>/dev/null | sed 's/^targets: //' || true)
failed=0
for target; do
  found=.build/fuzz-corpus/$target
  mkdir -p "$found"
  echo "== $target"
  nice -n 15 "$fuzz" "$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=16384 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="$found/" "$found" "Fuzz/Corpus/$target" 2>&1 |
    grep -E 'stat::(number_of_executed_units|peak_rss_mb)|ERROR|Fatal error|SUMMARY|Test unit written' || true
  if compgen -G "$found/crash-*" >/dev/null || compgen -G "$found/timeout-*" >/dev/null; then failed=1; fi
done
exit $failed
