// See llvm_places.h: Windows, where MSYS2 brings LLVM with its version in the name. The library of
// LLVM's own installer does not tell its version; the option LLVM names it.
#include <fmt/format.h>

#include "backends/cpu/llvm_places.h"

namespace tg::cpu {

const std::string_view kTripleEnd = "pc-windows-msvc-elf";

std::vector<std::string> llvm_places(int version) {
  return {fmt::format("C:/msys64/ucrt64/bin/libLLVM-{}.dll", version),
          fmt::format("C:/msys64/clang64/bin/libLLVM-{}.dll", version),
          fmt::format("C:/msys64/mingw64/bin/libLLVM-{}.dll", version)};
}

}  // namespace tg::cpu
