#!/bin/sh
# Tests of the char_gpt program from outside: char_gpt_test.sh PROGRAM CASE. Each case runs it in a folder of its own on a short
# text and a small model, and checks what a user sees: texts, files, exit status.
set -eu

program=$1
. "$(dirname "$0")/../support/program_test.sh"

# A text in which only the numbers are hard to foretell.
write_text() {
  i=0
  while [ $i -lt 150 ]; do
    echo "The ship number $((i * 37 % 91)) sails on a sea of letters."
    i=$((i + 1))
  done >text
}

small='--text text --width 32 --layers 1 --heads 2 --context 32 --batch 16 --seed 3'

case $2 in
  help)
    run 0 --help
    for option in --text --steps --context --width --layers --heads --batch --seed --save --sample --temperature; do
      has out "^ *$option "
    done
    ;;
  mistakes)
    run 109 --nonsense
    has err 'nonsense'
    run 105 --steps 0
    has err '^--steps: Value 0 not in range'
    run 1 --text missing
    has err '^char_gpt: the text missing cannot be read$'
    run 1 --text .
    has err '^char_gpt: the text \. cannot be read$'
    echo 'too short' >text
    run 1 --text text
    has err '^char_gpt: the text has 10 characters, of which a tenth is held out; a context of 64 needs more than 649: give a longer'
    write_text
    run 1 --text text --width 30 --heads 4
    has err '^char_gpt: MultiHeadAttention: heads must divide the size: 4 heads, size 30'
    run 1 --text text --save missing/model.safetensors
    has err '^char_gpt: there is no folder missing for missing/model.safetensors$'
    run 1 --load text
    has err '^char_gpt: '
    ;;
  learns)
    write_text
    # shellcheck disable=SC2086 # several arguments
    run 0 $small --steps 120 --lr 0.01 --dropout 0 --sample 60 --save model.safetensors --curve loss.svg
    has loss.svg '^<polyline '
    # By the letters' frequencies alone it would be 2.9 nats.
    loss=$(sed -n 's/^loss .* at the end, \([0-9]\)\.\([0-9]\).* on the text held out$/\1\2/p' out)
    [ -n "$loss" ] || fail 'no loss on the text held out was printed'
    [ "$loss" -lt 10 ] || fail "the loss on the text held out is $loss tenths of a nat"
    has out '^wrote model.safetensors$'
    run 0 --load model.safetensors --prompt 'The ship' --temperature 0 --sample 40
    has out '^The ship number [0-9]* sails on a sea '
    ;;
  interrupt)
    write_text
    # shellcheck disable=SC2086
    interrupt err '1/100000' $small --steps 100000 --save model.safetensors
    has err '^char_gpt: interrupted after step [0-9]* of 100000$'
    [ -s model.safetensors ] || fail 'no model was written'
    ;;
  *)
    echo "char_gpt_test.sh: unknown case $2" >&2
    exit 2
    ;;
esac
