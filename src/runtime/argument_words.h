// What a launch passes to its kernel as numbers of eight bytes each, with the pointers to them that
// several drivers take.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device.h"

namespace tg {

/// The addresses of a call's arrays, its variables, and a number behind them.
class ArgumentWords {
 public:
  ArgumentWords(const Call& call, int64_t last);
  ArgumentWords(ArgumentWords&&) noexcept = default;
  ArgumentWords& operator=(ArgumentWords&&) noexcept = default;

  int64_t last() const { return static_cast<int64_t>(words_.back()); }
  /// One pointer a word; they live as long as this, wherever it is moved to.
  void** pointers() { return pointers_.data(); }

 private:
  std::vector<uint64_t> words_;
  std::vector<void*> pointers_;
};

}  // namespace tg
