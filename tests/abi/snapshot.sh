#!/bin/sh
# snapshot.sh LIBRARY [LAYOUT]: the binary interface for C as text: exported functions with their version, then what the
# program LAYOUT prints.
set -eu
nm -D --defined-only "$1" | sed -n 's/^[0-9a-f]* T \(tg_.*\)$/function \1/p' | LC_ALL=C sort
[ $# -lt 2 ] || "$2"
