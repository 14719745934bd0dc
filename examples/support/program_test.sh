# What the tests of the examples share: sourced with `program` set, it goes to a folder of its own, which is removed in the end.
# Not a test itself; those are ../NAME/NAME_test.sh.
# shellcheck shell=sh disable=SC2154 # program

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "FAILED: $*" >&2
  cat out err >&2
  exit 1
}

# run STATUS ARGUMENTS...: what the program must return; its output goes to the files out and err.
run() {
  want=$1
  shift
  status=0
  "$program" "$@" >out 2>err || status=$?
  [ "$status" -eq "$want" ] || fail "exit status $status instead of $want: $*"
}

# has FILE PATTERN: a line of the file matches the basic regular expression.
has() { grep -q -e "$2" "$1" || fail "no line of $1 matches $2"; }

# interrupt FILE PATTERN ARGUMENTS...: a Ctrl-C, once a line of the file matches, for at most two minutes, ends the program as one.
interrupt() {
  file=$1
  pattern=$2
  shift 2
  : >"$file"
  "$program" "$@" >out 2>err &
  process=$!
  tries=0
  while ! grep -q -e "$pattern" "$file" && [ "$tries" -lt 1200 ]; do
    kill -0 "$process" 2>/dev/null || fail 'the program ended by itself'
    tries=$((tries + 1))
    sleep 0.1
  done
  kill -INT "$process"
  status=0
  wait "$process" || status=$?
  [ "$status" -eq 130 ] || fail "exit status $status instead of 130"
}
