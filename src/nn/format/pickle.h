// Pickles (Python's serialised objects, protocols 0 to 5) as data: a table of values, in which a
// call of a function stays a call that nobody makes. Nothing is imported and nothing is run; what
// the calls mean decides who reads the table (torch.h). Input is hostile: values may form cycles,
// and the table grows no faster than the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tg::nn {

enum class PickleKind : uint8_t {
  None,
  Bool,        ///< number
  Int,         ///< number
  LargeInt,    ///< text: its bytes, little endian, the last with the sign
  Float,       ///< real
  Text,        ///< text, UTF-8 or, from Python 2, any bytes
  Bytes,       ///< text
  List,        ///< items
  Tuple,       ///< items
  Set,         ///< items
  Dict,        ///< entries
  Global,      ///< text: "module name"
  Call,        ///< items: what is called, its arguments; then what was appended. entries, state
  Persistent,  ///< items: the name of something that is stored elsewhere
};

/// A value; others are named by their places in the table.
struct PickleNode {
  static constexpr uint32_t kNoState = UINT32_MAX;

  PickleKind kind = PickleKind::None;
  uint32_t state = kNoState;  ///< of a Call: what the object was told of itself
  union {
    int64_t number = 0;
    double real;
  };
  std::string text;
  std::vector<uint32_t> items;
  std::vector<uint32_t> entries;  ///< key, value, key, value…
};

struct Pickle {
  std::vector<PickleNode> nodes;
  uint32_t root = 0;
  size_t size = 0;  ///< bytes that it took; others may follow

  const PickleNode& operator[](uint32_t i) const { return nodes[i]; }
};

/// The pickle at the beginning of `bytes`, which begin at `at` of `name`, the input in messages.
/// Throws FileError naming the place, also for more than four million values, and for what needs
/// objects outside (extension codes, buffers).
Pickle parse_pickle(std::string_view bytes, std::string_view name, uint64_t at = 0);

}  // namespace tg::nn
