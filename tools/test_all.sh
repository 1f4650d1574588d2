#!/bin/sh
# test_all.sh VERSION... : the test suite in each Blender, one process each; says plainly what was left out.
set -u
cd "$(dirname "$0")/.."
failed="" skipped="" passed=""
for version in "$@"; do
  echo "=== Blender $version"
  sh tools/environment.sh blender "$version"
  status=$?
  if [ $status -eq 3 ]; then
    skipped="$skipped $version"
    continue
  fi
  if [ $status -eq 0 ] && timeout -k 10 "${LIMIT:-1800}" "build/environments/blender-$version/bin/python" -m pytest ${ARGS:-}; then
    passed="$passed $version"
  else
    failed="$failed $version"
  fi
done
echo "=== passed:${passed:- none}; failed:${failed:- none}; skipped for want of a Python:${skipped:- none}"
[ -z "$failed" ] && [ -n "$passed" ]
