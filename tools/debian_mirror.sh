# Sourced by scripts that read Debian packages: debian_mirror prints the mirror of the machine's own apt sources.

# The first Debian mirror of the machine: one-line sources ("deb URI suite …") or deb822 ("URIs: …"); nothing where
# Debian 12 is in neither.
debian_mirror() {
  local suite=bookworm file mirrors
  mirrors=$(
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
      [ -f "$file" ] && sed -nE "s/^deb( \[[^]]*\])? +([^ ]+) +$suite( .*)?$/\2/p" "$file"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
      [ -f "$file" ] &&
        awk -v s="$suite" '/^URIs:/ {u=$2} /^Suites:/ {for (i = 2; i <= NF; i++) if ($i == s) print u}' "$file"
    done
    true
  )
  mirrors=${mirrors%%$'\n'*}
  printf '%s' "${mirrors%/}"
}

# signed-by option of a source line, where the machine has Debian's keys in their usual place.
debian_signed_by() {
  local key=/usr/share/keyrings/debian-archive-keyring.gpg
  [ ! -f "$key" ] || printf '[signed-by=%s] ' "$key"
}
