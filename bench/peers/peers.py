"""The systems that are compared: how each is started with a number of threads, and why one is left out. Ours is the first. The
others come from PyPI, into an environment of their own in the build folder."""
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = ("tinygrad==0.14.0", "torch", "numpy")
# What a caller's shell may set that would change a peer.
NEUTRAL = ("DEV", "THREADS", "DEBUG", "BEAM", "CC", "CHECK", "NOOPT", "JIT", "PYTHONPATH", "TG_CACHE", "CACHEDB", "PARALLEL",
           "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PEER_COMPILE")


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
    """Why `python` cannot import the module; empty if it can."""
    try:
        done = subprocess.run([python, "-c", f"import {module}"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else f"{python} has no {module}; bench/peers/run installs it where there is a network"


def _interpreter(folder, install):
    """That of the environment; what is not in it yet is installed, which takes minutes (PyTorch is some gigabytes)."""
    python = folder / "bin/python"
    if install:
        print(f"installing {', '.join(PACKAGES)} into {folder}", file=sys.stderr, flush=True)
        for step in ([sys.executable, "-m", "venv", folder],
                     [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PACKAGES]):
            if subprocess.run(step, stdout=sys.stderr).returncode != 0: break  # a peer that is missing then has a line that says so
    return str(python)


def find_peers(build, install):
    """All peers, present or not, ours first. `install`: fetch from PyPI what the build folder does not have yet."""
    blas = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    # An allocator that keeps its pages, threads that do not spin while BLAS wants their core.
    tuned = {"OMP_WAIT_POLICY": "passive",
             "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4294967296:"
                               "glibc.malloc.trim_threshold=17179869184"}
    python = _interpreter(build / "peers-venv", install)
    no_torch, no_numpy, no_tinygrad = (_imports(python, m) for m in ("torch", "numpy", "tinygrad"))
    script = lambda name: str(HERE / f"worker_{name}.py")
    # PARALLEL=0: compile in this process, as one thread does; the null device names no renderer of its own.
    null = {"DEV": "NULL", "PARALLEL": "0", "CACHELEVEL": "0"}
    tinygrad = lambda name, dev, null=None: Peer(name, [python, script("tinygrad")], {"DEV": dev}, ("NUM_CPU_THREADS",),
                                                 null=null, missing=no_tinygrad)
    return [
        _ours(build),
        tinygrad("tinygrad", "CPU", null),
        tinygrad("tinygrad-llvm", "CPU:LLVM"),
        Peer("torch", [python, script("torch")], {}, blas, missing=no_torch),
        Peer("torch-tuned", [python, script("torch")], tuned, blas, missing=no_torch),
        Peer("torch-compile", [python, script("torch")], tuned | {"PEER_COMPILE": "1"}, blas, missing=no_torch),
        Peer("numpy", [python, script("numpy")], {}, blas, missing=no_numpy),
    ]
