"""Programs as they are written for tinygrad: a picture classifier, a residual net's step, a policy gradient.
tinygrad's own: test_tinygrad_programs.py."""
import math
import random
import unittest

import tinygrad_cpp

tinygrad_cpp.install_as_tinygrad()
from tinygrad import Context, Tensor, TinyJit, nn  # noqa: E402
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
