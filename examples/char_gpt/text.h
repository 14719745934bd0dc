// The text that the character model learns: bytes as small integers, windows of it as batches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tg/tensor.h"

namespace char_gpt {

/// The characters (bytes) of a text, numbered in the order of their codes.
class Alphabet {
 public:
  /// Those that occur in `text`.
  explicit Alphabet(std::string_view text);

  int64_t size() const { return static_cast<int64_t>(characters_.size()); }
  const std::string& characters() const { return characters_; }
  char character(int64_t number) const { return characters_.at(static_cast<size_t>(number)); }
  /// The numbers of the characters of `text`; those that are not in the alphabet are left out.
  std::vector<int32_t> numbers(std::string_view text) const;

 private:
  std::string characters_;  // sorted
};

/// The bytes of a file. Throws std::runtime_error if it cannot be read, or has none.
std::string read_text(const std::filesystem::path& file);

/// Parts of a text that begin at the characters `start`, int32 [batch, 1]: what a model reads, and
/// what it should say after each character, which is the next one.
struct Windows {
  tg::Tensor input, next;  ///< int32 [batch, context] each
};
Windows windows(const tg::Tensor& text, const tg::Tensor& start, int64_t context);

}  // namespace char_gpt
