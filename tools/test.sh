#!/usr/bin/env bash
# Sets up and runs every check that guards the repository: build with warnings as errors, unit tests, golden check,
# format check, the unit tests under the address and undefined-behaviour sanitizers, and those of the runtime under the
# thread sanitizer. WAVESMITH_CMAKE_ARGS may hold further arguments for every cmake run. The last line counts the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

read -r -a cmake_args <<< "${WAVESMITH_CMAKE_ARGS:-}"
passed=0 failed=0 skipped=0
failures=()  # the lines that close the run when something failed

tools/setup.sh
tools/compilers.sh
tools/hip.sh

# Builds one preset, with further arguments for cmake, and adds its test counts to the totals. JUnit is the format of
# ctest's own that counts skips. Tests that start processes and end them can suffer from whatever else a machine does:
# a few that fail are run once more, alone. One that passes then is named at the end all the same.
run_preset() {
  local preset=$1 results again again_passed
  shift
  results="build/$preset/results.xml"
  echo "== $preset: configure, build, test"
  cmake --preset "$preset" "$@" "${cmake_args[@]}"
  cmake --build --preset "$preset"
  rm -f "$results"
  ctest --preset "$preset" --output-junit results.xml || true
  read -r p f s < <(python3 tools/count_tests.py "$results")
  if [ "$f" -ge 1 ] && [ "$f" -le 3 ]; then
    again="build/$preset/results_again.xml"
    failures+=("$preset, first run:" "$(python3 tools/count_tests.py --failures "$results")")
    rm -f "$again"
    ctest --preset "$preset" --rerun-failed --parallel 1 --output-junit results_again.xml || true
    read -r again_passed f _ < <(python3 tools/count_tests.py "$again")
    p=$((p + again_passed)) results=$again
  fi
  echo "$preset: $p passed, $f failed, $s skipped of the unit tests"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  if [ "$f" != 0 ]; then failures+=("$preset:" "$(python3 tools/count_tests.py --failures "$results")"); fi
}

# One more check, counted like a test.
check() {
  local name=$1
  shift
  echo "== $name"
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) failures+=("FAILED: $name"); fi
}

check_format() {
  git ls-files '*.c' '*.cpp' '*.h' '*.hpp' | xargs clang-format-22 --dry-run --Werror
}

check format check_format
run_preset release -DWAVESMITH_BENCHMARKS=ON  # built, so that they stay buildable; never run here
check goldens build/release/tools/wavesmith golden check
run_preset asan
run_preset tsan

echo "== all"
if [ ${#failures[@]} != 0 ]; then printf '%s\n' "${failures[@]}"; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
