"""The systems that are compared: how each is started with a number of threads, and why one is left out. Ours is the first."""
import os
import pathlib
import subprocess
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TINYGRAD = "0.14.0"
# Debian's interpreter: the one that python3-torch and python3-numpy belong to.
PYTHON = "/usr/bin/python3"
# What a caller's shell may set that would change a peer.
NEUTRAL = ("DEV", "THREADS", "DEBUG", "BEAM", "CC", "CHECK", "NOOPT", "JIT", "PYTHONPATH", "TG_CACHE", "CACHEDB", "PARALLEL")


@dataclass
class Peer:
    name: str
    command: list
    settings: dict  # environment, beside the threads
    threads: tuple  # variables that say how many
    null: dict | None = None  # environment that runs nothing on a device, for compile times
    missing: str = ""  # why it is not here; empty: it is

    def environment(self, threads, cache, null=False):
        env = {k: v for k, v in os.environ.items() if k not in NEUTRAL} | self.settings
        env |= {name: str(threads) for name in self.threads}
        env |= {"TG_CACHE": str(cache / "ours"), "CACHEDB": str(cache / "tinygrad.db"), "PYTHONDONTWRITEBYTECODE": "1"}
        return env | (self.null or {}) if null else env


def _ours(build):
    worker = build / "bench/peers/peer_worker"
    missing = "" if worker.exists() else f"not built: cmake --build {build} --target peer_worker"
    return Peer("ours", [str(worker)], {"CHECK": "0"}, ("THREADS",), null={"DEV": "NULL"}, missing=missing)


def _imports(python, module):
    try:
        done = subprocess.run([python, "-c", f"import {module}"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else f"{python} has no {module}"


def _tinygrad(folder, install):
    """The interpreter of a virtual environment with the pinned tinygrad, and why there is none."""
    python = folder / "bin/python"
    version = f"import importlib.metadata as m; assert m.version('tinygrad') == '{TINYGRAD}'"
    there = python.exists() and subprocess.run([python, "-c", version], capture_output=True).returncode == 0
    if not there and not install: return python, f"tinygrad {TINYGRAD} is not installed in {folder}"
    if not there:
        for step in ([PYTHON, "-m", "venv", "--system-site-packages", folder],
                     [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"tinygrad=={TINYGRAD}"]):
            try:
                done = subprocess.run(step, capture_output=True, text=True)
            except OSError as error:
                return python, str(error)
            if done.returncode != 0: return python, f"could not install tinygrad {TINYGRAD}: {done.stderr.strip()[-200:]}"
    return python, ""


def find_peers(build, install):
    """All peers, present or not, ours first. `install`: fetch tinygrad from PyPI if it is not in the build folder yet."""
    blas = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    # An allocator that keeps its pages, threads that do not spin while BLAS wants their core.
    tuned = {"OMP_WAIT_POLICY": "passive",
             "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4294967296:"
                               "glibc.malloc.trim_threshold=17179869184"}
    no_torch, no_numpy = _imports(PYTHON, "torch"), _imports(PYTHON, "numpy")
    python, no_tinygrad = _tinygrad(build / "peers-venv", install)
    script = lambda name: str(HERE / f"worker_{name}.py")
    # PARALLEL=0: compile in this process, as one thread does; the null device names no renderer of its own.
    null = {"DEV": "NULL", "PARALLEL": "0", "CACHELEVEL": "0"}
    tinygrad = lambda name, dev, null=None: Peer(name, [str(python), script("tinygrad")], {"DEV": dev}, ("NUM_CPU_THREADS",),
                                                 null=null, missing=no_tinygrad)
    return [
        _ours(build),
        tinygrad("tinygrad", "CPU", null),
        tinygrad("tinygrad-llvm", "CPU:LLVM"),
        Peer("torch", [PYTHON, script("torch")], {}, blas, missing=no_torch),
        Peer("torch-tuned", [PYTHON, script("torch")], tuned, blas, missing=no_torch),
        Peer("numpy", [PYTHON, script("numpy")], {}, blas, missing=no_numpy),
    ]
