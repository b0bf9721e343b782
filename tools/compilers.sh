#!/usr/bin/env bash
# Unpacks the compilers that flavours are checked with and that Debian 12 does not have: LLVM 21 and 23, and ROCm's
# comgr on LLVM 21 and on LLVM 22, from Debian's unstable and experimental suites. Nothing is installed: packages are
# read through a private apt configuration and unpacked into a folder, with wrappers that run them with the C library
# that they need.
#
#     tools/compilers.sh [FOLDER]      default build/compilers
#
# FOLDER/manifest.tsv says what is there: name, "ready" or "skipped", version, reason. These suites roll; a package that
# is gone, or of a version that nobody has checked the flavours with, is skipped.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$scripts/../build/compilers}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
stamp=$(cat "$0" "$scripts/debian_mirror.sh" | sha256sum | cut -d' ' -f1)
summary() {
  echo "compilers: $(grep -c $'\tready\t' "$folder/manifest.tsv" || true) ready," \
       "$(grep -c $'\tskipped\t' "$folder/manifest.tsv" || true) skipped, in $folder"
}
if [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ]; then
  summary
  exit 0
fi

# name, version that was checked, suite, package that has the version, further packages
sets=(
  "llvm-21 21.1.8 sid llvm-21 lld-21 libllvm21"
  "llvm-23 23.1.4 sid llvm-23 lld-23 libllvm23"
  "comgr-7.0 7.0.2 sid libamd-comgr3 libllvm21"
  "comgr-7.2 7.2.4 experimental libamd-comgr3 libllvm22"
)
libraries=(libc6 libstdc++6 libgcc-s1 zlib1g libzstd1 libffi8 libedit2 libz3-4 libxml2-16 libtinfo6 libbsd0 libmd0
           libpfm4)
programs=(opt llc llvm-as llvm-dis lld)

rm -rf "$folder"/{apt,root,bin,comgr-*,stamp,manifest.tsv}
mkdir -p "$folder"/apt/{lists/partial,archives/partial,sources.list.d,debs} "$folder/root" "$folder/bin"
: > "$folder/manifest.tsv"
note() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >> "$folder/manifest.tsv"; }
skip_all() {
  local line
  for line in "${sets[@]}"; do
    read -r name version _ <<< "$line"
    note "$name" skipped "$version" "$1"
  done
  echo "compilers: $1" >&2
  summary
  exit 0
}

. "$scripts/debian_mirror.sh"
mirror=$(debian_mirror)
[ -n "$mirror" ] || skip_all "no apt source for Debian found"
for suite in sid experimental; do echo "deb $(debian_signed_by)$mirror $suite main"; done > "$folder/apt/sources.list"
options=(-o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts="$folder/apt/sources.list.d"
         -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt" -o Dir::State::status=/dev/null
         -o APT::Sandbox::User=root)
apt-get "${options[@]}" -q update > "$folder/apt/log" 2>&1 || skip_all "the suites cannot be read: $(tail -1 "$folder/apt/log")"

# The version of a package in a suite; nothing for one that is gone.
version_in() {
  apt-cache "${options[@]}" madison "$2" |
    awk -F' *[|] *' -v suite=" $1/main " 'index($3, suite) && !found {print $2; found = 1}'
}
upstream() { sed -E 's/^[0-9]+://; s/[-+~].*$//' <<< "$1"; }

# Everything that is needed, each package once.
wanted=()
want() {
  local version
  version=$(version_in "$1" "$2")
  [ -n "$version" ] || return 1
  [[ " ${wanted[*]} " == *" $2=$version "* ]] || wanted+=("$2=$version")
}
for library in "${libraries[@]}"; do want sid "$library" || skip_all "the package $library is gone"; done
ready=()
for line in "${sets[@]}"; do
  read -r name version suite package further <<< "$line"
  found=$(version_in "$suite" "$package")
  if [ -z "$found" ]; then
    note "$name" skipped "$version" "the package $package is gone from $suite"
    continue
  fi
  if [ "$(upstream "$found")" != "$version" ]; then
    note "$name" skipped "$version" "$suite has $package $found"
    continue
  fi
  missing=""
  want "$suite" "$package"
  for library in $further; do want sid "$library" || missing=$library; done
  if [ -n "$missing" ]; then note "$name" skipped "$version" "the package $missing is gone"; else ready+=("$line"); fi
done

(cd "$folder/apt/debs" && apt-get "${options[@]}" -q download "${wanted[@]}" > ../log 2>&1) ||
  skip_all "packages cannot be downloaded: $(tail -1 "$folder/apt/log")"
for file in "$folder"/apt/debs/*.deb; do
  case ${file##*/} in
    libamd-comgr3_*)
      into=$folder/comgr-$(upstream "$(dpkg-deb -f "$file" Version)" | cut -d. -f1,2)
      mkdir -p "$into"
      dpkg-deb -x "$file" "$into" ;;
    llvm-[0-9]*)
      version=${file##*/llvm-}
      version=${version%%_*}
      # All of LLVM's programs are many times what is needed.
      dpkg-deb --fsys-tarfile "$file" | tar -x -C "$folder/root" "${programs[@]/#/./usr/lib/llvm-$version/bin/}" \
        2> /dev/null || true ;;  # lld is in a package of its own
    *) dpkg-deb -x "$file" "$folder/root" ;;
  esac
done
rm -rf "$folder/apt"

# Wrappers. The programs find their libraries by the loader that comes with their C library.
wrapper() {
  printf '#!/bin/sh\nexec "%s/root/usr/lib64/ld-linux-x86-64.so.2" --library-path "%s" %s "$@"\n' \
    "$folder" "$folder/root/usr/lib/x86_64-linux-gnu" "$2" > "$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}
wrapper with-newer-libc ""
status=0
for line in "${ready[@]}"; do
  read -r name version _ <<< "$line"
  case $name in
    llvm-*)
      major=${name#llvm-}
      for program in "${programs[@]}"; do
        wrapper "$program-$major" "\"$folder/root/usr/lib/llvm-$major/bin/$program\""
      done
      says=$("$folder/bin/llc-$major" --version 2>&1 || true) ;;
    comgr-*) says=$version; [ -f "$folder/$name/usr/lib/x86_64-linux-gnu/libamd_comgr.so.3" ] || says="no library" ;;
  esac
  if grep -qF "$version" <<< "$says"; then
    note "$name" ready "$version" ""
  else
    echo "compilers: $name $version was unpacked and does not work: $says" >&2
    status=1
  fi
done
[ "$status" != 0 ] || echo "$stamp" > "$folder/stamp"
summary
exit "$status"
