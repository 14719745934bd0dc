#!/usr/bin/env python3
"""A language model here and in llama.cpp, on the same GGUF file, in turns: tokens of a prompt and of an answer a second.

The file is a Llama of 135 million random weights (SmolLM2's sizes), written by the package `gguf`; llama.cpp comes from the package
`llama-cpp-python`, which compiles it:

    pip install gguf llama-cpp-python
    python3 bench/peers/language_models.py --kind F16 --prompt 512 --rounds 3

Every sample is a process of its own. Ours prints its speeds itself, without what it compiles once for ever: a process before the first
round fills the cache."""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

import gguf
import numpy as np

WIDTH, HIDDEN, LAYERS, VOCABULARY, HEADS, KV_HEADS, CONTEXT = 576, 1536, 30, 49152, 9, 3, 4096
ANSWER = 128

PEER = """
import sys, time
from llama_cpp import Llama
path, length, answer, threads = sys.argv[1], *map(int, sys.argv[2:])
m = Llama(path, n_ctx=length + answer + 8, n_threads=threads, n_threads_batch=threads, n_batch=512, verbose=False)
prompt = m.tokenize(b"a" * length, add_bos=False)[:length]
start = time.time(); m.eval(prompt); first = time.time()
for i in range(answer - 1): m.eval([65 + i % 26])
end = time.time()
print(len(prompt) / (first - start), (answer - 1) / (end - first))
"""


def write_model(path, kind):
    w = gguf.GGUFWriter(path, "llama")
    w.add_context_length(CONTEXT)
    w.add_embedding_length(WIDTH)
    w.add_block_count(LAYERS)
    w.add_feed_forward_length(HIDDEN)
    w.add_head_count(HEADS)
    w.add_head_count_kv(KV_HEADS)
    w.add_layer_norm_rms_eps(1e-5)
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [b for b in range(256) if b not in shown]
    letters = [chr(b) if b in shown else chr(256 + hidden.index(b)) for b in range(256)]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("smollm")
    w.add_token_list(letters + ["to"] + [f"token{i}" for i in range(VOCABULARY - 257)])
    w.add_token_types([1] * VOCABULARY)
    w.add_token_merges(["t o"])
    random = np.random.default_rng(0)

    def matrix(name, rows, columns):
        x = (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)
        w.add_tensor(name, gguf.quants.quantize(x, kind), raw_dtype=kind)

    def norm(name): w.add_tensor(name, np.ones(WIDTH, np.float32))

    matrix("token_embd.weight", VOCABULARY, WIDTH)
    norm("output_norm.weight")
    narrow = WIDTH * KV_HEADS // HEADS
    for i in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"): norm(f"blk.{i}.{name}.weight")
        for name, rows, columns in (("attn_q", WIDTH, WIDTH), ("attn_k", narrow, WIDTH), ("attn_v", narrow, WIDTH),
                                    ("attn_output", WIDTH, WIDTH), ("ffn_gate", HIDDEN, WIDTH), ("ffn_up", HIDDEN, WIDTH),
                                    ("ffn_down", WIDTH, HIDDEN)):
            matrix(f"blk.{i}.{name}.weight", rows, columns)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def ours(tg, path, length, threads):
    text = "a" * length
    done = subprocess.run([tg, "llm", path, "--prompt", text, "--max-tokens", str(ANSWER), "--temperature", "0"],
                          capture_output=True, text=True, errors="replace", env={**os.environ, "THREADS": str(threads)})
    found = re.search(r"prompt: (\d+) tokens, ([\d.]+) a second; answer: (\d+) tokens, ([\d.]+)", done.stderr)
    if not found: sys.exit(f"tg llm failed:\n{done.stderr}")
    return float(found[2]), float(found[4])


def theirs(path, length, threads):
    done = subprocess.run([sys.executable, "-c", PEER, path, str(length), str(ANSWER), str(threads)], capture_output=True, text=True)
    if done.returncode: return None
    return tuple(map(float, done.stdout.split()))


def summary(samples):
    if not samples: return "-"
    middle = statistics.median(samples)
    spread = (max(samples) - min(samples)) / 2 / middle
    return f"{middle:.1f} ±{spread:.0%}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tg", default="build/release/src/cli/tg", help="the command to measure (default %(default)s)")
    p.add_argument("--kind", default="Q8_0,F16", help="types of the weights, separated by commas (default %(default)s)")
    p.add_argument("--prompt", type=int, default=512, help="tokens of the prompt (default %(default)s)")
    p.add_argument("--threads", type=int, default=2, help="(default %(default)s)")
    p.add_argument("--rounds", type=int, default=3, help="(default %(default)s)")
    args = p.parse_args()
    print("| weights | prompt, tokens/s: ours | llama.cpp | answer, tokens/s: ours | llama.cpp |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in args.kind.split(","):
            path = f"{folder}/{name}.gguf"
            write_model(path, getattr(gguf.GGMLQuantizationType, name))
            ours(args.tg, path, args.prompt, args.threads)
            mine, peer = [], []
            for _ in range(args.rounds):
                mine.append(ours(args.tg, path, args.prompt, args.threads))
                if (sample := theirs(path, args.prompt, args.threads)) is not None: peer.append(sample)
            columns = [summary([s[i] for s in of]) for i in (0, 1) for of in (mine, peer)]
            print(f"| {name} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__": main()
