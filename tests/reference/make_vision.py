#!/usr/bin/env python3
"""What torchvision, transformers and PIL make of networks and pictures, for the tests in tests/unit/frontend/vision.

  make_vision.py FOLDER       writes FOLDER/{networks.json,pictures.safetensors,*.png,*.jpg}

Run by hand (needs `pip install torch torchvision transformers pillow pypng`). No weights are stored: those of a tensor are random
numbers that follow from its name, made by `numbers` here and by `formula_values` in tests/unit/frontend/vision/formula.h. Networks
have 16 classes; networks.json has the scores of two pictures that are made the same way."""
import json
import math
import pathlib
import sys

try:
  import numpy as np
  import png
  import torch
  import torchvision
  import transformers
  from PIL import Image
  from safetensors.numpy import save_file
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

CLASSES = 16
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def uniform(name, count):
  """Multiples of 2^-23 in [-1, 1): splitmix64 from the FNV-1a hash of the name."""
  seed = 0xCBF29CE484222325
  for byte in name.encode():
    seed = ((seed ^ byte) * 0x100000001B3) % 2**64
  with np.errstate(over="ignore"):
    z = np.uint64(seed) + (np.arange(count, dtype=np.uint64) + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
  return ((z ^ (z >> np.uint64(31))) >> np.uint64(40)).astype(np.float64) / 2**23 - 1


def numbers(name, shape):
  u = uniform(name, math.prod(shape))
  if name.endswith("running_var"):
    values = 1 + 0.5 * u
  elif len(shape) == 1:
    values = 0.8 + 0.2 * u if name.endswith(".weight") else 0.1 * u
  elif shape[0] == 1:
    values = 0.5 * u
  else:
    values = u * math.sqrt((6 if len(shape) == 4 else 3) / (math.prod(shape) / shape[0]))
  return torch.from_numpy(values.astype(np.float32).reshape(shape))


def fill(net):
  net.load_state_dict({n: t if n.endswith("num_batches_tracked") else numbers(n, tuple(t.shape))
                       for n, t in net.state_dict().items()})
  return net.eval()


def pictures(size, count=2):
  return torch.from_numpy(uniform("input", count * 3 * size * size).astype(np.float32).reshape(count, 3, size, size))


def listed(tensor):
  return [float(np.float32(x)) for x in tensor.detach().flatten().tolist()]


NAMES = ["resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "resnext101_32x8d", "resnext101_64x4d",
         "wide_resnet50_2", "wide_resnet101_2", "mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large",
         *(f"efficientnet_b{i}" for i in range(8)), "vit_b_16", "vit_b_32", "vit_l_16", "vit_l_32", "vit_h_14"]


def torchvision_logits():
  out = {}
  for name in NAMES:
    size = 56 if name == "vit_h_14" else 64
    more = dict(image_size=size) if name.startswith("vit") else {}
    with torch.no_grad():
      net = fill(getattr(torchvision.models, name)(num_classes=CLASSES, **more))
      out[name] = dict(image_size=size, logits=listed(net(pictures(size))))
    print(name, out[name]["logits"][:3])
  return out


def training_step():
  """A step of SGD from batch statistics, and what it leaves."""
  net = fill(torchvision.models.resnet18(num_classes=CLASSES)).train()
  sgd = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
  images, labels = pictures(64, 4), torch.tensor([3, 0, 15, 7])
  losses = []
  for _ in range(2):
    sgd.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(images), labels)
    loss.backward()
    sgd.step()
    losses.append(loss.item())
  state = net.state_dict()
  return dict(losses=losses, tensors={n: listed(state[n].flatten()[:16]) for n in (
    "conv1.weight", "bn1.weight", "bn1.running_mean", "layer2.0.downsample.0.weight", "layer4.1.bn2.running_var", "fc.bias")})


def hugging_face():
  labels = {i: f"kind {i}" for i in range(CLASSES)}
  common = dict(id2label=labels, label2id={v: k for k, v in labels.items()})
  vit = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, image_size=64, patch_size=16, **common)
  nets = {
    "vit": transformers.ViTForImageClassification(transformers.ViTConfig(**vit)),
    "resnet_basic": transformers.ResNetForImageClassification(transformers.ResNetConfig(
      layer_type="basic", hidden_sizes=[64, 128, 256, 512], depths=[1, 1, 2, 1], **common)),
    "resnet_bottleneck": transformers.ResNetForImageClassification(transformers.ResNetConfig(
      depths=[1, 2, 1, 1], downsample_in_bottleneck=True, **common)),
  }
  out = {}
  for name, net in nets.items():
    fill(net)
    with torch.no_grad():
      logits = net(pictures(64)).logits
    out[name] = dict(config=json.loads(net.config.to_json_string()), logits=listed(logits),
                     shapes={n: list(t.shape) for n, t in net.state_dict().items()})
    print(name, out[name]["logits"][:3])
  return out


def drawing(height, width):
  """Smooth areas, edges and a little noise."""
  y, x = np.mgrid[0:height, 0:width]
  noise = uniform("noise", height * width * 3).reshape(height, width, 3) * 12
  base = np.stack([x * 255 / width, y * 255 / height, 128 + 100 * np.sin(x / 3) * np.cos(y / 5)], -1)
  base[(x // 7 + y // 5) % 3 == 0] *= 0.4
  return np.clip(base + noise, 0, 255).astype(np.uint8)


def write_pictures(folder):
  expected = {}
  rgb = drawing(29, 37)
  picture = Image.fromarray(rgb)
  grey = picture.convert("L")
  alpha = Image.fromarray((uniform("alpha", 29 * 37).reshape(29, 37) * 127 + 128).astype(np.uint8))
  with_alpha = picture.copy()
  with_alpha.putalpha(alpha)
  grey_alpha = grey.copy()
  grey_alpha.putalpha(alpha)
  files = {
    "rgb.png": (picture, {}), "grey.png": (grey, {}), "alpha.png": (with_alpha, {}), "grey_alpha.png": (grey_alpha, {}),
    "palette.png": (picture.quantize(13), {}), "palette_transparent.png": (picture.quantize(200), dict(transparency=3)),
    "one_bit.png": (grey.convert("1"), {}),
    "baseline.jpg": (picture, dict(quality=85)), "full_colour.jpg": (picture, dict(quality=95, subsampling=0)),
    "progressive.jpg": (picture, dict(quality=70, progressive=True)), "grey.jpg": (grey, dict(quality=80)),
    "cmyk.jpg": (picture.convert("CMYK"), dict(quality=85)),
  }
  for name, (image, options) in files.items():
    image.save(folder / name, **options)
  rows = lambda a: a.reshape(a.shape[0], -1).tolist()
  png.Writer(37, 29, greyscale=False, bitdepth=8, interlace=True).write(open(folder / "interlaced.png", "wb"), rows(rgb))
  png.Writer(37, 29, greyscale=False, bitdepth=16).write(open(folder / "sixteen_bits.png", "wb"),
                                                         rows(rgb.astype(np.uint16) * 256 + 77))
  png.Writer(37, 29, greyscale=True, bitdepth=2).write(open(folder / "two_bits.png", "wb"), rows(np.asarray(grey) // 64))
  for file in sorted([*folder.glob("*.png"), *folder.glob("*.jpg")]):
    expected[file.name] = np.ascontiguousarray(np.asarray(Image.open(file).convert("RGB")))
  large = Image.fromarray(drawing(61, 83))
  expected["large"] = np.asarray(large)
  for name, filter in (("bilinear", Image.BILINEAR), ("bicubic", Image.BICUBIC)):
    for height, width in ((20, 31), (61, 19), (100, 150), (1, 1), (7, 83)):
      expected[f"{name}/{height}x{width}"] = np.asarray(large.resize((width, height), filter))
  for size in (32, 33):
    steps = [torchvision.transforms.Resize(40, antialias=True), torchvision.transforms.CenterCrop(size),
             torchvision.transforms.ToTensor(),
             torchvision.transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]
    expected[f"preprocessed/{size}"] = torchvision.transforms.Compose(steps)(large).numpy()
  save_file({k: np.ascontiguousarray(v) for k, v in expected.items()}, folder / "pictures.safetensors")


def main():
  folder = pathlib.Path(sys.argv[1])
  folder.mkdir(parents=True, exist_ok=True)
  write_pictures(folder)
  content = dict(torchvision=torchvision_logits(), training=training_step(), hugging_face=hugging_face())
  (folder / "networks.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
  main()
