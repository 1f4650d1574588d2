#!/usr/bin/env bash
# fresh_machine.sh [SUITE...] : what the README says to do, done on machines that have nothing yet.
#
# For each suite (bookworm and trixie unless named) a bare Debian is made, with make and Python and nothing else; there
# `make demo` has to say in one sentence what is missing. With the README's packages, `make demo` and `make test` then
# run from nothing, as root and as a person, in a folder whose name has a space and an umlaut. The machines are trees
# for chroot, without /proc or anything else mounted; they are removed at the end.
#
# Needs root on Debian or Ubuntu and 6 GB. ARGS is given to pytest: `ARGS=` runs the whole suite, which takes two hours;
# by default only the tests that TESTS below names are run.
set -u
cd "$(dirname "$0")/.."
TESTS="tests/formats/test_atomic_write.py tests/formats/test_memory.py tests/formats/animx/test_animx_containers.py"
TESTS+=" tests/operators/test_batches.py tests/operators/test_command_line.py tests/operators/test_samples.py"
TESTS+=" tests/operators/test_unbreakable.py tests/acceptance/test_mrtk_large.py tests/test_layers.py tests/test_build.py"
ARGS=${ARGS-"-q $TESTS"}
FOLDER="Müllers Kurven"
BARE=make,python3,ca-certificates
failures=0
trees=$(mktemp -d)
trap 'rm -rf --one-file-system "$trees"' EXIT

say() { echo "fresh_machine: $*"; }

# check NAME COMMAND...
check() {
  local name=$1 start=$SECONDS
  shift
  printf '\n::: %s\n' "$name"
  if "$@"; then
    outcome=passed
  else
    outcome=FAILED failures=$((failures + 1))
  fi
  say "$outcome after $((SECONDS - start)) s: $name"
}

# inside TREE ACCOUNT COMMAND : a command in the account's copy of the repository
inside() {
  local tree=$1 account=$2 home
  home=$(home_of "$account")
  chroot --userspec="$account:$account" "$tree" env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$home" \
    ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} ${PIP_CERT:+PIP_CERT=/etc/ssl/certs/ca-certificates.crt} \
    sh -c 'cd "$1" && shift && exec "$@"' sh "$home/$FOLDER" "${@:3}"
}

home_of() { if [ "$1" = root ]; then echo /root; else echo "/home/$1"; fi; }

make_machine() {
  sh tests/gui/make_root.sh "$1" "$2" $BARE >/dev/null || return 1
  cp -L /etc/resolv.conf "$2/etc/resolv.conf"
  cp -L /etc/ssl/certs/ca-certificates.crt "$2/etc/ssl/certs/ca-certificates.crt" # also those of this machine's own
  echo "person:x:1000:1000::/home/person:/bin/sh" >>"$2/etc/passwd"
  echo "person:x:1000:" >>"$2/etc/group"
  for account in root person; do
    copy_repository "$2$(home_of "$account")/$FOLDER" && chroot "$2" chown -R "$account:$account" "$(home_of "$account")"
  done
}

copy_repository() {
  mkdir -p "$1" && git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$1"
}

# Without venv: a sentence that names it, and nothing else but make's own last line.
says_what_is_missing() {
  local said
  for target in demo test; do
    if said=$(inside "$1" person make "$target" 2>&1); then return 1; fi
    printf '%s\n' "$said"
    [ "$(grep -vc '^make: \*\*\*' <<<"$said")" = 1 ] && grep -q "python3-venv" <<<"$said" || return 1
  done
}

install_packages() {
  local packages
  packages=$(sed -n 's/^apt-get install //p' README.md)
  # shellcheck disable=SC2086  # several packages
  sh tools/twice.sh chroot "$1" apt-get update -qq &&
    sh tools/twice.sh chroot "$1" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages >/dev/null
}

try_suite() {
  local tree="$trees/$1"
  check "$1: a bare machine" make_machine "$1" "$tree"
  check "$1: what is missing is said in one sentence" says_what_is_missing "$tree"
  check "$1: the README's packages" install_packages "$tree"
  for account in root person; do
    check "$1, $account: make demo" inside "$tree" "$account" make demo
    check "$1, $account: make test" inside "$tree" "$account" make test ARGS="$ARGS"
  done
  rm -rf --one-file-system "$tree"
}

[ $# -gt 0 ] || set -- bookworm trixie
for suite in "$@"; do try_suite "$suite"; done
echo
say "$failures failed"
[ "$failures" = 0 ]
