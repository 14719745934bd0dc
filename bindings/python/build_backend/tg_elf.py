"""What a shared object of Linux asks of its system: libraries, and versions of their symbols. Read from the ELF file
itself (64 bits, little-endian), so that packing a wheel needs no further tools. No disassembler and no linker: two tables
of the dynamic section, no more. Who asks: tg_build.py.
"""
import struct

_DYNAMIC, _VERSIONS_NEEDED = 6, 0x6FFFFFFE  # types of sections
_NEEDED = 1  # an entry of the dynamic section: the name of a library


def _sections(data):
  """[(type, offset, size, number of the section with its strings, entries)]"""
  if data[:6] != b"\x7fELF\x02\x01":
    raise ValueError("tg_elf: not an ELF file of 64 bits, little-endian")
  start, = struct.unpack_from("<Q", data, 40)
  size, count = struct.unpack_from("<HH", data, 58)
  result = []
  for i in range(count):
    _, kind, _, _, offset, length, strings, entries = struct.unpack_from("<IIQQQQII", data, start + i * size)
    result.append((kind, offset, length, strings, entries))
  return result


def needs(data):
  """({library}, {version of a symbol, as "GLIBC_2.34"}) of the bytes of a shared object."""
  libraries, versions = set(), set()
  sections = _sections(data)
  for kind, offset, length, strings, entries in sections:
    def text(place):
      begin = sections[strings][1] + place
      return data[begin:data.index(b"\0", begin)].decode()
    if kind == _DYNAMIC:
      for place in range(offset, offset + length, 16):
        tag, value = struct.unpack_from("<QQ", data, place)
        if tag == _NEEDED:
          libraries.add(text(value))
    elif kind == _VERSIONS_NEEDED:
      for _ in range(entries):
        _, count, _, first, following = struct.unpack_from("<HHIII", data, offset)
        place = offset + first
        for _ in range(count):
          _, _, _, name, step = struct.unpack_from("<IHHII", data, place)
          versions.add(text(name))
          place += step
        offset += following
  return libraries, versions
