// Notes on nodes: a table beside the graph, because few nodes have one and a node is small. A bit
// in the node says whether to look. See node.h.
#include <mutex>
#include <unordered_map>

#include "tg/ir/node.h"

namespace tg {
namespace {

// Never destroyed: nodes held by static objects die after it would.
struct Notes {
  std::mutex mutex;
  std::unordered_map<const Node*, Ref<Resource>> by_node;
};
Notes& notes() {
  static auto* n = new Notes;
  return *n;
}

}  // namespace

void set_note(const Node* n, Ref<Resource> note) {
  auto* noted = const_cast<std::atomic<bool>*>(&n->noted);
  if (!note && !noted->load(std::memory_order_acquire)) return;
  // What hung there before is let go without the lock: it may hold nodes with notes of their own.
  Ref<Resource> before;
  std::lock_guard lock(notes().mutex);
  if (note) {
    before = std::exchange(notes().by_node[n], std::move(note));
    noted->store(true, std::memory_order_release);
  } else if (auto found = notes().by_node.extract(n)) {
    before = std::move(found.mapped());
    noted->store(false, std::memory_order_release);
  }
}

Ref<Resource> note_of(const Node* n) {
  if (!n->noted.load(std::memory_order_acquire)) return {};
  std::lock_guard lock(notes().mutex);
  const auto found = notes().by_node.find(n);
  return found == notes().by_node.end() ? Ref<Resource>() : found->second;
}

}  // namespace tg
