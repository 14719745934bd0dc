#!/bin/sh
# Tests of the dcgan program from outside: dcgan_test.sh PROGRAM CASE. Each case runs it in a folder of its own on drawn
# digits and small networks, and checks what a user sees: texts, files, exit status.
set -eu

program=$1
. "$(dirname "$0")/../support/program_test.sh"

small="--drawn --batch 32 --width 16 --seed 3"

case $2 in
  help)
    run 0 --help
    for option in --steps --batch --width --lr --seed --out --drawn; do has out "^ *$option "; done
    ;;
  mistakes)
    run 109 --nonsense
    has err 'nonsense'
    run 105 --steps 0
    has err '^--steps: Value 0 not in range'
    touch file
    run 1 --drawn --steps 1 --out file
    has err '^dcgan: '
    ;;
  learns)
    # shellcheck disable=SC2086 # several arguments
    run 0 $small --steps 150 --out results
    [ "$(head -c 4 results/samples.png | tail -c 3)" = PNG ] || fail 'samples.png is no PNG file'
    has results/loss.svg '>discriminator</text>$'
    has results/loss.svg '>generator</text>$'
    [ -s results/generator.safetensors ] || fail 'no weights were written'
    apart=$(sed -n 's/^mean of drawn digits .*: 0\.\([0-9]*\) apart at the start, 0\.\([0-9]*\) now$/\1 \2/p' out)
    # shellcheck disable=SC2086 # two numbers
    set -- $apart
    [ $# -eq 2 ] || fail 'no difference of the means was printed'
    # Grey pictures are some 0.4 from digits, black ones as far as digits have ink.
    [ "${2#0}" -lt 100 ] || fail "the means are 0.$2 apart"
    ;;
  interrupt)
    # shellcheck disable=SC2086
    interrupt err '1/100000' $small --steps 100000 --out results
    has err '^dcgan: interrupted after step [0-9]* of 100000$'
    [ -s results/generator.safetensors ] || fail 'no weights were written'
    ;;
  *)
    echo "dcgan_test.sh: unknown case $2" >&2
    exit 2
    ;;
esac
