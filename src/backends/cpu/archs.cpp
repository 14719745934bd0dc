// See archs.h.
#include "backends/cpu/archs.h"

#include <algorithm>
#include <array>

namespace tg::cpu {
namespace {

#if defined(__x86_64__)
constexpr std::array<std::string_view, 5> kArchs = {"native", "generic", "x86-64-v2", "x86-64-v3",
                                                    "x86-64-v4"};

// Level of the psABI for AMD64 (section 3.1.1) that this processor has.
int level_here() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4") != 0) return 4;
  if (__builtin_cpu_supports("x86-64-v3") != 0) return 3;
  return __builtin_cpu_supports("x86-64-v2") != 0 ? 2 : 1;
}
#else
constexpr std::array<std::string_view, 2> kArchs = {"native", "generic"};

int level_here() { return 1; }
#endif

}  // namespace

std::span<const std::string_view> known_archs() { return kArchs; }
bool is_known_arch(std::string_view arch) {
  return std::ranges::find(kArchs, arch) != kArchs.end();
}
bool runs_here(std::string_view arch) { return level_of(arch) <= level_here(); }
int level_of(std::string_view arch) { return arch.starts_with("x86-64-v") ? arch.back() - '0' : 1; }

}  // namespace tg::cpu
