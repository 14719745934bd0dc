// See memory.h.
#include "frontend/language/memory.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "support/check.h"

namespace tg::models {
namespace {

double gibibytes(uint64_t bytes) { return static_cast<double>(bytes) / 0x1p30; }

// "MemAvailable:  123 kB", which Linux says; empty elsewhere.
std::optional<uint64_t> free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (uint64_t count = 0; file >> name >> count;) {
    if (name == "MemAvailable:") return count * 1024;
    std::getline(file, unit);
  }
  return {};
}

}  // namespace

uint64_t cache_bytes(const DecoderConfig& c, int64_t context) {
  const auto positions = static_cast<uint64_t>(c.layers) * static_cast<uint64_t>(context);
  return positions * static_cast<uint64_t>(c.kv_heads * c.head_size) * 2 * sizeof(float);
}

void require_memory(std::string_view fn, const std::string& name, std::span<const MemoryPart> parts,
                    uint64_t limit, std::string_view hint) {
  const std::optional<uint64_t> most = limit > 0 ? limit : free_memory();
  uint64_t needed = 0;
  std::string list;
  for (const MemoryPart& part : parts) {
    needed += part.bytes;
    list +=
        fmt::format("{}{} {:.2f}", list.empty() ? "" : " and ", part.what, gibibytes(part.bytes));
  }
  if (!most || needed <= *most) return;
  user_error<ArgumentError>(fn,
                            fmt::format("\"{}\" takes {:.2f} GiB, {}, and {:.2f} are free", name,
                                        gibibytes(needed), list, gibibytes(*most)),
                            hint);
}

}  // namespace tg::models
