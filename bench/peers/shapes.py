"""What is measured, in one place: the driver reads this table and tells every worker the kind of work and its sizes, so that
no worker knows a shape of its own. A worker knows kinds (`matmul`, `mnist_step`); what it does not know, its row says."""
from work import Once, Work


def _matmul(n, quick=False): return Work(f"matmul {n}", "matmul", (n,), flop=2.0 * n**3, quick=quick)


RESNET18_FLOP = 3.63e9  # an image of 224x224

WORKS = [
    _matmul(256, quick=True), _matmul(512), _matmul(1024, quick=True), _matmul(2048),
    Work("gemv 4096", "gemv", (4096,), flop=2.0 * 4096**2, bytes=4.0 * 4096**2),
    Work("chain 16Mi", "chain", (16 << 20,), bytes=8.0 * (16 << 20), quick=True),
    Work("sum 64Mi", "sum", (64 << 20,), bytes=4.0 * (64 << 20)),
    Work("sum axis 1 8192x8192", "sum_axis", (8192, 8192, 1), bytes=4.0 * 8192**2),
    Work("sum axis 0 8192x8192", "sum_axis", (8192, 8192, 0), bytes=4.0 * 8192**2),
    Work("softmax 4096x4096", "softmax", (4096, 4096), bytes=8.0 * 4096**2, quick=True),
    Work("layer norm 8192x1024", "layer_norm", (8192, 1024), bytes=8.0 * 8192 * 1024),
    Work("transpose 8192x8192", "transpose", (8192, 8192), bytes=8.0 * 8192**2),
    Work("conv 3x3 16x64x56x56", "conv", (16, 64, 56), flop=2.0 * 16 * 64 * 56 * 56 * 64 * 9, quick=True),
    Work("tiny call 1024", "tiny", (1024,), calls=100, quick=True),
    Work("ResNet-18 batch 1", "resnet18", (1,), flop=RESNET18_FLOP),
    Work("ResNet-18 batch 8", "resnet18", (8,), flop=8 * RESNET18_FLOP),
    Work("GPT-2 prefill 128", "gpt2_prefill", (128,)),
    Work("MNIST step batch 512", "mnist_step", (512,), quick=True),
    Work("MNIST step batch 512, captured", "mnist_captured", (512,), quick=True),
]

ONCE = [
    Once("MNIST compile", "mnist_compile", (512,), "inner", null_device=True, threads=(1,), quick=True),
    Once("MNIST third step, host", "mnist_later_step", (512,), "inner", null_device=True, threads=(1,), quick=True),
    Once("small kernel, cold", "small_kernel", (4096,), "inner"),
    Once("trivial process", "trivial", (1024,), "process", quick=True),
    Once("trivial process, memory", "trivial", (1024,), "memory", quick=True),
    Once("first MNIST step, cold", "mnist_first_step", (512,), "process"),
    Once("MNIST step, memory", "mnist_first_step", (512,), "memory"),
]
