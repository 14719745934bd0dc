#!/usr/bin/env python3
"""Programs of tinygrad's, word for word, by this package and by tinygrad, each in a process of its own:

    run.py --tinygrad CHECKOUT [--impl both] [--only NAME,NAME] [--timeout S] [--markdown FILE] [--logs FOLDER]

CHECKOUT is a clone of tinygrad. Sizes are small and weights are random (inputs.py), for it is asked whether a program
runs, not what it answers; both packages get the same files. Needs the packages of requirements.txt, and tinygrad_cpp on
PYTHONPATH. A row says: runs (it ended, and printed what the table expects), or the line of its error; and for either
package the seconds of the process, imports and compilation included, by the clock and of the processors (its own and its
compilers'): with an empty cache, and once more with the cache that this left.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import inputs

HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Program:
  """One program: where it is, how it is called, and what it must print."""
  path: str  # in the checkout, or of this folder
  args: list = field(default_factory=list)
  env: dict = field(default_factory=dict)
  sizes: list = field(default_factory=list)  # (text of the program, text of a smaller size)
  files: list = field(default_factory=list)  # functions of inputs.py
  stdin: list = field(default_factory=list)
  modules: list = field(default_factory=list)  # the program's own modules inside tinygrad's package
  prints: str = ""  # a regular expression


LLM = ["tinygrad.llm.model", "tinygrad.llm.serve", "tinygrad.llm.cli"]
SMALL_LLAMA = [("\"dim\": 4096, \"n_heads\": 32, \"n_layers\": 32, \"norm_eps\": 1e-06, \"vocab_size\": 32000, \"hidden_dim\": 11008",
                "\"dim\": 64, \"n_heads\": 4, \"n_layers\": 2, \"norm_eps\": 1e-06, \"vocab_size\": 512, \"hidden_dim\": 128")]

PROGRAMS = {
  "beautiful_mnist": Program("examples/beautiful_mnist.py", env={"STEPS": "20", "BS": "128"}, files=["mnist"], prints="test_accuracy"),
  "beautiful_mnist_multigpu": Program("examples/beautiful_mnist_multigpu.py", env={"STEPS": "20", "BS": "128"}, files=["mnist"],
                                      prints="test_accuracy"),
  "beautiful_cartpole": Program("examples/beautiful_cartpole.py", sizes=[("EPISODES = 40", "EPISODES = 6")],
                                env={"SDL_VIDEODRIVER": "dummy"}, prints="test reward"),
  "beautiful_cifar": Program("examples/beautiful_cifar.py", env={"BS": "50"}, files=["cifar"], prints="eval acc",
                             sizes=[("'train_epochs': 12,", "'train_epochs': 0.3,"), ("'base_depth': 64 ", "'base_depth': 16 "),
                                    ("eval_batchsize = 2500", "eval_batchsize = 50")]),
  "mnist_gan": Program("examples/mnist_gan.py", sizes=[("= 300, 512, 1", "= 10, 64, 1"), ("X_train.shape[0] // batch_size", "2")],
                       files=["mnist"], prints="Training Completed"),
  "stunning_mnist": Program("examples/stunning_mnist.py", env={"STEPS": "3", "BS": "64"}, files=["mnist"], prints="test_accuracy"),
  "hlb_cifar10": Program("examples/hlb_cifar10.py", env={"STEPS": "3", "BS": "50", "EVAL_BS": "50", "EVAL_STEPS": "2"}, files=["cifar"]),
  "gpt2": Program("examples/gpt2.py", ["--model_size", "gpt2", "--count", "8", "--seed", "1"], files=["gpt2"], prints="Generating text",
                  sizes=[("n_layers=12, n_heads=12, dim=768", "n_layers=2, n_heads=4, dim=64")]),
  "llama": Program("examples/llama.py", ["--prompt", "Hello.", "--count", "8", "--model", "{folder}", "--temperature", "0.7"],
                   files=["llama"], sizes=SMALL_LLAMA, prints="Hello."),
  "llama int8": Program("examples/llama.py", ["--prompt", "Hello.", "--count", "8", "--model", "{folder}", "--quantize", "int8"],
                        files=["llama"], sizes=SMALL_LLAMA, prints="Hello."),
  "llama nf4": Program("examples/llama.py", ["--prompt", "Hello.", "--count", "8", "--model", "{folder}", "--quantize", "nf4"],
                       files=["llama"], sizes=SMALL_LLAMA, prints="Hello."),
  "llama sharded": Program("examples/llama.py", ["--prompt", "Hello.", "--count", "8", "--model", "{folder}", "--shard", "2"],
                           files=["llama"], sizes=SMALL_LLAMA, prints="Hello."),
  "llama3": Program("examples/llama3.py", ["--benchmark", "--seed", "1"], files=["llama3"], prints="tok/s",
                    sizes=[("\"dim\": 2048, \"n_heads\": 32, \"n_kv_heads\": 8, \"n_layers\": 16, \"norm_eps\": 1e-5, \"rope_theta\": 500000, "
                            "\"vocab_size\": 128256, \"hidden_dim\": 8192",
                            "\"dim\": 64, \"n_heads\": 4, \"n_kv_heads\": 2, \"n_layers\": 2, \"norm_eps\": 1e-5, \"rope_theta\": 500000, "
                            "\"vocab_size\": 675, \"hidden_dim\": 128")]),
  "mixtral": Program("examples/mixtral.py", ["--count", "6", "--weights", "{folder}"], files=["mixtral"], prints="ram used",
                     sizes=[("n_layers=32, dim=4096, hidden_dim=14336, n_heads=32, n_kv_heads=8, norm_eps=1e-5, vocab_size=32000",
                             "n_layers=2, dim=64, hidden_dim=128, n_heads=4, n_kv_heads=2, norm_eps=1e-5, vocab_size=512")]),
  "whisper": Program("examples/whisper.py", ["{folder}/tone.wav"], files=["whisper_weights"]),
  "stable_diffusion": Program("examples/stable_diffusion.py", ["--fakeweights", "--steps", "1", "--noshow", "--out", "{folder}/out.png"],
                              files=["clip_vocabulary"], prints="saving"),
  "yolov8": Program("examples/yolov8.py", ["{folder}/picture.png"], files=["picture", "yolov8"], prints="did inference"),
  "vit": Program("{here}/vit.py", files=["vit"], prints="logits"),
  "efficientnet": Program("{here}/efficientnet.py", files=["efficientnet"], prints="logits"),
  "transformer": Program("examples/transformer.py", sizes=[("range(10):\n    optim", "range(2):\n    optim"), (", 50, BS", ", 10, BS")],
                         prints="test set accuracy"),
  "mamba": Program("examples/mamba.py", ["--size", "130m", "--n_tokens", "5"], files=["mamba"], prints="TIME",
                   sizes=[("\"130m\": {\"dim\":  768, \"n_layers\": 24, \"vocab_size\": 50277",
                           "\"130m\": {\"dim\":  64, \"n_layers\": 2, \"vocab_size\": 512")]),
  "bert": Program("test/models/test_bert.py", prints="OK"),
  "train_gpt2": Program("examples/llm.c/train_gpt2.py", ["--num_iterations", "4"], files=["shakespeare"], prints="iteration 3",
                        sizes=[("n_layer=12, n_head=12, n_embd=768", "n_layer=2, n_head=4, n_embd=64")]),
  "llm --benchmark": Program("tinygrad/llm/cli.py", ["--model", "{folder}/model.gguf", "--benchmark", "5", "--max_context", "128"],
                             files=["llama3"], modules=LLM, prints="tok/s"),
  "llm chat": Program("tinygrad/llm/cli.py", ["--model", "{folder}/model.gguf", "--max_context", "64"], files=["qwen3"], modules=LLM,
                         stdin=["Hello there."], prints=">>>"),
}


def prepared(name, program, work, options):
  """The folder of a program's files, written once, and what its downloads find."""
  folder = os.path.join(work, re.sub(r"\W+", "_", name))
  os.makedirs(folder, exist_ok=True)
  files = {}
  for function in program.files:
    given = [options.datasets] if function == "mnist" else [options.tinygrad] if function in ("yolov8", "efficientnet") else []
    files |= getattr(inputs, function)(folder, *given)
  return folder, files


@dataclass
class Time:
  """Seconds of one process with those that it started: by the clock, and of all processors."""
  wall: float
  cpu: float

  def __str__(self):
    return f"{self.wall:.1f} ({self.cpu:.1f})"


def cpu_seconds():
  """Of all processes that this one has started and waited for, and theirs."""
  used = resource.getrusage(resource.RUSAGE_CHILDREN)
  return used.ru_utime + used.ru_stime


def run(program, impl, folder, files, options, is_warm):
  """(how it ended, its Time), with the cache that the run before left, or an empty one."""
  spec = {"impl": impl, "root": options.tinygrad, "sizes": program.sizes, "files": files, "stdin": program.stdin, "modules": program.modules,
          "path": program.path.format(here=HERE), "args": [a.format(folder=folder) for a in program.args]}
  cwd = os.path.join(folder, impl)
  os.makedirs(cwd, exist_ok=True)
  if not is_warm:
    shutil.rmtree(os.path.join(cwd, "cache"), ignore_errors=True)
  for name in os.listdir(folder):
    if name not in ("ours", "tinygrad") and not os.path.lexists(os.path.join(cwd, name)):
      os.symlink(os.path.join(folder, name), os.path.join(cwd, name))
  with open(os.path.join(cwd, "spec.json"), "w", encoding="utf-8") as file:
    json.dump(spec, file)
  # tinygrad's own compiler of the CPU wants a clang that knows half floats.
  env = {**os.environ, "DEV": "CPU", **({"CC": options.clang} if impl == "tinygrad" else {}), "XDG_CACHE_HOME": os.path.join(cwd, "cache"), "HF_HUB_OFFLINE": "1",
         "TRANSFORMERS_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1", **program.env}
  start, used = time.perf_counter(), cpu_seconds()
  try:
    done = subprocess.run([sys.executable, os.path.join(HERE, "one.py"), "spec.json"], cwd=cwd, env=env, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=options.timeout)
    output, code = done.stdout, done.returncode
  except subprocess.TimeoutExpired as error:
    output, code = (error.stdout or b"").decode(errors="replace"), None
  seconds = Time(time.perf_counter() - start, cpu_seconds() - used)
  if options.logs:
    with open(os.path.join(options.logs, f"{os.path.basename(folder)}.{impl}.txt"), "w", encoding="utf-8") as file:
      file.write(output)
  if code is None:
    return f"more than {options.timeout} s", seconds
  if code:
    lines = [line for line in output.strip().splitlines() if line.strip()]
    return (lines[-1] if lines else f"exit status {code}")[:160], seconds
  if not re.search(program.prints, output):
    return f"does not print {program.prints!r}", seconds
  return "runs", seconds


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
  parser.add_argument("--tinygrad", required=True, help="a clone of tinygrad")
  parser.add_argument("--impl", choices=("ours", "tinygrad", "both"), default="both")
  parser.add_argument("--only", default="", help="names, commas between them")
  parser.add_argument("--timeout", type=int, default=600, help="seconds a program")
  parser.add_argument("--datasets", default=os.path.join(HERE, *[".."] * 4, "shared", "datasets"), help="the folder with mnist")
  parser.add_argument("--clang", default="clang-19", help="the C compiler of tinygrad's CPU")
  parser.add_argument("--work", help="a folder for files, kept (else a temporary one)")
  parser.add_argument("--logs", help="a folder for what programs print")
  parser.add_argument("--markdown", help="a file for the table")
  options = parser.parse_args()
  options.tinygrad = os.path.abspath(options.tinygrad)
  names = options.only.split(",") if options.only else list(PROGRAMS)
  if unknown := [name for name in names if name not in PROGRAMS]:
    parser.error(f"no program {unknown[0]!r}; there are {', '.join(PROGRAMS)}")
  if options.logs:
    os.makedirs(options.logs, exist_ok=True)
  impls = ("ours", "tinygrad") if options.impl == "both" else (options.impl,)
  rows = ["| program | " + " | ".join(f"{impl} | first, s (CPU) | again, s (CPU)" for impl in impls) + " |",
          "| --- |" + " --- | --- | --- |" * len(impls)]
  with tempfile.TemporaryDirectory() as temporary:
    for name in names:
      work = os.path.abspath(options.work or temporary)
      folder, files = prepared(name, PROGRAMS[name], work, options)
      cells = []
      for impl in impls:
        result, first = run(PROGRAMS[name], impl, folder, files, options, is_warm=False)
        again = run(PROGRAMS[name], impl, folder, files, options, is_warm=True)[1] if result == "runs" else "-"
        cells += [result.replace("|", "\\|"), str(first), str(again)]
      rows.append(f"| {name} | {' | '.join(cells)} |")
      print(rows[-1], flush=True)
  if options.markdown:
    with open(options.markdown, "w", encoding="utf-8") as file:
      file.write("\n".join(rows) + "\n")


if __name__ == "__main__":
  main()
