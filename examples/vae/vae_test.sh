#!/bin/sh
# Tests of the vae program from outside: vae_test.sh PROGRAM CASE. Each case runs it in a folder of its own on few and drawn
# images, and checks what a user sees: texts, files, exit status.
set -eu

program=$1
. "$(dirname "$0")/../support/program_test.sh"

case $2 in
  help)
    run 0 --help
    has out '^usage: vae'
    for option in --steps --batch --codes --seed --lr --out --drawn; do has out "^  $option "; done
    ;;
  mistakes)
    run 2 --nonsense
    has err '^vae: unknown option --nonsense$'
    run 2 --steps
    has err '^vae: --steps needs a value$'
    run 2 --steps 0
    has err '^vae: --steps: "0" is not allowed; training steps, 1 to 1000000'
    touch file
    run 1 --drawn --steps 1 --out file
    has err '^vae: '
    ;;
  learns)
    run 0 --drawn --steps 150 --batch 64 --seed 3 --out results
    for name in reconstructions samples; do
      has out "^wrote results/$name.png$"
      [ "$(head -c 4 "results/$name.png" | tail -c 3)" = PNG ] || fail "$name.png is no PNG file"
    done
    has results/loss.svg '^<polyline '
    has results/loss.svg '</svg>$'
    [ -s results/vae.safetensors ] || fail 'no weights were written'
    losses=$(sed -n 's/^test loss: \([0-9]*\)\.[0-9]* nats a digit, first training loss: \([0-9]*\)\..*/\1 \2/p' out)
    # shellcheck disable=SC2086 # two numbers
    set -- $losses
    [ $# -eq 2 ] || fail 'no losses were printed'
    # From some 550 nats, where every pixel is as likely black as white, to less than two fifths.
    [ $(($1 * 5)) -lt $(($2 * 2)) ] || fail "the loss is $1 nats, from $2"
    ;;
  *)
    echo "vae_test.sh: unknown case $2" >&2
    exit 2
    ;;
esac
