"""Graphs that programs build, rewrite, schedule and pickle, and kernels written as nodes."""
import pickle
import unittest

from tinygrad_cpp import Context, Tensor, TinyJit, UOp, Variable, dtypes, function
from tinygrad_cpp.engine.realize import compile_linear, estimate_uop, run_linear
from tinygrad_cpp.errors import ArgumentError
from tinygrad_cpp.uop.ops import KernelInfo, Ops, PatternMatcher, UPat, graph_rewrite


def added(x):
  return x + 1.0


class TestNodes(unittest.TestCase):
  def test_operations_have_names(self):
    x = (Tensor([1.0, 2.0]) * 2).uop
    self.assertIs(x.op, Ops.MUL)
    self.assertEqual((str(x.op), x.op), ("Ops.MUL", "mul"))
    self.assertEqual(x.src[1].base.val, 2.0)
    self.assertIs(x.dtype, dtypes.float32)

  def test_a_node_with_other_parts_is_checked_by_the_library(self):
    x = (Tensor([1.0, 2.0]) * Tensor([3.0, 4.0])).uop
    self.assertEqual(Tensor(x.replace(op=Ops.ADD)).tolist(), [4.0, 6.0])
    self.assertEqual(Tensor(UOp(Ops.MAX, src=x.src)).tolist(), [3.0, 4.0])
    self.assertEqual(Tensor(x.substitute({x.src[0]: x.src[1]})).tolist(), [9.0, 16.0])
    with self.assertRaisesRegex(ArgumentError, "shapes differ"):
      UOp(Ops.ADD, src=(x, Tensor([1.0]).uop))

  def test_stores_happen_in_the_storage(self):
    x = Tensor.zeros(4).contiguous().realize()
    y = Tensor(x.uop.after(x[1:3].uop.store(Tensor([5.0, 6.0]).uop)))
    self.assertEqual(y.tolist(), [0.0, 5.0, 6.0, 0.0])
    y.uop = y.uop.after(y.uop.store((y + 1).uop))
    self.assertEqual(y.tolist(), [1.0, 6.0, 7.0, 1.0])

  def test_a_buffer_is_one_object_whatever_is_written_into_it(self):
    x = Tensor([0, 0]).realize()
    buffer = x.uop.base.realized
    for _ in range(3):
      x += 1
    x.realize()
    self.assertIs(x.uop.base.realized, buffer)
    self.assertEqual(buffer.as_memoryview().cast("i").tolist(), [3, 3])

  def test_nodes_can_be_pickled(self):
    x = Tensor([1.0, 2.0]).realize()
    self.assertEqual(Tensor(pickle.loads(pickle.dumps(x.uop))).tolist(), [1.0, 2.0])
    linear = (x + 1).schedule_linear()
    self.assertIs(pickle.loads(pickle.dumps(linear)).src[0].src[0], linear.src[0].src[0])


class TestRules(unittest.TestCase):
  def test_rules_run_until_none_applies(self):
    rules = PatternMatcher([(UPat(Ops.MUL, src=[UPat.var("x"), UPat(name="c")]),
                             lambda x, c: x.alu(Ops.ADD, x) if c.base.op is Ops.CONST and c.base.val == 2 else None)])
    x = Tensor([1.0, 3.0])
    y = graph_rewrite(((x * 2) * 2).uop, rules)
    self.assertNotIn(Ops.MUL, [n.op for n in y.toposort()])
    self.assertEqual(Tensor(y).tolist(), [4.0, 12.0])

  def test_circles_are_errors(self):
    swap = PatternMatcher([(UPat(Ops.ADD, name="x"), lambda x: x.replace(op=Ops.MUL)),
                           (UPat(Ops.MUL, name="x"), lambda x: x.replace(op=Ops.ADD))])
    with self.assertRaisesRegex(RuntimeError, "circles"):
      graph_rewrite((Tensor([1.0]) + Tensor([2.0])).uop, swap)

  def test_patterns_match_in_any_order_or_not(self):
    x = (Tensor([1.0]).exp2() - Tensor([2.0])).uop
    self.assertTrue((UPat.var("a") + UPat(Ops.EXP2)).match(x))
    self.assertFalse(UPat(Ops.ADD, src=(UPat.var("a"), UPat(Ops.EXP2))).match(x))
    same = UPat(Ops.ADD, src=(UPat.var("a"), UPat.var("a")))
    self.assertFalse(same.match(x))

  def test_the_context_is_handed_on(self):
    seen = []
    graph_rewrite((Tensor([1.0]) + 1).uop, PatternMatcher([(UPat(Ops.ADD, name="x"), lambda x, ctx: ctx.append(x.op))]),
                  ctx=seen)
    self.assertEqual(seen, [Ops.ADD])

  def test_rules_can_be_pickled(self):
    rules = PatternMatcher([(UPat.cvar("x"), lambda x: x * 2)])
    node = UOp.const(2)
    self.assertIs(pickle.loads(pickle.dumps(rules)).rewrite(node), rules.rewrite(node))


class TestSchedules(unittest.TestCase):
  def test_a_schedule_is_looked_at_and_run(self):
    x = (Tensor([[1.0, 2.0], [3.0, 4.0]]).realize() @ Tensor([1.0, 1.0]).realize()) + 1
    linear = x.schedule_linear()
    self.assertEqual([call.src[0].op for call in linear.src], [Ops.SINK])
    self.assertFalse(x.is_realized)
    run_linear(compile_linear(linear))
    self.assertTrue(x.is_realized)
    self.assertEqual(x.tolist(), [4.0, 8.0])

  def test_copies_between_devices_are_in_it(self):
    x = Tensor([1.0, 2.0], device="CPU").realize()
    y = (x * 2).to("CPU:1") + 1
    kernel, copy, last = y.schedule_linear().src
    self.assertEqual([call.src[0].op for call in (kernel, copy, last)], [Ops.SINK, Ops.COPY, Ops.SINK])
    self.assertEqual([array.buffer.device for array in copy.src[1:]], ["CPU:1", "CPU"])
    self.assertEqual([(a.buffer.dtype, a.buffer.size, a.buffer.is_allocated()) for a in kernel.src[1:]],
                     [(dtypes.float32, 2, False)] * 2)
    self.assertEqual(estimate_uop(copy).mem, 8)
    self.assertEqual(y.tolist(), [3.0, 5.0])

  def test_a_ring_copies_from_each_device_to_the_next(self):
    devices = tuple(f"CPU:{i}" for i in range(4))
    x = Tensor.empty(4, 400).shard(devices, axis=0).realize()
    with Context(RING=2):
      copies = [call for call in x.sum(0).schedule_linear().src if call.src[0].op is Ops.COPY]
    self.assertEqual(len(copies), 24)
    self.assertEqual(len({(c.src[1].buffer.device, c.src[2].buffer.device) for c in copies}), 4)

  def test_what_a_kernel_takes(self):
    x = Tensor.empty(8, 16) + Tensor.empty(8, 16)
    estimate = estimate_uop(x.schedule_linear().src[0])
    self.assertEqual((estimate.ops, estimate.lds, estimate.mem), (128, 3 * 128 * 4, 3 * 128 * 4))

  def test_variables_have_their_values(self):
    x = Tensor([1, 2, 3]).realize() * Tensor(Variable("n", 1, 9).bind(4))
    linear, values = x.linear_with_vars()
    self.assertEqual(values, {"n": 4})
    run_linear(linear, values)
    self.assertEqual(x.tolist(), [4, 8, 12])

  def test_constants_need_no_kernel(self):
    self.assertEqual(Tensor(2.0).schedule_linear().src, ())


class TestKernels(unittest.TestCase):
  def test_elements_at_places_are_stored(self):
    def reverse(out, x):
      i = UOp.range(x.shape[0], 0)
      return out[x.shape[0] - 1 - i].store(x[i] + out[i].load()).end(i).sink(arg=KernelInfo("reverse"))
    x = Tensor([1.0, 2.0, 3.0]).realize()
    out = Tensor([10.0, 20.0, 30.0]).contiguous().realize()
    self.assertEqual(Tensor.custom_kernel(out, x, fxn=reverse)[0].tolist(), [33.0, 22.0, 11.0])
    self.assertEqual(out.tolist(), [33.0, 22.0, 11.0])

  def test_ranges_are_reduced(self):
    def product(out, a, b):
      i, j, k = UOp.range(2, 0), UOp.range(4, 1), UOp.range(3, 2)
      return out[i, j].store((a[i, k] * b[k, j]).reduce(k, arg=Ops.ADD)).end(i, j).sink()
    a, b = Tensor.arange(6).reshape(2, 3).clone(), Tensor.arange(12).reshape(3, 4).clone()
    out = Tensor.empty(2, 4, dtype=dtypes.int32)
    self.assertEqual(Tensor.custom_kernel(out, a, b, fxn=product)[0].tolist(), (a @ b).tolist())

  def test_gradients_of_one_s_own(self):
    def both(c, d, a, b):
      c, d, a, b = c.flatten(), d.flatten(), a.flatten(), b.flatten()
      i = UOp.range(c.numel(), 0)
      return UOp.group(c[i].store(a[i] + b[i]), d[i].store(a[i] * b[i])).end(i).sink()

    def backward(dc, dd, call):
      _, _, a, b = call.src[1:]
      return None, None, (Tensor(dc) + Tensor(dd) * Tensor(b)).uop, (Tensor(dc) + Tensor(dd) * Tensor(a)).uop
    a, b = Tensor([[1.0, 2.0]]).realize(), Tensor([[3.0, 5.0]]).realize()
    c, d, _, _ = Tensor.custom_kernel(Tensor.empty(1, 2), Tensor.empty(1, 2), a, b, fxn=both, grad_fxn=backward)
    (c * d).sum().backward()
    self.assertEqual(a.grad.tolist(), [[3 + 4 * 3.0, 10 + 7 * 5.0]])
    self.assertEqual(b.grad.tolist(), [[3 + 4 * 1.0, 10 + 7 * 2.0]])

  def test_results_without_a_gradient_are_left_out(self):
    def both(c, d, a):
      i, j = UOp.range(4, 0), UOp.range(2, 1)
      return UOp.sink(c[i].store(a[i] * 2.0).end(i), d[j].store(a[j] * 3.0).end(j))
    seen = []

    def backward(*gradients, call=None):
      if call is None:
        *gradients, call = gradients
      seen.append(len(gradients))
      return None, None, (Tensor(gradients[0]).pad((0, 4 - gradients[0].shape[0])) * Tensor(call.src[3])).uop

    def run(*used):
      a = Tensor([1.0, 2.0, 3.0, 4.0]).realize()
      made = Tensor.custom_kernel(Tensor.empty(4), Tensor.empty(2), a, fxn=both, grad_fxn=backward)
      sum(made[k].sum() for k in used).backward()
      return [t.tolist() for t in made[:2]], a.grad.tolist()
    values = [[2.0, 4.0, 6.0, 8.0], [3.0, 6.0]]
    self.assertEqual(run(0), (values, [1.0, 2.0, 3.0, 4.0]))
    self.assertEqual(run(1), (values, [1.0, 2.0, 0.0, 0.0]))
    self.assertEqual(run(0, 1), (values, [1.0, 2.0, 3.0, 4.0]))
    self.assertEqual(seen, [1, 1, 2])

  def test_a_function_of_several_results_has_a_gradient_of_its_own(self):
    @function(grad_fxn=lambda first, second, call: (Tensor(first) * Tensor(call.src[2]), Tensor(second) * 10))
    def f(a, b):
      return a + 1, b + 2
    a, b = Tensor([1.0, 2.0]).realize(), Tensor([3.0, 4.0]).realize()
    c, d = f(a, b)
    self.assertEqual((c.tolist(), d.tolist()), ([2.0, 3.0], [5.0, 6.0]))
    (c + d).sum().backward()
    self.assertEqual((a.grad.tolist(), b.grad.tolist()), ([3.0, 4.0], [10.0, 10.0]))

  def test_a_value_is_no_target_of_a_store(self):
    for make in (lambda: Tensor.zeros(4).clone(), lambda: Tensor([1.0, 2.0, 3.0, 4.0]) * 2):
      with self.assertRaisesRegex(ArgumentError, r"store: the target is a value \(\w+\), no storage. Hint: realize"):
        make().uop.store(Tensor.ones(4).uop)
      with self.assertRaisesRegex(ArgumentError, "no storage"):
        make().uop[1:].store(Tensor.ones(3).uop)
      s = make().realize()
      x = Tensor(s.uop.after(s.uop[1:].store(Tensor.ones(3).uop)))
      self.assertEqual(x.tolist()[1:], [1.0] * 3)

  def test_what_is_no_kernel_is_refused(self):
    with self.assertRaisesRegex(NotImplementedError, "sink of stores"):
      Tensor.custom_kernel(Tensor.empty(1), fxn=lambda x: x)
    with self.assertRaisesRegex(ValueError, "name no element"):
      Tensor.custom_kernel(Tensor.empty(2, 2), fxn=lambda x: x[0].store(1).sink())


class TestOtherObjects(unittest.TestCase):
  def test_a_gradient_is_one_object(self):
    x = Tensor([3.0])
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    self.assertIs(x.grad, first)
    self.assertEqual(first.tolist(), [5.0])
    x.grad = None
    self.assertIsNone(x.grad)

  def test_a_capture_is_pickled_with_its_function(self):
    for f in (TinyJit(added), TinyJit(lambda x: x + 1.0)):
      for _ in range(3):
        f(Tensor([1.0]))
      self.assertEqual(pickle.loads(pickle.dumps(f))(Tensor([2.0])).tolist(), [3.0])

  def test_extremes_of_nothing(self):
    self.assertEqual((Tensor([]).max().item(), Tensor([]).min().item()), (-float("inf"), float("inf")))
    self.assertEqual(Tensor.empty(2, 0, dtype=dtypes.int8).max(1).tolist(), [-128, -128])


class TestSizesThatVary(unittest.TestCase):
  def test_arange(self):
    begin, end, step = Variable("b", 0, 5).bind(2), Variable("e", 10, 20).bind(14), Variable("s", 1, 3).bind(3)
    self.assertEqual(Tensor.arange(begin, end, step)[:4].tolist(), [2, 5, 8, 11])

  def test_pad(self):
    n = Variable("n", 1, 5).bind(3)
    x = Tensor([[1.0, 2.0, 3.0, 4.0, 5.0]])[:, :n].pad((None, (0, 5 - n)), value=9.0)
    self.assertEqual((x.shape, x.tolist()), ((1, 5), [[1.0, 2.0, 3.0, 9.0, 9.0]]))

  def test_values_are_those_that_exist(self):
    n = Variable("n", 1, 4).bind(2)
    x = Tensor([[1, 2, 3, 4], [5, 6, 7, 8]])[:, :n]
    self.assertEqual(((x + 1).tolist(), x.sum(0).tolist()), ([[2, 3], [6, 7]], [6, 8]))
    self.assertEqual(bytes(x.data()), bytes(Tensor([[1, 2], [5, 6]]).data()))
    self.assertEqual(pickle.loads(pickle.dumps(x)).tolist(), [[1, 2], [5, 6]])

  def test_bits_of_other_sizes(self):
    n = Variable("n", 1, 4).bind(2)
    x = Tensor([[1, 2], [3, 4], [5, 6], [7, 8]], dtype=dtypes.int32)[:n]
    self.assertEqual(x.bitcast(dtypes.uint64).tolist(), [[1 + (2 << 32)], [3 + (4 << 32)]])
    self.assertEqual(x.bitcast(dtypes.uint16).tolist(), [[1, 0, 2, 0], [3, 0, 4, 0]])

  def test_triangles(self):
    n = Variable("n", 1, 4).bind(3)
    x = Tensor.ones(3, 4)[:, :n]
    self.assertEqual(x.tril(n - 3)[:, :3].tolist(), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    self.assertEqual(x.triu(n - 2)[:, :3].tolist(), [[0, 1, 1], [0, 0, 1], [0, 0, 0]])


if __name__ == "__main__":
  unittest.main()
