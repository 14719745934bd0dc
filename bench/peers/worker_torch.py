"""PyTorch: eager, what a user gets without compiling anything, or all of it through torch.compile where PEER_COMPILE is set. On
the device that PEER_DEVICE names, a processor without. Its networks: torch_networks.py."""
import os
import time

import torch
import torch.nn.functional as F

import torch_networks as networks
import worker

torch.manual_seed(0)
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
device = os.environ.get("PEER_DEVICE", "")
if device: torch.set_default_device(device)
compiled = (lambda f: torch.compile(f, dynamic=False)) if os.environ.get("PEER_COMPILE") else (lambda f: f)


def data(*shape): return torch.rand(shape) * 2 - 1


def over(function, *shapes):
    return on(function, *(data(*shape) for shape in shapes))


def on(function, *inputs):
    function = compiled(function)

    def call():
        with torch.no_grad(): function(*inputs)
    return call


def gemm(kind, n):
    """[n, n] @ [n, n] of the kind of number that ../gpu/shapes.py counts."""
    torch.backends.cuda.matmul.allow_tf32 = kind == 1
    dtype = (torch.float32, torch.float32, torch.float16, torch.bfloat16)[kind]
    return on(torch.matmul, data(n, n).to(dtype), data(n, n).to(dtype))


def product(dtype): return lambda n: on(torch.mm, data(n, n).to(dtype), data(n, n).to(dtype))


def some_bytes(*shape): return torch.randint(-127, 128, shape, dtype=torch.int8)


def product_int8(n): return on(torch._int_mm, some_bytes(n, n), some_bytes(n, n))


def gemv_int8(n): return on(lambda w, scale, x: (w.float() * scale) @ x, some_bytes(n, n), data(n, 1), data(n))


def conv(images, inner, outer, side, kernel, stride, groups):
    return over(lambda x, w: F.conv2d(x, w, stride=stride, padding=kernel // 2, groups=groups), (images, inner, side, side),
                (outer, inner // groups, kernel, kernel))


def conv_transpose(images, inner, outer, side, kernel, stride, padding):
    return over(lambda x, w: F.conv_transpose2d(x, w, stride=stride, padding=padding), (images, inner, side, side),
                (inner, outer, kernel, kernel))


def attention(heads, words, size, causal):
    shape = (1, heads, words, size)
    return over(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=bool(causal)), shape, shape, shape)


def chain(x): return F.relu(x * 2 + 1) * torch.sigmoid(x) + torch.exp(-x * x)


def tiny(n):
    x, add = data(n), compiled(lambda x: x + 1)

    def calls():
        with torch.no_grad():
            for _ in range(100): add(x)
    return calls


def of_images(make, side): return lambda batch: over(make().eval(), (batch, 3, side, side))


def gpt2(tokens):
    net, text = networks.Gpt2(tokens), torch.randint(0, 50257, (tokens,))
    return net, text


def gpt2_prefill(tokens):
    net, text = gpt2(tokens)
    next_word = compiled(net)

    def call():
        with torch.no_grad(): return int(next_word(text))
    return call


def gpt2_step(tokens):
    net, text = gpt2(tokens)
    loss = compiled(net.loss)

    def call():
        net.zero_grad(set_to_none=True)
        loss(text).backward()
    return call


def training(net, images, labels, optimizer):
    net.train()
    loss_of = compiled(lambda x, y: F.cross_entropy(net(x), y))

    def call():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(images, labels)
        loss.backward()
        optimizer.step()
        return loss.item()
    return call


def mnist_step(batch):
    net = networks.mnist()
    return training(net, data(batch, 1, 28, 28), torch.randint(0, 10, (batch,)), torch.optim.Adam(net.parameters(), lr=1e-3))


def resnet18_step(batch):
    net = networks.resnet18()
    return training(net, data(batch, 3, 224, 224), torch.randint(0, 1000, (batch,)),
                    torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9))


def first(make):
    def run(*sizes):
        call = make(*sizes)
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin
    return run


KINDS = {
    "matmul": product(torch.float32), "matmul_f16": product(torch.float16), "matmul_bf16": product(torch.bfloat16),
    "matmul_f64": product(torch.float64), "matmul_i8": product_int8,
    "matmul_batched": lambda n, side: over(torch.bmm, (n, side, side), (n, side, side)),
    "gram": lambda n: over(lambda a: a @ a.T, (n, n)),
    "gemv_i8": gemv_int8,
    "gemv": lambda n: over(torch.mv, (n, n), (n,)),
    "chain": lambda n: over(chain, (n,)),
    "sum": lambda n: over(torch.sum, (n,)),
    "sum_axis": lambda rows, columns, axis: over(lambda x: x.sum(axis), (rows, columns)),
    "softmax": lambda rows, columns: over(lambda x: x.softmax(-1), (rows, columns)),
    "layer_norm": lambda rows, columns: over(lambda x, w, b: F.layer_norm(x, (columns,), w, b), (rows, columns),
                                             (columns,), (columns,)),
    "transpose": lambda rows, columns: over(lambda x: x.t().contiguous(), (rows, columns)),
    "softmax_middle": lambda *shape: over(lambda x: x.softmax(1), shape),
    "cumsum": lambda rows, columns: over(lambda x: x.cumsum(1), (rows, columns)),
    "sort": lambda rows, columns: over(lambda x: x.sort(-1), (rows, columns)),
    "topk": lambda rows, columns, k: over(lambda x: x.topk(k), (rows, columns)),
    "argmax": lambda rows, columns: over(lambda x: x.argmax(1), (rows, columns)),
    "gather": lambda rows, columns, n: on(lambda table, at: table[at], data(rows, columns), torch.randint(0, rows, (n,))),
    "permute": lambda *shape: over(lambda x: x.permute(0, 2, 1, 3).contiguous(), shape),
    "conv": conv, "conv_transpose": conv_transpose, "attention": attention,
    "copy": lambda n: over(torch.clone, (n,)), "gemm": gemm, "tiny": tiny,
    "resnet18": of_images(networks.resnet18, 224), "mobilenet_v2": of_images(networks.mobilenet_v2, 224),
    "vit_s16": of_images(networks.Vit, 224), "unet": of_images(networks.UNet, 128),
    "lstm": lambda batch, width, steps: over(networks.Recurrent(width), (steps, batch, width)),
    "gpt2_prefill": gpt2_prefill, "gpt2_step": gpt2_step, "mnist_step": mnist_step, "mnist_captured": mnist_step,
    "resnet18_step": resnet18_step,
}
ONCE = {
    "trivial": first(lambda n: over(lambda x: x + 1, (n,))),
    "small_kernel": first(lambda n: over(lambda x: x * 3 + x.exp(), (n,))),
    "mnist_first_step": first(mnist_step),
} | {kind: first(KINDS[kind]) for kind in ("resnet18", "mobilenet_v2", "vit_s16", "unet", "gpt2_prefill", "gpt2_step",
                                           "resnet18_step")}

worker.serve(KINDS, ONCE, torch.__version__, finish=torch.cuda.synchronize if device else lambda: None)
