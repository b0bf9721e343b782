#!/usr/bin/env bash
# Installs what wavesmith needs on Debian 12, as root. Packages come from the mirrors that the machine's own apt
# sources name; suites that are missing there (security for LLVM 22, backports for Catch2 3) are read through a
# private apt configuration, so that /etc/apt stays as it is.
set -euo pipefail

suite=bookworm
packages=(
  g++ cmake ninja-build pkg-config git python3 python3-numpy ca-certificates
  llvm-22-dev liblld-22-dev llvm-22 lld-22
  clang-22 libclang-rt-22-dev clang-format-22 clang-tidy-22
  libfmt-dev nlohmann-json3-dev libcli11-dev libelf-dev nettle-dev libtbb-dev zlib1g-dev libzstd-dev
)

have_all() {
  local name
  for name in "${packages[@]}" libcatch2-dev; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || return 1
  done
  # Debian 12's own Catch2 is version 2; the tests need 3.
  dpkg --compare-versions "$(dpkg-query -W -f='${Version}' libcatch2-dev)" ge 3
}
if have_all; then
  echo "setup: everything is installed"
  exit 0
fi
[ "$(id -u)" = 0 ] || { echo "setup: run as root; it installs Debian packages" >&2; exit 4; }

. "$(dirname "$0")/debian_mirror.sh"
mirror=$(debian_mirror)
[ -n "$mirror" ] || { echo "setup: no apt source for Debian $suite found" >&2; exit 4; }

private=$(mktemp -d)
chmod 755 "$private"  # apt's download user must be able to enter
trap 'rm -rf "$private"' EXIT
mkdir -p "$private/lists/partial" "$private/archives/partial" "$private/sources.list.d"
signed=$(debian_signed_by)
cat > "$private/sources.list" <<LIST
deb ${signed}$mirror $suite main
deb ${signed}$mirror-security $suite-security main
deb ${signed}$mirror $suite-backports main
LIST
apt=(apt-get -o Dir::Etc::SourceList="$private/sources.list" -o Dir::Etc::SourceParts="$private/sources.list.d"
     -o Dir::State::Lists="$private/lists" -o Dir::Cache::archives="$private/archives")
export DEBIAN_FRONTEND=noninteractive
"${apt[@]}" update -q
"${apt[@]}" install -q -y --no-install-recommends "${packages[@]}" "libcatch2-dev/$suite-backports"
have_all || { echo "setup: apt ended well but not every package is there" >&2; exit 4; }
echo "setup: done"
