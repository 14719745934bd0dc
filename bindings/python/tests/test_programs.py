"""Programs as they are written for tinygrad: a picture classifier, a language model that keeps keys and
values between tokens, a residual net's step, a policy gradient."""
import math
import random
import unittest

import tinygrad_cpp

tinygrad_cpp.install_as_tinygrad()
from tinygrad import Context, Tensor, TinyJit, Variable, nn  # noqa: E402
from tinygrad.nn.state import get_parameters  # noqa: E402


class Readme(unittest.TestCase):
  def test_gradients_of_all_that_is_named(self):
    x = Tensor.eye(3).clone()
    y = Tensor([[2.0, 0, -2.0]])
    z = y.matmul(x).sum()
    z.backward()
    self.assertEqual(x.grad.tolist(), [[2.0] * 3, [0.0] * 3, [-2.0] * 3])
    self.assertEqual(y.grad.tolist(), [[1.0] * 3])


class ConvNet:
  def __init__(self):
    self.layers = [nn.Conv2d(1, 4, 3), Tensor.relu, nn.BatchNorm(4), Tensor.max_pool2d,
                   lambda x: x.flatten(1), nn.Linear(36, 2)]

  def __call__(self, x):
    return x.sequential(self.layers)


class Attention:
  def __init__(self, dim, heads, longest):
    self.c_attn, self.c_proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
    self.heads, self.dim, self.longest = heads, dim, longest

  def __call__(self, x, start_pos, mask):
    xqkv, dim = self.c_attn(x), self.dim
    xq, xk, xv = [xqkv.shrink((None, None, (i * dim, (i + 1) * dim)))
                  .reshape(None, None, self.heads, dim // self.heads) for i in range(3)]
    batch, length = xq.shape[:2]
    if not hasattr(self, "cache_kv"):
      self.cache_kv = Tensor.zeros(2, batch, self.longest, self.heads, dim // self.heads)
      self.cache_kv = self.cache_kv.contiguous().realize()
    window = (None, None, (start_pos, start_pos + length), None, None)
    self.cache_kv.shrink(window).assign(Tensor.stack(xk, xv)).realize()
    seen = (None, (0, start_pos + length), None, None)
    keys, values = self.cache_kv[0].shrink(seen), self.cache_kv[1].shrink(seen)
    xq, keys, values = xq.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)
    out = xq.scaled_dot_product_attention(keys, values, mask).transpose(1, 2)
    return self.c_proj(out.reshape(batch, length, dim))


class Block:
  def __init__(self, dim, heads, longest):
    self.attn, self.ln_1, self.ln_2 = Attention(dim, heads, longest), nn.LayerNorm(dim), nn.LayerNorm(dim)
    self.c_fc, self.c_proj = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

  def __call__(self, x, start_pos, mask):
    h = x + self.attn(self.ln_1(x), start_pos, mask)
    return (h + self.c_proj(self.c_fc(self.ln_2(h)).gelu())).contiguous()


class GPT:
  """The form of GPT-2, small."""

  def __init__(self, dim=32, heads=4, layers=2, words=50, longest=16):
    self.wte, self.wpe = nn.Embedding(words, dim), nn.Embedding(longest, dim)
    self.h = [Block(dim, heads, longest) for _ in range(layers)]
    self.ln_f, self.head = nn.LayerNorm(dim), nn.Linear(dim, words, bias=False)
    self.longest, self.places = longest, Tensor.arange(longest).reshape(1, -1).realize()
    self.forward_jit = TinyJit(self.forward)

  def forward(self, tokens, start_pos):
    length = tokens.shape[1]
    x = self.wte(tokens) + self.wpe(self.places.shrink((None, (start_pos, start_pos + length))))
    mask = None
    if length > 1:
      mask = Tensor.full((1, 1, length, start_pos + length), -math.inf).triu(start_pos + 1)
    for block in self.h:
      x = block(x, start_pos, mask)
    return self.head(self.ln_f(x))[:, -1, :].softmax().argmax(-1).realize()

  def __call__(self, tokens, start_pos):
    if tokens.shape[1] > 1 or start_pos == 0:
      return self.forward(tokens, start_pos)
    return self.forward_jit(tokens, Variable("start_pos", 1, self.longest - 1).bind(start_pos))


class BasicBlock:
  def __init__(self, before, planes, stride=1):
    self.conv1 = nn.Conv2d(before, planes, 3, stride=stride, padding=1, bias=False)
    self.conv2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
    self.bn1, self.bn2 = nn.BatchNorm2d(planes), nn.BatchNorm2d(planes)
    self.downsample = [] if stride == 1 and before == planes else [
      nn.Conv2d(before, planes, 1, stride=stride, bias=False), nn.BatchNorm2d(planes)]

  def __call__(self, x):
    out = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
    return (out + x.sequential(self.downsample)).relu()


class ActorCritic:
  def __init__(self):
    self.l1, self.l2 = nn.Linear(2, 16), nn.Linear(16, 2)
    self.c1, self.c2 = nn.Linear(2, 16), nn.Linear(16, 1)

  def __call__(self, obs):
    return self.l2(self.l1(obs).tanh()).log_softmax(), self.c2(self.c1(obs).relu())


class Programs(unittest.TestCase):
  def setUp(self):
    Tensor.manual_seed(4)
    random.seed(4)

  def test_a_classifier_learns(self):
    X = Tensor.rand(128, 1, 8, 8).realize()
    Y = (X[:, :, :4].mean((1, 2, 3)) > X[:, :, 4:].mean((1, 2, 3))).cast("int32").realize()
    model = ConvNet()
    opt = nn.optim.Adam(get_parameters(model), lr=0.02)

    @TinyJit
    @Context(TRAINING=1)
    def train_step():
      opt.zero_grad()
      samples = Tensor.randint(64, high=X.shape[0])
      loss = model(X[samples]).sparse_categorical_crossentropy(Y[samples]).backward()
      return loss.realize(*opt.schedule_step())
    for _ in range(80):
      train_step()
    self.assertGreater((model(X).argmax(axis=1) == Y).mean().item(), 0.9)

  def test_kept_keys_and_values_change_no_token(self):
    model, tokens, start_pos = GPT(), [1, 2, 3], 0
    for p in get_parameters(model):
      p.realize()
    for _ in range(8):
      tokens.append(model(Tensor([tokens[start_pos:]]), start_pos).item())
      start_pos = len(tokens) - 1
    self.assertTrue(model.forward_jit.captured)
    again = tokens[:3]
    for _ in range(8):
      again.append(model.forward(Tensor([again]), 0).item())
    self.assertEqual(tokens, again)

  def test_a_residual_net_steps(self):
    layers = [nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), Tensor.relu, BasicBlock(8, 8),
              BasicBlock(8, 16, 2), lambda x: x.mean([2, 3]), nn.Linear(16, 10)]
    opt = nn.optim.SGD(get_parameters(layers), lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True)
    X, Y = Tensor.randn(16, 3, 8, 8).realize(), Tensor.randint(16, high=10).realize()

    @TinyJit
    def step(x, y):
      with Tensor.train():
        loss = x.sequential(layers).cross_entropy(y, label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
        return loss.realize()
    losses = [step(X, Y).item() for _ in range(15)]
    self.assertLess(losses[-1], 0.8 * losses[0])

  def test_a_policy_improves(self):
    model = ActorCritic()
    opt = nn.optim.Adam(get_parameters(model), lr=0.03)

    @TinyJit
    @Context(TRAINING=1)
    def train_step(obs, action, reward, old):
      log_dist, value = model(obs)
      advantage = reward.reshape(-1, 1) - value
      chosen = action.one_hot(2).float()
      ratio = (log_dist - old).exp()
      gain = advantage.detach() * chosen
      loss = -(ratio * gain).minimum(ratio.clip(0.8, 1.2) * gain).sum(-1).mean()
      entropy = -(log_dist.exp() * log_dist).sum(-1).mean()
      opt.zero_grad()
      (loss + advantage.square().mean() - 0.001 * entropy).backward()
      opt.step()

    @TinyJit
    def get_action(obs):
      return model(obs)[0].realize()
    rewards = []
    for _ in range(60):
      obs = [[random.random(), random.random()] for _ in range(64)]
      old = get_action(Tensor(obs)).tolist()
      actions = [int(random.random() > math.exp(p[0])) for p in old]
      won = [float((o[0] > o[1]) == bool(a)) for o, a in zip(obs, actions)]
      train_step(Tensor(obs), Tensor(actions), Tensor(won), Tensor(old))
      rewards.append(sum(won) / len(won))
    self.assertGreater(sum(rewards[-5:]) / 5, 0.85)


if __name__ == "__main__":
  unittest.main()
