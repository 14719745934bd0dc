"""What programs written for tinygrad find beside Tensor's functions: dtypes of numbers, files as
tensors, comparisons of variables, nodes of a graph, errors of captured functions, helpers."""
import contextlib
import io
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from tinygrad_cpp import Context, Device, Tensor, TinyJit, UOp, Variable, dtypes, nn, set_log
from tinygrad_cpp.codegen.opt import Opt, OptOps
from tinygrad_cpp.dtype import (DTYPES_DICT, Invalid, can_lossless_cast, float_to_bf16, float_to_fp8, fp8_to_float,
                                least_upper_dtype, least_upper_float, strong_dtype, truncate, weak_dtype)
from tinygrad_cpp.errors import JitError
from tinygrad_cpp.helpers import GlobalCounters, diskcache, mv_address, tqdm
from tinygrad_cpp.schedule import schedule_cache
from tinygrad_cpp.uop.ops import resolve, smax, smin, sym_infer


class TestDTypes(unittest.TestCase):
  def test_dtypes_show_their_short_names(self):
    self.assertEqual([repr(d) for d in (dtypes.float32, dtypes.int8, dtypes.bool)],
                     ["dtypes.float", "dtypes.char", "dtypes.bool"])

  def test_numbers_have_weak_dtypes_that_have_no_storage(self):
    self.assertEqual([dtypes.from_py(x) for x in (True, 2, 2.0, [1, 2.0])],
                     [dtypes.bool, dtypes.weakint, dtypes.weakfloat, dtypes.float32])
    self.assertEqual((strong_dtype(dtypes.weakint), weak_dtype(dtypes.float16)), (dtypes.int32, dtypes.weakfloat))
    with self.assertRaisesRegex(RuntimeError, "weakfloat has no storage"):
      Tensor([1.0], dtype=dtypes.weakfloat)

  def test_dtypes_meet_at_the_least_one_above_both(self):
    self.assertIs(least_upper_dtype(dtypes.int8, dtypes.uint8), dtypes.int16)
    self.assertIs(least_upper_dtype(dtypes.int64, dtypes.uint64), dtypes.weakfloat)
    self.assertIs(least_upper_dtype(dtypes.weakfloat, dtypes.float16), dtypes.float16)
    self.assertIs(least_upper_float(dtypes.int32), dtypes.float32)
    self.assertTrue(can_lossless_cast(dtypes.int8, dtypes.half))
    self.assertFalse(can_lossless_cast(dtypes.int32, dtypes.float))
    self.assertFalse(can_lossless_cast(dtypes.int8, dtypes.uint64))

  def test_every_byte_is_an_fp8_and_back(self):
    for dtype in dtypes.fp8s:
      for byte in range(256):
        value = fp8_to_float(byte, dtype)
        if math.isfinite(value):
          self.assertEqual(float_to_fp8(value, dtype), byte, (dtype, byte))

  def test_fp8_rounds_to_even_and_stops_at_the_largest(self):
    self.assertEqual(truncate[dtypes.fp8e4m3](1.0625), 1.0)
    self.assertEqual(truncate[dtypes.fp8e4m3](1.1875), 1.25)
    self.assertEqual(truncate[dtypes.fp8e4m3](-3e4), -448.0)
    self.assertEqual(float_to_fp8(math.inf, dtypes.fp8e5m2), 0x7C)
    self.assertEqual(float_to_fp8(-0.0, dtypes.fp8e4m3fnuz), 0)

  def test_numbers_are_truncated_as_they_are_stored(self):
    self.assertEqual((truncate[dtypes.uint8](257), truncate[dtypes.int8](200)), (1, -56))
    self.assertEqual((float_to_bf16(1.001), truncate[dtypes.float16](1e6)), (1.0, math.inf))

  def test_a_name_that_no_dtype_has_is_both_errors(self):
    for error in (AttributeError, ValueError):
      with self.assertRaisesRegex(error, "there is no dtype 'typo'"):
        Tensor([1], dtype="typo")

  def test_invalid_is_one_object(self):
    self.assertIs(pickle.loads(pickle.dumps(Invalid)), Invalid)

  def test_a_device_says_which_dtypes_it_has(self):
    self.assertEqual(Device.default.renderer.supported_dtypes(), set(DTYPES_DICT.values()))


class TestFiles(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.file = pathlib.Path(folder.name) / "file"

  def test_a_path_is_its_bytes(self):
    self.file.write_bytes(bytes(range(8)))
    t = Tensor(self.file)
    self.assertEqual((t.device, t.dtype, t.shape), (f"DISK:{self.file}", dtypes.uint8, (8,)))
    self.assertEqual(t[2:4].tolist(), [2, 3])
    self.assertEqual(Tensor(self.file, dtype=dtypes.int16).tolist(), [0x100, 0x302, 0x504, 0x706])
    self.assertEqual(Tensor(self.file, device="CPU").device, "CPU")
    self.assertEqual((t + 1).tolist(), list(range(1, 9)))

  def test_a_file_that_is_missing_or_empty(self):
    with self.assertRaises(FileNotFoundError):
      Tensor(self.file)
    self.file.touch()
    self.assertEqual(Tensor(self.file).shape, (0,))

  def test_what_is_assigned_is_in_the_file(self):
    t = Tensor.empty(16, dtype=dtypes.uint8, device=f"disk:{self.file}")
    t[0:8].bitcast(dtypes.int64).assign([12345])
    t[8:16].bitcast(dtypes.float32).reshape(1, 2)[0].assign(Tensor([1.0, 2.0]))
    t[15] = 7
    data = self.file.read_bytes()
    self.assertEqual(int.from_bytes(data[:8], "little"), 12345)
    self.assertEqual(data[8:], b"\0\0\x80\x3f\0\0\0\x07")

  def test_a_tensor_is_written_and_a_copy_stays(self):
    disk = Tensor([[1, 2], [3, 4]]).to(f"disk:{self.file}")
    copy = disk.to(None)
    self.assertEqual((copy.device, disk[1].tolist()), (Device.DEFAULT, [3, 4]))
    disk[1] = [5, 6]
    self.assertEqual((disk.tolist(), copy.tolist()), ([[1, 2], [5, 6]], [[1, 2], [3, 4]]))
    self.assertEqual(pickle.loads(pickle.dumps(disk)).tolist(), [[1, 2], [5, 6]])

  def test_a_slice_reads_its_own_pages(self):
    size = 1 << 40  # a hole, far more than there is memory
    with open(self.file, "wb") as file:
      file.truncate(size)
    self.assertEqual(Tensor(self.file)[size - 4:].tolist(), [0] * 4)

  def test_shared_memory_is_found_by_its_name(self):
    name = f"tinygrad_cpp_{os.getpid()}"
    self.addCleanup(lambda: os.unlink(f"/dev/shm/{name}"))
    Tensor.empty(2, dtype=dtypes.int32, device=f"shm:{name}").assign([3, 4])
    self.assertEqual(Tensor.empty(2, dtype=dtypes.int32, device=f"shm:{name}").tolist(), [3, 4])
    with self.assertRaisesRegex(ValueError, "one part of a path"):
      Tensor.empty(2, device="shm:../x")


class TestVariables(unittest.TestCase):
  def test_comparisons_are_decided_by_the_bounds(self):
    v = Variable("v", 1, 8)
    self.assertEqual((v > 0, v >= 1, v < 1, v <= 8, v > 8), (True, True, False, True, False))
    self.assertEqual((resolve(v < 4), resolve(v < 4, False), resolve(v < 9)), (True, False, True))
    self.assertEqual(((v.bind(3) < 4).value, (v.bind(5) < 4).value), (True, False))
    with self.assertRaisesRegex(ValueError, "depends on the values"):
      bool(v < 4)

  def test_extremes_of_sizes(self):
    v = Variable("v", 1, 8)
    self.assertEqual((smax(v, 9), smin(v, 9), smax(3, 4), smin((3, 4))), (9, v, 4, 3))

  def test_the_value_of_an_expression(self):
    v = Variable("v", 1, 8)
    self.assertEqual((sym_infer(v * 2 + 1, {"v": 5}), sym_infer(v.bind(3) + 1), sym_infer(4)), (11, 4, 4))
    with self.assertRaisesRegex(KeyError, "no value is given for v"):
      sym_infer(v + 1, {"w": 1})

  def test_a_variable_without_value_is_no_tensor(self):
    with self.assertRaisesRegex(RuntimeError, "the variable v is unbound"):
      Tensor(Variable("v", 1, 8))

  def test_a_variable_may_name_a_dtype(self):
    self.assertEqual(Tensor(Variable("v", 0, 2 ** 40, dtype=dtypes.long).bind(2 ** 35)).item(), 2 ** 35)
    self.assertEqual(Variable.variable("v", 1, 8, dtypes.int), Variable("v", 1, 8))

  def test_storage_of_a_variable_size(self):
    self.assertEqual(str(Tensor.empty(2, Variable("v", 1, 32), 4).shape), "(2, v, 4)")


class TestSmallThings(unittest.TestCase):
  def test_memory_has_an_address_that_tensors_share(self):
    memory = memoryview(bytearray(8)).cast("i")
    t = Tensor.from_blob(mv_address(memory), (2,), dtype=dtypes.int32, device="CPU")
    memory[1] = 5
    self.assertEqual(((t + 1).tolist(), mv_address(memoryview(bytearray()))), ([1, 6], 0))

  def test_rows_of_bytes(self):
    self.assertEqual(Tensor([b"ab", b"cd"], dtype=dtypes.uint8).tolist(), [[97, 98], [99, 100]])

  def test_the_ellipsis_of_formulas_may_be_one_letter(self):
    self.assertEqual(Tensor.empty(2, 3, 4).rearrange("a … -> … a").shape, (3, 4, 2))

  def test_an_index_beyond_all_integers_is_outside(self):
    with self.assertRaises(IndexError):
      Tensor([1, 2])[1 << 64]

  def test_a_list_of_other_things_than_integers_is_a_tuple(self):
    x = Tensor.arange(6).reshape(2, 3)
    self.assertEqual(x[[slice(None), [0, 2]]].tolist(), [[0, 2], [3, 5]])
    self.assertEqual(x[[[1, 0], [2, 0]]].tolist(), [5, 0])
    self.assertEqual(x[[1, 0]].tolist(), [[3, 4, 5], [0, 1, 2]])

  def test_a_truth_value_is_put_into_numbers(self):
    x = Tensor([1, 2, 3]).contiguous().realize()
    x[1] = False
    self.assertEqual(x.tolist(), [1, 0, 3])

  def test_one_number_of_a_state_has_either_shape(self):
    norm = nn.BatchNorm(2)
    state = nn.state.get_state_dict(norm)
    state["num_batches_tracked"] = Tensor(7)
    nn.state.load_state_dict(norm, state, verbose=False)
    self.assertEqual(norm.num_batches_tracked.tolist(), [7])


class TestIndices(unittest.TestCase):
  def test_all_of_a_tensor_is_the_tensor(self):
    x = Tensor([[1, 2], [3, 4]])
    for same in (x[:], x[...], x[()]):
      self.assertIs(same, x)
    self.assertEqual([x[None].shape, x[1:].shape, x[::-1].tolist()], [(1, 2, 2), (1, 2), [[3, 4], [1, 2]]])
    with self.assertRaises(IndexError):
      Tensor(1)[:]

  def test_indices_that_do_not_fit_together_are_an_error_of_indices(self):
    x = Tensor.zeros(5, 5).contiguous()
    for call in (lambda: x[[0, 1], [0, 1, 2]], lambda: x.__setitem__(([0, 1], [0, 1, 2]), 0)):
      with self.assertRaisesRegex(IndexError, "shapes cannot be broadcast"):
        call()
    with self.assertRaises(ValueError):
      x[0] = Tensor.zeros(3)
    with self.assertRaises(ValueError) as raised:
      Tensor.zeros(2) + Tensor.zeros(3)
    self.assertNotIsInstance(raised.exception, IndexError)


class TestBits(unittest.TestCase):
  def test_what_is_assigned_to_a_bitcast_is_in_the_tensor(self):
    x = Tensor([1.0, 2.0, 3.0]).realize()
    x[1:].bitcast(dtypes.uint32).assign(Tensor([0x40800000, 0x40000000], dtype=dtypes.uint32))
    self.assertEqual(x.tolist(), [1.0, 4.0, 2.0])
    x.bitcast(dtypes.uint32)[0] = 0x40400000
    self.assertEqual(x.tolist(), [3.0, 4.0, 2.0])
    x.bitcast(dtypes.uint8)[3:4] = 0xc0
    self.assertEqual(x.tolist(), [-3.0, 4.0, 2.0])


class TestViews(unittest.TestCase):
  def test_what_is_set_stays_where_it_is_for_its_views(self):
    x = Tensor([1, 2, 3]).realize()
    view = x[1:]
    x[0] = 5
    x += 1
    self.assertEqual((view.tolist(), x.tolist()), ([3, 4], [6, 3, 4]))

  def test_what_is_set_in_a_view_makes_its_tensor_one_that_changes_in_place(self):
    for realized in (False, True):
      x = Tensor([1, 2, 3, 4]).contiguous()
      if realized:
        x.realize()
      view = x[1:]
      view[0] = 5
      x += 1
      with self.subTest(realized=realized):
        self.assertEqual((view.tolist(), x.tolist()), ([6, 4, 5], [2, 6, 4, 5]))

  def test_a_value_without_storage_is_replaced(self):
    x = Tensor([1, 2]) * 2
    before = x + 0
    x += 1
    self.assertFalse(x._has_storage())
    self.assertEqual((x.tolist(), before.tolist()), ([3, 5], [2, 4]))

  def test_an_assignment_names_both_dtypes(self):
    x = Tensor.zeros(2).contiguous().realize()
    with self.assertRaisesRegex(RuntimeError, "^assign dtype mismatch: the tensor is dtypes.float, the value dtypes.int. "
                                              "Hint: cast the value.$"):
      x.assign(Tensor([1, 2]))
    self.assertEqual(x.assign(3).tolist(), [3, 3])


class TestOpts(unittest.TestCase):
  """Loops that a program chooses: codegen.opt."""

  def setUp(self):
    Tensor.manual_seed(3)
    self.a, self.b, self.c = (Tensor.randn(16, 16).realize() for _ in range(3))
    self.product = (self.a @ self.b @ self.c).tolist()

  def logged(self, function):
    """What it gives, and what the log says of schedules."""
    lines = []
    before = set_log(lines.append)
    try:
      with Context(DEBUG=3):
        result = function()
    finally:
      set_log(before)
    return result, "\n".join(lines)

  def run_with(self, value, *opts):
    return self.logged(lambda: value.contiguous(arg=opts).tolist())

  def test_a_kernel_has_the_loops_that_it_is_given(self):
    for opts, text in (((), ": plain"), ((Opt(OptOps.UPCAST, 0, 4),), ": UPCAST(r0,4)"),
                       ((Opt(OptOps.UPCAST, 1, 8), Opt(OptOps.UNROLL, 0, 4)), ": UPCAST(r1,8) UNROLL(r2,4)"),
                       ((Opt(OptOps.UPCAST, 2, 3),), ": UNROLL(r2,3,peel)")):
      with self.subTest(opts=opts):
        found, log = self.run_with(self.a @ self.b @ self.c, *opts)
        self.assertIn(text + "\n", log)
        for row, expected in zip(found, self.product):
          for x, y in zip(row, expected):
            self.assertAlmostEqual(x, y, places=4)

  def test_what_a_kernel_does_not_allow_is_left_out(self):
    found, log = self.run_with(self.a + self.b, Opt(OptOps.UNROLL, 0, 4), Opt(OptOps.UPCAST, 1, 4))
    self.assertIn("UNROLL of axis 0 by 4 is left out: the kernel has no such axis", log)
    self.assertIn(": UPCAST(r1,4)\n", log)
    self.assertEqual(found, (self.a + self.b).tolist())

  def test_a_chosen_kernel_is_merged_with_no_other(self):
    for opts, kernels in ((None, "1 kernel "), ((Opt(OptOps.UPCAST, 0, 2),), "2 kernels ")):
      x = Tensor.empty(300, 300).realize()
      _, log = self.logged(lambda: Tensor.realize((x + 1).contiguous(arg=opts), (x * 2).contiguous()))
      with self.subTest(opts=opts):
        self.assertIn(kernels, log)

  def test_gradients_flow_through_it(self):
    (self.a * 2).contiguous(arg=(Opt(OptOps.UPCAST, 0, 4),)).sum().backward()
    self.assertEqual(self.a.grad.tolist(), [[2.0] * 16] * 16)

  def test_what_cannot_be_asked_for_is_said(self):
    self.assertEqual(self.a.contiguous(arg=None).tolist(), self.a.tolist())
    with self.assertRaisesRegex(NotImplementedError, "OptOps.LOCAL cannot be asked for, only UPCAST and UNROLL"):
      self.a.contiguous(arg=(Opt(OptOps.LOCAL, 0, 4),))
    with self.assertRaisesRegex(ValueError, "contiguous_unrolled: no points of an axis to compute together: axis 0, 0 points"):
      self.a.contiguous(arg=(Opt(OptOps.UPCAST, 0, 0),))


class TestKernelCounts(unittest.TestCase):
  def kernels(self, tensor):
    GlobalCounters.reset()
    tensor.realize()
    return GlobalCounters.kernel_count

  def test_what_a_tensor_holds_already_is_not_stored(self):
    x = Tensor.ones(3, 3).contiguous().realize()
    self.assertEqual(self.kernels(x.assign(x / 1)), 0)
    self.assertEqual(x.tolist(), [[1.0] * 3] * 3)
    x[1:] = x[1:] * 1
    self.assertEqual(self.kernels(x), 0)
    x[:] += 1
    self.assertEqual(self.kernels(x), 1)
    self.assertEqual(x.tolist(), [[2.0] * 3] * 3)

  def test_what_nobody_reads_before_it_is_replaced_is_not_stored(self):
    x = Tensor.empty(2)
    x.assign(Tensor([1.0, 2.0]) * 3)
    x.assign(Tensor([5.0, 6.0]) + 1)
    self.assertEqual(self.kernels(x), 1)
    self.assertEqual(x.tolist(), [6.0, 7.0])
    x.assign(Tensor([1.0, 2.0]) * 3)
    y = x + 1
    x.assign(Tensor([5.0, 6.0]))
    self.assertEqual((y.tolist(), x.tolist()), ([4.0, 7.0], [5.0, 6.0]))

  def test_a_copy_goes_to_where_it_is_assigned(self):
    x, y = Tensor([1.0, 2.0, 3.0], device="CPU:1").realize(), Tensor.zeros(3, device="CPU").contiguous().realize()
    self.assertEqual(self.kernels(y.assign(x.to("CPU"))), 1)
    self.assertEqual(y.tolist(), [1.0, 2.0, 3.0])
    z, copy = Tensor.zeros(3, device="CPU").contiguous().realize(), x.to("CPU")
    Tensor.realize(z.assign(copy), copy)
    self.assertEqual((z.tolist(), copy.tolist()), ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]))
    @TinyJit
    def move(x):
      return y.assign((x + 1).to("CPU")).realize()
    for k in range(4):
      self.assertEqual(move(Tensor([k, 2.0, 3.0], device="CPU:1").realize()).tolist(), [k + 1.0, 3.0, 4.0])

  def test_rows_are_put_into_a_tensor_in_place(self):
    x = Tensor.arange(4000).reshape(1000, 4).clone().realize()
    rows, values = Tensor([7, 3, 7]).realize(), Tensor([[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]).realize()
    x[rows] = values
    self.assertEqual(self.kernels(x), 1)
    self.assertEqual(x[[2, 3, 7]].tolist(), [[8, 9, 10, 11], [2] * 4, [3] * 4])
    x[rows] = x[[0, 1, 2]] + x[rows]
    self.assertEqual(x[[0, 3, 7]].tolist(), [[0, 1, 2, 3], [6, 7, 8, 9], [11, 12, 13, 14]])
    x += 1
    x += -1
    x[rows] = x[[3, 1, 3]]  # the row at 3 is replaced before it is read again
    self.assertEqual(x[[3, 7]].tolist(), [[4, 5, 6, 7], [6, 7, 8, 9]])
    before = x * 1
    x[rows] = values
    self.assertEqual((before[3].tolist(), x[3].tolist()), ([4, 5, 6, 7], [2] * 4))

  def test_constants_without_a_buffer_need_no_kernel(self):
    self.assertEqual(self.kernels((Tensor([1, 2]).realize() + Tensor.zeros(2, buffer=False) + Tensor.ones(2, buffer=False))), 1)
    self.assertEqual(Tensor.ones(2, 2, dtype=dtypes.int32, buffer=False).tolist(), [[1, 1], [1, 1]])


class TestSchedules(unittest.TestCase):
  def test_one_schedule_serves_graphs_that_differ_in_arrays_and_variables(self):
    schedule_cache.clear()
    self.assertEqual(len(schedule_cache), 0)
    size, x = Variable("size", 1, 100), Tensor([1.0] * 10).realize()
    found, kept = [], []
    for n, other in ((5, 1.0), (10, 2.0), (20, 3.0)):
      found.append((x + Tensor(size.bind(n)) * Tensor([other] * 10).realize()).sum().item())
      kept.append(len(schedule_cache))
    self.assertEqual((found, kept), ([60.0, 210.0, 610.0], [kept[0]] * 3))
    (x * 3).realize()
    self.assertEqual(len(schedule_cache), kept[0] + 1)


class TestNodes(unittest.TestCase):
  def test_constants_are_nodes_and_tensors(self):
    node = UOp.const(2.0).cast(dtypes.float16)
    t = Tensor(node + 1)
    self.assertEqual((t.dtype, t.item(), t.device), (dtypes.float16, 3.0, None))

  def test_views_share_their_base_and_its_buffer(self):
    t = Tensor([1.0, 2.0]).realize()
    self.assertIs(t.uop.buffer, t[1:].uop.base.buffer)
    self.assertIs(t.uop, t.uop)
    self.assertTrue(t[1:].uop.is_realized)
    self.assertIsNone((t + 1).uop.realized)
    with self.assertRaisesRegex(RuntimeError, "has no buffer"):
      (t + 1).uop.buffer
    self.assertIsNot(t.uop.buffer, t.clone().realize().uop.buffer)

  def test_operations_by_name(self):
    x, w = Tensor([1.0, 2.0]), Tensor(2.0)
    self.assertEqual(Tensor(x.uop.alu("MUL", w.uop)).tolist(), [2.0, 4.0])


class TestCaptures(unittest.TestCase):
  def test_a_call_that_does_not_fit_is_a_jit_error(self):
    f = TinyJit(lambda a: (a + 1).realize())
    for _ in range(3):
      f(Tensor([1.0, 2.0]))
    with self.assertRaisesRegex(JitError, "changed its shape"):
      f(Tensor([1.0]))

  def test_nothing_to_capture_is_a_jit_error(self):
    f = TinyJit(lambda a: None)
    f(Tensor([1.0]))
    with self.assertRaisesRegex(JitError, "computed nothing"):
      f(Tensor([1.0]))

  def test_named_arguments_have_no_order(self):
    f = TinyJit(lambda a, b: (a - b).realize())
    for _ in range(3):
      f(a=Tensor([1.0]), b=Tensor([2.0]))
    self.assertEqual(f(b=Tensor([1.0]), a=Tensor([5.0])).item(), 4.0)


class TestRest(unittest.TestCase):
  def test_a_clone_has_the_gradient_too(self):
    x = Tensor([1.0, 2.0])
    (x * x).sum().backward()
    y = x.clone()
    x.grad.assign(Tensor([0.0, 0.0])).realize()
    self.assertEqual(y.grad.tolist(), [2.0, 4.0])

  def test_data_in_tinygrads_forms(self):
    self.assertEqual(Tensor(b"\0\0\x80\x3f", dtype=dtypes.float32).tolist(), [1.0])
    self.assertEqual((Tensor(3).data().shape, Tensor(3).data().tolist()), ((), 3))
    self.assertEqual(Tensor.randn().shape, ())
    with self.assertRaisesRegex(ValueError, "bad arg"):
      Tensor.zeros((2, 2), 2)

  def test_lists_of_arrays(self):
    try:
      import numpy
    except ImportError:
      self.skipTest("NumPy is not there")
    self.assertEqual(Tensor([numpy.ones(2), numpy.zeros(2)]).tolist(), [[1.0, 1.0], [0.0, 0.0]])

  def test_optimisers_refuse_negative_numbers(self):
    for arguments in ({"lr": -0.1}, {"momentum": -0.1}, {"weight_decay": -0.1}):
      with self.assertRaisesRegex(ValueError, "must not be negative"):
        nn.optim.SGD([Tensor([1.0])], **arguments)

  def test_a_bar_is_as_wide_as_the_terminal(self):
    out = io.StringIO()
    with mock.patch("shutil.get_terminal_size", return_value=os.terminal_size((60, 24))):
      with contextlib.redirect_stderr(out):
        self.assertEqual(list(tqdm(range(3), desc="Test", rate=10 ** 9)), [0, 1, 2])
    last = out.getvalue().split("\r")[-1].rstrip("\n")
    self.assertTrue(last.startswith("Test: 100%|█") and "3/3 [00:00<00:00, " in last, last)
    self.assertEqual(len(last), 60)

  def test_results_are_kept_on_disk(self):
    calls = []

    def double(x):
      calls.append(x)
      return 2 * x
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, XDG_CACHE_HOME=folder):
      self.assertEqual([diskcache(double)(4), diskcache(double)(4)], [8, 8])
    self.assertEqual(calls, [4])

  def test_the_import_takes_any_value_of_the_environment(self):
    for name, value in (("PROFILE", "1"), ("DEBUG", "much"), ("BEAM", "x")):
      done = subprocess.run([sys.executable, "-c", "import tinygrad_cpp"], env={**os.environ, name: value},
                            capture_output=True, text=True)
      self.assertEqual(done.returncode, 0, done.stderr)


class TestBuffers(unittest.TestCase):
  """Storage below tensors: tinygrad_cpp.device.Buffer."""

  def setUp(self):
    from tinygrad_cpp.device import Buffer
    self.whole = Buffer(Device.DEFAULT, 10, dtypes.uint8, initial_value=bytes(range(10)))

  def test_a_view_shows_a_part_as_another_dtype(self):
    pair = self.whole.view(2, dtypes.uint16, offset=3).ensure_allocated()
    self.assertEqual(pair.as_memoryview().cast("H").tolist(), [3 | 4 << 8, 5 | 6 << 8])
    self.assertEqual(pair.view(1, dtypes.uint8, offset=1).ensure_allocated().as_memoryview().tolist(), [4])

  def test_what_is_copied_into_a_view_is_in_the_whole(self):
    from tinygrad_cpp.device import Buffer
    part = self.whole.view(3, dtypes.uint8, offset=3).ensure_allocated()
    part.copy_from(Buffer("PYTHON", 3, dtypes.uint8, opaque=memoryview(bytearray(b"abc"))))
    self.assertEqual(bytes(self.whole.as_memoryview()), bytes([0, 1, 2, *b"abc", 6, 7, 8, 9]))
    with self.assertRaisesRegex(AssertionError, "copy size mismatch, 3 != 10"):
      part.copy_from(self.whole)

  def test_storage_that_was_given_back_is_not_read(self):
    part = self.whole.view(3, dtypes.uint8, offset=3).ensure_allocated()
    self.whole.deallocate()
    self.assertFalse(part.is_allocated())
    for use in (part.as_memoryview, self.whole.deallocate):
      with self.assertRaises(AssertionError):
        use()

  def test_a_buffer_travels(self):
    again = pickle.loads(pickle.dumps(self.whole))
    self.assertEqual((again.size, again.dtype, bytes(again.as_memoryview())), (10, dtypes.uint8, bytes(range(10))))

  def test_a_tensor_of_bytes_is_a_file(self):
    file = nn.state.TensorIO(Tensor(b"Hello World!"))
    self.assertEqual((file.read(1), file.read(4), file.seek(-6, 2), file.read(), file.read(3)),
                     (b"H", b"ello", 6, b"World!", b""))
    with self.assertRaisesRegex(ValueError, "expected bytes along one axis"):
      nn.state.TensorIO(Tensor([1.0]))


if __name__ == "__main__":
  unittest.main()
