// See item_groups.h.
#include "schedule/item_groups.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>

#include "support/check.h"

namespace tg {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

}  // namespace

ItemGroups::ItemGroups(const std::vector<std::vector<size_t>>& users)
    : users_(users), group_of_(users.size()), rank_(users.size()), place_(users.size()) {
  std::iota(group_of_.begin(), group_of_.end(), size_t{0});
  for (size_t i = 0; i < users.size(); ++i) members_.push_back({i});
  at_ = order();
  TG_CHECK(at_.size() == users.size(), "{} of {} items wait for each other",
           users.size() - at_.size(), users.size());
  for (size_t p = 0; p < at_.size(); ++p) rank_[at_[p]] = place_[at_[p]] = p;
}

std::vector<size_t> ItemGroups::order() const {
  std::vector<int> waits(users_.size(), 0);
  const auto for_users = [&](size_t group, auto&& fn) {
    for (size_t m : members_[group]) {
      for (size_t u : users_[m]) {
        if (group_of_[u] != group) fn(group_of_[u]);
      }
    }
  };
  std::set<size_t> ready;
  for (size_t i = 0; i < users_.size(); ++i) {
    if (group_of_[i] == i) for_users(i, [&](size_t u) { ++waits[u]; });
  }
  for (size_t i = 0; i < users_.size(); ++i) {
    if (group_of_[i] == i && waits[i] == 0) ready.insert(i);
  }
  std::vector<size_t> out;
  while (!ready.empty()) {
    const size_t i = *ready.begin();
    ready.erase(ready.begin());
    out.push_back(i);
    for_users(i, [&](size_t u) {
      if (--waits[u] == 0) ready.insert(u);
    });
  }
  return out;
}

std::optional<std::vector<size_t>> ItemGroups::reached_between(size_t a, size_t b) const {
  if (place_[a] > place_[b]) std::swap(a, b);
  std::vector<size_t> reached;
  std::unordered_set<size_t> seen;
  const auto meets_b = [&](size_t group) {
    for (size_t m : members_[group]) {
      for (size_t u : users_[m]) {
        const size_t next = group_of_[u];
        if (next == b && group != a) return true;
        if (place_[next] < place_[b] && next != a && seen.insert(next).second)
          reached.push_back(next);
      }
    }
    return false;
  };
  if (meets_b(a)) return std::nullopt;
  for (size_t i = 0; i < reached.size(); ++i) {
    if (meets_b(reached[i]) || reached.size() > kMaxSearch) return std::nullopt;
  }
  return reached;
}

std::vector<size_t> ItemGroups::joined_members(size_t a, size_t b) const {
  std::vector<size_t> out;
  const auto rank = [this](size_t i) { return rank_[i]; };
  std::ranges::merge(members_[a], members_[b], std::back_inserter(out), {}, rank, rank);
  return out;
}

// What the earlier group reaches goes behind the joined one, all else that stood between them
// before it: nothing of that waits for the earlier group, and the later one waits for nothing that
// was reached.
size_t ItemGroups::join(size_t a, size_t b) {
  std::optional<std::vector<size_t>> reached = reached_between(a, b);
  TG_CHECK(reached, "groups {} and {} are joined, but a third stands between them", a, b);
  const auto by_place = [this](size_t x, size_t y) { return place_[x] < place_[y]; };
  std::ranges::sort(*reached, by_place);
  const size_t into = std::min(a, b);
  const size_t first = std::min(place_[a], place_[b]), last = std::max(place_[a], place_[b]);
  std::vector<size_t> now;
  for (size_t p = first; p <= last; ++p) {
    const size_t g = at_[p];
    if (g != kNone && g != a && g != b && !std::ranges::binary_search(*reached, g, by_place))
      now.push_back(g);
  }
  now.push_back(into);
  now.insert(now.end(), reached->begin(), reached->end());
  now.resize(last - first + 1, kNone);

  std::vector<size_t> members = joined_members(a, b);
  members_[std::max(a, b)].clear();
  for (size_t m : members) group_of_[m] = into;
  members_[into] = std::move(members);
  for (size_t p = first; p <= last; ++p) {
    at_[p] = now[p - first];
    if (at_[p] != kNone) place_[at_[p]] = p;
  }
  return into;
}

}  // namespace tg
