"""tinygrad's own programs, word for word (tinygrad_programs), small: they run, and give what they should."""
import importlib.util
import os
import re
import subprocess
import sys
import unittest

import tinygrad_cpp

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "tinygrad_programs")
RUN = """import sys, tinygrad_cpp
tinygrad_cpp.install_as_tinygrad()
sys.path.insert(0, sys.argv[1])
sys.argv = sys.argv[2:]
exec(compile(sys.stdin.read(), sys.argv[0], "exec"), sys.modules["__main__"].__dict__)
"""


def run(name, smaller=("", ""), **env):
  """What an example prints; `smaller`: a number of it and a smaller one."""
  path = os.path.join(PROGRAMS, "examples", name)
  with open(path, encoding="utf-8") as file:
    text = file.read()
  if smaller[0] not in text:
    raise AssertionError(f"{name} does not say {smaller[0]!r}")
  done = subprocess.run([sys.executable, "-c", RUN, PROGRAMS, path], input=text.replace(*smaller), text=True,
                        env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
  if done.returncode:
    raise AssertionError(f"{name} ended with {done.returncode}:\n{done.stdout[-3000:]}")
  return done.stdout


def has_mnist():
  """Whether the digits are on this machine: the programs would download them."""
  folders = [os.getenv("TG_DATASETS", ""), os.path.join(HERE, *[".."] * 4, "shared", "datasets")]
  return any(os.path.isdir(os.path.join(folder, "mnist")) for folder in folders if folder)


class Examples(unittest.TestCase):
  @unittest.skipUnless(has_mnist(), "MNIST is not on this machine")
  def test_beautiful_mnist(self):
    out = run("beautiful_mnist.py", STEPS="30", BS="64")
    self.assertGreater(float(re.findall(r"test_accuracy: *([\d.]+)%", out)[-1]), 70)

  @unittest.skipUnless(has_mnist(), "MNIST is not on this machine")
  def test_beautiful_mnist_multigpu(self):
    self.assertIn("loss:", run("beautiful_mnist_multigpu.py", STEPS="3", BS="16"))

  @unittest.skipUnless(has_mnist(), "MNIST is not on this machine")
  def test_stunning_mnist(self):
    out = run("stunning_mnist.py", STEPS="4", BS="16", TEST="0")
    self.assertEqual(len(set(re.findall(r"loss: *([\d.]+)", out))), 4)  # each step another one

  @unittest.skipUnless(importlib.util.find_spec("numpy"), "NumPy is not installed")
  def test_transformer(self):
    out = run("transformer.py", smaller=("in range(10):\n    optim", "in range(1):\n    optim"))
    self.assertGreater(float(re.search(r"test set accuracy is ([\d.]+)", out)[1]), 0.3)


class Letters:
  """A tokenizer of letters."""

  def encode(self, text, allowed_special=None):
    return [ord(c) % 64 for c in text]

  def decode(self, tokens):
    return " ".join(map(str, tokens))


class LanguageModels(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    tinygrad_cpp.install_as_tinygrad()
    sys.path.insert(0, PROGRAMS)

  def test_gpt2(self):
    from examples.gpt2 import GPT2, Transformer
    from tinygrad import Tensor, Variable
    from tinygrad.nn.state import get_parameters
    Tensor.manual_seed(3)
    model = Transformer(dim=32, n_heads=4, n_layers=2, norm_eps=1e-5, vocab_size=64)
    for p in get_parameters(model):
      p.replace((Tensor.randn(*p.shape) * 0.3).realize())
    text = GPT2(model, Letters()).generate("What is the answer?", 12, 0.0)[0]
    tokens = [int(word) for word in text.split()]
    self.assertTrue(model.forward_jit.captured)
    # A fresh prefill of the same words says the same next one at each place.
    for length in range(20, len(tokens)):
      start = Variable("start_pos", 0, 127).bind(0)
      self.assertEqual(model.forward(Tensor([tokens[:length]]), start).item(), tokens[length])

  def test_llama(self):
    from extra.models.llama import Transformer
    from tinygrad import Tensor
    from tinygrad.nn.state import get_parameters
    Tensor.manual_seed(3)
    model = Transformer(dim=32, hidden_dim=64, n_heads=4, n_layers=2, norm_eps=1e-5, vocab_size=64, n_kv_heads=2,
                        max_context=32)
    for p in get_parameters(model):
      p.replace((Tensor.randn(*p.shape) * 0.3).realize())
    tokens, start = [1, 2, 3], 0
    for _ in range(6):
      tokens.append(model(Tensor([tokens[start:]]), start, 0.0).item())
      start = len(tokens) - 1
    self.assertTrue(model.forward_jit.captured)
    self.assertEqual(model(Tensor([tokens[:-1]]), 0, 0.0).item(), tokens[-1])


if __name__ == "__main__":
  unittest.main()
