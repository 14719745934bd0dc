#!/bin/sh
# Tests of the mnist program from outside: mnist_test.sh PROGRAM CASE. Each case runs it in a folder of its own on few and
# drawn images, and checks what a user sees: texts, files, exit status.
set -eu

program=$1
. "$(dirname "$0")/../support/program_test.sh"

case $2 in
  help)
    run 0 --help
    has out '^usage: mnist'
    for option in --steps --batch --seed --lr --shift --out --eval --drawn --uncaptured; do has out "^  $option "; done
    ;;
  mistakes)
    run 2 --nonsense
    has err '^mnist: unknown option --nonsense$'
    run 2 --steps
    has err '^mnist: --steps needs a value$'
    run 2 --steps 0
    has err '^mnist: --steps: "0" is not allowed; training steps, 1 to 1000000'
    run 2 --steps=12x
    has err '^mnist: --steps: "12x" is not allowed'
    run 2 --drawn=yes
    has err '^mnist: --drawn takes no value$'
    run 2 --out missing/model.safetensors
    has err '^mnist: --out: there is no folder missing$'
    run 1 --eval missing.safetensors
    has err 'missing.safetensors'
    echo garbage >bad.safetensors
    run 1 --eval bad.safetensors
    has err 'bad.safetensors'
    ;;
  train)
    run 0 --drawn --steps 3 --batch 8 --seed 5 --out model.safetensors
    has out '^model saved to model.safetensors$'
    grep -qi 'mnist:\|, MNIST' out && fail 'drawn digits are called MNIST'
    tail -n 1 out >trained
    has trained '^test accuracy: [0-9.]* % ([0-9]*/2000, drawn digits, [A-Z]*)$'
    run 0 --drawn --eval model.safetensors
    tail -n 1 out >evaluated
    cmp -s trained evaluated || fail "--eval gives another figure: $(cat trained evaluated)"
    ;;
  learns)
    # Guessing would get one in ten right.
    run 0 --drawn --steps 80 --batch 64 --seed 5
    has out '^test accuracy: \(9[0-9]\|100\)\.'
    ;;
  captured)
    run 0 --drawn --steps 6 --batch 8 --seed 5 --out captured.safetensors
    run 0 --drawn --steps 6 --batch 8 --seed 5 --out plain.safetensors --uncaptured
    cmp captured.safetensors plain.safetensors || fail "captured steps train another model"
    ;;
  memory)
    # Too little for the compiler, for the training, for nothing: an accuracy, or the reason in one line.
    export THREADS=2
    for mebibytes in 100 300 460 2000; do
      status=0
      # shellcheck disable=SC3045 # dash and bash have it
      (ulimit -v $((mebibytes * 1024)) && "$program" --drawn --steps 3 --batch 8 >out 2>err) || status=$?
      case $status in
        0) has out '^test accuracy: ' ;;
        1) grep -q '^mnist: .*\(cannot\|no memory\)' err || fail "no reason with $mebibytes MiB" ;;
        *) fail "exit status $status with $mebibytes MiB" ;;
      esac
    done
    [ "$status" -eq 0 ] || fail 'no accuracy with plenty of memory'
    ;;
  cache)
    # Whatever happens to the cache of kernels, the model is the same byte for byte.
    few() { "$program" --drawn --steps 3 --batch 8 --seed 5 --out "$1"; }
    same() {
      few model.safetensors >out 2>err || fail "no model $1"
      cmp model.safetensors reference.safetensors || fail "another model $1"
    }
    export TG_CACHE="$folder/one"
    few reference.safetensors >out 2>err || fail 'no model'
    export TG_CACHE="$folder/two"
    for seconds in 0.2 0.6; do
      "$program" --drawn --steps 3 --batch 8 --seed 5 --out killed.safetensors >out 2>err &
      sleep "$seconds"
      kill -KILL $! 2>/dev/null || true
      wait $! 2>/dev/null || true
    done
    same 'after processes were killed'
    for entry in "$TG_CACHE"/kernels/*; do echo junk >"$entry"; done
    same 'with a cache full of junk'
    export TG_CACHE="$folder/three"
    few beside.safetensors >beside 2>&1 &
    same 'beside another process'
    wait $! || fail 'the other process failed'
    cmp beside.safetensors reference.safetensors || fail 'another model in the other process'
    export TG_CACHE=/proc/nowhere
    same 'without a cache'
    ;;
  interrupt)
    interrupt err '1/100000' --drawn --steps 100000 --batch 2 --out model.safetensors
    has err '^mnist: interrupted after step [0-9]* of 100000$'
    has out '^model saved to model.safetensors$'
    [ -s model.safetensors ] || fail 'no model was written'
    ;;
  *)
    echo "mnist_test.sh: unknown case $2" >&2
    exit 2
    ;;
esac
