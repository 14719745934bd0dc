"""The driver's side of a comparison: workers that keep their inputs, rounds in turn, rows of figures. What is measured and who
takes part is said by those who use it: run, ../gpu/run."""
import itertools
import json
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time

import table
from peers import ROOT

LIMIT = 900  # seconds that a worker may take for one answer


class Worker:
    """A running peer."""

    def __init__(self, peer, threads, cache):
        self.process = subprocess.Popen(peer.command, env=peer.environment(threads, cache), text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.version = self._answer().get("version", "")

    def _answer(self):
        deadline = time.monotonic() + LIMIT
        while select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            line = self.process.stdout.readline()
            if not line: return {"error": f"the worker ended with status {self.process.wait()}"}
            if line.startswith("{"): return json.loads(line)
        self.close()
        return {"error": f"no answer within {LIMIT} s"}

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            return {"error": "the worker has ended"}
        return self._answer()

    def close(self):
        self.process.kill()
        self.process.wait()


def row(peer, threads, work, unit="s", **fields):
    return {"work": work, "peer": peer.name, "threads": threads, "unit": unit} | fields


def measure_work(work, workers, threads, args):
    """Prepares everywhere, then rounds in turn; a row for each peer."""
    first, failed, samples = {}, {}, {peer.name: [] for peer, _ in workers}
    for peer, worker in workers:
        verb = ("prepare-many", work.calls) if work.queued else ("prepare",)
        answer = worker.ask(*verb, work.kind, *work.sizes)
        (failed if "error" in answer else first)[peer.name] = answer
    print(f"{work.name}, {threads} threads: measuring", file=sys.stderr, flush=True)
    for _ in range(args.rounds):
        for peer, worker in workers:
            if peer.name in failed: continue
            answer = worker.ask("round", args.seconds, args.most)
            if "error" in answer: failed[peer.name] = answer
            else: samples[peer.name] += [s / work.calls for s in answer["samples"]]
    for peer, worker in workers:
        if peer.name in failed:
            yield row(peer, threads, work.name, error=failed[peer.name]["error"], version=worker.version)
            continue
        figures = table.summary(samples[peer.name])
        if work.flop: figures["gflops"] = work.flop / figures["median"] * 1e-9
        if work.bytes: figures["gbytes"] = work.bytes / figures["median"] * 1e-9
        yield row(peer, threads, work.name, **figures, first=first[peer.name]["first"], version=worker.version)


def one_process(peer, job, threads):
    """One sample of each kind of figure from a fresh process with empty caches: (inner, process, memory) or an error."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryFile("w+") as out:
        command = [*peer.command, "--once", job.kind, *map(str, job.sizes)]
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL,
                                   env=peer.environment(threads, pathlib.Path(cache), job.null_device))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - begin
        out.seek(0)
        answers = [json.loads(line) for line in out if line.startswith("{")]
    if process.returncode != 0 or not answers: return None
    return {"inner": answers[-1]["seconds"], "process": seconds, "memory": usage.ru_maxrss / 1024}


def measure_once(jobs, peers, threads, args):
    """Rows of works that share their processes: same kind, different figures."""
    print(f"{jobs[0].kind}, {threads} threads: fresh processes", file=sys.stderr, flush=True)
    samples = {peer.name: [] for peer in peers}
    for _ in range(args.rounds):
        for peer in peers:
            if not (jobs[0].null_device and peer.null is None): samples[peer.name].append(one_process(peer, jobs[0], threads))
    for job in jobs:
        for peer in peers:
            good = [s[job.what] for s in samples[peer.name] if s]
            unit = "MB" if job.what == "memory" else "s"
            if good: yield row(peer, threads, job.name, unit, **table.summary(good))
            else: yield row(peer, threads, job.name, unit, error=table.OUTSIDE)


def measure(threads, peers, cache, args, works, once):
    """All rows of one number of threads."""
    wanted = lambda w: (w.quick or not args.quick) and re.search(args.only, w.name)
    works = list(filter(wanted, works))
    if works:
        workers = [(peer, Worker(peer, threads, cache)) for peer in peers]
        try:
            for work in works: yield from measure_work(work, workers, threads, args)
        finally:
            for _, worker in workers: worker.close()
    by_kind = {}
    for job in filter(wanted, once):
        if not job.threads or threads in job.threads: by_kind.setdefault(job.kind, []).append(job)
    for jobs in by_kind.values(): yield from measure_once(jobs, peers, threads, args)


def add_arguments(p):
    """What every comparison can be told."""
    p.add_argument("--only", default="", metavar="REGEX", help="only work whose name matches")
    p.add_argument("--peers", default="", metavar="NAMES", help="only these, separated by commas; ours is always there")
    p.add_argument("--rounds", type=int, default=5, help="turns that each peer gets (default 5)")
    p.add_argument("--seconds", type=float, default=0.5, help="seconds of calls in a turn, at least two calls (default 0.5)")
    p.add_argument("--most", type=int, default=50, help="most calls in a turn (default 50)")
    p.add_argument("--quick", action="store_true", help="a part of the work, 3 shorter turns")
    p.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (default build/release)")
    p.add_argument("--out", type=pathlib.Path, help="JSON lines (default in the build folder)")


def parse(p, out):
    """The arguments; `out` is the name of the file in the build folder that figures go to unless another is named."""
    args = p.parse_args()
    if args.quick: args.rounds, args.seconds = min(args.rounds, 3), min(args.seconds, 0.2)
    args.build = args.build.resolve()
    args.out = args.out or args.build / out
    return args


def compare(peers, args, threads, works, once=()):
    """Measures with each number of threads; the rows, the peers that took part, and the exit status. Figures are in the file
    as soon as they are known. Ends the process if a peer that was asked for, or ours, is not there."""
    names = ["ours"] + [n for n in args.peers.split(",") if n and n != "ours"]
    unknown = set(names) - {p.name for p in peers}
    if unknown: sys.exit(f"run: no peer is called {', '.join(sorted(unknown))}; there are {', '.join(p.name for p in peers)}")
    if args.peers: peers = [p for p in peers if p.name in names]
    if peers[0].missing: sys.exit(f"run: {peers[0].missing}")
    rows, present, status = [], [p for p in peers if not p.missing], 0
    with tempfile.TemporaryDirectory() as cache, open(args.out, "w") as out:
        try:
            for n in threads:
                absent = (row(p, n, "–", error=p.missing, absent=True) for p in peers if p.missing)
                for r in itertools.chain(absent, measure(n, present, pathlib.Path(cache), args, works, once)):
                    rows.append(r)
                    print(json.dumps(r), file=out, flush=True)
        except KeyboardInterrupt:  # what was measured is worth showing
            status = 130
    return rows, [p.name for p in peers], status
