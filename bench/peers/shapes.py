"""What is measured, in one place: the driver reads this table and tells every worker the kind of work and its sizes, so that
no worker knows a shape of its own. A worker knows kinds (`matmul`, `mnist_step`); what it does not know, its row says."""
from work import Once, Work


def _matmul(n, kind="matmul", name="", quick=False):
    return Work(f"matmul {n}{name}", kind, (n,), flop=2.0 * n**3, quick=quick)


def _conv(name, images, inner, outer, side, kernel, stride=1, groups=1, quick=False):
    there = (side // stride)**2
    return Work(f"conv {name}", "conv", (images, inner, outer, side, kernel, stride, groups), quick=quick,
                flop=2.0 * images * outer * there * inner // groups * kernel**2)


def _attention(name, heads, words, size, causal):
    """Four operations for each pair of words and element of a head; half of the pairs where words see those before them alone."""
    return Work(f"attention {name}", "attention", (heads, words, size, int(causal)),
                flop=4.0 * heads * words**2 * size / (2 if causal else 1))


RESNET18_FLOP, MOBILENET_FLOP, VIT_FLOP = 3.63e9, 0.60e9, 9.2e9  # an image of 224x224

WORKS = [
    _matmul(256, quick=True), _matmul(512), _matmul(1024, quick=True), _matmul(2048),
    _matmul(1024, "matmul_f16", " float16"), _matmul(1024, "matmul_bf16", " bfloat16"), _matmul(1024, "matmul_f64", " float64"),
    _matmul(1024, "matmul_i8", " int8 to int32"),
    Work("matmul 4096 times 17", "matmul_batched", (4096, 17), flop=2.0 * 4096 * 17**3),
    Work("A times its transpose 1024", "gram", (1024,), flop=2.0 * 1024**3),
    Work("gemv 4096", "gemv", (4096,), flop=2.0 * 4096**2, bytes=4.0 * 4096**2),
    Work("gemv 4096, weight int8", "gemv_i8", (4096,), flop=2.0 * 4096**2, bytes=1.0 * 4096**2),
    Work("chain 16Mi", "chain", (16 << 20,), bytes=8.0 * (16 << 20), quick=True),
    Work("sum 64Mi", "sum", (64 << 20,), bytes=4.0 * (64 << 20)),
    Work("sum axis 1 8192x8192", "sum_axis", (8192, 8192, 1), bytes=4.0 * 8192**2),
    Work("sum axis 0 8192x8192", "sum_axis", (8192, 8192, 0), bytes=4.0 * 8192**2),
    Work("argmax 4096x4096", "argmax", (4096, 4096), bytes=4.0 * 4096**2),
    Work("softmax 4096x4096", "softmax", (4096, 4096), bytes=8.0 * 4096**2, quick=True),
    Work("softmax over the middle axis 64x512x512", "softmax_middle", (64, 512, 512), bytes=8.0 * 64 * 512**2),
    Work("layer norm 8192x1024", "layer_norm", (8192, 1024), bytes=8.0 * 8192 * 1024),
    Work("cumsum 64x100003", "cumsum", (64, 100003), bytes=8.0 * 64 * 100003),
    Work("sort 64x4096", "sort", (64, 4096)),
    Work("topk 10 of 64x50257", "topk", (64, 50257, 10), bytes=4.0 * 64 * 50257),
    Work("transpose 8192x8192", "transpose", (8192, 8192), bytes=8.0 * 8192**2),
    Work("permute 16x512x12x64", "permute", (16, 512, 12, 64), bytes=8.0 * 16 * 512 * 12 * 64),
    Work("gather 65536 rows of 50257x768", "gather", (50257, 768, 65536), bytes=8.0 * 65536 * 768),
    _conv("3x3 16x64x56x56", 16, 64, 64, 56, 3, quick=True),
    _conv("1x1 16x256x28x28", 16, 256, 256, 28, 1),
    _conv("5x5 stride 2 16x64x56x56", 16, 64, 128, 56, 5, stride=2),
    _conv("depthwise 7x7 16x96x56x56", 16, 96, 96, 56, 7, groups=96),
    Work("transposed conv 4x4 stride 2 16x128x32x32", "conv_transpose", (16, 128, 64, 32, 4, 2, 1),
         flop=2.0 * 16 * 128 * 64 * 32**2 * 16),
    _attention("12x1024x64", 12, 1024, 64, False), _attention("causal 32x2048x128", 32, 2048, 128, True),
    Work("tiny call 1024", "tiny", (1024,), calls=100, quick=True),
    Work("ResNet-18 batch 1", "resnet18", (1,), flop=RESNET18_FLOP),
    Work("ResNet-18 batch 8", "resnet18", (8,), flop=8 * RESNET18_FLOP),
    Work("MobileNet-v2 batch 4", "mobilenet_v2", (4,), flop=4 * MOBILENET_FLOP),
    Work("ViT-S/16 batch 4", "vit_s16", (4,), flop=4 * VIT_FLOP),
    Work("U-Net batch 2", "unet", (2,)),
    Work("GPT-2 prefill 128", "gpt2_prefill", (128,)),
    Work("LSTM 200 steps", "lstm", (16, 256, 200), flop=2.0 * 200 * 16 * 8 * 256**2),
    Work("MNIST step batch 512", "mnist_step", (512,), quick=True),
    Work("MNIST step batch 512, captured", "mnist_captured", (512,), quick=True),
    Work("GPT-2 gradients of 128 words, captured", "gpt2_step", (128,)),
    Work("ResNet-18 step batch 8, captured", "resnet18_step", (8,)),
]


def _memory(name, kind, *sizes): return Once(f"{name}, memory", kind, sizes, "memory")


ONCE = [
    Once("MNIST compile", "mnist_compile", (512,), "inner", null_device=True, threads=(1,), quick=True),
    Once("MNIST third step, host", "mnist_later_step", (512,), "inner", null_device=True, threads=(1,), quick=True),
    Once("small kernel, cold", "small_kernel", (4096,), "inner"),
    Once("trivial process", "trivial", (1024,), "process", quick=True),
    Once("trivial process, memory", "trivial", (1024,), "memory", quick=True),
    Once("first MNIST step, cold", "mnist_first_step", (512,), "process"),
    Once("MNIST step, memory", "mnist_first_step", (512,), "memory"),
    _memory("ResNet-18 batch 8", "resnet18", 8), _memory("MobileNet-v2 batch 4", "mobilenet_v2", 4),
    _memory("ViT-S/16 batch 4", "vit_s16", 4), _memory("U-Net batch 2", "unet", 2),
    _memory("GPT-2 prefill 128", "gpt2_prefill", 128), _memory("GPT-2 gradients of 128 words", "gpt2_step", 128),
    _memory("ResNet-18 step batch 8", "resnet18_step", 8),
]
