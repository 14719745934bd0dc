// The memories of a launch, with what is known of every byte: who may touch it, whether it was
// written, and by whom since the last barrier. Addresses of global memory are the host's, those of
// the others count from the start of their space.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ptx/text.h"
#include "runner/launch.h"

namespace tg::emulator::ptx {

/// The arrays that a kernel is given.
class GlobalMemory {
 public:
  explicit GlobalMemory(std::span<const Argument> arguments);
  /// Where `bytes` at `address` lie. Throws Wrong if they are in no array, or not aligned; written
  /// to in one that is only read, or read as constant in one that is written.
  char* place(uint64_t address, int64_t bytes, bool writes, bool constant) const;

 private:
  std::vector<Argument> arrays_;
};

/// The arrays of a group, or of one work-item.
class OwnMemory {
 public:
  /// Those of `kernel` in `space`, each followed by bytes that nobody may touch.
  OwnMemory(const Kernel& kernel, Space space, int64_t dynamic_bytes);
  uint64_t address_of(const std::string& array) const;
  /// Where `bytes` lie for work-item `work_item`. Throws Wrong if they are in no array, not
  /// aligned, read before they were written, or touched by another work-item in this round of which
  /// one writes.
  char* place(uint64_t address, int64_t bytes, bool writes, int work_item);
  /// What lies there may not be read before it is written again.
  void forget(uint64_t address, int64_t bytes);
  /// A barrier.
  void next_round() { ++round_; }

 private:
  struct Byte {
    bool inside = false, written = false;
    int writer = -1, write_round = -1;
    int reader = -1, read_round = -1;  // the reader is kMany if there are several
  };
  void touch(Byte& b, bool writes, int work_item) const;

  std::map<std::string, uint64_t> addresses_;
  std::vector<char> data_;
  std::vector<Byte> bytes_;
  int round_ = 0;
};

}  // namespace tg::emulator::ptx
