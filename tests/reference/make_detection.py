#!/usr/bin/env python3
"""What ultralytics makes of a tiny YOLOv8 with random weights, for the tests in tests/unit/frontend/detection.

  make_detection.py FOLDER           writes FOLDER/{tiny.pt,expected.safetensors}
  make_detection.py FOLDER SIZE      writes FOLDER/yolov8SIZE.pt, a network of a published size with random weights, to be tried by hand

Run by hand (needs `pip install ultralytics safetensors`). tiny.pt is what ultralytics saves, a pickled DetectionModel in float16; its
weights have few different values and its archive is deflated, so that it is small. Pictures follow from a formula."""
import io
import pathlib
import sys
import zipfile

try:
  import numpy as np
  import torch
  from safetensors.numpy import save_file
  from ultralytics import YOLO
  from ultralytics.data.augment import LetterBox
  from ultralytics.nn.tasks import DetectionModel, yaml_model_load
  from ultralytics.utils.nms import non_max_suppression
  from ultralytics.utils.ops import scale_boxes
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

NAMES = {0: "person", 1: "traffic light", 2: "bird", 3: "café", 4: "teddy bear"}
# Height and width; the last is as large as the network sees it.
SIZES = [(61, 83), (90, 56), (20, 100), (33, 31), (64, 64)]
SCORE_SHIFT = 1.25


def randomize(model, seed):
  """Sparse weights of few values; normalisations of what activations are then, with scales and shifts that are not 1 and 0."""
  g = torch.Generator().manual_seed(seed)
  few = torch.tensor([-2.0, -1.0, 1.0, 2.0] + [0.0] * 20)
  for name, t in model.state_dict().items():
    if t.ndim == 4 and "dfl" not in name:
      t.copy_(few[torch.randint(0, len(few), t.shape, generator=g)] / 4)
    elif name.endswith("bn.weight"):
      t.copy_(torch.randint(8, 17, t.shape, generator=g) / 8)
    elif name.endswith(".bias"):
      t.copy_(torch.randint(-4, 5, t.shape, generator=g) / 8)
  norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
  for norm in norms:
    norm.momentum = 1.0
  pictures = np.stack([picture(160, 160, i) for i in range(12)]).transpose(0, 3, 1, 2)
  with torch.no_grad():
    model.train()(torch.from_numpy(np.ascontiguousarray(pictures)).float() / 255)
  for norm in norms:
    norm.momentum = 0.03
    norm.running_var.clamp_(min=norm.running_var.mean() / 4)
  # Scores of classes spread around what counts as an object, and sides of boxes around a few cells.
  for branch in model.model[-1].cv3:
    branch[-1].bias.data.sub_(SCORE_SHIFT)


def tiny_model():
  config = yaml_model_load("yolov8n.yaml")
  config["scales"], config["scale"] = {"t": [0.5, 0.125, 192]}, "t"
  model = DetectionModel(config, ch=3, nc=len(NAMES), verbose=False)
  model.names = dict(NAMES)
  randomize(model, 5)
  return model.eval()


def checkpoint(model):
  """What ultralytics saves after a training, without the optimiser."""
  return dict(epoch=-1, best_fitness=None, model=model.half(), ema=None, updates=None, optimizer=None,
              train_args=dict(imgsz=640, data="coco.yaml"), date="2024-01-01T00:00:00", version="8.2.0", license="AGPL-3.0")


def save_deflated(content, path):
  stream = io.BytesIO()
  torch.save(content, stream)
  with zipfile.ZipFile(stream) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as to:
    for name in source.namelist():
      to.writestr(name, source.read(name))


def picture(height, width, seed):
  """Areas, edges and a little noise."""
  y, x = np.mgrid[0:height, 0:width]
  noise = np.random.RandomState(seed).uniform(-12, 12, (height, width, 3))
  base = np.stack([x * 255 / width, y * 255 / height, 128 + 100 * np.sin(x / 3) * np.cos(y / 5)], -1)
  base[(x // 7 + y // 5) % 3 == seed % 3] *= 0.4
  return np.clip(base + noise, 0, 255).astype(np.uint8)


def main():
  folder = pathlib.Path(sys.argv[1])
  folder.mkdir(parents=True, exist_ok=True)
  if len(sys.argv) > 2:
    model = DetectionModel(f"yolov8{sys.argv[2]}.yaml", ch=3, nc=80, verbose=False)
    randomize(model, 7)
    for branch in model.model[-1].cv3:  # they have more channels, and eighty scores to be the largest
      branch[-1].weight.data.div_(32)
      branch[-1].bias.data.sub_(0.5)
    torch.save(checkpoint(model), folder / f"yolov8{sys.argv[2]}.pt")
    return
  save_deflated(checkpoint(tiny_model()), folder / "tiny.pt")
  model = YOLO(folder / "tiny.pt").model.float().eval()
  expected = {}
  for i, (height, width) in enumerate(SIZES):
    rgb = picture(height, width, i)
    seen = LetterBox((64, 64), auto=True, stride=32)(image=rgb)
    x = torch.from_numpy(np.ascontiguousarray(seen.transpose(2, 0, 1))).float()[None] / 255
    with torch.no_grad():
      decoded, raw = model(x)
    raw = torch.cat([raw["boxes"], raw["scores"]], 1) if isinstance(raw, dict) else torch.cat([r.flatten(2) for r in raw], 2)
    expected[f"{i}.picture"], expected[f"{i}.seen"] = rgb, np.ascontiguousarray(seen)
    if i in (0, 2):
      expected[f"{i}.raw"] = raw.numpy()
    kept = non_max_suppression(decoded.clone(), 0.25, 0.7, max_det=300)[0]
    few = non_max_suppression(decoded.clone(), 0.4, 0.3, max_det=7)[0]
    for name, found in ((f"{i}.kept", kept), (f"{i}.few", few)):
      found = found.clone()
      found[:, :4] = scale_boxes(seen.shape[:2], found[:, :4], (height, width))
      expected[name] = found.numpy()
    print(rgb.shape, seen.shape, tuple(raw.shape), len(kept), len(few), decoded[0, 4:].max().item(), raw.abs().max().item(),
          (decoded[0, 4:].max(0).values > 0.25).sum().item())
  save_file({k: np.ascontiguousarray(v) for k, v in expected.items()}, folder / "expected.safetensors")


if __name__ == "__main__":
  main()
