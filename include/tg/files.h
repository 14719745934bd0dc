// Metadata of tensor files, and limits for archives: plain values without tensors. The functions
// that read files: state.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "tg/export.h"

namespace tg::nn {

/// A metadata value of a file: of GGUF, or from beside the tensors of a checkpoint.
struct TG_API Fact {
  using List = std::vector<Fact>;
  /// Whole numbers are int64_t wherever they fit.
  std::variant<bool, int64_t, uint64_t, double, std::string, List> value;

  /// The value as one of these; a whole number is a float, too. Throws ArgumentError for another.
  bool as_bool() const;
  int64_t as_int() const;
  double as_float() const;
  const std::string& as_text() const;
  const List& as_list() const;

  friend bool operator==(const Fact&, const Fact&) = default;
};

/// Facts by name.
using Facts = std::map<std::string, Fact, std::less<>>;

/// Limits for an archive; beyond them, FileError.
struct ArchiveLimits {
  uint64_t max_bytes = uint64_t{64} << 30;  ///< of all members, unpacked
  uint64_t max_members = 100'000;
  uint64_t max_ratio = 200;                       ///< unpacked bytes for each packed one…
  uint64_t harmless_bytes = uint64_t{256} << 20;  ///< …where it is more than this
};

}  // namespace tg::nn
