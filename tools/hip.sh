#!/usr/bin/env bash
# Unpacks what the launcher and the simulated HIP driver are compared with: the headers of HIP 5 and of HIP 6, and AMD's
# own libamdhip64 of HIP 5 with its libraries, from Debian 12 and from its unstable suite. Nothing is installed, and
# nothing of it is needed to build or to run wavesmith.
#
#     tools/hip.sh [FOLDER]      default build/hip
#
# FOLDER/hip-5 and FOLDER/hip-6 are there afterwards, as far as the suites have them; FOLDER/manifest.tsv says what is:
# name, "ready" or "skipped", version, reason.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$scripts/../build/hip}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
stamp=$(cat "$0" "$scripts/debian_mirror.sh" | sha256sum | cut -d' ' -f1)
summary() {
  echo "hip: $(grep -c $'\tready\t' "$folder/manifest.tsv" || true) ready," \
       "$(grep -c $'\tskipped\t' "$folder/manifest.tsv" || true) skipped, in $folder"
}
if [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ]; then
  summary
  exit 0
fi

# Name, suite, and the packages; the version of the first is the one that counts, and begins with the name's number.
sets=(
  "hip-5 bookworm libamdhip64-dev libamdhip64-5 libamd-comgr2 libhsa-runtime64-1 libhsakmt1 libnuma1 libdrm-amdgpu1 libdrm2 libllvm15"
  "hip-6 sid libamdhip64-dev"
)
rm -rf "$folder"/{apt,hip-5,hip-6,stamp,manifest.tsv}
mkdir -p "$folder"/apt/{lists/partial,archives/partial,sources.list.d}
: > "$folder/manifest.tsv"
note() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >> "$folder/manifest.tsv"; }
skip_all() {
  local line
  for line in "${sets[@]}"; do note "${line%% *}" skipped "" "$1"; done
  echo "hip: $1" >&2
  summary
  exit 0
}

. "$scripts/debian_mirror.sh"
mirror=$(debian_mirror)
[ -n "$mirror" ] || skip_all "no apt source for Debian found"
for suite in bookworm sid; do echo "deb $(debian_signed_by)$mirror $suite main"; done > "$folder/apt/sources.list"
options=(-o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts="$folder/apt/sources.list.d"
         -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt" -o Dir::State::status=/dev/null
         -o APT::Sandbox::User=root)
apt-get "${options[@]}" -q update > "$folder/apt/log" 2>&1 || skip_all "the suites cannot be read: $(tail -1 "$folder/apt/log")"

for line in "${sets[@]}"; do
  read -r name suite packages <<< "$line"
  version=$(apt-cache "${options[@]}" madison "${packages%% *}" |
    awk -F' *[|] *' -v suite=" $suite/main " 'index($3, suite) && !found {print $2; found = 1}')
  if [[ "$version" != "${name#hip-}".* ]]; then
    note "$name" skipped "$version" "$suite has ${packages%% *} ${version:-no more}"
    continue
  fi
  mkdir -p "$folder/apt/$name" "$folder/$name"
  read -r -a wanted <<< "$packages"
  if ! (cd "$folder/apt/$name" && apt-get "${options[@]}" -q download "${wanted[@]/%//$suite}" > ../log 2>&1); then
    note "$name" skipped "$version" "packages cannot be downloaded: $(tail -1 "$folder/apt/log")"
    continue
  fi
  for file in "$folder/apt/$name"/*.deb; do dpkg-deb -x "$file" "$folder/$name"; done
  note "$name" ready "$version" ""
done
rm -rf "$folder/apt"
grep -q $'\tskipped\t' "$folder/manifest.tsv" || echo "$stamp" > "$folder/stamp"
summary
