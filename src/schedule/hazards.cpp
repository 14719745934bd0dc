// Edges, a stable topological sort, and a cycle where that gets stuck. See hazards.h.
#include "schedule/hazards.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "support/check.h"
#include "uop/shape.h"

namespace tg {
namespace {

// `to` waits for `from`; `version` is what the reader `from` must still see, null for data.
struct Edge {
  size_t from, to;
  const Node* version;
};

using ItemsByNode = std::unordered_map<const Node*, std::vector<size_t>>;

class Sorter {
 public:
  explicit Sorter(std::span<const PendingItem> items)
      : items_(items), users_(items.size()), sources_(items.size()), waits_(items.size(), 0) {
    find_edges();
  }

  std::vector<size_t> run() {
    std::vector<size_t> order;
    std::set<size_t> ready;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (waits_[i] == 0) ready.insert(i);
    }
    while (!ready.empty()) {
      const size_t i = *ready.begin();
      ready.erase(ready.begin());
      order.push_back(i);
      for (size_t e : users_[i]) {
        if (--waits_[edges_[e].to] == 0) ready.insert(edges_[e].to);
      }
    }
    return order;
  }

  std::vector<std::vector<size_t>> users() const {
    std::vector<std::vector<size_t>> out(items_.size());
    for (const Edge& e : edges_) out[e.from].push_back(e.to);
    return out;
  }

  // After run(), which got stuck: from an item that waits, back along the first source that waits
  // too, until one comes again.
  std::vector<Hazard> cycle() const {
    size_t at = 0;
    while (waits_[at] == 0) ++at;
    std::vector<size_t> path;  // edges
    std::unordered_map<size_t, size_t> seen;
    while (seen.emplace(at, path.size()).second) {
      const auto& in = sources_[at];
      const size_t e = *std::ranges::find_if(in, [&](size_t x) { return blocks(edges_[x]); });
      path.push_back(e);
      at = edges_[e].from;
    }
    std::vector<Hazard> hazards;
    for (size_t k = seen.at(at); k < path.size(); ++k) {
      const Edge& e = edges_[path[k]];
      if (e.version != nullptr) hazards.push_back({e.from, e.version});
    }
    return hazards;
  }

 private:
  void add_edge(size_t from, size_t to, const Node* version) {
    if (from == to) return;
    users_[from].push_back(edges_.size());
    sources_[to].push_back(edges_.size());
    edges_.push_back({from, to, version});
    ++waits_[to];
  }

  void find_edges() {
    ItemsByNode makers, replacers;
    for (size_t i = 0; i < items_.size(); ++i) {
      std::vector<size_t>& parts = makers[items_[i].makes];
      if (!parts.empty()) add_edge(parts.back(), i, nullptr);
      parts.push_back(i);
      if (items_[i].replaces != nullptr) replacers[items_[i].replaces].push_back(i);
    }
    for (size_t i = 0; i < items_.size(); ++i) {
      for (const Node* r : items_[i].reads) {
        if (auto m = makers.find(r); m != makers.end()) {
          for (size_t maker : m->second) add_edge(maker, i, nullptr);
        }
        if (auto w = replacers.find(r); w != replacers.end()) {
          for (size_t writer : w->second) {
            if (items_[writer].makes != items_[i].makes) add_edge(i, writer, r);
          }
        }
      }
    }
  }

  bool blocks(const Edge& e) const { return waits_[e.from] != 0; }

  std::span<const PendingItem> items_;
  std::vector<Edge> edges_;
  std::vector<std::vector<size_t>> users_, sources_;  // edges by item
  std::vector<int> waits_;
};

}  // namespace

std::vector<std::vector<size_t>> users_of_items(std::span<const PendingItem> items) {
  return Sorter(items).users();
}

std::vector<size_t> launch_order(std::span<const PendingItem> items) {
  std::vector<size_t> order = Sorter(items).run();
  TG_CHECK(order.size() == items.size(), "{} of {} items wait for each other",
           items.size() - order.size(), items.size());
  return order;
}

std::vector<Hazard> find_cycle(std::span<const PendingItem> items) {
  Sorter sorter(items);
  if (sorter.run().size() == items.size()) return {};
  return sorter.cycle();
}

void check_versions(std::span<const Node* const> order) {
  std::unordered_map<const Node*, const Node*> next;
  for (const Node* n : order) {
    if (n->op != Op::After || next.emplace(n->src()[0], n).second) continue;
    user_error<ArgumentError>(
        "realize",
        fmt::format("two assignments replace the same contents of a tensor of shape {}",
                    format_shape(n->shape())),
        "Hint: let the second one start from the result of the first.");
  }
}

}  // namespace tg
