#!/usr/bin/env python3
"""Two small diffusion models at random, with what `diffusers` makes of given noise.

  make_diffusion.py FOLDER [NAME ...]    writes FOLDER/NAME/{model_index.json,unet,scheduler,expected.safetensors} and
                                         FOLDER/schedules.safetensors; tests/unit/frontend/diffusion/*_test.cpp read them

Run by hand (needs `pip install torch diffusers`). `first` is as the first models were published: all files in one folder, attention
with one head and the names of its weights of that time, sines first, halving with zeros at the ends only, a DDPM with the larger
variance. `later` has heads, classes, grey pictures that are no squares, a middle of its own groups and scale, and a DDIM.

expected.safetensors has x [n, channels, height, width], times [n], perhaps classes [n], and y, what the network says; for a number of
trajectories noise.NAME [draws, n, ...] and the x behind each step, trajectory.NAME [steps, n, ...]. schedules.safetensors has for a
table of schedules (by their numbers in SCHEDULES) what is left of the variance at each time, the times of some steps, and x behind each
of them, where the network says sin(3x + time / 100)."""
import json
import pathlib
import sys

try:
  import torch
  from diffusers import DDIMScheduler, DDPMScheduler, EulerDiscreteScheduler, UNet2DModel
  from safetensors.torch import load_file, save_file
except ImportError as e:
  print(f"skipped: {e}")
  sys.exit(77)

KINDS = {"ddpm": DDPMScheduler, "ddim": DDIMScheduler, "euler": EulerDiscreteScheduler}
MODELS = {
  "first": dict(
    unet=dict(sample_size=8, in_channels=3, out_channels=3, freq_shift=1, flip_sin_to_cos=False, block_out_channels=(8, 16),
              down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), layers_per_block=1,
              downsample_padding=0, attention_head_dim=None, norm_num_groups=4, norm_eps=1e-6),
    scheduler=DDPMScheduler(variance_type="fixed_large")),
  "later": dict(
    unet=dict(sample_size=(8, 12), in_channels=1, out_channels=1, center_input_sample=True, block_out_channels=(8, 8, 12),
              down_block_types=("AttnDownBlock2D", "DownBlock2D", "DownBlock2D"),
              up_block_types=("UpBlock2D", "AttnUpBlock2D", "UpBlock2D"), layers_per_block=1, attention_head_dim=4, norm_num_groups=4,
              attn_norm_num_groups=3, mid_block_scale_factor=1.5, time_embedding_dim=24, num_class_embeds=5, dropout=0.1),
    scheduler=DDIMScheduler(num_train_timesteps=200, beta_schedule="squaredcos_cap_v2", prediction_type="v_prediction")),
}
# Kind, settings, steps, eta. tests/unit/frontend/diffusion/noise_schedule_test.cpp has the same table.
SCHEDULES = [
  ("ddpm", dict(), 1000, 0), ("ddpm", dict(variance_type="fixed_large"), 7, 0),
  ("ddpm", dict(variance_type="fixed_small_log", beta_schedule="scaled_linear", beta_start=0.001), 20, 0),
  ("ddpm", dict(prediction_type="v_prediction", timestep_spacing="trailing", beta_schedule="squaredcos_cap_v2"), 13, 0),
  ("ddpm", dict(prediction_type="sample", timestep_spacing="linspace", clip_sample_range=0.5), 9, 0),
  ("ddpm", dict(steps_offset=3, clip_sample=False, num_train_timesteps=100), 11, 0),
  ("ddpm", dict(trained_betas=[0.02, 0.1, 0.3, 0.4], num_train_timesteps=4), 4, 0),
  ("ddim", dict(), 50, 0), ("ddim", dict(), 12, 1.0), ("ddim", dict(set_alpha_to_one=False, steps_offset=1), 20, 0.3),
  ("ddim", dict(prediction_type="v_prediction", timestep_spacing="trailing", clip_sample=False), 10, 0.5),
  ("ddim", dict(prediction_type="sample", timestep_spacing="linspace", beta_schedule="scaled_linear", beta_end=0.012), 15, 0),
  ("ddim", dict(beta_schedule="squaredcos_cap_v2", clip_sample_range=2.0), 30, 0.2),
  ("euler", dict(), 20, 0), ("euler", dict(timestep_spacing="leading", steps_offset=1), 15, 0),
  ("euler", dict(timestep_spacing="trailing", prediction_type="v_prediction", beta_schedule="scaled_linear"), 10, 0),
  ("euler", dict(prediction_type="sample", final_sigmas_type="sigma_min"), 7, 0), ("euler", dict(), 1, 0),
]
SHOWN = 6  # steps of a schedule whose x is kept, the first and the last half


def trajectory(scheduler, steps, eta, noise, network):
  """x behind each step. New noise comes from `noise`: draw 0 is the start."""
  is_euler = isinstance(scheduler, EulerDiscreteScheduler)
  draw = [0]
  import diffusers.schedulers.scheduling_ddim as ddim
  import diffusers.schedulers.scheduling_ddpm as ddpm
  given = lambda *_, **__: noise(draw[0])
  ddim.randn_tensor = ddpm.randn_tensor = given
  scheduler.set_timesteps(steps)
  x, out = noise(0) * scheduler.init_noise_sigma, []
  for i, t in enumerate(scheduler.timesteps):
    draw[0] = i + 1
    y = network(scheduler.scale_model_input(x, t), t)
    x = scheduler.step(y, t, x, **({"eta": eta} if isinstance(scheduler, DDIMScheduler) else {})).prev_sample
    out.append(x)
  assert is_euler or not torch.isnan(x).any()
  return out


def randomise(model, seed):
  """Weights of bfloat16's precision, in float32, of a spread at which all parts do something."""
  g = torch.Generator().manual_seed(seed)
  with torch.no_grad():
    for name, p in model.named_parameters():
      x = torch.randn(p.shape, generator=g)
      if p.ndim == 1:
        x = 0.2 * x + (0.0 if name.endswith("bias") else 1.0)
      else:
        x = x / p[0].numel() ** 0.5
      p.copy_(x.to(torch.bfloat16).float())


OLD_NAMES = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}


def write_files(path, name, model, scheduler):
  if name == "later":
    model.to(torch.float16).save_pretrained(path / "unet", safe_serialization=True)
    scheduler.save_pretrained(path / "scheduler")
  else:
    model.to(torch.bfloat16).save_pretrained(path, safe_serialization=True)
    scheduler.save_pretrained(path)
    weights = {}
    for key, tensor in load_file(path / "diffusion_pytorch_model.safetensors").items():
      for new, old in OLD_NAMES.items():
        key = key.replace(f".{new}.", f".{old}.") if "attentions" in key else key
      weights[key] = tensor
    save_file(weights, path / "diffusion_pytorch_model.safetensors", metadata={"format": "pt"})
  pipeline = "DDIMPipeline" if name == "later" else "DDPMPipeline"
  (path / "model_index.json").write_text(json.dumps(
    {"_class_name": pipeline, "_diffusers_version": "0.30.0", "scheduler": ["diffusers", type(scheduler).__name__],
     "unet": ["diffusers", "UNet2DModel"]}, indent=2) + "\n")


def write(folder, name):
  path = folder / name
  path.mkdir(parents=True, exist_ok=True)
  settings = MODELS[name]
  model = UNet2DModel(**settings["unet"]).eval()
  randomise(model, len(name) + 2 * (name == "later"))
  g = torch.Generator().manual_seed(7)
  size = settings["unet"]["sample_size"]
  shape = (2, settings["unet"]["in_channels"], *((size, size) if isinstance(size, int) else size))
  times, classes = torch.tensor([3, 187]), torch.tensor([4, 1]) if name == "later" else None
  x = torch.randn(shape, generator=g)
  expected = {"x": x, "times": times.int()}
  if name == "later":
    expected["classes"] = classes.int()
  with torch.no_grad():
    expected["y"] = model(x, times, class_labels=classes).sample
    scheduler = settings["scheduler"]
    for kind, steps, eta in [("ddpm", 4, 0), ("ddim", 3, 0), ("ddim", 2, 0.7), ("euler", 3, 0)]:
      other = KINDS[kind].from_config({k: v for k, v in scheduler.config.items() if k != "_use_default_values"})  # as a file says
      noise = torch.randn((steps + 1, *shape), generator=g)
      label = f"{kind}.{steps}"
      both = torch.tensor([2, 2]) if name == "later" else None
      expected[f"noise.{label}"] = noise
      expected[f"trajectory.{label}"] = torch.stack(
        trajectory(other, steps, eta, lambda draw: noise[draw], lambda seen, t: model(seen, t, class_labels=both).sample))
  save_file({k: v.contiguous() for k, v in expected.items()}, path / "expected.safetensors")
  write_files(path, name, model, scheduler)
  size = sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
  print(f"{name}: {sum(p.numel() for p in model.parameters())} numbers, y up to {expected['y'].abs().max().item():.2f}, {size} bytes")


def write_schedules(folder):
  g = torch.Generator().manual_seed(3)
  noise, out = torch.randn((3, 4), generator=g), {}
  for i, (kind, settings, steps, eta) in enumerate(SCHEDULES):
    scheduler = KINDS[kind](**settings)
    xs = trajectory(scheduler, steps, eta, lambda draw: noise.roll(draw, 0) * (1 - 2 * (draw % 2)),
                    lambda seen, t: torch.sin(3 * seen + float(t) / 100))
    shown = [*range(min(steps, SHOWN // 2)), *range(max(SHOWN // 2, steps - SHOWN // 2), steps)]
    left = scheduler.alphas_cumprod
    out |= {f"{i}.left": left[:: max(1, len(left) // 16)].clone(), f"{i}.times": scheduler.timesteps[:32].float().clone(),
            f"{i}.x": torch.stack([xs[k] for k in shown])}
  out["noise"] = noise
  g = torch.Generator().manual_seed(4)
  x, e, t = torch.randn((3, 2, 4), generator=g), torch.randn((3, 2, 4), generator=g), torch.tensor([0, 500, 999])
  ddpm = DDPMScheduler(beta_schedule="squaredcos_cap_v2")
  out |= {"added.x": x, "added.e": e, "added.t": t.int(), "added.noisy": ddpm.add_noise(x, e, t),
          "added.velocity": ddpm.get_velocity(x, e, t)}
  save_file(out, folder / "schedules.safetensors")
  print(f"schedules: {(folder / 'schedules.safetensors').stat().st_size} bytes")


if __name__ == "__main__":
  for name in sys.argv[2:] or [*MODELS, "schedules"]:
    write_schedules(pathlib.Path(sys.argv[1])) if name == "schedules" else write(pathlib.Path(sys.argv[1]), name)
