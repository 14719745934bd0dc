"""The elements of quantised blocks one by one, as ggml's own loops give them: for test_files.py."""
import struct

IQ4 = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
FP4 = (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)


# ggml's number of a type → (name, elements of a block, bytes of a block)
LAYOUTS = {2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24),
           8: ("Q8_0", 32, 34), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144),
           13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 20: ("IQ4_NL", 32, 18),
           23: ("IQ4_XS", 256, 136), 39: ("MXFP4", 32, 17), 41: ("Q1_0", 128, 18)}


def half(b, i):
  return struct.unpack_from("<e", b, i)[0]


def signed(x):
  return x - 256 if x > 127 else x


def nibbles(q):
  return [x & 15 for x in q] + [x >> 4 for x in q]


def simple(kind, b):
  d = half(b, 0)
  if kind == "Q4_0":
    return [(q - 8) * d for q in nibbles(b[2:18])]
  if kind == "Q4_1":
    return [q * d + half(b, 2) for q in nibbles(b[4:20])]
  if kind == "Q8_0":
    return [signed(q) * d for q in b[2:34]]
  if kind == "IQ4_NL":
    return [IQ4[q] * d for q in nibbles(b[2:18])]
  if kind == "Q1_0":
    return [d if b[2 + i // 8] >> i % 8 & 1 else -d for i in range(128)]
  if kind == "MXFP4":
    return [FP4[q] * 2.0 ** (b[0] - 128) for q in nibbles(b[1:17])]
  at = 2 if kind == "Q5_0" else 4
  high = int.from_bytes(b[at:at + 4], "little")
  q = [x + 16 * (high >> i & 1) for i, x in enumerate(nibbles(b[at + 4:at + 20]))]
  return [(x - 16) * d for x in q] if kind == "Q5_0" else [x * d + half(b, 2) for x in q]


def two_bits(q):
  """Of 64 bytes: for each of 16 groups its 16 numbers."""
  return [[q[h * 32 + g * 16 + i] >> 2 * j & 3 for i in range(16)]
          for h in range(2) for j in range(4) for g in range(2)]


def q2_k(b):
  d, least = half(b, 80), half(b, 82)
  return [d * (s & 15) * q - least * (s >> 4) for s, row in zip(b[:16], two_bits(b[16:80])) for q in row]


def q3_k(b):
  s, out = b[96:108], []
  for n, row in enumerate(two_bits(b[32:96])):
    low = s[n] & 15 if n < 8 else s[n - 8] >> 4
    scale = (low | (s[8 + n % 4] >> 2 * (n // 4) & 3) << 4) - 32
    for i, q in enumerate(row):
      out.append(half(b, 108) * scale * (q - (0 if b[n % 2 * 16 + i] >> n // 2 & 1 else 4)))
  return out


def k_scale(q, j):
  if j < 4:
    return q[j] & 63, q[j + 4] & 63
  return q[j + 4] & 15 | q[j - 4] >> 6 << 4, q[j + 4] >> 4 | q[j] >> 6 << 4


def q45_k(b, five):
  d, least, q, out = half(b, 0), half(b, 2), b[48:] if five else b[16:], []
  for j in range(8):
    scale, minimum = k_scale(b[4:16], j)
    for i in range(32):
      x = q[j // 2 * 32 + i] >> 4 * (j % 2) & 15
      out.append(d * scale * (x + (16 * (b[16 + i] >> j & 1) if five else 0)) - least * minimum)
  return out


def q6_k(b):
  out = []
  for n in range(256):
    h, j, i = n // 128, n // 32 % 4, n % 32
    low = b[h * 64 + i + 32 * (j % 2)] >> 4 * (j // 2) & 15
    high = b[128 + h * 32 + i] >> 2 * j & 3
    out.append(half(b, 208) * signed(b[192 + n // 16]) * ((low | high << 4) - 32))
  return out


def iq4_xs(b):
  high, out = int.from_bytes(b[2:4], "little"), []
  for n in range(8):
    scale = (b[4 + n // 2] >> 4 * (n % 2) & 15 | (high >> 2 * n & 3) << 4) - 32
    out += [half(b, 0) * scale * IQ4[q] for q in nibbles(b[8 + 16 * n:24 + 16 * n])]
  return out


def elements(kind, block):
  """The elements of one block."""
  large = {"Q2_K": q2_k, "Q3_K": q3_k, "Q4_K": lambda b: q45_k(b, False),
           "Q5_K": lambda b: q45_k(b, True), "Q6_K": q6_k, "IQ4_XS": iq4_xs}
  return large[kind](block) if kind in large else simple(kind, block)
