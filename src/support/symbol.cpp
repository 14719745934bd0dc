// The table behind symbol.h: names in a deque (their addresses stay), a map from name to number,
// one lock.
#include "support/symbol.h"

#include <deque>
#include <mutex>
#include <unordered_map>

namespace tg {
namespace {

struct Symbols {
  std::mutex lock;
  std::deque<std::string> names{""};
  std::unordered_map<std::string_view, int64_t> ids{{std::string_view{}, 0}};
};

Symbols& symbols() {
  static auto* table = new Symbols;  // never destroyed: nodes may outlive static destruction
  return *table;
}

}  // namespace

int64_t intern_symbol(std::string_view name) {
  Symbols& t = symbols();
  std::lock_guard guard(t.lock);
  if (auto it = t.ids.find(name); it != t.ids.end()) return it->second;
  const std::string& kept = t.names.emplace_back(name);
  int64_t id = static_cast<int64_t>(t.names.size()) - 1;
  t.ids.emplace(kept, id);
  return id;
}

const std::string& symbol_name(int64_t id) {
  Symbols& t = symbols();
  std::lock_guard guard(t.lock);
  return t.names.at(static_cast<size_t>(id));
}

uint64_t symbol_hash(int64_t id) {
  uint64_t h =
      0xcbf29ce484222325ull;  // FNV-1a: short names, no dependence on the standard library's hash
  for (unsigned char c : symbol_name(id)) h = (h ^ c) * 0x100000001b3ull;
  return h;
}

}  // namespace tg
