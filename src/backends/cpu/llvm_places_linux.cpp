// See llvm_places.h: distributions of Linux.
#include <fmt/format.h>

#include <array>

#include "backends/cpu/llvm_places.h"

namespace tg::cpu {

#if defined(__aarch64__)
constexpr std::string_view kFolder = "aarch64-linux-gnu";
#else
constexpr std::string_view kFolder = "x86_64-linux-gnu";
#endif

const std::string_view kTripleEnd = "unknown-linux-gnu";

std::vector<std::string> llvm_places(int version) {
  const std::array<std::string, 2> names = {version >= 18 ? fmt::format("libLLVM.so.{}.1", version)
                                                          : fmt::format("libLLVM-{}.so.1", version),
                                            fmt::format("libLLVM-{}.so", version)};
  std::vector<std::string> places;
  for (const std::string& folder :
       {fmt::format("/usr/lib/{}", kFolder), std::string("/usr/lib64"), std::string("/usr/lib"),
        std::string("/usr/local/lib"), fmt::format("/usr/lib/llvm-{}/lib", version),
        fmt::format("/usr/lib/llvm{}/lib", version)}) {
    for (const std::string& name : names) places.push_back(folder + "/" + name);
  }
  return places;
}

}  // namespace tg::cpu
