// Machine code in memory, however it came there: a shared object that a C compiler made, or an
// object file of LLVM that we placed ourselves (object_code.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tg::cpu {

class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  /// Address of a function. Throws DeviceError if there is none of that name.
  virtual void* symbol(const std::string& name) const = 0;
  /// The instructions of the kernel `name`, for people; empty if their extent is not known.
  virtual std::span<const std::byte> instructions(const std::string& name) const = 0;
};

using CodeRef = std::shared_ptr<const LoadedCode>;

}  // namespace tg::cpu
