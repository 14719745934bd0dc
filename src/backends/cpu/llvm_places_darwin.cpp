// See llvm_places.h: macOS, where Homebrew and MacPorts bring LLVM.
#include <fmt/format.h>

#include "backends/cpu/llvm_places.h"

namespace tg::cpu {

const std::string_view kTripleEnd = "apple-macosx11.0.0-elf";

std::vector<std::string> llvm_places(int version) {
  return {fmt::format("/opt/homebrew/opt/llvm@{}/lib/libLLVM.dylib", version),
          fmt::format("/usr/local/opt/llvm@{}/lib/libLLVM.dylib", version),
          fmt::format("/opt/local/libexec/llvm-{}/lib/libLLVM.dylib", version)};
}

}  // namespace tg::cpu
