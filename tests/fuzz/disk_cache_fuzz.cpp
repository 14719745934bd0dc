// Entries of the cache of compiled code: src/runtime/disk_cache.h. The input is taken as an entry;
// and as a change to a good one, for no change by chance has the right checksum.
#include <algorithm>
#include <string>

#include "fuzz/fuzz.h"
#include "runtime/disk_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tg;
  const std::string_view text = fuzz::text_of(data, size);
  const std::string_view key = text.substr(0, size % 40), code = text.substr(key.size());
  fuzz::read_or_refuse([&] { disk_cache_code(std::string(text), key); });

  const std::string entry = disk_cache_entry(key, code);
  fuzz::expect(disk_cache_code(entry, key) == code, "an entry is read as it was written");
  if (size < 3) return 0;
  std::string changed = entry;
  const size_t at = (size_t{data[0]} << 8 | data[1]) % changed.size();
  changed[at] = static_cast<char>(changed[at] ^ std::max<int>(1, data[2]));
  fuzz::expect(!disk_cache_code(changed, key), "a changed entry is none");
  fuzz::expect(!disk_cache_code(entry.substr(0, at), key), "nor is a part of one");
  return 0;
}
