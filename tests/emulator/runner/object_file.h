// The variables of a shared object, from its table of symbols: local arrays of kernels are such.
// ELF of 64 bits in this machine's byte order, written by a compiler that we ran; nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tg::emulator {

struct Variable {
  std::string name;
  uint64_t offset = 0;  ///< from where the object is loaded
  uint64_t bytes = 0;
};

struct ObjectFile {
  std::vector<Variable> variables;
  uint64_t bytes = 0;  ///< of memory that it takes when loaded
};

/// Throws DeviceError if the bytes are no such file.
ObjectFile read_object(const std::string& bytes);

}  // namespace tg::emulator
