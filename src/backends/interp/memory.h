// Memory as the interpreter sees it: every access is checked against the array's bounds, and
// scratch knows which of its elements were written. Elements are stored as devices store them, so
// buffers can be shared with other devices.
#pragma once

#include <span>
#include <vector>

#include "backends/interp/code.h"

namespace tg::interp {

/// One array during a launch.
class Array {
 public:
  /// A parameter's storage, or null for scratch of its own.
  Array(const Memory& m, void* storage);

  bool in_bounds(int64_t index) const { return index >= 0 && index < elements_; }
  /// The address of an element modulo the alignment that scratch has on every device.
  uint64_t address(int64_t index) const { return base_ + static_cast<uint64_t>(index * size_); }
  /// False for scratch that was not written in this launch.
  bool written(int64_t index) const {
    return written_.empty() || written_[static_cast<size_t>(index)];
  }
  Scalar read(int64_t index) const;
  void write(int64_t index, const Scalar& value);
  /// What is there may be read no more, until it is written.
  void forget(int64_t index) { written_[static_cast<size_t>(index)] = false; }
  int64_t elements() const { return elements_; }

 private:
  int64_t elements_;
  int64_t size_;
  DType dtype_;
  uint64_t base_;
  unsigned char* data_;
  std::vector<unsigned char> own_;
  std::vector<bool> written_;
};

}  // namespace tg::interp
