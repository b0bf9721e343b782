#!/usr/bin/env bash
# Sets up, builds, and does the main job once: emits, compiles and inspects the attention kernels of head size 64 and
# 128 for gfx950, and checks the goldens. Everything made is under build/quickstart.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
cmake --preset release -DWAVESMITH_TESTS=OFF
cmake --build --preset release

wavesmith=build/release/tools/wavesmith
out=build/quickstart
mkdir -p "$out"
for head_size in 64 128; do
  spec=(attention-dense --head-size "$head_size" --num-query-heads 32 --num-kv-heads 8 --dtype bf16 --mask causal)
  echo
  echo "== head size $head_size"
  "$wavesmith" emit "${spec[@]}" --target gfx950 --flavour llvm22 -o "$out/attention_d$head_size.ll"
  "$wavesmith" compile "${spec[@]}" --target gfx950 -o "$out/attention_d$head_size.hsaco"
  "$wavesmith" inspect "$out/attention_d$head_size.hsaco"
done
echo
"$wavesmith" golden check
echo
ls -l "$out"
