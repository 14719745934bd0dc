#!/usr/bin/env python3
"""Measures functions of tensors, and their gradients, beside PyTorch's: where is one slow that nobody has looked at?

Both compute on one thread in this process, ours captured, PyTorch eagerly. A line has our first call, with the compiler in it,
then the least time of some calls, ours and PyTorch's, of the processor.
Results are compared, too. Needs PyTorch and NumPy, and the package on PYTHONPATH:

    PYTHONPATH=build/release/bindings/python bench/peers/functions.py --dtype bfloat16 --only 'conv|matmul'

    PYTHONPATH=build/release/bindings/python bench/peers/functions.py --random 100 --seed 7

The functions stand in function_rows.py; those made at random, which find cliffs that nobody has listed, in random_rows.py."""
import argparse
import json
import os
import re
import sys
import time

os.environ.setdefault("THREADS", "1")
sys.dont_write_bytecode = True

import numpy as np
import torch
from tinygrad_cpp import Tensor, TinyJit, dtypes

from function_rows import Row, rows
from random_rows import random_rows

DTYPES = {"float32": (dtypes.float32, torch.float32, 2e-3), "float64": (dtypes.float64, torch.float64, 2e-3),
          "float16": (dtypes.float16, torch.float16, 4e-2), "bfloat16": (dtypes.bfloat16, torch.bfloat16, 4e-2)}


def least_seconds(f, most=10, enough=0.5):
    times, begin = [], time.process_time()
    while len(times) < 4 or (len(times) < most and time.process_time() - begin < enough):
        start = time.process_time()
        f()
        times.append(time.process_time() - start)
    return min(times)


def numbers(t):
    return (t.float() if t.dtype in (dtypes.float16, dtypes.bfloat16, torch.float16, torch.bfloat16) else t).detach().numpy() \
        .astype(np.float64)


def difference(ours, theirs, tolerance):
    a, b = numbers(ours), numbers(theirs)
    if a.shape != b.shape: return f"shapes {a.shape} and {b.shape}"
    same = (a == b) | (np.isnan(a) & np.isnan(b))  # infinities, too
    with np.errstate(invalid="ignore"): worst = np.where(same, 0, np.abs(a - b)).max() / (np.abs(b[np.isfinite(b)]).max(initial=0) + 1e-9)
    return None if worst <= tolerance else f"differ by {worst:.1e} of the largest"


class Comparison:
    """One function with its inputs on both sides."""

    def __init__(self, row: Row, dtype: str):
        ours, theirs, self.tolerance = DTYPES[dtype]
        self.row, self.floats = row, [i for i, x in enumerate(row.inputs) if x.dtype == np.float32]
        self.inputs = [Tensor(x).cast(ours).realize() if x.dtype == np.float32 else Tensor(x).realize() for x in row.inputs]
        self.torch_inputs = [torch.tensor(x).to(theirs) if x.dtype == np.float32 else torch.tensor(x) for x in row.inputs]

    def forward(self):
        call = TinyJit(lambda *x: self.row.ours(*x).realize())
        return self.measure(lambda: [call(*self.inputs)], lambda: [self.row.theirs(*self.torch_inputs).contiguous()])

    def gradient(self):
        leaves = [x.clone().requires_grad_(i in self.floats) for i, x in enumerate(self.torch_inputs)]
        result = self.row.theirs(*leaves)
        seed = torch.tensor(np.random.default_rng(1).standard_normal(result.shape).astype(np.float32)).to(result.dtype)
        ours_seed = Tensor(seed.float().numpy()).cast(self.inputs[self.floats[0]].dtype).realize()

        def step(*x):
            y = self.row.ours(*x[:-1])
            grads = (y * x[-1]).sum().gradient(*[x[i] for i in self.floats])
            Tensor.realize(y, *grads)
            return grads

        call = TinyJit(step)
        return self.measure(lambda: call(*self.inputs, ours_seed),
                            lambda: torch.autograd.grad(self.row.theirs(*leaves), [leaves[i] for i in self.floats], seed))

    def measure(self, ours, theirs):
        begin = time.perf_counter()
        got = ours()
        first = time.perf_counter() - begin
        for _ in range(2): got = ours()
        wanted = theirs()
        wrong = next(filter(None, (difference(g, w, self.tolerance) for g, w in zip(got, wanted))), None) if self.row.compared else None
        return first, least_seconds(ours), least_seconds(theirs), wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--dtype", choices=DTYPES, default="float32", help="of inputs that are no integers (default float32)")
    p.add_argument("--only", default="", help="functions whose name matches this regular expression")
    p.add_argument("--random", type=int, metavar="COUNT", help="so many functions made at random instead")
    p.add_argument("--seed", type=int, help="of the random ones (default: the time's, printed)")
    p.add_argument("--worst", type=int, default=20, help="how many of the slowest to print at the end (default 20)")
    p.add_argument("--out", help="a file for the figures, a JSON object a line")
    args = p.parse_args()
    torch.set_num_threads(1)
    done = []
    seed = args.seed if args.seed is not None else int(time.time()) % 100000
    if args.random: print(f"--random {args.random} --seed {seed}")
    for row in random_rows(args.random, seed) if args.random else rows():
        for name, run in ((row.name, Comparison.forward), (row.name + " gradient", Comparison.gradient)):
            if not re.search(args.only, name) or (run is Comparison.gradient and not row.differentiable): continue
            try:
                first, ours, theirs, wrong = run(Comparison(row, args.dtype))
            except (NotImplementedError, RuntimeError) as e:
                if not re.search("not implemented|[Uu]nsupported dtype", str(e)): raise
                print(f"{name}: PyTorch: {str(e).splitlines()[0]}", file=sys.stderr)
                continue
            done.append({"name": name, "first": first, "ours": ours, "torch": theirs, "ratio": ours / theirs, "wrong": wrong})
            print(f"{name:34s} {first:6.2f} s {ours * 1e3:9.3f} ms {theirs * 1e3:9.3f} ms {ours / theirs:7.2f}  {wrong or ''}", flush=True)
    if args.out:
        with open(args.out, "w") as f: f.writelines(json.dumps(d) + "\n" for d in done)
    if not done: sys.exit(f"no function matches {args.only!r}")
    print(f"\nthe slowest beside PyTorch's, {args.dtype}:")
    for d in sorted(done, key=lambda d: -d["ratio"])[:args.worst]: print(f"  {d['ratio']:6.2f}  {d['name']}")
    ratios = [d["ratio"] for d in done]
    print(f"{len(done)} functions and gradients: geometric mean {np.exp(np.mean(np.log(ratios))):.2f} of PyTorch's time, "
          f"{sum(r > 1 for r in ratios)} slower, {sum(d['wrong'] is not None for d in done)} differ")


if __name__ == "__main__": main()
