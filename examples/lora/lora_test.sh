#!/bin/sh
# Tests of the lora program from outside: lora_test.sh PROGRAM CASE TG MODELS. Each case runs it in a folder of its own on a tiny model
# whose words are w0 to w47, and checks what a user sees: texts, files, exit status.
set -eu

program=$1
tg=$3
models=$4
. "$(dirname "$0")/../support/program_test.sh"

# make_model NAME: a folder with the tiny model of this family and its tokenizer.
make_model() {
  mkdir "$1"
  cp "$models/$1/config.json" "$models/$1/model.safetensors" "$1"
  {
    printf '{"model": {"type": "WordLevel", "unk_token": "w0", "vocab": {"w0": 0'
    i=1
    while [ $i -lt 48 ]; do
      printf ', "w%d": %d' $i $i
      i=$((i + 1))
    done
    printf '}}, "pre_tokenizer": {"type": "Whitespace"}}\n'
  } >"$1/tokenizer.json"
}

# A text that goes round in a circle.
write_text() {
  i=0
  while [ $i -lt 20 ]; do
    echo "w3 w14 w5 w26 w7 w38 w9 w40 w11 w32"
    i=$((i + 1))
  done >text
}

# says PATTERN MODEL PROMPT: what the model with the adapter goes on with.
says() {
  "$tg" llm "$2" --adapter adapter --raw --temperature 0 --max-tokens 4 --prompt "$3" >out 2>err || fail 'tg llm fails'
  has out "$1"
}

small="--batch 8 --length 16 --seed 3 --sample 8"

case $2 in
  help)
    run 0 --help
    for option in --rank --alpha --dropout --targets --start --lr --steps --batch --length --seed --output --curve --sample --prompt; do
      has out "^ *$option "
    done
    ;;
  mistakes)
    make_model llama
    write_text
    run 106 llama
    has err 'data is required'
    run 105 llama text --rank 0
    has err '^--rank: Value 0 not in range'
    run 108 llama text --rank 4 --start adapter
    has err 'excludes'
    run 1 llama missing
    has err '^lora: the text missing cannot be read'
    run 1 missing text
    has err '^lora: .*missing'
    run 1 llama text --length 250
    has err '^lora: the text text has 200 tokens, and --length 250 needs one more than that: give a longer text'
    run 1 llama text --length 500
    has err "^lora: --length is at most the model's context, 256$"
    run 1 llama text --targets q_proj,c_attn
    has err '^lora: add_adapter: no layer of the model is called "c_attn". Hint: it has down_proj, gate_proj, k_proj, '
    run 1 llama text --output missing/adapter
    has err '^lora: there is no folder missing for missing/adapter$'
    run 1 llama text --start missing
    has err '^lora: .*adapter_config.json'
    run 1 "$models/gguf/llama.gguf" text
    has err '^lora: .*llama.gguf has no tokenizer'
    printf '{"prompt": "w1", "completion": "w2"}\n\n{"prompt": "w1"}\n' >some.jsonl
    run 1 llama some.jsonl
    has err '^lora: some.jsonl, line 3, is no object with a text "completion"$'
    echo 'w1 w2' >some.jsonl
    run 1 llama some.jsonl
    has err '^lora: some.jsonl, line 1, is not JSON$'
    : >some.jsonl
    run 1 llama some.jsonl
    has err '^lora: the text some.jsonl cannot be read, or is empty$'
    ;;
  learns)
    make_model llama
    write_text
    # shellcheck disable=SC2086 # several arguments
    run 0 llama text $small --steps 150 --lr 0.02 --curve loss.svg --rank 4
    has out '^llama: llama, 2 layers, 0.0 MiB of weights; an adapter of 3328 numbers for 14 products$'
    has out '^text: a text of 200 tokens$'
    has out '^wrote the adapter into adapter$'
    has loss.svg '^<polyline '
    # Ten words equally often would be 2.3 nats.
    loss=$(sed -n 's/^loss .* nats a token in the first step, \([0-9]\)\.\([0-9]\).* in the last one$/\1\2/p' out)
    [ -n "$loss" ] || fail 'no loss was printed'
    [ "$loss" -lt 3 ] || fail "the loss is $loss tenths of a nat"
    says 'w26 *w7 *w38 *w9' llama 'w3 w14 w5'
    # It goes on from where it was.
    # shellcheck disable=SC2086
    run 0 llama text $small --steps 2 --lr 0 --start adapter --output again
    has out '^loss 0\.[0-2][0-9]* nats a token in the first step, 0\.[0-2]'
    cmp adapter/adapter_model.safetensors again/adapter_model.safetensors || fail 'a rate of 0 changed the adapter'
    ;;
  completions)
    make_model gpt2
    for n in 20 21 22 23; do echo "{\"prompt\": \"w$n w$n w1\", \"completion\": \" w$((n + 10)) w5\"}"; done >some.jsonl
    # shellcheck disable=SC2086
    run 0 gpt2 some.jsonl $small --steps 200 --lr 0.02 --targets attn.c_attn,c_fc
    has out '^some.jsonl: 4 prompts, 12 tokens of completions$'
    # The prompts, of which no word is to be learned, would stay at some nats.
    has out '^loss [0-9.]* nats a token in the first step, 0\.[0-2]'
    says 'w31 *w5' gpt2 'w21 w21 w1'
    says 'w33 *w5' gpt2 'w23 w23 w1'
    ;;
  interrupt)
    make_model llama
    write_text
    # shellcheck disable=SC2086
    interrupt err '1/100000' llama text $small --steps 100000
    has err '^lora: interrupted after step [0-9]* of 100000$'
    says 'w' llama 'w3'
    ;;
  *)
    echo "lora_test.sh: unknown case $2" >&2
    exit 2
    ;;
esac
