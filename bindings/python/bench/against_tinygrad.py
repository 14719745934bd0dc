"""Times this package beside tinygrad itself, and single calls beside the same in C++, in one run: an
interpreter for each stays alive, and they take turns, so that all see the same machine. A line a
program: median, least and greatest of the samples of each, and what the first costs against them.

  python3 -m venv /tmp/tinygrad && /tmp/tinygrad/bin/pip install tinygrad==0.14.0
  PYTHONPATH=build/bindings/python python3 bindings/python/bench/against_tinygrad.py \\
      --tinygrad /tmp/tinygrad/bin/python --cpp build/bindings/python/python_calls_bench

The library has to be a Release build. Without one of the options that comparison is left out.
"""
import argparse
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys

from programs import IN_CPP, PROGRAMS, timed

SAMPLES = 9


def work(package):
  """Answers names of programs on stdin with seconds on stdout."""
  module = importlib.import_module(package)
  importlib.import_module(f"{package}.nn")
  ready = {}
  for line in sys.stdin:
    name = line.strip()
    make, ours, theirs = PROGRAMS[name]
    if name not in ready:
      ready[name] = make(package if name == "process" else module)
    print(json.dumps(timed(ready[name], theirs if package == "tinygrad" else ours)), flush=True)


class Worker:
  """A process that times programs; the samples of the current one."""

  def __init__(self, title, *command):
    # Compiled Python files are kept, as in any installation.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    self.title, self.samples = title, []
    self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, env=environment)

  def sample(self, name):
    """One more sample."""
    print(name, file=self.process.stdin, flush=True)
    answer = self.process.stdout.readline()
    if not answer:
      raise SystemExit(f"{self.title} ended: its message stands above")
    self.samples.append(1e6 * json.loads(answer))

  @property
  def median(self):
    return statistics.median(self.samples)

  def __str__(self):
    return f"{self.title} {self.median:.2f} ({min(self.samples):.2f} .. {max(self.samples):.2f})"

  def close(self):
    self.process.stdin.close()
    self.process.wait()


def compare(name, workers, loop):
  """All samples of a program, in turns; the line about it. `loop`: what calling nothing costs."""
  here = [w for w in workers if w.title != "C++" or name in IN_CPP]
  for worker in here:
    worker.samples = []
  for _ in range(SAMPLES):
    for worker in here:
      worker.sample(name)
  parts = [str(w) for w in here]
  for other in here[1:]:
    parts.append(f"{here[0].median - loop - other.median:.2f} beyond C++" if other.title == "C++" else
                 f"{other.median / here[0].median:.0f} times as fast as tinygrad")
  return f"{name}: {', '.join(parts)}"


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("--tinygrad", help="an interpreter that has tinygrad")
  parser.add_argument("--cpp", help="the program that bench/calls.cpp is built to")
  parser.add_argument("programs", nargs="*", help="all, if none is named")
  options = parser.parse_args()
  workers = [Worker("tinygrad_cpp", sys.executable, __file__, "--work", "tinygrad_cpp")]
  if options.tinygrad:
    workers.append(Worker("tinygrad", options.tinygrad, __file__, "--work", "tinygrad"))
  if options.cpp:
    workers.append(Worker("C++", str(pathlib.Path(options.cpp).resolve())))
  print(f"microseconds a call: median (least .. greatest) of {SAMPLES} samples", flush=True)
  print(compare("nothing", workers[:1], 0), flush=True)
  loop = workers[0].median
  for name in options.programs or list(PROGRAMS)[1:]:
    print(compare(name, workers, loop), flush=True)
  for worker in workers:
    worker.close()


if __name__ == "__main__":
  if sys.argv[1:2] == ["--work"]:
    work(sys.argv[2])
  else:
    main()
