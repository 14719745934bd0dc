#!/bin/sh
# Tests of the image_folder program from outside: image_folder_test.sh PROGRAM CASE TG. Each case runs it in a folder of its own on few
# and small pictures, and checks what a user sees: texts, files, exit status.
set -eu

program=$1
. "$(dirname "$0")/../support/program_test.sh"

small="--size 32 --batch 16 --seed 3"

case $2 in
  help)
    run 0 --help
    for option in --draw --size --epochs --batch --validation --weights --out; do has out "^ *$option "; done
    ;;
  mistakes)
    run 105 --size 8
    has err '^--size: Value 8 not in range'
    run 1 missing
    has err '^image_folder: there is no folder missing; --draw makes one'
    run 1 --out missing/weights.safetensors
    has err '^image_folder: there is no folder missing for missing/weights.safetensors$'
    mkdir -p pictures/cat
    run 1 pictures
    has err '^image_folder: pictures has 1 folders; it takes two or more'
    mkdir pictures/dog
    run 1 pictures
    has err '^image_folder: pictures/cat has 0 PNG or JPEG files'
    for name in cat/1 cat/2 dog/1 dog/2; do echo garbage >pictures/$name.png; done
    run 1 pictures
    has err '^image_folder: .*pictures/cat/[12].png'
    run 1 pictures --draw 2
    has err '^image_folder: pictures exists already'
    ;;
  learns)
    # shellcheck disable=SC2086 # several arguments
    run 0 shapes --draw 30 $small --epochs 8 --out best.safetensors --curve loss.svg
    has out '^shapes: 4 classes, 96 pictures to train on, 24 for validation$'
    has loss.svg '^<polyline '
    # Guessing has a loss of 1.39 nats.
    loss=$(sed -n 's/^epoch  8  loss \([0-9]\)\.\([0-9]\).*/\1\2/p' out)
    [ -n "$loss" ] || fail 'the loss of the last epoch is missing'
    [ "$loss" -lt 10 ] || fail "the loss is $loss tenths of a nat"
    has out '^the best network recognises [0-9]* of 24 pictures; it is in best.safetensors$'
    # The size of pictures and the names of classes are in the file. A quarter would be chance.
    "$3" classify best.safetensors shapes/*/1*.png --top 1 >out 2>err || fail 'tg classify fails'
    right=$(awk '/:$/ { split($0, part, "/") } / % / && $3 == part[2] { n++ } END { print n + 0 }' out)
    [ "$right" -ge 22 ] || fail "tg classify recognises $right of 44 pictures"
    # shellcheck disable=SC2086
    run 0 shapes --weights best.safetensors $small --epochs 1 --lr 0 --out again.safetensors
    # Less than guessing, which a fresh network does not reach: it has 1.5.
    loss=$(sed -n 's/^epoch  1  loss \([0-9]\)\.\([0-9]\).*/\1\2/p' out)
    [ -n "$loss" ] && [ "$loss" -lt 13 ] || fail "the network that was read has the loss $loss"
    ;;
  interrupt)
    # shellcheck disable=SC2086
    interrupt out '^epoch  2' shapes --draw 8 $small --epochs 100000 --out best.safetensors
    has err '^image_folder: interrupted in epoch [0-9]* of 100000$'
    [ -s best.safetensors ] || fail 'no weights were written'
    ;;
  *)
    echo "image_folder_test.sh: unknown case $2" >&2
    exit 2
    ;;
esac
