"""tinygrad: every call captured by TinyJit and waited for. The driver chooses device and renderer through DEV."""
import time

from tinygrad import Device, Tensor, TinyJit, dtypes, nn
from tinygrad.engine.realize import compile_linear
from tinygrad.helpers import Context

import importlib.metadata
import worker

Tensor.manual_seed(0)


def wait(): Device[Device.DEFAULT].synchronize()


def data(*shape): return Tensor.uniform(*shape, low=-1.0, high=1.0).realize()


def over(function, *shapes): return on(function, *(data(*shape) for shape in shapes))


def on(function, *inputs):
    jit = TinyJit(lambda *a: function(*a).realize())

    def call():
        jit(*inputs)
        wait()
    return call


def product(dtype):
    return lambda n: on(lambda a, b: a @ b, *(data(n, n).cast(dtype).realize() for _ in range(2)))


def some_bytes(*shape): return Tensor.randint(*shape, low=-127, high=128).cast(dtypes.int8).realize()


def product_int8(n): return on(lambda a, b: a.matmul(b, dtype=dtypes.int32), some_bytes(n, n), some_bytes(n, n))


def gemv_int8(n): return on(lambda w, scale, x: (w.float() * scale) @ x, some_bytes(n, n), data(n, 1), data(n))


def conv(images, inner, outer, side, kernel, stride, groups):
    return over(lambda x, w: x.conv2d(w, stride=stride, padding=kernel // 2, groups=groups), (images, inner, side, side),
                (outer, inner // groups, kernel, kernel))


def conv_transpose(images, inner, outer, side, kernel, stride, padding):
    return over(lambda x, w: x.conv_transpose2d(w, stride=stride, padding=padding), (images, inner, side, side),
                (inner, outer, kernel, kernel))


def attention(heads, words, size, causal):
    shape = (heads, words, size)
    return over(lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=bool(causal)), shape, shape, shape)


def chain(x): return (x * 2 + 1).relu() * x.sigmoid() + (-x * x).exp()


def tiny(n):
    x = data(n)
    jit = TinyJit(lambda a: (a + 1).realize())

    def calls():
        for _ in range(100): jit(x)
        wait()
    return calls


class Residual:
    def __init__(self, inner, outer, stride):
        self.main = [nn.Conv2d(inner, outer, 3, stride=stride, padding=1, bias=False), nn.BatchNorm(outer), Tensor.relu,
                     nn.Conv2d(outer, outer, 3, padding=1, bias=False), nn.BatchNorm(outer)]
        same = stride == 1 and inner == outer
        self.side = [] if same else [nn.Conv2d(inner, outer, 1, stride=stride, bias=False), nn.BatchNorm(outer)]

    def __call__(self, x): return (x.sequential(self.main) + x.sequential(self.side)).relu()


def resnet18(batch):
    layers = [nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm(64), Tensor.relu,
              lambda x: x.pad((1, 1, 1, 1)).max_pool2d((3, 3), 2)]
    inner = 64
    for outer, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Residual(inner, outer, stride), Residual(outer, outer, 1)]
        inner = outer
    layers += [lambda x: x.mean((2, 3)), nn.Linear(512, 1000)]
    for parameter in nn.state.get_parameters(layers): parameter.realize()
    return over(lambda x: x.sequential(layers), (batch, 3, 224, 224))


class Attention:
    """One block of GPT-2: 768 wide, 12 heads."""

    def __init__(self, width=768, heads=12):
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def __call__(self, x, mask):
        n, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(n, 3, self.heads, width // self.heads).permute(1, 2, 0, 3)
        weights = (qkv[0] @ qkv[1].transpose(1, 2) * (width // self.heads)**-0.5 + mask).softmax(-1)
        x = x + self.out((weights @ qkv[2]).permute(1, 0, 2).reshape(n, width))
        return (x + self.down(self.up(self.norm2(x)).gelu())).contiguous()


def gpt2_prefill(tokens, width=768, words=50257):
    embed, places = (Tensor.randn(words, width) * 0.02).realize(), (Tensor.randn(1024, width) * 0.02).realize()
    blocks, last = [Attention() for _ in range(12)], nn.LayerNorm(width)
    for parameter in nn.state.get_parameters([*blocks, last]): parameter.realize()
    text = Tensor.randint(tokens, high=words).realize()

    @TinyJit
    def forward(text):
        mask = Tensor.full((tokens, tokens), float("-inf")).triu(1)
        x = embed[text] + places[:tokens]
        for block in blocks: x = block(x, mask)
        return (last(x[-1:]) @ embed.T).argmax().realize()
    return lambda: forward(text).item()


class Mnist:
    """The net of tinygrad's beautiful_mnist, its optimiser, and one batch."""

    def __init__(self, batch):
        self.layers = [nn.Conv2d(1, 32, 5), Tensor.relu, nn.Conv2d(32, 32, 5), Tensor.relu, nn.BatchNorm(32), Tensor.max_pool2d,
                       nn.Conv2d(32, 64, 3), Tensor.relu, nn.Conv2d(64, 64, 3), Tensor.relu, nn.BatchNorm(64), Tensor.max_pool2d,
                       lambda x: x.flatten(1), nn.Linear(576, 10)]
        self.adam = nn.optim.Adam(nn.state.get_parameters(self.layers))
        self.images, self.labels = data(batch, 1, 28, 28), Tensor.randint(batch, high=10).realize()

    def graph(self, images, labels):
        """The loss and all that a step has to compute with it, as a lazy graph."""
        with Context(TRAINING=1):
            self.adam.zero_grad()
            loss = images.sequential(self.layers).sparse_categorical_crossentropy(labels).backward()
            return loss, self.adam.schedule_step()


def mnist_step(batch):
    m = Mnist(batch)

    @TinyJit
    def step(images, labels):
        loss, rest = m.graph(images, labels)
        return loss.realize(*rest)
    return lambda: step(m.images, m.labels).item()


def mnist_compile(batch):
    m = Mnist(batch)
    for t in nn.state.get_parameters([m.layers, m.adam]): t.realize()
    begin = time.perf_counter()
    loss, rest = m.graph(m.images, m.labels)
    compile_linear(loss.schedule_linear(*rest))
    return time.perf_counter() - begin


def mnist_later_step(batch):
    m = Mnist(batch)
    for t in nn.state.get_parameters([m.layers, m.adam]): t.realize()
    for _ in range(3):  # the second still compiles a little
        begin = time.perf_counter()
        loss, rest = m.graph(m.images, m.labels)
        loss.realize(*rest)
        seconds = time.perf_counter() - begin
    return seconds


def first(make):
    def run(*sizes):
        call = make(*sizes)
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin
    return run


KINDS = {
    "matmul": product(dtypes.float32), "matmul_f16": product(dtypes.float16), "matmul_bf16": product(dtypes.bfloat16),
    "matmul_f64": product(dtypes.float64), "matmul_i8": product_int8,
    "matmul_batched": lambda n, side: over(lambda a, b: a @ b, (n, side, side), (n, side, side)),
    "gram": lambda n: over(lambda a: a @ a.T, (n, n)),
    "gemv_i8": gemv_int8,
    "gemv": lambda n: over(lambda a, b: a @ b, (n, n), (n,)),
    "chain": lambda n: over(chain, (n,)),
    "sum": lambda n: over(lambda x: x.sum(), (n,)),
    "sum_axis": lambda rows, columns, axis: over(lambda x: x.sum(axis), (rows, columns)),
    "softmax": lambda rows, columns: over(lambda x: x.softmax(-1), (rows, columns)),
    "layer_norm": lambda rows, columns: over(lambda x, w, b: x.layernorm() * w + b, (rows, columns), (columns,), (columns,)),
    "transpose": lambda rows, columns: over(lambda x: x.permute(1, 0).contiguous(), (rows, columns)),
    "softmax_middle": lambda *shape: over(lambda x: x.softmax(1), shape),
    "cumsum": lambda rows, columns: over(lambda x: x.cumsum(1), (rows, columns)),
    "sort": lambda rows, columns: over(lambda x: x.sort(-1)[0], (rows, columns)),
    "argmax": lambda rows, columns: over(lambda x: x.argmax(1), (rows, columns)),
    "gather": lambda rows, columns, n: on(lambda table, at: table[at], data(rows, columns),
                                          Tensor.randint(n, high=rows).realize()),
    "permute": lambda *shape: over(lambda x: x.permute(0, 2, 1, 3).contiguous(), shape),
    "conv": conv, "conv_transpose": conv_transpose, "attention": attention,
    "tiny": tiny, "resnet18": resnet18, "gpt2_prefill": gpt2_prefill, "mnist_step": mnist_step,
    "mnist_captured": mnist_step,
}
ONCE = {
    "trivial": first(lambda n: over(lambda x: x + 1, (n,))),
    "small_kernel": first(lambda n: over(lambda x: x * 3 + x.exp(), (n,))),
    "mnist_first_step": first(mnist_step),
    "mnist_compile": mnist_compile, "mnist_later_step": mnist_later_step,
}

worker.serve(KINDS, ONCE, importlib.metadata.version("tinygrad"))
