"""PyTorch's side of the networks: modules as a user writes them, and one batch of data for each. `compiled` is torch.compile or
nothing; `device` is the default one already."""
import torch
import torch.nn.functional as F
from torch import nn


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(inner, outer, 3, stride, 1, bias=False), nn.BatchNorm2d(outer), nn.ReLU(),
                                  nn.Conv2d(outer, outer, 3, 1, 1, bias=False), nn.BatchNorm2d(outer))
        same = stride == 1 and inner == outer
        self.side = nn.Identity() if same else nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False),
                                                             nn.BatchNorm2d(outer))

    def forward(self, x): return F.relu(self.main(x) + self.side(x))


def resnet18():
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    inner = 64
    for outer, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Residual(inner, outer, stride), Residual(outer, outer, 1)]
        inner = outer
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000))


def conv_norm(inner, outer, kernel, stride, groups=1, activation=None):
    layers = [nn.Conv2d(inner, outer, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outer)]
    return nn.Sequential(*layers, activation) if activation else nn.Sequential(*layers)


class Bottleneck(nn.Module):
    def __init__(self, inner, outer, stride, factor):
        super().__init__()
        wide = inner * factor
        widen = [conv_norm(inner, wide, 1, 1, activation=nn.ReLU6())] if factor != 1 else []
        self.main = nn.Sequential(*widen, conv_norm(wide, wide, 3, stride, wide, nn.ReLU6()), conv_norm(wide, outer, 1, 1))
        self.adds = stride == 1 and inner == outer

    def forward(self, x): return x + self.main(x) if self.adds else self.main(x)


def mobilenet_v2():
    layers, inner = [conv_norm(3, 32, 3, 2, activation=nn.ReLU6())], 32
    for factor, channels, blocks, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                             (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(blocks):
            layers.append(Bottleneck(inner, channels, stride if i == 0 else 1, factor))
            inner = channels
    return nn.Sequential(*layers, conv_norm(320, 1280, 1, 1, activation=nn.ReLU6()), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(1280, 1000))


class VitBlock(nn.Module):
    def __init__(self, width=384, heads=6):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, n, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Vit(nn.Module):
    def __init__(self, width=384, blocks=12, patches=196):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.rand(1, patches + 1, width))
        self.blocks, self.norm = nn.Sequential(*(VitBlock() for _ in range(blocks))), nn.LayerNorm(width)
        self.out = nn.Linear(width, 1000)

    def forward(self, images):
        tokens = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(images), -1, -1), tokens], 1) + self.places
        return self.out(self.norm(self.blocks(x)[:, 0]))


class UNet(nn.Module):
    def __init__(self, channels=(32, 64, 128, 256, 512)):
        super().__init__()
        def two(inner, outer):
            return nn.Sequential(conv_norm(inner, outer, 3, 1, activation=nn.ReLU()), conv_norm(outer, outer, 3, 1, activation=nn.ReLU()))
        self.down = nn.ModuleList(two(i, o) for i, o in zip((3, *channels), channels))
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * c, c, 2, 2) for c in channels[-2::-1])
        self.convs = nn.ModuleList(two(2 * c, c) for c in channels[-2::-1])
        self.out = nn.Conv2d(channels[0], 1, 1)

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(F.max_pool2d(x, 2) if i else x)
            kept.append(x)
        kept.pop()
        for up, convs in zip(self.up, self.convs): x = convs(torch.cat([kept.pop(), up(x)], 1))
        return self.out(x)


class Recurrent(nn.Module):
    """The outputs of all steps of [steps, batch, width]."""

    def __init__(self, width):
        super().__init__()
        self.cell = nn.LSTM(width, width)

    def forward(self, x): return self.cell(x)[0]


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


class Gpt2(nn.Module):
    """Its loss on some words, or the next word after them."""

    def __init__(self, tokens, width=768, words=50257):
        super().__init__()
        self.embed, self.places = (nn.Parameter(torch.randn(n, width) * 0.02) for n in (words, 1024))
        self.blocks, self.last = nn.ModuleList(Attention() for _ in range(12)), nn.LayerNorm(width)
        self.register_buffer("mask", torch.full((tokens, tokens), float("-inf")).triu(1))

    def hidden(self, text):
        x = self.embed[text] + self.places[:len(text)]
        for block in self.blocks: x = block(x, self.mask)
        return self.last(x)

    def loss(self, text): return F.cross_entropy(self.hidden(text)[:-1] @ self.embed.T, text[1:])

    def forward(self, text): return (self.hidden(text)[-1:] @ self.embed.T).argmax()


def mnist():
    return nn.Sequential(nn.Conv2d(1, 32, 5), nn.ReLU(), nn.Conv2d(32, 32, 5), nn.ReLU(), nn.BatchNorm2d(32), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(), nn.BatchNorm2d(64), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(576, 10))
