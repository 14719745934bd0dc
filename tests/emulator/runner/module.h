// Kernels as a GPU's compiler would be given them → code of this machine, by a host compiler found
// at run time. The text is compiled as it is; what the host's language lacks is in shim/. Running
// it is launch.h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/launch.h"

namespace tg::emulator {

enum class Language : uint8_t { Cuda, Metal, OpenCl };

/// One kernel: the name of its function, and a whole program with it.
struct Program {
  std::string name;
  std::string text;
};

/// The compiler for a language, or nothing if none is installed: any C++ compiler for CUDA, clang
/// for Metal and OpenCL C, whose address spaces it knows.
std::optional<std::string> compiler_for(Language language);

/// Why a test of the language cannot run here; empty if it can.
std::string missing_compiler(Language language);

class Module {
 public:
  /// One run of the compiler for all programs, or for each where their language cannot keep them
  /// apart. Throws DeviceError with what the compiler says.
  Module(Language language, std::span<const Program> programs);
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) = delete;

  /// In the order of the programs.
  const std::vector<Code>& kernels() const;

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
};

}  // namespace tg::emulator
