// Groups against their definition: on random graphs, whether two can be joined is what a search of
// all ways says, and the order that is kept stays one in which groups can run.
#include "schedule/item_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tg {
namespace {

using Users = std::vector<std::vector<size_t>>;

// Items wait for earlier ones only; numbers are mixed, so that the order of items is none of them.
Users random_graph(std::mt19937_64& random, size_t n, double density) {
  std::vector<size_t> name(n);
  for (size_t i = 0; i < n; ++i) name[i] = i;
  std::ranges::shuffle(name, random);
  std::bernoulli_distribution edge(density);
  Users users(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      if (edge(random)) users[name[i]].push_back(name[j]);
    }
  }
  return users;
}

// Does a way lead from group `from` to `to` that enters a third group?
bool connected(const Users& users, const ItemGroups& groups, size_t from, size_t to) {
  std::vector<bool> seen(users.size());
  std::vector<size_t> work{from};
  while (!work.empty()) {
    const size_t g = work.back();
    work.pop_back();
    for (size_t m : groups.members(g)) {
      for (size_t u : users[m]) {
        const size_t next = groups.group_of(u);
        if (next == to && g != from) return true;
        if (next == to || next == from || seen[next]) continue;
        seen[next] = true;
        work.push_back(next);
      }
    }
  }
  return false;
}

void expect_order(const Users& users, const ItemGroups& groups) {
  const std::vector<size_t> order = groups.order();
  std::vector<size_t> place(users.size(), users.size());
  for (size_t p = 0; p < order.size(); ++p) place[order[p]] = p;
  size_t items = 0;
  for (size_t g : order) {
    items += groups.members(g).size();
    EXPECT_EQ(g, *std::ranges::min_element(groups.members(g)));
    for (size_t m : groups.members(g)) {
      for (size_t u : users[m]) {
        if (groups.group_of(u) == g) continue;
        EXPECT_LT(place[g], place[groups.group_of(u)]);
      }
    }
  }
  EXPECT_EQ(items, users.size());
}

TEST(ItemGroups, AreJoinedWhereNoThirdStandsBetweenThem) {
  std::mt19937_64 random(std::random_device{}());
  int joined = 0, apart = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const uint64_t seed = random();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 draw(seed);
    const size_t n = 4 + draw() % 30;
    const Users users = random_graph(draw, n, trial % 2 == 0 ? 0.08 : 0.3);
    ItemGroups groups(users);
    for (int pair = 0; pair < 200; ++pair) {
      const size_t a = groups.group_of(draw() % n), b = groups.group_of(draw() % n);
      if (a == b) continue;
      const bool can = !connected(users, groups, a, b) && !connected(users, groups, b, a);
      ASSERT_EQ(groups.can_join(a, b), can) << a << " and " << b;
      ++(can ? joined : apart);
      if (!can || draw() % 3 == 0) continue;
      EXPECT_EQ(groups.join(a, b), std::min(a, b));
      expect_order(users, groups);
    }
  }
  EXPECT_GT(joined, 100);
  EXPECT_GT(apart, 100);
}

TEST(ItemGroups, KeepTheirMembersInAnOrderInWhichTheyRun) {
  const Users users = {{}, {2}, {0}, {}};  // 1 → 2 → 0
  ItemGroups groups(users);
  groups.join(2, 0);
  groups.join(1, groups.group_of(2));
  const auto members = groups.members(0);
  EXPECT_EQ(std::vector<size_t>(members.begin(), members.end()), (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(groups.order(), (std::vector<size_t>{0, 3}));
}

}  // namespace
}  // namespace tg
