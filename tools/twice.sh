#!/bin/sh
# twice.sh COMMAND... : a command that fetches something from a network, once more after a pause where it fails.
#
# PAUSE_SECONDS (30) is how long the pause is. No test is run with this: a test that fails has failed.
set -u
"$@" && exit 0
echo "twice: failed with $?, once more in ${PAUSE_SECONDS:-30} s: $*" >&2
sleep "${PAUSE_SECONDS:-30}"
exec "$@"
