"""Small ONNX models as bytes, written by hand: messages of protobuf are fields with numbers (onnx.proto3)."""
import struct

DTYPES = {"float32": (1, "f"), "uint8": (2, "B"), "int8": (3, "b"), "int32": (6, "i"), "int64": (7, "q"), "bool": (9, "?"),
          "float64": (11, "d")}


def _varint(n):
  n &= (1 << 64) - 1
  out = b""
  while n > 0x7F:
    out, n = out + bytes([n & 0x7F | 0x80]), n >> 7
  return out + bytes([n])


def _field(number, value):
  """A whole number, a float, a text or a message."""
  if isinstance(value, int):
    return _varint(number << 3) + _varint(value)
  if isinstance(value, float):
    return _varint(number << 3 | 5) + struct.pack("<f", value)
  data = value.encode() if isinstance(value, str) else value
  return _varint(number << 3 | 2) + _varint(len(data)) + data


def tensor(name, dtype, shape, values):
  """A TensorProto."""
  code, letter = DTYPES[dtype]
  raw = struct.pack(f"<{len(values)}{letter}", *values)
  return b"".join(_field(1, size) for size in shape) + _field(2, code) + _field(8, name) + _field(9, raw)


def _shape(sizes):
  """Numbers, names, and None for any size."""
  dims = (b"" if s is None else _field(1, s) if isinstance(s, int) else _field(2, s) for s in sizes)
  return b"".join(_field(1, dim) for dim in dims)


def value(name, dtype, shape, kind="tensor"):
  """A ValueInfoProto."""
  kinds = {"tensor": lambda t: t, "sequence": lambda t: _field(4, _field(1, t)), "optional": lambda t: _field(9, _field(1, t))}
  plain = _field(1, _field(1, DTYPES[dtype][0]) + _field(2, _shape(shape)))
  return _field(1, name) + _field(2, kinds[kind](plain))


def node(op, inputs, outputs, domain="", **attributes):
  """A NodeProto; attributes are whole numbers, floats and texts, or lists of whole numbers."""
  out = b"".join(_field(1, i) for i in inputs) + b"".join(_field(2, o) for o in outputs) + _field(4, op)
  for name, given in attributes.items():
    numbers, kind = {int: ((3,), 2), float: ((2,), 1), str: ((4,), 3), list: ((8,), 7)}[type(given)]
    items = given if isinstance(given, list) else [given]
    out += _field(5, _field(1, name) + b"".join(_field(numbers[0], item) for item in items) + _field(20, kind))
  return out + (_field(7, domain) if domain else b"")


def model(nodes, inputs, outputs, weights=(), version=17):
  """A ModelProto."""
  graph = b"".join(_field(number, part) for number, parts in ((1, nodes), (5, weights), (11, inputs), (12, outputs)) for part in parts)
  return _field(1, 8) + _field(7, graph + _field(2, "test")) + _field(8, _field(1, "") + _field(2, version))
