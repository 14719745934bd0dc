"""The worker's side of the protocol, shared by the Python peers. Requests come a line at a time on standard input, answers go
to standard output as one JSON object a line:

    prepare KIND SIZES...   ->  {"first": seconds of the first call}     what was prepared before is dropped
    prepare-many N KIND SIZES...    the same, a call being N of them in a row, captured where the worker can capture
    round SECONDS MOST      ->  {"samples": [seconds, ...]}              calls for about SECONDS, at least 2 and at most MOST

A failure is answered by {"error": "..."}. `worker --once KIND SIZES...` does one thing in a fresh process, answers
{"seconds": ...} and ends. A worker gives `kinds`, functions from sizes to a function that makes one call and returns when its
result is complete, and `once`, functions from sizes to seconds."""
import gc
import json
import sys
import time


def _answer(**fields): print(json.dumps(fields), flush=True)


def _seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _times(n, one, finish):
    def call():
        for _ in range(n): one()
        finish()
    return call


def _round(call, seconds, most):
    samples = []
    while len(samples) < most and (len(samples) < 2 or sum(samples) < seconds): samples.append(_seconds(call))
    return samples


def serve(kinds, once, version, finish=lambda: None):
    """Answers until there are no requests left. `finish` waits for the device."""
    def lookup(table, kind):
        if kind not in table: raise LookupError(f"not part of this comparison: {kind}")
        return table[kind]

    if sys.argv[1:2] == ["--once"]:
        kind, *sizes = sys.argv[2:]
        return _answer(seconds=lookup(once, kind)(*map(int, sizes)))
    _answer(version=version)
    call = None
    for line in sys.stdin:
        verb, *words = line.split()
        try:
            if verb == "prepare":
                call = None
                gc.collect()
                call = _times(1, lookup(kinds, words[0])(*map(int, words[1:])), finish)
                _answer(first=_seconds(call))
            elif verb == "prepare-many":
                call = None
                gc.collect()
                call = _times(int(words[0]), lookup(kinds, words[1])(*map(int, words[2:])), finish)
                _answer(first=_seconds(call))
            elif verb == "round":
                _answer(samples=_round(call, float(words[0]), int(words[1])))
            else:
                raise ValueError(f"unknown request {verb}")
        except Exception as error:  # a peer that fails is a result too
            call = None
            _answer(error=f"{type(error).__name__}: {error}"[:200])
