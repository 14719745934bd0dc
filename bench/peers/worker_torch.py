"""PyTorch, eager: what a user gets without compiling anything. On the device that PEER_DEVICE names, a processor without."""
import os
import time

import torch
import torch.nn.functional as F
from torch import nn

import worker

torch.manual_seed(0)
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
device = os.environ.get("PEER_DEVICE", "")
if device: torch.set_default_device(device)


def data(*shape): return torch.rand(shape) * 2 - 1


def over(function, *shapes):
    inputs = [data(*shape) for shape in shapes]

    def call():
        with torch.no_grad(): function(*inputs)
    return call


def gemm(kind, n):
    """[n, n] @ [n, n] of the kind of number that ../gpu/shapes.py counts."""
    torch.backends.cuda.matmul.allow_tf32 = kind == 1
    dtype = (torch.float32, torch.float32, torch.float16, torch.bfloat16)[kind]
    a, b = data(n, n).to(dtype), data(n, n).to(dtype)

    def call():
        with torch.no_grad(): a @ b
    return call


def chain(x): return F.relu(x * 2 + 1) * torch.sigmoid(x) + torch.exp(-x * x)


def tiny(n):
    x = data(n)

    def calls():
        with torch.no_grad():
            for _ in range(100): x + 1
    return calls


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer), nn.ReLU(),
                                  nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer))
        same = stride == 1 and inner == outer
        self.side = nn.Identity() if same else nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False),
                                                             nn.BatchNorm2d(outer))

    def forward(self, x): return F.relu(self.main(x) + self.side(x))


def resnet18(batch):
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inner = 64
    for outer, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Residual(inner, outer, stride), Residual(outer, outer, 1)]
        inner = outer
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)).eval()
    return over(net, (batch, 3, 224, 224))


class Attention(nn.Module):
    """One block of GPT-2: 768 wide, 12 heads."""

    def __init__(self, width=768, heads=12):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        n, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, 3, self.heads, width // self.heads).permute(1, 2, 0, 3)
        weights = (q @ k.transpose(1, 2) * (width // self.heads)**-0.5 + mask).softmax(-1)
        x = x + self.out((weights @ v).permute(1, 0, 2).reshape(n, width))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


def gpt2_step(tokens, width=768, words=50257):
    embed, places = (torch.nn.Parameter(torch.randn(n, width) * 0.02) for n in (words, 1024))
    blocks, last = nn.ModuleList(Attention() for _ in range(12)), nn.LayerNorm(width)
    parameters = [embed, places, *blocks.parameters(), *last.parameters()]
    text = torch.randint(0, words, (tokens,))
    mask = torch.full((tokens, tokens), float("-inf")).triu(1)

    def call():
        for p in parameters: p.grad = None
        x = embed[text] + places[:tokens]
        for block in blocks: x = block(x, mask)
        F.cross_entropy(last(x[:-1]) @ embed.T, text[1:]).backward()
    return call


def gpt2_prefill(tokens, width=768, words=50257):
    embed, places = torch.randn(words, width) * 0.02, torch.randn(1024, width) * 0.02
    blocks, last = [Attention() for _ in range(12)], nn.LayerNorm(width)
    text = torch.randint(0, words, (tokens,))
    mask = torch.full((tokens, tokens), float("-inf")).triu(1)

    def call():
        with torch.no_grad():
            x = embed[text] + places[:tokens]
            for block in blocks: x = block(x, mask)
            return int((last(x[-1:]) @ embed.T).argmax())
    return call


def mnist_step(batch):
    net = nn.Sequential(nn.Conv2d(1, 32, 5), nn.ReLU(), nn.Conv2d(32, 32, 5), nn.ReLU(), nn.BatchNorm2d(32), nn.MaxPool2d(2),
                        nn.Conv2d(32, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(), nn.BatchNorm2d(64), nn.MaxPool2d(2),
                        nn.Flatten(), nn.Linear(576, 10)).train()
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    images, labels = data(batch, 1, 28, 28), torch.randint(0, 10, (batch,))

    def call():
        adam.zero_grad(set_to_none=True)
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        adam.step()
        return loss.item()
    return call


def first(make):
    def run(*sizes):
        call = make(*sizes)
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin
    return run


KINDS = {
    "matmul": lambda n: over(torch.mm, (n, n), (n, n)),
    "gemv": lambda n: over(torch.mv, (n, n), (n,)),
    "chain": lambda n: over(chain, (n,)),
    "sum": lambda n: over(torch.sum, (n,)),
    "sum_axis": lambda rows, columns, axis: over(lambda x: x.sum(axis), (rows, columns)),
    "softmax": lambda rows, columns: over(lambda x: x.softmax(-1), (rows, columns)),
    "layer_norm": lambda rows, columns: over(lambda x, w, b: F.layer_norm(x, (columns,), w, b), (rows, columns),
                                             (columns,), (columns,)),
    "transpose": lambda rows, columns: over(lambda x: x.t().contiguous(), (rows, columns)),
    "conv": lambda batch, channels, side: over(lambda x, w: F.conv2d(x, w, padding=1), (batch, channels, side, side),
                                               (channels, channels, 3, 3)),
    "tiny": tiny, "resnet18": resnet18, "gpt2_prefill": gpt2_prefill, "gpt2_step": gpt2_step,
    "gemm": gemm, "copy": lambda n: over(torch.clone, (n,)), "mnist_step": mnist_step,
    "mnist_captured": mnist_step,
}
ONCE = {
    "trivial": first(lambda n: over(lambda x: x + 1, (n,))),
    "small_kernel": first(lambda n: over(lambda x: x * 3 + x.exp(), (n,))),
    "mnist_first_step": first(mnist_step),
}

worker.serve(KINDS, ONCE, torch.__version__, finish=torch.cuda.synchronize if device else lambda: None)
