#!/bin/sh
# make_root.sh SUITE [FOLDER [PACKAGES]] : a Debian tree of SUITE with Blender, Xvfb and Mesa's software OpenGL, or with
# other packages; prints its path.
#
#   trixie  Blender 4.3 (Python 3.13)        sid  Blender 5.2 (Python 3.14), a moving target
#
# Needs root on Debian, about two minutes and 1.1 GB; nothing outside the folder changes, nothing gets mounted. The
# tree is kept under $XDG_CACHE_HOME/anim_curves (or ANIM_CURVES_ROOT, where one already lies) and used again.
set -eu
suite=$1
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/anim_curves
root=${2:-${ANIM_CURVES_ROOT:-$cache/$suite}}
packages=blender,python3-numpy,xvfb,libgl1-mesa-dri,libgl1,libegl1
# Debian's sid leaves these two out, without which Blender's extension platform complains at each start.
[ "$suite" = trixie ] || packages=$packages,python3-cattr,python3-requests
packages=${3:-$packages}

say() { echo "make_root: $*" >&2; }
twice() { sh "$(dirname "$0")/../../tools/twice.sh" "$@"; }

if [ -e "$root/.ready" ]; then
  case $(cat "$root/.ready") in
    "$suite "*) echo "$root" && exit 0 ;;
    *) say "$root holds another suite: $(cat "$root/.ready")" && exit 1 ;;
  esac
fi
[ ! -e "$root" ] || { say "$root is in the way and is no finished tree: remove it (rm -rf --one-file-system)"; exit 1; }
[ "$(id -u)" = 0 ] || { say "needs root, for chroot"; exit 1; }
if ! command -v mmdebstrap >/dev/null; then
  say "installing mmdebstrap"
  { twice apt-get update -qq && twice apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null; } ||
    { say "mmdebstrap cannot be installed: this needs Debian or Ubuntu"; exit 1; }
fi

# The mirror that this machine itself uses.
mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/*.sources 2>/dev/null || true)
[ -n "$mirror" ] || mirror=$(awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' \
  /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true)
[ -n "$mirror" ] || { say "no Debian mirror in /etc/apt"; exit 1; }

say "making $root"
mkdir -p "$(dirname "$root")"
trap '[ -e "$root/.ready" ] || rm -rf --one-file-system "$root"' EXIT
# shellcheck disable=SC2016  # $0 is the inner shell's
twice sh -c 'rm -rf --one-file-system "$0" && mmdebstrap "$@"' "$root" --quiet --mode=root --variant=apt --components=main \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-include=/usr/share/locale/de/*' \
  --dpkgopt='path-include=/usr/share/locale/languages' \
  --include="$packages" "$suite" "$root" "$mirror" >&2 || { say "Debian's $suite cannot be installed"; exit 1; }
echo "none / ext4 rw 0 0" >"$root/etc/mtab" # without /proc, Blender would ask for it at each start
echo "$suite $packages" >"$root/.ready"
echo "$root"
