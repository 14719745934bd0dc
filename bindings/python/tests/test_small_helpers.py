"""The small functions of tinygrad.helpers: fixed cases, and the same as tinygrad's on random arguments."""
import array
import ctypes
import gc
import itertools
import os
import pickle
import random
import unittest

from tinygrad_cpp import helpers, small_helpers

try:
  from tinygrad import helpers as reference
except ImportError:
  reference = None


def text(r, letters, most):
  return "".join(r.choice(letters) for _ in range(r.randint(0, most)))


def arguments(r):
  """{name: arguments of one call}."""
  x, y, bits = r.randint(-50, 50), r.randint(-9, 9), r.getrandbits(64)
  coloured = text(r, ["a", " ", "\x1b[31m", "\x1b[0m"], 30)
  return {
    "cdiv": (x, y), "cmod": (x, y), "floordiv": (x, y), "floormod": (x, y), "round_down": (x, abs(y) + 1), "lo32": (bits,),
    "hi32": (bits,), "data64": (bits,), "data64_le": (bits,), "to_be64": (bits,), "to_be32": (bits & 0xFFFFFFFF,),
    "getbits": (bits, 3, r.randint(3, 20)), "i2u": (8, r.randint(-128, 127)), "next_power2": (r.randint(0, 5000),),
    "size_to_str": (r.getrandbits(r.randint(1, 40)),), "strides_for_shape": (tuple(r.choice([1, 2, 5]) for _ in range(r.randint(0, 4))),),
    "resolve_pool_pads": (r.choice([1, [1, 2], [1, 2, 3, 4], [1, 2, 3]]), 2), "flat_to_grouped": ([x, y, 3, 4][:r.choice([2, 4])],),
    "pad_bytes": (bytes(r.randint(0, 9)), 4), "pluralize": ("x", r.randint(0, 3)), "strip_parens": (text(r, "()ab", 6),),
    "ansipad": (coloured, 12), "to_function_name": (coloured,), "word_wrap": (coloured, 5),
    "get_shape": (r.choice([1, "ab", [1, 2], [[1], [2]], [[1], [2, 3]], [[], []], []]),),
    "merge_dicts": ([{1: 2}, {r.randint(1, 2): r.randint(2, 3)}],), "to_tuple": (r.choice([1, (1, 2), [1]]),),
    "colorize_float": (r.uniform(0.5, 1.5),), "printable": ((__file__, r.randint(1, 5000)),)}


def outcome(function, given):
  try:
    return function(*given)
  except (ValueError, RuntimeError) as error:
    return type(error)


class TestSmallHelpers(unittest.TestCase):
  def test_all_are_helpers(self):
    for name in small_helpers.__all__:
      self.assertIs(getattr(helpers, name), getattr(small_helpers, name))

  @unittest.skipIf(reference is None, "tinygrad is not installed")
  def test_they_do_what_tinygrads_do(self):
    seed = random.randrange(1 << 30)
    r = random.Random(seed)
    compared = set()
    for _ in range(500):
      for name, given in arguments(r).items():
        if hasattr(reference, name):
          compared.add(name)
          self.assertEqual(outcome(getattr(small_helpers, name), given), outcome(getattr(reference, name), given), (name, given, seed))
    self.assertGreater(len(compared), 20)

  def test_whole_numbers(self):
    self.assertEqual([small_helpers.cdiv(-7, 2), small_helpers.cmod(-7, 2), small_helpers.floordiv(-7, 2), small_helpers.floormod(-7, 2)],
                     [-3, -1, -4, 1])
    self.assertEqual([small_helpers.cdiv(1, 0), small_helpers.floordiv(1, 0)], [0, 0])
    self.assertEqual(small_helpers.to_be32(0x01020304), 0x04030201)
    self.assertEqual([small_helpers.next_power2(n) for n in (0, 1, 5, 8)], [1, 1, 8, 8])

  def test_texts(self):
    self.assertEqual(small_helpers.word_wrap("abcdefg\nh", 3), "abc\ndef\ng\nh")
    self.assertEqual(small_helpers.strip_parens("(a)(b)"), "(a)(b)")
    self.assertEqual(small_helpers.to_function_name("a b_\x1b[31mc"), "a20b_c")
    self.assertEqual(small_helpers.printable((os.devnull, 3)), "<missing>")

  def test_memory(self):
    data = array.array("B", [1, 2, 3])
    seen = small_helpers.to_mv(data.buffer_info()[0], 3)
    data[1] = 9
    self.assertEqual(bytes(seen), b"\x01\x09\x03")
    small_helpers.from_mv(memoryview(data), ctypes.c_uint8)[0] = 7
    self.assertEqual(data[0], 7)
    self.assertEqual(ctypes.string_at(small_helpers.to_char_p_p([b"a", b"bc"])[1]), b"bc")

  def test_programs(self):
    self.assertEqual(small_helpers.system("echo a b"), "a b")
    with self.assertRaisesRegex(RuntimeError, "failed with exit code 1"):
      small_helpers.system("false")
    with self.assertRaises(TimeoutError):
      small_helpers.wait_cond(lambda: False, timeout_ms=1)
    numbers = itertools.count()
    self.assertEqual(small_helpers.wait_cond(lambda: next(numbers), value=3), 3)
    with self.assertRaisesRegex(KeyError, "x"):
      small_helpers.panic(KeyError, "x")
    self.assertIs(small_helpers.fromimport("os.path", "join"), os.path.join)
    counter = pickle.loads(pickle.dumps(small_helpers.count(5, 2)))
    self.assertEqual([next(counter), next(counter)], [5, 7])

  def test_garbage_stays_while_it_must(self):
    @small_helpers.disable_gc()
    def inner(depth):
      self.assertFalse(gc.isenabled())
      if depth:
        inner(depth - 1)
      self.assertFalse(gc.isenabled())
    inner(2)
    self.assertTrue(gc.isenabled())


if __name__ == "__main__":
  unittest.main()
