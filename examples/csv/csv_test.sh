#!/bin/sh
# Tests of the csv program from outside: csv_test.sh PROGRAM DATA CASE. Each case runs it in a folder of its own and checks what
# a user sees: texts, exit status.
set -eu

program=$1
data=$2
. "$(dirname "$0")/../support/program_test.sh"

# says TEXT: the error is this line.
says() { grep -qxF -e "$1" err || fail "no line of the error is $1"; }

# refused TEXT LINES: a file of these lines is refused with this reason.
refused() {
  printf "$2" >bad.csv
  run 1 bad.csv
  says "csv: bad.csv$1"
}

case $3 in
  help)
    run 0 --help
    for word in file --model --eval --epochs --batch; do grep -q -e " $word" out || fail "no $word in the help"; done
    ;;
  mistakes)
    run 1 missing.csv
    says 'csv: missing.csv: cannot be read'
    refused ': has no rows' 'x,class\n'
    refused ':1: needs a feature and a class' 'x\n1\n'
    refused ':3: 2 fields instead of 3' 'x,y,class\n1,2,0\n1,2\n'
    refused ':2: "1.5m" is no number' 'x,class\n1.5m,0\n'
    refused ':2: "nan" is no number' 'x,class\nnan,0\n'
    refused ':2: "-1" is no class' 'x,class\n1.5,-1\n'
    run 1 "$data" --eval --model missing.safetensors
    grep -q 'missing.safetensors' err || fail 'the missing model is not named'
    ;;
  train)
    run 0 "$data"
    [ "$(grep -c '^epoch' out)" -eq 20 ] || fail 'not a line for every epoch'
    tail -n 1 out >trained
    grep -q '^\(9[5-9]\|100\)\.[0-9] % of 120 rows$' trained || fail 'it did not learn'
    run 0 "$data" --eval
    cmp -s out trained || fail 'the model that was read gives another figure'
    ;;
  *)
    echo "csv_test.sh: unknown case $3" >&2
    exit 2
    ;;
esac
