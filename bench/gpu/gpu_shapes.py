"""What bench/gpu/run measures, in one place. Kinds of numbers are counted, for workers are told numbers alone."""
from dataclasses import replace

from work import Work

NUMBERS = ("float32", "tf32", "float16", "bfloat16")


def gemm(kind, n, calls):
    return Work(f"product {NUMBERS[kind]} {n}", "gemm", (kind, n), flop=2.0 * n**3, calls=calls, queued=True,
                quick=n == 1024)


def stream(name, kind, sizes, bytes):
    return Work(name, kind, sizes, bytes=bytes, calls=20, queued=True)


COPY = replace(stream("copy 256Mi", "copy", (256 << 20,), 8.0 * (256 << 20)), quick=True)

WORKS = [
    replace(gemm(0, 128, 20), name="small product float32 128", quick=True),
    COPY,
    *(gemm(kind, n, calls) for kind in range(len(NUMBERS)) for n, calls in ((1024, 50), (2048, 20), (4096, 10), (8192, 4))),
    stream("chain 64Mi", "chain", (64 << 20,), 8.0 * (64 << 20)),
    stream("sum 256Mi", "sum", (256 << 20,), 4.0 * (256 << 20)),
    stream("sum axis 1 16384x16384", "sum_axis", (16384, 16384, 1), 4.0 * 16384**2),
    stream("sum axis 0 16384x16384", "sum_axis", (16384, 16384, 0), 4.0 * 16384**2),
    stream("softmax 16384x4096", "softmax", (16384, 4096), 8.0 * 16384 * 4096),
    stream("layer norm 65536x1024", "layer_norm", (65536, 1024), 8.0 * 65536 * 1024),
    stream("transpose 16384x16384", "transpose", (16384, 16384), 8.0 * 16384**2),
    Work("launch, replayed", "chain", (1024,), calls=1000, queued=True, quick=True),
    Work("launch, graph built again", "tiny", (1024,), calls=100, quick=True),
    Work("MNIST step batch 512, captured", "mnist_captured", (512,), quick=True),
    Work("GPT-2 124M forward and backward, 1024 words", "gpt2_step", (1024,)),
]

# Operations a second of the data sheets, dense, in the order of NUMBERS; the first name that the device's name contains counts.
PEAKS = {"H100": (67e12, 495e12, 989e12, 989e12), "H200": (67e12, 495e12, 989e12, 989e12),
         "A100": (19.5e12, 156e12, 312e12, 312e12), "L4": (30e12, 60e12, 121e12, 121e12), "T4": (8.1e12, None, 65e12, None)}
