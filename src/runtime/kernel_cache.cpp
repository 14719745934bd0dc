// See kernel_cache.h.
#include "runtime/kernel_cache.h"

#include <fmt/format.h>

namespace tg {

std::string KernelCache::key(std::string_view source) const {
  return fmt::format("{}{}{}", compiler_, '\0', source);
}

std::optional<std::string> KernelCache::find(std::string_view source) const {
  return files_.find(key(source));
}

void KernelCache::store(std::string_view source, std::string_view code) const {
  files_.store(key(source), code);
}

}  // namespace tg
