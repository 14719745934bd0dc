"""Optimisers: `opt.zero_grad(); loss.backward(); opt.step()`.

A step assigns to the parameters and computes everything together; schedule_step() gives the tensors
to be realized along with others. The learning rate is a tensor, so that it can change in a TinyJit.
"""
from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.helpers import CONTEXT, Context, dedup
from tinygrad_cpp.tensor import Tensor


def _not_negative(**values):
  for name, value in values.items():
    if value < 0:
      raise ValueError(f"optimizer: {name} must not be negative: {value}")


class Optimizer:
  """What all share: the parameters (`params`), other tensors (`buffers`), the learning rate."""

  def __init__(self, params, lr, fused=False, device=None):
    _not_negative(lr=lr)
    self.params = dedup([p for p in params if p.is_param and p.is_floating_point()])
    if not self.params:
      raise ValueError("optimizer must have at least one param")
    for p in self.params:
      p.is_param_()
      p._is_held = True
    self.buffers = dedup([p for p in params if not p.is_param])
    self.device = self.params[0].device
    for p in self.params:
      if None not in (p.device, self.device) and p.device != self.device:
        raise ValueError(f"optimizer: parameters live on different devices: {self.device} and {p.device}; "
                         f"move them with to(), or use one optimizer for each device")
    self.lr = Tensor([lr], self.device, dtypes.float32).is_param_(False).contiguous()

  def zero_grad(self):
    """Forgets the gradients."""
    for p in self.params:
      p.grad = None

  def step(self):
    """One step, computed."""
    tensors = self.schedule_step()
    tensors[0].realize(*tensors[1:])

  def schedule_step(self):
    """One step; gives the tensors that have to be realized for it."""
    if not CONTEXT["TRAINING"].value:
      raise RuntimeError("optimizers step while training only: `with Context(TRAINING=1):` or "
                         "`with Tensor.train():`")
    with_grad = [(i, p) for i, p in enumerate(self.params) if p.grad is not None]
    if not with_grad:
      raise ValueError("no parameter has a gradient: call backward() before step()")
    # Parameters are what gradients are of: what they were made of is not looked at.
    with Context(NO_GRAD=1):
      changed = self._step(with_grad)
    return changed + [p for _, p in with_grad] + self.buffers

  def _step(self, with_grad):
    """Assigns the next values; gives the optimiser's own tensors that changed."""
    raise NotImplementedError

  def _like_params(self):
    return [p.zeros_like(dtype=dtypes.float32 if p.dtype.itemsize < 4 else None).is_param_(False)
            .contiguous() for p in self.params]

  @staticmethod
  def _subtract(p, update):
    p.assign((p.detach() - update).cast(p.dtype))


def _where(x, like):
  """`x` where `like` lives, in parts as it is: state may live on another device than its weights."""
  return x if x.device in (None, like.device) else x.shard_like(like)


class OptimizerGroup(Optimizer):
  """Several optimisers as one."""

  def __init__(self, *optimizers):
    self.optimizers = optimizers
    self.params = [p for o in optimizers for p in o.params]
    self.buffers = [b for o in optimizers for b in o.buffers]

  def __getitem__(self, i):
    return self.optimizers[i]

  def zero_grad(self):
    for o in self.optimizers:
      o.zero_grad()

  def schedule_step(self):
    return [t for o in self.optimizers for t in o.schedule_step()]


class LARS(Optimizer):
  """Momentum with the step of each parameter scaled to its length (You et al., 2017); with tcoef 0
  plain stochastic gradient descent; with ns_steps Muon."""

  def __init__(self, params, lr=0.001, momentum=0.9, weight_decay=1e-4, ns_steps=0, ns_coefficients=None,
               nesterov=False, classic=True, pre_wd=True, tcoef=0.001, fused=False):
    super().__init__(params, lr, fused)
    _not_negative(momentum=momentum, weight_decay=weight_decay)
    self.momentum, self.wd = momentum, weight_decay
    self.ns_steps, self.ns_coefficients = ns_steps, ns_coefficients
    self.nesterov, self.classic, self.pre_wd, self.tcoef = nesterov, classic, pre_wd, tcoef
    self.b = self._like_params() if momentum else []

  def _step(self, with_grad):
    changed = []
    for i, t in with_grad:
      g = t.grad
      r = 1.0
      if self.tcoef:
        r1, r2 = t.detach().square().sum().sqrt(), g.square().sum().sqrt()
        r = ((r1 > 0) & (r2 > 0)).where(self.tcoef * r1 / (r2 + self.wd * r1), 1.0)
      if self.pre_wd and self.wd > 0:
        g = g + self.wd * t.detach()
      # Classic momentum scales the gradient before it is added up, the other one the sum.
      if self.classic:
        g = g * r * self.lr
      if self.momentum:
        self.b[i].assign(self.momentum * self.b[i] + _where(g, self.b[i]))
        changed.append(self.b[i])
        b = _where(self.b[i], t)
        g = (g + self.momentum * b) if self.nesterov else b
      if self.ns_coefficients:
        g = g.reshape(g.shape[0], -1).newton_schulz(self.ns_steps, self.ns_coefficients).reshape(g.shape)
      if not self.pre_wd and self.wd > 0:
        t.assign(t.detach() * (1.0 - self.wd * self.lr))
      if not self.classic:
        g = g * r * self.lr
      self._subtract(t, g)
    return changed


def SGD(params, lr=0.001, momentum=0.0, weight_decay=0.0, nesterov=False, classic=False, fused=False):
  """Stochastic gradient descent with momentum and weight decay."""
  return LARS(params, lr, momentum, weight_decay, 0, None, nesterov, classic, True, 0.0, fused)


def Muon(params, lr=0.001, momentum=0.95, weight_decay=0.1, ns_steps=5,
         ns_coefficients=(3.4445, -4.775, 2.0315), nesterov=True, fused=False):
  """Momentum whose matrices are replaced by the nearest orthogonal ones (Jordan et al., 2024)."""
  return LARS(params, lr, momentum, weight_decay, ns_steps, ns_coefficients, nesterov, False, False, 0.0,
              fused)


class LAMB(Optimizer):
  """Adam's direction scaled to the length of each parameter (You et al., 2020); without that scale
  AdamW."""

  def __init__(self, params, lr=0.001, b1=0.9, b2=0.999, eps=1e-6, weight_decay=0.0, adam=False,
               fused=False):
    super().__init__(params, lr, fused)
    _not_negative(weight_decay=weight_decay)
    self.b1, self.b2, self.eps, self.wd, self.adam = b1, b2, eps, weight_decay, adam
    self.b1_t, self.b2_t = (Tensor.ones(1, dtype=dtypes.float32, device=self.device).is_param_(False).contiguous()
                            for _ in range(2))
    self.m, self.v = self._like_params(), self._like_params()

  def _step(self, with_grad):
    changed = [self.b1_t, self.b2_t]
    self.b1_t.assign(self.b1_t * self.b1)
    self.b2_t.assign(self.b2_t * self.b2)
    for i, t in with_grad:
      g = _where(t.grad, self.m[i])
      self.m[i].assign(self.b1 * self.m[i] + (1.0 - self.b1) * g)
      self.v[i].assign(self.b2 * self.v[i] + (1.0 - self.b2) * (g * g))
      changed += [self.m[i], self.v[i]]
      b1_t, b2_t = _where(self.b1_t, self.m[i]), _where(self.b2_t, self.m[i])
      m_hat, v_hat = self.m[i] / (1.0 - b1_t), self.v[i] / (1.0 - b2_t)
      up = _where(m_hat / (v_hat.sqrt() + self.eps), t)
      if self.wd:
        up = up + self.wd * t.detach()
      r = 1.0
      if not self.adam:
        r1, r2 = t.detach().square().sum().sqrt(), up.square().sum().sqrt()
        r = (r1 > 0).where((r2 > 0).where(r1 / r2, 1.0), 1.0)
      self._subtract(t, self.lr * r * up)
    return changed


def AdamW(params, lr=0.001, b1=0.9, b2=0.999, eps=1e-8, weight_decay=0.01, fused=False):
  """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019)."""
  return LAMB(params, lr, b1, b2, eps, weight_decay, adam=True, fused=fused)


def Adam(params, lr=0.001, b1=0.9, b2=0.999, eps=1e-8, fused=False):
  """Adam (Kingma and Ba, 2015)."""
  return LAMB(params, lr, b1, b2, eps, 0.0, adam=True, fused=fused)
